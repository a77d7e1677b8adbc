/* SPDX-License-Identifier: GPL-2.0 */
/* On which CPUs workers may be at home. */
#ifndef WPOOL_WORKERS_AFFINITY_H
#define WPOOL_WORKERS_AFFINITY_H

#include <linux/types.h>

struct cpumask;
struct wpool;

/*
 * Recompute on which run queues workers may be at home: on the CPUs of the pool's cpumask that are
 * in the cpuset of its cgroup, or, as for other threads, on those of the cpuset if cpumask has
 * none of these. @pool: the pool, tune_mutex held. Idle workers whose home is no longer allowed are
 * woken to find another one; workers of other CPUs may take what is queued there. At least one run
 * queue is allowed at any time, unless all CPUs are going offline. Process context.
 */
void wpool_affinity_set(struct wpool *pool);

/*
 * wpool_affinity_set() for a caller without tune_mutex, such as a walk over the pools after the
 * CPUs that are online have changed. @data: not used.
 */
void wpool_affinity_update(struct wpool *pool, void *data);

/*
 * wpool_affinity_set() if the pool's cgroup has another cpuset, or its cpuset has other CPUs, than
 * when last looked at, or if the pool follows the CPUs of housekeeping.h, and they have changed.
 */
void wpool_affinity_check(struct wpool *pool);

/*
 * On how many CPUs workers may be at home with a cpumask, in its cpuset. @pool: the pool,
 * tune_mutex held; @mask: the cpumask; %NULL: all CPUs that are not isolated.
 */
u32 wpool_affinity_count(struct wpool *pool, const struct cpumask *mask);

/*
 * Where may a worker run whose home is on CPU @home? There; or, if the kernel has taken that CPU
 * out of the cpuset of the pool's cgroup, on the CPU returned: an active one of the cpuset, if
 * there is any, and of the other homes, if possible. Any context.
 */
int wpool_affinity_cpu(struct wpool *pool, int home);

/*
 * Let workers with @may_roam off their CPUs: the scheduler may move them. If such a worker's task
 * ends just now, the worker notices at its next full look for work that it is not bound to its
 * home, and goes there. Sleeps. The caller has a reference to @pool.
 */
void wpool_workers_set_free(struct wpool *pool);

/** wpool_hotplug_init() - follow the CPUs that go offline and online; returns 0 or -errno */
int wpool_hotplug_init(void);
void wpool_hotplug_exit(void);

#endif /* WPOOL_WORKERS_AFFINITY_H */
