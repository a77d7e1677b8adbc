// SPDX-License-Identifier: GPL-2.0
/*
 * What holds at every moment, also for who looks between two steps of somebody
 * else: places, and figures. A moment is hit by chance, but often, so a case that
 * passes says little and one that fails says much: none may fail ever.
 */
#include <linux/smp.h>

#include "fixture.h"

/* ---- places --------------------------------------------------------------- */

#define NR_AGAIN 3000

static int submit_pending(struct wpk_thread *thread)
{
	int ret;

	wpk_move_to(wpk_cpu(1));
	while (!wpk_stopped(thread->test)) {
		ret = wpool_try_submit(thread->pool, thread->work);
		if (ret != -EALREADY)
			return ret ?: -EBADE;
	}
	return 0;
}

/* It needs no place of its own, and must not hold one from others meanwhile. */
static void wpool_try_submit_pending_task_takes_nobodys_place(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, gate);
	struct wpool_task *last = &jobs->job[2].task;
	unsigned int i, refused = 0, bad = 0;
	struct wpk_thread *thread;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "it takes two CPUs");
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	thread = wpk_thread(test, submit_pending, pool, &jobs->job[1].task, NULL);
	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < NR_AGAIN; i++) {
		/* One place is free, always. */
		if (wpool_try_submit(pool, last))
			refused++;
		else if (wpool_task_cancel_sync(last) != -ECANCELED)
			bad++;
	}
	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_EQ(test, bad, 0);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_move_to(-1);
}

struct again {
	struct wpool *pool;
	struct wpool_task *task;
	int ret;
};

static void submit_again(void *data)
{
	struct again *again = data;

	again->ret = wpool_try_submit(again->pool, again->task);
}

/*
 * An interrupt hits the worker anywhere, also between the end of its task and the
 * return of the task's place: who finds the one finds the other.
 */
static void wpool_try_submit_in_an_interrupt_finds_the_place_of_its_task(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_attrs attrs;
	struct again again;
	unsigned int i, refused = 0, bad = 0;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "it takes two CPUs");
	wpk_attrs(&attrs, 1, 0);
	attrs.cpumask = cpumask_of(wpk_cpu(1));
	again.pool = wpk_pool_attrs(test, &attrs);
	again.task = &jobs->job[0].task;
	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < NR_AGAIN; i++) {
		KUNIT_ASSERT_EQ(test, smp_call_function_single(wpk_cpu(1), submit_again,
							       &again, true), 0);
		if (again.ret == -EAGAIN)
			refused++;
		else if (again.ret && again.ret != -EALREADY)
			bad++;
	}
	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(again.task), 0);
	wpk_move_to(-1);
}

/* ---- figures -------------------------------------------------------------- */

static int submit_and_cancel_each(struct wpk_thread *thread)
{
	while (!wpk_stopped(thread->test))
		if (wpool_try_submit(thread->pool, thread->work) ||
		    wpool_task_cancel_sync(thread->work) != -ECANCELED)
			return -EBADE;
	return 0;
}

#define NR_LOOKS 5000

/* Not even for a moment, and also where figures of several CPUs are summed up. */
static void wpool_get_stats_cancelled_tasks_never_count_as_completed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, gate);
	const struct wpool_stats *stats;
	struct wpk_thread *threads[2];
	unsigned int i, bad = 0;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < 2; i++)
		threads[i] = wpk_thread(test, submit_and_cancel_each, pool,
					&jobs->job[i + 1].task, NULL);
	for (i = 0; i < NR_LOOKS; i++) {
		stats = wpk_snapshot(pool);
		bad += stats->completed || stats->failed;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
	wpk_stop(test);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, cancelled), 1);
}

static struct kunit_case moment_cases[] = {
	KUNIT_CASE_SLOW(wpool_try_submit_pending_task_takes_nobodys_place),
	KUNIT_CASE_SLOW(wpool_try_submit_in_an_interrupt_finds_the_place_of_its_task),
	KUNIT_CASE_SLOW(wpool_get_stats_cancelled_tasks_never_count_as_completed),
	{}
};

static struct kunit_suite moment_suite = {
	.name = "wpool_moment",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = moment_cases,
};

kunit_test_suite(moment_suite);
