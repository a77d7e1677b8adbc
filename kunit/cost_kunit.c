// SPDX-License-Identifier: GPL-2.0
/* The costs of tasks, one sum for each function, see wpool_get_costs(). */
#include <linux/ktime.h>

#include "core/hist.c"
#include "fixture.h"

/* Functions that are never called, so any address will do. */
static void *nth_func(u32 n)
{
	return (void *)(0x1000UL + n);
}

static void wpool_cost_keeps_as_many_functions_as_it_has_entries(struct kunit *test)
{
	const u32 nr = WPOOL_NR_COSTS + 9;
	struct wpool_cost *costs = wpk_alloc(test, WPOOL_NR_COSTS * sizeof(*costs));
	struct wpool_cost one = { .runs = 1, .wait_ns = 2, .run_ns = 30, .cpu_ns = 20 };
	u32 i, round;
	struct wpool_cost *last = &costs[WPOOL_NR_COSTS - 1];

	for (round = 1; round <= 3; round++) {
		for (i = 0; i < nr; i++) {
			one.func = nth_func(i);
			one.worst_ns = round == 2 ? 1000 + i : i;
			wpool_cost_add(wpool_cost_find(costs, WPOOL_NR_COSTS, one.func), &one);
		}
	}
	for (i = 0; i < WPOOL_NR_COSTS - 1; i++) {
		KUNIT_EXPECT_PTR_EQ(test, costs[i].func, nth_func(i));
		KUNIT_EXPECT_EQ(test, costs[i].runs, 3);
		KUNIT_EXPECT_EQ(test, costs[i].wait_ns, 6);
		KUNIT_EXPECT_EQ(test, costs[i].run_ns, 90);
		KUNIT_EXPECT_EQ(test, costs[i].cpu_ns, 60);
		KUNIT_EXPECT_EQ(test, costs[i].worst_ns, 1000 + i);
	}
	/* the last entry has the sums of all other functions */
	KUNIT_EXPECT_PTR_EQ(test, last->func, NULL);
	KUNIT_EXPECT_EQ(test, last->runs, 3 * 10);
	KUNIT_EXPECT_EQ(test, last->worst_ns, 1000 + nr - 1);
	KUNIT_EXPECT_PTR_EQ(test, wpool_cost_find(costs, WPOOL_NR_COSTS, NULL), last);
	wpool_hist_clear(costs, WPOOL_NR_COSTS * sizeof(*costs));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(costs, 0, WPOOL_NR_COSTS * sizeof(*costs)), NULL);
}

#define NR_ENTRIES	8

struct costs {
	struct wpool_cost entry[NR_ENTRIES];
	int nr;
};

static struct costs *costs_of(struct kunit *test, struct wpool *pool)
{
	struct costs *costs = wpk_alloc(test, sizeof(*costs));

	costs->nr = wpool_get_costs(pool, costs->entry, NR_ENTRIES);
	return costs;
}

/* The cost of a function; 0 runs if there is no entry. */
static struct wpool_cost cost_of(const struct costs *costs, void *func)
{
	int i;

	for (i = 0; i < costs->nr; i++)
		if (costs->entry[i].func == func)
			return costs->entry[i];
	return (struct wpool_cost){ };
}

static struct wpool *timed_pool(struct kunit *test)
{
	return wpk_pool_with(test, 4, 100, attrs.latency = true);
}

/* Time in msleep(), by the clock of the pool, since jiffies may lag on a busy machine. */
static atomic64_t slept_ns;

static void sleep_fn(void *unused)
{
	u64 start = ktime_get_mono_fast_ns();

	msleep(50);
	atomic64_add(ktime_get_mono_fast_ns() - start, &slept_ns);
}

static void compute_fn(void *unused)
{
	mdelay(2);
}

static void submit_fns(struct kunit *test, struct wpool *pool, void (*fn)(void *), u32 nr)
{
	while (nr--)
		KUNIT_ASSERT_EQ(test, wpool_submit_fn(pool, fn, NULL, THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

static void expect_sound(struct kunit *test, const struct wpool_cost *cost, u64 runs)
{
	KUNIT_EXPECT_EQ(test, cost->runs, runs);
	KUNIT_EXPECT_LE(test, cost->cpu_ns, cost->run_ns);
	KUNIT_EXPECT_LE(test, cost->worst_ns, cost->run_ns);
	KUNIT_EXPECT_GE(test, cost->worst_ns * runs, cost->run_ns);
}

static void wpool_get_costs_tells_functions_apart(struct kunit *test)
{
	struct wpool *pool = timed_pool(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpool_cost slept, computed, ran;
	struct costs *costs;

	atomic64_set(&slept_ns, 0);
	submit_fns(test, pool, sleep_fn, 3);
	submit_fns(test, pool, compute_fn, 5);
	wpk_jobs_submit(test, pool, jobs, 0, 20);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	costs = costs_of(test, pool);
	KUNIT_EXPECT_EQ(test, costs->nr, 3);
	slept = cost_of(costs, sleep_fn);
	computed = cost_of(costs, compute_fn);
	ran = cost_of(costs, wpk_job_fn);
	expect_sound(test, &slept, 3);
	expect_sound(test, &computed, 5);
	expect_sound(test, &ran, 20);
	KUNIT_EXPECT_GE(test, slept.run_ns, atomic64_read(&slept_ns));
	KUNIT_EXPECT_GE(test, computed.cpu_ns, 1);
	/* at least half of the sleep must not count as CPU time */
	KUNIT_EXPECT_GE(test, slept.run_ns - slept.cpu_ns, atomic64_read(&slept_ns) / 2);
}

static void set_func(struct wpk_job *job)
{
	wpool_worker_set_func(job->arg);
}

static void wpool_worker_set_func_names_who_pays_for_one_task(struct kunit *test)
{
	struct wpool *pool = timed_pool(test);
	struct wpk_jobs *layer = wpk_jobs(test, 3, NULL), *jobs = wpk_jobs(test, 4, NULL);
	struct wpool_cost named, ran;
	struct costs *costs;

	wpk_jobs_body(layer, set_func, sleep_fn);
	wpk_jobs_submit(test, pool, layer, 0, 3);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* jobs in the same workers count for their own function again */
	wpk_jobs_submit(test, pool, jobs, 0, 4);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* this thread is no worker, so the call has no effect */
	wpool_worker_set_func(compute_fn);
	costs = costs_of(test, pool);
	KUNIT_EXPECT_EQ(test, costs->nr, 2);
	named = cost_of(costs, sleep_fn);
	ran = cost_of(costs, wpk_job_fn);
	expect_sound(test, &named, 3);
	expect_sound(test, &ran, 4);
}

static void wpool_get_costs_in_too_few_entries_sums_up(struct kunit *test)
{
	struct wpool *pool = timed_pool(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpool_cost costs[2];

	submit_fns(test, pool, sleep_fn, 1);
	submit_fns(test, pool, compute_fn, 5);
	wpk_jobs_submit(test, pool, jobs, 0, 20);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpool_get_costs(pool, costs, 2), 2);
	KUNIT_EXPECT_PTR_NE(test, costs[0].func, NULL);
	KUNIT_EXPECT_PTR_EQ(test, costs[1].func, NULL);
	KUNIT_EXPECT_EQ(test, costs[0].runs + costs[1].runs, 26);
	KUNIT_EXPECT_EQ(test, wpool_get_costs(pool, costs, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_get_costs(pool, costs, 1), 1);
	KUNIT_EXPECT_PTR_EQ(test, costs[0].func, NULL);
	KUNIT_EXPECT_EQ(test, costs[0].runs, 26);
}

static void wpool_get_costs_begins_anew_when_latency_is_switched_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, 100);
	struct costs *costs;

	KUNIT_EXPECT_EQ(test, costs_of(test, pool)->nr, -ENODATA);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, LATENCY, latency, true), 0);
	KUNIT_EXPECT_EQ(test, costs_of(test, pool)->nr, 0);
	submit_fns(test, pool, compute_fn, 2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, LATENCY, latency, false), 0);
	submit_fns(test, pool, compute_fn, 3);
	costs = costs_of(test, pool);
	KUNIT_EXPECT_EQ(test, cost_of(costs, compute_fn).runs, 2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, LATENCY, latency, true), 0);
	KUNIT_EXPECT_EQ(test, costs_of(test, pool)->nr, 0);
}

WPK_SUITE(cost,
	  KUNIT_CASE(wpool_cost_keeps_as_many_functions_as_it_has_entries),
	  KUNIT_CASE(wpool_get_costs_tells_functions_apart),
	  KUNIT_CASE(wpool_worker_set_func_names_who_pays_for_one_task),
	  KUNIT_CASE(wpool_get_costs_in_too_few_entries_sums_up),
	  KUNIT_CASE(wpool_get_costs_begins_anew_when_latency_is_switched_on));
