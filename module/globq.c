// SPDX-License-Identifier: GPL-2.0
/*
 * The global queue of a pool, see globq.h. One lock, no other state: a full ring
 * comes here once in 128 pushes, a worker once in 61 looks; only a CPU without
 * workers at home comes with every push.
 */
#include "globq.h"

#include <linux/wpool.h>

void wpool_globq_init(struct wpool_globq *gq)
{
	raw_spin_lock_init(&gq->lock);
	INIT_LIST_HEAD(&gq->tasks);
	gq->nr = 0;
}

void wpool_globq_push(struct wpool_globq *gq, struct wpool_task *const *tasks,
		      u32 nr)
{
	u32 i;

	raw_spin_lock(&gq->lock);
	for (i = 0; i < nr; i++) {
		list_add_tail(&tasks[i]->node, &gq->tasks);
		tasks[i]->in_globq = 1;
	}
	WRITE_ONCE(gq->nr, gq->nr + nr);
	raw_spin_unlock(&gq->lock);
}

static void del_locked(struct wpool_globq *gq, struct wpool_task *task)
	__must_hold(&gq->lock)
{
	lockdep_assert_held(&gq->lock);
	list_del(&task->node);
	task->in_globq = 0;
	WRITE_ONCE(gq->nr, gq->nr - 1);
}

u32 wpool_globq_pop(struct wpool_globq *gq, struct wpool_task **tasks, u32 max)
{
	struct wpool_task *task;
	u32 n = 0;

	if (!wpool_globq_len(gq))
		return 0;

	raw_spin_lock(&gq->lock);
	while (n < max) {
		task = list_first_entry_or_null(&gq->tasks, struct wpool_task, node);
		if (!task)
			break;
		del_locked(gq, task);
		tasks[n++] = task;
	}
	raw_spin_unlock(&gq->lock);
	return n;
}

bool wpool_globq_remove(struct wpool_globq *gq, struct wpool_task *task)
{
	bool found;

	raw_spin_lock(&gq->lock);
	found = task->in_globq;
	if (found)
		del_locked(gq, task);
	raw_spin_unlock(&gq->lock);
	return found;
}
