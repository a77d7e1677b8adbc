// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-off while everything else changes: CPUs go offline, the cpumask and the nice value change,
 * tasks wait for each other, are cancelled and flushed, and the pool is closed, opened and
 * destroyed. No task is lost, and nothing hangs.
 */
#include <linux/cpu.h>

#include "one_cpu.h"

/* ---- places --------------------------------------------------------------- */

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

/* ---- fork and join -------------------------------------------------------- */

/* A binary tree of tasks. Leaves and some inner tasks sleep, then each waits for its children. */
static void fork_sleep_and_join(struct wpk_job *job)
{
	struct wpk_jobs *jobs = job->jobs;
	unsigned int first = 2 * (job - jobs->job) + 1, i;

	for (i = first; i < min(first + 2, jobs->nr); i++)
		job->ret = wpool_submit(job->arg, &jobs->job[i].task) ?:
			   job->ret;
	if ((job - jobs->job) % 3 == 0 || first >= jobs->nr)
		usleep_range(20, 100);
	for (i = first; i < min(first + 2, jobs->nr); i++)
		job->ret = wpool_task_wait(&jobs->job[i].task) ?: job->ret;
}

static const u32 capacities[] = { 1, 2, 5 };

WPK_PARAM(capacity, capacities, "capacity %u");

static void wpool_task_wait_fork_join_of_tasks_that_sleep(struct kunit *test)
{
	u32 capacity = *(const u32 *)test->param_value;
	struct wpool *pools[2] = {
		wpk_pool(test, capacity, WPOOL_UNLIMITED),
		wpk_one_cpu_pool(test, capacity, 1, true),
	};
	struct wpk_jobs *jobs;
	int i;

	for (i = 0; i < 2; i++) {
		jobs = wpk_jobs(test, 255, NULL);
		wpk_jobs_body(jobs, fork_sleep_and_join, pools[i]);
		wpk_job_run(test, pools[i], &jobs->job[0]);
		wpk_no_errors(test, jobs);
		wpk_jobs_ran_once(test, jobs);
		KUNIT_EXPECT_LE(test, wpk_stat(pools[i], spawned), capacity);
	}
}

/* ---- waiting, cancelling, flushing, closing ------------------------------- */

#define NR_ROUNDS 60
#define NR_TASKS 4

static int submit_and_wait(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	int round, i, ret;

	for (round = 0; round < NR_ROUNDS && !wpk_stopped(thread->test); round++) {
		ret = wpk_do_submit_jobs(thread);
		if (ret)
			return ret;
		for (i = 0; i < jobs->nr; i++) {
			ret = wpool_task_wait(&jobs->job[i].task);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int submit_and_cancel(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	int round, i, ret, taken_back;

	for (round = 0; round < NR_ROUNDS && !wpk_stopped(thread->test); round++) {
		ret = wpk_do_submit_jobs(thread);
		if (ret)
			return ret;
		if (round % 2)
			usleep_range(10, 100);
		for (i = 0; i < jobs->nr; i++) {
			taken_back = wpool_task_cancel(&jobs->job[i].task);
			ret = wpool_task_cancel_sync(&jobs->job[i].task);
			if (ret != 0 && ret != -ECANCELED)
				return ret;
			if (taken_back && ret != -ECANCELED)
				return -EBADE;
		}
	}
	return 0;
}

static int submit_and_flush(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	int round, i, ret;

	for (round = 0; round < NR_ROUNDS && !wpk_stopped(thread->test); round++) {
		ret = wpk_do_submit_jobs(thread) ?: wpool_flush(thread->pool);
		if (ret)
			return ret;
		for (i = 0; i < jobs->nr; i++)
			if (atomic_read(&jobs->job[i].runs) != round + 1)
				return -EBADE;
	}
	return 0;
}

static int (*const users[])(struct wpk_thread *thread) = {
	submit_and_wait, submit_and_cancel, submit_and_flush,
};

#define NR_USERS ARRAY_SIZE(users)

static void wpool_handoff_while_tasks_are_cancelled_and_flushed(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, true);
	struct wpk_thread *threads[NR_USERS];
	struct wpk_jobs *jobs[NR_USERS];
	int i;

	wpk_move_to(-1);
	for (i = 0; i < NR_USERS; i++) {
		jobs[i] = wpk_jobs(test, NR_TASKS, NULL);
		wpk_jobs_body(jobs[i], wpk_sleep_a_little, NULL);
	}
	for (i = 0; i < NR_USERS; i++)
		threads[i] = wpk_thread(test, users[i], pool, NULL, jobs[i]);
	wpk_join_all(test, threads, NR_USERS);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs[0]->started), NR_ROUNDS * NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed) + wpk_stat(pool, cancelled),
			NR_USERS * NR_ROUNDS * NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), atomic_read(&jobs[0]->started) +
			atomic_read(&jobs[1]->started) + atomic_read(&jobs[2]->started));
}

/* Submit jobs, and reboot the pool whenever it is closed, until the pool is destroyed. */
static int submit_for_ever(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	int i, ret;

	for (i = 0; !wpk_stopped(thread->test); i++) {
		ret = wpool_submit(thread->pool, &jobs->job[i % jobs->nr].task);
		if (ret == -ESHUTDOWN && wpool_reboot(thread->pool) == -ESHUTDOWN)
			return 0;
		/* -ECANCELED: the release has not yet ended the cancelled submit before this one */
		if (ret && ret != -ESHUTDOWN && ret != -EALREADY && ret != -ECANCELED)
			return ret;
		if (i % 8 == 0)
			usleep_range(10, 50);
	}
	return -EINTR;
}

static void wpool_destroy_and_release_while_handed_over(struct kunit *test)
{
	struct wpk_thread *threads[3];
	struct wpk_jobs *jobs[3];
	struct wpool *pool;
	int round, i;

	for (round = 0; round < WPK_DESTROY_ROUNDS; round++) {
		pool = wpk_one_cpu_pool(test, 4, 1, true);
		wpk_move_to(-1);
		for (i = 0; i < 3; i++) {
			jobs[i] = wpk_jobs(test, 30, NULL);
			wpk_jobs_body(jobs[i], wpk_sleep_a_little, NULL);
		}
		for (i = 0; i < 3; i++)
			threads[i] = wpk_thread(test, submit_for_ever, pool, NULL, jobs[i]);
		for (i = 0; i < 3; i++)
			KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs[i], 20));
		KUNIT_EXPECT_EQ(test, wpool_release(pool, round % 2 ? WPOOL_RELEASE_CANCEL :
						    WPOOL_RELEASE_DRAIN), 0);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs[0],
							 atomic_read(&jobs[0]->started) + 5));
		wpk_destroy(test, pool);
		wpk_join_all(test, threads, 3);
	}
}

WPK_SUITE(handoff_load,
	  KUNIT_CASE_SLOW(wpool_handoff_cpu_goes_while_its_workers_sleep),
	  KUNIT_CASE(wpool_tune_cpumask_while_handed_over),
	  KUNIT_CASE(wpool_tune_nice_while_handed_over),
	  KUNIT_CASE_PARAM_ATTR(wpool_task_wait_fork_join_of_tasks_that_sleep, capacity_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE_SLOW(wpool_handoff_while_tasks_are_cancelled_and_flushed),
	  KUNIT_CASE_SLOW(wpool_destroy_and_release_while_handed_over));
