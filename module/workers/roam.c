// SPDX-License-Identifier: GPL-2.0
/* Workers that may leave their home CPU, see roam.h. */
#include "workers/roam.h"

#include <linux/cpumask.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "core/state.h"

/* also protects the mask below, see roam.h */
DEFINE_MUTEX(wpool_free_mutex);
/* the CPUs to which a worker of a pool can be moved now */
static struct cpumask safe_mask;

void wpool_workers_set_free(struct wpool *pool)
{
	struct task_struct *thread;
	struct wpool_worker *w;

again:
	mutex_lock(&wpool_free_mutex);
	cpumask_and(&safe_mask, pool->homes, cpu_online_mask);
	cpumask_andnot(&safe_mask, &safe_mask, cpu_dying_mask);
	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (!READ_ONCE(w->may_roam))
			continue;
		WRITE_ONCE(w->may_roam, false);
		thread = w->thread;
		/* the kernel would wait for a thread that has an excluded CPU, or is pinned */
		if (!cpumask_test_cpu(task_cpu(thread), &safe_mask) &&
		    (compat_has_cpu(thread) || compat_migration_disabled(thread)))
			continue;
		get_task_struct(thread);
		rcu_read_unlock();
		/* the second call moves nothing; without a safe CPU the kernel finds one */
		if (!set_cpus_allowed_ptr(thread, &safe_mask))
			set_cpus_allowed_ptr(thread, pool->homes);
		put_task_struct(thread);
		mutex_unlock(&wpool_free_mutex);
		cond_resched();
		goto again;
	}
	rcu_read_unlock();
	mutex_unlock(&wpool_free_mutex);
}
