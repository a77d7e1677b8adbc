// SPDX-License-Identifier: GPL-2.0
/* On which CPUs workers are at home, see affinity.h. */
#include "workers/affinity.h"

#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/housekeeping.h"
#include "core/idle.h"
#include "core/sched.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "task/waiters.h"
#include "workers/roam.h"

static bool by_cache = true;
module_param(by_cache, bool, 0444);
MODULE_PARM_DESC(by_cache, "wake and steal first where the last-level cache is the same (default: Y)");

/* Can @cpu be a home of workers? Not if it is going offline. */
static bool is_usable(int cpu)
{
	return cpu_online(cpu) && !cpu_dying(cpu);
}

/* Is @cpu excluded as a home of workers? @none: no CPU of pool->homes is usable */
static bool is_out(struct wpool *pool, int cpu, bool none)
{
	return !is_usable(cpu) || (!none && !cpumask_test_cpu(cpu, pool->homes));
}

u32 wpool_affinity_count(struct wpool *pool, const struct cpumask *mask)
{
	u32 nr = 0, all = 0;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	for_each_cpu(cpu, pool->cpuset) {
		if (!is_usable(cpu))
			continue;
		all++;
		nr += mask ? cpumask_test_cpu(cpu, mask) : wpool_housekeeping_has(cpu);
	}
	return nr ?: all ?: num_online_cpus();
}

/* The CPUs of the pool's cpuset: all, if the pool has no cgroups. Under RCU, which keeps them. */
static const struct cpumask *cpuset_of(struct wpool *pool)
{
	struct task_struct *anchor = READ_ONCE(pool->anchor);

	return anchor ? &anchor->cpus_mask : cpu_possible_mask;
}

static void find_homes(struct wpool *pool)
{
	if (pool->follows)
		wpool_housekeeping_copy(pool->cpumask);
	rcu_read_lock();
	/* the cpuset may change meanwhile: then the workers are moved again, and look again */
	data_race(cpumask_and(pool->cpuset, cpuset_of(pool), cpu_possible_mask));
	rcu_read_unlock();
	/* never empty, also for those who read it now */
	if (cpumask_intersects(pool->cpumask, pool->cpuset))
		cpumask_and(pool->homes, pool->cpumask, pool->cpuset);
	else
		cpumask_copy(pool->homes, pool->cpuset);
}

void wpool_affinity_set(struct wpool *pool)
{
	struct wpool_worker *w;
	struct wpool_runq *rq;
	u32 nr = 0;
	bool none = true;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	mutex_lock(&wpool_free_mutex);
	find_homes(pool);
	mutex_unlock(&wpool_free_mutex);
	/* if no CPU of the mask is online, any CPU is better than none */
	for_each_cpu(cpu, pool->homes)
		none = none && !is_usable(cpu);
	wpool_for_each_runq(pool, rq, cpu) {
		/* a CPU that has a run queue is coming, or has been online: these are known */
		WRITE_ONCE(pool->sites[cpu].node, cpu_to_node(cpu));
		if (by_cache)
			WRITE_ONCE(pool->sites[cpu].cache, compat_cache_of(cpu));
		if (is_out(pool, cpu, none))
			continue;
		nr++;
		if (!rq->redirect)
			continue;
		WRITE_ONCE(rq->redirect, false);
		/* if other CPUs have more than one idle worker, move one to a CPU without any */
		if (!READ_ONCE(rq->nr_workers) && wpool_idle_nr(pool) > 1)
			wpool_idle_move(pool, rq);
	}
	/*
	 * Exclude CPUs only after new ones are allowed: a worker without an allowed home would look
	 * for one again and again, and could keep the CPU from this thread.
	 */
	wpool_for_each_runq(pool, rq, cpu)
		if (is_out(pool, cpu, none))
			WRITE_ONCE(rq->redirect, true);
	/* the work changes the capacity, see pool/tune.c; destruction cancels it once */
	if (pool->capacity_per_cpu && pool->state != WPOOL_DESTROYED)
		schedule_delayed_work(&pool->follow_work, 0);
	WRITE_ONCE(pool->nr_cpus, nr);
	wpool_waiters_resize(pool);
	/* wake workers whose home is no longer allowed; let others take the tasks queued there */
	wpool_for_each_runq(pool, rq, cpu) {
		if (READ_ONCE(rq->redirect)) {
			wpool_idle_wake_runq(rq);
			wpool_sched_leave(rq);
		}
	}
	/* a thread may keep an excluded CPU: let workers go that wait for it, or sleep there */
	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (READ_ONCE(READ_ONCE(w->rq)->redirect)) {
			WRITE_ONCE(w->may_roam, true);
			wpool_tidy_sweep(&pool->tidy_joinable);
		}
	}
	rcu_read_unlock();
	wpool_reserve_follow(pool);
}

void wpool_affinity_update(struct wpool *pool, void *data)
{
	mutex_lock(&pool->tune_mutex);
	wpool_affinity_set(pool);
	mutex_unlock(&pool->tune_mutex);
}

void wpool_affinity_look(struct wpool *pool)
{
	bool same;

	rcu_read_lock();
	/* a change at this moment is seen by the thread that makes it, or by the next look */
	same = data_race(cpumask_equal(pool->cpuset, cpuset_of(pool)));
	rcu_read_unlock();
	if (!same)
		wpool_affinity_update(pool, NULL);
}
