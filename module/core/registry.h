/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All pools: which there are, and who holds one. A pool's reference count is that
 * of its device.
 */
#ifndef WPOOL_CORE_REGISTRY_H
#define WPOOL_CORE_REGISTRY_H

#include <linux/types.h>

struct wpool;

/**
 * wpool_registry_has() - is there a pool of this name?
 * @name: the name
 *
 * Context: process context; sleeps.
 * Return: true if there is, perhaps one that is being destroyed.
 */
bool wpool_registry_has(const char *name);

/**
 * wpool_registry_add() - enter a pool
 * @pool: the pool
 * @publish: called when the name is known to be free, before anybody can find the
 *	pool here; if it fails nothing is entered
 *
 * Context: process context; sleeps. CPU hotplug walks the pools under the same
 * mutex: it sees the pool, or @publish sees the CPU's change.
 * Return: 0, -EEXIST, or what @publish returned.
 */
int wpool_registry_add(struct wpool *pool, int (*publish)(struct wpool *pool));

/** wpool_registry_del() - the pool's name is free again; sleeps */
void wpool_registry_del(struct wpool *pool);

/**
 * wpool_registry_find() - the first pool that answers a description
 * @match: whether a pool does; called under a mutex
 * @data: its second argument
 *
 * Context: process context; sleeps.
 * Return: the pool, referenced, or NULL.
 */
struct wpool *wpool_registry_find(bool (*match)(struct wpool *pool, const void *data),
				  const void *data);

/**
 * wpool_pools_walk() - call a function for each pool that is not destroyed
 * @fn: called under a mutex
 * @data: its second argument
 *
 * Context: process context; sleeps.
 */
void wpool_pools_walk(void (*fn)(struct wpool *pool, void *data), void *data);

/**
 * wpool_pools_walk_rcu() - as wpool_pools_walk(), without a lock
 * @fn: called under RCU; a pool may be on its way to be destroyed
 *
 * Context: any, no sleeping.
 * Return: whether @fn returned true for any pool; it is called for all.
 */
bool wpool_pools_walk_rcu(bool (*fn)(struct wpool *pool));

#endif /* WPOOL_CORE_REGISTRY_H */
