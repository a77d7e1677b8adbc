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

u32 wpool_affinity_count(struct wpool *pool, const struct cpumask *mask)
{
	u32 nr = 0, in_cpuset = 0, all = 0;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	mutex_lock(&wpool_free_mutex);
	for_each_cpu(cpu, &wpool_usable) {
		all++;
		if (!cpumask_test_cpu(cpu, pool->cpuset))
			continue;
		in_cpuset++;
		nr += mask ? cpumask_test_cpu(cpu, mask) : wpool_housekeeping_has(cpu);
	}
	mutex_unlock(&wpool_free_mutex);
	return nr ?: in_cpuset ?: all;
}

static void find_homes(struct wpool *pool)
{
	/* the homes may be read now: they change from the old ones to the new ones */
	static struct cpumask found;

	if (pool->follows)
		wpool_housekeeping_copy(pool->cpumask);
	rcu_read_lock();
	/* as in wpool_homes_choose() */
	data_race(cpumask_and(pool->cpuset, wpool_housekeeping_cpuset(pool), cpu_possible_mask));
	rcu_read_unlock();
	wpool_homes_choose(&found, pool->cpumask, pool->cpuset);
	cpumask_copy(pool->homes, &found);
}

/* Is @cpu excluded as a home of workers? */
static bool is_out(struct wpool *pool, int cpu)
{
	return !cpumask_test_cpu(cpu, pool->homes) || !cpumask_test_cpu(cpu, &wpool_usable);
}

void wpool_affinity_set(struct wpool *pool)
{
	struct wpool_worker *w;
	struct wpool_runq *rq;
	u32 nr = 0;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	mutex_lock(&wpool_free_mutex);
	find_homes(pool);
	wpool_for_each_runq(pool, rq, cpu) {
		/* a CPU that has a run queue is coming, or has been online: these are known */
		WRITE_ONCE(pool->sites[cpu].node, cpu_to_node(cpu));
		if (by_cache)
			WRITE_ONCE(pool->sites[cpu].cache, compat_cache_of(cpu));
		if (is_out(pool, cpu))
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
		if (is_out(pool, cpu))
			WRITE_ONCE(rq->redirect, true);
	mutex_unlock(&wpool_free_mutex);
	/* the work changes the capacity, see pool/tune.c */
	if (pool->capacity_per_cpu)
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
	if (!wpool_housekeeping_cpuset_is(pool, pool->cpuset))
		wpool_affinity_update(pool, NULL);
}
