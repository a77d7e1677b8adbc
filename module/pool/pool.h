/* SPDX-License-Identifier: GPL-2.0 */
/* A pool's life, as far as wpool.h does not have it. */
#ifndef WPOOL_POOL_POOL_H
#define WPOOL_POOL_POOL_H

#include <linux/types.h>

struct class;
struct wpool;
struct wpool_attrs;

extern struct class wpool_class;

/** wpool_is_default() - is this the pool that is everybody's? */
bool wpool_is_default(const struct wpool *pool);

/**
 * wpool_pool_destroy() - wpool_destroy() of any pool, the default one as well
 * @pool: the pool
 *
 * Closes it for good, waits for its tasks and workers, and drops the creator's
 * reference.
 *
 * Context: process context, in none of its tasks; sleeps.
 */
void wpool_pool_destroy(struct wpool *pool);

/**
 * wpool_pool_release() - wpool_release() of any pool
 * @pool: the pool
 * @flags: as wpool_release()
 *
 * Context: process context; sleeps.
 */
void wpool_pool_release(struct wpool *pool, unsigned int flags);

/**
 * wpool_pools_init() - make the class and the default pool
 * @default_attrs: of the default pool
 *
 * Return: 0 or -errno.
 */
int wpool_pools_init(const struct wpool_attrs *default_attrs);

/** wpool_pools_exit() - destroy the default pool, the last one, and the class */
void wpool_pools_exit(void);

/**
 * wpool_pools_free() - no reference on any pool is left; also if the init failed
 *
 * After an rcu_barrier(): it waits for pools that are being freed.
 */
void wpool_pools_free(void);

#endif /* WPOOL_POOL_POOL_H */
