/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of a task and what moves it between them.
 *
 *              submit               taker                  returned
 *      IDLE ----------> PENDING ----------> RUNNING ------------------> IDLE
 *                        |                   ^   |  submit: AGAIN         ^
 *                 cancel |                   |   |  cancel: AGAIN goes    |
 *                        |                   +---+                        |
 *                        v                   | returned, AGAIN: PENDING   |
 *                       CANCELLED ----------------------------------------+
 *                                   taken out of the queue, or given up by
 *                                   its submitter
 *
 * Each arrow is one change of task->state, and one side wins it. A detached task
 * goes from PENDING straight to IDLE when its function starts, and is not touched
 * afterwards. CANCELLED is a task that still stands in a queue, in the line, or is
 * on its way from there to the spawner: whoever has it ends it, and until then no
 * submit takes it (-ECANCELED).
 *
 * While a joinable task is RUNNING or in somebody's hands, the other fields
 * are that one's. The change to IDLE is the last touch.
 */
#ifndef WPOOL_TASK_H
#define WPOOL_TASK_H

#include <linux/ktime.h>
#include <linux/sched/task_stack.h>

#include "core/state.h"
#include "core/trace.h"

#define WPOOL_ST_IDLE		0
#define WPOOL_ST_PENDING	1
#define WPOOL_ST_RUNNING	2
#define WPOOL_ST_CANCELLED	3
#define WPOOL_ST_MASK		3
#define WPOOL_ST_AGAIN		BIT(2)	/* RUNNING: to be queued when it returned */
#define WPOOL_ST_AGAIN_COLOUR	BIT(3)	/* the colour of that submit */
#define WPOOL_ST_WAITED		BIT(4)	/* somebody sleeps until it is IDLE */
#define WPOOL_ST_NO_MORE	BIT(5)	/* RUNNING: takes no submit, a cancel waits for it */
#define WPOOL_ST_TAKEN_BACK	BIT(8)	/* RUNNING: one AGAIN was cancelled; counts from here up */

/* How many submits of a running task were cancelled, of its state. */
static inline u32 wpool_task_taken_back(int state)
{
	return (u32)state / WPOOL_ST_TAKEN_BACK;
}

/* task->queued: whose pool is task->pool? */
#define WPOOL_QUEUED_NO		0	/* nobody's; or the task is in a submitter's hands */
#define WPOOL_QUEUED_POOL	1	/* accepted there and not finished */
#define WPOOL_QUEUED_LINE	2	/* its submitter, task->waiter, waits there */

/* In task->pool, as WPOOL_TASK_IN_GLOBQ: the task stands in the line of that pool. */
#define WPOOL_TASK_IN_LINE	2UL

/** wpool_task_last_pool() - the pool in which a task is or was; only to be compared */
static inline struct wpool *wpool_task_last_pool(const struct wpool_task *task)
{
	return (struct wpool *)((unsigned long)READ_ONCE(task->pool) &
				~(WPOOL_TASK_IN_GLOBQ | WPOOL_TASK_IN_LINE));
}

/**
 * wpool_task_accept() - a claimed task has its token, and is counted in
 * @pool: the pool
 * @rq: this CPU's run queue
 * @task: the task
 * @colour: as wpool_account_in()
 *
 * Context: any; interrupts off since @colour was read, and until it is pushed.
 */
static inline void wpool_task_accept(struct wpool *pool, struct wpool_runq *rq,
				     struct wpool_task *task, u32 colour)
{
	WRITE_ONCE(task->pool, pool);
	task->colour = colour;
	if (unlikely(READ_ONCE(pool->latency)))
		task->submit_ns = ktime_get_mono_fast_ns();
	if (trace_wpool_task_submitted_enabled())
		wpool_trace_submitted(pool, rq, task);
	/* accept:A, from here on task->pool may be followed */
	smp_store_release(&task->queued, WPOOL_QUEUED_POOL);
}

/** wpool_task_is_cancelled() - is the task to be ended by whoever has it? */
static inline bool wpool_task_is_cancelled(const struct wpool_task *task)
{
	return (atomic_read(&task->state) & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED;
}

/** wpool_task_is_detached() - does the task belong to its function once it runs? */
static inline bool wpool_task_is_detached(const struct wpool_task *task)
{
	return task->flags & WPOOL_TASK_DETACHED;
}

/**
 * wpool_task_pool() - the pool in which a task is queued or running, or NULL
 * @task: the task
 *
 * A pool is freed an RCU grace period after its last task: it stays as long as
 * interrupts are off.
 *
 * Context: any; interrupts off.
 * Return: the pool, or NULL.
 */
static inline struct wpool *wpool_task_pool(struct wpool_task *task)
{
	/* pairs with accept:A */
	if (smp_load_acquire(&task->queued) != WPOOL_QUEUED_POOL)
		return NULL;
	return wpool_task_last_pool(task);
}

/** wpool_stack_is_short() - is too little stack left to run a task on top of this one? */
static inline bool wpool_stack_is_short(void)
{
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	return here - (unsigned long)end_of_stack(current) < THREAD_SIZE / 2;
}

/**
 * wpool_task_claim_fast() - the submitter's claim, of an ordinary task
 * @task: the task
 *
 * Context: any; interrupts off.
 * Return: true as wpool_task_claim() returns 0; false it needs a closer look.
 */
static inline bool wpool_task_claim_fast(struct wpool_task *task)
{
	int old = WPOOL_ST_IDLE;

	/* locked instruction: the task's line */
	return likely(!task->owner) &&
	       likely(atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING));
}

/**
 * wpool_task_claim() - the submitter's claim
 * @pool: the pool
 * @task: the task
 * @alone: no other is claimed yet; otherwise only one that is IDLE may join them
 *
 * Context: any; interrupts off.
 * Return: 0 the caller has to queue it or to unclaim it; 1 it is accepted as
 * it stands; -EALREADY pending, or running in another pool; -ECANCELED it is
 * being cancelled; -ESHUTDOWN; -ENOENT its owner is going;
 * -EAGAIN not @alone, and not IDLE.
 */
int wpool_task_claim(struct wpool *pool, struct wpool_task *task, bool alone);

/**
 * wpool_task_unclaim() - give up a claimed task that was not accepted
 * @task: the task
 *
 * Context: any.
 */
void wpool_task_unclaim(struct wpool_task *task);

/**
 * wpool_task_await_hands() - wait a little for another thread that has a task in hands
 * @tries: 0 at first
 *
 * A matter of a microsecond, unless that thread has lost its CPU, perhaps to this one.
 *
 * Context: process context; sleeps from time to time.
 */
void wpool_task_await_hands(u32 *tries);

/**
 * wpool_task_mark_cancelled() - the change of state that cancels
 * @task: the task
 * @for_good: if it runs it takes no submit any more until it has returned
 *
 * Context: any.
 * Return: true; false if there is no submit to be taken back.
 */
bool wpool_task_mark_cancelled(struct wpool_task *task, bool for_good);

#endif /* WPOOL_TASK_H */
