// SPDX-License-Identifier: GPL-2.0
/*
 * Does a task cost more when there are more of them, or more pools?
 *
 *	recycle peer=NAME n=N [set=4096]
 *	pools peer=NAME pools=P n=N [spread=1]
 *
 * "recycle": n no-op tasks, but never more than a set of items, each submitted
 * again when it has run: memory that grows is not what this measures. "pools": P
 * pools are there and have been used; n no-op tasks go to one of them, or with
 * spread=1 to each in turn. "create_ns" is for all pools.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

struct growth {
	struct bench_pool pool;		/* recycle */
	struct bench_pool *pools;	/* pools */
	u32 nr_pools;
	struct bench_item *items;
	u64 set;
	struct bench_meter meter;
};

/* ---- a few items, many tasks ---- */

static void recycled(struct bench_item *item)
{
	bench_count();
	/* pairs with produce_recycled(): the last touch */
	smp_store_release(&item->busy, false);
}

BENCH_FN(recycled);

static int produce_recycled(struct bench_producer *p)
{
	struct growth *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	struct bench_item *item;
	u64 i, next = 0;
	int err;

	for (i = 0; i < p->nr; i++) {
		item = &b->items[next];
		/* pairs with recycled(): what it did is done */
		while (smp_load_acquire(&item->busy))
			bench_sleep_us(50);
		item->busy = true;
		err = peer->submit(&b->pool, item);
		if (err)
			return err;
		if (++next == b->set)
			next = 0;
	}
	return 0;
}

static int recycle(struct growth *b, struct bench_run *run, u64 n)
{
	int err;

	err = bench_produce_counted(run, 1, n, produce_recycled, b, &b->meter);
	if (!err && run)
		bench_meter_stop(&b->meter, run);
	return err;
}

int bench_recycle(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000);
	struct growth b = { .set = bench_num(run, "set", 4096) };
	int err;

	if (!n || !b.set)
		return -EINVAL;
	b.items = bench_items_alloc(b.set);
	if (!b.items)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &recycled_fn);
	if (err)
		goto out_free;
	/* wpool: as with the peers, a running task may be submitted again */
	b.pool.detached = true;
	bench_items_init(&b.pool, b.items, b.set);
	err = recycle(&b, NULL, b.set);
	if (!err)
		err = recycle(&b, run, n);
	if (err)
		return bench_lost(err);
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	return err;
}

/* ---- many pools ---- */

static void spread(struct bench_item *item)
{
	bench_count();
}

BENCH_FN(spread);

static int produce_spread(struct bench_producer *p)
{
	struct growth *b = p->data;
	int err = 0;
	u64 i;

	for (i = p->first; i < p->first + p->nr && !err; i++)
		err = b->items[i].pool->peer->submit(b->items[i].pool, &b->items[i]);
	return err;
}

static int spread_over(struct growth *b, struct bench_run *run, u64 n, u32 nr_pools)
{
	struct bench_pool *pool;
	int err;
	u64 i;

	for (i = 0; i < n; i++) {
		pool = &b->pools[i % nr_pools];
		pool->peer->init(pool, &b->items[i]);
		b->items[i].pool = pool;
	}
	err = bench_produce_counted(run, 1, n, produce_spread, b, &b->meter);
	if (!err && run)
		bench_meter_stop(&b->meter, run);
	for (i = 0; i < nr_pools && !err; i++)
		b->pools[i].peer->flush(&b->pools[i]);
	return err;
}

int bench_pools(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 100000);
	u32 nr = bench_num(run, "pools", 1), i;
	struct growth b = { };
	int err = -ENOMEM;
	u64 before;

	if (!nr || n < nr)
		return -EINVAL;
	b.items = bench_items_alloc(n);
	b.pools = kvcalloc(nr, sizeof(*b.pools), GFP_KERNEL);
	if (!b.items || !b.pools)
		goto out_free;
	before = ktime_get_ns();
	for (i = 0; i < nr; i++) {
		err = bench_pool_create(&b.pools[i], run, &spread_fn);
		if (err)
			goto out_destroy;
	}
	bench_put(run, "create_ns", ktime_get_ns() - before);
	err = spread_over(&b, NULL, nr, nr);
	if (!err)
		err = spread_over(&b, run, n, bench_num(run, "spread", 0) ? nr : 1);
	if (err)
		return bench_lost(err);
out_destroy:
	bench_pools_destroy(b.pools, i);
out_free:
	kvfree(b.pools);
	kvfree(b.items);
	return err;
}
