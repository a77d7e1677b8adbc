// SPDX-License-Identifier: GPL-2.0
/*
 * Concurrency: how many workers of one CPU take tasks at a time, and what a worker does after a
 * sleep in its task, also while CPUs, the cpumask and the nice value change.
 */
#include <linux/cpu.h>

#include "one_cpu.h"

/* No task of @job->jobs ends before all of them have started. */
static void run_until_all_are_inside(struct wpk_job *job)
{
	struct wpk_jobs *jobs = job->jobs;

	if (!wpk_run_until(atomic_read(&jobs->started) >= jobs->nr))
		job->ret = -ETIME;
}

static const u32 concurrencies[] = { 1, 2, 4 };

WPK_PARAM(concurrency, concurrencies, "concurrency %u");

static void wpool_concurrency_so_many_busy_tasks_share_a_cpu(struct kunit *test)
{
	u32 concurrency = *(const u32 *)test->param_value;
	struct wpool *pool = wpk_one_cpu_pool(test, 8, concurrency, true);
	struct wpk_jobs *jobs[2] = {
		wpk_jobs(test, concurrency, NULL),
		wpk_jobs(test, concurrency, NULL),
	};
	int i;

	for (i = 0; i < 2; i++)
		wpk_jobs_body(jobs[i], run_until_all_are_inside, NULL);
	/* first submit a batch to a pool without workers, then single tasks to idle workers */
	wpk_submit_together(test, pool, jobs[0]);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs[0], concurrency));
	wpk_no_errors(test, jobs[0]);
	wpk_jobs_run(test, pool, jobs[1], concurrency);
	wpk_no_errors(test, jobs[1]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), 0);
}

static void wpool_tune_concurrency_up_starts_what_is_queued(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 8, 1, true);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 3, run_until_all_are_inside, NULL);

	wpk_submit_together(test, pool, jobs);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 1));
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CONCURRENCY, concurrency, 3), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 3));
	wpk_no_errors(test, jobs);
}

struct crowd {
	int limit;		/* how many of the jobs may run at once */
	atomic_t beside;	/* jobs that started while more than @limit ran */
};

static void count_others(struct wpk_job *job)
{
	struct crowd *crowd = job->arg;
	int i;

	if (atomic_read(&job->jobs->running) > crowd->limit)
		atomic_inc(&crowd->beside);
	/* let other workers run */
	for (i = 0; i < 20; i++) {
		udelay(5);
		cond_resched();
	}
}

#define NR_BACK 6
#define NR_BEHIND 240

static void run_a_little(struct wpk_job *job)
{
	int i;

	for (i = 0; i < 100; i++) {
		udelay(5);
		cond_resched();
	}
}

/*
 * Six tasks sleep in all six workers, and wake at the same time. All six finish, but then only
 * @concurrency of the workers take queued tasks. Returns crowd->beside, which need not be 0: on a
 * slow machine the monitor may help a queue that does not move.
 */
static int beside_those_who_come_back(struct kunit *test, u32 concurrency)
{
	struct wpool *pool = wpk_one_cpu_pool(test, NR_BACK, concurrency, true);
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));
	struct wpk_jobs *back = wpk_gated(test, NR_BACK);
	struct wpk_jobs *behind = wpk_jobs_of(test, NR_BEHIND, count_others, crowd);

	crowd->limit = concurrency;
	wpk_jobs_body(back, run_a_little, NULL);
	wpk_submit_together(test, pool, back);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(back->gate, NR_BACK));
	wpk_submit_together(test, pool, behind);
	KUNIT_EXPECT_EQ(test, atomic_read(&behind->started), 0);
	wpk_jobs_let(test, back, NR_BACK);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(behind, NR_BEHIND));
	KUNIT_EXPECT_EQ(test, atomic_read(&back->peak), NR_BACK);
	wpk_finish(test, pool, back);
	wpk_jobs_ran_once(test, behind);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), NR_BACK);
	return atomic_read(&crowd->beside);
}

static void wpool_concurrency_holds_for_those_who_come_back(struct kunit *test)
{
	u32 concurrency = *(const u32 *)test->param_value;
	int try = 0, beside;

	do {
		beside = beside_those_who_come_back(test, concurrency);
	} while (beside > NR_BEHIND / 4 && ++try < 10);
	KUNIT_EXPECT_LE(test, beside, NR_BEHIND / 4);
}

/* With concurrency equal to capacity, two tasks must run at once. */
static void wpool_concurrency_at_capacity_limits_nobody(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 2, 2, true);
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));
	struct wpk_jobs *first = wpk_jobs_of(test, 2, run_until_all_are_inside, NULL);
	struct wpk_jobs *jobs = wpk_jobs_of(test, NR_BEHIND, count_others, crowd);
	int try = 0;

	crowd->limit = 1;
	wpk_submit_together(test, pool, first);
	/* repeat until a task has started while another one ran */
	do {
		wpk_submit_together(test, pool, jobs);
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
	} while (!atomic_read(&crowd->beside) && ++try < 100);
	wpk_no_errors(test, first);
	KUNIT_EXPECT_GE(test, atomic_read(&crowd->beside), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->peak), 2);
}

static void sleep_1_ms(struct wpk_job *job)
{
	usleep_range(1000, 1100);
}

/* 1000 tasks sleep: capacity bounds the workers, and all figures are right. */
static void wpool_handoff_1000_sleepers_on_capacity_16(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 16, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs;
	/* Without notifiers only the monitor hands over a queue, too late for sleeps of 1 ms. */
	int wanted = IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS) ? 16 : 2, peak = 0, round;

	/* Repeat until @wanted tasks ran at once: the creation of the workers may take long. */
	for (round = 1; round <= 10; round++) {
		jobs = wpk_jobs(test, 1000, NULL);
		wpk_jobs_body(jobs, sleep_1_ms, NULL);
		wpk_jobs_submit(test, pool, jobs, 0, 1000);
		while (atomic_read(&jobs->finished) < 900) {
			wpk_figures_agree(test, pool);
			if (!wpk_jobs_finished(jobs, atomic_read(&jobs->finished) + 50))
				break;
		}
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 1000));
		wpk_jobs_ran_once(test, jobs);
		peak = max(peak, atomic_read(&jobs->peak));
		if (peak >= wanted)
			break;
	}
	KUNIT_EXPECT_LE(test, peak, 16);
	KUNIT_EXPECT_GE(test, peak, wanted);
	round = min(round, 10);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == wpk_stat(pool, workers));
	wpk_figures_agree(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), 0);
	/* a worker that was requested earlier may come only now */
	WPK_EVENTUALLY(test, wpk_stat(pool, searching) == 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, blocked), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), round * 1000);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, workers), 16);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, spawned), 16);
}

/* ---- while the places change ---------------------------------------------- */

/*
 * If a CPU goes offline while workers sleep in their tasks there, the queued tasks run elsewhere.
 * Three of four workers sleep.
 */
static void wpool_handoff_cpu_goes_while_its_workers_sleep(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpk_jobs *sleepers = wpk_gated(test, 3);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 400, wpk_sleep_a_little, NULL);
	struct wpk_thread *thread;
	struct wpool *pool;

	pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(cpu));
	wpk_move_to(cpu);
	wpk_submit_together(test, pool, sleepers);
	wpk_submit_together(test, pool, jobs);
	wpk_move_to(-1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(sleepers->gate, 3));
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 5));
	thread = wpk_thread(test, wpk_do_remove_cpu, NULL, NULL, (void *)cpu);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 400));
	KUNIT_EXPECT_EQ(test, atomic_read(&sleepers->finished), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	wpk_jobs_let(test, sleepers, 3);
	wpk_finish(test, pool, jobs);
	wpk_jobs_ran_once(test, sleepers);
}

static void wpool_tune_cpumask_while_handed_over(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, true);
	struct wpk_jobs *sleepers = wpk_gated(test, 3);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 100, wpk_sleep_a_little, NULL);
	int i, elsewhere = 0;

	wpk_need_cpus(test, 2);
	wpk_submit_together(test, pool, sleepers);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(sleepers->gate, 3));
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(wpk_cpu(1))), 0);
	/* this thread submits on the CPU that has left the cpumask */
	wpk_jobs_run(test, pool, jobs, 50);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleepers->finished), 0);
	wpk_jobs_let(test, sleepers, 3);
	wpk_jobs_submit(test, pool, jobs, 50, 50);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 100));
	for (i = 0; i < 100; i++)
		elsewhere += jobs->job[i].cpu != wpk_cpu(1);
	KUNIT_EXPECT_EQ(test, elsewhere, 0);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, spawned), 4);
}

static void wpool_tune_nice_while_handed_over(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, true);
	struct wpk_jobs *sleepers = wpk_gated(test, 3);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 100, wpk_sleep_a_little, NULL);
	int i, others = 0;

	wpk_submit_together(test, pool, sleepers);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(sleepers->gate, 3));
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, NICE, nice, 7), 0);
	wpk_submit_together(test, pool, jobs);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 10));
	/* workers that come back from a sleep have the new nice value, too */
	wpk_jobs_let(test, sleepers, 3);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 100));
	for (i = 0; i < 100; i++)
		others += jobs->job[i].nice != 7;
	KUNIT_EXPECT_EQ(test, others, 0);
}

WPK_SUITE(concurrency,
	  KUNIT_CASE_PARAM(wpool_concurrency_so_many_busy_tasks_share_a_cpu,
			   concurrency_gen_params),
	  KUNIT_CASE(wpool_tune_concurrency_up_starts_what_is_queued),
	  KUNIT_CASE_PARAM_ATTR(wpool_concurrency_holds_for_those_who_come_back,
				concurrency_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE_SLOW(wpool_concurrency_at_capacity_limits_nobody),
	  KUNIT_CASE_SLOW(wpool_handoff_1000_sleepers_on_capacity_16),
	  KUNIT_CASE_SLOW(wpool_handoff_cpu_goes_while_its_workers_sleep),
	  KUNIT_CASE(wpool_tune_cpumask_while_handed_over),
	  KUNIT_CASE(wpool_tune_nice_while_handed_over));
