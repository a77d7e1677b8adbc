// SPDX-License-Identifier: GPL-2.0
/*
 * WPOOL_RELEASE_CANCEL: after the release no task starts, whichever thread has taken it from a
 * queue, and no abort function runs in the thread that closes the pool.
 */
#include <linux/wpool_event.h>
#include <linux/wpool_strand.h>

#include "full_pool.h"
#include "group.h"

#define NR_QUEUED	500

/* ---- which thread calls the abort functions ---------------------------------- */

/* One object of each kind. All their functions count in the same three counters. */
struct aborted {
	struct wpool_task task;
	struct wpool_group_task member;
	struct wpool_strand strand;
	struct wpool_strand_task turn;
	struct wpool_event event;
	struct task_struct *releaser;
	atomic_t in_releaser;
	atomic_t aborts;
	atomic_t runs;
};

static void count_abort(struct aborted *a)
{
	atomic_add(current == a->releaser, &a->in_releaser);
	atomic_inc(&a->aborts);
}

static void task_abort(struct wpool_task *task, int status)
{
	count_abort(container_of(task, struct aborted, task));
}

static void arg_abort(void *arg, int status)
{
	count_abort(arg);
}

static void member_abort(struct wpool_group_task *task, int status)
{
	count_abort(container_of(task, struct aborted, member));
}

static void turn_abort(struct wpool_strand_task *task, int status)
{
	count_abort(container_of(task, struct aborted, turn));
}

static void event_abort(struct wpool_event *event, int status)
{
	count_abort(container_of(event, struct aborted, event));
}

static void task_run(struct wpool_task *task)
{
	atomic_inc(&container_of(task, struct aborted, task)->runs);
}

static void arg_run(void *arg)
{
	atomic_inc(&((struct aborted *)arg)->runs);
}

static int member_run(struct wpool_group_task *task)
{
	atomic_inc(&container_of(task, struct aborted, member)->runs);
	return 0;
}

static void turn_run(struct wpool_strand_task *task)
{
	atomic_inc(&container_of(task, struct aborted, turn)->runs);
}

static void event_run(struct wpool_event *event)
{
	atomic_inc(&container_of(event, struct aborted, event)->runs);
}

/* wpool_release() calls no abort function itself: its caller may hold a lock that they take. */
static void wpool_release_cancel_calls_no_abort_function_itself(struct kunit *test)
{
	struct aborted *a = wpk_alloc(test, sizeof(*a));
	struct wpk_full full = wpk_fill(test, wpk_pool(test, 1, 8));
	struct wpool *pool = full.pool;

	a->releaser = current;
	wpool_task_init_abortable(&a->task, task_run, task_abort, NULL);
	wpool_group_task_init(&a->member, member_run, member_abort);
	wpool_strand_init(&a->strand, pool, 1);
	wpool_strand_task_init(&a->turn, &a->strand, turn_run, turn_abort);
	wpool_event_init(&a->event, pool, event_run, event_abort);

	KUNIT_ASSERT_EQ(test, wpool_submit(pool, &a->task), 0);
	KUNIT_ASSERT_EQ(test, wpool_submit_fn_abortable(pool, arg_run, arg_abort, a, NULL,
							GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, wpool_group_submit(wpk_group(test, pool, 1), &a->member), 0);
	KUNIT_ASSERT_EQ(test, wpool_strand_try_submit(&a->turn), 0);
	KUNIT_ASSERT_TRUE(test, wpool_event_fire(&a->event));

	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	WPK_EVENTUALLY(test, atomic_read(&a->aborts) == 5);
	wpk_gate_open(full.gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->aborts), 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->in_releaser), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->runs), 0);
}

/* ---- workers that come free meanwhile ---------------------------------------- */

struct queued {
	struct wpool_task task;
	struct queued_lot *lot;
};

struct queued_lot {
	struct wpk_gate *gate;
	atomic_t aborts;
	atomic_t runs;
	struct queued queued[NR_QUEUED];
};

static void queued_run(struct wpool_task *task)
{
	atomic_inc(&container_of(task, struct queued, task)->lot->runs);
}

/* The first abort function lets the workers continue, and gives them time to take other tasks. */
static void queued_abort(struct wpool_task *task, int status)
{
	struct queued_lot *lot = container_of(task, struct queued, task)->lot;

	if (atomic_inc_return(&lot->aborts) == 1)
		wpk_gate_open(lot->gate);
	usleep_range(200, 300);
}

static void wpool_release_cancel_workers_that_come_free_run_none(struct kunit *test)
{
	struct queued_lot *lot = wpk_alloc(test, sizeof(*lot));
	struct wpool *pool = wpk_pool(test, 2, NR_QUEUED);
	struct wpk_gate *gate = wpk_gate(test);
	int i;

	wpk_jobs_submit(test, pool, wpk_jobs(test, 2, gate), 0, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 2));
	lot->gate = gate;
	for (i = 0; i < NR_QUEUED; i++) {
		lot->queued[i].lot = lot;
		wpool_task_init_abortable(&lot->queued[i].task, queued_run, queued_abort, NULL);
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &lot->queued[i].task), 0);
	}
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&lot->aborts), NR_QUEUED);
	KUNIT_EXPECT_EQ(test, atomic_read(&lot->runs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), NR_QUEUED);
}

WPK_SUITE(release_cancel,
	  KUNIT_CASE(wpool_release_cancel_calls_no_abort_function_itself),
	  KUNIT_CASE(wpool_release_cancel_workers_that_come_free_run_none));
