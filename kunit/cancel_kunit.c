// SPDX-License-Identifier: GPL-2.0
/*
 * Cancel: a cancelled task does not run, whatever its state and the context of the cancel. After
 * wpool_task_cancel_sync() the task's memory belongs to the caller.
 */
#include <linux/slab.h>

#include "fixture.h"

/* A pool of one worker, which is inside jobs->job[0] at the closed gate. */
struct busy {
	struct wpool *pool;
	struct wpk_gate *gate;
	struct wpk_jobs *jobs;
};

static void busy_pool(struct kunit *test, struct busy *busy, u32 depth, unsigned int nr)
{
	busy->pool = wpk_pool_policy(test, 1, depth, WPOOL_FAIL);
	busy->gate = wpk_gate(test);
	busy->jobs = wpk_jobs(test, nr, busy->gate);
	wpk_jobs_submit(test, busy->pool, busy->jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(busy->gate, 1));
}

static void wpool_task_wait_wakes_when_the_task_is_cancelled(struct kunit *test)
{
	struct wpk_thread *waiter;
	struct wpool_task *task;
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	task = &busy.jobs->job[1].task;
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 1);
	waiter = wpk_thread(test, wpk_do_wait, NULL, task, NULL);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(waiter));
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -ECANCELED);
	wpk_gate_open(busy.gate);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[1].runs), 0);
}

static void wpool_task_cancel_then_submit_runs_once(struct kunit *test)
{
	struct wpk_job *job;
	struct busy busy;
	int i;

	/* More rounds than a ring has slots: slots of cancelled tasks must become free. */
	busy_pool(test, &busy, 1, 2);
	job = &busy.jobs->job[1];
	for (i = 0; i < 600; i++) {
		KUNIT_ASSERT_EQ(test, wpool_submit(busy.pool, &job->task), 0);
		KUNIT_ASSERT_TRUE(test, wpool_task_cancel(&job->task));
	}
	KUNIT_EXPECT_EQ(test, wpool_submit(busy.pool, &job->task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, cancelled), 600);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, outstanding), 2);
	wpk_gate_open(busy.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&job->task), 0);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
	KUNIT_EXPECT_FALSE(test, job->twice);
}

static void wpool_task_cancel_sync_then_submit_to_another_pool_runs_there(struct kunit *test)
{
	struct wpool *other = wpk_pool(test, 1, 0);
	struct wpk_job *job;
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	job = &busy.jobs->job[1];
	job->gate = NULL;
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&job->task), -ECANCELED);
	KUNIT_ASSERT_EQ(test, wpool_submit(other, &job->task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&job->task), 0);
	KUNIT_EXPECT_NE(test, job->pid, busy.jobs->job[0].pid);
	wpk_gate_open(busy.gate);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
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

static void wpool_task_cancel_makes_room(struct kunit *test)
{
	struct busy busy;
	int i;

	busy_pool(test, &busy, 1, 6);
	for (i = 1; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, free), 1);
		wpk_jobs_submit(test, busy.pool, busy.jobs, i, 1);
		KUNIT_EXPECT_EQ(test, wpool_submit(busy.pool, &busy.jobs->job[5].task), -EAGAIN);
		if (i % 2)
			KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&busy.jobs->job[i].task));
		else
			take_back(test, &busy.jobs->job[i].task, false);
	}
	KUNIT_EXPECT_EQ(test, wpool_submit(busy.pool, &busy.jobs->job[5].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, cancelled), 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, queued), 1);
	wpk_gate_open(busy.gate);
	wpk_destroy(test, busy.pool);
	for (i = 1; i < 6; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[i].runs), i == 5);
}

/* The first waiting submitter gets the place of a cancelled task. */
static void wpool_task_cancel_lets_a_waiting_submitter_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, gate);
	struct wpk_thread *submitter;
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	for (i = 1; i < 3; i++) {
		submitter = wpk_thread(test, wpk_do_submit, pool, &jobs->job[i + 1].task, NULL);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
		take_back(test, &jobs->job[i].task, i == 1);
		KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	}
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[3].task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs) + atomic_read(&jobs->job[2].runs), 0);
}

static void do_nothing(struct wpool_task *task)
{
}

/* Wherever the task is in the queues, the caller may free it after wpool_task_cancel_sync(). */
static void wpool_task_cancel_sync_then_kfree_is_safe(struct kunit *test)
{
	const unsigned int nr = 700;
	struct wpool_task **tasks;
	struct busy busy;
	unsigned int i;

	busy_pool(test, &busy, nr, 1);
	tasks = wpk_alloc(test, nr * sizeof(*tasks));
	for (i = 0; i < nr; i++) {
		tasks[i] = kmalloc(sizeof(*tasks[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tasks[i]);
		wpool_task_init(tasks[i], do_nothing);
		KUNIT_ASSERT_EQ(test, wpool_submit(busy.pool, tasks[i]), 0);
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
	wpk_gate_open(busy.gate);
	for (i = 1; i < nr / 2; i += 2) {
		KUNIT_ASSERT_EQ(test, wpool_task_wait(tasks[i]), 0);
		kfree(tasks[i]);
	}
	wpk_destroy(test, busy.pool);
}

/* In a race with a worker, the task either runs or is cancelled. */
static void wpool_task_cancel_sync_races_with_its_start(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	unsigned int i, cancelled = 0, before;
	struct wpk_jobs *jobs = NULL;
	struct wpk_job *job;
	int ret;

	for (i = 0; i < WPK_CANCEL_ROUNDS; i++) {
		if (i % 100 == 0)
			jobs = wpk_jobs(test, 1, NULL);
		job = &jobs->job[0];
		before = atomic_read(&job->runs);
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &job->task), 0);
		if (i % 2)
			ndelay(100 * (i % 50));
		if (i % 3 == 0)
			wpool_task_cancel(&job->task);
		ret = wpool_task_cancel_sync(&job->task);
		KUNIT_ASSERT_TRUE(test, ret == 0 || ret == -ECANCELED);
		KUNIT_ASSERT_EQ(test, atomic_read(&job->runs) - before, ret ? 0 : 1);
		if (ret)
			cancelled++;
	}
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), cancelled);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), WPK_CANCEL_ROUNDS - cancelled);
}

WPK_SUITE(cancel,
	  KUNIT_CASE(wpool_task_wait_wakes_when_the_task_is_cancelled),
	  KUNIT_CASE(wpool_task_cancel_then_submit_runs_once),
	  KUNIT_CASE(wpool_task_cancel_sync_then_submit_to_another_pool_runs_there),
	  KUNIT_CASE(wpool_task_cancel_makes_room),
	  KUNIT_CASE(wpool_task_cancel_lets_a_waiting_submitter_on),
	  KUNIT_CASE_SLOW(wpool_task_cancel_sync_then_kfree_is_safe),
	  KUNIT_CASE_SLOW(wpool_task_cancel_sync_races_with_its_start));
