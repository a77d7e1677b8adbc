// SPDX-License-Identifier: GPL-2.0
/*
 * Abort functions that sleep delay no other pool. fault_kunit.c tests this for fault handlers;
 * event_line_kunit.c tests that the end of a pool waits for its own abort functions.
 */
#include "one_cpu.h"

static void pass_gate_of_job(struct wpool_task *task, int status)
{
	struct wpk_job *job = wpk_job_of(task);

	job->ret = status;
	wpk_gate_pass(job->arg);
}

/*
 * A pool with a worker in a task at @inside, and a cancelled task whose abort function waits at
 * @aborted.
 */
static struct wpool *pool_with_cancelled(struct kunit *test, struct wpk_gate *inside,
					 struct wpk_gate *aborted, struct wpk_jobs **jobs)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpool_task *task;

	*jobs = wpk_jobs(test, 2, inside);
	task = &(*jobs)->job[1].task;
	(*jobs)->job[1].arg = aborted;
	wpool_task_init_abortable(task, wpk_job_fn, pass_gate_of_job, NULL);
	wpk_jobs_hold(test, pool, *jobs, 0, 1);
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
	/* the cancelled task and the worker of @other end, and then @other itself */
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

/* The cancel of a task waits for no abort function of another task. */
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
}

static void hog_until_free(struct wpk_job *job)
{
	if (!wpk_run_until(READ_ONCE(current->nr_cpus_allowed) > 1))
		job->ret = -ETIME;
}

static void count_cpus(struct wpk_job *job)
{
	job->ret = current->nr_cpus_allowed;
}

/*
 * A hog may leave its CPU also while an abort function of the pool sleeps. Afterwards its worker
 * returns.
 */
static void wpool_hog_waits_for_no_abort_function(struct kunit *test)
{
	struct wpk_gate *inside = wpk_gate(test), *slow = wpk_gate(test);
	struct wpk_jobs *jobs, *hog = wpk_jobs_of(test, 1, hog_until_free, NULL);
	struct wpk_jobs *after = wpk_jobs_of(test, 1, count_cpus, NULL);
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = pool_with_cancelled(test, inside, slow, &jobs);
	wpk_gate_open(inside);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 1));
	wpk_jobs_run(test, pool, hog, 1);
	wpk_no_errors(test, hog);
	wpk_jobs_run(test, pool, after, 1);
	KUNIT_EXPECT_EQ(test, after->job[0].ret, 1);
}

WPK_SUITE(tidy,
	  KUNIT_CASE(wpool_abort_that_sleeps_holds_up_no_other_pool),
	  KUNIT_CASE(wpool_task_cancel_sync_waits_for_no_abort_function),
	  KUNIT_CASE(wpool_hog_waits_for_no_abort_function));
