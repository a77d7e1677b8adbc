/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of workers. A worker counts as one of its pool, and of the module, until it leaves. It
 * counts as at home on a CPU. And it is waking, searching, running or idle. All counts are changed
 * here, except those of idle workers, which idle.h changes.
 *
 * A worker counts in its run queue's nr_running from the moment when it is picked to look for work
 * until it parks. While it counts, it will look for work again, so tasks that are queued there need
 * no other worker. It is counted in and out under the run queue's lock.
 */
#ifndef WPOOL_CORE_COUNTS_H
#define WPOOL_CORE_COUNTS_H

#include "core/state.h"

/* ---- workers of a pool, and of the module ---- */

/*
 * How many more workers the module may have: max_workers less the workers of all pools. Racy.
 */
u32 wpool_workers_room(void);

/*
 * Count one more worker of a pool, and of the module. Process context. Returns 0; -EBUSY if the
 * pool has its capacity; -EAGAIN if the module has its max_workers.
 */
int wpool_workers_enter(struct wpool *pool);

/** wpool_workers_enter_place() - count one worker of the module; false if it has max_workers */
bool wpool_workers_enter_place(void);

/** wpool_workers_leave() - count one out of its pool; wpool_workers_leave_place() must follow */
static inline void wpool_workers_leave(struct wpool *pool)
{
	lockdep_assert_held(&pool->workers.lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
}

/** wpool_workers_max() - how many workers all pools may have together */
u32 wpool_workers_max(void);

/** wpool_workers_leave_place() - count one worker of the module out: a full barrier, see wake.c */
void wpool_workers_leave_place(void);

/** wpool_home_enter() - count one more worker at home in an active run queue; interrupts off */
void wpool_home_enter(struct wpool_runq *rq);

/** wpool_home_leave() - count one worker at home out; interrupts off */
void wpool_home_leave(struct wpool_runq *rq);

/*
 * Best CPU for a worker. @prefer: a CPU, or -1. Returns, of the CPUs that wpool_affinity_set()
 * allows, one with the fewest workers; of these the one nearest to @prefer.
 */
int wpool_home_place(struct wpool *pool, int prefer);

/** wpool_threads_enter() - count a thread of the pool that exists or is about to */
static inline void wpool_threads_enter(struct wpool *pool)
{
	atomic_inc(&pool->workers.nr_threads);
}

/** wpool_threads_leave() - count one thread out; the pool may be freed afterwards */
void wpool_threads_leave(struct wpool *pool);

/* ---- waking, searching, running ---- */

/** wpool_runq_has_room() - may one more worker at home here run? Racy */
static inline bool wpool_runq_has_room(const struct wpool_runq *rq)
{
	return !READ_ONCE(rq->redirect) &&
	       READ_ONCE(rq->nr_running) < READ_ONCE(rq->pool->concurrency);
}

/** wpool_runq_is_over() - do too many workers run here? A waking one does not count. Racy */
static inline bool wpool_runq_is_over(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->nr_running) >
	       READ_ONCE(rq->pool->concurrency) + !!READ_ONCE(rq->waking);
}

/*
 * Count a worker, which was picked or created and is about to be woken, as running. @w: it cannot
 * run yet;
 * @rq: its home, which it will serve; if another worker is waking for @rq already, rq->waking stays
 * as it is; @helps: whether it also looks for tasks that other CPUs offer. Under rq->lock.
 */
void wpool_waking_enter(struct wpool_worker *w, struct wpool_runq *rq, bool helps);

/** wpool_coming_enter() - a picked worker, which cannot run yet, will help other CPUs */
void wpool_coming_enter(struct wpool_worker *w);

/** wpool_coming_leave() - the worker will not help, or counts as searching by now */
void wpool_coming_leave(struct wpool_worker *w);

/*
 * A worker that was created or picked now has its CPU. @w: becomes searching if it helps. Called by
 * the worker.
 */
void wpool_waking_leave(struct wpool_worker *w);

/*
 * Give a worker that is counted in its pool a home; it is then waking there. @w: has not looked for
 * work yet; @rq: its home, which is active. Interrupts are off.
 */
void wpool_waking_settle(struct wpool_worker *w, struct wpool_runq *rq);

/** wpool_waking_disown() - the worker is no longer waking for w->rq; it may still be coming */
static inline void wpool_waking_disown(struct wpool_worker *w)
{
	if (READ_ONCE(w->rq->waking) == w)
		WRITE_ONCE(w->rq->waking, NULL);
}

/* Start searching */
void wpool_searching_enter(struct wpool_worker *w);

/*
 * Stop searching without a task, if the worker searches. @w: the calling worker. It must look at
 * the queues afterwards, unless another worker is sure to do so.
 */
void wpool_searching_leave(struct wpool_worker *w);

/**
 * wpool_running_enter() - count a worker as running: it will look for work
 * @w: the calling worker, which does not count yet; a full barrier
 */
void wpool_running_enter(struct wpool_worker *w);

/** __wpool_running_leave() - count a worker out, if it counts in @rq; under rq->lock */
bool __wpool_running_leave(struct wpool_worker *w, struct wpool_runq *rq);

/*
 * Call it after __wpool_running_leave(): a full barrier. @left: what that returned. If the run
 * queue belongs to another CPU, this makes that CPU look at the queues.
 */
void wpool_running_left(struct wpool_runq *rq, bool left);

/*
 * Count a worker out, if it counts as running: a full barrier. The caller looks at the queues
 * afterwards, or makes sure that another thread does. If the run queue belongs to another CPU, this
 * makes that CPU look at the queues, too: see wake.c. Preemption is off. Returns the run queue in
 * which the worker was counted, or NULL.
 */
struct wpool_runq *wpool_running_leave(struct wpool_worker *w);

/** wpool_counts_init() - set the default of the module parameter max_workers */
void wpool_counts_init(void);

#endif /* WPOOL_CORE_COUNTS_H */
