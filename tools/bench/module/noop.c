// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that do nothing but count: what does a task cost by itself?
 *
 *	noop peer=NAME n=N [producers=P] [batch=64]
 *	invoke n=N [depth=D]
 *
 * "total_ns" is from the first submit until all have run, "submit_ns" what the
 * producers took for submitting. A tenth of the tasks goes before, unmeasured,
 * so that there are workers.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

struct noop {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	u32 batch;
};

static void noop(struct bench_item *item)
{
	bench_count();
}

BENCH_FN(noop);

static int produce(struct bench_producer *p)
{
	struct noop *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	struct bench_item *items = b->items + p->first;
	u64 done;

	if (b->batch)
		done = peer->submit_batch(&b->pool, items, p->nr, b->batch);
	else
		done = peer->submit_all(&b->pool, items, p->nr);
	return done == p->nr ? 0 : -EIO;
}

int bench_noop(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 100000), warm;
	struct noop b = { .batch = bench_num(run, "batch", 0) };
	int err;

	if (!n)
		return -EINVAL;
	b.items = bench_items_alloc(n);
	if (!b.items)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &noop_fn);
	if (err)
		goto out_free;
	err = -EINVAL;
	if (b.batch && !b.pool.peer->submit_batch)
		goto out_destroy;

	warm = DIV_ROUND_UP(n, 10);
	bench_count_reset();
	bench_items_init(&b.pool, b.items, warm);
	err = -EIO;
	if (b.pool.peer->submit_all(&b.pool, b.items, warm) != warm)
		goto out_lost;
	err = bench_count_wait(warm);
	if (err)
		goto out_lost;
	b.pool.peer->flush(&b.pool);

	bench_items_init(&b.pool, b.items, n);
	err = bench_produce_counted(run, bench_num(run, "producers", 1), n, produce, &b, &b.meter);
	if (err)
		goto out_lost;
	bench_meter_stop(&b.meter, run);
	b.pool.peer->flush(&b.pool);
	bench_pool_put_stats(&b.pool, run);
out_destroy:
	bench_pool_destroy(&b.pool);
out_free:
	kvfree(b.items);
	return err;
out_lost:
	return bench_lost(err);
}

/* ---- a function bound to the pool ---- */

static void invoked(void *arg)
{
	bench_count();
}

struct invoke {
	struct wpool *pool;
	struct bench_meter meter;
};

static int produce_invokes(struct bench_producer *p)
{
	struct invoke *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = wpool_invoke(b->pool, NULL);
	return err;
}

int bench_invoke(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 100000), i;
	struct wpool_attrs attrs;
	struct invoke b;
	int err = 0;

	bench_pool_attrs(&attrs, run, NULL);
	attrs.name = "bench_invoke";
	attrs.queue_depth = bench_num(run, "depth", n);
	b.pool = wpool_create_func(&attrs, invoked, THIS_MODULE);
	if (IS_ERR(b.pool))
		return PTR_ERR(b.pool);

	bench_count_reset();
	for (i = 0; i < DIV_ROUND_UP(n, 10) && !err; i++)
		err = wpool_invoke(b.pool, NULL);
	if (!err)
		err = bench_count_wait(i);
	if (err)
		goto out_destroy;
	wpool_flush(b.pool);

	err = bench_produce_counted(run, 1, n, produce_invokes, &b, &b.meter);
	if (err)
		goto out_destroy;
	bench_meter_stop(&b.meter, run);
out_destroy:
	wpool_destroy(b.pool);
	return err;
}
