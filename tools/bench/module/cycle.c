// SPDX-License-Identifier: GPL-2.0
/*
 * A few tasks that are submitted again and again, as soon as they have run.
 *
 *	cycle kind=KIND peer=NAME n=N flight=F [ns=NS] [lock_ns=NS] [us=US]
 *
 * kind=ring: a thread submits F tasks in turn, and waits for one that has not run yet. kind=chain:
 * F chains of two tasks that submit each other. kind=family: a parent submits F children, and the
 * last child to end submits the parent. N tasks run in all. A task, except the parent, computes for
 * LOCK_NS under a mutex that all of them share, then computes for NS, and then sleeps for US
 * microseconds; a time of 0 is left out.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/mutex.h>

#include "bench.h"

enum cycle_kind {
	RING,
	CHAIN,
	FAMILY,
};

static const char * const kinds[] = { "ring", "chain", "family" };

/* In a ring, bench_item.index is the state of the task. */
enum {
	HAS_RUN,
	IN_FLIGHT,
	WAITED_FOR,
};

struct cycle {
	struct bench b;
	struct mutex mutex;	/* shared by all tasks */
	struct completion freed;
	atomic_t children;
	u64 *left;		/* submits that remain, of each chain or of the parent */
	u64 flight, turns, lock_turns, us;
	enum cycle_kind kind;
};

/* An error needs no handling: bench_count_wait() notices a task that does not continue. */
static void submit_next(struct cycle *c, struct bench_item *item)
{
	if (bench_submit(&c->b, item))
		pr_err("wpool_bench: a task of a cycle was refused\n");
}

static void work(struct cycle *c)
{
	if (c->lock_turns) {
		mutex_lock(&c->mutex);
		bench_spend(c->lock_turns);
		mutex_unlock(&c->mutex);
	}
	if (c->turns)
		bench_spend(c->turns);
	if (c->us)
		bench_sleep_us(c->us);
}

static void go_on(struct cycle *c, struct bench_item *item)
{
	u64 index = item - c->b.items, i;

	switch (c->kind) {
	case RING:
		if (xchg(&item->index, HAS_RUN) == WAITED_FOR)
			complete(&c->freed);
		break;
	case CHAIN:
		if (--c->left[index / 2])
			submit_next(c, &c->b.items[index ^ 1]);
		break;
	case FAMILY:
		if (index) {
			if (atomic_dec_and_test(&c->children) && *c->left)
				submit_next(c, c->b.items);
			break;
		}
		(*c->left)--;
		atomic_set(&c->children, c->flight);
		for (i = 1; i <= c->flight; i++)
			submit_next(c, &c->b.items[i]);
		break;
	}
}

static void step(struct bench_item *item)
{
	struct cycle *c = item->data;

	if (c->kind != FAMILY || item != c->b.items)
		work(c);
	bench_count();
	go_on(c, item);
}

BENCH_FN(step);

static int produce_ring(struct cycle *c, u64 nr)
{
	struct bench_item *item = c->b.items;
	u64 i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		if (READ_ONCE(item->index) != HAS_RUN &&
		    cmpxchg(&item->index, IN_FLIGHT, WAITED_FOR) == IN_FLIGHT)
			wait_for_completion(&c->freed);
		item->index = IN_FLIGHT;
		err = bench_submit(&c->b, item);
		if (++item == c->b.items + c->flight)
			item = c->b.items;
	}
	return err;
}

static int produce(struct bench_producer *p)
{
	struct cycle *c = p->data;
	int err = 0;
	u64 i;

	if (c->kind == RING)
		return produce_ring(c, p->nr);
	if (c->kind == FAMILY)
		return bench_submit(&c->b, c->b.items);
	for (i = 0; i < c->flight && !err; i++)
		err = bench_submit(&c->b, &c->b.items[2 * i]);
	return err;
}

/* Run about @n tasks: whole chains or families. */
static int cycle(struct cycle *c, bool measured, u64 n)
{
	u64 part = c->kind == FAMILY ? c->flight + 1 : c->flight, i;

	if (c->kind != RING)
		n = part * max(div64_u64(n, part), 1ULL);
	for (i = 0; i < c->flight; i++)
		c->left[i] = div64_u64(n, part);
	return bench_produce_counted(&c->b, measured, n, produce);
}

static int prepare(struct bench *b)
{
	int kind = match_string(kinds, ARRAY_SIZE(kinds), bench_text(b->run, "kind", "ring"));
	struct cycle *c = container_of(b, struct cycle, b);
	u64 per_ms = bench_turns_per_ms();

	c->flight = bench_num(b->run, "flight", 1);
	if (kind < 0 || !c->flight || b->n < c->flight)
		return -EINVAL;
	c->kind = kind;
	c->us = bench_num(b->run, "us", 0);
	c->turns = bench_turns(bench_num(b->run, "ns", 0), per_ms);
	c->lock_turns = bench_turns(bench_num(b->run, "lock_ns", 0), per_ms);
	mutex_init(&c->mutex);
	init_completion(&c->freed);
	c->left = bench_zalloc(b, c->flight, sizeof(*c->left));
	/* a task is submitted again before its function has returned */
	b->detached = true;
	b->nr_items = 2 * c->flight;
	return 0;
}

static int measure(struct bench *b)
{
	struct cycle *c = container_of(b, struct cycle, b);
	/* the first tasks make the workers, and are not measured */
	int err = cycle(c, false, max(div_u64(b->n, 10), c->flight));

	if (err)
		return err;
	bench_flush(b);
	err = cycle(c, true, b->n);
	if (!err)
		bench_meter_stop(b);
	return err;
}

const struct bench_case bench_cycle = {
	.name = "cycle",
	.size = sizeof(struct cycle),
	.fn = &step_fn,
	.n = 10000,
	.prepare = prepare,
	.measure = measure,
};
