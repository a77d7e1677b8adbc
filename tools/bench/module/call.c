// SPDX-License-Identifier: GPL-2.0
/*
 * Calls other than a submit, again and again, compared with the peers' calls for the same purpose.
 *
 *	call what=WHAT peer=wpool|percpu|unbound|kworker n=N [count=C] [ns=NS] [strands=S]
 *
 * One thread makes N calls; with C, N / C calls with C tasks each, so that "total_ns" is the time
 * of N tasks. WHAT is a name in the table at the end of this file: a flush of an idle pool; a pool
 * made for one task, and destroyed; a submit that is cancelled at once; a time-out armed and
 * cancelled, or moved; C tasks of NS, and the wait for all of them (a group, or works that are
 * flushed one by one); a loop that takes NS in all (wpool_parallel_for(), or eight works); and C
 * tasks in the order of their submits, on each of S strands or ordered workqueues.
 */
#include <linux/jiffies.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_parallel.h>
#include <linux/wpool_strand.h>

#include "bench.h"

#define MAX_COUNT	1024
#define MAX_STRANDS	64
#define LOOP_PARTS	8
#define LOOP_LEN	1024

struct timeout {
	union {
		struct wpool_event event;
		struct delayed_work dwork;
		struct kthread_delayed_work kdwork;
	};
};

struct call;

struct calls {
	struct bench b;
	struct timeout timeout;
	struct wpool_group group;
	struct wpool_group_task *members;
	struct wpool_strand_task *ordered;
	struct wpool_strand strands[MAX_STRANDS];
	struct workqueue_struct *queues[MAX_STRANDS];
	u64 calls, turns, count, nr_strands, delay;
	const struct call *call;
	int family;
};

static u64 member_turns;	/* global, because a group's task has no room for data */

static void spend(struct bench_item *item)
{
	bench_spend(item->turns);
}

BENCH_FN(spend);

static int spend_member(struct wpool_group_task *task)
{
	bench_spend(READ_ONCE(member_turns));
	return 0;
}

static void ordered_fn(struct wpool_strand_task *task)
{
	bench_count();
}

static void ordered_work(struct work_struct *work)
{
	bench_count();
}

static int spend_part(unsigned long from, unsigned long to, void *data)
{
	struct calls *c = data;

	bench_spend(div_u64(c->turns * (to - from), LOOP_LEN));
	return 0;
}

static void timed_out(struct wpool_event *event)
{
}

static void timed_out_work(struct work_struct *work)
{
}

static void timed_out_kwork(struct kthread_work *work)
{
}

/* ---- the same for all peers ---- */

static int flush_idle(struct calls *c)
{
	bench_flush(&c->b);
	return 0;
}

static int create_and_destroy(struct calls *c)
{
	struct bench_pool pool;
	int err;

	err = bench_pool_create(&pool, c->b.run, &spend_fn);
	if (err)
		return err;
	pool.peer->init(&pool, c->b.items);
	err = pool.peer->submit(&pool, c->b.items);
	bench_pool_destroy(&pool);
	return err;
}

/* ---- wpool ---- */

static int cancel_wpool(struct calls *c)
{
	int err = bench_submit(&c->b, c->b.items);

	if (err)
		return err;
	err = wpool_task_cancel_sync(&c->b.items->task);
	return err == -ECANCELED ? 0 : err;
}

static int arm_wpool(struct calls *c)
{
	wpool_event_arm(&c->timeout.event, 60 * HZ);
	wpool_event_cancel_sync(&c->timeout.event);
	return 0;
}

static int move_wpool(struct calls *c)
{
	c->delay ^= HZ;
	wpool_event_mod(&c->timeout.event, 60 * HZ + c->delay);
	return 0;
}

static int wait_wpool(struct calls *c)
{
	u64 i;
	int err = 0;

	for (i = 0; i < c->count && !err; i++)
		err = wpool_group_submit(&c->group, &c->members[i]);
	return err ?: wpool_group_wait(&c->group);
}

static int loop_wpool(struct calls *c)
{
	return wpool_parallel_for(c->b.pool.wpool, 0, LOOP_LEN, 0, spend_part, c);
}

static int order_wpool(struct calls *c)
{
	u64 i;
	int err = 0;

	for (i = 0; i < c->count && !err; i++)
		err = wpool_strand_try_submit(&c->ordered[i]);
	for (i = 0; i < c->nr_strands && !err; i++)
		err = wpool_strand_flush(&c->strands[i]);
	return err;
}

/* ---- workqueues ---- */

static int cancel_wq(struct calls *c)
{
	int err = bench_submit(&c->b, c->b.items);

	if (!err)
		cancel_work_sync(&c->b.items->work);
	return err;
}

static int arm_wq(struct calls *c)
{
	queue_delayed_work(c->b.pool.wq, &c->timeout.dwork, 60 * HZ);
	cancel_delayed_work_sync(&c->timeout.dwork);
	return 0;
}

static int move_wq(struct calls *c)
{
	c->delay ^= HZ;
	mod_delayed_work(c->b.pool.wq, &c->timeout.dwork, 60 * HZ + c->delay);
	return 0;
}

static int order_wq(struct calls *c)
{
	u64 i;

	for (i = 0; i < c->count; i++)
		queue_work(c->queues[i % c->nr_strands], &c->b.items[i].work);
	for (i = 0; i < c->nr_strands; i++)
		flush_workqueue(c->queues[i]);
	return 0;
}

/* ---- kthread_worker, and code that it shares with workqueues ---- */

static int cancel_kworker(struct calls *c)
{
	int err = bench_submit(&c->b, c->b.items);

	if (!err)
		kthread_cancel_work_sync(&c->b.items->kwork);
	return err;
}

static int arm_kworker(struct calls *c)
{
	kthread_queue_delayed_work(c->b.pool.kworker, &c->timeout.kdwork, 60 * HZ);
	kthread_cancel_delayed_work_sync(&c->timeout.kdwork);
	return 0;
}

static int move_kworker(struct calls *c)
{
	c->delay ^= HZ;
	kthread_mod_delayed_work(c->b.pool.kworker, &c->timeout.kdwork, 60 * HZ + c->delay);
	return 0;
}

static int wait_each(struct calls *c)
{
	u64 i;

	if (c->b.pool.peer->submit_all(&c->b.pool, c->b.items, c->count) != c->count)
		return -EIO;
	for (i = 0; i < c->count; i++)
		c->b.pool.peer->wait(&c->b.pool, &c->b.items[i]);
	return 0;
}

enum { WPOOL, WORKQUEUE, KWORKER, NR_FAMILIES };

typedef int (*call_fn)(struct calls *c);

static const struct call {
	const char *name;
	call_fn of[NR_FAMILIES];
} table[] = {
	{ "flush", { flush_idle, flush_idle, flush_idle } },
	{ "create", { create_and_destroy, create_and_destroy, create_and_destroy } },
	{ "cancel", { cancel_wpool, cancel_wq, cancel_kworker } },
	{ "arm", { arm_wpool, arm_wq, arm_kworker } },
	{ "move", { move_wpool, move_wq, move_kworker } },
	{ "group", { wait_wpool, wait_each, wait_each } },
	{ "loop", { loop_wpool, wait_each, wait_each } },
	{ "ordered", { order_wpool, order_wq } },
};

static int produce(struct bench_producer *p)
{
	struct calls *c = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = c->call->of[c->family](c);
	return err;
}

static int prepare_wpool(struct calls *c)
{
	struct wpool *pool = c->b.pool.wpool;
	u64 i;

	wpool_event_init(&c->timeout.event, pool, timed_out, NULL);
	for (i = 0; i < c->nr_strands; i++)
		wpool_strand_init(&c->strands[i], pool, WPOOL_UNLIMITED);
	for (i = 0; i < c->count; i++) {
		wpool_group_task_init(&c->members[i], spend_member, NULL);
		wpool_strand_task_init(&c->ordered[i], &c->strands[i % c->nr_strands],
				       ordered_fn, NULL);
	}
	return wpool_group_init(&c->group, pool, WPOOL_UNLIMITED, NULL);
}

static int prepare_queues(struct calls *c)
{
	u64 i;

	INIT_DELAYED_WORK(&c->timeout.dwork, timed_out_work);
	for (i = 0; c->call->of[WORKQUEUE] == order_wq && i < c->count; i++)
		INIT_WORK(&c->b.items[i].work, ordered_work);
	for (i = 0; i < c->nr_strands; i++) {
		c->queues[i] = alloc_ordered_workqueue("bench_ordered", 0);
		if (!c->queues[i])
			return -ENOMEM;
	}
	return 0;
}

static int prepare_all(struct calls *c)
{
	if (c->family == WPOOL)
		return prepare_wpool(c);
	if (c->family == WORKQUEUE)
		return prepare_queues(c);
	kthread_init_delayed_work(&c->timeout.kdwork, timed_out_kwork);
	return 0;
}

static void finish(struct calls *c)
{
	u64 i;

	if (c->family == WPOOL) {
		wpool_event_cancel_sync(&c->timeout.event);
		wpool_group_exit(&c->group);
		for (i = 0; i < c->nr_strands; i++)
			wpool_strand_destroy(&c->strands[i]);
	} else if (c->family == WORKQUEUE) {
		cancel_delayed_work_sync(&c->timeout.dwork);
		for (i = 0; i < c->nr_strands; i++)
			destroy_workqueue(c->queues[i]);
	} else {
		kthread_cancel_delayed_work_sync(&c->timeout.kdwork);
	}
}

static int prepare(struct bench *b)
{
	struct calls *c = container_of(b, struct calls, b);
	bool loop = bench_is(b->run, "what", "loop");
	u64 count = bench_num(b->run, "count", 1);
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (bench_is(b->run, "what", table[i].name))
			c->call = &table[i];
	c->family = !strcmp(bench_text(b->run, "peer", "wpool"), "wpool") ? WPOOL :
		    bench_is(b->run, "peer", "kworker") ? KWORKER : WORKQUEUE;
	c->nr_strands = bench_num(b->run, "strands", 1);
	if (!c->call || !c->call->of[c->family] || !count || b->n < count || count > MAX_COUNT ||
	    !c->nr_strands || c->nr_strands > MAX_STRANDS)
		return -EINVAL;
	c->calls = div64_u64(b->n, count);
	/* a peer's loop is LOOP_PARTS works; wpool_parallel_for() divides the loop itself */
	c->count = loop ? LOOP_PARTS : count;
	c->turns = bench_turns(bench_num(b->run, "ns", 0), bench_turns_per_ms());
	if (loop && c->family != WPOOL)
		c->turns /= LOOP_PARTS;
	WRITE_ONCE(member_turns, c->turns);
	c->members = bench_zalloc(b, c->count, sizeof(*c->members));
	c->ordered = bench_zalloc(b, c->count, sizeof(*c->ordered));
	b->nr_items = c->count;
	return 0;
}

static int measure(struct bench *b)
{
	struct calls *c = container_of(b, struct calls, b);
	u64 i;
	int err;

	for (i = 0; i < c->count; i++)
		b->items[i].turns = c->turns;
	/* the first calls make the workers, and are not measured */
	err = prepare_all(c) ?:
	      bench_produce(b, false, max(div_u64(c->calls, 10), 1ULL), produce) ?:
	      bench_produce(b, true, c->calls, produce);
	if (err)
		return err;
	bench_meter_stop(b);
	finish(c);
	return 0;
}

const struct bench_case bench_call = {
	.name = "call",
	.size = sizeof(struct calls),
	.fn = &spend_fn,
	.prepare = prepare,
	.measure = measure,
};
