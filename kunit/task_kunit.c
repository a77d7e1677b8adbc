// SPDX-License-Identifier: GPL-2.0
/* The life of a joinable task: submit, run, submit again, and which threads may wait for it. */
#include <linux/slab.h>

#include "fixture.h"

static void wpool_task_is_at_most_one_cache_line(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, sizeof(struct wpool_task), (size_t)64);
}

struct surroundings {
	bool in_task;
	bool irqs_on;
	bool preemptible;
	bool kthread;
};

static void look_around(struct wpk_job *job)
{
	struct surroundings *seen = job->arg;

	seen->in_task = in_task();
	seen->irqs_on = !irqs_disabled();
	seen->preemptible = preemptible();
	seen->kthread = current->flags & PF_KTHREAD;
	/* a debug kernel complains if this context must not sleep */
	might_sleep();
	usleep_range(10, 20);
}

static void wpool_submit_function_may_sleep_with_interrupts_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct surroundings *seen = wpk_alloc(test, sizeof(*seen));

	wpk_jobs_body(jobs, look_around, seen);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_TRUE(test, seen->in_task);
	KUNIT_EXPECT_TRUE(test, seen->irqs_on);
	/* without CONFIG_PREEMPT_COUNT, preemptible() is always false */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		KUNIT_EXPECT_TRUE(test, seen->preemptible);
	KUNIT_EXPECT_TRUE(test, seen->kthread);
}

static void wpool_task_wait_covers_the_second_run_of_a_running_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_thread *waiter;

	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	waiter = wpk_sleeper(test, wpk_do_wait, NULL, task, NULL);
	wpk_gate_let(jobs->gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	wpk_waits_for(test, waiter, jobs->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 2);
}

/*
 * A child that waits for its parent gets -EDEADLK if the parent runs the child inside itself:
 * neither could continue.
 */
static void wpool_task_wait_on_the_task_around_it_is_edeadlk(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = wpk_run_next;
	wpk_job_body(&jobs->job[1], wpk_wait_for_arg, &jobs->job[0].task);
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, -EDEADLK);
	wpk_jobs_ran_once(test, jobs);
}

static void wpool_task_wait_from_another_pools_task_sleeps(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpool *other = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct wpk_jobs *waiter = wpk_jobs(test, 1, NULL);

	wpk_jobs_body(waiter, wpk_wait_for_arg, &jobs->job[0].task);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_jobs_submit(test, other, waiter, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_started(waiter, 1));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 1));
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&waiter->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, waiter->job[0].ret, 0);
	KUNIT_EXPECT_NE(test, waiter->job[0].pid, jobs->job[0].pid);
	wpk_jobs_ran_once(test, jobs);
}

/* The pool must not touch a task after waking its waiter: KASAN would report the access. */
static void wpool_task_wait_then_kfree_is_safe(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 8);
	struct wpool_task *task;
	unsigned int i;

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		task = kmalloc(sizeof(*task), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, task);
		wpool_task_init(task, wpk_empty);
		wpk_task_run(test, pool, task);
		kfree(task);
	}
}

static void wpool_flush_then_kfree_is_safe(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 8);
	struct wpool_task *tasks[4];
	unsigned int i, j;

	for (i = 0; i < WPK_LIFETIME_ROUNDS / 10; i++) {
		for (j = 0; j < ARRAY_SIZE(tasks); j++) {
			tasks[j] = kmalloc(sizeof(*tasks[j]), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, tasks[j]);
			wpool_task_init(tasks[j], wpk_empty);
			KUNIT_ASSERT_EQ(test, wpool_submit(pool, tasks[j]), 0);
		}
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
		for (j = 0; j < ARRAY_SIZE(tasks); j++)
			kfree(tasks[j]);
	}
}

static DEFINE_WPOOL_TASK(static_task, wpk_empty);

struct counted {
	atomic_t calls;
	struct wpool_task task;
};

static void count_static_call(struct wpool_task *task)
{
	atomic_inc(&container_of(task, struct counted, task)->calls);
}

static struct counted static_object = { .task = __WPOOL_TASK_INIT(count_static_call) };

/* A static task needs no wpool_task_init(): CONFIG_DEBUG_OBJECTS reports nothing. */
static void wpool_submit_static_task_runs_each_time(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 8);
	int i;

	for (i = 1; i <= 3; i++) {
		wpk_task_run(test, pool, &static_task);
		wpk_task_run(test, pool, &static_object.task);
		KUNIT_EXPECT_EQ(test, atomic_read(&static_object.calls), i);
	}
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&static_task), 0);
	atomic_set(&static_object.calls, 0);
}

WPK_SUITE(task,
	  KUNIT_CASE(wpool_task_is_at_most_one_cache_line),
	  KUNIT_CASE(wpool_submit_function_may_sleep_with_interrupts_on),
	  KUNIT_CASE(wpool_submit_static_task_runs_each_time),
	  KUNIT_CASE(wpool_task_wait_covers_the_second_run_of_a_running_task),
	  KUNIT_CASE(wpool_task_wait_on_the_task_around_it_is_edeadlk),
	  KUNIT_CASE(wpool_task_wait_from_another_pools_task_sleeps),
	  KUNIT_CASE_SLOW(wpool_task_wait_then_kfree_is_safe),
	  KUNIT_CASE_SLOW(wpool_flush_then_kfree_is_safe));
