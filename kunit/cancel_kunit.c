// SPDX-License-Identifier: GPL-2.0
/*
 * Cancel: a cancelled task does not run, whatever its state and the context of the cancel. After
 * wpool_task_cancel_sync() the task's memory belongs to the caller.
 */
#include <linux/slab.h>

#include "full_pool.h"

static void wpool_task_wait_wakes_when_the_task_is_cancelled(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 1, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 1);
	struct wpool_task *task = &jobs->job[1].task;
	struct wpk_thread *waiter;

	wpk_jobs_submit(test, pool, jobs, 1, 1);
	waiter = wpk_sleeper(test, wpk_do_wait, NULL, task, NULL);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -ECANCELED);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

static void wpool_task_cancel_then_submit_runs_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 1, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 1);
	struct wpk_job *job = &jobs->job[1];
	int i;

	/* More rounds than a ring has slots: slots of cancelled tasks must become free. */
	for (i = 0; i < 600; i++) {
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &job->task), 0);
		KUNIT_ASSERT_TRUE(test, wpool_task_cancel(&job->task));
	}
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &job->task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 600);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&job->task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
	KUNIT_EXPECT_FALSE(test, job->twice);
}

struct cancel_call {
	struct wpool_task *task;
	bool ret[2];
};

static void cancel_twice(void *arg)
{
	struct cancel_call *call = arg;

	call->ret[0] = wpool_task_cancel(call->task);
	call->ret[1] = wpool_task_cancel(call->task);
}

/* Cancel a queued task, in this thread or (@in_irq) twice in a hard interrupt. */
static void take_back(struct kunit *test, struct wpool_task *task, bool in_irq)
{
	struct cancel_call call = { .task = task };

	if (!in_irq) {
		KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), -ECANCELED);
		return;
	}
	wpk_in_hardirq(cancel_twice, &call);
	KUNIT_EXPECT_TRUE(test, call.ret[0]);
	KUNIT_EXPECT_FALSE(test, call.ret[1]);
}

/* The first waiting submitter gets the place of a cancelled task. */
static void wpool_task_cancel_lets_a_waiting_submitter_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_held(test, pool, 4, 1);
	struct wpk_thread *submitter;
	int i;

	wpk_jobs_submit(test, pool, jobs, 1, 1);
	for (i = 1; i < 3; i++) {
		submitter = wpk_nth_waiter(test, pool, &jobs->job[i + 1], 1);
		take_back(test, &jobs->job[i].task, i == 1);
		KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	}
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[3].task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs) + atomic_read(&jobs->job[2].runs), 0);
}

/* Wherever the task is in the queues, the caller may free it after wpool_task_cancel_sync(). */
static void wpool_task_cancel_sync_then_kfree_is_safe(struct kunit *test)
{
	const unsigned int nr = 700;
	struct wpool *pool = wpk_pool_policy(test, 1, nr, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
	struct wpool_task **tasks = wpk_alloc(test, nr * sizeof(*tasks));
	unsigned int i;

	for (i = 0; i < nr; i++) {
		tasks[i] = kmalloc(sizeof(*tasks[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tasks[i]);
		wpool_task_init(tasks[i], wpk_empty);
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, tasks[i]), 0);
	}
	/* Start in the middle. Cancel every third task before its wpool_task_cancel_sync(). */
	for (i = nr / 2; i < nr; i++) {
		if (i % 3 == 0)
			KUNIT_EXPECT_TRUE(test, wpool_task_cancel(tasks[i]));
		KUNIT_ASSERT_EQ(test, wpool_task_cancel_sync(tasks[i]), -ECANCELED);
		kfree(tasks[i]);
	}
	for (i = 0; i < nr / 2; i += 2) {
		KUNIT_ASSERT_EQ(test, wpool_task_cancel_sync(tasks[i]), -ECANCELED);
		kfree(tasks[i]);
	}
	wpk_gate_open(jobs->gate);
	for (i = 1; i < nr / 2; i += 2) {
		KUNIT_ASSERT_EQ(test, wpool_task_wait(tasks[i]), 0);
		kfree(tasks[i]);
	}
}

WPK_SUITE(cancel,
	  KUNIT_CASE(wpool_task_wait_wakes_when_the_task_is_cancelled),
	  KUNIT_CASE(wpool_task_cancel_then_submit_runs_once),
	  KUNIT_CASE(wpool_task_cancel_lets_a_waiting_submitter_on),
	  KUNIT_CASE_SLOW(wpool_task_cancel_sync_then_kfree_is_safe));
