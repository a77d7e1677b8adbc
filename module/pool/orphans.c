// SPDX-License-Identifier: GPL-2.0
/* Pools left behind by their modules, see orphans.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/orphans.h"

#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>

#include "core/registry.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/trace.h"
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
 * Cancels queued tasks, because the objects that they work on may be gone. Waits for running tasks,
 * because their text is about to go.
 */
static void destroy_left(struct wpool *pool)
{
	wpool_pool_release(pool, WPOOL_RELEASE_CANCEL);
	wpool_pool_destroy(pool);
	wpool_put(pool);
}

/* ---- tasks in pools of others ---- */

/* The function of @mod with the lowest address above @after, and how many tasks call it. */
struct func_count {
	const struct module *mod;
	unsigned long after;
	unsigned long func;
	u32 nr;
};

static void count_func(const struct wpool_task *task, struct func_count *count)
{
	unsigned long func = (unsigned long)wpool_trace_func(task);

	if (func <= count->after || func > count->func || !within_module(func, count->mod))
		return;
	if (func < count->func)
		count->nr = 0;
	count->func = func;
	count->nr++;
}

/* Visit the first of @tasks, a list that @lock protects. */
static void count_in(raw_spinlock_t *lock, struct list_head *tasks, struct func_count *count)
{
	u32 nr = WPOOL_FIFO_MAX_PASSED;
	struct wpool_task *task;

	raw_spin_lock_irq(lock);
	list_for_each_entry(task, tasks, node) {
		count_func(task, count);
		if (!--nr)
			break;
	}
	raw_spin_unlock_irq(lock);
}

/* Each pass finds one function, so any number of functions is reported. */
static void tell_queued(struct wpool *pool, const struct module *mod)
{
	struct func_count count = { .mod = mod };
	struct wpool_runq *rq;
	u32 i;

	do {
		count.after = count.func;
		count.func = ULONG_MAX;
		count.nr = 0;
		wpool_for_each_active(pool, rq, i) {
			/* tasks in a ring must not be read: move them to the backlog */
			wpool_sched_spill(rq);
			count_in(&rq->backlog.lock, &rq->backlog.tasks, &count);
		}
		count_in(&pool->globq.lock, &pool->globq.tasks, &count);
		count_in(&pool->urgent.lock, &pool->urgent.tasks, &count);
		/* events and strands; the entry of a submitter that waits names no function */
		count_in(&pool->admission.lock, &pool->admission.waiters, &count);
		if (count.nr)
			pr_err("%s: module %s is unloaded while %u of its %ps are queued here\n",
			       pool->name, mod->name, count.nr, (void *)count.func);
	} while (count.nr);
}

static void tell_running(struct wpool *pool, const struct module *mod)
{
	struct wpool_worker *w;
	void *func;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		func = READ_ONCE(w->func);
		if (READ_ONCE(w->task) && within_module((unsigned long)func, mod))
			pr_err("%s: module %s is unloaded while its %ps runs here\n",
			       pool->name, mod->name, func);
	}
	rcu_read_unlock();
}

/* Log the functions of a module that a pool of another owner calls. Returns false: visit all. */
static bool tell_tasks(struct wpool *pool, const void *mod)
{
	if (pool->owner != mod) {
		/* queued tasks first: a task that starts meanwhile is found running */
		tell_queued(pool, mod);
		tell_running(pool, mod);
	}
	return false;
}

/* Can the module have tasks? Not if it uses no other module, since then it does not use wpool. */
static bool uses_modules(const struct module *mod)
{
#ifdef CONFIG_MODULE_UNLOAD
	return !list_empty(&mod->target_list);
#else
	return true;
#endif
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
	/* the module's tasks in pools of others cannot be stopped, and may crash soon: log them */
	if (uses_modules(mod))
		wpool_registry_find(tell_tasks, mod);
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

	unregister_module_notifier(&module_nb);
	/* the pools that are left have no owner: a module that owns one keeps this module loaded */
	while ((pool = wpool_registry_find(is_left, NULL))) {
		pr_err("%s: was not destroyed by its creator: destroying it\n", pool->name);
		destroy_left(pool);
	}
}
