// SPDX-License-Identifier: GPL-2.0
/*
 * Works of wpool_wq and of workqueues: how many run at once, in which order, and where. Built with
 * each of the two, see wq_same_kernel_kunit.c.
 */
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
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

static void cancel_work_sync_waits_for_the_queue_before(struct kunit *test)
{
	struct wpk_thread *cancel;
	struct move move;

	begin_move(test, &move);
	cancel = wpk_waiter(test, wpk_do_cancel_work, NULL, NULL, move.item);
	KUNIT_EXPECT_EQ(test, atomic_read(&move.item->inside), 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, move.gate, cancel), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&move.item->inside), 0);
	end_move(test, &move, 1);
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

/*
 * As many works as max_active run at once, and no more. A queue of wpool_wq has memory for a few at
 * first, and allocates more while works run.
 */
static void queue_work_max_active_works_run_at_once(struct kunit *test)
{
	struct wpk_item *items = wpk_items(test, wpk_gate(test), 100);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 64);
	int i;

	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[i])));
	/* each work that leaves the gate lets another one arrive */
	for (i = 64; i <= 80; i++) {
		KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, i));
		wpk_gate_let(items->gate, 1);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(items->peak), 64);
	workqueue_set_max_active(wq, 100);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(items->gate, 100));
	wpk_gate_open(items->gate);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, atomic_read(items->starts), 100);
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

	/* a class of its own for lockdep: this work runs in a softirq */
	INIT_DELAYED_WORK(&items[0].work, wpk_item_fn);
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

/* ---- delayed ---- */

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

WPK_WQ_SUITE(wq_same,
	     KUNIT_CASE(cancel_work_sync_waits_for_the_queue_before),
	     KUNIT_CASE(flush_work_waits_for_the_queue_before),
	     KUNIT_CASE(flush_work_after_a_cancel_waits_for_the_queue_before),
	     KUNIT_CASE(cancel_work_frees_the_place_of_one_that_runs_elsewhere),
	     KUNIT_CASE(queue_work_runs_beside_works_that_run_elsewhere),
	     KUNIT_CASE(cancel_work_sync_ends_a_work_that_moves_itself),
	     KUNIT_CASE(current_work_is_the_one_that_calls),
	     KUNIT_CASE(current_work_while_queues_are_destroyed),
	     KUNIT_CASE(queue_work_node_queues_as_queue_work),
	     KUNIT_CASE(queue_work_an_ordered_queue_keeps_the_order),
	     KUNIT_CASE(queue_work_max_active_works_run_at_once),
	     KUNIT_CASE(create_workqueue_one_work_a_cpu),
	     KUNIT_CASE(system_bh_wq_softirqs_are_disabled),
	     KUNIT_CASE(queue_work_while_it_runs_does_not_delay_the_others),
	     KUNIT_CASE(queue_work_a_work_may_free_itself),
	     KUNIT_CASE(queue_work_another_work_in_its_memory_does_not_wait),
	     KUNIT_CASE(queue_delayed_work_without_a_cpu_is_not_pinned),
	     KUNIT_CASE(queue_delayed_work_runs_when_its_time_has_come),
	     KUNIT_CASE(cancel_delayed_work_sync_ends_a_work_that_arms_itself),
	     KUNIT_CASE(queue_rcu_work_runs_after_a_grace_period),
	     KUNIT_CASE(flush_rcu_work_waits_for_a_work_that_is_queued));
