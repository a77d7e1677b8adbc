// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of one argument as tasks: wpool_submit_fn() and wpool_invoke().
 *
 * An item is a detached task with a function and its argument. It is freed
 * before its function is called, so a function in which the worker dies leaks
 * none, and a pool with as many items as tokens never lacks one.
 */
#include "func.h"

#include <linux/export.h>
#include <linux/mempool.h>
#include <linux/slab.h>
#include <linux/wpool.h>

#include "pool.h"

struct item {
	struct wpool_task task;
	wpool_arg_fn func;
	void *arg;
	struct wpool_items *items;
};

struct wpool_items {
	mempool_t *mempool;
};

static struct kmem_cache *item_cache;

/* A mempool keeps its reserve in one array, which kmalloc() has to give. */
#define MAX_ITEMS	(KMALLOC_MAX_SIZE / sizeof(void *))

static void item_free(struct item *item)
{
	if (item->items)
		mempool_free(item, item->items->mempool);
	else
		kmem_cache_free(item_cache, item);
}

static void item_run(struct wpool_task *task)
{
	struct item *item = container_of(task, struct item, task);
	wpool_arg_fn func = item->func;
	void *arg = item->arg;

	item_free(item);
	func(arg);
}

static void item_abort(struct wpool_task *task, int status)
{
	/* if its worker died, it died in the function: the item is gone */
	if (status == -ECANCELED)
		item_free(container_of(task, struct item, task));
}

static int item_submit(struct wpool *pool, struct item *item, wpool_arg_fn func,
		       void *arg, struct module *owner, bool may_block)
{
	int err;

	item->func = func;
	item->arg = arg;
	wpool_task_init_abortable(&item->task, item_run, item_abort, owner);
	err = may_block ? wpool_submit(pool, &item->task) :
			  wpool_try_submit(pool, &item->task);
	if (err == -ESHUTDOWN || err == -EINTR)
		/* sent away: the pool may be gone, and its reserve with it */
		kmem_cache_free(item_cache, item);
	else if (err)
		item_free(item);
	return err;
}

int wpool_submit_fn(struct wpool *pool, wpool_arg_fn func, void *arg,
		    struct module *owner, gfp_t gfp)
{
	struct item *item;

	if (!pool || !func || in_nmi())
		return -EINVAL;
	item = kmem_cache_alloc(item_cache, gfp);
	if (!item)
		return -ENOMEM;
	item->items = NULL;
	return item_submit(pool, item, func, arg, owner, gfpflags_allow_blocking(gfp));
}
EXPORT_SYMBOL_GPL(wpool_submit_fn);

int wpool_invoke(struct wpool *pool, void *arg)
{
	struct item *item;

	might_sleep();
	if (!pool || !pool->func)
		return -EINVAL;
	if (pool->items)
		item = mempool_alloc(pool->items->mempool, GFP_NOWAIT | __GFP_NOWARN);
	else
		item = kmem_cache_alloc(item_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!item)
		return -ENOMEM;
	item->items = pool->items;
	/* the pool's creator sees to it that the function stays: it destroys the pool first */
	return item_submit(pool, item, pool->func, arg, NULL, true);
}
EXPORT_SYMBOL_GPL(wpool_invoke);

struct wpool_items *wpool_items_create(u32 nr)
{
	struct wpool_items *items;

	if (nr > MAX_ITEMS)
		return NULL;
	items = kmalloc(sizeof(*items), GFP_KERNEL);
	if (!items)
		return NULL;
	items->mempool = mempool_create_slab_pool(nr, item_cache);
	if (!items->mempool) {
		kfree(items);
		return NULL;
	}
	return items;
}

int wpool_items_resize(struct wpool_items *items, u32 nr)
{
	int old = items->mempool->min_nr;
	int err;

	if (nr > MAX_ITEMS)
		return -ENOMEM;
	err = mempool_resize(items->mempool, nr);
	/* growing goes as far as memory does, and says nothing */
	if (!err && nr > old && READ_ONCE(items->mempool->curr_nr) < nr) {
		mempool_resize(items->mempool, old);
		err = -ENOMEM;
	}
	return err;
}

void wpool_items_destroy(struct wpool_items *items)
{
	if (!items)
		return;
	mempool_destroy(items->mempool);
	kfree(items);
}

int wpool_func_init(void)
{
	item_cache = kmem_cache_create("wpool_item", sizeof(struct item), 0,
				       SLAB_HWCACHE_ALIGN, NULL);
	return item_cache ? 0 : -ENOMEM;
}

void wpool_func_exit(void)
{
	kmem_cache_destroy(item_cache);
}
