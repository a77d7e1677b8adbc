// SPDX-License-Identifier: GPL-2.0
/* Queues and works of wpool_wq, under the names of workqueues; see include/linux/wpool_wq.h. */
#include <linux/slab.h>

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

/* ---- order and number ---- */

static void queue_work_an_ordered_queue_keeps_the_order(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 200);
	struct workqueue_struct *wq;
	int i, bad = 0;

	items[0].gate = gate;
	wq = alloc_ordered_workqueue("%s", 0, wpk_name(test));
	KUNIT_ASSERT_NOT_NULL(test, wq);
	for (i = 0; i < 200; i++)
		KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[i])));
	wpk_gate_open(gate);
	destroy_workqueue(wq);
	for (i = 0; i < 200; i++)
		bad += items[i].seq != i + 1 || wpk_runs(&items[i]) != 1;
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(items->peak), 1);
}

static void queue_work_no_more_than_max_active_run(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 20);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 3);
	int i;

	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, wq, wpk_work(&items[i])));
	/* three works run: each work that leaves the gate lets another one arrive */
	for (i = 3; i <= 20; i++) {
		KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, i));
		wpk_gate_let(items->gate, 1);
	}
	wpk_gate_open(items->gate);
	flush_workqueue(wq);
	KUNIT_EXPECT_EQ(test, atomic_read(items->peak), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(items->starts), 20);
	wpk_wq_end(test, wq);
}

/*
 * As many works as max_active run at once. A queue has memory for a few at first, and allocates
 * more while works run.
 */
static void queue_work_max_active_works_run_at_once(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 100);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 64);
	int i;

	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[i])));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, 64));
	workqueue_set_max_active(wq, 100);
	for (; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[i])));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, 100));
	wpk_gate_open(items->gate);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, atomic_read(items->peak), 100);
}

static void create_workqueue_one_work_a_cpu(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 2);
	struct workqueue_struct *wq;

	wpk_need(test, num_possible_cpus() >= 2, "needs 2 CPUs");
	wq = create_workqueue(wpk_name(test));
	KUNIT_ASSERT_NOT_NULL(test, wq);
	queue_work_on(0, wq, wpk_work(&items[0]));
	queue_work_on(1, wq, wpk_work(&items[1]));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, 2));
	wpk_gate_open(items->gate);
	destroy_workqueue(wq);
}

static void look_at_context(struct wpk_item *item)
{
	item->ret = in_softirq();
}

static void system_bh_wq_softirqs_are_disabled(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, NULL, 3);
	int i;

	for (i = 0; i < 3; i++)
		items[i].body = look_at_context;
	queue_work(system_bh_wq, wpk_work(&items[0]));
	queue_work(system_highpri_wq, wpk_work(&items[1]));
	queue_work(system_freezable_wq, wpk_work(&items[2]));
	for (i = 0; i < 3; i++) {
		flush_work(wpk_work(&items[i]));
		KUNIT_EXPECT_EQ(test, wpk_runs(&items[i]), 1);
		KUNIT_EXPECT_EQ(test, items[i].ret, i == 0);
	}
}

/* A work that is queued again while it runs does not delay the other works. */
static void queue_work_while_it_runs_does_not_delay_the_others(struct kunit *test)
{
	struct wpk_item *others = wpk_items(test, NULL, 1);
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);

	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(item)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(item)));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(others)));
	WPK_EVENTUALLY(test, wpk_runs(others) == 1);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
	wpk_gate_open(item->gate);
	wpk_wq_end(test, wq);
}

struct parcel {
	struct work_struct work;
	atomic_t *freed;
};

static void free_parcel(struct work_struct *work)
{
	struct parcel *parcel = container_of(work, struct parcel, work);
	atomic_t *freed = parcel->freed;

	kfree(parcel);
	atomic_inc(freed);
}

static void queue_work_a_work_may_free_itself(struct kunit *test)
{
	atomic_t *freed = wpk_alloc(test, sizeof(*freed));
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);
	struct parcel *parcel;
	int i;

	for (i = 0; i < 500; i++) {
		parcel = kmalloc(sizeof(*parcel), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, parcel);
		INIT_WORK(&parcel->work, free_parcel);
		parcel->freed = freed;
		KUNIT_EXPECT_TRUE(test, queue_work(wq, &parcel->work));
	}
	flush_workqueue(wq);
	KUNIT_EXPECT_EQ(test, atomic_read(freed), 500);
}

/* As if a running work had freed itself: the function of a new work in the same memory. */
static void other_fn(struct work_struct *work)
{
	atomic_inc(&container_of(to_delayed_work(work), struct wpk_item, work)->runs);
}

static void queue_work_another_work_in_its_memory_does_not_wait(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);

	queue_work(wq, wpk_work(item));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	INIT_WORK(wpk_work(item), other_fn);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(item)));
	WPK_EVENTUALLY(test, wpk_runs(item) == 2);
	wpk_gate_open(item->gate);
	wpk_wq_end(test, wq);
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

/* ---- delayed ---- */

static void queue_delayed_work_runs_when_its_time_has_come(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);
	unsigned long start = jiffies;

	KUNIT_EXPECT_TRUE(test, queue_delayed_work(wq, &items[0].work, 3));
	KUNIT_EXPECT_TRUE(test, queue_delayed_work_on(0, wq, &items[1].work, HZ * 3600));
	KUNIT_EXPECT_TRUE(test, mod_delayed_work(wq, &items[1].work, 1));
	WPK_EVENTUALLY(test, wpk_runs(&items[0]) == 1 && wpk_runs(&items[1]) == 1);
	KUNIT_EXPECT_TRUE(test, time_after_eq(items[0].at, start + 3));
}

static void arm_again(struct wpk_item *item)
{
	item->ret = queue_delayed_work(item->wq, &item->work, item->left++ % 2);
}

static void cancel_delayed_work_sync_ends_a_work_that_arms_itself(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);
	int i, runs;

	item->wq = wq;
	item->body = arm_again;
	for (i = 0; i < 20; i++) {
		runs = wpk_runs(item);
		KUNIT_EXPECT_TRUE(test, queue_delayed_work(wq, &item->work, 0));
		WPK_EVENTUALLY(test, wpk_runs(item) >= runs + 3);
		cancel_delayed_work_sync(&item->work);
		KUNIT_EXPECT_FALSE(test, delayed_work_pending(&item->work));
		KUNIT_EXPECT_EQ(test, atomic_read(&item->inside), 0);
	}
	KUNIT_EXPECT_FALSE(test, item->twice);
}

WPK_SUITE(wq,
	  KUNIT_CASE(alloc_workqueue_flags_are_attributes_of_the_pool),
	  KUNIT_CASE(alloc_workqueue_bad_arguments),
	  KUNIT_CASE(workqueue_set_max_active_bad_arguments),
	  KUNIT_CASE(workqueue_set_max_active_below_min_workers),
	  KUNIT_CASE(queue_work_an_ordered_queue_keeps_the_order),
	  KUNIT_CASE(queue_work_no_more_than_max_active_run),
	  KUNIT_CASE(queue_work_max_active_works_run_at_once),
	  KUNIT_CASE(create_workqueue_one_work_a_cpu),
	  KUNIT_CASE(system_bh_wq_softirqs_are_disabled),
	  KUNIT_CASE(queue_work_while_it_runs_does_not_delay_the_others),
	  KUNIT_CASE(queue_work_a_work_may_free_itself),
	  KUNIT_CASE(queue_work_another_work_in_its_memory_does_not_wait),
	  KUNIT_CASE(queue_work_a_runner_that_waits_too_long_is_not_lost),
	  KUNIT_CASE_SLOW(queue_work_its_function_is_shown_for_the_worker),
	  KUNIT_CASE(schedule_work_the_default_queue_runs_it),
	  KUNIT_CASE(queue_delayed_work_runs_when_its_time_has_come),
	  KUNIT_CASE(cancel_delayed_work_sync_ends_a_work_that_arms_itself));
