// SPDX-License-Identifier: GPL-2.0
/*
 * Submitters that wait because the pool is full. They are served first-in-first-out, and their
 * number and the time of their wait may be limited. A wait that fails has no effect.
 */
#include "full_pool.h"

static int try_until_accepted(struct wpk_thread *thread)
{
	int ret;

	do {
		ret = wpool_try_submit(thread->pool, thread->work);
		cond_resched();
	} while (ret == -EAGAIN && !wpk_stopped(thread->test));
	return ret;
}

/* @nr: waiters; of one alone the place becomes free at about the time of the newcomer's submit */
static const struct newcomer {
	int (*submit)(struct wpk_thread *thread);
	int nr;
	const char *desc;
} newcomers[] = {
	{ try_until_accepted, 3, "tries all the time, and never sleeps" },
	{ wpk_do_submit, 1, "submits when the place becomes free" },
};

KUNIT_ARRAY_PARAM_DESC(newcomer, newcomers, desc);

/* Submitters that wait are served in order, and before a newcomer. */
static void wpool_submit_newcomer_does_not_overtake_waiters(struct kunit *test)
{
	const struct newcomer *newcomer = test->param_value;
	struct wpk_thread *threads[4];
	int i, nr = newcomer->nr;
	struct wpk_jobs *jobs;
	struct wpk_full full;
	u32 round;

	for (round = 0; round < WPK_BARGE_ROUNDS; round++) {
		full = wpk_full_pool(test);
		jobs = wpk_jobs(test, nr + 1, NULL);
		for (i = 0; i < nr; i++)
			threads[i] = wpk_nth_waiter(test, full.pool, &jobs->job[i], i + 1);
		threads[nr] = wpk_thread(test, newcomer->submit, full.pool, jobs->tasks[nr], NULL);
		wpk_gate_open(full.gate);
		wpk_join_all(test, threads, nr + 1);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, nr + 1));
		/* the pool has one place: a task starts when its submitter was served */
		for (i = 0; i <= nr; i++)
			KUNIT_ASSERT_EQ(test, jobs->job[i].seq, i + 1);
	}
}

static void wpool_submit_max_blocking_reached_is_eagain(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpk_thread *threads[2], *third;
	int i;
	struct wpk_full full = wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.max_blocking = 2));

	for (i = 0; i < 2; i++)
		threads[i] = wpk_nth_waiter(test, full.pool, &jobs->job[i], i + 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[2].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, &jobs->job[2].task,
						   WPK_PATIENCE), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, refused), 2);
	wpk_kill(threads[0]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), -EINTR);
	third = wpk_nth_waiter(test, full.pool, &jobs->job[2], 2);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[3].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, threads[1]), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, third), 0);
	wpk_destroy(test, full.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 2);
}

static void wpool_submit_killed_waiter_leaves_nothing_behind(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_thread *threads[3];
	struct wpk_full full = wpk_full_pool(test);
	int i;

	for (i = 0; i < 3; i++)
		threads[i] = wpk_nth_waiter(test, full.pool, &jobs->job[i], i + 1);
	wpk_kill(threads[1]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), -EINTR);
	wpk_kill(threads[0]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), -EINTR);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 1);
	/* the task of a killed submitter is idle: a wait for the task returns at once */
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(&jobs->job[0].task));
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, threads[2]), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[2].task), 0);
	WPK_EVENTUALLY(test, wpk_stat(full.pool, outstanding) == 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, free), 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), 0);
	wpk_finish(test, full.pool, jobs);
}

/* If a kill and a free place come at the same time, the submit either fails or succeeds. */
static void wpool_submit_kill_against_a_free_slot_is_one_or_the_other(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *holders = wpk_jobs(test, 60, NULL);
	struct wpk_jobs *jobs = wpk_jobs(test, 60, NULL);
	struct wpk_thread *thread;
	struct wpk_gate *gate;
	int i, ret;

	for (i = 0; i < 60; i++) {
		gate = wpk_gate(test);
		holders->job[i].gate = gate;
		wpk_jobs_submit(test, pool, holders, i, 1);
		thread = wpk_nth_waiter(test, pool, &jobs->job[i], 1);
		wpk_gate_open(gate);
		udelay(i * 5);
		wpk_kill(thread);
		ret = wpk_join(test, thread);
		KUNIT_ASSERT_TRUE(test, ret == 0 || ret == -EINTR);
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
		KUNIT_ASSERT_EQ(test, atomic_read(&jobs->job[i].runs), !ret);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, free) == 1);
	}
}

static void wpool_submit_timeout_runs_out_is_etime(struct kunit *test)
{
	static const enum wpool_policy policies[] = { WPOOL_BLOCK, WPOOL_RUN };
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_full full;
	unsigned long start;
	int i;

	for (i = 0; i < 2; i++) {
		full = wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.policy = policies[i]));
		start = jiffies;
		KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, &jobs->job[i].task,
							   msecs_to_jiffies(50)), -ETIME);
		/* compare jiffies, the unit of the timeout: ticks may come late, and all at once */
		KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, start + msecs_to_jiffies(50)));
		KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
		KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, &jobs->job[i].task, 0),
				-ETIME);
		KUNIT_EXPECT_FALSE(test, wpool_task_cancel(&jobs->job[i].task));
		wpk_gate_open(full.gate);
		wpk_destroy(test, full.pool);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* The pool is nearly always full: each place that becomes free must wake one submitter. */
static void wpool_submit_full_pool_under_load_loses_no_wake_up(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 1);
	struct wpk_thread *threads[6];
	struct wpk_jobs *jobs[6];
	int i;

	for (i = 0; i < 6; i++)
		jobs[i] = wpk_jobs(test, WPK_LIMIT_TASKS / 16, NULL);
	for (i = 0; i < 6; i++)
		threads[i] = wpk_thread(test, wpk_do_submit_jobs, pool, NULL, jobs[i]);
	wpk_join_all(test, threads, 6);
	wpk_destroy(test, pool);
	for (i = 0; i < 6; i++)
		wpk_jobs_ran_once(test, jobs[i]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, refused), 0);
}

WPK_SUITE(waiters,
	  KUNIT_CASE_PARAM_ATTR(wpool_submit_newcomer_does_not_overtake_waiters,
				newcomer_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE(wpool_submit_max_blocking_reached_is_eagain),
	  KUNIT_CASE(wpool_submit_killed_waiter_leaves_nothing_behind),
	  KUNIT_CASE_SLOW(wpool_submit_kill_against_a_free_slot_is_one_or_the_other),
	  KUNIT_CASE(wpool_submit_timeout_runs_out_is_etime),
	  KUNIT_CASE_SLOW(wpool_submit_full_pool_under_load_loses_no_wake_up));
