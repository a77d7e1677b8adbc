/* SPDX-License-Identifier: GPL-2.0 */
/* What is queued, and for whom: looks that change nothing. */
#ifndef WPOOL_CORE_QUEUES_H
#define WPOOL_CORE_QUEUES_H

#include "core/state.h"

/**
 * wpool_runq_is_served() - will a worker at home here look into this ring?
 * @rq: the run queue
 *
 * A glance: neither a push nor a take relies on it. A worker that sleeps in its task,
 * or that was counted out as a hog, does not look.
 *
 * Context: any.
 * Return: true if such a worker runs, is idle or is on the way.
 */
static inline bool wpool_runq_is_served(const struct wpool_runq *rq)
{
	return likely(!READ_ONCE(rq->redirect)) &&
	       (likely(atomic_read(&rq->nr_running)) || READ_ONCE(rq->nr_idle) ||
		READ_ONCE(rq->waking));
}

/** wpool_runq_has_tasks() - does a run queue hold any task? A glance */
static inline bool wpool_runq_has_tasks(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->next) || wpool_ring_len(&rq->ring);
}

/**
 * wpool_runq_may_be_robbed() - may a worker of another CPU take from here?
 * @pool: the pool
 * @victim: the run queue
 *
 * Without balancing only if no worker of that CPU is free to come, or none does.
 *
 * Context: any.
 * Return: true if it may.
 */
static inline bool wpool_runq_may_be_robbed(const struct wpool *pool,
					    const struct wpool_runq *victim)
{
	return READ_ONCE(pool->steal) || READ_ONCE(victim->redirect) ||
	       READ_ONCE(victim->watch.stands) ||
	       (!READ_ONCE(victim->nr_idle) && !READ_ONCE(victim->waking));
}

/** wpool_runq_len() - how many tasks a run queue holds, a glance */
u32 wpool_runq_len(struct wpool_runq *rq);

/** wpool_queues_len() - how many tasks are queued, a glance */
u32 wpool_queues_len(struct wpool *pool);

/**
 * wpool_queues_have_work() - is anything queued that a worker on this CPU may take?
 * @pool: the pool
 * @rq: run queue of the CPU
 *
 * Context: any.
 * Return: true if there is.
 */
bool wpool_queues_have_work(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_queues_are_waiting() - is anything queued that waits for those who run here?
 * @pool: the pool
 * @rq: run queue of the CPU
 *
 * Context: any; takes no lock.
 * Return: true if there is, or if the pool is short of somebody to wake.
 */
bool wpool_queues_are_waiting(struct wpool *pool, struct wpool_runq *rq);

#endif /* WPOOL_CORE_QUEUES_H */
