// SPDX-License-Identifier: GPL-2.0
/* The queue of the reaper, see reap_queue.h. */
#include "core/reap_queue.h"

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "core/state.h"

/* Protects the lists; raw: threads that end take it. */
static DEFINE_RAW_SPINLOCK(lock);
/* Workers whose threads have ended or are about to. */
static LIST_HEAD(dead);
/* Cancelled tasks, linked by their node. */
static LIST_HEAD(dropped);
/* Pools with tasks that have waited for too long, linked by sweep_node, with a reference. */
static LIST_HEAD(overdue);

static struct task_struct *reaper;

void wpool_reap_worker(struct wpool_worker *w)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_add_tail(&w->dead_node, &dead);
	raw_spin_unlock_irqrestore(&lock, flags);
	wake_up_process(reaper);
}

void wpool_reap_task(struct wpool_task *task)
{
	bool first;

	raw_spin_lock(&lock);
	first = list_empty(&dropped);
	list_add_tail(&task->node, &dropped);
	raw_spin_unlock(&lock);
	/* otherwise the reaper is awake, and takes tasks until there are none */
	if (first)
		wake_up_process(reaper);
}

struct wpool_task *wpool_reap_next_task(void)
{
	struct wpool_task *task;

	raw_spin_lock_irq(&lock);
	task = list_first_entry_or_null(&dropped, struct wpool_task, node);
	if (task)
		list_del(&task->node);
	raw_spin_unlock_irq(&lock);
	return task;
}

void wpool_reap_overdue(struct wpool *pool)
{
	unsigned long flags;
	bool added = false;

	raw_spin_lock_irqsave(&lock, flags);
	/* a pool that is as good as gone has no tasks */
	if (list_empty(&pool->sweep_node) && kobject_get_unless_zero(&pool->dev.kobj)) {
		list_add_tail(&pool->sweep_node, &overdue);
		added = true;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (added)
		wake_up_process(reaper);
}

struct wpool *wpool_reap_next_pool(void)
{
	struct wpool *pool;

	raw_spin_lock_irq(&lock);
	pool = list_first_entry_or_null(&overdue, struct wpool, sweep_node);
	if (pool)
		list_del_init(&pool->sweep_node);
	raw_spin_unlock_irq(&lock);
	return pool;
}

void wpool_reap_workers(struct list_head *list)
{
	raw_spin_lock_irq(&lock);
	list_splice_tail_init(&dead, list);
	raw_spin_unlock_irq(&lock);
}

bool wpool_reap_is_empty(void)
{
	bool ret;

	raw_spin_lock_irq(&lock);
	ret = list_empty(&dead) && list_empty(&dropped) && list_empty(&overdue);
	raw_spin_unlock_irq(&lock);
	return ret;
}

void wpool_reap_attach(struct task_struct *thread)
{
	reaper = thread;
}
