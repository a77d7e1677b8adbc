/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics for sysfs, debugfs and dumps that the public headers do not have. */
#ifndef WPOOL_POOL_STATS_H
#define WPOOL_POOL_STATS_H

#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>

#include "core/pressure.h"

struct wpool_worker;

/* What a worker is doing. */
enum wpool_doing {
	WPOOL_DOING_IDLE,	/* parked */
	WPOOL_DOING_SEARCH,	/* awake without a task */
	WPOOL_DOING_SLEEP,	/* asleep in a task */
	WPOOL_DOING_RUN,	/* running a task */
	WPOOL_DOING_WAIT,	/* in a task, waiting for a CPU */
	WPOOL_DOING_HOG,	/* in a task that the monitor has found to be a hog */
	WPOOL_DOING_RESERVE,	/* the rescuer, see workers/rescuer.h */
};

/* One worker, racy. */
struct wpool_worker_info {
	pid_t pid;	/* pid of its thread */
	int cpu;	/* the CPU of its run queue */
	int last_cpu;	/* the CPU on which its thread runs, or ran last */
	enum wpool_doing doing;
	s64 since_ns;	/* time since its thread last got a CPU; -1: not recorded */
	const void *task;	/* innermost task of the worker, as a value; NULL if none */
	void *func;	/* function of @task */
};

const char *wpool_doing_name(enum wpool_doing doing);

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
