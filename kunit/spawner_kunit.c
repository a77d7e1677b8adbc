// SPDX-License-Identifier: GPL-2.0
/*
 * All pools have one spawner, which makes their workers and puts away those that
 * ended: no pool may make it wait for long.
 */
#include <linux/task_work.h>

#include "fixture.h"

/*
 * What keeps a thread from its end, @gate, where it stands in do_exit().
 * @told: the pool has been told by now that it ends
 * @gone: it goes on, and does not come back here
 */
struct late {
	struct callback_head work;
	struct wpk_gate *gate;
	bool told;
	bool gone;
};

static void stay(struct callback_head *work)
{
	struct late *late = container_of(work, struct late, work);

	/* works are run in rounds, and the worker's own one is in the first */
	if (!late->told) {
		late->told = true;
		if (!task_work_add(current, work, TWA_NONE))
			return;
	}
	wpk_gate_pass(late->gate);
	WRITE_ONCE(late->gone, true);
}

static void be_late(struct wpk_job *job)
{
	struct late *late = job->arg;

	init_task_work(&late->work, stay);
	job->ret = task_work_add(current, &late->work, TWA_NONE);
}

/* The pool has no worker: that the job runs takes the spawner. */
static void expect_a_worker(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
}

/* Only who destroys its own pool waits for it. */
static void wpool_submit_waits_for_no_thread_of_another_pool_that_ends(struct kunit *test)
{
	struct late *late = kunit_kzalloc(test, sizeof(*late), GFP_KERNEL);
	struct wpool *pools[] = {
		wpk_pool(test, 1, 0),
		wpk_pool(test, 1, 0),
		wpk_pool(test, 1, 0),
	};
	struct wpk_jobs *jobs[] = {
		wpk_jobs(test, 1, NULL),
		wpk_jobs(test, 1, NULL),
		wpk_jobs(test, 1, NULL),
	};
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *thread;

	KUNIT_ASSERT_NOT_NULL(test, late);
	late->gate = gate;
	wpk_jobs_body(jobs[0], be_late, late);
	wpk_jobs_submit(test, pools[0], jobs[0], 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs[0], 1));
	KUNIT_ASSERT_EQ(test, jobs[0]->job[0].ret, 0);
	wpk_forget(test, pools[0]);
	thread = wpk_thread(test, wpk_do_destroy, pools[0], NULL, NULL);

	/* no assertions any more: the gate must not go before who is in it */
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	/* The spawner may hear of this one first, and of that thread next. */
	expect_a_worker(test, pools[1], jobs[1]);
	expect_a_worker(test, pools[2], jobs[2]);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(late->gone));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	WPK_EVENTUALLY(test, READ_ONCE(late->gone));
}

static struct kunit_case spawner_cases[] = {
	KUNIT_CASE(wpool_submit_waits_for_no_thread_of_another_pool_that_ends),
	{}
};

static struct kunit_suite spawner_suite = {
	.name = "wpool_spawner",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = spawner_cases,
};

kunit_test_suite(spawner_suite);
