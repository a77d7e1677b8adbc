/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: where a task is queued, and how a worker finds it. After Go's
 * runtime: a ring per CPU, a next slot, a global queue, stealing half, few searchers.
 */
#ifndef WPOOL_CORE_SCHED_H
#define WPOOL_CORE_SCHED_H

#include <linux/jiffies.h>
#include <linux/preempt.h>

#include "core/length.h"
#include "core/queued.h"
#include "core/state.h"
#include "core/wake.h"

/* The most urgent tasks taken in a row while a task that is not urgent waits. */
#define WPOOL_URGENT_STREAK	15

static inline bool wpool_task_is_urgent(const struct wpool_task *task)
{
	return task->flags & WPOOL_TASK_URGENT;
}

/*
 * Will a worker at home here look into this ring? Racy: neither a push nor a take relies on the
 * answer. Returns true if a worker is running, waking or idle here. A worker that was counted out,
 * because it sleeps in its task or is a hog, does not count.
 */
static inline bool wpool_runq_is_served(const struct wpool_runq *rq)
{
	return likely(!READ_ONCE(rq->redirect)) &&
	       (likely(READ_ONCE(rq->nr_running)) || READ_ONCE(rq->nr_idle));
}

/*
 * Can the tasks just queued on this CPU be left to its own workers? True if enough of them run or
 * are waking, and the tasks are short, or help was already searched for in this tick: then wake no
 * other worker. @rq: this CPU's run queue. Interrupts are off since the queueing. No barrier is
 * needed: those workers look for work on this CPU, and so see the tasks, see wake.c.
 */
static inline bool wpool_wake_is_needless(const struct wpool *pool, const struct wpool_runq *rq)
{
	/* without hand-off a worker that sleeps counts as running, and only the monitor helps */
	return READ_ONCE(pool->handoff) &&
	       READ_ONCE(rq->nr_running) >= READ_ONCE(pool->concurrency) &&
	       (wpool_runq_is_short(rq, wpool_runq_len(rq)) ||
		/* unless tasks are known to be long, one search for help in a tick is enough */
		(rq->help_jiffy == (u32)jiffies && !wpool_runq_has_long_tasks(rq) &&
		 test_bit(rq->index, pool->offers)));
}

/* Slow path of wpool_sched_push(): decide for each task into which queue it goes. */
void __wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr);

/*
 * __wpool_sched_push() of one task. @task stays in a register: if its address were taken, the
 * compiler would store @task, and add a stack protector.
 */
void __wpool_sched_push_one(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task);

/*
 * Queue accepted tasks and make sure that a worker comes for them. @rq: this CPU's run queue;
 * @flags: the flags of all tasks, combined. Interrupts are off since @rq was read.
 */
static __always_inline void wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
					     struct wpool_task *const *tasks, u32 nr, u8 flags)
{
	if (likely(!(flags & WPOOL_TASK_URGENT)) && likely(wpool_runq_is_served(rq)) &&
	    likely(WPOOL_RING_SIZE - wpool_ring_room(&rq->ring) + nr <= rq->estimate.ring_max)) {
		wpool_ring_put(&rq->ring, tasks, nr, jiffies);
		if (likely(wpool_wake_is_needless(pool, rq)))
			return;
	} else if (__builtin_constant_p(nr) && nr == 1) {
		__wpool_sched_push_one(pool, rq, tasks[0]);
	} else {
		__wpool_sched_push(pool, rq, tasks, nr);
	}

	/* wpool_sched_push:A, see wake.c */
	smp_mb();
	wpool_wake_for_push(pool, rq);
}

/*
 * Queue one task that a task of the same pool submits. @rq: this CPU's run queue,
 * wpool_runq_is_own(); @task: takes the next slot; if that is occupied, or @task is urgent, it is
 * queued as by wpool_sched_push(). Interrupts are off since @rq was read.
 */
static __always_inline void wpool_sched_push_next(struct wpool *pool, struct wpool_runq *rq,
						  struct wpool_task *task)
{
	if (unlikely(wpool_task_is_urgent(task)) || READ_ONCE(rq->next)) {
		wpool_sched_push(pool, rq, &task, 1, task->flags);
		return;
	}
	/* wpool_sched_push_next:B, only this CPU fills the slot; pairs with the takers' exchange */
	smp_store_release(&rq->next, task);
	if (likely(wpool_wake_is_needless(pool, rq)))
		return;
	/* wpool_sched_push_next:A, see wake.c */
	smp_mb();
	wpool_wake_for_push(pool, rq);
}

/*
 * Queue an accepted task where the workers of another CPU look first. @rq: run queue of any CPU; if
 * no worker serves it and none may be made for it, the task goes to the global queue; @task: if it
 * is urgent, any CPU may take it. Interrupts are off.
 */
void wpool_sched_push_on(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task);

/** wpool_runq_is_own() - is the caller a task of @rq's pool that may use rq->next of this CPU? */
static inline bool wpool_runq_is_own(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->runner) == current && in_task() && !READ_ONCE(rq->redirect);
}

/** wpool_runq_first() - when was the first task queued, the next slot not included? Racy */
static inline bool wpool_runq_first(struct wpool_runq *rq, u32 *jiffy)
{
	return wpool_fifo_first(&rq->backlog, jiffy) || wpool_ring_first(&rq->ring, jiffy);
}

/** wpool_runq_pop() - take the first task, the next slot not included; preemption off */
static inline struct wpool_task *wpool_runq_pop(struct wpool_runq *rq)
{
	return wpool_fifo_pop_first(&rq->backlog) ?: wpool_ring_pop(&rq->ring);
}

static inline struct wpool_task *wpool_runq_take_next(struct wpool_runq *rq)
{
	/* read first, because the exchange is a locked instruction */
	return READ_ONCE(rq->next) ? xchg(&rq->next, NULL) : NULL;
}

/*
 * Take the next task of this CPU, unless another queue, a new tick or a timing requires a full look
 * (wpool_sched_find()). @rq: this CPU's run queue. Context: a worker at home here, preemption off.
 * Returns a task taken out of the queues, not claimed; NULL if the caller must look in full.
 */
static inline struct wpool_task *wpool_sched_next(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_task *task = NULL;

	if (unlikely(READ_ONCE(pool->left)) || unlikely(wpool_shared_len(pool)) ||
	    unlikely(rq->call_jiffy != (u32)jiffies) ||
	    /* one task is being timed: the next look must end the timing */
	    unlikely(rq->sample.ns && !rq->sample.is_run))
		return NULL;
	if (READ_ONCE(rq->next) && rq->next_streak++ < WPOOL_NEXT_STREAK)
		task = wpool_runq_take_next(rq);
	if (!task) {
		task = wpool_runq_pop(rq);
		/* wpool_sched_find() then looks at the global queue and at other CPUs */
		if (unlikely(!task))
			return NULL;
		rq->next_streak = 0;
	}
	WRITE_ONCE(rq->tick, rq->tick + 1);
	return task;
}

/*
 * Find the next task. Called by the worker, interrupts on, preemption off. Returns a task taken out
 * of the queues, not claimed; NULL if there is none: the worker may still count as searching.
 */
struct wpool_task *wpool_sched_find(struct wpool_worker *w);

/*
 * Take a given task out of the queues, as a consumer would. If @task is in the middle of a ring,
 * the other tasks of that ring move to the backlog. The caller keeps @pool. Returns true if this
 * call took @task out; false if another thread did: that thread will claim @task or queue it again.
 */
bool wpool_sched_unqueue(struct wpool *pool, struct wpool_task *task);

/* To empty a pool, take any of its queued tasks. Interrupts are on. Returns a task, or NULL */
struct wpool_task *wpool_sched_take_any(struct wpool *pool);

/*
 * Take the oldest task that can be found quickly: the first task of this CPU's queue or of the
 * global queue, whichever is older, or else the first task of another CPU. Not an urgent task.
 * Interrupts are off. Returns a task, not claimed; NULL if none was found.
 */
struct wpool_task *wpool_sched_take_oldest(struct wpool *pool);

/*
 * Put tasks, taken from the front of any queue, at the front of the global one. Interrupts are off.
 */
void wpool_sched_put_first(struct wpool *pool, struct wpool_task *const *tasks, u32 nr);

/** wpool_sched_spill() - move all tasks of a run queue to its backlog; any context */
void wpool_sched_spill(struct wpool_runq *rq);

/*
 * Let workers of other CPUs take the tasks of a run queue. @rq: has @redirect set, since the
 * workers of its CPU no longer look there. Interrupts are on.
 */
void wpool_sched_leave(struct wpool_runq *rq);

#endif /* WPOOL_CORE_SCHED_H */
