// SPDX-License-Identifier: GPL-2.0
/* The CPUs of the kernel's own threads, see housekeeping.h. */
#include "core/housekeeping.h"

#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>

#include "compat.h"
#include "core/registry.h"
#include "core/state.h"

/* The set that pools have seen; after init only the work writes this. */
static struct cpumask seen;
static void (*changed_fn)(struct wpool *pool, void *data);

static void tell_pools(struct work_struct *work)
{
	/* if the set changes again now, the pools or the next check, or both, see the change */
	wpool_housekeeping_copy(&seen);
	wpool_pools_walk(changed_fn, NULL);
}

static DECLARE_WORK(work, tell_pools);

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

void wpool_housekeeping_check(void)
{
	/* only the monitor calls this, one round after the other */
	static struct cpumask now;

	wpool_housekeeping_copy(&now);
	/* the work may be writing @seen: then it runs once more */
	if (!data_race(cpumask_equal(&now, &seen)))
		queue_work(system_dfl_wq, &work);
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

void wpool_housekeeping_init(void (*changed)(struct wpool *pool, void *data))
{
	changed_fn = changed;
	wpool_housekeeping_copy(&seen);
}

void wpool_housekeeping_exit(void)
{
	cancel_work_sync(&work);
}
