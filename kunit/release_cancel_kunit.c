// SPDX-License-Identifier: GPL-2.0
/*
 * WPOOL_RELEASE_CANCEL: after the release no task starts, whichever thread has taken it from a
 * queue, and no abort function runs in the thread that closes the pool.
 */
#include "event.h"
#include "full_pool.h"
#include "group.h"
#include "strand_tasks.h"

#define NR_QUEUED	500

/* ---- which thread calls the abort functions ---------------------------------- */

static struct task_struct *releaser;
static atomic_t nr_aborts, nr_in_releaser;

static void arg_abort(void *arg, int status)
{
	atomic_add(current == releaser, &nr_in_releaser);
	atomic_inc(&nr_aborts);
}

static void task_abort(struct wpool_task *task, int status)
{
	arg_abort(task, status);
}

static void member_abort(struct wpool_group_task *task, int status)
{
	arg_abort(task, status);
}

static void turn_abort(struct wpool_strand_task *task, int status)
{
	arg_abort(task, status);
}

static void event_abort(struct wpool_event *event, int status)
{
	arg_abort(event, status);
}

/* wpool_release() calls no abort function itself: its caller may hold a lock that they take. */
static void wpool_release_cancel_calls_no_abort_function_itself(struct kunit *test)
{
	struct wpk_full full = wpk_fill(test, wpk_pool(test, 1, 8));
	struct wpool *pool = full.pool;
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_member *member = wpk_members(test, wpk_group(test, pool, 1), NULL, 1);
	struct st_strand *of = st_strand(test, pool, 1);
	struct st *st = st_tasks(test, of, NULL, 1);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);

	releaser = current;
	atomic_set(&nr_aborts, 0);
	atomic_set(&nr_in_releaser, 0);
	wpool_task_init_abortable(jobs->tasks[0], wpk_job_fn, task_abort, NULL);
	wpool_group_task_init(&member->task, wpk_member_fn, member_abort);
	wpool_strand_task_init(&st->task, &of->strand, st_fn, turn_abort);
	wpk_event(ev)->abort = event_abort;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_EQ(test, wpool_submit_fn_abortable(pool, wpk_do_nothing, arg_abort, NULL, NULL,
							GFP_KERNEL), 0);
	wpk_members_submit(test, member, 1);
	st_submit(test, st, 1);
	KUNIT_ASSERT_TRUE(test, wpool_event_fire(wpk_event(ev)));

	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	WPK_EVENTUALLY(test, atomic_read(&nr_aborts) == 5);
	wpk_gate_open(full.gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_aborts), 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_in_releaser), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 1);
}

/* ---- workers that come free meanwhile ---------------------------------------- */

/* The first abort function lets the workers continue, and gives them time to take other tasks. */
static void open_gate_and_wait(struct wpool_task *task, int status)
{
	struct wpk_job *job = wpk_job_of(task);

	if (atomic_inc_return(job->arg) == 1)
		wpk_gate_open(job->gate);
	usleep_range(200, 300);
}

static void wpool_release_cancel_workers_that_come_free_run_none(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, NR_QUEUED);
	struct wpk_jobs *busy = wpk_held(test, pool, 2, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_QUEUED, busy->gate);
	atomic_t *aborts = wpk_alloc(test, sizeof(*aborts));
	int i;

	wpk_jobs_body(jobs, NULL, aborts);
	for (i = 0; i < NR_QUEUED - 1; i++)
		wpool_task_init_abortable(jobs->tasks[i], wpk_job_fn, open_gate_and_wait, NULL);
	/* one of the workers waits for the last task, and must not run it inside the wait */
	wpk_job_body(&busy->job[1], wpk_wait_for_arg, jobs->tasks[NR_QUEUED - 1]);
	wpk_jobs_submit(test, pool, jobs, 0, NR_QUEUED);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, busy->job[1].ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(aborts), NR_QUEUED - 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), NR_QUEUED);
}

WPK_SUITE(release_cancel,
	  KUNIT_CASE(wpool_release_cancel_calls_no_abort_function_itself),
	  KUNIT_CASE(wpool_release_cancel_workers_that_come_free_run_none));
