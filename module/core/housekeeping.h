/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPUs that neither isolcpus= nor nohz_full= keeps free of the kernel's threads. On Linux 7.2
 * and later an administrator can change this set while the machine runs, with isolated partitions
 * of cpusets. The kernel does not tell modules of such a change, nor that the cpuset of a pool's
 * cgroup changes: the monitor checks.
 */
#ifndef WPOOL_CORE_HOUSEKEEPING_H
#define WPOOL_CORE_HOUSEKEEPING_H

#include <linux/types.h>

struct cpumask;
struct wpool;

/** wpool_housekeeping_copy() - copy the present set to @mask */
void wpool_housekeeping_copy(struct cpumask *mask);

/* Check whether the set has changed. If so, queue the follow_work of each pool that follows it. */
void wpool_housekeeping_check(void);

/*
 * The CPUs of the cpuset of a pool's cgroup: all, if the pool has no cgroups. Under RCU, which
 * keeps the mask. The kernel changes it when it changes the cpuset.
 */
const struct cpumask *wpool_housekeeping_cpuset(struct wpool *pool);

/** wpool_housekeeping_cpuset_is() - are these the CPUs of the pool's cpuset? Context: any */
bool wpool_housekeeping_cpuset_is(struct wpool *pool, const struct cpumask *mask);

#endif /* WPOOL_CORE_HOUSEKEEPING_H */
