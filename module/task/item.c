// SPDX-License-Identifier: GPL-2.0
/*
 * Items, see item.h.
 *
 * Each CPU has a magazine: a few free items, which only threads on this CPU touch, with
 * preemption off. An empty magazine gets items from the slab cache, a full one returns items: half
 * a magazine at once, because that is much cheaper than one by one. An interrupt uses the slab
 * cache directly; if the magazine is empty, a caller that may not sleep does so, too. The magazine
 * of a CPU that is offline keeps its items.
 *
 * A bound pool with a limit has a reserve of as many items as tokens. If there is no memory for an
 * item, an invoke takes one from the reserve, and the item returns there. The reserve has one item
 * for each task that the pool accepts, so within the limits no invoke fails for want of memory.
 *
 * An item of the reserve that is in use holds a reference to the pool: a submitter whose wait ended
 * with -ESHUTDOWN may give its item back after the pool was destroyed.
 */
#include "task/item.h"

#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define MAGAZINE	32U
#define HALF		(MAGAZINE / 2)

/* Free items of a CPU. */
struct magazine {
	u32 nr;	/* number of @items */
	struct wpool_item *items[MAGAZINE];	/* free items; the last freed is at the end */
};

static DEFINE_PER_CPU(struct magazine, magazines);
static struct kmem_cache *item_cache;

static __always_inline struct wpool_item *magazine_take(void)
{
	struct wpool_item *item = NULL;
	struct magazine *m;

	preempt_disable();
	m = this_cpu_ptr(&magazines);
	if (likely(m->nr))
		item = m->items[--m->nr];
	preempt_enable();
	return item;
}

/* Returns false if the magazine is full. */
static __always_inline bool magazine_put(struct wpool_item *item)
{
	struct magazine *m;
	bool fits;

	preempt_disable();
	m = this_cpu_ptr(&magazines);
	fits = m->nr < MAGAZINE;
	if (likely(fits))
		m->items[m->nr++] = item;
	preempt_enable();
	return fits;
}

/* Allocate an item, and more for the magazine of the CPU on which the thread then runs. */
static noinline struct wpool_item *alloc_some(gfp_t gfp)
{
	void *items[HALF];
	u32 n = HALF - 1;

	/* this allocates all items or none */
	if (!kmem_cache_alloc_bulk(item_cache, gfp, HALF, items))
		return NULL;
	while (n && magazine_put(items[n]))
		n--;
	if (unlikely(n))
		kmem_cache_free_bulk(item_cache, n, items + 1);
	return items[0];
}

/* Free an item for which the magazine has no room, and half of the magazine. */
static noinline void free_some(struct wpool_item *item)
{
	void *items[HALF];
	u32 n = 0;

	do {
		items[n++] = item;
	} while (n < HALF && (item = magazine_take()));
	kmem_cache_free_bulk(item_cache, n, items);
}

struct wpool_item *wpool_item_alloc(gfp_t gfp, bool may_block)
{
	struct wpool_item *item = NULL;

	if (likely(in_task()))
		item = magazine_take();
	if (unlikely(!item))
		item = may_block ? alloc_some(gfp) : kmem_cache_alloc(item_cache, gfp);
	if (likely(item))
		item->pool = NULL;
	return item;
}

/* Put an item into the reserve, grown by @more, or free the item if the reserve is full. */
static void reserve_add(struct wpool_items *items, struct wpool_item *item, u32 more)
{
	spin_lock(&items->lock);
	items->nr += more;
	if (items->nr_free < items->nr) {
		item->node.next = items->free;
		items->free = &item->node;
		items->nr_free++;
		item = NULL;
	}
	spin_unlock(&items->lock);
	if (item)
		kmem_cache_free(item_cache, item);
}

/* Take an item from the reserve if that has more than @nr, or return NULL. */
static struct wpool_item *reserve_take(struct wpool_items *items, u32 nr)
{
	struct wpool_item *item = NULL;

	spin_lock(&items->lock);
	if (items->nr_free > nr) {
		item = llist_entry(items->free, struct wpool_item, node);
		items->free = items->free->next;
		items->nr_free--;
	}
	spin_unlock(&items->lock);
	return item;
}

static void reserve_put(struct wpool_item *item)
{
	struct wpool *pool = item->pool;

	reserve_add(&pool->items, item, 0);
	wpool_put(pool);
}

struct wpool_item *wpool_items_take(struct wpool *pool)
{
	struct wpool_item *item = reserve_take(&pool->items, 0);

	if (item)
		item->pool = wpool_get(pool);
	return item;
}

void wpool_items_shrink(struct wpool_items *items, u32 nr)
{
	struct wpool_item *item;

	spin_lock(&items->lock);
	items->nr = nr;
	spin_unlock(&items->lock);
	/* free surplus items now; reserve_add() frees those that come back later */
	while ((item = reserve_take(items, nr))) {
		kmem_cache_free(item_cache, item);
		cond_resched();
	}
}

int wpool_items_grow(struct wpool_items *items, u32 nr)
{
	u32 old = items->nr;
	struct wpool_item *item;

	while (items->nr < nr) {
		item = kmem_cache_alloc(item_cache, GFP_KERNEL);
		if (!item) {
			wpool_items_shrink(items, old);
			return -ENOMEM;
		}
		reserve_add(items, item, 1);
		cond_resched();
	}
	return 0;
}

void wpool_item_end(struct wpool_task *task)
{
	struct wpool_item *item = container_of(task, struct wpool_item, task);

	if (unlikely(item->pool))
		reserve_put(item);
	else if (unlikely(!magazine_put(item)))
		free_some(item);
}

void wpool_item_refuse(struct wpool_item *item)
{
	if (item->pool)
		reserve_put(item);
	else
		kmem_cache_free(item_cache, item);
}

void wpool_item_abort(struct wpool_task *task, int status)
{
	struct wpool_item *item = container_of(task, struct wpool_item, task);

	if (item->abort)
		item->abort(item->arg, status);
	wpool_item_end(task);
}

int wpool_item_module_init(void)
{
	item_cache = kmem_cache_create("wpool_item", sizeof(struct wpool_item), 0,
				       SLAB_HWCACHE_ALIGN, NULL);
	return item_cache ? 0 : -ENOMEM;
}

void wpool_item_module_exit(void)
{
	struct magazine *m;
	int cpu;

	for_each_possible_cpu(cpu) {
		m = per_cpu_ptr(&magazines, cpu);
		while (m->nr)
			kmem_cache_free(item_cache, m->items[--m->nr]);
	}
	kmem_cache_destroy(item_cache);
}
