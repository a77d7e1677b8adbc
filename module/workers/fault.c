// SPDX-License-Identifier: GPL-2.0
/*
 * Faults, see fault.h.
 *
 * A task_work that is added when the thread starts runs in do_exit(), even if the thread ends
 * because of an oops. There the task_work only passes the worker to the reaper: it must not sleep
 * or allocate, and may take only raw locks. When the thread is gone, tidy.c does the repairs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/fault.h"

#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "compat.h"
#include "core/handoff.h"
#include "core/notify.h"
#include "core/state.h"
#include "workers/owner_hooks.h"
#include "workers/reaper.h"

/*
 * The kernel counts for each CPU the threads that must not migrate, and does not subtract a thread
 * that ends in that state: the CPU could never go offline again.
 */
static void unpin_thread(void)
{
	while (compat_migration_disabled())
		migrate_enable();
}

/*
 * A worker holds the pool's lockdep map around each task. If a task ends its thread without an
 * oops, lockdep must complain only about locks of the task.
 */
static void release_map(struct wpool *pool)
{
#ifdef CONFIG_LOCKDEP
	if (lock_is_held(&pool->lockdep_map) == LOCK_STATE_HELD)
		lock_map_release(&pool->lockdep_map);
#endif
}

static void thread_ends(struct callback_head *work)
{
	struct wpool_worker *w = container_of(work, struct wpool_worker, exit_work);

	/* first of all: otherwise the notifier would still be called at the very last switch */
	wpool_handoff_unwatch(w);
	unpin_thread();
	release_map(w->pool);
	wpool_hooks_died(w);
	/* the reaper may drop w->memcg before the thread has ended */
	compat_set_active_memcg(NULL);
	wpool_reaper_add(w);
}

void wpool_fault_arm(struct wpool_worker *w)
{
	init_task_work(&w->exit_work, thread_ends);
	/* fails only for a thread whose exit work has already run */
	WARN_ON_ONCE(task_work_add(current, &w->exit_work, TWA_NONE));
}

void wpool_fault_report(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_fault fault = {
		.pool = pool->name,
		.task = (unsigned long)w->task,
		.func = w->func,
		.cpu = task_cpu(w->thread),
		.own = w->own,
	};

	atomic64_inc(&pool->workers.faults);
	wpool_notify_tell(pool);

	if (pool->hooks.fault)
		pool->hooks.fault(&fault, pool->hooks.fault_data);
	else
		pr_err_ratelimited("%s: a worker died in %ps on CPU %d; the pool continues\n",
				   pool->name, fault.func, fault.cpu);
}
