/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor looks after run queues whose worker takes no more tasks: the worker runs a hog, or
 * has blocked where the kernel has no preempt notifiers, or does not get its CPU. After Go's
 * sysmon.
 */
#ifndef WPOOL_CORE_MONITOR_H
#define WPOOL_CORE_MONITOR_H

/** wpool_monitor_init() - set up the monitor, before there is a pool */
void wpool_monitor_init(void);

#endif /* WPOOL_CORE_MONITOR_H */
