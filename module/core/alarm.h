/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor's alarm: one timer of the module, set by whoever starts a task or
 * wakes a worker.
 */
#ifndef WPOOL_CORE_ALARM_H
#define WPOOL_CORE_ALARM_H

#include <linux/compiler.h>
#include <linux/types.h>

/* The timer is off; on; on, and it was asked for since it last rang. */
enum wpool_alarm_state { WPOOL_ALARM_OFF, WPOOL_ALARM_ON, WPOOL_ALARM_USED };

extern enum wpool_alarm_state wpool_alarm_state;

/** __wpool_alarm_set() - start the timer, unless it is on */
void __wpool_alarm_set(void);

/**
 * wpool_alarm_set() - something runs, or is about to
 *
 * Context: any; a full barrier since the caller was counted.
 */
static inline void wpool_alarm_set(void)
{
	if (unlikely(READ_ONCE(wpool_alarm_state) != WPOOL_ALARM_USED))
		__wpool_alarm_set();
}

/**
 * wpool_alarm_init() - before any pool
 * @look_fn: called when it rings, in a softirq; true: it rings again
 * @period_ns: time until it rings
 */
void wpool_alarm_init(bool (*look_fn)(void), u64 period_ns);

/** wpool_alarm_period() - how long the alarm takes from now on, in ns */
void wpool_alarm_period(u64 ns);

/** wpool_alarm_exit() - no pool is left */
void wpool_alarm_exit(void);

#endif /* WPOOL_CORE_ALARM_H */
