// SPDX-License-Identifier: GPL-2.0
/*
 * What a caller does again and again besides submitting, beside what the peers have for it.
 *
 *	call what=WHAT peer=wpool|percpu|unbound|kworker n=N [count=C] [ns=NS] [strands=S]
 *
 * One thread makes N calls; with C, N / C of them with C tasks each, so that "total_ns" is
 * that of N tasks. WHAT is one of the table at the end of this file: a flush of a pool in
 * which nothing is outstanding; a pool made for one task, and destroyed; a submit that is
 * cancelled at once; a time-out armed and cancelled, or moved; C tasks of NS, and the wait for
 * all of them (a group, or works that are flushed one by one); a loop that takes NS in all
 * (wpool_parallel_for(), or eight works); and C tasks in the order of their submits, on each
 * of S strands or ordered workqueues.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_parallel.h>
#include <linux/wpool_strand.h>

#include "peers.h"
#include "producers.h"

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
	struct bench_pool pool;
	struct bench_run *run;
	struct bench_meter meter;
	struct bench_item *items;
	struct timeout timeout;
	struct wpool_group group;
	struct wpool_group_task *members;
	struct wpool_strand_task *ordered;
	struct wpool_strand strands[MAX_STRANDS];
	struct workqueue_struct *queues[MAX_STRANDS];
	u64 turns, count, nr_strands, delay;
	const struct call *call;
	int family;
};

static u64 member_turns;	/* of a group's task, which has room for nothing */

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
	struct calls *b = data;

	bench_spend(div_u64(b->turns * (to - from), LOOP_LEN));
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

static int flush_idle(struct calls *b)
{
	b->pool.peer->flush(&b->pool);
	return 0;
}

static int create_and_destroy(struct calls *b)
{
	struct bench_pool pool;
	int err;

	err = bench_pool_create(&pool, b->run, &spend_fn);
	if (err)
		return err;
	pool.peer->init(&pool, b->items);
	err = pool.peer->submit(&pool, b->items);
	bench_pool_destroy(&pool);
	return err;
}

/* ---- wpool ---- */

static int cancel_wpool(struct calls *b)
{
	int err = b->pool.peer->submit(&b->pool, b->items);

	if (err)
		return err;
	err = wpool_task_cancel_sync(&b->items->task);
	return err == -ECANCELED ? 0 : err;
}

static int arm_wpool(struct calls *b)
{
	wpool_event_arm(&b->timeout.event, 60 * HZ);
	wpool_event_cancel_sync(&b->timeout.event);
	return 0;
}

static int move_wpool(struct calls *b)
{
	b->delay ^= HZ;
	wpool_event_mod(&b->timeout.event, 60 * HZ + b->delay);
	return 0;
}

static int wait_wpool(struct calls *b)
{
	u64 i;
	int err = 0;

	for (i = 0; i < b->count && !err; i++)
		err = wpool_group_submit(&b->group, &b->members[i]);
	return err ?: wpool_group_wait(&b->group);
}

static int loop_wpool(struct calls *b)
{
	return wpool_parallel_for(b->pool.wpool, 0, LOOP_LEN, 0, spend_part, b);
}

static int order_wpool(struct calls *b)
{
	u64 i;
	int err = 0;

	for (i = 0; i < b->count && !err; i++)
		err = wpool_strand_try_submit(&b->ordered[i]);
	for (i = 0; i < b->nr_strands && !err; i++)
		err = wpool_strand_flush(&b->strands[i]);
	return err;
}

/* ---- workqueues ---- */

static int cancel_wq(struct calls *b)
{
	int err = b->pool.peer->submit(&b->pool, b->items);

	if (!err)
		cancel_work_sync(&b->items->work);
	return err;
}

static int arm_wq(struct calls *b)
{
	queue_delayed_work(b->pool.wq, &b->timeout.dwork, 60 * HZ);
	cancel_delayed_work_sync(&b->timeout.dwork);
	return 0;
}

static int move_wq(struct calls *b)
{
	b->delay ^= HZ;
	mod_delayed_work(b->pool.wq, &b->timeout.dwork, 60 * HZ + b->delay);
	return 0;
}

static int order_wq(struct calls *b)
{
	u64 i;

	for (i = 0; i < b->count; i++)
		queue_work(b->queues[i % b->nr_strands], &b->items[i].work);
	for (i = 0; i < b->nr_strands; i++)
		flush_workqueue(b->queues[i]);
	return 0;
}

/* ---- kthread_worker, and what it has in common with workqueues ---- */

static int cancel_kworker(struct calls *b)
{
	int err = b->pool.peer->submit(&b->pool, b->items);

	if (!err)
		kthread_cancel_work_sync(&b->items->kwork);
	return err;
}

static int arm_kworker(struct calls *b)
{
	kthread_queue_delayed_work(b->pool.kworker, &b->timeout.kdwork, 60 * HZ);
	kthread_cancel_delayed_work_sync(&b->timeout.kdwork);
	return 0;
}

static int move_kworker(struct calls *b)
{
	b->delay ^= HZ;
	kthread_mod_delayed_work(b->pool.kworker, &b->timeout.kdwork, 60 * HZ + b->delay);
	return 0;
}

static int wait_each(struct calls *b)
{
	u64 i;

	if (b->pool.peer->submit_all(&b->pool, b->items, b->count) != b->count)
		return -EIO;
	for (i = 0; i < b->count; i++)
		b->pool.peer->wait(&b->pool, &b->items[i]);
	return 0;
}

enum { WPOOL, WORKQUEUE, KWORKER, NR_FAMILIES };

typedef int (*call_fn)(struct calls *b);

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
	struct calls *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = b->call->of[b->family](b);
	return err;
}

static int prepare_wpool(struct calls *b)
{
	u64 i;

	wpool_event_init(&b->timeout.event, b->pool.wpool, timed_out, NULL);
	for (i = 0; i < b->nr_strands; i++)
		wpool_strand_init(&b->strands[i], b->pool.wpool, WPOOL_UNLIMITED);
	for (i = 0; i < b->count; i++) {
		wpool_group_task_init(&b->members[i], spend_member, NULL);
		wpool_strand_task_init(&b->ordered[i], &b->strands[i % b->nr_strands],
				       ordered_fn, NULL);
	}
	return wpool_group_init(&b->group, b->pool.wpool, WPOOL_UNLIMITED, NULL);
}

static int prepare_queues(struct calls *b)
{
	u64 i;

	INIT_DELAYED_WORK(&b->timeout.dwork, timed_out_work);
	for (i = 0; i < b->nr_strands; i++) {
		b->queues[i] = alloc_ordered_workqueue("bench_ordered", 0);
		if (!b->queues[i])
			return -ENOMEM;
	}
	return 0;
}

static int prepare(struct calls *b, int family, bool ordered)
{
	u64 i;

	bench_items_init(&b->pool, b->items, b->count);
	for (i = 0; i < b->count; i++) {
		b->items[i].turns = b->turns;
		if (ordered && family == WORKQUEUE)
			INIT_WORK(&b->items[i].work, ordered_work);
	}
	if (family == WPOOL)
		return prepare_wpool(b);
	if (family == WORKQUEUE)
		return prepare_queues(b);
	kthread_init_delayed_work(&b->timeout.kdwork, timed_out_kwork);
	return 0;
}

static void finish(struct calls *b, int family)
{
	u64 i;

	if (family == WPOOL) {
		wpool_event_cancel_sync(&b->timeout.event);
		wpool_group_exit(&b->group);
		for (i = 0; i < b->nr_strands; i++)
			wpool_strand_destroy(&b->strands[i]);
	} else if (family == WORKQUEUE) {
		cancel_delayed_work_sync(&b->timeout.dwork);
		for (i = 0; i < b->nr_strands && b->queues[i]; i++)
			destroy_workqueue(b->queues[i]);
	} else {
		kthread_cancel_delayed_work_sync(&b->timeout.kdwork);
	}
}

static int family_of(const char *peer)
{
	return !strcmp(peer, "wpool") ? WPOOL : !strcmp(peer, "kworker") ? KWORKER : WORKQUEUE;
}

static const struct call *call_of(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(name, table[i].name))
			return &table[i];
	return NULL;
}

static int measure(struct calls *b, struct bench_run *run, u64 n)
{
	const char *what = bench_text(run, "what", "");
	int err;

	b->call = call_of(what);
	b->family = family_of(b->pool.peer->name);
	if (!b->call || !b->call->of[b->family])
		return -EINVAL;
	err = prepare(b, b->family, !strcmp(what, "ordered"));
	if (err)
		goto out;
	/* unmeasured, so that there are workers */
	err = bench_produce(NULL, 1, max(div_u64(n, 10), 1ULL), produce, b, &b->meter);
	err = err ?: bench_produce(run, 1, n, produce, b, &b->meter);
	if (!err)
		bench_meter_stop(&b->meter, run);
out:
	finish(b, b->family);
	return err;
}

int bench_call(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000), per_ms = bench_turns_per_ms();
	u64 count = bench_num(run, "count", 1), ns = bench_num(run, "ns", 0);
	bool loop = !strcmp(bench_text(run, "what", ""), "loop");
	struct calls *b = kvzalloc(sizeof(*b), GFP_KERNEL);
	int err = -EINVAL;

	if (!b)
		return -ENOMEM;
	b->run = run;
	b->nr_strands = bench_num(run, "strands", 1);
	if (!count || n < count || count > MAX_COUNT || !b->nr_strands ||
	    b->nr_strands > MAX_STRANDS)
		goto out;
	err = bench_pool_create(&b->pool, run, &spend_fn);
	if (err)
		goto out;
	/* a loop is divided into works, or by the pool itself */
	b->count = loop ? LOOP_PARTS : count;
	b->turns = div_u64(ns * per_ms, NSEC_PER_MSEC);
	if (loop && family_of(b->pool.peer->name) != WPOOL)
		b->turns /= LOOP_PARTS;
	WRITE_ONCE(member_turns, b->turns);
	b->items = bench_items_alloc(b->count);
	b->members = kvcalloc(b->count, sizeof(*b->members), GFP_KERNEL);
	b->ordered = kvcalloc(b->count, sizeof(*b->ordered), GFP_KERNEL);
	err = -ENOMEM;
	if (b->items && b->members && b->ordered)
		err = measure(b, run, div64_u64(n, count));
	bench_pool_destroy(&b->pool);
out:
	kvfree(b->ordered);
	kvfree(b->members);
	kvfree(b->items);
	kvfree(b);
	return err;
}
