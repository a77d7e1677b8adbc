/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is counted where. A worker is one of its pool, and of the module, until it
 * leaves; it is at home on a CPU; and it is on the way, searching, running or idle.
 * Here alone they are counted in and out, but for the idle, whom idle.h counts.
 *
 * A worker counts in its run queue's nr_running from the moment it looks for work
 * until it parks. While it counts it promises to look again, so nobody needs to be
 * woken for what is queued there.
 */
#ifndef WPOOL_CORE_CENSUS_H
#define WPOOL_CORE_CENSUS_H

#include "core/state.h"

/* ---- workers of a pool, and of the module ---- */

/**
 * wpool_workers_room() - how many workers more the module may have
 *
 * Context: any.
 * Return: max_workers less those of all pools, a glance.
 */
u32 wpool_workers_room(void);

/**
 * wpool_workers_enter() - count one more worker in
 * @pool: the pool
 *
 * Context: process context.
 * Return: 0; -EBUSY the pool has its capacity; -EAGAIN the module has its
 * max_workers.
 */
int wpool_workers_enter(struct wpool *pool);

/** wpool_workers_leave() - the pool has one worker less; its place follows */
static inline void wpool_workers_leave(struct wpool *pool)
{
	lockdep_assert_held(&pool->workers_lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
}

/** wpool_workers_leave_place() - and the module, too: a full barrier, leave:A */
void wpool_workers_leave_place(void);

/** wpool_home_enter() - one more worker is at home here; interrupts off */
void wpool_home_enter(struct wpool_runq *rq);

/** wpool_home_leave() - one less; interrupts off */
void wpool_home_leave(struct wpool_runq *rq);

/** wpool_threads_enter() - a thread of the pool is made, or about to be */
static inline void wpool_threads_enter(struct wpool *pool)
{
	atomic_inc(&pool->nr_threads);
}

/** wpool_threads_leave() - it is gone: the last word to a pool that may be freed then */
void wpool_threads_leave(struct wpool *pool);

/* ---- on the way, searching, running ---- */

/** wpool_runq_has_room() - may one more worker run at home here? A glance */
static inline bool wpool_runq_has_room(const struct wpool_runq *rq)
{
	return !READ_ONCE(rq->redirect) &&
	       atomic_read(&rq->nr_running) + READ_ONCE(rq->waking) <
	       READ_ONCE(rq->pool->concurrency);
}

/** wpool_runq_is_over() - do more workers run at home here than should? A glance */
static inline bool wpool_runq_is_over(const struct wpool_runq *rq)
{
	return atomic_read(&rq->nr_running) > READ_ONCE(rq->pool->concurrency);
}

/**
 * wpool_waking_enter() - one more worker is sent on its way
 * @pool: the pool
 *
 * Context: any; before the worker can run.
 */
void wpool_waking_enter(struct wpool *pool);

/**
 * wpool_waking_leave() - a worker that was made or picked is on its CPU
 * @w: the calling worker; becomes searching and running, is no longer on the way
 *
 * Context: the worker.
 */
void wpool_waking_leave(struct wpool_worker *w);

/**
 * wpool_waking_disown() - a worker on the way is not its run queue's any more
 * @w: the worker; not parked
 *
 * Context: process context, interrupts on.
 */
void wpool_waking_disown(struct wpool_worker *w);

/**
 * wpool_searching_enter() - become a searcher
 * @w: the calling worker
 */
void wpool_searching_enter(struct wpool_worker *w);

/**
 * wpool_searching_leave() - stop searching, if it does, without a task
 * @w: the calling worker; it looks at all queues afterwards, or has seen to it
 *	that somebody does
 */
void wpool_searching_leave(struct wpool_worker *w);

/**
 * wpool_running_enter() - count a worker in: it will look for work
 * @w: the calling worker
 */
void wpool_running_enter(struct wpool_worker *w);

/**
 * wpool_running_leave() - count a worker out, if it is counted: a full barrier
 * @w: the worker
 *
 * The caller looks at the queues afterwards, or has somebody do so.
 *
 * Context: any.
 * Return: the run queue in which it was counted, or NULL.
 */
struct wpool_runq *wpool_running_leave(struct wpool_worker *w);

/** wpool_census_init() - settle the module parameter max_workers */
void wpool_census_init(void);

#endif /* WPOOL_CORE_CENSUS_H */
