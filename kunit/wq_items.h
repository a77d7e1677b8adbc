/* SPDX-License-Identifier: GPL-2.0 */
/* Items: works that record their runs, for the suites of wpool_wq. Include this last. */
#ifndef WPOOL_KUNIT_WQ_ITEMS_H
#define WPOOL_KUNIT_WQ_ITEMS_H

#include "fixture.h"

/*
 * The suites use the names of workqueues, so they test the names, too. Those of WPK_WQ_SUITE() are
 * also built with the workqueues of the kernel, where the same cases must pass.
 */
#ifdef WPK_KERNEL_WQ
#define WPK_WQ_SUITE(suite, ...) WPK_SUITE(suite##_kernel, __VA_ARGS__)
#else
#include <linux/wpool_wq.h>
#define WPK_WQ_SUITE(suite, ...) WPK_SUITE(suite, __VA_ARGS__)
#endif

/**
 * struct wpk_item - a work that records its runs
 * @work: the work; cases about delayed works use its timer
 * @gate: where its function waits, or NULL
 * @body: what its function does after the gate, or NULL
 * @wq: the queue that @body uses
 * @arg: for @body
 * @starts: starts of all items that were made with this one
 * @running: how many of these items run
 * @peak: the largest value of @running
 * @runs: how often its function started
 * @inside: threads that are in its function
 * @twice: two threads were in its function
 * @seq: value of @starts at its last start, from 1
 * @left: how many more times @body does something
 * @at: jiffies at its last start
 * @ret: what @body found
 */
struct wpk_item {
	struct delayed_work work;
	struct wpk_gate *gate;
	void (*body)(struct wpk_item *item);
	struct workqueue_struct *wq;
	void *arg;
	atomic_t *starts;
	atomic_t *running;
	atomic_t *peak;
	atomic_t runs;
	atomic_t inside;
	bool twice;
	int seq;
	int left;
	unsigned long at;
	bool ret;
};

static inline void wpk_item_fn(struct work_struct *work)
{
	struct wpk_item *item = container_of(to_delayed_work(work), struct wpk_item, work);
	int running, peak;

	if (atomic_inc_return(&item->inside) != 1)
		item->twice = true;
	item->at = jiffies;
	item->seq = atomic_inc_return(item->starts);
	running = atomic_inc_return(item->running);
	peak = atomic_read(item->peak);
	while (running > peak && !atomic_try_cmpxchg(item->peak, &peak, running))
		;
	atomic_inc(&item->runs);
	if (item->gate)
		wpk_gate_pass(item->gate);
	if (item->body)
		item->body(item);
	atomic_dec(item->running);
	atomic_dec(&item->inside);
}

static inline struct wpk_item *wpk_items(struct kunit *test, struct wpk_gate *gate, int nr)
{
	struct wpk_item *items = wpk_alloc(test, nr * sizeof(*items));
	atomic_t *counts = wpk_alloc(test, 3 * sizeof(*counts));
	int i;

	for (i = 0; i < nr; i++) {
		INIT_DELAYED_WORK(&items[i].work, wpk_item_fn);
		items[i].gate = gate;
		items[i].starts = &counts[0];
		items[i].running = &counts[1];
		items[i].peak = &counts[2];
	}
	return items;
}

static inline void wpk_wq_destroy(void *wq)
{
	destroy_workqueue(wq);
}

/* Create a queue, which is destroyed before its items are freed: make the items first. */
static inline struct workqueue_struct *wpk_wq(struct kunit *test, unsigned int flags,
					      int max_active)
{
	struct workqueue_struct *wq = alloc_workqueue("%s", flags, max_active, wpk_name(test));

	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, wpk_wq_destroy, wq), 0);
	return wq;
}

static inline void wpk_wq_end(struct kunit *test, struct workqueue_struct *wq)
{
	kunit_release_action(test, wpk_wq_destroy, wq);
}

static inline int wpk_runs(struct wpk_item *item)
{
	return atomic_read(&item->runs);
}

/* Functions for wpk_thread(): wpk_do_<call>() makes this call. */
static inline int wpk_do_flush_work(struct wpk_thread *thread)
{
	struct wpk_item *item = thread->arg;

	return flush_work(&item->work.work);
}

static inline int wpk_do_flush_queue(struct wpk_thread *thread)
{
	flush_workqueue(thread->arg);
	return 0;
}

#define wpk_work(item)	(&(item)->work.work)

/* @arg: the item */
static inline int wpk_do_cancel_work(struct wpk_thread *thread)
{
	return cancel_work_sync(wpk_work((struct wpk_item *)thread->arg));
}

#endif /* WPOOL_KUNIT_WQ_ITEMS_H */
