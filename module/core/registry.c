// SPDX-License-Identifier: GPL-2.0
/* All pools, see registry.h. */
#include "core/registry.h"

#include <linux/cache.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "core/state.h"

static DEFINE_MUTEX(pools_mutex);	/* protects pools */
static LIST_HEAD(pools);		/* pools whose destruction has not ended */

struct wpool *wpool_default_pool __ro_after_init;

struct wpool *wpool_default(void)
{
	return wpool_default_pool;
}
EXPORT_SYMBOL_GPL(wpool_default);

struct wpool *wpool_get(struct wpool *pool)
{
	if (!IS_ERR_OR_NULL(pool))
		get_device(&pool->dev);
	return pool;
}
EXPORT_SYMBOL_GPL(wpool_get);

void wpool_put(struct wpool *pool)
{
	if (!IS_ERR_OR_NULL(pool))
		put_device(&pool->dev);
}
EXPORT_SYMBOL_GPL(wpool_put);

int wpool_registry_add(struct wpool *pool)
{
	struct wpool *other;
	int err = 0;

	mutex_lock(&pools_mutex);
	list_for_each_entry(other, &pools, node)
		if (!strcmp(other->name, pool->name))
			err = -EEXIST;
	if (!err)
		list_add_tail_rcu(&pool->node, &pools);
	mutex_unlock(&pools_mutex);
	return err;
}

void wpool_registry_del(struct wpool *pool)
{
	mutex_lock(&pools_mutex);
	list_del_rcu(&pool->node);
	mutex_unlock(&pools_mutex);
}

struct wpool *wpool_registry_find(bool (*match)(struct wpool *pool, const void *data),
				  const void *data)
{
	struct wpool *pool, *found = NULL;

	mutex_lock(&pools_mutex);
	list_for_each_entry(pool, &pools, node) {
		/* racy: a pool whose device is coming or going matches or does not */
		if (data_race(device_is_registered(&pool->dev)) && match(pool, data)) {
			found = wpool_get(pool);
			break;
		}
	}
	mutex_unlock(&pools_mutex);
	return found;
}

static bool has_name(struct wpool *pool, const void *name)
{
	return !strcmp(pool->name, name) && READ_ONCE(pool->state) != WPOOL_DESTROYED;
}

struct wpool *wpool_registry_find_name(const char *name)
{
	return wpool_registry_find(has_name, name);
}

/* Hide pools of /dev/wpool: their users may cancel or drop tasks, or let the submitter run them. */
static bool is_modules(struct wpool *pool, const void *name)
{
	return !wpool_is_users(pool) && has_name(pool, name);
}

struct wpool *wpool_find(const char *name)
{
	return name ? wpool_registry_find(is_modules, name) : NULL;
}
EXPORT_SYMBOL_GPL(wpool_find);

void wpool_pools_walk(void (*fn)(struct wpool *pool, void *data), void *data)
{
	struct wpool *pool;

	mutex_lock(&pools_mutex);
	list_for_each_entry(pool, &pools, node)
		fn(pool, data);
	mutex_unlock(&pools_mutex);
}

bool wpool_pools_walk_rcu(bool (*fn)(struct wpool *pool, void *data), void *data)
{
	struct wpool *pool;
	bool ret = false;

	rcu_read_lock();
	list_for_each_entry_rcu(pool, &pools, node) {
		ret = fn(pool, data);
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret;
}
