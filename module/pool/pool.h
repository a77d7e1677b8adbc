/* SPDX-License-Identifier: GPL-2.0 */
/* The life of a pool, as far as it is not part of the public header. */
#ifndef WPOOL_POOL_POOL_H
#define WPOOL_POOL_POOL_H

#include <linux/types.h>

struct class;
struct wpool;
struct wpool_attrs;

extern struct class wpool_class;

/** wpool_is_default() - is this the default pool, which all modules share? */
bool wpool_is_default(const struct wpool *pool);

/**
 * wpool_pool_create_charged() - wpool_create() for a user, whose memory cgroup is charged
 * @attrs: as wpool_create()
 *
 * The pool and its run queues are charged. Its workers are not: the spawner makes those of all
 * pools, and must not wait until one cgroup has room.
 *
 * Context: process context; sleeps.
 * Return: as wpool_create().
 */
struct wpool *wpool_pool_create_charged(const struct wpool_attrs *attrs);

/**
 * wpool_pool_destroy() - wpool_destroy() for any pool, including the default one
 * @pool: the pool
 *
 * Closes the pool for good, waits for its tasks and workers, and drops the creator's
 * reference.
 *
 * Context: process context, not in one of the pool's own tasks; sleeps.
 */
void wpool_pool_destroy(struct wpool *pool);

/**
 * wpool_pool_release() - wpool_release() for any pool, including the default one
 * @pool: the pool
 * @flags: as wpool_release()
 *
 * Context: process context; sleeps.
 */
void wpool_pool_release(struct wpool *pool, unsigned int flags);

/**
 * wpool_pools_init() - create the class and the default pool
 * @default_attrs: attributes of the default pool
 *
 * Return: 0 or -errno.
 */
int wpool_pools_init(const struct wpool_attrs *default_attrs);

/** wpool_pools_exit() - destroy the default pool, which is the last one, and the class */
void wpool_pools_exit(void);

/**
 * wpool_pools_free() - free what is left when no reference to any pool exists
 *
 * Called after an rcu_barrier(), and also if the init failed. Waits for pools that
 * are being freed.
 */
void wpool_pools_free(void);

#endif /* WPOOL_POOL_POOL_H */
