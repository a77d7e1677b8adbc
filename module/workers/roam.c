// SPDX-License-Identifier: GPL-2.0
/* Workers that may leave their home CPU, see roam.h. */
#include "workers/roam.h"

#include <linux/cpumask.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "core/housekeeping.h"
#include "core/idle.h"
#include "core/state.h"

/* also protects the masks below, see roam.h */
DEFINE_MUTEX(wpool_free_mutex);
struct cpumask wpool_usable;
/* the CPUs of a pool, and those of them to which a worker can be moved now */
static struct cpumask free_mask, safe_mask;

void wpool_homes_choose(struct cpumask *homes, const struct cpumask *cpumask,
			const struct cpumask *cpuset)
{
	lockdep_assert_held(&wpool_free_mutex);
	/* if the kernel writes it now, the monitor sees a difference later */
	data_race(cpumask_and(homes, cpumask, cpuset));
	if (!cpumask_intersects(homes, &wpool_usable))
		/* the same */
		data_race(cpumask_and(homes, cpu_possible_mask, cpuset));
	/* if no CPU of the cpuset is online, any CPU is better than none */
	if (!cpumask_intersects(homes, &wpool_usable))
		cpumask_copy(homes, cpu_possible_mask);
}

/* If a worker parked at home before it was freed, let it go home once more. */
static void call_home(struct wpool *pool, struct task_struct *thread)
{
	struct wpool_worker *w;

	/* the mask is set, then @parked is read; pairs with wpool_park_join:A */
	smp_mb();
	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (w->thread != thread)
			continue;
		if (READ_ONCE(w->parked))
			wpool_idle_wake_runq(READ_ONCE(w->rq));
		break;
	}
	rcu_read_unlock();
}

void wpool_workers_set_free(struct wpool *pool)
{
	struct task_struct *thread;
	struct wpool_worker *w;

again:
	mutex_lock(&wpool_free_mutex);
	rcu_read_lock();
	/* the cpuset may have changed since the homes were found */
	wpool_homes_choose(&free_mask, pool->homes, wpool_housekeeping_cpuset(pool));
	cpumask_and(&safe_mask, &free_mask, &wpool_usable);
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
			set_cpus_allowed_ptr(thread, &free_mask);
		mutex_unlock(&wpool_free_mutex);
		call_home(pool, thread);
		put_task_struct(thread);
		cond_resched();
		goto again;
	}
	rcu_read_unlock();
	mutex_unlock(&wpool_free_mutex);
}
