// SPDX-License-Identifier: GPL-2.0
/*
 * The global queue of a pool, see globq.h. One lock, no other state. A full ring comes
 * here once in 64 pushes, a worker once in 61 looks or once a tick; only a CPU without
 * a worker comes here with every push.
 */
#include "core/globq.h"

#include <linux/wpool.h>

void wpool_globq_init(struct wpool_globq *gq)
{
	raw_spin_lock_init(&gq->lock);
	INIT_LIST_HEAD(&gq->tasks);
	gq->nr = 0;
}

static inline void mark(struct wpool_task *task, bool on)
{
	unsigned long pool = (unsigned long)task->pool & ~WPOOL_TASK_IN_GLOBQ;

	WRITE_ONCE(task->pool, (struct wpool *)(pool | (on ? WPOOL_TASK_IN_GLOBQ : 0)));
}

/*
 * Linked by hand, here and in wpool_globq_pop(): tasks come and go by the hundred, and
 * a hardened list would check each of them twice.
 */
static void link_behind(struct wpool_globq *gq, struct list_head *last,
			struct wpool_task *const *tasks, u32 nr)
	__must_hold(&gq->lock)
{
	struct list_head *first = last->next;
	u32 i;

	for (i = 0; i < nr; i++) {
		last->next = &tasks[i]->node;
		tasks[i]->node.prev = last;
		mark(tasks[i], true);
		last = &tasks[i]->node;
	}
	last->next = first;
	first->prev = last;
	WRITE_ONCE(gq->nr, gq->nr + nr);
}

void wpool_globq_push(struct wpool_globq *gq, struct wpool_task *const *tasks,
		      u32 nr)
{
	raw_spin_lock(&gq->lock);
	link_behind(gq, gq->tasks.prev, tasks, nr);
	raw_spin_unlock(&gq->lock);
}

void wpool_globq_push_first(struct wpool_globq *gq, struct wpool_task *const *tasks,
			    u32 nr)
{
	raw_spin_lock(&gq->lock);
	link_behind(gq, &gq->tasks, tasks, nr);
	raw_spin_unlock(&gq->lock);
}

u32 wpool_globq_pop(struct wpool_globq *gq, struct wpool_task **tasks, u32 max)
{
	struct list_head *first;
	u32 n = 0;

	if (!wpool_globq_len(gq))
		return 0;

	raw_spin_lock(&gq->lock);
	for (first = gq->tasks.next; n < max && first != &gq->tasks; n++) {
		tasks[n] = list_entry(first, struct wpool_task, node);
		mark(tasks[n], false);
		first = first->next;
	}
	gq->tasks.next = first;
	first->prev = &gq->tasks;
	WRITE_ONCE(gq->nr, gq->nr - n);
	WRITE_ONCE(gq->popped, gq->popped + n);
	raw_spin_unlock(&gq->lock);
	return n;
}

bool wpool_globq_remove(struct wpool *pool, struct wpool_globq *gq, struct wpool_task *task)
{
	bool found;

	raw_spin_lock(&gq->lock);
	/* it may be in another pool's queue by now, under another lock */
	found = (unsigned long)READ_ONCE(task->pool) ==
		((unsigned long)pool | WPOOL_TASK_IN_GLOBQ);
	if (found) {
		list_del(&task->node);
		mark(task, false);
		WRITE_ONCE(gq->nr, gq->nr - 1);
	}
	raw_spin_unlock(&gq->lock);
	return found;
}
