// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU of the pool has no worker, or all of its workers sleep in tasks, and no worker can be made:
 * an idle worker of another CPU moves there if tasks are queued.
 */
#include "knob.h"
#include "one_cpu.h"

#define NR_WAIT_FOR_CPU	4000

/* @busy: the CPU that is not idle; @is_helped: a job has run on another one */
struct help {
	int busy;
	bool is_helped;
};

/* Compute, until a job runs on another CPU than the busy one. */
static void compute_until_helped(struct wpk_job *job)
{
	struct help *help = job->arg;

	if (job->cpu != help->busy)
		WRITE_ONCE(help->is_helped, true);
	if (!READ_ONCE(help->is_helped))
		mdelay(1);
}

static struct wpk_jobs *jobs_to_help(struct kunit *test, int busy)
{
	struct help *help = wpk_alloc(test, sizeof(*help));

	help->busy = busy;
	return wpk_jobs_of(test, NR_WAIT_FOR_CPU, compute_until_helped, help);
}

static void expect_help(struct kunit *test, struct wpk_jobs *jobs)
{
	struct help *help = jobs->job[0].arg;

	KUNIT_EXPECT_TRUE(test, help->is_helped);
}

WPK_PARAM_BOOL(prealloc, "prealloc is %d");

/* A CPU that a tune of the mask adds takes tasks that are queued already. */
static void wpool_tune_cpumask_lets_a_new_cpu_help(struct kunit *test)
{
	struct wpk_jobs *jobs = jobs_to_help(test, wpk_cpu(0));
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 2, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(0)),
			     attrs.prealloc = wpk_is_on(test));
	wpk_jobs_submit(test, pool, jobs, 0, NR_WAIT_FOR_CPU);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&jobs->started) >= 10);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_possible_mask), 0);
	wpk_finish(test, pool, jobs);
	expect_help(test, jobs);
}

/**
 * struct later - how an added CPU gets a worker only later
 * @desc: when it gets one
 * @queued: tasks are queued when the CPU is added, but no worker is idle
 * @failing: the pool is below its capacity, but no worker can be made
 */
struct later {
	const char *desc;
	bool queued;
	bool failing;
};

static const struct later laters[] = {
	{ "when tasks come" },
	{ "when a worker is free", .queued = true },
	{ "when no worker can be made", .failing = true },
};

KUNIT_ARRAY_PARAM_DESC(later, laters, desc);

/*
 * Both workers have the same home when a CPU is added, and one or both of them have a task. The CPU
 * gets a worker when tasks are queued, or when a worker is free.
 */
static void wpool_tune_cpumask_lets_a_new_cpu_help_later(struct kunit *test)
{
	const struct later *later = test->param_value;
	struct wpk_jobs *jobs = jobs_to_help(test, wpk_cpu(0)), *held;
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, later->failing ? 4 : 2, WPOOL_UNLIMITED,
			     attrs.cpumask = cpumask_of(wpk_cpu(0)),
			     attrs.expiry_ms = 0, attrs.hog_ms = WPOOL_MAX_HOG_MS);
	wpk_warm(test, pool, 2);
	if (later->failing)
		wpk_no_threads(test);
	held = wpk_held(test, pool, 1, 1);
	if (later->queued) {
		wpk_jobs_submit(test, pool, jobs, 0, NR_WAIT_FOR_CPU);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&jobs->started) >= 10);
	}
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_possible_mask), 0);
	wpk_jobs_let(test, held, 1);
	if (!later->queued)
		wpk_jobs_submit(test, pool, jobs, 0, NR_WAIT_FOR_CPU);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, jobs->nr));
	if (later->failing)
		wpk_threads_again(test);
	wpk_finish(test, pool, jobs);
	expect_help(test, jobs);
}

/* Let two workers of one CPU sleep in tasks, at a gate. Returns the jobs, or NULL: try again. */
static struct wpk_jobs *two_asleep_at_one_cpu(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_gated(test, 2);
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(0), &jobs->job[i].task), 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, i + 1));
	}
	if (jobs->job[0].cpu == jobs->job[1].cpu)
		return jobs;
	/* on a slow machine the monitor may let a worker of another CPU take one */
	wpk_jobs_let(test, jobs, 2);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 4);
	return NULL;
}

/* The workers of one CPU sleep in their tasks. An idle worker of another CPU helps there. */
static void wpool_submit_moves_an_idle_worker_to_a_cpu_without_one(struct kunit *test)
{
	struct wpk_jobs *asleep = NULL, *jobs;
	unsigned long end;
	struct wpool *pool;
	int asleep_at;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.cpumask = wpk_first_cpus(test, 2),
			     attrs.prealloc = true, attrs.hog_ms = WPOOL_MAX_HOG_MS);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 4);
	/* the monitor's timer then runs on another CPU than the workers that shall sleep */
	wpk_move_to(wpk_cpu(1));
	end = jiffies + WPK_PATIENCE;
	while (!asleep && time_before(jiffies, end))
		asleep = two_asleep_at_one_cpu(test, pool);
	wpk_move_to(-1);
	KUNIT_ASSERT_NOT_NULL(test, asleep);
	asleep_at = asleep->job[0].cpu;
	jobs = jobs_to_help(test, asleep_at == wpk_cpu(0) ? wpk_cpu(1) : wpk_cpu(0));
	wpk_jobs_run(test, pool, jobs, NR_WAIT_FOR_CPU);
	expect_help(test, jobs);
	wpk_gate_open(asleep->gate);
	wpk_finish(test, pool, jobs);
	wpk_jobs_ran_once(test, asleep);
}

/* A tune of the mask moves idle workers only to a CPU that the tune adds. */
static void wpool_tune_cpumask_again_moves_no_idle_worker(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs;

	wpk_need_cpus(test, 2);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(wpk_cpu(0))), 0);
	jobs = wpk_held(test, pool, 2, 2);
	/* add the other CPUs while no worker is idle */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	wpk_gate_open(jobs->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(0)), 2);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_EXPECT_EQ(test, wpk_workers_at(pool, wpk_cpu(0)), 2);
}

WPK_SUITE(move,
	  KUNIT_CASE_PARAM(wpool_tune_cpumask_lets_a_new_cpu_help, prealloc_gen_params),
	  KUNIT_CASE_PARAM(wpool_tune_cpumask_lets_a_new_cpu_help_later, later_gen_params),
	  KUNIT_CASE(wpool_submit_moves_an_idle_worker_to_a_cpu_without_one),
	  KUNIT_CASE(wpool_tune_cpumask_again_moves_no_idle_worker));
