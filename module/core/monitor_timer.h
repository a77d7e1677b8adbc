/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor's timer: one timer of the module. A thread sets the timer after each change that the
 * monitor must see. monitor_timer.c lists these changes.
 */
#ifndef WPOOL_CORE_MONITOR_TIMER_H
#define WPOOL_CORE_MONITOR_TIMER_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/state.h"

/* USED: the timer is on, and a thread has asked for it since it last fired. */
enum wpool_monitor_timer_state { WPOOL_TIMER_OFF, WPOOL_TIMER_ON, WPOOL_TIMER_USED };

extern enum wpool_monitor_timer_state wpool_monitor_timer_state;

/* The time from a start of the timer until it fires. Only the monitor writes it. */
extern u64 wpool_monitor_period_ns;

/** __wpool_monitor_timer_set() - have the monitor look at a pool; start the timer if it is off */
void __wpool_monitor_timer_set(struct wpool *pool);

/*
 * Set the timer, because a worker runs or is about to run, or a task waits. From now on the monitor
 * visits @pool, until @pool is quiet. The caller has executed a full barrier since the worker was
 * counted or the task was queued, see monitor_timer.c.
 */
static inline void wpool_monitor_timer_set(struct wpool *pool)
{
	if (unlikely(!READ_ONCE(pool->is_watched)) ||
	    unlikely(READ_ONCE(wpool_monitor_timer_state) != WPOOL_TIMER_USED))
		__wpool_monitor_timer_set(pool);
}

/*
 * Set up the timer, before there is a pool. @round_fn: called in a softirq when the timer fires; if
 * it returns true, the timer starts again.
 */
void wpool_monitor_timer_init(bool (*round_fn)(void));

/*
 * Call @fn under RCU for each pool that is watched. If it returns false twice, the pool is no
 * longer watched. @now: passed to @fn. One thread at a time: the timer. Returns whether a pool is
 * still watched.
 */
bool wpool_watched_walk(bool (*fn)(struct wpool *pool, u64 now), u64 now);

bool wpool_monitor_timer_is_pending(void);

/** wpool_monitor_timer_exit() - cancel the timer, after the last pool */
void wpool_monitor_timer_exit(void);

#endif /* WPOOL_CORE_MONITOR_TIMER_H */
