// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_DEBUG_OBJECTS reports a task, an event, a strand or a group that is initialised or freed
 * while it is in use. It also reports a task that is left on a stack while it is in use, or
 * submitted without having been initialised. The pool continues.
 *
 * Each case expects one report, which scripts/vm-judge looks for. The kernel shows only five
 * reports until the next boot. So each case also checks the state after the report, and the first
 * cases use the kinds of objects that no other check reports.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "event.h"
#include "group.h"
#include "strand_tasks.h"

static bool objects;
module_param(objects, bool, 0444);
MODULE_PARM_DESC(objects, "run the cases that misuse tasks, where the kernel sees it");

static int object_init(struct kunit *test)
{
	wpk_need(test, IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE), "no debug objects");
	wpk_need(test, objects, "only with objects=1: it makes the kernel warn");
	return wpk_init(test);
}

static void expect_report(const char *what, const char *which)
{
	pr_info("wpool-expect: ODEBUG: %s of %s\n", what, which);
}

static void wpool_task_init_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 1);
	struct wpool_task *task = &jobs->job[1].task;

	wpk_jobs_submit(test, pool, jobs, 1, 1);
	expect_report("init active", "wpool_task hint: wpk_job_fn");
	wpool_task_init(task, wpk_job_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	wpk_gate_open(jobs->gate);
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
	struct wpool_task *task = wpk_alloc(test, sizeof(*task));
	struct wpool *pool = wpk_pool(test, 1, 2);

	atomic_set(&nr_called, 0);
	task->func = count_call;
	expect_report("assert_init not available", "wpool_task");
	wpk_task_run(test, pool, task);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
	wpool_task_init(task, count_call);
	wpk_task_run(test, pool, task);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 1);
	wpk_destroy(test, pool);
}

static void kfree_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
	struct wpool_task *task = kmalloc(sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	atomic_set(&nr_called, 0);
	wpool_task_init(task, count_call);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	expect_report("free active", "wpool_task hint: count_call");
	kfree(task);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
}

/* Returns while the task on its stack is still queued. */
static noinline_for_stack int submit_and_forget(struct wpool *pool)
{
	struct wpool_task task;
	int err;

	wpool_task_init(&task, count_call);
	err = wpool_submit(pool, &task);
	expect_report("free active", "wpool_task hint: count_call");
	wpool_task_destroy_on_stack(&task);
	return err;
}

static void wpool_task_destroy_on_stack_of_a_queued_task_is_reported(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);

	atomic_set(&nr_called, 0);
	KUNIT_EXPECT_EQ(test, submit_and_forget(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_called), 0);
}

/* ---- events, strands and groups ---- */

/*
 * The memory of these objects stays in its slab when they are freed. So if a report does not come,
 * the pool still uses the freed object and the case fails, but the machine does not crash.
 */
static struct kmem_cache *kept;
static void *kept_in_use;

static void *alloc_kept(struct kunit *test, size_t size)
{
	void *object;

	kept = kmem_cache_create("wpool_object_kept", size, 0, SLAB_TYPESAFE_BY_RCU, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	/* one object in use keeps the slab allocated */
	kept_in_use = kmem_cache_zalloc(kept, GFP_KERNEL);
	object = kmem_cache_zalloc(kept, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kept_in_use);
	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

static void end_kept(void)
{
	if (kept_in_use)
		kmem_cache_free(kept, kept_in_use);
	kmem_cache_destroy(kept);
	kept_in_use = NULL;
	kept = NULL;
}

/* Set by a thread that is about to misuse an object. */
static bool begun;

static int do_strand_init(struct wpk_thread *thread)
{
	struct st_strand *of = thread->arg;

	WRITE_ONCE(begun, true);
	wpool_strand_init(&of->strand, thread->pool, 2);
	return 0;
}

static int do_event_init(struct wpk_thread *thread)
{
	WRITE_ONCE(begun, true);
	wpool_event_init(thread->arg, thread->pool, NULL, NULL);
	return 0;
}

static int do_free(struct wpk_thread *thread)
{
	WRITE_ONCE(begun, true);
	kmem_cache_free(kept, thread->arg);
	return 0;
}

/* @fn misuses @object. The report ends @object, so @fn waits for the task at the gate. */
static void misuse_at_gate(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			   struct wpool *pool, void *object, struct wpk_gate *gate)
{
	struct wpk_thread *thread;

	begun = false;
	thread = wpk_thread(test, fn, pool, NULL, object);
	WPK_EVENTUALLY(test, READ_ONCE(begun) &&
		       READ_ONCE(thread->task->__state) & TASK_UNINTERRUPTIBLE);
	wpk_waits_for(test, thread, gate);
}

/* Misuse a strand whose first task is at the gate, and whose second task waits. */
static void misuse_strand(struct kunit *test, int (*fn)(struct wpk_thread *thread))
{
	struct st_strand *of = alloc_kept(test, sizeof(*of));
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_gate *gate = wpk_gate(test);
	struct st *st;
	int i;

	wpool_strand_init(&of->strand, pool, 2);
	st = st_tasks(test, of, gate, 2);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, wpool_strand_try_submit(&st[i].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	misuse_at_gate(test, fn, pool, of, gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 1);
	if (fn != do_free)
		kmem_cache_free(kept, of);
}

static void free_of_a_strand_in_use_is_reported(struct kunit *test)
{
	expect_report("free active", "wpool_strand hint: st_fn");
	misuse_strand(test, do_free);
}

static void wpool_strand_init_of_a_strand_in_use_is_reported(struct kunit *test)
{
	expect_report("init active", "wpool_strand hint: st_fn");
	misuse_strand(test, do_strand_init);
}

static struct wpk_gate *event_gate;

static void wait_in_event(struct wpool_event *event)
{
	wpk_gate_pass(event_gate);
}

static void misuse_event(struct kunit *test, int (*fn)(struct wpk_thread *thread))
{
	struct wpool_event *event = alloc_kept(test, sizeof(*event));
	struct wpool *pool = wpk_pool(test, 1, 2);

	event_gate = wpk_gate(test);
	wpool_event_init(event, pool, wait_in_event, NULL);
	wpool_event_fire(event);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(event_gate, 1));
	/* without the report, the event would run once more after this fire */
	wpool_event_fire(event);
	misuse_at_gate(test, fn, pool, event, event_gate);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 1);
	if (fn != do_free)
		kmem_cache_free(kept, event);
}

static void free_of_an_event_that_runs_is_reported(struct kunit *test)
{
	expect_report("free active", "wpool_event hint: wait_in_event");
	misuse_event(test, do_free);
}

static void wpool_event_init_of_an_event_that_runs_is_reported(struct kunit *test)
{
	expect_report("init active", "wpool_event hint: wait_in_event");
	misuse_event(test, do_event_init);
}

static void free_of_an_armed_event_is_reported(struct kunit *test)
{
	struct wpool_event *event = alloc_kept(test, sizeof(*event));
	struct wpool *pool = wpk_pool(test, 1, 2);

	wpool_event_init(event, pool, wait_in_event, NULL);
	KUNIT_EXPECT_TRUE(test, wpool_event_arm(event, WPK_FAR));
	/* of an armed event only the timer is active: the report stops the timer */
	expect_report("free active", "timer_list hint: event_timer_expired");
	kmem_cache_free(kept, event);
	KUNIT_EXPECT_FALSE(test, timer_pending(&event->timer));
}

static void free_of_a_group_that_has_not_ended_is_reported(struct kunit *test)
{
	struct wpool_group *group = alloc_kept(test, sizeof(*group));
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members;

	KUNIT_ASSERT_EQ(test, wpool_group_init(group, pool, 2, NULL), 0);
	members = wpk_members(test, group, gate, 2);
	wpk_members_submit_behind_first(test, members, 2);
	expect_report("free active", "wpool_group hint: free_of_a_group");
	misuse_at_gate(test, do_free, pool, group, gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].runs), 1);
	KUNIT_EXPECT_EQ(test, members[1].status, -ECANCELED);
}

static void wpool_group_init_of_a_group_that_has_not_ended_is_reported(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpool_group *group = wpk_group(test, pool, 2);

	expect_report("init active", "wpool_group hint: wpool_group_init_of_a_group");
	KUNIT_EXPECT_EQ(test, wpool_group_init(group, pool, 2, NULL), 0);
	/* the report has ended the old group; end the new group, too, before its pool */
	KUNIT_EXPECT_EQ(test, wpool_group_exit(group), 0);
	wpk_destroy(test, pool);
}

/* First end the pool: an object that was not reported may still be in the pool. */
static void object_exit(struct kunit *test)
{
	wpk_exit(test);
	end_kept();
}

WPK_SUITE_INIT_EXIT(object, object_init, object_exit,
		    KUNIT_CASE(free_of_a_strand_in_use_is_reported),
		    KUNIT_CASE(free_of_an_event_that_runs_is_reported),
		    KUNIT_CASE(free_of_an_armed_event_is_reported),
		    KUNIT_CASE(free_of_a_group_that_has_not_ended_is_reported),
		    KUNIT_CASE(wpool_task_init_of_a_queued_task_is_reported),
		    KUNIT_CASE(wpool_submit_without_init_is_reported),
		    KUNIT_CASE(kfree_of_a_queued_task_is_reported),
		    KUNIT_CASE(wpool_task_destroy_on_stack_of_a_queued_task_is_reported),
		    KUNIT_CASE(wpool_strand_init_of_a_strand_in_use_is_reported),
		    KUNIT_CASE(wpool_event_init_of_an_event_that_runs_is_reported),
		    KUNIT_CASE(wpool_group_init_of_a_group_that_has_not_ended_is_reported));
