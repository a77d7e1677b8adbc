/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pools that were made through /dev/wpool, and only these. Callers of the functions hold a
 * reference to their @pool.
 */
#ifndef WPOOL_DEVPOOL_H
#define WPOOL_DEVPOOL_H

#include <linux/types.h>

struct wpool;
struct wpool_attrs;

/* Is the caller without CAP_SYS_RESOURCE, and so limited? Leaves no record in the audit log. */
bool wpool_devpool_is_limited(void);

/*
 * Create a pool that no file owns: it lives until it is destroyed. @attrs: see wpool_create().
 * Sleeps. Returns the pool, with a reference for the caller; ERR_PTR as wpool_create(); -EPERM for
 * attributes that take a privilege; -EDQUOT if the caller may not have that many workers.
 */
struct wpool *wpool_devpool_create(const struct wpool_attrs *attrs);

/*
 * May the caller tune this pool, keep its workers busy for any time, and submit to it whatever
 * attributes it has? True if the pool was destroyed. Process context.
 */
bool wpool_devpool_may_change(struct wpool *pool);

/*
 * Change attributes of any pool. @attrs and @mask as for wpool_tune(). Sleeps. Returns as
 * wpool_pool_tune(); -EPERM if the caller may not change this pool, or not to these values;
 * -EDQUOT if the new capacity exceeds what the caller may have.
 */
int wpool_devpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

/*
 * Close a pool. @flags: as wpool_release(); @wait: return when the pool is empty; @timeout_ns:
 * longest wait in ns, 0 waits forever. Sleeps, interruptible. Returns 0; -EBUSY if the pool was not
 * made here; -EPERM if it is another user's; -ETIME; -EINTR.
 */
int wpool_devpool_release(struct wpool *pool, unsigned int flags, bool wait, u64 timeout_ns);

/*
 * Open a released pool again. Sleeps, interruptible. Returns 0; -EBUSY if the pool was not made
 * here; -EPERM if it is another user's; -ESHUTDOWN if it was destroyed; -ERESTARTSYS; otherwise as
 * wpool_reboot().
 */
int wpool_devpool_reboot(struct wpool *pool);

/*
 * Close a pool, wait until it is empty, and destroy it. The caller keeps its reference. If the wait
 * is interrupted the pool stays closed. Sleeps, interruptible. Returns 0, also if another thread
 * destroyed the pool; -EBUSY if it was not made here; -EPERM if it is another user's; -ERESTARTSYS.
 */
int wpool_devpool_destroy(struct wpool *pool);

/* Destroy all pools that are left. Sleeps, uninterruptibly. No file is open */
void wpool_devpool_exit(void);

#endif /* WPOOL_DEVPOOL_H */
