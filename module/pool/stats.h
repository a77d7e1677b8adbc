/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics for sysfs, debugfs and dumps that the public headers do not have. */
#ifndef WPOOL_POOL_STATS_H
#define WPOOL_POOL_STATS_H

#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>

#include "core/pressure.h"

struct wpool_worker;

/* One worker, racy. */
struct wpool_worker_info {
	pid_t pid;	/* pid of its thread */
	int cpu;	/* the CPU of its run queue */
	int last_cpu;	/* the CPU on which its thread runs, or ran last */
	/*
	 * "idle": parked; "searching": awake without a task; "asleep", "running", "waiting" for a
	 * CPU, or found to be a "hog": in a task; "reserve": the rescuer, see workers/rescuer.h
	 */
	const char *doing;
	s64 since_ns;	/* time since its thread last got a CPU; -1: not recorded */
	const void *task;	/* innermost task of the worker, as a value; NULL if none */
	void *func;	/* function of @task */
};

static inline const char *wpool_state_name(enum wpool_state state)
{
	static const char *const states[] = {
		[WPOOL_OPEN] = "open",
		[WPOOL_CLOSED] = "closed",
		[WPOOL_CLOSING] = "closing",
		[WPOOL_DESTROYED] = "destroyed",
	};

	return states[state];
}

/** wpool_worker_fill_info() - describe one worker, racy; any context; @w is not freed meanwhile */
void wpool_worker_fill_info(struct wpool *pool, struct wpool_worker *w,
			    struct wpool_worker_info *info);

/* Read the pressure: the share of time in which tasks or submitters of the pool waited. */
void wpool_get_pressure(struct wpool *pool, struct wpool_pressure_avgs *avgs);

#endif /* WPOOL_POOL_STATS_H */
