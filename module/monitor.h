/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor: one timer of the module that looks after run queues whose worker
 * does not come back: it runs a hog, or has blocked where no preempt notifier
 * tells, or does not get its CPU. After Go's sysmon.
 */
#ifndef WPOOL_MONITOR_H
#define WPOOL_MONITOR_H

#include <linux/compiler.h>
#include <linux/types.h>

/* The timer is off; on; on, and it was asked for since the last look. */
enum wpool_monitor_state { WPOOL_MONITOR_OFF, WPOOL_MONITOR_ON, WPOOL_MONITOR_USED };

extern enum wpool_monitor_state wpool_monitor_state;

/** __wpool_monitor_arm() - start the timer, unless it is on */
void __wpool_monitor_arm(void);

/**
 * wpool_monitor_arm() - something runs, or is about to
 *
 * Context: any; a full barrier since the caller was counted.
 */
static inline void wpool_monitor_arm(void)
{
	if (unlikely(READ_ONCE(wpool_monitor_state) != WPOOL_MONITOR_USED))
		__wpool_monitor_arm();
}

/** wpool_monitor_init() - before any pool */
void wpool_monitor_init(void);

/** wpool_monitor_exit() - no pool is left */
void wpool_monitor_exit(void);

#endif /* WPOOL_MONITOR_H */
