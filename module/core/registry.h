/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of all pools, and the references to them. A pool's reference count is that
 * of its device.
 */
#ifndef WPOOL_CORE_REGISTRY_H
#define WPOOL_CORE_REGISTRY_H

#include <linux/types.h>

struct wpool;

/**
 * wpool_registry_has() - is there a pool with this name?
 * @name: the name
 *
 * Context: process context; sleeps.
 * Return: true if there is one, even if it is being destroyed.
 */
bool wpool_registry_has(const char *name);

/**
 * wpool_registry_add() - add a pool
 * @pool: the pool
 * @publish: called when the name is known to be free, before the pool can be found
 *	here; if it fails, the pool is not added
 *
 * Context: process context; sleeps. CPU hotplug walks the pools under the same mutex:
 * either it sees the pool, or @publish sees the CPU's change.
 * Return: 0, -EEXIST, or the return value of @publish.
 */
int wpool_registry_add(struct wpool *pool, int (*publish)(struct wpool *pool));

/** wpool_registry_del() - remove a pool: its name is free again; sleeps */
void wpool_registry_del(struct wpool *pool);

/**
 * wpool_registry_find() - find the first pool that matches
 * @match: does a pool match? Called under a mutex
 * @data: its second argument
 *
 * Context: process context; sleeps.
 * Return: the pool, with a reference, or NULL.
 */
struct wpool *wpool_registry_find(bool (*match)(struct wpool *pool, const void *data),
				  const void *data);

/**
 * wpool_pools_walk() - call a function for each pool whose destruction has not ended
 * @fn: called under a mutex
 * @data: its second argument
 *
 * Context: process context; sleeps.
 */
void wpool_pools_walk(void (*fn)(struct wpool *pool, void *data), void *data);

/**
 * wpool_pools_walk_rcu() - as wpool_pools_walk(), without a lock
 * @fn: called under RCU; the destruction of the pool may have begun
 *
 * Context: any, no sleeping.
 * Return: whether @fn returned true for any pool; it is called for all.
 */
bool wpool_pools_walk_rcu(bool (*fn)(struct wpool *pool));

#endif /* WPOOL_CORE_REGISTRY_H */
