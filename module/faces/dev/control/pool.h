/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pools that were made through /dev/wpool, and only these. Callers of the functions hold a
 * reference to their @pool. The ABI header has the errors. All but the first function sleep, and
 * those that wait are interruptible: -ERESTARTSYS, or -EINTR from a release.
 */
#ifndef WPOOL_DEVPOOL_H
#define WPOOL_DEVPOOL_H

#include <linux/types.h>

struct wpool;
struct wpool_attrs;

/* Is the caller without CAP_SYS_RESOURCE, and so limited? Leaves no record in the audit log. */
bool wpool_devpool_is_limited(void);

/* Create a pool that no file owns. Returns it with a reference for the caller, or ERR_PTR(). */
struct wpool *wpool_devpool_create(const struct wpool_attrs *attrs);

/* May the caller tune this pool, and keep its workers busy? True if the pool was destroyed */
bool wpool_devpool_may_change(struct wpool *pool);

/* wpool_pool_tune() of any pool, if the caller may change it, and to these values. */
int wpool_devpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

/* wpool_release(); @wait: and wait until the pool is empty, for @timeout_ns, or forever if 0 */
int wpool_devpool_release(struct wpool *pool, unsigned int flags, bool wait, u64 timeout_ns);

/** wpool_devpool_reboot() - open a released pool again, as wpool_reboot() */
int wpool_devpool_reboot(struct wpool *pool);

/*
 * Close a pool, wait until it is empty, and destroy it. The caller keeps its reference. Returns 0,
 * also if another thread destroyed the pool. If the wait is interrupted the pool stays closed.
 */
int wpool_devpool_destroy(struct wpool *pool);

/* Destroy all pools that are left. Sleeps, uninterruptibly. No file is open */
void wpool_devpool_exit(void);

#endif /* WPOOL_DEVPOOL_H */
