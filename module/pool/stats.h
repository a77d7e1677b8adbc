/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics snapshot that the faces (sysfs, debugfs, /dev/wpool) show, as
 * far as it is not part of the public header.
 */
#ifndef WPOOL_STATS_H
#define WPOOL_STATS_H

#include <linux/types.h>
#include <linux/wpool.h>

/** wpool_expiry_is_pending() - is the timer on that ends idle workers of a pool? */
bool wpool_expiry_is_pending(struct wpool *pool);

/** wpool_monitor_is_pending() - is the timer of the monitor on? */
bool wpool_monitor_is_pending(void);

/**
 * struct wpool_worker_info - what one worker does
 * @pid: pid of its thread
 * @cpu: CPU of its run queue
 * @idle: it is parked
 * @func: function of the task that it is inside; NULL if none
 */
struct wpool_worker_info {
	pid_t pid;
	int cpu;
	bool idle;
	void *func;
};

/**
 * wpool_workers_show() - call a function for every worker of a pool
 * @pool: the pool
 * @show: called with values, under a mutex: may sleep, must not tune the pool
 * @data: second argument of @show
 *
 * Context: process context; sleeps.
 */
void wpool_workers_show(struct wpool *pool,
			void (*show)(const struct wpool_worker_info *info,
				     void *data),
			void *data);

#endif /* WPOOL_STATS_H */
