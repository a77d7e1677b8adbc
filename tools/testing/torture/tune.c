// SPDX-License-Identifier: GPL-2.0
/*
 * Tuning at random. tp->limit is the number of workers that may be inside tasks, also while the
 * capacity changes:
 *
 *   - the limit grows before the capacity does;
 *   - when the capacity shrinks, the limit stays until the pool has no more workers than the new
 *     capacity; meanwhile no worker is made.
 *
 * limit_gen changes before and after each change of the limit. tpool_enter() checks nothing if
 * limit_gen has changed while it read the limit.
 */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "torture.h"

static void set_limit(struct tpool *tp, u32 limit)
{
	lockdep_assert_held(&tp->tune_mutex);
	if (limit == tp->limit)
		return;
	WRITE_ONCE(tp->limit_gen, tp->limit_gen + 1);
	/* write limit_gen before the limit; pairs with the smp_rmb() in tpool_enter() */
	smp_mb();
	WRITE_ONCE(tp->limit, limit);
	/* write the limit before limit_gen; pairs with the acquire in tpool_enter() */
	smp_mb();
	WRITE_ONCE(tp->limit_gen, tp->limit_gen + 1);
}

/* Wait until the excess workers have left, each after its task. Then lower the limit. */
static void await_shrunk(struct tpool *tp, u32 capacity)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;
	struct wpool_stats s;

	for (;;) {
		wpool_get_stats(tp->pool, &s);
		if (s.workers <= capacity) {
			set_limit(tp, capacity);
			return;
		}
		if (!torture_check(time_before(jiffies, end),
				   "%s: %u workers, long after a tune to %u",
				   tp->name, s.workers, capacity))
			return;
		usleep_range(200, 2000);
	}
}

void tpool_set_capacity(struct tpool *tp, u32 capacity)
{
	struct wpool_attrs attrs = { .capacity = capacity };
	int err;

	mutex_lock(&tp->tune_mutex);
	if (capacity > tp->limit)
		set_limit(tp, capacity);
	err = wpool_tune(tp->pool, &attrs, WPOOL_TUNE_CAPACITY);
	if (!err) {
		tp->attrs.capacity = capacity;
		if (capacity < tp->limit)
			await_shrunk(tp, capacity);
	} else {
		/* the pool is closed or preallocated, lacks memory, or @capacity is too small */
		torture_check(err == -ESHUTDOWN || (err == -ENOMEM && tp->bound) ||
			      (err == -EINVAL && (tp->attrs.prealloc || capacity < 4)),
			      "%s: tune of the capacity to %u: %d", tp->name, capacity, err);
		/* the old capacity is still in force */
		if (tp->attrs.capacity < tp->limit)
			await_shrunk(tp, tp->attrs.capacity);
	}
	mutex_unlock(&tp->tune_mutex);
}

/* Tune capacity_per_cpu. For the limit, offline CPUs count, too, since they may come online. */
static void set_per_cpu(struct tpool *tp, u32 per_cpu)
{
	struct wpool_attrs attrs = { .capacity_per_cpu = per_cpu };
	/* at least 4, since min_workers, at most 3, may raise the capacity */
	u32 most = max(per_cpu * num_possible_cpus(), 4U);
	int err;

	mutex_lock(&tp->tune_mutex);
	if (most > tp->limit)
		set_limit(tp, most);
	err = wpool_tune(tp->pool, &attrs, WPOOL_TUNE_CAPACITY_PER_CPU);
	if (!err)
		tp->attrs.capacity = most;
	torture_check(!err || err == -ESHUTDOWN || (err == -ENOMEM && tp->bound) ||
		      (err == -EINVAL && tp->attrs.prealloc),
		      "%s: tune to %u for each CPU: %d", tp->name, per_cpu, err);
	if (tp->attrs.capacity < tp->limit)
		await_shrunk(tp, tp->attrs.capacity);
	mutex_unlock(&tp->tune_mutex);
}

/* Returns a random mask, or NULL, the default mask, if there is no memory. */
static struct cpumask *random_cpumask(struct rnd *rnd)
{
	struct cpumask *mask = kzalloc(cpumask_size(), GFP_KERNEL);
	int cpu;

	if (!mask)
		return NULL;
	for_each_possible_cpu(cpu)
		if (!rnd_one_in(rnd, 3))
			cpumask_set_cpu(cpu, mask);
	if (cpumask_empty(mask))
		cpumask_copy(mask, cpu_possible_mask);
	return mask;
}

/* Any word or flag; a number that in general is small. */
static int any_value(struct rnd *rnd, int from, int to)
{
	u32 nr = max(4, 1 << rnd_below(rnd, 9));

	return from + (int)rnd_below(rnd, min_t(u32, nr, to - from + 1));
}

void tpool_tune(struct tpool *tp, u64 how)
{
	static const u32 capacities[] = { 1, 2, 3, 5, 8, 30, 200, WPOOL_UNLIMITED };
	static const u32 depths[] = { 0, 1, 7, 64, 500, 5000, WPOOL_UNLIMITED };
	struct cpumask *cpus = NULL;
	struct wpool_attrs attrs;
	struct rnd rnd;
	bool has_cpus;
	u32 mask;
	int err;

	rnd_init(&rnd, how);
	if (rnd_one_in(&rnd, 3)) {
		tpool_set_capacity(tp, capacities[rnd_below(&rnd, ARRAY_SIZE(capacities))]);
		return;
	}
	if (rnd_one_in(&rnd, 6)) {
		set_per_cpu(tp, rnd_from_to(&rnd, 1, 5));
		return;
	}
	wpool_attrs_init(&attrs);
	/* one attribute, or a random set; capacity_per_cpu becomes 0, which keeps the capacity */
	mask = rnd_one_in(&rnd, 2) ? BIT(rnd_below(&rnd, fls(WPOOL_TUNE_ALL))) : rnd_u64(&rnd);
	mask &= WPOOL_TUNE_ALL & ~(WPOOL_TUNE_CAPACITY | WPOOL_TUNE_POLICY);
	if (!tp->by_run && rnd_one_in(&rnd, 4))
		mask |= WPOOL_TUNE_POLICY;
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, ...)	\
	attrs._name = any_value(&rnd, _min, _max);
#include "pool/attr_table.h"
	attrs.capacity_per_cpu = 0;
	attrs.queue_depth = depths[rnd_below(&rnd, ARRAY_SIZE(depths))];
	/* a bound pool allocates an item for each place of its queue */
	if (tp->bound)
		attrs.queue_depth = min(attrs.queue_depth, 500U);
	attrs.policy = rnd_one_in(&rnd, 3) ? WPOOL_FAIL : WPOOL_BLOCK;
	attrs.min_workers = rnd_below(&rnd, 4);
	attrs.max_wait_ms = rnd_one_in(&rnd, 2) ? WPOOL_MAX_WAIT_MS : 0;
	attrs.nice = rnd_from_to(&rnd, 0, 10);
	attrs.sched = rnd_one_in(&rnd, 3) ? WPOOL_SCHED_NORMAL :
					    rnd_from_to(&rnd, 1, WPOOL_MAX_PRIORITY);
	if (mask & WPOOL_TUNE_CPUMASK && rnd_one_in(&rnd, 2))
		cpus = random_cpumask(&rnd);
	attrs.cpumask = cpus;
	has_cpus = cpus;
	err = wpool_tune(tp->pool, &attrs, mask);
	kfree(cpus);
	torture_check(!err || err == -ESHUTDOWN || (err == -ENOMEM && tp->bound) ||
		      (err == -EINVAL && mask & WPOOL_TUNE_MIN_WORKERS) ||
		      /* all CPUs of the mask have gone offline */
		      (err == -EINVAL && mask & WPOOL_TUNE_CPUMASK && has_cpus),
		      "%s: tune %x: %d", tp->name, mask, err);
}
