/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The line: who waits for a token, first in, first out: submitters, and events and strands,
 * which stand there without a thread. Tokens that come free go to the head of the line.
 */
#ifndef WPOOL_TASK_WAITERS_H
#define WPOOL_TASK_WAITERS_H

#include <linux/list.h>

#include "core/state.h"
#include "task/tokens.h"

struct task_struct;

/* A submitter waits with so many tasks at most. */
#define WPOOL_WAITER_TASKS	32U

/**
 * struct wpool_waiter - a submitter that waits in line, on its own stack
 * @place: stands in the line, pool->waiters, beside the tasks of events, which stand
 *	there themselves; no task, of which only the node and the flags, 0, are used
 * @thread: thread to wake
 * @tasks: claimed tasks to be accepted, in order
 * @nr: number of tasks
 * @waited: it has waited before, for others of its tasks or in a group: a pool that was closed
 *	to others since then lets it in
 * @accepted: number of tasks accepted; under admission_lock until @done
 * @error: why the wait ended; 0 if all were accepted
 * @done: set last, by the side that takes the waiter off the line. After that
 *	nobody touches the waiter, and the submitter does not touch the pool.
 */
struct wpool_waiter {
	struct wpool_task place;
	struct task_struct *thread;
	struct wpool_task *const *tasks;
	u32 nr;
	u32 accepted;
	int error;
	bool waited;
	bool done;
};

/**
 * struct wpool_guest - a thread that waits for room in a strand or a group, on its own stack
 * @node: in pool->guests
 * @thread: thread to wake
 * @is_sent_away: the pool was closed, and may be gone
 */
struct wpool_guest {
	struct list_head node;
	struct task_struct *thread;
	bool is_sent_away;
};

/**
 * wpool_waiters_serve() - hand some free tokens to the waiters, in order
 * @pool: the pool
 *
 * Hands out at most %SERVE_BATCH tokens, so that it may be called with interrupts
 * off. A caller that gave back one token needs no second pass, see the serve rule in
 * waiters.c.
 *
 * Context: any.
 * Return: true if tokens and waiters may be left.
 */
bool wpool_waiters_serve(struct wpool *pool);

/** wpool_waiters_spill() - move the tokens of a cache to the pool, or to the waiters */
void wpool_waiters_spill(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_waiters_give() - give the token of a finished task to the first waiter, or back
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Context: any; preemption off.
 */
static inline void wpool_waiters_give(struct wpool *pool, struct wpool_runq *rq)
{
	u32 batch = READ_ONCE(pool->token_batch);

	if (batch == WPOOL_NO_TOKENS) {
		/* no submitter waits for it: without a limit there are tokens enough */
		local64_inc(&rq->ungiven);
		return;
	}
	if (likely(!(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))) {
		/* give:A; locked instruction: this CPU's line */
		if (unlikely(atomic_inc_return(&rq->tokens) >= 2 * (int)batch) ||
		    unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))
			wpool_waiters_spill(pool, rq);
		return;
	}
	/* give:A */
	if (unlikely(atomic_inc_return(&pool->tokens) >= READ_ONCE(pool->token_plenty)))
		wpool_tokens_relax(pool);
	if (unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_WAITERS))
		wpool_waiters_serve(pool);
}

/**
 * wpool_waiters_wait() - wait in line until tasks are accepted
 * @pool: the pool
 * @waiter: tasks and nr are filled in
 * @state: task state to sleep in
 * @timeout: in jiffies
 *
 * The caller must unclaim the tasks beyond waiter->accepted.
 *
 * Context: process context; sleeps.
 * Return: 0 if all were accepted; -EAGAIN if max_blocking submitters already wait;
 * -ECANCELED if one of the tasks was cancelled; -ESHUTDOWN; -ETIME; -EINTR.
 */
int wpool_waiters_wait(struct wpool *pool, struct wpool_waiter *waiter,
		       unsigned int state, long timeout);

/**
 * wpool_waiters_join() - let the task of an event wait in line, without a thread
 * @pool: the pool
 * @task: the task, for which there was no token at hand
 *
 * If the pool is closed, workers/tidy.c calls the task's abort function with -ESHUTDOWN; but
 * the task of a strand, whose submit looked whether the pool was open, is let in.
 *
 * Context: any; interrupts off.
 * Return: true if there was a token after all, and the caller must accept the task;
 * false: the caller must not touch it any more.
 */
bool wpool_waiters_join(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_waiters_leave() - take the task of an event off the line
 * @task: the task
 *
 * Context: any; interrupts off.
 * Return: true if it was in line.
 */
bool wpool_waiters_leave(struct wpool_task *task);

/**
 * wpool_waiters_withdraw() - send away the submitter that waits with a task
 * @task: a task marked as cancelled
 *
 * All tasks that the submitter waits with are refused.
 *
 * Context: any; interrupts off.
 * Return: true if the submitter was in line.
 */
bool wpool_waiters_withdraw(struct wpool_task *task);

/**
 * wpool_waiters_close() - accept no more tasks, send the waiters away
 * @pool: the pool, tune_mutex held
 * @drops: tasks that have not started end with -ECANCELED
 *
 * A submit that checked before may still be accepted, and a worker that did may still begin
 * its task, until an RCU grace period has passed.
 */
void wpool_waiters_close(struct wpool *pool, bool drops);

/**
 * wpool_guest_enter() - the calling thread begins to wait: a close of the pool wakes it
 * @pool: the pool; if it is closed, the guest is sent away at once
 * @guest: the guest
 *
 * Context: any; interrupts off.
 */
void wpool_guest_enter(struct wpool *pool, struct wpool_guest *guest);

/** wpool_guest_is_sent_away() - was the pool closed since it entered? */
static inline bool wpool_guest_is_sent_away(const struct wpool_guest *guest)
{
	/* pairs with the release in send_guest_away() */
	return smp_load_acquire(&guest->is_sent_away);
}

/**
 * wpool_guest_leave() - it waits no more
 * @pool: the pool, which is not touched if the guest was sent away
 * @guest: the guest
 *
 * Context: any; interrupts off.
 */
void wpool_guest_leave(struct wpool *pool, struct wpool_guest *guest);

/** wpool_waiters_close_to_others() - accept but events and own tasks no more; tune_mutex held */
void wpool_waiters_close_to_others(struct wpool *pool);

/** wpool_waiters_open() - accept again; tune_mutex held */
void wpool_waiters_open(struct wpool *pool);

/**
 * wpool_waiters_resize() - adapt the tokens to a new capacity or queue_depth, and serve the line
 * @pool: the pool, tune_mutex held, the new values in place
 * @old: wpool_tokens_total() before the change
 */
void wpool_waiters_resize(struct wpool *pool, int old);

#endif /* WPOOL_TASK_WAITERS_H */
