// SPDX-License-Identifier: GPL-2.0
/* The scheduling class of workers, see class.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "core/class.h"

#include <linux/build_bug.h>
#include <linux/printk.h>
#include <linux/sched/prio.h>
#include <uapi/linux/sched/types.h>

#include "core/state.h"

static_assert(MAX_RT_PRIO - 1 == WPOOL_MAX_PRIORITY);
/* the priorities that sched_set_fifo_low() and sched_set_fifo() set */
static_assert(WPOOL_SCHED_FIFO_LOW == 1);
static_assert(MAX_RT_PRIO / 2 == WPOOL_SCHED_FIFO);

void wpool_class_set(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct sched_attr attr = {
		.sched_policy = pool->sched == WPOOL_SCHED_NORMAL ? SCHED_NORMAL : SCHED_FIFO,
		.sched_priority = pool->sched,
		.sched_nice = pool->nice,
	};

	lockdep_assert_held(&pool->workers.mutex);
	/* sched_set_fifo() can set only one priority */
	WARN_ON_ONCE(sched_setattr_nocheck(w->thread, &attr));
	/* SCHED_FIFO: the nice value has no effect now, but /proc shows it */
	set_user_nice(w->thread, pool->nice);
	WRITE_ONCE(w->prio, w->thread->normal_prio);
}

/* Is the calling worker scheduled as its pool has set it? */
static bool class_is_set(const struct wpool *pool)
{
	u32 priority = READ_ONCE(pool->sched);

	return current->policy == (priority ? SCHED_FIFO : SCHED_NORMAL) &&
	       current->rt_priority == priority && task_nice(current) == READ_ONCE(pool->nice);
}

void wpool_class_restore(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (likely(class_is_set(pool)) || !mutex_trylock(&pool->workers.mutex))
		return;
	/* a tune may have been setting the class meanwhile */
	if (!class_is_set(pool)) {
		if (!pool->class_reported) {
			WRITE_ONCE(pool->class_reported, true);
			pr_warn("%s: worker %d: scheduling changed from outside after %ps: policy %u, priority %u, nice %d, taken back; write nice or sched instead\n",
				pool->name, current->pid, READ_ONCE(w->func), current->policy,
				current->rt_priority, task_nice(current));
		}
		wpool_class_set(w);
	}
	mutex_unlock(&pool->workers.mutex);
}
