// SPDX-License-Identifier: GPL-2.0
/*
 * Abort functions that sleep delay no other pool. fault_kunit.c tests the same for fault handlers,
 * event_line_kunit.c that the end of the pool itself waits for them.
 */
#include <linux/module.h>

#include "fixture.h"

static void pass_gate_of_job(struct wpool_task *task, int status)
{
	struct wpk_job *job = wpk_job_of(task);

	job->ret = status;
	wpk_gate_pass(job->arg);
}

/* A pool whose worker waits at @inside, with a task that waits at @aborted when cancelled. */
static struct wpool *pool_with_cancelled(struct kunit *test, struct wpk_gate *inside,
					 struct wpk_gate *aborted, struct wpk_jobs **jobs)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpool_task *task;

	*jobs = wpk_jobs(test, 2, inside);
	task = &(*jobs)->job[1].task;
	(*jobs)->job[1].arg = aborted;
	wpool_task_init_abortable(task, wpk_job_fn, pass_gate_of_job, NULL);
	wpk_jobs_submit(test, pool, *jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(inside, 1));
	wpk_jobs_submit(test, pool, *jobs, 1, 1);
	KUNIT_ASSERT_TRUE(test, wpool_task_cancel(task));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(aborted, 1));
	return pool;
}

static void wpool_abort_that_sleeps_holds_up_no_other_pool(struct kunit *test)
{
	struct wpk_gate *inside = wpk_gate(test), *slow = wpk_gate(test);
	struct wpk_gate *others = wpk_gate(test), *quick = wpk_gate(test);
	struct wpk_jobs *jobs, *more;
	struct wpool *pool, *other;

	pool = pool_with_cancelled(test, inside, slow, &jobs);
	/* the other pool's cancelled task is ended, and so are its worker and the pool */
	wpk_gate_open(quick);
	other = pool_with_cancelled(test, others, quick, &more);
	wpk_gate_open(others);
	wpk_destroy(test, other);
	KUNIT_EXPECT_EQ(test, more->job[1].ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);

	wpk_gate_open(slow);
	wpk_gate_open(inside);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, -ECANCELED);
}

static void cancel_in_irq(void *task)
{
	wpool_task_cancel(task);
}

/* A task without an abort function, which the cancel takes out of its queue, waits for nobody's. */
static void wpool_task_cancel_sync_waits_for_no_abort_function(struct kunit *test)
{
	struct wpk_gate *inside = wpk_gate(test), *slow = wpk_gate(test);
	struct wpk_jobs *jobs, *joinable = wpk_jobs(test, 1, NULL);
	struct wpool *pool = pool_with_cancelled(test, inside, slow, &jobs);
	struct wpool_task *task = &joinable->job[0].task;
	struct wpk_thread *waiter;

	wpk_jobs_submit(test, pool, joinable, 0, 1);
	wpk_in_irq(cancel_in_irq, task);
	waiter = wpk_thread(test, wpk_do_cancel_sync, pool, task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&joinable->job[0].runs), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, -ECANCELED);

	wpk_gate_open(slow);
	wpk_gate_open(inside);
	wpk_destroy(test, pool);
}

WPK_SUITE(tidy,
	  KUNIT_CASE(wpool_abort_that_sleeps_holds_up_no_other_pool),
	  KUNIT_CASE(wpool_task_cancel_sync_waits_for_no_abort_function));
