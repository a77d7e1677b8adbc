/* SPDX-License-Identifier: GPL-2.0 */
/* The list of all pools, and the references to a pool, which the pool's device counts. */
#ifndef WPOOL_CORE_REGISTRY_H
#define WPOOL_CORE_REGISTRY_H

#include <linux/types.h>

struct wpool;

/*
 * Add a pool. From now on CPU hotplug visits it; wpool_find() finds it once it is in sysfs.
 * Sleeps. Returns 0, or -EEXIST if a pool has this name, even one that is being made or destroyed.
 */
int wpool_registry_add(struct wpool *pool);

/** wpool_registry_del() - remove a pool: its name is free again; sleeps */
void wpool_registry_del(struct wpool *pool);

/*
 * Find the first pool in sysfs that matches. @match: says whether a pool matches; called under a
 * mutex. Sleeps. Returns the pool, with a reference, or NULL.
 */
struct wpool *wpool_registry_find(bool (*match)(struct wpool *pool, const void *data),
				  const void *data);

/** wpool_registry_find_name() - as wpool_find(), also pools that were made through /dev/wpool */
struct wpool *wpool_registry_find_name(const char *name);

/* Call @fn, under a mutex, for each pool whose destruction has not ended. Sleeps. */
void wpool_pools_walk(void (*fn)(struct wpool *pool, void *data), void *data);

/*
 * As wpool_pools_walk(), without a lock. @fn: called under RCU; the destruction of the pool may
 * have begun. No sleeping. Stops when @fn returns true, and returns whether it did.
 */
bool wpool_pools_walk_rcu(bool (*fn)(struct wpool *pool, void *data), void *data);

/* The default pool, which only the end of the module destroys; set once, after its creation. */
extern struct wpool *wpool_default_pool;

static inline bool wpool_is_default(const struct wpool *pool)
{
	return pool == wpool_default_pool;
}

#endif /* WPOOL_CORE_REGISTRY_H */
