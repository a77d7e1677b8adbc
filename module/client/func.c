// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of one argument as tasks: wpool_submit_fn() and wpool_invoke(). They submit an item,
 * see item.h, which is freed when its function has returned.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/preempt.h>

#include "core/state.h"
#include "task/item.h"
#include "task/submit.h"

static int submit_func(struct wpool *pool, struct wpool_item *item, wpool_arg_fn func,
		       wpool_arg_abort_fn abort, void *arg, struct module *owner, bool may_block)
{
	int err = -ENOENT;

	/* the pool's owner needs no reference: its wpool_destroy() waits for the item */
	if (owner == pool->owner)
		owner = NULL;
	if (likely(!owner) || likely(try_module_get(owner))) {
		wpool_item_init(item, func, abort, arg, owner);
		err = wpool_submit_claimed(pool, &item->task, may_block ? TASK_KILLABLE : 0,
					   false);
	}
	if (unlikely(err))
		/* do not touch the pool: after -ESHUTDOWN it may be gone */
		wpool_item_refuse(item);
	return err;
}

int wpool_submit_fn_abortable(struct wpool *pool, wpool_arg_fn func,
			      wpool_arg_abort_fn abort, void *arg,
			      struct module *owner, gfp_t gfp)
{
	bool may_block = gfpflags_allow_blocking(gfp);
	struct wpool_item *item;

	if (!pool || !func || in_nmi())
		return -EINVAL;
	item = wpool_item_alloc(gfp, may_block);
	if (!item)
		return -ENOMEM;
	return submit_func(pool, item, func, abort, arg, owner, may_block);
}
EXPORT_SYMBOL_GPL(wpool_submit_fn_abortable);

int wpool_submit_fn(struct wpool *pool, wpool_arg_fn func, void *arg,
		    struct module *owner, gfp_t gfp)
{
	return wpool_submit_fn_abortable(pool, func, NULL, arg, owner, gfp);
}
EXPORT_SYMBOL_GPL(wpool_submit_fn);

/* No might_sleep(): wpool_submit_claimed() checks the context, without a preemption point. */
int wpool_invoke(struct wpool *pool, void *arg)
{
	struct wpool_item *item;

	if (!pool || !pool->func || in_nmi())
		return -EINVAL;
	item = wpool_item_alloc(GFP_NOWAIT | __GFP_NOWARN, true);
	if (unlikely(!item))
		item = wpool_items_take(pool);
	if (!item)
		return -ENOMEM;
	/* no reference to the function's module, which must destroy the pool before it goes */
	return submit_func(pool, item, pool->func, pool->abort, arg, NULL, true);
}
EXPORT_SYMBOL_GPL(wpool_invoke);
