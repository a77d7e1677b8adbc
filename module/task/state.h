/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of a task, its transitions, and what goes with them: the accept and the finish.
 *
 *              submit               taker                  returned
 *      IDLE ----------> PENDING ----------> RUNNING ------------------> IDLE
 *                        |                   ^   |  submit: AGAIN         ^
 *                cancel, |                   |   |  cancel: AGAIN goes    |
 *                overdue |                   |   |                        |
 *                        |                   +---+                        |
 *                        v                   | returned, AGAIN: PENDING   |
 *                       CANCELLED ----------------------------------------+
 *                                   taken out of the queue, or given up by
 *                                   its submitter
 *
 * Each arrow is one change of task->state. If several threads try it, one succeeds.
 *
 * A detached task goes from PENDING straight to IDLE when its function starts, and is not touched
 * afterwards. An item (item.h) stays PENDING. The task of an event is detached, too: task->state is
 * that of the event (event.c). The task of a strand has no state here (strand.c).
 *
 * A CANCELLED task is in a queue, among the waiters, or held by the thread that puts it in or has
 * taken it out. A thread that takes the task out finishes it, or passes it to tidy.c; until then
 * each submit is refused (-ECANCELED).
 *
 * In every state, task->state also counts the threads that disable the task: those in
 * wpool_task_cancel_sync(), and those that called wpool_task_disable_sync(). While the count is not
 * 0, each submit is refused, so after one cancel the task can only finish.
 *
 * A second submit of a running task counts the task in at once, as every submit does, and a cancel
 * of that submit counts it out at once. A task that runs in its submitter, or is kept on the stack
 * of the waiter that runs it (INSIDE), accepts no second submit: if that thread died, no thread
 * could count that submit out.
 *
 * While a joinable task is RUNNING, or held by a thread that took it out of a queue,
 * its other fields belong to that thread. The change to IDLE is the last touch.
 *
 * A task finishes in a thread, with preemption off:
 *
 *   wpool_finish_begin()    announces the finish on this CPU, which task->cpu names
 *   the change to IDLE      the last touch of the task
 *   wpool_finish_settle()   counts the task out, and gives its token back
 *   wpool_waiters_serve()   gives the token to the first waiter, if there is one
 *   wpool_finish_end()      ends the announcement: see finish:A in state.c
 */
#ifndef WPOOL_TASK_STATE_H
#define WPOOL_TASK_STATE_H

#include <linux/ktime.h>
#include <linux/sched/task_stack.h>

#include "core/sched.h"
#include "core/state.h"
#include "core/trace.h"
#include "inject.h"
#include "task/debug.h"
#include "task/tokens.h"

#define WPOOL_ST_IDLE		0
#define WPOOL_ST_PENDING	1
#define WPOOL_ST_RUNNING	2
#define WPOOL_ST_CANCELLED	3
#define WPOOL_ST_MASK		3
#define WPOOL_ST_AGAIN		BIT(2)	/* RUNNING: queue the task when it has returned */
#define WPOOL_ST_AGAIN_COLOUR	BIT(3)	/* colour in which the second submit is counted */
#define WPOOL_ST_WAITED		BIT(4)	/* a thread sleeps until the task is IDLE or queued again */
#define WPOOL_ST_TAKEN_BACK	BIT(5)	/* RUNNING: the last submit was cancelled */
#define WPOOL_ST_INSIDE		BIT(6)	/* RUNNING in its submitter, or in the owner of its stack */
#define WPOOL_ST_DISABLED	BIT(8)	/* refuses submits; a count, from this bit up */
#define WPOOL_ST_DISABLED_MASK	(~(WPOOL_ST_DISABLED - 1))

/* task->queued: which pool is task->pool? */
#define WPOOL_QUEUED_NO		0	/* its former pool, or the next one */
#define WPOOL_QUEUED_POOL	1	/* the pool that has accepted the task, until its end */
#define WPOOL_QUEUED_WAITS	2	/* the pool where the task waits for a token */

/* Bit in task->pool, beside the address: the task waits in that pool for a token. */
#define WPOOL_TASK_WAITS	2UL

/** wpool_task_last_pool() - the pool in which a task is or was; that pool may be gone */
static inline struct wpool *wpool_task_last_pool(const struct wpool_task *task)
{
	unsigned long word;
	struct wpool *pool;

	/* a queue that the word names exists until a grace period has passed */
	rcu_read_lock();
	word = (unsigned long)READ_ONCE(task->pool) & ~WPOOL_TASK_WAITS;
	if (word & WPOOL_TASK_IN_FIFO)
		pool = ((struct wpool_fifo *)(word & ~WPOOL_TASK_IN_FIFO))->pool;
	else
		pool = (struct wpool *)word;
	rcu_read_unlock();
	return pool;
}

void wpool_task_change_pool(struct wpool_task *task, struct wpool *pool);

/*
 * Set the pool of a claimed task before the task can run there, or, with WPOOL_TASK_WAITS, before
 * it joins the waiters there. A submit or a cancel of a running task holds pool_lock() while it
 * compares task->pool and then changes the state. A joinable task changes its pool under
 * pool_lock(), too, so that the submit or cancel cannot hit a later run in another pool.
 */
static inline void wpool_task_set_pool(struct wpool_task *task, struct wpool *pool)
{
	struct wpool *old = READ_ONCE(task->pool);

	if (unlikely(old && old != pool) && !(task->flags & WPOOL_TASK_DETACHED))
		wpool_task_change_pool(task, pool);
	else
		WRITE_ONCE(task->pool, pool);
}

/*
 * Count tasks in, on this CPU, before any of them is accepted. @colour: the pool's current one.
 * Interrupts are off.
 */
static inline void wpool_account_in(struct wpool_runq *rq, u32 colour, u32 nr)
{
	WRITE_ONCE(rq->share.accepted[colour], rq->share.accepted[colour] + nr);
}

/*
 * Count a task out. @status: 0: its function returned; -ECANCELED or -ETIME: it never ran; another
 * error: its worker died.
 */
static __always_inline void wpool_account_out(struct wpool_runq *rq, u32 colour, int status)
{
	if (status == -ECANCELED)
		local64_inc(&rq->share.cancelled);
	else if (status == -ETIME)
		local64_inc(&rq->share.overdue);
	else if (status)
		local64_inc(&rq->share.failed);
	/*
	 * Pairs with the first smp_rmb() in count_tasks(), stats.c, and with the smp_mb() in
	 * is_quiet(), flush.c: a reader that sees this task counted out sees it counted in, and the
	 * task's function does not see what the reader writes then (flush.litmus). On x86, where
	 * local64_inc() is not atomic, barrier() is enough: no access passes a later write.
	 */
	smp_mb__before_atomic();
	barrier();
	local64_inc(&rq->share.finished[colour]);
}

/*
 * Accept a claimed task that has its token and is counted in. Interrupts are off from the read of
 * @colour until the task is pushed.
 */
static inline void wpool_task_accept(struct wpool *pool, struct wpool_runq *rq,
				     struct wpool_task *task, u32 colour)
{
	wpool_task_set_pool(task, pool);
	task->colour = colour;
	/* a cancel looks for the task on this CPU */
	if (!(task->flags & WPOOL_TASK_DETACHED))
		WRITE_ONCE(task->cpu, rq->cpu);
	wpool_task_stamp(task, READ_ONCE(pool->stamps));
	if (trace_wpool_task_submitted_enabled())
		wpool_trace_submitted(pool, rq, task);
	/* accept:A, from here on task->pool may be followed */
	smp_store_release(&task->queued, WPOOL_QUEUED_POOL);
}

/*
 * Count in here, accept and queue claimed tasks that have their tokens. @on: where to queue a
 * single task, the run queue of the CPU that is preferred, or NULL. Interrupts are off.
 */
static __always_inline void wpool_accept_claimed(struct wpool *pool, struct wpool_runq *rq,
						 struct wpool_task *const *tasks, u32 nr,
						 struct wpool_runq *on)
{
	u32 colour = READ_ONCE(pool->colour), i;
	u8 flags = 0;

	wpool_account_in(rq, colour, nr);
	for (i = 0; i < nr; i++) {
		flags |= tasks[i]->flags;
		wpool_task_accept(pool, rq, tasks[i], colour);
	}
	if (unlikely(on))
		wpool_sched_push_on(pool, on, tasks[0]);
	else if (nr == 1 && wpool_runq_is_own(rq))
		wpool_sched_push_next(pool, rq, tasks[0]);
	else
		wpool_sched_push(pool, rq, tasks, nr, flags);
}

/* The thread that is in a finish on this CPU; only compared, never followed. */
DECLARE_PER_CPU(struct task_struct *, wpool_finisher);

/** wpool_finish_begin() - announce a finish, see above; in a thread, never in an interrupt */
static inline void wpool_finish_begin(void)
{
	__this_cpu_write(wpool_finisher, current);
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
}

/** wpool_finish_end() - end the announcement: the accounts are right, or no task was finished */
static inline void wpool_finish_end(void)
{
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
	__this_cpu_write(wpool_finisher, NULL);
}

/*
 * Count an IDLE task out and give its token back. Preemption is off since wpool_finish_begin().
 * Returns true if there are waiters: then call wpool_waiters_serve(), which gives free tokens to
 * the first ones, queues their tasks here, and wakes a waiter after its last task.
 */
static __always_inline __must_check bool
wpool_finish_settle(struct wpool *pool, struct wpool_runq *rq, u32 colour, int status)
{
	u32 batch = READ_ONCE(pool->token_batch);

	wpool_account_out(rq, colour, status);
	if (batch == WPOOL_NO_TOKENS) {
		/* without a limit no submitter waits for a token */
		local64_dec(&rq->share.tokenless);
		return false;
	}
	if (likely(!(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))) {
		/* give:A; a locked instruction, on this CPU's cache line */
		if (likely(atomic_inc_return(&rq->share.tokens) < 2 * (int)batch) &&
		    likely(!(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE)))
			return false;
		wpool_tokens_spill(pool, rq);
	} else {
		/* give:A */
		if (unlikely(atomic_inc_return(&pool->admission.tokens) >=
			     READ_ONCE(pool->admission.plenty)))
			wpool_tokens_relax(pool);
	}
	return READ_ONCE(pool->attention) & WPOOL_ATT_WAITERS;
}

/* A thread has died, perhaps in a finish: wpool_finish_sync() need not wait for it any more. */
void wpool_finish_forget(struct task_struct *thread);

/* A task was seen IDLE: wait until its last finish has settled the accounts, too. May sleep. */
void wpool_finish_sync(const struct wpool_task *task);

/** wpool_finish_sync_all() - wpool_finish_sync() for all tasks that are counted out; may sleep */
void wpool_finish_sync_all(void);

/*
 * atomic_try_cmpxchg() on a state that was read before. The tests can delay a thread between the
 * read and the exchange.
 */
static inline bool wpool_task_exchange(struct wpool_task *task, int *old, int new)
{
	wpool_inject_delay(task);
	return atomic_try_cmpxchg(&task->state, old, new);
}

/** wpool_task_is_cancelled() - must the thread that takes the task finish it as cancelled? */
static inline bool wpool_task_is_cancelled(const struct wpool_task *task)
{
	return (atomic_read(&task->state) & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED;
}

/** wpool_task_is_overdue() - has a task that is about to start waited beyond max_wait_ms? */
static inline bool wpool_task_is_overdue(const struct wpool *pool, u64 submit_ns)
{
	u64 from, max_ns = wpool_max_wait_ns(pool, &from);

	return max_ns && submit_ns >= from &&
	       (s64)(ktime_get_mono_fast_ns() - submit_ns - max_ns) > 0;
}

/** wpool_task_is_detached() - does the task belong to its function once that starts? */
static inline bool wpool_task_is_detached(const struct wpool_task *task)
{
	return task->flags & WPOOL_TASK_DETACHED;
}

/** wpool_task_is_event() - is it the task of an event or a strand, which waits without a thread? */
static inline bool wpool_task_is_event(const struct wpool_task *task)
{
	return task->flags & WPOOL_TASK_EVENT;
}

/*
 * The pool in which a task is queued or running, or NULL. The pool is freed an RCU grace period
 * after its last task, so it exists as long as the caller has RCU's lock, or interrupts off.
 */
static inline struct wpool *wpool_task_pool(struct wpool_task *task)
{
	/* pairs with accept:A */
	if (smp_load_acquire(&task->queued) != WPOOL_QUEUED_POOL)
		return NULL;
	return wpool_task_last_pool(task);
}

/** wpool_stack_is_short() - is too little stack left to run another task on it? */
static inline bool wpool_stack_is_short(void)
{
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	return here - (unsigned long)end_of_stack(current) < THREAD_SIZE / 2;
}

/* Flags of inner tasks: of an event, of a strand's task or of a group's task. */
#define WPOOL_TASK_INNER	(WPOOL_TASK_EVENT | WPOOL_TASK_STRAND | WPOOL_TASK_GROUP)

/*
 * Claim a task for its submitter. @alone: no earlier task of the batch is claimed; otherwise only
 * an IDLE task can be claimed. @waited: that of struct wpool_waiter. Interrupts are off. Returns
 *
 *   0		the caller must queue or unclaim it
 *   1		it is running and will run again; nothing is left to do
 *   -EALREADY	it is pending, or running in another pool or INSIDE
 *   -ECANCELED	it is being cancelled, or disabled
 *   -ESHUTDOWN	the pool is closed
 *   -ENOENT	its owner is being unloaded
 *   -EAGAIN	it is not IDLE, and not @alone
 */
int wpool_task_claim(struct wpool *pool, struct wpool_task *task, bool alone, bool waited);

/* End a claimed task that was not accepted: it is given up, or has run in its submitter. */
void wpool_task_unclaim(struct wpool_task *task);

/*
 * Wait a moment for another thread that holds a task. Every 128th call sleeps for a tick, because
 * that thread may be preempted, perhaps by this one. @tries: counts the calls, 0 at first.
 */
void wpool_task_await_hands(u32 *tries);

/* Mark a task as cancelled, or take back its second submit; false if there is nothing to cancel. */
bool wpool_task_mark_cancelled(struct wpool_task *task);

#endif /* WPOOL_TASK_STATE_H */
