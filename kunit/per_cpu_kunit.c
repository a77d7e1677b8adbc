// SPDX-License-Identifier: GPL-2.0
/* A capacity that follows the CPUs. hotplug_kunit.c tests it with CPUs that go and come. */
#include "one_cpu.h"

/* Create a pool with @per_cpu workers for each CPU of @mask; attrs.capacity is ignored. */
static struct wpool *per_cpu_pool(struct kunit *test, u32 per_cpu, const struct cpumask *mask)
{
	return wpk_pool_with(test, 77, 2, attrs.policy = WPOOL_FAIL,
			     attrs.capacity_per_cpu = per_cpu, attrs.cpumask = mask);
}

static u32 per_cpu_of(struct wpool *pool)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(pool, &attrs, NULL);
	return attrs.capacity_per_cpu;
}

static int tune_per_cpu(struct wpool *pool, u32 per_cpu)
{
	return wpk_tune(pool, CAPACITY_PER_CPU, capacity_per_cpu, per_cpu);
}

static void capacity_per_cpu_counts_the_cpus_of_the_mask(struct kunit *test)
{
	struct wpool *pool = per_cpu_pool(test, 3, wpk_first_cpus(test, 1));

	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 3);
	KUNIT_EXPECT_EQ(test, per_cpu_of(pool), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
	pool = per_cpu_pool(test, 3, cpu_possible_mask);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 3 * num_online_cpus());
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3 * num_online_cpus() + 2);
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 5), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 5 * num_online_cpus());
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5 * num_online_cpus() + 2);
}

/* When the tune returns, the new capacity, larger or smaller, bounds the tasks that start. */
static void capacity_per_cpu_follows_the_mask(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 8);
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = per_cpu_pool(test, 2, wpk_first_cpus(test, 1));
	wpk_jobs_submit(test, pool, jobs, 0, 4);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[4].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, wpk_first_cpus(test, 2)), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 4);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 4));
	wpk_jobs_submit(test, pool, jobs, 4, 2);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[6].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, wpk_first_cpus(test, 1)), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
	/* running tasks continue; two of the workers take no other task, and leave */
	wpk_gate_let(jobs->gate, 2);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 2);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, NULL), 0);
	KUNIT_EXPECT_GE(test, wpk_capacity(pool), 2);
}

/* Tune to all values of wpool_get_attrs() at once: they have both capacities, and no cpumask. */
static int tune_all(struct wpool *pool)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(pool, &attrs, NULL);
	return wpool_tune(pool, &attrs, WPOOL_TUNE_ALL);
}

static void capacity_per_cpu_a_number_switches_it_off(struct kunit *test)
{
	struct wpool *pool = per_cpu_pool(test, 3, wpk_first_cpus(test, 1));
	struct wpool_attrs attrs;

	KUNIT_EXPECT_EQ(test, tune_all(pool), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 3);
	wpool_attrs_init(&attrs);
	attrs.capacity = 11;
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY), 0);
	KUNIT_EXPECT_EQ(test, tune_all(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 11);
	KUNIT_EXPECT_EQ(test, per_cpu_of(pool), 0);
	attrs.cpumask = cpu_possible_mask;
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CPUMASK), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 11);
	attrs.capacity_per_cpu = 2;
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY |
					 WPOOL_TUNE_CAPACITY_PER_CPU), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 11);
	KUNIT_EXPECT_EQ(test, per_cpu_of(pool), 0);
	/* without capacity_per_cpu, the last capacity stays */
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 2), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 2 * num_online_cpus());
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 2 * num_online_cpus());
	attrs.capacity_per_cpu = 0;
	attrs.capacity = WPOOL_UNLIMITED;
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY |
					 WPOOL_TUNE_CAPACITY_PER_CPU), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), WPOOL_UNLIMITED);
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 1), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), num_online_cpus());
}

/* The limit is WPOOL_MAX_CAPACITY for all possible CPUs, not for those online or in the mask. */
static void capacity_per_cpu_too_much_is_erange(struct kunit *test)
{
	u32 most = WPOOL_MAX_CAPACITY / num_possible_cpus();
	const u32 bad[] = { most + 1, WPOOL_MAX_CAPACITY + 1, U32_MAX };
	const struct cpumask *mask = wpk_first_cpus(test, 1);
	struct wpool *pool = per_cpu_pool(test, most, mask), *none;
	int i;

	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), most);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		none = wpk_create_with(test, 1, 0, attrs.cpumask = mask,
				       attrs.capacity_per_cpu = bad[i]);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(none), -ERANGE, "%u", bad[i]);
		KUNIT_EXPECT_EQ_MSG(test, tune_per_cpu(pool, bad[i]), -ERANGE, "%u", bad[i]);
	}
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), most);
	KUNIT_EXPECT_EQ(test, per_cpu_of(pool), most);
}

static void capacity_per_cpu_preallocated_is_einval(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 2, 0, attrs.prealloc = true);

	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, tune_all(pool), -EINVAL);
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 2);
	pool = wpk_create_with(test, 2, 0, attrs.prealloc = true, attrs.capacity_per_cpu = 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pool), -EINVAL);
}

/* The capacity is at least min_workers, whichever of the two a tune changes. */
static void capacity_per_cpu_min_workers_are_the_least(struct kunit *test)
{
	struct wpool *pool = per_cpu_pool(test, 3, wpk_first_cpus(test, 1));

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 20), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 20);
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 2), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 20);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 2);
	/* without capacity_per_cpu, min_workers above the capacity is refused */
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 3), -EINVAL);
	pool = wpk_pool_with(test, 1, 0, attrs.capacity_per_cpu = 2, attrs.min_workers = 20,
			     attrs.cpumask = wpk_first_cpus(test, 1));
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 20);
}

/* A pool with reclaim makes its min_workers at the creation, also if they raise the capacity. */
static void capacity_per_cpu_reclaim_has_its_workers(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 1, 0, attrs.capacity_per_cpu = 1,
					   attrs.min_workers = 3, attrs.reclaim = true,
					   attrs.cpumask = wpk_first_cpus(test, 1));

	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 5), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 5);
}

/* A pool with a function has an item for each call that its capacity admits. */
static void capacity_per_cpu_of_a_pool_with_a_function(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool_attrs attrs;
	struct wpool *pool;
	unsigned int i;

	wpk_need_cpus(test, 2);
	wpk_attrs(&attrs, 1, 0);
	attrs.policy = WPOOL_FAIL;
	attrs.capacity_per_cpu = 4;
	attrs.cpumask = wpk_first_cpus(test, 1);
	pool = wpk_pool_func(test, &attrs, wpk_pass_gate);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, gate), 0);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, gate), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, wpk_first_cpus(test, 2)), 0);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, gate), 0);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, gate), -EAGAIN);
	/* the capacity with all possible CPUs must be within the limit of a pool with a function */
	KUNIT_EXPECT_EQ(test, tune_per_cpu(pool, WPOOL_MAX_FUNC_ITEMS / num_possible_cpus() + 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 8);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	attrs.capacity_per_cpu = WPOOL_MAX_FUNC_ITEMS / num_possible_cpus() + 1;
	attrs.cpumask = wpk_first_cpus(test, 1);
	attrs.name = wpk_name(test);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wpool_create_func(&attrs, wpk_pass_gate)), -ERANGE);
}

WPK_SUITE(per_cpu,
	  KUNIT_CASE(capacity_per_cpu_counts_the_cpus_of_the_mask),
	  KUNIT_CASE(capacity_per_cpu_follows_the_mask),
	  KUNIT_CASE(capacity_per_cpu_a_number_switches_it_off),
	  KUNIT_CASE(capacity_per_cpu_too_much_is_erange),
	  KUNIT_CASE(capacity_per_cpu_preallocated_is_einval),
	  KUNIT_CASE(capacity_per_cpu_min_workers_are_the_least),
	  KUNIT_CASE(capacity_per_cpu_reclaim_has_its_workers),
	  KUNIT_CASE(capacity_per_cpu_of_a_pool_with_a_function));
