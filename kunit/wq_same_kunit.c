// SPDX-License-Identifier: GPL-2.0
/* Cases for workqueues and for wpool_wq: this file is built with each of the two. */
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "wq_items.h"

#define NR_ROUNDS	WPK_ROUNDS(2000U)
#define NR_CANCELS	8
/* more than the runners that a queue of wpool_wq has at first, and after it grew once */
#define NR_MOVES	10

/* ---- a work that goes to another queue while it runs ---- */

struct move {
	struct wpk_gate *gate;
	struct wpk_item *item;
	struct workqueue_struct *from;
	struct workqueue_struct *to;
};

/* Bring a work to the gate on one queue, and make it pending on another queue. */
static void begin_move(struct kunit *test, struct move *move)
{
	move->gate = wpk_gate(test);
	move->item = wpk_items(test, move->gate, 1);
	move->from = wpk_wq(test, WQ_UNBOUND, 4);
	move->to = wpk_wq(test, WQ_UNBOUND, 4);
	KUNIT_EXPECT_TRUE(test, queue_work_on(0, move->from, wpk_work(move->item)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(move->gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_work_on(0, move->to, wpk_work(move->item)));
}

static void end_move(struct kunit *test, struct move *move, int runs)
{
	wpk_gate_open(move->gate);
	wpk_wq_end(test, move->to);
	wpk_wq_end(test, move->from);
	KUNIT_EXPECT_EQ(test, wpk_runs(move->item), runs);
	KUNIT_EXPECT_FALSE(test, move->item->twice);
}

static void flush_work_waits_for_the_queue_before(struct kunit *test)
{
	struct wpk_thread *flush, *queue;
	struct move move;

	begin_move(test, &move);
	KUNIT_EXPECT_EQ(test, work_busy(wpk_work(move.item)),
			WORK_BUSY_PENDING | WORK_BUSY_RUNNING);
	flush = wpk_thread(test, wpk_do_flush_work, NULL, NULL, move.item);
	queue = wpk_thread(test, wpk_do_flush_queue, NULL, NULL, move.to);
	KUNIT_EXPECT_TRUE(test, wpk_waits(flush));
	KUNIT_EXPECT_TRUE(test, wpk_waits(queue));
	wpk_gate_let(move.gate, 1);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(move.gate, 2));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(flush));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(queue));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, move.gate, flush), 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, queue), 0);
	end_move(test, &move, 2);
}

static void flush_work_after_a_cancel_waits_for_the_queue_before(struct kunit *test)
{
	struct wpk_thread *flush;
	struct move move;

	begin_move(test, &move);
	KUNIT_EXPECT_TRUE(test, cancel_work(wpk_work(move.item)));
	KUNIT_EXPECT_FALSE(test, work_pending(wpk_work(move.item)));
	flush = wpk_waiter(test, wpk_do_flush_work, NULL, NULL, move.item);
	KUNIT_EXPECT_TRUE(test, queue_work_on(0, move.to, wpk_work(move.item)));
	KUNIT_EXPECT_TRUE(test, cancel_work(wpk_work(move.item)));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(flush));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, move.gate, flush), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&move.item->inside), 0);
	end_move(test, &move, 1);
}

/* A cancelled work gives up its place in its queue, although it still runs in another queue. */
static void cancel_work_frees_the_place_of_one_that_runs_elsewhere(struct kunit *test)
{
	struct wpk_item *others = wpk_items(test, NULL, NR_CANCELS);
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *from = wpk_wq(test, WQ_UNBOUND, 4);
	struct workqueue_struct *to = wpk_wq(test, WQ_UNBOUND, 1);
	int i;

	KUNIT_EXPECT_TRUE(test, queue_work_on(0, from, wpk_work(item)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	for (i = 0; i < NR_CANCELS; i++) {
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, to, wpk_work(item)));
		/* time for a runner to take the work; the case cannot see if it was taken */
		msleep(i);
		KUNIT_EXPECT_TRUE(test, cancel_work(wpk_work(item)));
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, to, wpk_work(&others[i])));
		WPK_ASSERT_EVENTUALLY(test, wpk_runs(&others[i]) == 1);
	}
	wpk_gate_open(item->gate);
	wpk_wq_end(test, to);
	wpk_wq_end(test, from);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 1);
}

/*
 * A work starts although others of its queue still run in another queue, if these are fewer than
 * max_active.
 */
static void queue_work_runs_beside_works_that_run_elsewhere(struct kunit *test)
{
	struct wpk_item *last = wpk_items(test, NULL, 1);
	struct wpk_item *items = wpk_items(test, wpk_gate(test), NR_MOVES);
	struct workqueue_struct *from = wpk_wq(test, WQ_UNBOUND, 2 * NR_MOVES);
	struct workqueue_struct *to = wpk_wq(test, WQ_UNBOUND, 2 * NR_MOVES);
	int i;

	for (i = 0; i < NR_MOVES; i++)
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, from, wpk_work(&items[i])));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(items->gate, NR_MOVES));
	for (i = 0; i < NR_MOVES; i++)
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, to, wpk_work(&items[i])));
	KUNIT_EXPECT_TRUE(test, queue_work_on(0, to, wpk_work(last)));
	WPK_EVENTUALLY(test, wpk_runs(last) == 1);
	wpk_gate_open(items->gate);
	wpk_wq_end(test, to);
	wpk_wq_end(test, from);
	for (i = 0; i < NR_MOVES; i++)
		KUNIT_EXPECT_EQ(test, wpk_runs(&items[i]), 2);
}

/* The work queues itself on the other queue, perhaps during a cancel. */
static void move_on(struct wpk_item *item)
{
	struct workqueue_struct **wq = (void *)item->wq;

	queue_work_on(0, wq[item->left++ % 2], wpk_work(item));
}

static void cancel_work_sync_ends_a_work_that_moves_itself(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq[2];
	u32 i;
	int runs;

	wq[0] = wpk_wq(test, WQ_UNBOUND, 2);
	wq[1] = wpk_wq(test, WQ_UNBOUND, 1);
	item->wq = (void *)wq;
	item->body = move_on;
	for (i = 0; i < NR_ROUNDS && wpk_has_time(test); i++) {
		runs = wpk_runs(item);
		KUNIT_EXPECT_TRUE(test, queue_work_on(0, wq[i % 2], wpk_work(item)));
		if (i % 8 == 0)
			WPK_EVENTUALLY(test, wpk_runs(item) > runs + 2);
		cancel_work_sync(wpk_work(item));
		if (atomic_read(&item->inside) || work_busy(wpk_work(item)))
			break;
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&item->inside), 0);
	KUNIT_EXPECT_EQ(test, work_busy(wpk_work(item)), 0);
	KUNIT_EXPECT_FALSE(test, item->twice);
}

/* ---- who and where ---- */

static void see_current_work(struct wpk_item *item)
{
	item->ret = current_work() == wpk_work(item);
}

static void current_work_is_the_one_that_calls(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *other = wpk_wq(test, WQ_UNBOUND, 4);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);

	items[0].gate = wpk_gate(test);
	items[0].body = see_current_work;
	items[1].body = see_current_work;
	KUNIT_EXPECT_NULL(test, current_work());
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(items[0].gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	flush_work(wpk_work(&items[1]));
	KUNIT_EXPECT_TRUE(test, items[1].ret);
	KUNIT_EXPECT_NULL(test, current_work());
	/* not the runner of the queue that is looked at first */
	KUNIT_EXPECT_TRUE(test, queue_work(other, wpk_work(&items[1])));
	wpk_wq_end(test, other);
	wpk_gate_open(items[0].gate);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_TRUE(test, items[0].ret);
	KUNIT_EXPECT_TRUE(test, items[1].ret);
	KUNIT_EXPECT_NULL(test, current_work());
}

static int count_current_works(struct wpk_thread *thread)
{
	atomic_t *stop = thread->arg;
	int nr = 0;

	while (!atomic_read(stop) && !wpk_stopped(thread->test)) {
		nr += !!current_work();
		cond_resched();
	}
	return nr;
}

static void current_work_while_queues_are_destroyed(struct kunit *test)
{
	atomic_t *stop = wpk_alloc(test, sizeof(*stop));
	struct wpk_thread *thread = wpk_thread(test, count_current_works, NULL, NULL, stop);
	int i;

	for (i = 0; i < 4 * NR_MOVES && wpk_has_time(test); i++)
		wpk_wq_end(test, wpk_wq(test, WQ_UNBOUND, 4));
	atomic_set(stop, 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
}

static void queue_work_node_queues_as_queue_work(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);

	KUNIT_EXPECT_TRUE(test, queue_work_node(0, wq, wpk_work(item)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(item->gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_work_node(NUMA_NO_NODE, wq, wpk_work(item)));
	KUNIT_EXPECT_FALSE(test, queue_work_node(0, wq, wpk_work(item)));
	wpk_gate_open(item->gate);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(item), 2);
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

/*
 * A delayed work is not pinned to a CPU if the call names none, even if an earlier call named one.
 */
static void queue_delayed_work_without_a_cpu_is_not_pinned(struct kunit *test)
{
	struct wpk_item *item = wpk_items(test, NULL, 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 4);

	if (housekeeping_enabled(HK_TYPE_TIMER))
		kunit_skip(test, "with nohz_full= each timer is pinned");
	KUNIT_EXPECT_TRUE(test, queue_delayed_work_on(0, wq, &item->work, HZ * 3600));
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work(&item->work));
	KUNIT_EXPECT_TRUE(test, queue_delayed_work(wq, &item->work, HZ * 3600));
	KUNIT_EXPECT_FALSE(test, item->work.timer.flags & TIMER_PINNED);
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work(&item->work));
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
	for (i = 1; i <= NR_ROUNDS && wpk_has_time(test); i++) {
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

/* ---- RCU ---- */

struct rcu_item {
	struct rcu_work rwork;
	atomic_t runs;
};

static void rcu_item_fn(struct work_struct *work)
{
	atomic_inc(&container_of(to_rcu_work(work), struct rcu_item, rwork)->runs);
}

static void queue_rcu_work_runs_after_a_grace_period(struct kunit *test)
{
	struct rcu_item *item = wpk_alloc(test, sizeof(*item));
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 0);

	INIT_RCU_WORK(&item->rwork, rcu_item_fn);
	rcu_read_lock();
	KUNIT_EXPECT_TRUE(test, queue_rcu_work(wq, &item->rwork));
	KUNIT_EXPECT_FALSE(test, queue_rcu_work(wq, &item->rwork));
	KUNIT_EXPECT_EQ(test, atomic_read(&item->runs), 0);
	rcu_read_unlock();
	flush_rcu_work(&item->rwork);
	KUNIT_EXPECT_EQ(test, atomic_read(&item->runs), 1);
	KUNIT_EXPECT_FALSE(test, work_pending(&item->rwork.work));
}

static int flush_rcu(struct wpk_thread *thread)
{
	return flush_rcu_work(thread->arg);
}

static void flush_rcu_work_waits_for_a_work_that_is_queued(struct kunit *test)
{
	struct rcu_item *item = wpk_alloc(test, sizeof(*item));
	struct wpk_item *first = wpk_items(test, wpk_gate(test), 1);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *flush;

	INIT_RCU_WORK(&item->rwork, rcu_item_fn);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(first)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(first->gate, 1));
	KUNIT_EXPECT_TRUE(test, queue_rcu_work(wq, &item->rwork));
	flush = wpk_waiter(test, flush_rcu, NULL, NULL, item);
	/* then the flush has ended its wait for the grace period, too */
	rcu_barrier();
	KUNIT_EXPECT_TRUE(test, wpk_waits(flush));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, first->gate, flush), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&item->runs), 1);
	wpk_wq_end(test, wq);
}

static struct kunit_case wq_same_cases[] = {
	KUNIT_CASE(flush_work_waits_for_the_queue_before),
	KUNIT_CASE(flush_work_after_a_cancel_waits_for_the_queue_before),
	KUNIT_CASE(cancel_work_frees_the_place_of_one_that_runs_elsewhere),
	KUNIT_CASE(queue_work_runs_beside_works_that_run_elsewhere),
	KUNIT_CASE(cancel_work_sync_ends_a_work_that_moves_itself),
	KUNIT_CASE(current_work_is_the_one_that_calls),
	KUNIT_CASE(current_work_while_queues_are_destroyed),
	KUNIT_CASE(queue_work_node_queues_as_queue_work),
	KUNIT_CASE(cancel_work_takes_back_what_has_not_started),
	KUNIT_CASE(flush_delayed_work_runs_it_at_once),
	KUNIT_CASE(queue_delayed_work_without_a_cpu_is_not_pinned),
	KUNIT_CASE(queue_work_after_enable_work_is_not_lost),
	KUNIT_CASE(enable_and_queue_work_queues_after_the_last_disable),
	KUNIT_CASE(cancel_work_sync_waits_for_a_run_before_init_work),
	KUNIT_CASE(queue_rcu_work_runs_after_a_grace_period),
	KUNIT_CASE(flush_rcu_work_waits_for_a_work_that_is_queued),
	{}
};

static struct kunit_suite wq_same_suite = {
#ifdef WPK_KERNEL_WQ
	.name = "wpool_wq_same_kernel",
#else
	.name = "wpool_wq_same",
#endif
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = wq_same_cases,
};

kunit_test_suite(wq_same_suite);
