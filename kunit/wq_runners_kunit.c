// SPDX-License-Identifier: GPL-2.0
/* The runners of a queue of wpool_wq, which its users do not see. */
#include "fixture.h"
#include "wq/wq.h"

static void do_nothing(struct wpool_work *work)
{
}

/*
 * Works that were cancelled before they started make no runner: the driver may destroy the queue
 * next, and no thread may grow the queue then.
 */
static void wpool_work_cancel_of_all_works_makes_no_runner(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool_work works[16];
	struct wpool_attrs attrs;
	struct wpool_wq *wq;
	u32 nr, i;

	wq = wpool_wq_create(THIS_MODULE, WQ_UNBOUND, 2 * ARRAY_SIZE(works), "%s", wpk_name(test));
	KUNIT_ASSERT_NOT_NULL(test, wq);
	nr = wq->nr_runners;
	KUNIT_ASSERT_LE(test, nr, ARRAY_SIZE(works));
	wpool_get_attrs(wq->pool, &attrs, NULL);
	attrs.capacity = 1;
	KUNIT_EXPECT_EQ(test, wpool_tune(wq->pool, &attrs, WPOOL_TUNE_CAPACITY), 0);
	/* the only worker stays at the gate: no runner starts */
	wpk_jobs_submit(test, wq->pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < nr; i++) {
		wpool_work_init(&works[i], do_nothing);
		KUNIT_EXPECT_TRUE(test, wpool_wq_queue(wq, &works[i]));
	}
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, wpool_work_cancel_sync(&works[i]));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(wq->pool), 0);
	flush_delayed_work(&wq->grow);
	KUNIT_EXPECT_EQ(test, wq->nr_runners, nr);
	wpool_wq_destroy(wq);
}

WPK_SUITE(wq_runners,
	  KUNIT_CASE(wpool_work_cancel_of_all_works_makes_no_runner));
