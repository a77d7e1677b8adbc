/* SPDX-License-Identifier: GPL-2.0 */
/* Why tasks of a pool wait: one answer, for the monitor's message and for a dump of the pool. */
#ifndef WPOOL_CORE_WHY_H
#define WPOOL_CORE_WHY_H

#include <linux/types.h>

struct wpool;
struct wpool_worker;

enum wpool_why {
	WPOOL_WHY_OTHER,	/* another reason, which may soon be over, or is in the log */
	WPOOL_WHY_EXHAUSTED,	/* all workers allowed are in tasks */
	WPOOL_WHY_HOGS,		/* tasks that do not sleep keep the CPUs */
};

/* Room for any answer: the name of a function takes most of it. */
#define WPOOL_WHY_BYTES		192

/* Say why tasks of a pool wait, racy; under RCU. @text: filled in, @size bytes. */
enum wpool_why wpool_why(struct wpool *pool, char *text, size_t size);

/* How many workers are in tasks of @func, or of any function if it is %NULL: racy; under RCU. */
u32 wpool_workers_in(struct wpool *pool, void *func);

/*
 * Find a hog: a worker in a task, counted out of nr_running although it does not sleep. @cpu: the
 * worker's CPU, or -1 for any. Returns the worker, or NULL. Racy; under RCU.
 */
struct wpool_worker *wpool_find_hog(struct wpool *pool, int cpu);

#endif /* WPOOL_CORE_WHY_H */
