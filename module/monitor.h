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

extern bool wpool_monitor_armed;

/** __wpool_monitor_arm() - start the timer, unless somebody else does */
void __wpool_monitor_arm(void);

/**
 * wpool_monitor_arm() - something runs, or is about to
 *
 * Context: any; a full barrier since the caller was counted.
 */
static inline void wpool_monitor_arm(void)
{
	if (unlikely(!READ_ONCE(wpool_monitor_armed)))
		__wpool_monitor_arm();
}

/** wpool_monitor_init() - before any pool */
void wpool_monitor_init(void);

/** wpool_monitor_exit() - no pool is left */
void wpool_monitor_exit(void);

#endif /* WPOOL_MONITOR_H */
