// SPDX-License-Identifier: GPL-2.0
/*
 * Does a task cost more if there are more tasks, or more pools?
 *
 *	recycle peer=NAME n=N
 *	pools peer=NAME pools=P n=N [spread=1]
 *	destroy peer=NAME pools=P [threads=T]
 *
 * "recycle": n no-op tasks use a set of items; each item is submitted again when it has run, so
 * that more tasks need no more memory. "pools": P pools exist and have been used; n no-op tasks go
 * to one of them, or with spread=1 to each in turn. "create_ns" is the time to create all pools.
 *
 * "destroy": P pools exist, and each has run a task, so it has a worker. T threads at the same time
 * destroy their shares, one pool after the other. "total_ns" is the time until all pools are gone.
 */
#include "bench.h"

struct growth {
	struct bench b;
	struct bench_pool *pools;
	u64 nr_pools;
};

/* ---- a few items, many tasks ---- */

static void recycled(struct bench_item *item)
{
	bench_count();
	/* pairs with produce_recycled(): after this the item is not accessed here */
	smp_store_release(&item->busy, false);
}

BENCH_FN(recycled);

static int produce_recycled(struct bench_producer *p)
{
	struct bench *b = p->data;
	struct bench_item *item;
	u64 i, next = 0;
	int err;

	for (i = 0; i < p->nr; i++) {
		item = &b->items[next];
		/* pairs with recycled(): its accesses to the item are complete */
		while (smp_load_acquire(&item->busy))
			bench_sleep_us(50);
		item->busy = true;
		err = bench_submit(b, item);
		if (err)
			return err;
		if (++next == b->nr_items)
			next = 0;
	}
	return 0;
}

static int prepare_recycle(struct bench *b)
{
	/* an item may be submitted again before its function has returned */
	b->detached = true;
	b->nr_items = 4096;
	return 0;
}

static int measure_recycle(struct bench *b)
{
	return bench_measure(b, b->nr_items, produce_recycled);
}

const struct bench_case bench_recycle = {
	.name = "recycle",
	.fn = &recycled_fn,
	.n = 10000,
	.prepare = prepare_recycle,
	.measure = measure_recycle,
};

/* ---- many pools ---- */

static void in_a_pool(struct bench_item *item)
{
	bench_count();
}

BENCH_FN(in_a_pool);

/* b->n is the number of tasks; "destroy" has one for each pool. */
static int make_pools(struct bench *b)
{
	struct growth *g = container_of(b, struct growth, b);
	u64 before, i;
	int err;

	b->items = bench_zalloc(b, b->n, sizeof(*b->items));
	g->pools = bench_zalloc(b, g->nr_pools, sizeof(*g->pools));
	if (!b->items || !g->pools)
		return -ENOMEM;
	before = ktime_get_ns();
	for (i = 0; i < g->nr_pools; i++) {
		err = bench_pool_create(&g->pools[i], b->run, &in_a_pool_fn);
		if (err) {
			bench_pools_destroy(g->pools, i);
			return err;
		}
	}
	bench_put(b->run, "create_ns", ktime_get_ns() - before);
	return 0;
}

static int produce_spread(struct bench_producer *p)
{
	struct bench *b = p->data;
	int err = 0;
	u64 i;

	for (i = p->first; i < p->first + p->nr && !err; i++)
		err = b->items[i].pool->peer->submit(b->items[i].pool, &b->items[i]);
	return err;
}

/* Submit @n tasks in turn to the first @nr_pools pools. */
static int spread_over(struct growth *g, bool measured, u64 n, u64 nr_pools)
{
	struct bench *b = &g->b;
	struct bench_pool *pool;
	int err;
	u64 i;

	for (i = 0; i < n; i++) {
		pool = &g->pools[i % nr_pools];
		pool->peer->init(pool, &b->items[i]);
		b->items[i].pool = pool;
	}
	err = bench_produce_counted(b, measured, n, produce_spread);
	if (!err && measured)
		bench_meter_stop(b);
	for (i = 0; i < nr_pools && !err; i++)
		g->pools[i].peer->flush(&g->pools[i]);
	return err;
}

static int prepare_pools(struct bench *b)
{
	struct growth *g = container_of(b, struct growth, b);

	g->nr_pools = bench_num(b->run, "pools", 1);
	return g->nr_pools && b->n >= g->nr_pools ? make_pools(b) : -EINVAL;
}

static int measure_pools(struct bench *b)
{
	struct growth *g = container_of(b, struct growth, b);
	int err;

	err = spread_over(g, false, g->nr_pools, g->nr_pools) ?:
	      spread_over(g, true, b->n, bench_num(b->run, "spread", 0) ? g->nr_pools : 1);
	if (!err)
		bench_pools_destroy(g->pools, g->nr_pools);
	return err;
}

const struct bench_case bench_pools = {
	.name = "pools",
	.size = sizeof(struct growth),
	.n = 100000,
	.prepare = prepare_pools,
	.measure = measure_pools,
};

static int destroy_some(struct bench_producer *p)
{
	struct growth *g = p->data;
	u64 i;

	for (i = p->first; i < p->first + p->nr; i++)
		bench_pool_destroy(&g->pools[i]);
	return 0;
}

static int prepare_destroy(struct bench *b)
{
	struct growth *g = container_of(b, struct growth, b);

	g->nr_pools = bench_num(b->run, "pools", 1000);
	b->n = g->nr_pools;
	return g->nr_pools ? make_pools(b) : -EINVAL;
}

static int measure_destroy(struct bench *b)
{
	struct growth *g = container_of(b, struct growth, b);
	int err = spread_over(g, false, g->nr_pools, g->nr_pools);

	b->producers = bench_num(b->run, "threads", 1);
	err = err ?: bench_produce(b, true, g->nr_pools, destroy_some);
	if (!err)
		bench_meter_stop(b);
	return err;
}

const struct bench_case bench_destroy = {
	.name = "destroy",
	.size = sizeof(struct growth),
	.prepare = prepare_destroy,
	.measure = measure_destroy,
};
