/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor's alarm: one timer of the module, set by threads that start a task or
 * wake a worker, or that queue a task for which no worker is woken.
 */
#ifndef WPOOL_CORE_ALARM_H
#define WPOOL_CORE_ALARM_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/state.h"

/* The timer is off; it is on; it is on and was asked for since it last rang. */
enum wpool_alarm_state { WPOOL_ALARM_OFF, WPOOL_ALARM_ON, WPOOL_ALARM_USED };

extern enum wpool_alarm_state wpool_alarm_state;

/** __wpool_alarm_set() - have the monitor look at a pool, and start the timer, unless it is on */
void __wpool_alarm_set(struct wpool *pool);

/**
 * wpool_alarm_set() - set the alarm, because a worker runs or is about to, or a task waits
 * @pool: the pool; until the monitor finds it quiet, it looks at this one, too
 *
 * Context: any; a full barrier since the worker was counted or the task was queued,
 * see alarm.c.
 */
static inline void wpool_alarm_set(struct wpool *pool)
{
	if (unlikely(!READ_ONCE(pool->is_watched)) ||
	    unlikely(READ_ONCE(wpool_alarm_state) != WPOOL_ALARM_USED))
		__wpool_alarm_set(pool);
}

/**
 * wpool_alarm_init() - before there is a pool
 * @look_fn: called in a softirq when the alarm rings; if it returns true, the alarm
 *	rings again
 * @period_ns: time until it rings
 */
void wpool_alarm_init(bool (*look_fn)(void), u64 period_ns);

/** wpool_alarm_period() - set the time from which the alarm takes from now on, in ns */
void wpool_alarm_period(u64 ns);

/** wpool_alarm_is_pending() - is the timer on just now? */
bool wpool_alarm_is_pending(void);

/** wpool_alarm_exit() - after the last pool */
void wpool_alarm_exit(void);

#endif /* WPOOL_CORE_ALARM_H */
