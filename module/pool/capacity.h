/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The limits of the tasks and workers of a pool: capacity, capacity_per_cpu, queue_depth and
 * min_workers. The wpool_limits_ functions use no other field of a struct wpool_attrs.
 */
#ifndef WPOOL_POOL_CAPACITY_H
#define WPOOL_POOL_CAPACITY_H

#include <linux/types.h>

struct wpool;
struct wpool_attrs;

/** wpool_attrs_read() - read the attributes that attr_table.h lists; tune_mutex is held */
void wpool_attrs_read(struct wpool *pool, struct wpool_attrs *attrs);

/** wpool_limits_most() - the capacity with all possible CPUs */
u32 wpool_limits_most(const struct wpool_attrs *attrs);

/** wpool_limits_are_items() - may a pool with a function have them, with all possible CPUs? */
bool wpool_limits_are_items(const struct wpool_attrs *attrs);

/** wpool_limits_follow_cpus() - compute the capacity from @nr_cpus, if capacity_per_cpu is set */
void wpool_limits_follow_cpus(struct wpool_attrs *attrs, u32 nr_cpus);

/*
 * Change the limits; allocates nothing. If the pool has more workers than the new capacity, those
 * in excess take no further task. The caller has checked @attrs, and holds tune_mutex. Sleeps.
 */
void wpool_limits_set(struct wpool *pool, const struct wpool_attrs *attrs);

/*
 * As wpool_limits_set(), and allocates the items that a pool with a function needs. After -ENOMEM
 * nothing has changed. Memory that is no longer needed is kept until wpool_limits_trim(), so that
 * the old limits can be restored.
 */
int wpool_limits_change(struct wpool *pool, const struct wpool_attrs *new);

/** wpool_limits_trim() - free the memory that the limits do not need; tune_mutex is held */
void wpool_limits_trim(struct wpool *pool);

#endif /* WPOOL_POOL_CAPACITY_H */
