/* SPDX-License-Identifier: GPL-2.0 */
/* Tuning as the administrator does it: /dev/wpool and sysfs. */
#ifndef WPOOL_POOL_TUNE_H
#define WPOOL_POOL_TUNE_H

#include <linux/types.h>

struct wpool;
struct wpool_attrs;

/*
 * wpool_tune(), also for the default pool: never -EBUSY; -EPERM if max_wait_ms, or the policy
 * drop_oldest, would be set for a pool whose owner has not set it.
 */
int wpool_pool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

#endif /* WPOOL_POOL_TUNE_H */
