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
 * wpool_registry_add() - add a pool, which wpool_find() does not find yet
 * @pool: the pool
 *
 * From now on CPU hotplug and the monitor visit the pool.
 *
 * Context: process context; sleeps.
 * Return: 0, or -EEXIST if there is a pool with this name, even one that is being
 * made or destroyed.
 */
int wpool_registry_add(struct wpool *pool);

/**
 * wpool_registry_publish() - the pool is complete: let it be found
 * @pool: the pool
 * @show: makes it visible to programs; until it returns, a search for the pool waits
 *
 * Context: process context; sleeps.
 * Return: the return value of @show; after an error the pool is not found.
 */
int wpool_registry_publish(struct wpool *pool, int (*show)(struct wpool *pool));

/** wpool_registry_del() - remove a pool: its name is free again; sleeps */
void wpool_registry_del(struct wpool *pool);

/**
 * wpool_registry_find() - find the first published pool that matches
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
 * wpool_registry_has() - is there a pool at that address, whose destruction has not ended?
 * @pool: the address
 *
 * Context: any, under RCU, which keeps the pool.
 * Return: true if so.
 */
bool wpool_registry_has(const struct wpool *pool);

/**
 * wpool_pools_walk_rcu() - as wpool_pools_walk(), without a lock
 * @fn: called under RCU; the destruction of the pool may have begun
 *
 * Context: any, no sleeping.
 * Return: whether @fn returned true for any pool; it is called for all.
 */
bool wpool_pools_walk_rcu(bool (*fn)(struct wpool *pool));

/**
 * wpool_pools_sum_rcu() - add up what a function returns for each pool
 * @fn: called under RCU; its second argument is what is left of @most
 * @most: stop when the sum has reached it
 *
 * Context: any, no sleeping.
 * Return: the sum.
 */
unsigned long wpool_pools_sum_rcu(unsigned long (*fn)(struct wpool *pool, unsigned long most),
				  unsigned long most);

#endif /* WPOOL_CORE_REGISTRY_H */
