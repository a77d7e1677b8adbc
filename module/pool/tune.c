// SPDX-License-Identifier: GPL-2.0
/*
 * Tuning a pool under load: all or nothing, and exact when the call returns. attr_table.h says
 * which values are allowed.
 *
 * An attribute is a number that other threads read without a lock. If a change must hold for all
 * threads when the call returns, as a smaller capacity must, an RCU grace period shuts out threads
 * that have read the old value: they read it with interrupts or preemption off.
 *
 * Histograms begin at 0: tune_latency() clears them and then sets latency. Without tune_latency:A a
 * worker that sees latency on could add to counts that are not cleared yet.
 *
 * A call that sets capacity_per_cpu changes the capacity itself. When a CPU goes or comes, hotplug
 * (workers/affinity.c) only schedules pool->follow_work, a tune that sets no attribute and so only
 * changes the capacity. A decrease waits for a grace period, and an increase may allocate memory.
 * Hotplug takes tune_mutex, so it waits for at most one change that has begun. If the cpuset of the
 * pool's cgroup or the set of housekeeping CPUs has changed, the monitor schedules the work, which
 * then finds other homes first.
 *
 * Then the work takes the same mutexes as a tune, so it may wait for a tune that creates workers,
 * and for worker_start. Hotplug does not wait for these, because it does not take change_mutex, and
 * the work is cancelled without a lock. If the work runs late, it uses the number of CPUs at that
 * time; until then workers whose homes have left the cpuset share one CPU.
 */
#include "pool/tune.h"

#include <linux/container_of.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>

#include "compat.h"
#include "core/class.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/hist.h"
#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/registry.h"
#include "core/runq_alloc.h"
#include "core/runqs.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "pool/attrs.h"
#include "task/item.h"
#include "task/tokens.h"
#include "task/waiters.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/freezer.h"
#include "workers/rescuer.h"
#include "workers/spawner.h"

/* ---- limits: capacity, capacity_per_cpu, queue_depth and min_workers ---- */

u32 wpool_limits_most(const struct wpool_attrs *attrs)
{
	u64 most = (u64)attrs->capacity_per_cpu * num_possible_cpus();

	if (!most)
		return attrs->capacity;
	return min_t(u64, max_t(u64, most, attrs->min_workers), WPOOL_UNLIMITED);
}

bool wpool_limits_are_items(const struct wpool_attrs *attrs)
{
	int total = wpool_tokens_total(wpool_limits_most(attrs), attrs->queue_depth);

	return total == WPOOL_TOKENS_UNLIMITED || total <= WPOOL_MAX_FUNC_ITEMS;
}

/*
 * Change the limits; allocates nothing. If the pool has more workers than the new capacity, those
 * in excess take no further task. Sleeps.
 */
static void set_limits(struct wpool *pool, const struct wpool_attrs *attrs)
{
	u32 capacity = attrs->capacity;
	bool shrunk = capacity < pool->capacity;

	WRITE_ONCE(pool->min_workers, attrs->min_workers);
	WRITE_ONCE(pool->capacity_per_cpu, attrs->capacity_per_cpu);
	if (capacity == pool->capacity && attrs->queue_depth == pool->queue_depth)
		return;
	WRITE_ONCE(pool->capacity, capacity);
	WRITE_ONCE(pool->queue_depth, attrs->queue_depth);
	wpool_waiters_resize(pool);
	if (shrunk) {
		/* shuts out workers that read the old capacity, see look_for_task() */
		synchronize_rcu();
		/* idle workers beyond the new capacity wake up, and leave */
		if (READ_ONCE(pool->nr_workers) > capacity)
			wpool_idle_wake_all(pool);
	}
	/* set_limits:A, see core/wake.c */
	smp_mb();
	if (wpool_queues_len(pool))
		wpool_spawn_check(pool);
}

/* The items that a pool needs in its reserve; none without a function, or without a limit. */
static u32 items_needed(const struct wpool *pool, u32 capacity, u32 queue_depth)
{
	int total = wpool_tokens_total(capacity, queue_depth);

	return pool->func && total != WPOOL_TOKENS_UNLIMITED ? total : 0;
}

/* ---- all attributes ---- */

static void read_attrs(struct wpool *pool, struct wpool_attrs *attrs)
{
	lockdep_assert_held(&pool->tune_mutex);
#define WPOOL_ATTR(_name, ...)	{ WPOOL_COPY_ATTR(attrs, pool, _name); }
#include "pool/attr_table.h"
}

/*
 * Check the changes in @mask against the pool, and whether the attributes after the tune, @new, go
 * together. Only the author of a module knows whether its tasks may be dropped, so only the owner
 * may set an attribute that drops tasks.
 */
static int check_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask,
		      const struct wpool_attrs *new, bool by_owner, const char *tells)
{
	int err;

	if (pool->state == WPOOL_DESTROYED)
		return -ESHUTDOWN;
	if (pool->prealloc && mask & WPOOL_TUNE_CAPACITY)
		return wpool_attrs_refuse(-EINVAL, tells,
					  "capacity of a preallocated pool cannot be changed");
	if (mask & WPOOL_TUNE_CAPACITY && mask & WPOOL_TUNE_CAPACITY_PER_CPU &&
	    attrs->capacity_per_cpu)
		return wpool_attrs_refuse(-EINVAL, tells,
					  "capacity and capacity_per_cpu exclude each other");
	err = wpool_attrs_check_together(new, tells);
	if (err)
		return err;
	if (pool->func && !wpool_limits_are_items(new))
		return -ERANGE;
	if (new->policy != pool->policy &&
	    (new->policy == WPOOL_RUN || pool->policy == WPOOL_RUN))
		return wpool_attrs_refuse(-EINVAL, tells,
					  "policy cannot be changed to or from run");
	if (!wpool_is_users(pool) && !by_owner &&
	    ((new->policy == WPOOL_DROP_OLDEST && pool->policy != WPOOL_DROP_OLDEST) ||
	     (new->max_wait_ms && !pool->max_wait_ms)))
		return -EPERM;
	return 0;
}

static void tune_class(struct wpool *pool, const struct wpool_attrs *new)
{
	struct wpool_worker *w;

	mutex_lock(&pool->workers.mutex);
	WRITE_ONCE(pool->nice, new->nice);
	WRITE_ONCE(pool->sched, new->sched);
	WRITE_ONCE(pool->class_reported, false);
	list_for_each_entry(w, &pool->workers.list, node)
		wpool_class_set(w);
	mutex_unlock(&pool->workers.mutex);
}

/* Allocate the histograms for latency; they are kept until the pool is freed. */
static int add_hists(struct wpool *pool)
{
	int err;

	cpus_read_lock();
	mutex_lock(&pool->tune_mutex);
	err = wpool_runqs_add_hists(pool);
	mutex_unlock(&pool->tune_mutex);
	cpus_read_unlock();
	return err;
}

static void tune_latency(struct wpool *pool, bool latency)
{
	struct wpool_runq *rq;
	int cpu;

	if (latency && !pool->latency) {
		/* shuts out workers that have seen latency on, see hists_here() in run.c */
		synchronize_rcu();
		wpool_for_each_runq(pool, rq, cpu)
			wpool_hist_clear(rq->hists, sizeof(*rq->hists));
	}
	/* tune_latency:A, the counts are zero before latency is on, see hists_here() in run.c */
	smp_store_release(&pool->latency, latency);
}

/*
 * Create the workers that a pool with reclaim has from the start. Some may stay after an error. The
 * pool has its new limits already, so that new workers up to min_workers do not expire.
 *
 * tune_mutex is released while workers are created: worker_start may read the attributes, and wait
 * for CPU hotplug, which takes tune_mutex. The pool may be closed meanwhile; its destruction waits
 * for this thread, which counts as one of the pool's threads.
 */
static int make_reserve(struct wpool *pool, const struct wpool_attrs *new, u32 mask)
{
	bool enable = new->reclaim && !pool->reclaim;
	int err = 0;

	if (!enable && !(new->reclaim && mask & WPOOL_TUNE_MIN_WORKERS))
		return 0;
	/* from now on a worker that leaves becomes the rescuer, if there is none */
	if (enable)
		WRITE_ONCE(pool->reclaim, true);
	wpool_threads_enter(pool);
	mutex_unlock(&pool->tune_mutex);
	if (enable)
		err = wpool_worker_create_reserve(pool);
	err = err ?: wpool_worker_create_all(pool, READ_ONCE(pool->min_workers));
	mutex_lock(&pool->tune_mutex);
	if (pool->state == WPOOL_DESTROYED)
		err = -ESHUTDOWN;
	if (err && enable)
		wpool_rescuer_dismiss(pool);
	wpool_threads_leave(pool);
	return err;
}

static void apply_attrs(struct wpool *pool, const struct wpool_attrs *new, u32 mask)
{
	WRITE_ONCE(pool->max_blocking, new->max_blocking);
	WRITE_ONCE(pool->policy, new->policy);
	WRITE_ONCE(pool->expiry_ms, new->expiry_ms);
	WRITE_ONCE(pool->spin_us, new->spin_us);
	WRITE_ONCE(pool->hog_ms, new->hog_ms);
	if (mask & WPOOL_TUNE_CONCURRENCY) {
		WRITE_ONCE(pool->concurrency, new->concurrency);
		/* more workers may run on a CPU now */
		wpool_idle_wake_all(pool);
		if (wpool_queues_len(pool))
			wpool_spawn_check(pool);
	}
	if (mask & WPOOL_TUNE_HANDOFF) {
		WRITE_ONCE(pool->handoff, new->handoff);
		/* apply_attrs:A: with handoff off, running workers did not keep the timer on */
		smp_mb();
		wpool_monitor_timer_set(pool);
	}
	if (mask & WPOOL_TUNE_LATENCY)
		tune_latency(pool, new->latency);
	if (new->max_wait_ms != pool->max_wait_ms) {
		WRITE_ONCE(pool->max_wait_since, ktime_get_mono_fast_ns());
		/* pairs with wpool_max_wait_ns() */
		smp_store_release(&pool->max_wait_ms, new->max_wait_ms);
	}
	WRITE_ONCE(pool->stamps, pool->latency || pool->max_wait_ms);
	if (mask & (WPOOL_TUNE_NICE | WPOOL_TUNE_SCHED))
		tune_class(pool, new);
	if (mask & WPOOL_TUNE_FREEZABLE) {
		WRITE_ONCE(pool->freezable, new->freezable);
		/* a suspend may have frozen the pool; a thaw leaves the lift to this thread */
		if (!new->freezable)
			wpool_freeze_lift(pool);
	}
	if (!new->reclaim && pool->reclaim)
		wpool_rescuer_dismiss(pool);
	if (mask & WPOOL_TUNE_CPUMASK) {
		WRITE_ONCE(pool->follows, !new->cpumask);
		if (new->cpumask)
			cpumask_copy(pool->cpumask, new->cpumask);
		wpool_affinity_set(pool);
	}
	if (mask & (WPOOL_TUNE_EXPIRY_MS | WPOOL_TUNE_MIN_WORKERS))
		wpool_expire_arm(pool, 1);
}

static int tune_attrs(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask, bool by_owner)
{
	const char *tells = by_owner ? pool->name : NULL;
	struct wpool_attrs old = { }, new;
	u32 nr_cpus;
	int err;

	if (mask & ~WPOOL_TUNE_ALL)
		return wpool_attrs_refuse(-EINVAL, tells,
					  "unknown bits %lx in the mask of attributes",
					  mask & ~WPOOL_TUNE_ALL);
	err = wpool_attrs_check(attrs, mask, tells);
	if (err)
		return err;
	/* outside the mutex: add_hists() takes the lock of CPU hotplug first */
	if (mask & WPOOL_TUNE_LATENCY && attrs->latency)
		err = add_hists(pool);
	if (mask & WPOOL_TUNE_FREEZABLE && attrs->freezable)
		err = err ?: wpool_freezer_start();
	if (err)
		return err;

	mutex_lock(&pool->change_mutex);
	mutex_lock(&pool->tune_mutex);
	read_attrs(pool, &old);
	new = old;
	wpool_attrs_merge(&new, attrs, mask);
	nr_cpus = mask & WPOOL_TUNE_CPUMASK ? wpool_affinity_count(pool, new.cpumask) :
					      pool->nr_cpus;
	/* the product fits: wpool_attrs_check() has checked it for all possible CPUs */
	if (new.capacity_per_cpu)
		new.capacity = max3(new.capacity_per_cpu * nr_cpus, new.min_workers, 1U);
	err = check_tune(pool, attrs, mask, &new, by_owner, tells) ?:
	      wpool_items_grow(&pool->items, items_needed(pool, new.capacity, new.queue_depth));
	if (err)
		goto out;
	set_limits(pool, &new);
	err = make_reserve(pool, &new, mask);
	if (err) {
		set_limits(pool, &old);
		/*
		 * make_reserve() may have created workers beyond the old min_workers. If the pool
		 * was destroyed meanwhile, the timer has been stopped for good.
		 */
		if (pool->state != WPOOL_DESTROYED) {
			wpool_expire_arm(pool, 1);
			/* if @new has capacity_per_cpu 0, hotplug has scheduled no work */
			if (old.capacity_per_cpu)
				queue_delayed_work(system_dfl_wq, &pool->follow_work, 0);
		}
		goto out;
	}
	apply_attrs(pool, &new, mask);
out:
	/* not before: the old limits may have been restored */
	wpool_items_shrink(&pool->items,
			   items_needed(pool, pool->capacity, pool->queue_depth));
	mutex_unlock(&pool->tune_mutex);
	mutex_unlock(&pool->change_mutex);
	return err;
}

int wpool_pool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask)
{
	return tune_attrs(pool, attrs, mask, false);
}

void wpool_tune_follow_work(struct work_struct *work)
{
	struct wpool *pool = container_of(work, struct wpool, follow_work.work);

	wpool_affinity_check(pool);
	/* no memory: the capacity stays as it is until a later try succeeds */
	if (READ_ONCE(pool->capacity_per_cpu) && wpool_pool_tune(pool, NULL, 0) == -ENOMEM)
		queue_delayed_work(system_dfl_wq, &pool->follow_work, HZ);
}

int wpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask)
{
	if (IS_ERR_OR_NULL(pool) || !attrs)
		return -EINVAL;
	if (wpool_is_default(pool))
		return -EBUSY;
	return tune_attrs(pool, attrs, mask, true);
}
EXPORT_SYMBOL_GPL(wpool_tune);

int wpool_set_cgroup(struct wpool *pool, bool of_caller)
{
	if (IS_ERR_OR_NULL(pool))
		return -EINVAL;
	if (wpool_is_default(pool))
		return -EBUSY;
	return wpool_cgroup_set(pool, of_caller ? current : NULL, NULL);
}
EXPORT_SYMBOL_GPL(wpool_set_cgroup);

void wpool_get_attrs(struct wpool *pool, struct wpool_attrs *attrs,
		     struct cpumask *cpumask)
{
	if (IS_ERR_OR_NULL(pool)) {
		*attrs = (struct wpool_attrs) { };
		if (cpumask)
			cpumask_clear(cpumask);
		return;
	}
	mutex_lock(&pool->tune_mutex);
	*attrs = (struct wpool_attrs) {
		.name = pool->name,
		.fault = pool->hooks.fault,
		.fault_data = pool->hooks.fault_data,
		.worker_start = pool->hooks.worker_start,
		.worker_end = pool->hooks.worker_end,
		.worker_data = pool->hooks.worker_data,
		.abort = pool->abort,
	};
	read_attrs(pool, attrs);
	if (cpumask)
		cpumask_copy(cpumask, pool->cpumask);
	mutex_unlock(&pool->tune_mutex);
}
EXPORT_SYMBOL_GPL(wpool_get_attrs);
