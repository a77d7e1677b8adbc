// SPDX-License-Identifier: GPL-2.0
/* Tasks that end the thread of their worker: the worker dies, but the kernel reports no oops. */
#include <linux/kthread.h>

#include "wq_items.h"

static void end_thread(struct wpk_job *job)
{
	kthread_complete_and_exit(NULL, 0);
}

static void wpool_task_ends_its_thread_is_eio_and_the_pool_lives(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool *pool = wpk_pool(test, 1, 10);
	int i;

	jobs->job[0].body = end_thread;
	wpk_jobs_begin_with_first(test, pool, jobs, 4);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	for (i = 1; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_NE(test, jobs->job[i].pid, jobs->job[0].pid);
	}
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 11);
	WPK_EVENTUALLY(test, wpk_lines_about(wpk_name_of(pool),
					     "a worker died in wpk_job_fn") == 1);
}

/*
 * If a child that runs on the stack of its parent ends the thread, the parent ends, too. The pool
 * has one worker.
 */
static void wpool_task_ends_the_thread_of_its_parent(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	jobs->job[0].body = wpk_run_next;
	jobs->job[1].body = end_thread;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_jobs_end(test, jobs, 0, 2, -EIO);
	wpk_job_run(test, pool, &jobs->job[2]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
}

static void exiting_fn(void *arg)
{
	kthread_complete_and_exit(NULL, 0);
}

static void count_abort(void *arg, int status)
{
	if (status == -EIO)
		atomic_inc(arg);
}

static void wpool_submit_fn_ends_its_thread_is_aborted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	atomic_t *aborts = wpk_alloc(test, sizeof(*aborts));

	KUNIT_ASSERT_EQ(test, wpool_submit_fn_abortable(pool, exiting_fn, count_abort,
							aborts, THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(aborts), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
}

static void end_thread_once(struct wpk_item *item)
{
	if (!item->left++)
		kthread_complete_and_exit(NULL, 0);
}

static void queue_work_ends_its_thread_and_the_queue_goes_on(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *flush;

	items[0].body = end_thread_once;
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	flush_workqueue(wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 1);
	items[0].gate = gate;
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	flush = wpk_waiter(test, wpk_do_flush_work, NULL, NULL, &items[0]);
	/* a work that is queued behind items[0] does not change the flush */
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(flush));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, flush), 1);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 2);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 2);
}

WPK_SUITE(exit,
	  KUNIT_CASE(wpool_task_ends_its_thread_is_eio_and_the_pool_lives),
	  KUNIT_CASE(wpool_task_ends_the_thread_of_its_parent),
	  KUNIT_CASE(wpool_submit_fn_ends_its_thread_is_aborted),
	  KUNIT_CASE(queue_work_ends_its_thread_and_the_queue_goes_on));
