/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items: detached tasks with a function of one argument, and how they are allocated.
 *
 * No caller ever learns an item's address, so an item is never submitted a second time, cancelled
 * or waited for. An item has one owner at a time: the submitter, until the item is queued or
 * refused; then the thread that takes the item out of the queues; if a worker dies, workers/tidy.c.
 * So no decision depends on the item's state. The item is PENDING from the start, and neither the
 * submit nor the start claims it.
 *
 * The claims of other tasks order memory, too. For an item the queues do so: the submitter fills
 * the item in before the push (wpool_ring_put:A, wpool_sched_push_next:B, or the lock of a fifo),
 * and the taker reads the item after the take.
 */
#ifndef WPOOL_TASK_ITEM_H
#define WPOOL_TASK_ITEM_H

#include <linux/llist.h>
#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_func.h>

#include "task/debug.h"
#include "task/state.h"

/* A bit of task->flags, beside WPOOL_TASK_DETACHED: the task is part of a struct wpool_item. */
#define WPOOL_TASK_ITEM		BIT(1)

/* A function and its argument as a task. */
struct wpool_item {
	struct wpool_task task;	/* the task; its @func is a wpool_arg_fn */
	/* called instead of the function, or after the worker died in it; or NULL */
	wpool_arg_abort_fn abort;
	union {
		void *arg;	/* argument of the function and of @abort */
		struct llist_node node;	/* in the reserve while the item is free */
	};
	struct wpool *pool;	/* the pool from whose reserve the item comes, or NULL */
};

/* Allocate an item; @may_block: the caller may sleep, whatever @gfp says. */
struct wpool_item *wpool_item_alloc(gfp_t gfp, bool may_block);

/** wpool_item_abort() - the abort function of all items; process context */
void wpool_item_abort(struct wpool_task *task, int status);

/* Prepare an item, as if wpool_task_claim() had returned 0; @owner is pinned, or NULL. */
static inline void wpool_item_init(struct wpool_item *item, wpool_arg_fn func,
				   wpool_arg_abort_fn abort, void *arg,
				   struct module *owner)
{
	struct wpool_task *task = &item->task;

	wpool_debug_init(task);
	/* one by one, since compilers clear 64 bytes with a slow instruction */
	atomic_set(&task->state, WPOOL_ST_PENDING);
	task->flags = WPOOL_TASK_DETACHED | WPOOL_TASK_ITEM;
	task->queued = WPOOL_QUEUED_NO;
	task->func = (void *)func;
	task->owner = owner;
	task->abort = wpool_item_abort;
	item->abort = abort;
	item->arg = arg;
	wpool_debug_activate(task);
}

static inline bool wpool_task_is_item(const struct wpool_task *task)
{
	return READ_ONCE(task->flags) & WPOOL_TASK_ITEM;
}

static inline void wpool_item_call(struct wpool_task *task)
{
	struct wpool_item *item = container_of(task, struct wpool_item, task);

	((wpool_arg_fn)(void *)task->func)(item->arg);
}

/** wpool_item_end() - free an item after its function, or its abort; process context */
void wpool_item_end(struct wpool_task *task);

/** wpool_item_refuse() - free an item that was not accepted; context: as for its allocation */
void wpool_item_refuse(struct wpool_item *item);

/** wpool_items_take() - take an item of a pool's reserve, or NULL; process context */
struct wpool_item *wpool_items_take(struct wpool *pool);

/** wpool_items_grow() - grow the reserve to @nr items; Return: 0; -ENOMEM: nothing has changed */
int wpool_items_grow(struct wpool_items *items, u32 nr);

void wpool_items_shrink(struct wpool_items *items, u32 nr);

/* The slab cache of items. Return: 0 or -ENOMEM */
int wpool_item_module_init(void);
void wpool_item_module_exit(void);

#endif /* WPOOL_TASK_ITEM_H */
