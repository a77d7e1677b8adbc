// SPDX-License-Identifier: GPL-2.0
/* Which worker runs this code, see current.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "core/current.h"

#include <linux/cache.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/printk.h>

#include "core/state.h"

int (*wpool_worker_fn)(void *worker) __ro_after_init;

struct wpool_worker *__wpool_worker_current(void)
{
	if (!in_task() || kthread_func(current) != wpool_worker_fn)
		return NULL;
	return kthread_data(current);
}

void wpool_worker_set_func(void *func)
{
	struct wpool_worker *w = wpool_worker_current();

	if (w && READ_ONCE(w->task))
		WRITE_ONCE(w->func, func);
}
EXPORT_SYMBOL_GPL(wpool_worker_set_func);

bool wpool_in_own_task(const struct wpool *pool)
{
	struct wpool_worker *w = wpool_worker_current();

	return w && w->pool == pool;
}

bool wpool_refuse_own_task(const struct wpool *pool, const char *caller)
{
	bool own = wpool_in_own_task(pool);

	if (own)
		pr_warn_ratelimited("%s: refused %s() in one of its own tasks\n",
				    pool->name, caller);
	return own;
}

#ifdef CONFIG_LOCKDEP

void wpool_lockdep_wait(struct wpool *pool)
{
	struct wpool_worker *w = wpool_worker_current();

	lock_map_acquire(&pool->lockdep_map);
	lock_map_release(&pool->lockdep_map);
	if (!w || w->pool == pool || !READ_ONCE(w->pool->reclaim) || READ_ONCE(pool->reclaim) ||
	    READ_ONCE(w->pool->reserve.wait_reported))
		return;
	WRITE_ONCE(w->pool->reserve.wait_reported, true);
	pr_warn("%s: %ps waits for pool %s, which has no rescuer: this may deadlock when memory is short\n",
		w->pool->name, READ_ONCE(w->func), pool->name);
}

#endif
