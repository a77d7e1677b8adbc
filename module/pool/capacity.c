// SPDX-License-Identifier: GPL-2.0
/*
 * The limits of the tasks and workers of a pool: capacity, and the attributes that change with it.
 * attr_table.h says which values are allowed, tune.c which of them can be changed.
 *
 * A call that sets capacity_per_cpu changes the capacity itself. When a CPU goes or comes, hotplug
 * (workers/affinity.c) only schedules pool->follow_work, a tune that sets no attribute and so only
 * changes the capacity. A decrease waits for a grace period, and an increase may allocate memory:
 * hotplug must not wait for these.
 *
 * The work takes the same mutexes as a tune, so it may wait for a tune that creates workers, and
 * for worker_start. Hotplug never waits for the work, nor for change_mutex, and the work is
 * cancelled without a lock. A late work does no harm: it uses the number of CPUs when it runs.
 */
#include "pool/capacity.h"

#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>

#include "core/idle.h"
#include "core/queued.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "pool/attrs.h"
#include "task/item.h"
#include "task/tokens.h"
#include "task/waiters.h"

void wpool_attrs_read(struct wpool *pool, struct wpool_attrs *attrs)
{
	lockdep_assert_held(&pool->tune_mutex);
#define WPOOL_ATTR(_name, ...)	{ WPOOL_COPY_ATTR(attrs, pool, _name); }
#include "pool/attr_table.h"
}

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

/* wpool_attrs_check() has checked that the product fits a u32 for all possible CPUs. */
void wpool_limits_follow_cpus(struct wpool_attrs *attrs, u32 nr_cpus)
{
	if (attrs->capacity_per_cpu)
		attrs->capacity = max3(attrs->capacity_per_cpu * nr_cpus, attrs->min_workers, 1U);
}

void wpool_limits_set(struct wpool *pool, const struct wpool_attrs *attrs)
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
	/* wpool_limits_set:A, see core/wake.c */
	smp_mb();
	if (wpool_queues_len(pool))
		wpool_spawn_look(pool);
}

int wpool_limits_change(struct wpool *pool, const struct wpool_attrs *new)
{
	int total = wpool_tokens_total(new->capacity, new->queue_depth);
	int err = 0;

	if (pool->func && total != WPOOL_TOKENS_UNLIMITED)
		err = wpool_items_grow(&pool->items, total);
	if (!err)
		wpool_limits_set(pool, new);
	return err;
}

void wpool_limits_trim(struct wpool *pool)
{
	int total = wpool_tokens_total(pool->capacity, pool->queue_depth);

	if (pool->func)
		wpool_items_shrink(&pool->items, total == WPOOL_TOKENS_UNLIMITED ? 0 : total);
}
