// SPDX-License-Identifier: GPL-2.0
/* The CPUs of the kernel's own threads, see housekeeping.h. */
#include "core/housekeeping.h"

#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>

#include "compat.h"
#include "core/registry.h"
#include "core/state.h"

/*
 * A worker keeps to the CPUs that are in both of these sets. DOMAIN: the CPUs that isolcpus= and
 * partitions leave to the kernel. WQ: the CPUs that nohz_full= leaves. The set KTHREAD is one of
 * these two, depending on the kernel's version.
 */
void wpool_housekeeping_copy(struct cpumask *mask)
{
	rcu_read_lock();
	cpumask_and(mask, housekeeping_cpumask(HK_TYPE_DOMAIN), housekeeping_cpumask(HK_TYPE_WQ));
	rcu_read_unlock();
}

static bool queue_follow_work(struct wpool *pool, void *unused)
{
	/* RCU keeps the pool, and free_pool() waits for the work */
	if (READ_ONCE(pool->follows))
		queue_delayed_work(system_dfl_wq, &pool->follow_work, 0);
	return false;
}

void wpool_housekeeping_check(void)
{
	/* only the monitor calls this, one round after the other */
	static struct cpumask now, seen;

	wpool_housekeeping_copy(&now);
	if (cpumask_equal(&now, &seen))
		return;
	cpumask_copy(&seen, &now);
	/* a pool that is not in the list reads the set later; pairs with wpool_affinity_set() */
	smp_mb();
	wpool_pools_walk_rcu(queue_follow_work, NULL);
}

const struct cpumask *wpool_housekeeping_cpuset(struct wpool *pool)
{
	/* the mask is in the memory of the thread; only set_cpus_allowed_ptr() writes it */
	struct task_struct *anchor = smp_load_acquire(&pool->anchor);

	return anchor ? &anchor->cpus_mask : cpu_possible_mask;
}

bool wpool_housekeeping_cpuset_is(struct wpool *pool, const struct cpumask *mask)
{
	bool ret;

	rcu_read_lock();
	/* the kernel, or a tune, may be writing one of the masks: a later round sees the change */
	ret = data_race(cpumask_equal(mask, wpool_housekeeping_cpuset(pool)));
	rcu_read_unlock();
	return ret;
}
