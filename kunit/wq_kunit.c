// SPDX-License-Identifier: GPL-2.0
/* Queues and works of wpool_wq, under the names of workqueues; see include/linux/wpool_wq.h. */
#include <linux/workqueue.h>

/* a work of the kernel: wq_items.h, below, maps the names to wpool_wq */
struct of_the_kernel {
	struct delayed_work work;
};

#include "wq_items.h"

/* ---- create ---- */

static void alloc_workqueue_flags_are_attributes_of_the_pool(struct kunit *test)
{
	const char *name = wpk_name(test);
	char pool_name[WPOOL_NAME_LEN];
	struct workqueue_struct *wq;
	struct wpool_attrs attrs;
	struct wpool *pool;

	wq = alloc_workqueue("%s/%d", WQ_FREEZABLE | WQ_MEM_RECLAIM | WQ_HIGHPRI, 7, name, 3);
	KUNIT_ASSERT_NOT_NULL(test, wq);
	/* a pool has no "/" in its name */
	snprintf(pool_name, sizeof(pool_name), "%s_3", name);
	pool = wpool_find(pool_name);
	KUNIT_EXPECT_NOT_NULL(test, pool);
	wpool_get_attrs(pool, &attrs, NULL);
	KUNIT_EXPECT_EQ(test, attrs.capacity, 7 * num_possible_cpus());
	KUNIT_EXPECT_EQ(test, attrs.queue_depth, WPOOL_UNLIMITED);
	KUNIT_EXPECT_EQ(test, attrs.nice, -20);
	KUNIT_EXPECT_TRUE(test, attrs.freezable && attrs.reclaim);
	KUNIT_EXPECT_PTR_EQ(test, wpool_owner(pool), THIS_MODULE);
	destroy_workqueue(wq);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_DESTROYED);
	wpool_put(pool);
}

static u32 capacity_of(const char *name)
{
	struct wpool *pool = wpool_find(name);
	struct wpool_attrs attrs;

	wpool_get_attrs(pool, &attrs, NULL);
	wpool_put(pool);
	return attrs.capacity;
}

static void alloc_workqueue_bad_arguments(struct kunit *test)
{
	static const int given[] = { -1, 0, 1, WPOOL_WQ_MAX_ACTIVE, 100000 };
	static const int got[] = { 1, WPOOL_WQ_DFL_ACTIVE, 1, WPOOL_WQ_MAX_ACTIVE,
				   WPOOL_WQ_MAX_ACTIVE };
	const char *name = wpk_name(test);
	struct workqueue_struct *wq, *twin;
	int i;

	for (i = 0; i < ARRAY_SIZE(given); i++) {
		wq = alloc_workqueue("%s", WQ_UNBOUND, given[i], name);
		KUNIT_ASSERT_NOT_NULL(test, wq);
		KUNIT_EXPECT_EQ(test, capacity_of(name), got[i]);
		destroy_workqueue(wq);
	}
	/* two workqueues may have one name */
	wq = alloc_workqueue("%s-and-far-too-long-for-the-name-of-a-pool", 0, 1, name);
	twin = alloc_workqueue("%s-and-far-too-long-for-the-name-of-a-pool", 0, 1, name);
	KUNIT_EXPECT_NOT_NULL(test, wq);
	KUNIT_EXPECT_NOT_NULL(test, twin);
	destroy_workqueue(wq);
	destroy_workqueue(twin);
	wq = alloc_workqueue("%s", 0, 1, name);
	twin = alloc_workqueue("%s", 0, 1, name);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, ""), 0);
	destroy_workqueue(wq);
	destroy_workqueue(twin);
	wq = alloc_workqueue("%s", 0, 1, "..");
	KUNIT_EXPECT_NOT_NULL(test, wq);
	destroy_workqueue(wq);
}

static void workqueue_set_max_active_bad_arguments(struct kunit *test)
{
	const char *name = wpk_name(test);
	struct workqueue_struct *wq = alloc_workqueue("%s", WQ_UNBOUND, 7, name);

	KUNIT_ASSERT_NOT_NULL(test, wq);
	workqueue_set_max_active(wq, 0);
	KUNIT_EXPECT_EQ(test, capacity_of(name), 1);
	workqueue_set_max_active(wq, 100000);
	KUNIT_EXPECT_EQ(test, capacity_of(name), WPOOL_WQ_MAX_ACTIVE);
	workqueue_set_max_active(wq, -1);
	KUNIT_EXPECT_EQ(test, capacity_of(name), 1);
	destroy_workqueue(wq);
	wq = alloc_ordered_workqueue("%s", 0, name);
	KUNIT_ASSERT_NOT_NULL(test, wq);
	workqueue_set_max_active(wq, 7);
	KUNIT_EXPECT_EQ(test, capacity_of(name), 1);
	destroy_workqueue(wq);
}

static void workqueue_set_max_active_below_min_workers(struct kunit *test)
{
	struct wpool_attrs attrs = { .min_workers = 4 };
	const char *name = wpk_name(test);
	struct workqueue_struct *wq = alloc_workqueue("%s", WQ_UNBOUND, 4, name);
	struct wpool *pool = wpool_find(name);

	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_MIN_WORKERS), 0);
	wpool_put(pool);
	workqueue_set_max_active(wq, 1);
	KUNIT_EXPECT_EQ(test, capacity_of(name), 1);
	destroy_workqueue(wq);
}

/* ---- the log ---- */

/* At capacity 1, as an administrator may set it, the log names the running work's function. */
static void queue_work_its_function_is_shown_for_the_worker(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 2);
	const char *name = wpk_name(test);
	struct workqueue_struct *wq = alloc_workqueue("%s", WQ_UNBOUND, 2, name);
	struct wpool *pool = wpool_find(name);

	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 1), 0);
	wpool_put(pool);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	WPK_EVENTUALLY(test, wpk_lines_about(name, "1 of 1 workers in wpk_item_fn"));
	wpk_gate_open(items->gate);
	destroy_workqueue(wq);
}

/* A module may give the queue's pool a max_wait_ms: a runner that is late continues later. */
static void queue_work_a_runner_that_waits_too_long_is_not_lost(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, NULL, 2);
	const char *name = wpk_name(test);
	struct workqueue_struct *wq = alloc_workqueue("%s", WQ_UNBOUND, 2, name);
	struct wpool *pool = wpool_find(name);
	struct wpk_thread *flush;

	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 1), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MAX_WAIT_MS, max_wait_ms, 1), 0);
	items[0].gate = wpk_gate(test);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(items[0].gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	WPK_EVENTUALLY(test, wpk_stat(pool, overdue) > 0);
	flush = wpk_thread(test, wpk_do_flush_queue, NULL, NULL, wq);
	KUNIT_ASSERT_EQ(test, wpk_open_and_join(test, items[0].gate, flush), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 1);
	wpool_put(pool);
	destroy_workqueue(wq);
}

/* ---- names ---- */

static atomic_t static_runs;

static void static_fn(struct work_struct *work)
{
	atomic_inc(&static_runs);
}

static DECLARE_WORK(static_work, static_fn);
static DECLARE_DELAYED_WORK(static_delayed, static_fn);
static struct delayed_work initialized = __DELAYED_WORK_INITIALIZER(initialized, static_fn, 0);
static struct of_the_kernel of_the_kernel = {
	.work = __DELAYED_WORK_INITIALIZER(of_the_kernel.work, NULL, 0),
};

static void schedule_work_the_default_queue_runs_it(struct kunit *test)
{
	struct delayed_work on_stack;

	atomic_set(&static_runs, 0);
	KUNIT_EXPECT_TRUE(test, schedule_work(&static_work));
	KUNIT_EXPECT_TRUE(test, schedule_delayed_work(&static_delayed, 1));
	/* wpool's timer function on a work of the kernel, or the reverse, would corrupt memory */
	KUNIT_EXPECT_PTR_EQ(test, of_the_kernel.work.timer.function, &delayed_work_timer_fn);
	KUNIT_ASSERT_PTR_EQ(test, initialized.timer.function, &wpool_delayed_work_timer_fn);
	KUNIT_EXPECT_TRUE(test, queue_delayed_work(system_dfl_long_wq, &initialized, 1));
	flush_work(&static_work);
	flush_delayed_work(&static_delayed);
	flush_delayed_work(&initialized);
	KUNIT_EXPECT_EQ(test, atomic_read(&static_runs), 3);
	INIT_DELAYED_WORK_ONSTACK(&on_stack, static_fn);
	KUNIT_EXPECT_TRUE(test, queue_delayed_work(system_wq, &on_stack, HZ * 3600));
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&on_stack));
	flush_delayed_work(&on_stack);
	destroy_delayed_work_on_stack(&on_stack);
	KUNIT_EXPECT_EQ(test, atomic_read(&static_runs), 4);
	flush_scheduled_work();
}

WPK_SUITE(wq,
	  KUNIT_CASE(alloc_workqueue_flags_are_attributes_of_the_pool),
	  KUNIT_CASE(alloc_workqueue_bad_arguments),
	  KUNIT_CASE(workqueue_set_max_active_bad_arguments),
	  KUNIT_CASE(workqueue_set_max_active_below_min_workers),
	  KUNIT_CASE(queue_work_a_runner_that_waits_too_long_is_not_lost),
	  KUNIT_CASE_SLOW(queue_work_its_function_is_shown_for_the_worker),
	  KUNIT_CASE(schedule_work_the_default_queue_runs_it));
