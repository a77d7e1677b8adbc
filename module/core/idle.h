/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idle workers: the lists of parked workers, how a worker is picked, and how it counts until it has
 * got its CPU.
 *
 * Each run queue has a list of its parked workers, with the next one to be picked in front: with
 * order lifo the most recently parked worker, with fifo the coldest one, which has been idle
 * longest. With both orders the coldest worker expires first.
 *
 * A worker leaves the list when a thread clears w->parked under runq->lock: a waker, expire.c,
 * tidy.c for a dead worker, or the worker itself.
 */
#ifndef WPOOL_CORE_IDLE_H
#define WPOOL_CORE_IDLE_H

#include "core/state.h"

/** wpool_idle_any() - is a worker parked? Racy */
bool wpool_idle_any(struct wpool *pool);

/** wpool_idle_nr() - how many workers are parked: racy, and too slow for each task */
u32 wpool_idle_nr(struct wpool *pool);

/*
 * Put a worker on its run queue's list, and count it out of rq->nr_running. @rq: its run queue.
 * Called by the worker; interrupts off. Returns true if the worker counted as running: pass the
 * result to wpool_running_left().
 */
bool wpool_idle_add(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_take() - take a worker off the list: it may run at once; under rq->lock */
void wpool_idle_take(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_coldest() - the worker to expire or move first, or NULL; under rq->lock */
struct wpool_worker *wpool_idle_coldest(struct wpool_runq *rq);

/*
 * Find the run queue whose coldest idle worker has been idle longest of all. @since: when that
 * worker parked, in jiffies. Returns the run queue; NULL if no worker is idle.
 */
struct wpool_runq *wpool_idle_coldest_runq(struct wpool *pool, unsigned long *since);

/*
 * Wake the next idle worker of a run queue to look for work. @helps: whether it also looks for
 * tasks that other CPUs offer. Wakes none if a worker is already waking for this run queue. If none
 * is idle, the bit of the run queue in pool->idle_mask is cleared. Interrupts are off. Returns true
 * if a worker was woken.
 */
bool wpool_idle_wake(struct wpool_runq *rq, bool helps);

/*
 * Wake an idle worker to move to @rq: the coldest one of the other CPU that has the most. Returns
 * true if a worker was woken.
 */
bool wpool_idle_move(struct wpool *pool, struct wpool_runq *rq);

/* Make the idle workers of a run queue check the pool's state. Process context */
void wpool_idle_wake_runq(struct wpool_runq *rq);

/* Make one idle worker check the pool's state. Returns false if none is idle */
bool wpool_idle_wake_next(struct wpool *pool);

/* Make all idle workers check the pool's state. Process context */
void wpool_idle_wake_all(struct wpool *pool);

/** wpool_coming_enter() - count a picked worker as coming, before it can look for work */
void wpool_coming_enter(struct wpool_worker *w);

/** wpool_coming_leave() - a worker no longer counts as coming */
void wpool_coming_leave(struct wpool_worker *w);

/* @w has got its CPU, or is dead: end its waking. It becomes searching if @w->helps. */
void wpool_waking_leave(struct wpool_worker *w);

/*
 * Give a home to a worker that its pool counts already. The worker is then waking there. @w: is
 * new, or in reserve; @rq: its home, which is active. Interrupts are off.
 */
void wpool_waking_settle(struct wpool_worker *w, struct wpool_runq *rq);

/** wpool_waking_disown() - the worker is no longer waking for w->rq; it may still be coming */
static inline void wpool_waking_disown(struct wpool_worker *w)
{
	if (READ_ONCE(w->rq->waking) == w)
		WRITE_ONCE(w->rq->waking, NULL);
}

#endif /* WPOOL_CORE_IDLE_H */
