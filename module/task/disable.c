// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that refuse their submits for a while, as disable_work_sync(). A disabled task is IDLE
 * with a count beside it, so no claim's exchange succeeds, and whoever runs, finishes or waits
 * for tasks knows nothing of it. Events have a count of their own, see event.c.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/wpool.h>

#include "task/task.h"

int wpool_task_disable_sync(struct wpool_task *task)
{
	int ret, old;

	do {
		ret = wpool_task_cancel_sync(task);
		if (ret == -EINVAL || ret == -EDEADLK || ret == -EINTR)
			return ret;
		old = atomic_read(&task->state);
		/* or it was submitted anew since then */
	} while ((old & WPOOL_ST_MASK) != WPOOL_ST_IDLE ||
		 !atomic_try_cmpxchg(&task->state, &old, old + WPOOL_ST_DISABLED));
	/* if it was, and has finished: what became of the last submit, and its accounts */
	return wpool_task_wait(task);
}
EXPORT_SYMBOL_GPL(wpool_task_disable_sync);

bool wpool_task_enable(struct wpool_task *task)
{
	int old = atomic_read(&task->state);

	do {
		if (WARN_ON_ONCE((old & WPOOL_ST_MASK) != WPOOL_ST_IDLE ||
				 old == WPOOL_ST_IDLE))
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, old - WPOOL_ST_DISABLED));

	return old == WPOOL_ST_DISABLED;
}
EXPORT_SYMBOL_GPL(wpool_task_enable);
