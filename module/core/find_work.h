/* SPDX-License-Identifier: GPL-2.0 */
/* What is queued, and which workers may take it: functions that change nothing. */
#ifndef WPOOL_CORE_FIND_WORK_H
#define WPOOL_CORE_FIND_WORK_H

#include "core/state.h"

/**
 * wpool_runq_is_served() - will a worker at home here look into this ring?
 * @rq: the run queue
 *
 * Racy: neither a push nor a take relies on it. A worker that sleeps in its task,
 * or that was counted out as a hog, does not look.
 *
 * Context: any.
 * Return: true if such a worker is running, idle or waking.
 */
static inline bool wpool_runq_is_served(const struct wpool_runq *rq)
{
	return likely(!READ_ONCE(rq->redirect)) &&
	       (likely(READ_ONCE(rq->nr_running)) || READ_ONCE(rq->nr_idle));
}

/** wpool_runq_has_tasks() - does a run queue hold a task? Racy */
static inline bool wpool_runq_has_tasks(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->next) || wpool_ring_len(&rq->ring) ||
	       wpool_fifo_len(&rq->backlog);
}

/** wpool_runq_first() - when was the first task queued? Without the next slot; racy */
static inline bool wpool_runq_first(struct wpool_runq *rq, u32 *jiffy)
{
	return wpool_fifo_first(&rq->backlog, jiffy) || wpool_ring_first(&rq->ring, jiffy);
}

/** wpool_runq_pop() - take the first task, not that of the next slot; interrupts off */
static inline struct wpool_task *wpool_runq_pop(struct wpool_runq *rq)
{
	return wpool_fifo_pop_first(&rq->backlog) ?: wpool_ring_pop(&rq->ring);
}

/** wpool_shared_len() - how many tasks are queued for all CPUs: racy */
static inline u32 wpool_shared_len(const struct wpool *pool)
{
	return wpool_fifo_len(&pool->globq) + wpool_fifo_len(&pool->urgent);
}

/** wpool_queues_wait_here() - is a task queued here, or for all CPUs? Racy */
static inline bool wpool_queues_wait_here(struct wpool *pool, const struct wpool_runq *rq)
{
	return wpool_runq_has_tasks(rq) || wpool_shared_len(pool);
}

/** wpool_queues_len() - how many tasks are queued: racy */
u32 wpool_queues_len(struct wpool *pool);

/** wpool_runq_is_left() - does it hold tasks that need more than the workers here? Racy */
bool wpool_runq_is_left(struct wpool_runq *rq);

/**
 * wpool_runq_offer() - if a run queue is left, show it to the workers of other CPUs
 * @rq: run queue of any CPU
 *
 * Workers look at the run queues of other CPUs only while these are offered, so that a
 * look costs the same with two CPUs and with many.
 *
 * Context: any; a full barrier after the change that has left it.
 * Return: true if it is offered from now on; then this is a full barrier, too.
 */
bool wpool_runq_offer(struct wpool_runq *rq);

/**
 * wpool_queues_have_work() - is a task queued for which a worker should be looked for?
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Here, for all CPUs, or on a CPU that offers its tasks: racy.
 *
 * Context: any.
 * Return: true if there is one.
 */
bool wpool_queues_have_work(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_queues_find_work() - the same, and end the offers that are out of date
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Others may have relied on an offer that was ended for a moment: the caller makes sure that
 * a worker comes.
 *
 * Context: any; preemption off.
 * Return: true if there is one; a full barrier after the last offer that was not ended.
 */
bool wpool_queues_find_work(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_queues_are_waiting() - is a task queued that waits for the workers of this CPU?
 * @pool: the pool
 * @rq: run queue of the CPU
 *
 * Context: any; takes no lock.
 * Return: true if there is one, or if no worker could be woken for a task.
 */
bool wpool_queues_are_waiting(struct wpool *pool, struct wpool_runq *rq);

#endif /* WPOOL_CORE_FIND_WORK_H */
