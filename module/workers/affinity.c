// SPDX-License-Identifier: GPL-2.0
/*
 * On which CPUs workers are at home, which of them may leave their home, and what happens when a
 * CPU goes offline or comes online; see affinity.h.
 */
#include "workers/affinity.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/topology.h>

#include "compat.h"
#include "core/housekeeping.h"
#include "core/idle.h"
#include "core/registry.h"
#include "core/runq_alloc.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/wake.h"
#include "task/waiters.h"

static bool by_cache = true;
module_param(by_cache, bool, 0444);
MODULE_PARM_DESC(by_cache, "wake and steal near by core and last-level cache, not only by node (default: Y)");

/*
 * Protects the masks below. Held while workers are let off their CPUs, and while pool->homes
 * changes: otherwise a worker that has gone home meanwhile could be bound to the old CPUs. The
 * kernel may move a queued kthread to a CPU that is about to go offline, and leave the kthread
 * there. So a worker is first moved to CPUs that stay online (@safe_mask), and a CPU that goes
 * offline waits for the mutex before it is dead.
 */
static DEFINE_MUTEX(free_mutex);
/* the CPUs that may be homes */
static struct cpumask usable;
/* the CPUs of a pool, those of them to which a worker can be moved now, and those of the cpuset */
static struct cpumask found, safe_mask, cpuset_mask;

/*
 * Choose CPUs for workers. Set @cpuset to the cpuset of the pool's cgroup. Set @found to the CPUs
 * of @cpumask that are in @cpuset, or, if none of these is usable, to those of @cpuset, or else to
 * all. At least one is usable, unless all CPUs go offline.
 */
static void find_homes(struct wpool *pool, const struct cpumask *cpumask, struct cpumask *cpuset)
{
	lockdep_assert_held(&free_mutex);
	rcu_read_lock();
	/* if the kernel writes the cpuset now, the monitor sees a difference later */
	data_race(cpumask_and(cpuset, wpool_housekeeping_cpuset(pool), cpu_possible_mask));
	rcu_read_unlock();
	cpumask_and(&found, cpumask, cpuset);
	if (!cpumask_intersects(&found, &usable))
		cpumask_copy(&found, cpuset);
	/* if no CPU of the cpuset is online, any CPU is better than none */
	if (!cpumask_intersects(&found, &usable))
		cpumask_copy(&found, cpu_possible_mask);
}

u32 wpool_affinity_count(struct wpool *pool, const struct cpumask *mask)
{
	u32 nr;

	lockdep_assert_held(&pool->tune_mutex);
	mutex_lock(&free_mutex);
	if (!mask)
		wpool_housekeeping_copy(&found);
	find_homes(pool, mask ?: &found, &cpuset_mask);
	cpumask_and(&found, &found, &usable);
	nr = cpumask_weight(&found);
	mutex_unlock(&free_mutex);
	return nr;
}

/* Is @cpu excluded as a home of workers? */
static bool is_out(struct wpool *pool, int cpu)
{
	return !cpumask_test_cpu(cpu, pool->homes) || !cpumask_test_cpu(cpu, &usable);
}

/* The number of a CPU's core; 0 if the CPU has it alone */
static u32 core_of(int cpu)
{
	const struct cpumask *siblings = topology_sibling_cpumask(cpu);

	/* racy: a CPU that comes online meanwhile sets the sites of all pools again */
	return data_race(cpumask_weight(siblings) > 1 ? 1 + cpumask_first(siblings) : 0);
}

void wpool_affinity_set(struct wpool *pool)
{
	struct wpool_worker *w;
	struct wpool_runq *rq;
	bool more = false;
	u32 nr = 0;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	mutex_lock(&free_mutex);
	/* in the list, and following, before its CPUs are chosen: see wpool_housekeeping_check() */
	smp_mb();
	if (pool->follows)
		wpool_housekeeping_copy(pool->cpumask);
	find_homes(pool, pool->cpumask, pool->cpuset);
	/* a thread that reads pool->homes now finds each CPU as it was, or as it will be */
	cpumask_copy(pool->homes, &found);
	wpool_for_each_runq(pool, rq, cpu) {
		/* a CPU with a run queue is or was online, or comes: its site is known */
		WRITE_ONCE(pool->sites[cpu].node, cpu_to_node(cpu));
		if (by_cache) {
			WRITE_ONCE(pool->sites[cpu].cache, compat_cache_of(cpu));
			WRITE_ONCE(pool->sites[cpu].core, core_of(cpu));
		}
		if (is_out(pool, cpu))
			continue;
		nr++;
		if (!rq->redirect)
			continue;
		WRITE_ONCE(rq->redirect, false);
		more = true;
		/* if the CPU has no worker, move an idle one here, but not the last */
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
	mutex_unlock(&free_mutex);
	/* the work changes the capacity, see pool/tune.c */
	if (pool->capacity_per_cpu)
		queue_delayed_work(system_dfl_wq, &pool->follow_work, 0);
	WRITE_ONCE(pool->nr_cpus, nr);
	wpool_waiters_resize(pool);
	/* wake workers whose home is no longer allowed; let others take the tasks queued there */
	wpool_for_each_runq(pool, rq, cpu) {
		if (READ_ONCE(rq->redirect)) {
			wpool_idle_wake_runq(rq);
			wpool_sched_leave(rq);
		}
	}
	/*
	 * Workers of an excluded CPU may wait for it, or sleep in tasks: let them off the CPU. Give
	 * the new CPUs to those that are off their CPU already.
	 */
	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (READ_ONCE(READ_ONCE(w->rq)->redirect) ||
		    READ_ONCE(w->thread->nr_cpus_allowed) > 1) {
			WRITE_ONCE(w->may_roam, true);
			wpool_tidy_sweep(&pool->tidy_joinable);
		}
	}
	rcu_read_unlock();
	wpool_reserve_follow(pool);
	/* a destroyed pool has no run queue for a CPU that came up since */
	if (!more || pool->state == WPOOL_DESTROYED)
		return;
	/* wpool_affinity_set:A, see wake.c */
	smp_mb();
	local_irq_disable();
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	local_irq_enable();
}

void wpool_affinity_update(struct wpool *pool, void *data)
{
	mutex_lock(&pool->tune_mutex);
	wpool_affinity_set(pool);
	mutex_unlock(&pool->tune_mutex);
}

void wpool_affinity_check(struct wpool *pool)
{
	bool same;

	mutex_lock(&free_mutex);
	wpool_housekeeping_copy(&found);
	/* racy: a tune that writes cpumask now calls wpool_affinity_set() afterwards */
	same = !READ_ONCE(pool->follows) || data_race(cpumask_equal(&found, pool->cpumask));
	mutex_unlock(&free_mutex);
	if (!same || !wpool_housekeeping_cpuset_is(pool, pool->cpuset))
		wpool_affinity_update(pool, NULL);
}

int wpool_affinity_cpu(struct wpool *pool, int home)
{
	const struct cpumask *cpuset;
	int to = home, cpu;

	rcu_read_lock();
	cpuset = wpool_housekeeping_cpuset(pool);
	/* if one of the masks is being written, the worker looks again before its next task */
	if (data_race(cpumask_test_cpu(home, cpuset)))
		goto out;
	/* a CPU that goes offline is not active any more, but online for a while */
	for_each_cpu(cpu, cpu_active_mask) {
		/* as above */
		if (!data_race(cpumask_test_cpu(cpu, cpuset)))
			continue;
		to = cpu;
		/* as above */
		if (data_race(cpumask_test_cpu(cpu, pool->homes)))
			break;
	}
out:
	rcu_read_unlock();
	return to;
}

/* ---- workers that may leave their home CPU: a hog, and a worker of an excluded CPU ---- */

/*
 * Let a worker's thread off its CPU, to CPUs that stay online and are in the cpuset, which may have
 * changed since the homes were found. If the kernel changes the cpuset meanwhile, this has perhaps
 * undone what the kernel did to the thread: choose again.
 */
static void set_free(struct wpool *pool, struct task_struct *thread)
{
	mutex_lock(&free_mutex);
	do {
		find_homes(pool, pool->homes, &cpuset_mask);
		cpumask_and(&safe_mask, &found, &usable);
		/* the kernel would wait for a thread that has an excluded CPU, or is pinned */
		if (!cpumask_test_cpu(task_cpu(thread), &safe_mask) &&
		    (compat_has_cpu(thread) || compat_migration_disabled(thread)))
			break;
		/* the second call moves nothing; without a safe CPU the kernel finds one */
		if (!set_cpus_allowed_ptr(thread, &safe_mask))
			set_cpus_allowed_ptr(thread, &found);
	} while (!wpool_housekeeping_cpuset_is(pool, &cpuset_mask));
	mutex_unlock(&free_mutex);
}

void wpool_workers_set_free(struct wpool *pool)
{
	struct task_struct *thread;
	struct wpool_worker *w;
	bool ended;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (!READ_ONCE(w->may_roam))
			continue;
		WRITE_ONCE(w->may_roam, false);
		thread = get_task_struct(w->thread);
		rcu_read_unlock();
		set_free(pool, thread);
		cond_resched();
		/* the mask is set, then @parked is read; pairs with park_join:A */
		smp_mb();
		rcu_read_lock();
		/* the reaper takes a worker off the list only when its thread has ended */
		ended = READ_ONCE(thread->exit_state);
		put_task_struct(thread);
		if (ended) {
			/* RCU may not keep @w: begin again */
			wpool_tidy_sweep(&pool->tidy_joinable);
			break;
		}
		/* if it parked at home before it was let off its CPU, let it go home once more */
		if (READ_ONCE(w->parked))
			wpool_idle_wake_runq(READ_ONCE(w->rq));
	}
	rcu_read_unlock();
}

/* ---- CPU hotplug ---- */

/*
 * When a CPU begins to go offline, its run queues are marked. From then on pushes go to the global
 * queue, workers of other CPUs may take what is queued there, and the CPU's workers move to a new
 * home as soon as they are in no task. Hotplug does not wait for them. Once the CPU is online
 * again, pools that may use it remove the mark.
 */
static int online_state, prepare_state;

/* A CPU becomes usable as a home, or no worker is moved to the CPU any more. */
static void set_usable(unsigned int cpu, bool on)
{
	mutex_lock(&free_mutex);
	__assign_bit(cpu, cpumask_bits(&usable), on);
	mutex_unlock(&free_mutex);
	wpool_pools_walk(wpool_affinity_update, NULL);
}

struct change {
	int cpu;
	int err;
};

static void add_runq(struct wpool *pool, void *data)
{
	struct change *change = data;

	if (!change->err)
		change->err = wpool_runqs_add(pool, change->cpu, GFP_KERNEL);
}

/* Called before the CPU runs any code, because that code uses the CPU's run queues. */
static int cpu_prepare(unsigned int cpu)
{
	struct change change = { .cpu = cpu };

	wpool_pools_walk(add_runq, &change);
	return change.err;
}

static int cpu_up(unsigned int cpu)
{
	/* once more, for new pools: an administrator may have stopped the CPU half-way up */
	int err = cpu_prepare(cpu);

	if (!err)
		set_usable(cpu, true);
	return err;
}

static int cpu_down_begins(unsigned int cpu)
{
	set_usable(cpu, false);
	return 0;
}

int wpool_hotplug_init(void)
{
	prepare_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wpool:prepare",
						  cpu_prepare, NULL);
	if (prepare_state < 0)
		return prepare_state;
	/* calls cpu_up() for each CPU that is online */
	online_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "wpool:online",
					 cpu_up, cpu_down_begins);
	if (online_state >= 0)
		return 0;
	cpuhp_remove_state_nocalls(prepare_state);
	return online_state;
}

void wpool_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(prepare_state);
}
