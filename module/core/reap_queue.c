// SPDX-License-Identifier: GPL-2.0
/* The queue of the reaper, see reap_queue.h. */
#include "core/reap_queue.h"

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/state.h"

/* Protects the list; raw: threads that end take it. */
static DEFINE_RAW_SPINLOCK(lock);
/* Workers whose threads have ended or are about to. */
static LIST_HEAD(dead);

static struct workqueue_struct *reap_wq;
static struct work_struct *reap_work;

void wpool_reap_worker(struct wpool_worker *w)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_add_tail(&w->dead_node, &dead);
	raw_spin_unlock_irqrestore(&lock, flags);
	queue_work(reap_wq, reap_work);
}

bool wpool_reap_workers(struct list_head *list)
{
	bool any;

	raw_spin_lock_irq(&lock);
	any = !list_empty(&dead);
	list_splice_tail_init(&dead, list);
	raw_spin_unlock_irq(&lock);
	return any;
}

void wpool_reap_attach(struct workqueue_struct *wq, struct work_struct *work)
{
	reap_wq = wq;
	reap_work = work;
}
