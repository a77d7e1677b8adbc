// SPDX-License-Identifier: GPL-2.0
/* Pools left behind by their modules, see orphans.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/orphans.h"

#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/wpool_stats.h>

#include "core/registry.h"
#include "core/state.h"
#include "pool/pool.h"

static bool is_left(struct wpool *pool, const void *unused)
{
	return !wpool_is_default(pool) && READ_ONCE(pool->state) != WPOOL_DESTROYED;
}

static bool is_left_by(struct wpool *pool, const void *owner)
{
	return pool->owner == owner && is_left(pool, NULL);
}

/*
 * Queued tasks are cancelled, because the objects they work on may be gone; running
 * tasks are waited for, because their text is about to go.
 */
static void destroy_left(struct wpool *pool)
{
	wpool_pool_release(pool, WPOOL_RELEASE_CANCEL);
	wpool_pool_destroy(pool);
	wpool_put(pool);
}

/* Log which functions of a module run in a pool of another owner; false: visit all pools. */
static bool tell_running(struct wpool *pool, const void *mod)
{
	struct wpool_worker *w;
	void *func;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		func = READ_ONCE(w->func);
		if (pool->owner != mod && READ_ONCE(w->task) &&
		    within_module((unsigned long)func, mod))
			pr_err("%s: module %s is unloaded while its %ps runs here\n",
			       pool->name, ((const struct module *)mod)->name, func);
	}
	rcu_read_unlock();
	return false;
}

/*
 * A module is going away. Its exit function has returned, or its init function has
 * failed, but its text and data are still there: this is the last chance to call its
 * task, abort and fault functions.
 */
static int module_goes(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;
	struct wpool *pool;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	/* its tasks in pools of others cannot be stopped, and may crash soon: log them */
	wpool_registry_find(tell_running, mod);
	while ((pool = wpool_registry_find(is_left_by, mod))) {
		pr_err("%s: module %s is unloaded without wpool_destroy(): cancelling what is queued, waiting for what runs\n",
		       pool->name, mod->name);
		destroy_left(pool);
	}
	return NOTIFY_OK;
}

static struct notifier_block module_nb = {
	.notifier_call = module_goes,
};

int wpool_orphans_init(void)
{
	return register_module_notifier(&module_nb);
}

void wpool_orphans_exit(void)
{
	struct wpool *pool;

	/* all modules that use our symbols have gone, as each keeps this one loaded */
	unregister_module_notifier(&module_nb);
	/* so the remaining pools have no owner */
	while ((pool = wpool_registry_find(is_left, NULL))) {
		pr_err("%s: was not destroyed by its creator: destroying it\n", pool->name);
		destroy_left(pool);
	}
}
