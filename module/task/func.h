/* SPDX-License-Identifier: GPL-2.0 */
/* Items: tasks that wrap a function of one argument. */
#ifndef WPOOL_FUNC_H
#define WPOOL_FUNC_H

#include <linux/types.h>

struct wpool_items;

/**
 * wpool_items_create() - preallocate items
 * @nr: number of items, as many as the pool has tokens, at most %WPOOL_MAX_FUNC_ITEMS
 *
 * Return: the items, or NULL.
 */
struct wpool_items *wpool_items_create(u32 nr);

/** wpool_items_resize() - change the number of items; Return: 0, -ENOMEM or -ERANGE */
int wpool_items_resize(struct wpool_items *items, u32 nr);

/** wpool_items_destroy() - free the items, none of which is in use; NULL is allowed */
void wpool_items_destroy(struct wpool_items *items);

/**
 * wpool_func_show() - name the function that the calling task really runs
 * @func: shown by debugfs and the report of a fault instead of the task's own
 *	function, until the task returns
 *
 * Context: a task; does nothing if that runs outside of a worker.
 */
void wpool_func_show(void *func);

/** wpool_func_init() - create the cache that items come from; Return: 0 or -ENOMEM */
int wpool_func_init(void);

/** wpool_func_exit() - destroy the cache; no pool is left */
void wpool_func_exit(void);

#endif /* WPOOL_FUNC_H */
