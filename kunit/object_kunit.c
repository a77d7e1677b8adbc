// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_DEBUG_OBJECTS: a task that is initialised, freed or left on a stack while it
 * is in use, or submitted without having been initialised, is reported, and the pool
 * goes on.
 *
 * Each case expects one report, which is what scripts/vm-judge looks for. The kernel
 * shows five of them until the next boot, so there are no more cases here than four:
 * the fifth is in the suite wpool_lose.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "fixture.h"

static bool objects;
module_param(objects, bool, 0444);
MODULE_PARM_DESC(objects, "run the cases that misuse tasks, where the kernel sees it");

static int object_init(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE))
		kunit_skip(test, "the kernel does not watch objects");
	if (!objects)
		kunit_skip(test, "only with objects=1: it makes the kernel warn");
	return wpk_init(test);
}

static void expect_report(const char *what)
{
	pr_info("wpool-expect: ODEBUG: %s\n", what);
}

/* A pool of one worker, which is busy until the gate opens. */
static struct wpool *busy_pool(struct kunit *test, struct wpk_jobs *jobs, struct wpk_gate *gate)
{
	struct wpool *pool = wpk_pool(test, 1, 2);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	return pool;
}

static void wpool_task_init_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate);
	struct wpool *pool = busy_pool(test, jobs, gate);
	struct wpool_task *task = &jobs->job[1].task;

	wpk_jobs_submit(test, pool, jobs, 1, 1);
	expect_report("init active");
	wpool_task_init(task, wpk_job_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	/* it may be used as if nothing had been */
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 1);
	wpk_destroy(test, pool);
}

static atomic_t nr_called;

static void count_call(struct wpool_task *task)
{
	atomic_inc(&nr_called);
}

static void wpool_submit_without_init_is_reported(struct kunit *test)
{
	struct wpool_task *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct wpool *pool = wpk_pool(test, 1, 2);

	KUNIT_ASSERT_NOT_NULL(test, task);
	atomic_set(&nr_called, 0);
	task->func = count_call;
	expect_report("assert_init not available");
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
	/* now it is initialised */
	wpool_task_init(task, count_call);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 1);
	wpk_destroy(test, pool);
}

static void kfree_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool *pool = busy_pool(test, jobs, gate);
	struct wpool_task *task = kmalloc(sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	atomic_set(&nr_called, 0);
	wpool_task_init(task, count_call);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	expect_report("free active");
	kfree(task);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
}

/* Without a wait: the task would be queued when its memory is another function's. */
static noinline_for_stack int submit_and_forget(struct wpool *pool)
{
	struct wpool_task task;
	int err;

	wpool_task_init(&task, count_call);
	err = wpool_submit(pool, &task);
	expect_report("free active");
	wpool_task_destroy_on_stack(&task);
	return err;
}

static void wpool_task_destroy_on_stack_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool *pool = busy_pool(test, jobs, gate);

	atomic_set(&nr_called, 0);
	KUNIT_EXPECT_EQ(test, submit_and_forget(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(wpool_task_init_of_a_queued_task_is_reported),
	KUNIT_CASE(wpool_submit_without_init_is_reported),
	KUNIT_CASE(kfree_of_a_queued_task_is_reported),
	KUNIT_CASE(wpool_task_destroy_on_stack_of_a_queued_task_is_reported),
	{}
};

static struct kunit_suite object_suite = {
	.name = "wpool_object",
	.init = object_init,
	.exit = wpk_exit,
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);
