/* SPDX-License-Identifier: GPL-2.0 */
/* The life of a pool, beyond the functions of the public headers. */
#ifndef WPOOL_POOL_POOL_H
#define WPOOL_POOL_POOL_H

#include <linux/types.h>

struct class;
struct wpool;
struct wpool_attrs;
struct workqueue_struct;

extern struct class wpool_class;

/* Workqueue that frees pools and other memory, and may sleep; wpool_pools_free() destroys it. */
extern struct workqueue_struct *wpool_free_wq;

/*
 * wpool_create() for a user: the pool and its run queues are charged to the caller's memory cgroup.
 * The workers are not: the spawner creates the workers of all pools, and must not wait for room in
 * a cgroup.
 */
struct wpool *wpool_pool_create_charged(const struct wpool_attrs *attrs);

/* wpool_destroy() of any pool, including the default one; not in a task of that pool. */
void wpool_pool_destroy(struct wpool *pool);

/* wpool_release() of any pool, including the default one; not with %WPOOL_RELEASE_OWN. */
void wpool_pool_release(struct wpool *pool, unsigned int flags);

/* Create the class, and the default pool with these attributes; 0 or -errno. */
int wpool_pools_init(const struct wpool_attrs *default_attrs);

/** wpool_pools_exit() - destroy the default pool, which is the last one, and the class */
void wpool_pools_exit(void);

/*
 * Undo the rest of wpool_pools_init(), even if wpool_pools_init() failed. Called after
 * rcu_barrier(). Waits for pools that are being freed.
 */
void wpool_pools_free(void);

#endif /* WPOOL_POOL_POOL_H */
