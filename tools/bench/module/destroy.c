// SPDX-License-Identifier: GPL-2.0
/*
 * How long it takes to destroy many pools.
 *
 *	destroy peer=NAME pools=P [threads=T]
 *
 * P pools are there, and each has run a task: it has a worker. T threads destroy them at
 * the same time, each its part, one pool after the other. "total_ns" is the time until all
 * are gone, "create_ns" how long it took to make them.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

struct destroy {
	struct bench_pool *pools;
	struct bench_item *items;	/* one for each pool */
	struct bench_meter meter;
};

static void use(struct bench_item *item)
{
	bench_count();
}

BENCH_FN(use);

static int use_all(struct destroy *b, u32 nr)
{
	struct bench_pool *pool;
	int err = 0;
	u32 i;

	bench_count_reset();
	for (i = 0; i < nr && !err; i++) {
		pool = &b->pools[i];
		pool->peer->init(pool, &b->items[i]);
		err = pool->peer->submit(pool, &b->items[i]);
	}
	if (!err)
		err = bench_count_wait(nr);
	for (i = 0; i < nr && !err; i++)
		b->pools[i].peer->flush(&b->pools[i]);
	return err;
}

static int destroy_some(struct bench_producer *p)
{
	struct destroy *b = p->data;
	u64 i;

	for (i = p->first; i < p->first + p->nr; i++)
		bench_pool_destroy(&b->pools[i]);
	return 0;
}

int bench_destroy(struct bench_run *run)
{
	u32 nr = bench_num(run, "pools", 1000), i;
	u32 threads = bench_num(run, "threads", 1);
	struct destroy b = { };
	int err = -ENOMEM;
	u64 before;

	if (!nr || !threads)
		return -EINVAL;
	b.items = bench_items_alloc(nr);
	b.pools = kvcalloc(nr, sizeof(*b.pools), GFP_KERNEL);
	if (!b.items || !b.pools)
		goto out_free;
	before = ktime_get_ns();
	for (i = 0; i < nr; i++) {
		err = bench_pool_create(&b.pools[i], run, &use_fn);
		if (err)
			goto out_destroy;
	}
	bench_put(run, "create_ns", ktime_get_ns() - before);
	err = use_all(&b, nr);
	if (err)
		return bench_lost(err);
	err = bench_produce(run, threads, nr, destroy_some, &b, &b.meter);
	/* only for want of memory, before a thread has run */
	if (err)
		goto out_destroy;
	bench_meter_stop(&b.meter, run);
	goto out_free;
out_destroy:
	bench_pools_destroy(b.pools, i);
out_free:
	kvfree(b.pools);
	kvfree(b.items);
	return err;
}
