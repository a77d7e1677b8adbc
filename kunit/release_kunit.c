// SPDX-License-Identifier: GPL-2.0
/* Release and reboot: a pool that closes, empties, and opens again. */
#include "fixture.h"

static void wpool_release_cancel_ends_what_is_queued(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 500);
	struct wpk_jobs *jobs;
	struct wpk_thread *waiter;
	int i;

	/* queue some tasks in a ring, some in the global queue, and some with the urgent ones */
	jobs = wpk_held(test, pool, 400, 1);
	for (i = 2; i < 400; i += 2)
		wpool_task_set_urgent(&jobs->job[i].task, true);
	wpk_jobs_submit(test, pool, jobs, 1, 399);
	waiter = wpk_thread(test, wpk_do_wait, NULL, &jobs->job[200].task, NULL);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -ECANCELED);
	wpk_jobs_end(test, jobs, 1, 399, -ECANCELED);
	WPK_EVENTUALLY(test, wpk_stat(pool, outstanding) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 399);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 1);
}

static void wpool_release_timeout_runs_out_then_succeeds(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, wpk_gate(test)), *late = wpk_jobs(test, 1, NULL);
	unsigned long start = jiffies;
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 3);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, WPOOL_RELEASE_DRAIN,
						    msecs_to_jiffies(50)), -ETIME);
	KUNIT_EXPECT_GE(test, jiffies - start, msecs_to_jiffies(50));
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, WPOOL_RELEASE_DRAIN, 0), -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &late->job[0].task), -ESHUTDOWN);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, WPOOL_RELEASE_DRAIN, WPK_PATIENCE), 0);
	/* when the release returns 0, no task is unfinished, and no worker is left */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	wpk_jobs_ran_once(test, jobs);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[i].inside), 0);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, WPOOL_RELEASE_DRAIN, 0), 0);
}

/* ---- reboot --------------------------------------------------------------- */

static void wpool_reboot_waits_for_the_old_tasks_and_workers(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 2, 3, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 6);
	struct wpk_jobs *later = wpk_jobs(test, 1, NULL);
	struct wpk_thread *thread;
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 5);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	thread = wpk_sleeper(test, wpk_do_reboot, pool, NULL, NULL);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_CLOSED);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[5].task), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->gate, thread), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_OPEN);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	wpk_job_run(test, pool, &later->job[0]);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_NE(test, later->job[0].pid, jobs->job[i].pid);
}

/* Open the pool, unless another thread has opened it, and keep the pool busy. */
static int reboot_and_submit(struct wpk_thread *thread)
{
	return wpool_reboot(thread->pool) ?: wpool_submit(thread->pool, thread->work);
}

/* A reboot that comes late finds the pool open and in use, and waits for no task. */
static void wpool_reboot_several_wait_all_return(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 8, WPOOL_UNLIMITED);
	struct wpk_thread *threads[4];
	struct wpk_jobs *old, *new;
	struct wpk_gate *gate;
	int i, round;

	for (round = 0; round < 20; round++) {
		gate = wpk_gate(test);
		old = wpk_jobs(test, 1, gate);
		new = wpk_jobs(test, ARRAY_SIZE(threads), NULL);
		wpk_jobs_submit(test, pool, old, 0, 1);
		KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
		for (i = 0; i < ARRAY_SIZE(threads); i++)
			threads[i] = wpk_thread(test, reboot_and_submit, pool,
						&new->job[i].task, NULL);
		for (i = 0; i < ARRAY_SIZE(threads); i++)
			KUNIT_EXPECT_TRUE(test, wpk_sleeps(threads[i]));
		wpk_gate_open(gate);
		for (i = 0; i < ARRAY_SIZE(threads); i++)
			KUNIT_ASSERT_EQ(test, wpk_join(test, threads[i]), 0);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		wpk_jobs_ran_once(test, new);
	}
}

WPK_SUITE(release,
	  KUNIT_CASE(wpool_release_cancel_ends_what_is_queued),
	  KUNIT_CASE(wpool_release_timeout_runs_out_then_succeeds),
	  KUNIT_CASE(wpool_reboot_waits_for_the_old_tasks_and_workers),
	  KUNIT_CASE(wpool_reboot_several_wait_all_return));
