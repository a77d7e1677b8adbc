/* SPDX-License-Identifier: GPL-2.0 */
/* Tuning as the administrator does it: /dev/wpool and sysfs; and the limits of a pool. */
#ifndef WPOOL_POOL_TUNE_H
#define WPOOL_POOL_TUNE_H

#include <linux/types.h>

struct work_struct;
struct wpool;
struct wpool_attrs;

/*
 * wpool_tune(), also for the default pool: never -EBUSY; -EPERM if max_wait_ms, or the policy
 * drop_oldest, would be set for a pool whose owner has not set it, unless the pool was made through
 * /dev/wpool. With @mask 0, where @attrs may be NULL, it only adapts a capacity that follows the
 * CPUs, and the items of a bound pool.
 */
int wpool_pool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

/** wpool_limits_most() - the capacity with all possible CPUs */
u32 wpool_limits_most(const struct wpool_attrs *attrs);

/** wpool_limits_are_items() - may a bound pool have these limits, with all possible CPUs? */
bool wpool_limits_are_items(const struct wpool_attrs *attrs);

/** wpool_tune_follow_work() - the function of pool->follow_work; without memory, tries again */
void wpool_tune_follow_work(struct work_struct *work);

#endif /* WPOOL_POOL_TUNE_H */
