// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that nobody keeps: allocated, submitted, and gone when they have run.
 *
 *	alloc peer=NAME n=N
 *	submit_fn n=N
 *
 * "alloc": each item is allocated with kmalloc(), the same size with all peers, and
 * its function frees it; wpool's task is a detached one. "submit_fn" is what wpool
 * has for it, wpool_submit_fn(), which allocates what it needs by itself.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "peers.h"
#include "producers.h"

struct alloc {
	struct bench_pool pool;
	struct bench_meter meter;
};

static void count_and_free(struct bench_item *item)
{
	kfree(item);
	bench_count();
}

BENCH_FN(count_and_free);

static int produce_allocated(struct bench_producer *p)
{
	struct alloc *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	struct bench_item *item;
	int err;
	u64 i;

	for (i = 0; i < p->nr; i++) {
		item = kmalloc(sizeof(*item), GFP_KERNEL);
		if (!item)
			return -ENOMEM;
		peer->init(&b->pool, item);
		err = peer->submit(&b->pool, item);
		if (err) {
			kfree(item);
			return err;
		}
	}
	return 0;
}

static void counted(void *arg)
{
	bench_count();
}

static int produce_functions(struct bench_producer *p)
{
	struct alloc *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = wpool_submit_fn(b->pool.wpool, counted, NULL, NULL, GFP_KERNEL);
	return err;
}

static int run_allocated(struct bench_run *run,
			 int (*fn)(struct bench_producer *producer))
{
	u64 n = bench_num(run, "n", 20000), warm = DIV_ROUND_UP(n, 10);
	struct alloc b;
	int err;

	if (!n)
		return -EINVAL;
	err = bench_pool_create(&b.pool, run, &count_and_free_fn);
	if (err)
		return err;
	b.pool.detached = true;
	err = bench_produce_counted(NULL, 1, warm, fn, &b, &b.meter);
	if (err)
		return bench_lost(err);
	b.pool.peer->flush(&b.pool);

	err = bench_produce_counted(run, 1, n, fn, &b, &b.meter);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_pool_finish(&b.pool, run);
	return 0;
}

int bench_alloc(struct bench_run *run)
{
	return run_allocated(run, produce_allocated);
}

int bench_submit_fn(struct bench_run *run)
{
	/* without "peer=", or with wpool, the pool is one of wpool's */
	if (strcmp(bench_text(run, "peer", "wpool"), "wpool"))
		return -EINVAL;
	return run_allocated(run, produce_functions);
}
