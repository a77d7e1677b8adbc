// SPDX-License-Identifier: GPL-2.0
/* The queue of the reaper, see reap_queue.h. */
#include "core/reap_queue.h"

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "core/state.h"

/* Protects the list; raw: threads that end take it. */
static DEFINE_RAW_SPINLOCK(lock);
/* Workers whose threads have ended or are about to. */
static LIST_HEAD(dead);

static struct task_struct *reaper;

void wpool_reap_worker(struct wpool_worker *w)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_add_tail(&w->dead_node, &dead);
	raw_spin_unlock_irqrestore(&lock, flags);
	wake_up_process(reaper);
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
	ret = list_empty(&dead);
	raw_spin_unlock_irq(&lock);
	return ret;
}

void wpool_reap_attach(struct task_struct *thread)
{
	reaper = thread;
}
