// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of one argument as tasks: wpool_submit_fn() and wpool_invoke().
 *
 * An item is a detached task with a function, its argument, and an abort function
 * that is called instead if the task is cancelled or its worker dies. The item is
 * freed once one of the two has returned.
 *
 * A bound pool with a limit has a reserve of as many items as tokens, allocated with
 * the pool. An invoke takes its item from the reserve, so that within the limits
 * nothing is allocated and nothing fails. A submitter beyond the limits, which will
 * wait, takes its item from the slab cache, as all others do. An item goes back to
 * where it came from:
 *
 *   - A free item of the reserve is pushed to @returned, without a lock.
 *   - An item is taken from @ready. If that is empty, all of @returned first becomes
 *     the new @ready, with one exchange. Every free item is in one of the two, so a
 *     taker misses none.
 */
#include "task/func.h"

#include <linux/export.h>
#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wpool.h>

#include "core/current.h"
#include "core/state.h"

/**
 * struct item - a function and its argument as a task
 * @task: the task
 * @func: the function
 * @abort: called instead of @func, or after the worker died in it; or NULL
 * @arg: argument of both
 * @node: in the reserve while the item is free
 * @items: the reserve that it belongs to, or NULL
 */
struct item {
	struct wpool_task task;
	wpool_arg_fn func;
	wpool_arg_abort_fn abort;
	union {
		void *arg;
		struct llist_node node;
	};
	struct wpool_items *items;
};

/**
 * struct wpool_items - the reserve of a bound pool
 * @lock: protects @ready, and the move of @returned to it
 * @ready: free items
 * @nr: items of the reserve, free or not; under the pool's tune_mutex
 * @excess: number of items beyond @nr, to be freed as they come back
 * @node: in the list of reserves
 * @returned: free items that came back
 */
struct wpool_items {
	spinlock_t lock; /* protects ready */
	struct llist_node *ready;
	u32 nr;
	atomic_t excess;
	struct list_head node;
	struct llist_head returned ____cacheline_aligned;
};

static struct kmem_cache *item_cache;

static DEFINE_SPINLOCK(reserves_lock);	/* protects reserves */
static LIST_HEAD(reserves);

/* ---- the reserve ---- */

static struct item *reserve_take(struct wpool_items *items)
{
	struct llist_node *node;

	spin_lock(&items->lock);
	node = items->ready ?: llist_del_all(&items->returned);
	if (node)
		items->ready = node->next;
	spin_unlock(&items->lock);
	return node ? llist_entry(node, struct item, node) : NULL;
}

static void reserve_put(struct wpool_items *items, struct item *item)
{
	if (unlikely(atomic_read(&items->excess)) &&
	    atomic_dec_if_positive(&items->excess) >= 0)
		kmem_cache_free(item_cache, item);
	else
		llist_add(&item->node, &items->returned);
}

static void reserve_shrink(struct wpool_items *items, u32 nr)
{
	struct item *item;

	atomic_add(nr, &items->excess);
	/* free those at hand now, the others as they come back */
	for (; nr; nr--) {
		item = reserve_take(items);
		if (!item)
			break;
		reserve_put(items, item);
		cond_resched();
	}
}

static int reserve_grow(struct wpool_items *items, u32 nr)
{
	struct item *item;
	u32 i;

	for (i = 0; i < nr; i++) {
		/* keep an item that was to be freed */
		if (atomic_dec_if_positive(&items->excess) >= 0)
			continue;
		item = kmem_cache_alloc(item_cache, GFP_KERNEL);
		if (!item) {
			reserve_shrink(items, i);
			return -ENOMEM;
		}
		item->items = items;
		llist_add(&item->node, &items->returned);
		cond_resched();
	}
	return 0;
}

/* Give an item back to its reserve, if that still exists: its pool may be gone. */
static void reserve_put_late(struct item *item)
{
	struct wpool_items *items;
	bool found = false;

	spin_lock(&reserves_lock);
	list_for_each_entry(items, &reserves, node) {
		found = items == item->items;
		if (found) {
			reserve_put(items, item);
			break;
		}
	}
	spin_unlock(&reserves_lock);
	if (!found)
		kmem_cache_free(item_cache, item);
}

struct wpool_items *wpool_items_create(u32 nr)
{
	struct wpool_items *items;

	items = kzalloc(sizeof(*items), GFP_KERNEL);
	if (!items)
		return NULL;
	spin_lock_init(&items->lock);
	items->nr = nr;
	if (reserve_grow(items, nr)) {
		kfree(items);
		return NULL;
	}
	spin_lock(&reserves_lock);
	list_add(&items->node, &reserves);
	spin_unlock(&reserves_lock);
	return items;
}

int wpool_items_resize(struct wpool_items *items, u32 nr)
{
	int err = 0;

	if (nr > WPOOL_MAX_FUNC_ITEMS)
		return -ERANGE;
	if (nr > items->nr)
		err = reserve_grow(items, nr - items->nr);
	else
		reserve_shrink(items, items->nr - nr);
	if (!err)
		items->nr = nr;
	return err;
}

void wpool_items_destroy(struct wpool_items *items)
{
	struct item *item;

	if (!items)
		return;
	/* shuts out reserve_put_late() */
	spin_lock(&reserves_lock);
	list_del(&items->node);
	spin_unlock(&reserves_lock);
	while ((item = reserve_take(items))) {
		kmem_cache_free(item_cache, item);
		cond_resched();
	}
	kfree(items);
}

/* ---- items as tasks ---- */

static struct item *item_alloc(gfp_t gfp)
{
	struct item *item = kmem_cache_alloc(item_cache, gfp);

	if (item)
		item->items = NULL;
	return item;
}

static void item_free(struct item *item)
{
	if (item->items)
		reserve_put(item->items, item);
	else
		kmem_cache_free(item_cache, item);
}

void wpool_func_show(void *func)
{
	struct wpool_worker *w = wpool_worker_current();

	if (w)
		WRITE_ONCE(w->func, func);
}

static void item_run(struct wpool_task *task)
{
	struct item *item = container_of(task, struct item, task);
	struct wpool_worker *w = wpool_worker_current();
	wpool_arg_fn func = item->func;
	void *before = NULL;

	if (likely(w)) {
		before = w->func;
		WRITE_ONCE(w->func, func);
	}
	func(item->arg);
	/* under policy run the worker may be inside a task of its own */
	if (likely(w))
		WRITE_ONCE(w->func, before);
	item_free(item);
}

static void item_abort(struct wpool_task *task, int status)
{
	struct item *item = container_of(task, struct item, task);

	if (item->abort)
		item->abort(item->arg, status);
	item_free(item);
}

static int item_submit(struct wpool *pool, struct item *item, wpool_arg_fn func,
		       wpool_arg_abort_fn abort, void *arg, struct module *owner,
		       bool may_block)
{
	int err;

	item->func = func;
	item->abort = abort;
	item->arg = arg;
	wpool_task_init_abortable(&item->task, item_run, item_abort, owner);
	err = may_block ? wpool_submit(pool, &item->task) :
			  wpool_try_submit(pool, &item->task);
	if (likely(!err))
		return 0;
	if (item->items && (err == -ESHUTDOWN || err == -EINTR))
		/* the submitter was sent away: the pool and its reserve may be gone */
		reserve_put_late(item);
	else
		item_free(item);
	return err;
}

int wpool_submit_fn_abortable(struct wpool *pool, wpool_arg_fn func,
			      wpool_arg_abort_fn abort, void *arg,
			      struct module *owner, gfp_t gfp)
{
	struct item *item;

	if (!pool || !func || in_nmi())
		return -EINVAL;
	item = item_alloc(gfp);
	if (!item)
		return -ENOMEM;
	return item_submit(pool, item, func, abort, arg, owner,
			   gfpflags_allow_blocking(gfp));
}
EXPORT_SYMBOL_GPL(wpool_submit_fn_abortable);

int wpool_submit_fn(struct wpool *pool, wpool_arg_fn func, void *arg,
		    struct module *owner, gfp_t gfp)
{
	return wpool_submit_fn_abortable(pool, func, NULL, arg, owner, gfp);
}
EXPORT_SYMBOL_GPL(wpool_submit_fn);

/* No might_sleep(): wpool_submit() checks that, without a preemption point. */
int wpool_invoke(struct wpool *pool, void *arg)
{
	struct item *item = NULL;

	if (!pool || !pool->func)
		return -EINVAL;
	if (pool->items)
		item = reserve_take(pool->items);
	if (!item)
		item = item_alloc(GFP_NOWAIT | __GFP_NOWARN);
	if (!item)
		return -ENOMEM;
	/* the creator keeps the function in place: it destroys the pool before it goes */
	return item_submit(pool, item, pool->func, pool->abort, arg, NULL, true);
}
EXPORT_SYMBOL_GPL(wpool_invoke);

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
