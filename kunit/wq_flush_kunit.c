// SPDX-License-Identifier: GPL-2.0
/*
 * Flush, cancel and disable of works, also under load, with wpool_wq and with workqueues, see
 * wq_same_kernel_kunit.c; see also contract_wq_kunit.c.
 */
#include <linux/processor.h>
#include <linux/random.h>
#include <linux/workqueue.h>

#include "wq_items.h"

#define NR_THREADS	4
#define NR_FLUSHERS	20	/* more than flush a queue at a time */
#define NR_ITEMS	5
#define LOAD_ROUNDS	WPK_ROUNDS(8000U)
#define ENABLE_ROUNDS	WPK_ROUNDS(2000U)

/* ---- flush ---- */

static void flush_work_waits_for_what_was_queued_last(struct kunit *test)
{
	struct wpk_gate *first = wpk_gate(test), *second = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *running, *pending;

	items[0].gate = first;
	items[1].gate = second;
	queue_work(wq, wpk_work(&items[0]));
	queue_work(wq, wpk_work(&items[1]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(first, 1));
	running = wpk_thread(test, wpk_do_flush_work, NULL, NULL, &items[0]);
	pending = wpk_thread(test, wpk_do_flush_work, NULL, NULL, &items[1]);
	KUNIT_ASSERT_TRUE(test, wpk_waits(running));
	KUNIT_ASSERT_TRUE(test, wpk_waits(pending));
	/* queue the work again while it runs: @running waits only for the earlier queue_work() */
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(running));
	wpk_gate_let(first, 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, running), 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(second, 1));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(pending));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, second, pending), 1);
	wpk_gate_open(first);
	flush_work(wpk_work(&items[0]));
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 2);
	wpk_wq_end(test, wq);
}

static void queue_again(struct wpk_item *item)
{
	if (item->left && item->left--)
		queue_work(item->wq, wpk_work(item));
}

static void flush_workqueue_ends_while_others_queue(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 4);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 2);
	struct wpk_thread *threads[NR_FLUSHERS];
	int i, runs;

	for (i = 0; i < 3; i++) {
		items[i].wq = wq;
		items[i].body = queue_again;
		items[i].left = INT_MAX;
		queue_work(wq, wpk_work(&items[i]));
	}
	for (i = 0; i < NR_FLUSHERS; i++)
		threads[i] = wpk_thread(test, wpk_do_flush_queue, NULL, NULL, wq);
	for (i = 0; i < 20; i++)
		flush_workqueue(wq);
	wpk_join_all(test, threads, NR_FLUSHERS);
	for (i = 0; i < 3; i++)
		cancel_work_sync(wpk_work(&items[i]));

	items[3].gate = gate;
	queue_work(wq, wpk_work(&items[3]));
	threads[0] = wpk_thread(test, wpk_do_flush_queue, NULL, NULL, wq);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_ASSERT_TRUE(test, wpk_waits(threads[0]));
	runs = wpk_runs(&items[0]);
	queue_work(wq, wpk_work(&items[0]));
	WPK_EVENTUALLY(test, wpk_runs(&items[0]) > runs + 20);
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(threads[0]));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, threads[0]), 0);
	cancel_work_sync(wpk_work(&items[0]));
	wpk_wq_end(test, wq);
}

/* ---- cancel ---- */

static void cancel_work_ends_a_flush_of_the_work(struct kunit *test)
{
	struct wpk_item *held = wpk_items(test, wpk_gate(test), 1);
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *flush;

	queue_work(wq, wpk_work(held));
	queue_work(wq, wpk_work(item));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(held->gate, 1));
	flush = wpk_waiter(test, wpk_do_flush_work, NULL, NULL, item);
	KUNIT_EXPECT_TRUE(test, cancel_work(wpk_work(item)));
	KUNIT_EXPECT_EQ(test, wpk_join(test, flush), 1);
	wpk_gate_open(held->gate);
	wpk_wq_end(test, wq);
}

static void cancel_work_sync_waits_and_refuses_meanwhile(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 2);
	struct wpk_thread *cancels[2];
	int i;

	queue_work(wq, wpk_work(item));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	queue_work(wq, wpk_work(item));
	for (i = 0; i < 2; i++)
		cancels[i] = wpk_waiter(test, wpk_do_cancel_work, NULL, NULL, item);
	KUNIT_EXPECT_FALSE(test, queue_work(wq, wpk_work(item)));
	KUNIT_EXPECT_FALSE(test, queue_delayed_work(wq, &item->work, 1));
	KUNIT_EXPECT_FALSE(test, mod_delayed_work(wq, &item->work, 0));
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, wpk_still_waits(cancels[i]));
	wpk_gate_open(item->gate);
	/* the first cancel took back the second queue_work() */
	KUNIT_EXPECT_EQ(test, wpk_join(test, cancels[0]), 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, cancels[1]), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(item)));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 2);
}

/* ---- under load ---- */

/*
 * All on one CPU: a work of workqueues that is queued on another queue may run twice at once if the
 * queues have other workers there.
 */
struct load {
	void (*step)(struct load *load, struct wpk_item *item, u32 choice);
	struct wpk_item *items;
	struct workqueue_struct *wq[2];
	atomic_t queued;	/* how often a work became pending */
	atomic_t cancelled;	/* how often a pending work was taken back */
};

static void one_step(struct load *load, struct wpk_item *item, u32 choice)
{
	switch (choice % 8) {
	case 0:
	case 1:
	case 2:
		if (queue_work_on(0, load->wq[choice / 8 % 2], wpk_work(item)))
			atomic_inc(&load->queued);
		break;
	case 3:
		if (cancel_work(wpk_work(item)))
			atomic_inc(&load->cancelled);
		break;
	case 4:
		if (cancel_work_sync(wpk_work(item)))
			atomic_inc(&load->cancelled);
		break;
	case 5:
		flush_work(wpk_work(item));
		break;
	case 6:
		if (choice / 8 % 16 == 0)
			flush_workqueue(load->wq[choice / 128 % 2]);
		break;
	case 7:
		work_busy(wpk_work(item));
		break;
	}
}

static void one_delayed_step(struct load *load, struct wpk_item *item, u32 choice)
{
	unsigned long delay = choice / 16 % 3;

	switch (choice % 8) {
	case 0:
	case 1:
		if (queue_delayed_work_on(0, load->wq[0], &item->work, delay))
			atomic_inc(&load->queued);
		break;
	case 2:
	case 3:
	case 4:
		/* true: the pending work was taken back, and then made pending again */
		if (mod_delayed_work_on(0, load->wq[choice / 8 % 2], &item->work, delay))
			atomic_inc(&load->cancelled);
		atomic_inc(&load->queued);
		break;
	case 5:
		if (cancel_delayed_work(&item->work))
			atomic_inc(&load->cancelled);
		break;
	case 6:
		flush_delayed_work(&item->work);
		break;
	case 7:
		flush_work(wpk_work(item));
		break;
	}
}

static int do_load(struct wpk_thread *thread)
{
	struct load *load = thread->arg;
	u32 i, choice;

	for (i = 0; i < LOAD_ROUNDS && wpk_has_time(thread->test); i++) {
		choice = get_random_u32();
		load->step(load, &load->items[choice % NR_ITEMS], choice / NR_ITEMS);
	}
	return 0;
}

WPK_PARAM_BOOL(delayed, "delayed works: %d");

/* Each work that became pending ran or was taken back, and no work ran twice at once. */
static void queue_cancel_and_flush_on_two_queues(struct kunit *test)
{
	struct load *load = wpk_alloc(test, sizeof(*load));
	struct wpk_thread *threads[NR_THREADS];
	int i;

	load->step = wpk_is_on(test) ? one_delayed_step : one_step;
	load->items = wpk_items(test, NULL, NR_ITEMS);
	load->wq[0] = wpk_wq(test, WQ_UNBOUND, 3);
	load->wq[1] = wpk_wq(test, WQ_UNBOUND, 1);
	for (i = 0; i < NR_THREADS; i++)
		threads[i] = wpk_thread(test, do_load, NULL, NULL, load);
	wpk_join_all(test, threads, NR_THREADS);
	for (i = 0; i < NR_ITEMS; i++)
		if (cancel_delayed_work_sync(&load->items[i].work))
			atomic_inc(&load->cancelled);
	wpk_wq_end(test, load->wq[1]);
	wpk_wq_end(test, load->wq[0]);
	KUNIT_EXPECT_EQ(test, atomic_read(load->items->starts),
			atomic_read(&load->queued) - atomic_read(&load->cancelled));
	KUNIT_EXPECT_GT(test, atomic_read(load->items->starts), 0);
	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_FALSE(test, load->items[i].twice);
}

/* ---- drain ---- */

static int do_drain(struct wpk_thread *thread)
{
	drain_workqueue(thread->arg);
	return 0;
}

/* Drain and destroy wait for all works that running works queue meanwhile, one after the other. */
static void drain_and_destroy_wait_for_a_chain_of_works(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *drain;
	int i;

	for (i = 0; i < 2; i++) {
		items[i].wq = wq;
		items[i].body = queue_again;
		items[i].left = 5;
	}
	items[0].gate = gate;
	queue_work(wq, wpk_work(&items[0]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	drain = wpk_waiter(test, do_drain, NULL, NULL, wq);
	for (i = 2; i <= 6; i++) {
		wpk_gate_let(gate, 1);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, i));
		/* a drain of workqueues wakes up and waits again */
		KUNIT_EXPECT_FALSE(test, wpk_ended(drain));
	}
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, drain), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 6);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 6);
}

/* ---- ends ---- */

static void cancel_work_takes_back_what_has_not_started(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 3);
	struct workqueue_struct *wq = alloc_ordered_workqueue("%s", 0, wpk_name(test));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, wq);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[i])));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, 1));
	KUNIT_EXPECT_FALSE(test, queue_work(wq, wpk_work(&items[1])));
	KUNIT_EXPECT_TRUE(test, cancel_work(wpk_work(&items[1])));
	KUNIT_EXPECT_FALSE(test, cancel_work(wpk_work(&items[0])));
	KUNIT_EXPECT_FALSE(test, flush_work(wpk_work(&items[1])));
	wpk_gate_open(items->gate);
	/* the queue runs its waiting works before it goes */
	destroy_workqueue(wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 1);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[2]), 1);
	KUNIT_EXPECT_EQ(test, items[2].seq, 2);
}

static void flush_delayed_work_runs_it_at_once(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 0);

	KUNIT_EXPECT_FALSE(test, flush_delayed_work(&item->work));
	KUNIT_EXPECT_TRUE(test, queue_delayed_work(wq, &item->work, HZ * 3600));
	KUNIT_EXPECT_FALSE(test, queue_delayed_work(wq, &item->work, 0));
	KUNIT_EXPECT_TRUE(test, mod_delayed_work(wq, &item->work, HZ * 7200));
	/* a flush of the plain work, or of the queue, does not wait for the timer */
	KUNIT_EXPECT_FALSE(test, flush_work(wpk_work(item)));
	flush_workqueue(wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 0);
	flush_delayed_work(&item->work);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
	KUNIT_EXPECT_FALSE(test, cancel_delayed_work_sync(&item->work));
	KUNIT_EXPECT_FALSE(test, mod_delayed_work(wq, &item->work, HZ * 3600));
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work_sync(&item->work));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
}

/* ---- enable ---- */

/*
 * @nr: the round; the other thread then queues the work once
 * @done: the round for which it has
 */
struct enable {
	struct wpk_item *item;
	struct workqueue_struct *wq;
	int nr;
	int done;
};

static int queue_once_a_round(struct wpk_thread *thread)
{
	struct enable *enable = thread->arg;
	int nr;

	do {
		while ((nr = READ_ONCE(enable->nr)) == enable->done && !wpk_stopped(thread->test))
			cpu_relax();
		queue_work(enable->wq, wpk_work(enable->item));
		WRITE_ONCE(enable->done, nr);
	} while (nr >= 0 && !wpk_stopped(thread->test));
	return 0;
}

/*
 * A work that is queued after enable_work() runs, also if another thread is just being refused
 * because the work was disabled.
 */
static void queue_work_after_enable_work_is_not_lost(struct kunit *test)
{
	struct enable *enable = wpk_alloc(test, sizeof(*enable));
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);
	struct wpk_thread *other;
	int i, runs, lost = 0;

	enable->item = item;
	enable->wq = wq;
	other = wpk_thread(test, queue_once_a_round, NULL, NULL, enable);
	for (i = 1; i <= ENABLE_ROUNDS && wpk_has_time(test); i++) {
		disable_work_sync(wpk_work(item));
		runs = wpk_runs(item);
		WRITE_ONCE(enable->nr, i);
		/* begin at the same time as the other thread, sooner or later */
		ndelay(i % 64 * 10);
		KUNIT_EXPECT_TRUE(test, enable_work(wpk_work(item)));
		queue_work(wq, wpk_work(item));
		WPK_ASSERT_EVENTUALLY(test, READ_ONCE(enable->done) == i);
		flush_work(wpk_work(item));
		lost += wpk_runs(item) == runs;
	}
	WRITE_ONCE(enable->nr, -1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, other), 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
}

static void enable_and_queue_work_queues_after_the_last_disable(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 0);

	disable_work(wpk_work(item));
	disable_work(wpk_work(item));
	KUNIT_EXPECT_FALSE(test, enable_and_queue_work(wq, wpk_work(item)));
	KUNIT_EXPECT_FALSE(test, work_pending(wpk_work(item)));
	KUNIT_EXPECT_TRUE(test, enable_and_queue_work(wq, wpk_work(item)));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
}

/* A cancel of a work that was prepared again waits for the run before, if the queue is the same. */
static void cancel_work_sync_waits_for_a_run_before_init_work(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);
	struct wpk_thread *cancel;

	KUNIT_EXPECT_TRUE(test, queue_work_on(0, wq, wpk_work(item)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	INIT_DELAYED_WORK(&item->work, wpk_item_fn);
	KUNIT_EXPECT_TRUE(test, queue_work_on(0, wq, wpk_work(item)));
	cancel = wpk_waiter(test, wpk_do_cancel_work, NULL, NULL, item);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, item->gate, cancel), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&item->inside), 0);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
}

WPK_WQ_SUITE(wq_flush,
	     KUNIT_CASE(flush_work_waits_for_what_was_queued_last),
	     KUNIT_CASE(flush_workqueue_ends_while_others_queue),
	     KUNIT_CASE(cancel_work_ends_a_flush_of_the_work),
	     KUNIT_CASE(cancel_work_sync_waits_and_refuses_meanwhile),
	     KUNIT_CASE(drain_and_destroy_wait_for_a_chain_of_works),
	     KUNIT_CASE_PARAM_ATTR(queue_cancel_and_flush_on_two_queues, delayed_gen_params,
				   { .speed = KUNIT_SPEED_SLOW }),
	     KUNIT_CASE(cancel_work_takes_back_what_has_not_started),
	     KUNIT_CASE(flush_delayed_work_runs_it_at_once),
	     KUNIT_CASE(queue_work_after_enable_work_is_not_lost),
	     KUNIT_CASE(enable_and_queue_work_queues_after_the_last_disable),
	     KUNIT_CASE(cancel_work_sync_waits_for_a_run_before_init_work));
