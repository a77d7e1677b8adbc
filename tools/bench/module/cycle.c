// SPDX-License-Identifier: GPL-2.0
/*
 * A few tasks that are submitted again and again, as soon as they have run.
 *
 *	cycle kind=KIND peer=NAME n=N flight=F [ns=NS] [lock_ns=NS] [us=US]
 *
 * kind=ring: a thread submits F tasks in turn, and waits for one that has not run yet.
 * kind=chain: F chains; each task submits the other one of its chain.
 * kind=family: a parent submits F children, and the last of them the parent.
 * N tasks run in all. A task, except the parent, computes for LOCK_NS under a mutex that all
 * of them share, then for NS, and then sleeps for US microseconds; it does not what is 0.
 */
#include "bench.h"

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "peers.h"
#include "producers.h"

enum cycle_kind {
	RING,
	CHAIN,
	FAMILY,
};

static const char * const kinds[] = { "ring", "chain", "family" };

/* What bench_item's index says of a task of a ring. */
enum {
	HAS_RUN,
	IN_FLIGHT,
	WAITED_FOR,
};

struct cycle {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	struct mutex mutex;	/* what the tasks have in common */
	struct completion freed;
	atomic_t children;
	u64 *left;		/* how often a chain, or the parent, continues */
	u64 flight, turns, lock_turns, us;
	enum cycle_kind kind;
};

/* Who fails to go on is missed: see bench_count_wait(). */
static void submit_next(struct cycle *b, struct bench_item *item)
{
	if (b->pool.peer->submit(&b->pool, item))
		pr_err("wpool_bench: a task of a cycle was refused\n");
}

static void work(struct cycle *b)
{
	if (b->lock_turns) {
		mutex_lock(&b->mutex);
		bench_spend(b->lock_turns);
		mutex_unlock(&b->mutex);
	}
	if (b->turns)
		bench_spend(b->turns);
	if (b->us)
		bench_sleep_us(b->us);
}

static void go_on(struct cycle *b, struct bench_item *item)
{
	u64 index = item - b->items, i;

	switch (b->kind) {
	case RING:
		if (xchg(&item->index, HAS_RUN) == WAITED_FOR)
			complete(&b->freed);
		break;
	case CHAIN:
		if (--b->left[index / 2])
			submit_next(b, &b->items[index ^ 1]);
		break;
	case FAMILY:
		if (index) {
			if (atomic_dec_and_test(&b->children) && *b->left)
				submit_next(b, b->items);
			break;
		}
		(*b->left)--;
		atomic_set(&b->children, b->flight);
		for (i = 1; i <= b->flight; i++)
			submit_next(b, &b->items[i]);
		break;
	}
}

static void step(struct bench_item *item)
{
	struct cycle *b = item->data;

	if (b->kind != FAMILY || item != b->items)
		work(b);
	bench_count();
	go_on(b, item);
}

BENCH_FN(step);

static int produce_ring(struct cycle *b, u64 nr)
{
	struct bench_item *item = b->items;
	u64 i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		if (READ_ONCE(item->index) != HAS_RUN &&
		    cmpxchg(&item->index, IN_FLIGHT, WAITED_FOR) == IN_FLIGHT)
			wait_for_completion(&b->freed);
		item->index = IN_FLIGHT;
		err = b->pool.peer->submit(&b->pool, item);
		if (++item == b->items + b->flight)
			item = b->items;
	}
	return err;
}

static int produce(struct bench_producer *p)
{
	struct cycle *b = p->data;
	int err = 0;
	u64 i;

	if (b->kind == RING)
		return produce_ring(b, p->nr);
	if (b->kind == FAMILY)
		return b->pool.peer->submit(&b->pool, b->items);
	for (i = 0; i < b->flight && !err; i++)
		err = b->pool.peer->submit(&b->pool, &b->items[2 * i]);
	return err;
}

/* About @n tasks, so that all chains, or families, are whole. */
static int cycle(struct cycle *b, struct bench_run *run, u64 n)
{
	u64 part = b->kind == FAMILY ? b->flight + 1 : b->flight, i;

	if (b->kind != RING)
		n = part * max(div64_u64(n, part), 1ULL);
	for (i = 0; i < b->flight; i++)
		b->left[i] = div64_u64(n, part);
	return bench_produce_counted(run, 1, n, produce, b, &b->meter);
}

int bench_cycle(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000), per_ms = bench_turns_per_ms();
	struct cycle b = { .flight = bench_num(run, "flight", 1) };
	int kind = match_string(kinds, ARRAY_SIZE(kinds), bench_text(run, "kind", "ring"));
	int err = -ENOMEM;

	if (kind < 0 || !b.flight || n < b.flight)
		return -EINVAL;
	b.kind = kind;
	b.us = bench_num(run, "us", 0);
	b.turns = div_u64(bench_num(run, "ns", 0) * per_ms, NSEC_PER_MSEC);
	b.lock_turns = div_u64(bench_num(run, "lock_ns", 0) * per_ms, NSEC_PER_MSEC);
	mutex_init(&b.mutex);
	init_completion(&b.freed);
	b.left = kvcalloc(b.flight, sizeof(*b.left), GFP_KERNEL);
	b.items = bench_items_alloc(2 * b.flight);
	if (!b.items || !b.left)
		goto out_free;
	err = bench_pool_create(&b.pool, run, &step_fn);
	if (err)
		goto out_free;
	/* it is submitted before the function that led to that has returned */
	b.pool.detached = true;
	bench_items_init(&b.pool, b.items, 2 * b.flight);
	for (u64 i = 0; i < 2 * b.flight; i++)
		b.items[i].data = &b;
	/* unmeasured, so that there are workers */
	err = cycle(&b, NULL, max(div_u64(n, 10), b.flight));
	if (!err) {
		b.pool.peer->flush(&b.pool);
		err = cycle(&b, run, n);
	}
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	kvfree(b.left);
	return err;
}
