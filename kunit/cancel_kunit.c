// SPDX-License-Identifier: GPL-2.0
/*
 * Cancel: a submit that was taken back does not run, in whatever state and
 * from whatever context, and its memory is the caller's again after the sync.
 */
#include <linux/slab.h>

#include "fixture.h"

/* A pool of one worker, which is inside jobs->job[0] at the closed gate. */
struct busy {
	struct wpool *pool;
	struct wpk_gate *gate;
	struct wpk_jobs *jobs;
};

static void busy_pool(struct kunit *test, struct busy *busy, u32 depth,
		      unsigned int nr)
{
	busy->pool = wpk_pool_policy(test, 1, depth, WPOOL_FAIL);
	busy->gate = wpk_gate(test);
	busy->jobs = wpk_jobs(test, nr, busy->gate);
	wpk_jobs_submit(test, busy->pool, busy->jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(busy->gate, 1));
}

static void wpool_task_cancel_pending_task_does_not_run(struct kunit *test)
{
	struct wpool_task *task;
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	task = &busy.jobs->job[1].task;
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 1);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	/* There is nothing left to take back. */
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	wpk_gate_open(busy.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), -ECANCELED);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[1].runs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, cancelled), 1);
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

static void wpool_task_cancel_idle_or_running_task_is_false(struct kunit *test)
{
	struct wpool_task *task;
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	task = &busy.jobs->job[0].task;
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(&busy.jobs->job[1].task));
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	wpk_gate_open(busy.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, cancelled), 0);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[0].runs), 1);
}

static void wpool_task_cancel_takes_back_the_second_run_only(struct kunit *test)
{
	struct wpk_job *job;
	struct busy busy;
	int ret;

	busy_pool(test, &busy, 1, 1);
	job = &busy.jobs->job[0];
	KUNIT_ASSERT_EQ(test, wpool_submit(busy.pool, &job->task), 0);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&job->task));
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(&job->task));
	wpk_gate_open(busy.gate);
	/* One of its submits returned and one was cancelled: either is true. */
	ret = wpool_task_wait(&job->task);
	KUNIT_EXPECT_TRUE(test, ret == 0 || ret == -ECANCELED);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
}

static void wpool_task_cancel_then_submit_runs_once(struct kunit *test)
{
	struct wpk_job *job;
	struct busy busy;
	int i;

	/* More rounds than a ring has slots: what stays behind must go, too. */
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

static void expect_room_after(struct kunit *test,
			      void (*cancel)(struct kunit *test,
					     struct wpool_task *task))
{
	struct busy busy;
	int i;

	busy_pool(test, &busy, 1, 5);
	for (i = 1; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, free), 1);
		wpk_jobs_submit(test, busy.pool, busy.jobs, i, 1);
		KUNIT_EXPECT_EQ(test, wpool_submit(busy.pool,
						   &busy.jobs->job[4].task),
				-EAGAIN);
		cancel(test, &busy.jobs->job[i].task);
	}
	KUNIT_EXPECT_EQ(test, wpool_submit(busy.pool,
					   &busy.jobs->job[4].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, cancelled), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(busy.pool, queued), 1);
	wpk_gate_open(busy.gate);
	wpk_destroy(test, busy.pool);
	for (i = 1; i < 5; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[i].runs),
				i == 4);
}

static void cancel_only(struct kunit *test, struct wpool_task *task)
{
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
}

static void cancel_and_sync(struct kunit *test, struct wpool_task *task)
{
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), -ECANCELED);
}

/* A task that will not run any more is not outstanding. */
static void wpool_task_cancel_makes_room(struct kunit *test)
{
	expect_room_after(test, cancel_only);
}

/* A task that is the caller's again can take no place. */
static void wpool_task_cancel_sync_makes_room(struct kunit *test)
{
	expect_room_after(test, cancel_and_sync);
}

static void wpool_task_cancel_sync_waits_for_the_running_task_only(struct kunit *test)
{
	struct wpk_thread *canceller;
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 1);
	/* The queued one comes back at once, though the worker is stuck. */
	KUNIT_EXPECT_EQ(test,
			wpool_task_cancel_sync(&busy.jobs->job[1].task),
			-ECANCELED);
	canceller = wpk_thread(test, wpk_do_cancel_sync, NULL,
			       &busy.jobs->job[0].task, NULL);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(canceller));
	KUNIT_EXPECT_FALSE(test, wpk_ended(canceller));
	wpk_gate_open(busy.gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, canceller), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[0].inside), 0);
}

static void wpool_task_cancel_sync_takes_back_the_second_run_and_waits(struct kunit *test)
{
	struct wpk_thread *canceller;
	struct wpk_job *job;
	struct busy busy;
	int ret;

	busy_pool(test, &busy, 1, 1);
	job = &busy.jobs->job[0];
	KUNIT_ASSERT_EQ(test, wpool_submit(busy.pool, &job->task), 0);
	canceller = wpk_thread(test, wpk_do_cancel_sync, NULL, &job->task,
			       NULL);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(canceller));
	wpk_gate_open(busy.gate);
	ret = wpk_join(test, canceller);
	KUNIT_EXPECT_TRUE(test, ret == 0 || ret == -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->inside), 0);
}

static void cancel_sibling(struct wpk_job *job)
{
	job->ret = wpool_task_cancel_sync(job->arg);
}

static void wpool_task_cancel_sync_in_a_worker_takes_back_a_sibling(struct kunit *test)
{
	struct busy busy;

	busy_pool(test, &busy, 1, 2);
	busy.jobs->job[0].body = cancel_sibling;
	busy.jobs->job[0].arg = &busy.jobs->job[1].task;
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 1);
	wpk_gate_open(busy.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&busy.jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, busy.jobs->job[0].ret, -ECANCELED);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[1].runs), 0);
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

static void wpool_task_cancel_works_in_any_context(struct kunit *test)
{
	struct cancel_call call;
	struct busy busy;
	int i;

	busy_pool(test, &busy, 2, 3);
	wpk_jobs_submit(test, busy.pool, busy.jobs, 1, 2);
	for (i = 1; i <= 2; i++) {
		call.task = &busy.jobs->job[i].task;
		if (i == 1)
			wpk_in_hardirq(cancel_twice, &call);
		else
			wpk_in_softirq(cancel_twice, &call);
		KUNIT_EXPECT_TRUE(test, call.ret[0]);
		KUNIT_EXPECT_FALSE(test, call.ret[1]);
		KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(call.task),
				-ECANCELED);
	}
	wpk_gate_open(busy.gate);
	wpk_destroy(test, busy.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[1].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.jobs->job[2].runs), 0);
}

/* The place that a cancel gives back belongs to the head of the line. */
static void wpool_task_cancel_in_hardirq_lets_a_waiting_submitter_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, gate);
	struct cancel_call call = { .task = &jobs->job[1].task };
	struct wpk_thread *submitter;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	submitter = wpk_thread(test, wpk_do_submit, pool, &jobs->job[2].task,
			       NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	wpk_in_hardirq(cancel_twice, &call);
	KUNIT_EXPECT_TRUE(test, call.ret[0]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[2].task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

static void wpool_task_cancel_sync_lets_a_waiting_submitter_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, gate);
	struct wpk_thread *submitter;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	submitter = wpk_thread(test, wpk_do_submit, pool, &jobs->job[2].task,
			       NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[1].task),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[2].task), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

static void do_nothing(struct wpool_task *task)
{
}

/* Wherever it is in the queues, its memory is free after the sync. */
static void wpool_task_cancel_sync_then_kfree_is_safe(struct kunit *test)
{
	const unsigned int nr = 700;
	struct wpool_task **tasks;
	struct busy busy;
	unsigned int i;

	busy_pool(test, &busy, nr, 1);
	tasks = kunit_kcalloc(test, nr, sizeof(*tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	for (i = 0; i < nr; i++) {
		tasks[i] = kmalloc(sizeof(*tasks[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tasks[i]);
		wpool_task_init(tasks[i], do_nothing);
		KUNIT_ASSERT_EQ(test, wpool_submit(busy.pool, tasks[i]), 0);
	}
	/* From the middle first; some were cancelled before the sync. */
	for (i = nr / 2; i < nr; i++) {
		if (i % 3 == 0)
			KUNIT_EXPECT_TRUE(test, wpool_task_cancel(tasks[i]));
		KUNIT_ASSERT_EQ(test, wpool_task_cancel_sync(tasks[i]),
				-ECANCELED);
		kfree(tasks[i]);
	}
	for (i = 0; i < nr / 2; i += 2) {
		KUNIT_ASSERT_EQ(test, wpool_task_cancel_sync(tasks[i]),
				-ECANCELED);
		kfree(tasks[i]);
	}
	wpk_gate_open(busy.gate);
	for (i = 1; i < nr / 2; i += 2) {
		KUNIT_ASSERT_EQ(test, wpool_task_wait(tasks[i]), 0);
		kfree(tasks[i]);
	}
	wpk_destroy(test, busy.pool);
}

/* Against a taker: it ran or it was cancelled, never both, never neither. */
static void wpool_task_cancel_sync_races_with_its_start(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	unsigned int i, cancelled = 0, before;
	struct wpk_jobs *jobs = NULL;
	struct wpk_job *job;
	int ret;

	for (i = 0; i < WPK_CANCEL_ROUNDS; i++) {
		/* A fresh lot now and then, to see late touches. */
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
		KUNIT_ASSERT_EQ(test, atomic_read(&job->runs) - before,
				ret ? 0 : 1);
		if (ret)
			cancelled++;
	}
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), cancelled);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed),
			WPK_CANCEL_ROUNDS - cancelled);
}

static struct kunit_case cancel_cases[] = {
	KUNIT_CASE(wpool_task_cancel_pending_task_does_not_run),
	KUNIT_CASE(wpool_task_wait_wakes_when_the_task_is_cancelled),
	KUNIT_CASE(wpool_task_cancel_idle_or_running_task_is_false),
	KUNIT_CASE(wpool_task_cancel_takes_back_the_second_run_only),
	KUNIT_CASE(wpool_task_cancel_then_submit_runs_once),
	KUNIT_CASE(wpool_task_cancel_sync_then_submit_to_another_pool_runs_there),
	KUNIT_CASE(wpool_task_cancel_makes_room),
	KUNIT_CASE(wpool_task_cancel_sync_makes_room),
	KUNIT_CASE(wpool_task_cancel_sync_waits_for_the_running_task_only),
	KUNIT_CASE(wpool_task_cancel_sync_takes_back_the_second_run_and_waits),
	KUNIT_CASE(wpool_task_cancel_sync_in_a_worker_takes_back_a_sibling),
	KUNIT_CASE(wpool_task_cancel_works_in_any_context),
	KUNIT_CASE(wpool_task_cancel_in_hardirq_lets_a_waiting_submitter_on),
	KUNIT_CASE(wpool_task_cancel_sync_lets_a_waiting_submitter_on),
	KUNIT_CASE_SLOW(wpool_task_cancel_sync_then_kfree_is_safe),
	KUNIT_CASE_SLOW(wpool_task_cancel_sync_races_with_its_start),
	{}
};

WPK_SUITE(cancel);
