/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of one argument as tasks: items that wrap them. */
#ifndef WPOOL_FUNC_H
#define WPOOL_FUNC_H

#include <linux/types.h>

struct wpool_items;

/**
 * wpool_items_create() - preallocate items
 * @nr: as many as the pool has tokens, at most %WPOOL_MAX_FUNC_ITEMS
 *
 * Return: the items, or NULL.
 */
struct wpool_items *wpool_items_create(u32 nr);

/** wpool_items_resize() - preallocate more, or keep fewer; Return: 0, -ENOMEM or -ERANGE */
int wpool_items_resize(struct wpool_items *items, u32 nr);

/** wpool_items_destroy() - free them; none is in use; NULL is allowed */
void wpool_items_destroy(struct wpool_items *items);

/**
 * wpool_func_show() - say what the calling task really does
 * @func: what debugfs and the report of a fault name instead of the task's own
 *	function, until it returns
 *
 * Context: a task; does nothing where that runs outside of a worker.
 */
void wpool_func_show(void *func);

/** wpool_func_init() - make the cache that items come from; Return: 0 or -ENOMEM */
int wpool_func_init(void);

/** wpool_func_exit() - free it; no pool is left */
void wpool_func_exit(void);

#endif /* WPOOL_FUNC_H */
