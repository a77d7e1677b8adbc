/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: where a task waits, and who finds it. After Go's runtime: a
 * ring per CPU, a next slot, a global queue, stealing half, few searchers.
 */
#ifndef WPOOL_SCHED_H
#define WPOOL_SCHED_H

#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/queues.h"
#include "core/state.h"
#include "core/wake.h"

struct wpool_worker;

/* The global queue is served every so many looks for work at least, and once a tick. */
#define WPOOL_GLOBQ_ROUND	61
/* Tasks from the next slot in a row before the ring has its turn. */
#define WPOOL_NEXT_STREAK	16

/** __wpool_sched_push() - queue tasks that may not go into the ring, or not all */
void __wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr);

/**
 * wpool_sched_push() - queue accepted tasks and see to it that somebody comes
 * @pool: the pool
 * @rq: this CPU's run queue
 * @tasks: the tasks
 * @nr: how many
 *
 * Context: any; interrupts off since @rq was read.
 */
static __always_inline void wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
					     struct wpool_task *const *tasks, u32 nr)
{
	if (likely(wpool_runq_is_served(rq)) &&
	    likely(wpool_ring_room(&rq->ring) >= nr))
		wpool_ring_put(&rq->ring, tasks, nr);
	else
		__wpool_sched_push(pool, rq, tasks, nr);

	/* push:A */
	smp_mb();
	wpool_wake_for_push(pool, rq);
}

/**
 * wpool_sched_push_next() - as wpool_sched_push(), of one task that an own task submits
 * @pool: the pool
 * @rq: this CPU's run queue, wpool_runq_is_own()
 * @task: the task; what stood in the next slot before it goes to the ring
 *
 * Context: any; interrupts off since @rq was read.
 */
static __always_inline void wpool_sched_push_next(struct wpool *pool, struct wpool_runq *rq,
						  struct wpool_task *task)
{
	/* locked instruction: this CPU's line; push:A, if the slot was free */
	task = xchg(&rq->next, task);
	if (task)
		wpool_sched_push(pool, rq, &task, 1);
	else
		wpool_wake_for_push(pool, rq);
}

/** wpool_runq_is_own() - does a task of this pool run here just now, and we in it? */
static inline bool wpool_runq_is_own(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->runner) == current && in_task() &&
	       !READ_ONCE(rq->redirect);
}

/* Take the task of the next slot, if there is one. */
static inline struct wpool_task *wpool_sched_take_next(struct wpool_runq *rq)
{
	/* the look first: the exchange is a locked instruction */
	return READ_ONCE(rq->next) ? xchg(&rq->next, NULL) : NULL;
}

/**
 * wpool_sched_next() - the next task of this CPU, if nothing else has its turn
 * @rq: this CPU's run queue
 *
 * Context: a worker at home here, preemption off.
 * Return: a task taken out of the queues, not claimed; NULL for a closer look.
 */
static inline struct wpool_task *wpool_sched_next(struct wpool_runq *rq)
{
	struct wpool_task *task = NULL;

	if (unlikely(rq->call_jiffy != (u32)jiffies) ||
	    unlikely(rq->tick - rq->globq_tick >= WPOOL_GLOBQ_ROUND - 1))
		return NULL;
	if (READ_ONCE(rq->next) && rq->next_streak++ < WPOOL_NEXT_STREAK)
		task = wpool_sched_take_next(rq);
	if (!task) {
		rq->next_streak = 0;
		task = wpool_ring_pop(&rq->ring);
	}
	if (likely(task))
		WRITE_ONCE(rq->tick, rq->tick + 1);
	return task;
}

/**
 * wpool_sched_find() - find the next task
 * @w: the calling worker
 *
 * While a worker searches nobody else is woken, so it must not lose its CPU.
 *
 * Context: the worker, interrupts on, preemption off.
 * Return: a task taken out of the queues, not claimed; NULL if there is none:
 * the worker is still searching, or was not allowed to.
 */
struct wpool_task *wpool_sched_find(struct wpool_worker *w);

/**
 * wpool_sched_unqueue() - get one task out of the queues, as a consumer would
 * @pool: the pool
 * @task: a task that is queued there
 *
 * Older tasks of the same ring move to the global queue.
 *
 * Context: any; interrupts off.
 * Return: true if the caller has it now; false if it is in somebody's hands,
 * who is about to claim it or to queue it again.
 */
bool wpool_sched_unqueue(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_sched_take_any() - take any queued task, for a pool that is emptied
 * @pool: the pool
 *
 * Context: any, interrupts on.
 * Return: a task, or NULL.
 */
struct wpool_task *wpool_sched_take_any(struct wpool *pool);

/**
 * wpool_sched_drain() - move what a run queue holds to the global queue
 * @rq: run queue of any CPU
 * @is_old: it is older than what the global queue holds, and goes to the front
 *
 * Context: any, interrupts on.
 */
void wpool_sched_drain(struct wpool_runq *rq, bool is_old);

/** wpool_sched_init() - find the strides of stealing */
void wpool_sched_init(void);

#endif /* WPOOL_SCHED_H */
