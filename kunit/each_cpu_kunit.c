// SPDX-License-Identifier: GPL-2.0
/* wpool_on_each_cpu(): a function once on each CPU, and nowhere else. */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/wpool_parallel.h>

#include "fixture.h"
#include "full_pool.h"

/**
 * struct round - a round that takes notes
 * @calls: of the function, by CPU
 * @astray: calls in threads that may run elsewhere, or that were moved in the function
 * @gate: where the function waits, or NULL
 */
struct round {
	atomic_t *calls;
	atomic_t astray;
	struct wpk_gate *gate;
};

static void call_fn(void *arg)
{
	struct round *round = arg;
	int cpu = raw_smp_processor_id();

	atomic_inc(&round->calls[cpu]);
	if (current->nr_cpus_allowed != 1)
		atomic_inc(&round->astray);
	if (round->gate)
		wpk_gate_pass(round->gate);
	if (raw_smp_processor_id() != cpu)
		atomic_inc(&round->astray);
}

static struct round *new_round(struct kunit *test, struct wpk_gate *gate)
{
	struct round *round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, round);
	round->calls = kunit_kcalloc(test, nr_cpu_ids, sizeof(*round->calls), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round->calls);
	round->gate = gate;
	return round;
}

static int nr_calls(struct round *round)
{
	int cpu, nr = 0;

	for_each_possible_cpu(cpu)
		nr += atomic_read(&round->calls[cpu]);
	return nr;
}

/* So often on each CPU of the mask that is online, never elsewhere. */
static void was_on(struct kunit *test, struct round *round, const struct cpumask *mask, int times)
{
	int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&round->calls[cpu]),
				    cpu_online(cpu) && cpumask_test_cpu(cpu, mask) ? times : 0,
				    "CPU %d", cpu);
	KUNIT_EXPECT_EQ(test, atomic_read(&round->astray), 0);
}

/* A pool for all CPUs, with so many workers. */
static struct wpool *wide_pool(struct kunit *test, u32 capacity, u32 queue_depth,
			       enum wpool_policy policy)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, capacity, queue_depth);
	attrs.cpumask = cpu_possible_mask;
	attrs.policy = policy;
	return wpk_pool_attrs(test, &attrs);
}

/* One worker visits all CPUs; many; and one that waits for room before each. */
static void wpool_on_each_cpu_calls_it_once_on_each(struct kunit *test)
{
	static const u32 limits[][2] = { { 1, WPOOL_UNLIMITED }, { 64, 0 }, { 1, 0 } };
	struct wpool *pool;
	struct round *of;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		pool = wide_pool(test, limits[i][0], limits[i][1], WPOOL_BLOCK);
		of = new_round(test, NULL);
		for (j = 1; j <= 20; j++)
			KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, call_fn, of), 0);
		was_on(test, of, cpu_possible_mask, 20);
		/* the workers have gone home, and are of use there */
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
		wpk_destroy(test, pool);
	}
}

/* Under the policy that runs tasks in their submitters, too, which may not be moved. */
static void wpool_on_each_cpu_policy_run_does_not_run_it_here(struct kunit *test)
{
	struct wpool *pool = wide_pool(test, 1, 0, WPOOL_RUN);
	struct round *of = new_round(test, NULL);

	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, call_fn, of), 0);
	was_on(test, of, cpu_possible_mask, 1);
	wpk_destroy(test, pool);
}

static void wpool_on_each_cpu_leaves_out_what_the_mask_does(struct kunit *test)
{
	struct round *of = new_round(test, NULL);
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, 4, 0);
	attrs.cpumask = cpumask_of(wpk_cpu(0));
	pool = wpk_pool_attrs(test, &attrs);
	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, call_fn, of), 0);
	was_on(test, of, attrs.cpumask, 1);
	wpk_destroy(test, pool);
}

static int visit_all(struct wpk_thread *thread)
{
	return wpool_on_each_cpu(thread->pool, call_fn, thread->arg);
}

/* It waits for what is queued before, as any submitter does, and for the calls. */
static void wpool_on_each_cpu_waits_for_room_and_for_the_calls(struct kunit *test)
{
	struct round *of = new_round(test, wpk_gate(test));
	struct wpk_thread *thread;
	struct wpk_full full;

	wpk_full_pool(test, &full);
	thread = wpk_thread(test, visit_all, full.pool, NULL, of);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, nr_calls(of), 0);
	wpk_gate_open(full.gate);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(of->gate, 1));
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(of->gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_GT(test, nr_calls(of), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->astray), 0);
	wpk_destroy(test, full.pool);
}

/* A kill ends the wait for room, but not that for a call that has begun. */
static void wpool_on_each_cpu_killed_waits_for_the_calls(struct kunit *test)
{
	struct round *of = new_round(test, wpk_gate(test));
	struct wpool *pool = wide_pool(test, 1, 0, WPOOL_BLOCK);
	struct wpk_thread *thread;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "needs two CPUs");
	thread = wpk_thread(test, visit_all, pool, NULL, of);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(of->gate, 1));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	wpk_kill(thread);
	WPK_EVENTUALLY(test, wpk_stat(pool, waiting) == 0);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(of->gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -EINTR);
	KUNIT_EXPECT_EQ(test, nr_calls(of), 1);
	wpk_destroy(test, pool);
}

static void visit_from_task(struct wpk_job *job)
{
	job->ret = wpool_on_each_cpu(job->arg, call_fn, NULL);
}

static void wpool_on_each_cpu_errors(struct kunit *test)
{
	struct wpool *pool = wide_pool(test, 1, 0, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct round *of = new_round(test, NULL);

	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(NULL, call_fn, of), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(ERR_PTR(-ENOMEM), call_fn, of), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, NULL, of), -EINVAL);
	wpk_jobs_body(jobs, visit_from_task, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EDEADLK);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, call_fn, of), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, nr_calls(of), 0);
	wpk_destroy(test, pool);
}

/* A full pool that refuses, and one that is cancelled while calls are queued. */
static void wpool_on_each_cpu_refused_or_cancelled_is_told(struct kunit *test)
{
	struct round *of = new_round(test, NULL);
	struct wpk_thread *thread;
	struct wpool_attrs attrs;
	struct wpk_full full;

	wpk_attrs(&attrs, 1, 0);
	attrs.policy = WPOOL_FAIL;
	wpk_full_pool_attrs(test, &full, &attrs);
	KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(full.pool, call_fn, of), -EAGAIN);
	wpk_gate_open(full.gate);
	wpk_destroy(test, full.pool);

	wpk_attrs(&attrs, 1, WPOOL_UNLIMITED);
	wpk_full_pool_attrs(test, &full, &attrs);
	thread = wpk_thread(test, visit_all, full.pool, NULL, of);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, submitted) > 1);
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_CANCEL), 0);
	/* the last ones may have come to a pool that was closed */
	WPK_EVENTUALLY(test, wpk_ended(thread));
	KUNIT_EXPECT_NE(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, nr_calls(of), 0);
	wpk_gate_open(full.gate);
	wpk_destroy(test, full.pool);
}

/* Whatever becomes of the case, the next one finds all CPUs. */
static void bring_back(void *cpu)
{
	add_cpu((unsigned long)cpu);
}

/* A CPU that goes meanwhile is visited or left out, and none is visited twice. */
static void wpool_on_each_cpu_while_a_cpu_goes_and_comes(struct kunit *test)
{
	struct wpool *pool = wide_pool(test, 4, 8, WPOOL_BLOCK);
	struct round *of = new_round(test, NULL), *without;
	long cpu = wpk_cpu(num_online_cpus() - 1);
	struct wpk_thread *thread;
	int i;

	if (cpu <= 0 || !IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "no CPU can be taken down");
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, bring_back, (void *)cpu), 0);
	for (i = 0; i < WPK_HOTPLUG_ROUNDS; i++) {
		without = new_round(test, NULL);
		thread = wpk_thread(test, visit_all, pool, NULL, of);
		KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
		KUNIT_EXPECT_EQ(test, wpool_on_each_cpu(pool, call_fn, without), 0);
		was_on(test, without, cpu_possible_mask, 1);
		KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
		KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	}
	KUNIT_EXPECT_LE(test, atomic_read(&of->calls[cpu]), (int)WPK_HOTPLUG_ROUNDS);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->calls[wpk_cpu(0)]), (int)WPK_HOTPLUG_ROUNDS);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->astray), 0);
	wpk_destroy(test, pool);
}

#define NR_MASKED	WPK_ROUNDS(4000U)

/* There and back, as fast as it goes. */
static int move_mask(struct wpk_thread *thread)
{
	struct wpool_attrs attrs;
	u32 round = 0;
	int ret = 0;

	wpool_attrs_init(&attrs);
	while (!wpk_stopped(thread->test) && !ret) {
		attrs.cpumask = cpumask_of(wpk_cpu(round++ & 1));
		ret = wpool_tune(thread->pool, &attrs, WPOOL_TUNE_CPUMASK);
	}
	return ret;
}

/* The old mask or the new one, never what is in neither of them, or in both. */
static void wpool_on_each_cpu_while_the_mask_moves(struct kunit *test)
{
	struct wpool *pool = wide_pool(test, 2, WPOOL_UNLIMITED, WPOOL_BLOCK);
	struct round *of = new_round(test, NULL);
	struct wpk_thread *tuner;
	struct wpool_attrs attrs;
	u32 i, bad = 0;
	int before;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "it takes two CPUs");
	wpool_attrs_init(&attrs);
	attrs.cpumask = cpumask_of(wpk_cpu(1));
	KUNIT_ASSERT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CPUMASK), 0);
	tuner = wpk_thread(test, move_mask, pool, NULL, NULL);
	for (i = 0; i < NR_MASKED; i++) {
		before = nr_calls(of);
		KUNIT_ASSERT_EQ(test, wpool_on_each_cpu(pool, call_fn, of), 0);
		bad += nr_calls(of) != before + 1;
	}
	KUNIT_EXPECT_EQ_MSG(test, bad, 0, "of %u", NR_MASKED);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, tuner), 0);
	wpk_destroy(test, pool);
}

static struct kunit_case each_cpu_cases[] = {
	KUNIT_CASE(wpool_on_each_cpu_calls_it_once_on_each),
	KUNIT_CASE(wpool_on_each_cpu_policy_run_does_not_run_it_here),
	KUNIT_CASE(wpool_on_each_cpu_leaves_out_what_the_mask_does),
	KUNIT_CASE(wpool_on_each_cpu_waits_for_room_and_for_the_calls),
	KUNIT_CASE(wpool_on_each_cpu_killed_waits_for_the_calls),
	KUNIT_CASE(wpool_on_each_cpu_errors),
	KUNIT_CASE(wpool_on_each_cpu_refused_or_cancelled_is_told),
	KUNIT_CASE(wpool_on_each_cpu_while_a_cpu_goes_and_comes),
	KUNIT_CASE(wpool_on_each_cpu_while_the_mask_moves),
	{}
};

static struct kunit_suite each_cpu_suite = {
	.name = "wpool_each_cpu",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = each_cpu_cases,
};

kunit_test_suite(each_cpu_suite);
