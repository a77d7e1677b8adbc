/* SPDX-License-Identifier: GPL-2.0 */
/* Workers that may leave their home CPU: a hog, and a worker of an excluded CPU. */
#ifndef WPOOL_WORKERS_ROAM_H
#define WPOOL_WORKERS_ROAM_H

#include <linux/cpumask.h>
#include <linux/mutex.h>

struct wpool;

/*
 * Let the scheduler move the workers with @may_roam. A worker whose task ends just now finds before
 * it looks for work that it is not bound to its home, and goes there. Sleeps. The caller has a
 * reference to @pool.
 */
void wpool_workers_set_free(struct wpool *pool);

/*
 * Choose CPUs for workers. @homes: set to the CPUs of @cpumask that are in @cpuset, or, if none of
 * these is usable, to those of @cpuset, or else to all. At least one is usable, unless all CPUs go
 * offline. Under wpool_free_mutex.
 */
void wpool_homes_choose(struct cpumask *homes, const struct cpumask *cpumask,
			const struct cpumask *cpuset);

/*
 * Held while workers are freed, and while pool->homes changes: otherwise a worker that has gone
 * home meanwhile could be bound to the old CPUs. The kernel moves a queued kthread also to a CPU
 * that is about to die, which then dies with it. So a worker is moved to other CPUs first; a CPU
 * that goes offline waits for the mutex before it dies.
 */
extern struct mutex wpool_free_mutex;

/*
 * The CPUs that may be homes. hotplug.c adds and removes them under wpool_free_mutex, and then
 * tells all pools.
 */
extern struct cpumask wpool_usable;

#endif /* WPOOL_WORKERS_ROAM_H */
