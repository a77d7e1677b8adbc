/* SPDX-License-Identifier: GPL-2.0 */
/* On which CPUs workers may be at home. */
#ifndef WPOOL_WORKERS_AFFINITY_H
#define WPOOL_WORKERS_AFFINITY_H

#include <linux/types.h>

struct cpumask;
struct wpool;

/*
 * Recompute on which run queues workers may be at home. @pool: the pool, tune_mutex held; @dying: a
 * CPU that is going offline but still counts as online, or -1. Idle workers whose home is no longer
 * allowed are woken to find another one; workers of other CPUs may take what is queued there. At
 * least one run queue is allowed at any time. Process context.
 */
void wpool_affinity_set(struct wpool *pool, int dying);

/*
 * wpool_affinity_set() without the mutex, for a walk over the pools: the CPUs that are online, or
 * those of housekeeping.h, have changed. @dying: points to the number of a CPU, or %NULL.
 */
void wpool_affinity_update(struct wpool *pool, void *dying);

/*
 * How many CPUs of a mask are online. @mask: the mask; %NULL: all CPUs that are not isolated;
 * @dying: a CPU that does not count, or -1.
 */
u32 wpool_affinity_count(const struct cpumask *mask, int dying);

#endif /* WPOOL_WORKERS_AFFINITY_H */
