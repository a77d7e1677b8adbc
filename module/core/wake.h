/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whom to wake for what is queued: at most one at a time, the hot one of this
 * CPU first, nobody while somebody looks or runs who will come anyway.
 */
#ifndef WPOOL_WAKE_H
#define WPOOL_WAKE_H

#include <linux/jiffies.h>

#include "core/state.h"

/** __wpool_wake_for_push() - wpool_wake_for_push() when it is worth a closer look */
void __wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_wake_for_push() - tasks were queued here
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Context: any; interrupts off; a full barrier after the queueing.
 */
static inline void wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq)
{
	/* most often somebody looks; or one runs here, and no other was to be had */
	if (likely(READ_ONCE(pool->steal)) &&
	    (atomic_read(&pool->nr_searching) ||
	     (atomic_read(&rq->nr_running) + READ_ONCE(rq->waking) >=
	      (int)READ_ONCE(pool->concurrency) &&
	      rq->help_jiffy == (u32)jiffies)))
		return;
	__wpool_wake_for_push(pool, rq);
}

/**
 * wpool_wake_one() - work is queued, perhaps elsewhere: see to it that somebody comes
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Context: any; interrupts off; a full barrier after what makes it necessary.
 * Return: true if somebody was woken or asked for.
 */
bool wpool_wake_one(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_wake_if_work() - somebody has stopped looking: wake another if work is left
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Context: any; interrupts off; a full barrier after what makes it necessary.
 * Return: as wpool_wake_one().
 */
bool wpool_wake_if_work(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_wake_rescue() - a run queue stands still: get it help, from afar if possible
 * @rq: the run queue, of any CPU
 *
 * Context: any; interrupts off.
 * Return: true if somebody was woken or asked for.
 */
bool wpool_wake_rescue(struct wpool_runq *rq);

/**
 * wpool_wake_nr_coming() - how many workers are on the way, and can be relied on
 * @pool: the pool
 *
 * Context: any.
 * Return: how many were sent, not longer than a tick ago, and have not started.
 */
u32 wpool_wake_nr_coming(struct wpool *pool);

/**
 * wpool_wake_has_vacancy() - is there a CPU with room for a worker, and none to wake?
 * @pool: the pool
 *
 * Context: any.
 * Return: true if a new worker would help.
 */
bool wpool_wake_has_vacancy(struct wpool *pool);

#endif /* WPOOL_WAKE_H */
