// SPDX-License-Identifier: GPL-2.0
/* Tasks and workers that must be ended in process context, see tidy_queue.h. */
#include "core/tidy_queue.h"

#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/list.h>

#include "core/state.h"

/*
 * Unbound: fault and abort functions may sleep for any time. @reclaim_wq is for pools with reclaim:
 * without memory for a new kworker, one thread runs all its works, one after the other.
 */
static struct workqueue_struct *normal_wq, *reclaim_wq;
struct workqueue_struct *wpool_short_wq;

void wpool_tidy_queue_init(struct wpool_tidy *tidy, struct wpool *pool, work_func_t serve)
{
	tidy->pool = pool;
	raw_spin_lock_init(&tidy->lock);
	INIT_LIST_HEAD(&tidy->tasks);
	INIT_LIST_HEAD(&tidy->workers);
	INIT_WORK(&tidy->work, serve);
}

/*
 * Something was added: queue the work, unless it is queued or running. After the caller's unlock
 * the work may have ended, and the pool with it: interrupts are off, so RCU keeps the lock.
 */
static void queue_sweep(struct wpool_tidy *tidy)
	__must_hold(&tidy->lock)
{
	lockdep_assert_held(&tidy->lock);
	/* without a reference a pool has no tasks: nothing is left to sweep */
	if (tidy->is_queued || !kobject_get_unless_zero(&tidy->pool->dev.kobj))
		return;
	WRITE_ONCE(tidy->is_queued, true);
	queue_work(tidy == &tidy->pool->tidy_joinable ? wpool_short_wq :
		   READ_ONCE(tidy->pool->reclaim) ? reclaim_wq : normal_wq, &tidy->work);
}

void wpool_tidy_task(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_tidy *tidy = task->flags & WPOOL_TASK_DETACHED ? &pool->tidy :
								      &pool->tidy_joinable;

	raw_spin_lock(&tidy->lock);
	list_add_tail(&task->node, &tidy->tasks);
	WRITE_ONCE(tidy->nr, tidy->nr + 1);
	queue_sweep(tidy);
	raw_spin_unlock(&tidy->lock);
}

void wpool_tidy_worker(struct wpool_worker *w)
{
	struct wpool_tidy *tidy = &w->pool->tidy;

	raw_spin_lock_irq(&tidy->lock);
	list_add_tail(&w->dead_node, &tidy->workers);
	queue_sweep(tidy);
	raw_spin_unlock_irq(&tidy->lock);
}

void wpool_tidy_sweep(struct wpool_tidy *tidy)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tidy->lock, flags);
	tidy->sweep = true;
	queue_sweep(tidy);
	raw_spin_unlock_irqrestore(&tidy->lock, flags);
}

bool wpool_tidy_next(struct wpool_tidy *tidy, struct wpool_worker **worker,
		     struct wpool_task **task)
{
	bool any = true;

	*task = NULL;
	raw_spin_lock_irq(&tidy->lock);
	/* tasks last: new tasks may come all the time */
	*worker = list_first_entry_or_null(&tidy->workers, struct wpool_worker, dead_node);
	if (*worker) {
		list_del(&(*worker)->dead_node);
	} else if (tidy->sweep) {
		tidy->sweep = false;
	} else {
		*task = list_first_entry_or_null(&tidy->tasks, struct wpool_task, node);
		if (*task) {
			list_del(&(*task)->node);
			WRITE_ONCE(tidy->nr, tidy->nr - 1);
		}
		any = *task;
	}
	WRITE_ONCE(tidy->is_queued, any);
	raw_spin_unlock_irq(&tidy->lock);
	return any;
}

int wpool_tidy_init(void)
{
	/* high priority: wpool_destroy() waits for these works */
	unsigned int flags = WQ_UNBOUND | WQ_HIGHPRI;

	normal_wq = alloc_workqueue("wpool_tidy", flags, WQ_MAX_ACTIVE);
	reclaim_wq = alloc_workqueue("wpool_tidy_reclaim", flags | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	wpool_short_wq = alloc_workqueue("wpool_short", flags | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	if (!normal_wq || !reclaim_wq || !wpool_short_wq) {
		wpool_tidy_exit();
		return -ENOMEM;
	}
	return 0;
}

void wpool_tidy_exit(void)
{
	if (normal_wq)
		destroy_workqueue(normal_wq);
	if (reclaim_wq)
		destroy_workqueue(reclaim_wq);
	if (wpool_short_wq)
		destroy_workqueue(wpool_short_wq);
}
