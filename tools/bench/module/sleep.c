// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that sleep.
 *
 *	sleep peer=NAME n=N us=US capacity=W [warm=1] [batch=64]
 *
 * W workers can do it in n * us / W at best: "floor_ns". With warm=1 all of them
 * have been made before, by as many tasks that wait for each other. Sleeps are
 * hrtimer sleeps without slack: neither ticks nor timer wheels round them up.
 * "used_bytes" is what the free memory shrank by, workers included, items not.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/wait.h>

#include "peers.h"
#include "producers.h"

struct sleep {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	wait_queue_head_t gate;
	bool open;
	u64 us;
	u32 batch;
	bool warming;
};

static void doze(struct bench_item *item)
{
	struct sleep *b = item->data;

	if (unlikely(b->warming)) {
		bench_count();
		wait_event_idle(b->gate, READ_ONCE(b->open));
		return;
	}
	bench_sleep_us(b->us);
	bench_count();
}

BENCH_FN(doze);

static int produce(struct bench_producer *p)
{
	struct sleep *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	struct bench_item *items = b->items + p->first;
	u64 done;

	if (b->batch && peer->submit_batch)
		done = peer->submit_batch(&b->pool, items, p->nr, b->batch);
	else
		done = peer->submit_all(&b->pool, items, p->nr);
	return done == p->nr ? 0 : -EIO;
}

static void prepare(struct sleep *b, u64 nr)
{
	u64 i;

	bench_items_init(&b->pool, b->items, nr);
	for (i = 0; i < nr; i++)
		b->items[i].data = b;
	bench_count_reset();
}

/* As many tasks as workers, which all have to be there before one may end. */
static int warm_up(struct sleep *b, u64 workers)
{
	int err;

	prepare(b, workers);
	b->warming = true;
	err = b->pool.peer->submit_all(&b->pool, b->items, workers) == workers ? 0 : -EIO;
	if (!err)
		err = bench_count_wait(workers);
	WRITE_ONCE(b->open, true);
	wake_up_all(&b->gate);
	if (!err)
		b->pool.peer->flush(&b->pool);
	b->warming = false;
	return err;
}

int bench_sleep(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000), workers = bench_num(run, "capacity", 100);
	struct sleep b = {
		.us = bench_num(run, "us", 1000),
		.batch = bench_num(run, "batch", 0),
	};
	u64 before, after;
	int err;

	if (!workers || n < workers)
		return -EINVAL;
	init_waitqueue_head(&b.gate);
	b.items = bench_items_alloc(n);
	if (!b.items)
		return -ENOMEM;
	before = bench_free_memory();
	err = bench_pool_create(&b.pool, run, &doze_fn);
	if (err)
		goto out_free;
	if (bench_num(run, "warm", 0)) {
		err = warm_up(&b, workers);
		if (err)
			return bench_lost(err);
	}

	prepare(&b, n);
	err = bench_produce(run, 1, n, produce, &b, &b.meter);
	if (!err)
		err = bench_count_wait(n);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	after = bench_free_memory();
	bench_put(run, "floor_ns", div64_u64(n * b.us * NSEC_PER_USEC, workers));
	bench_put(run, "used_bytes", before > after ? before - after : 0);
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	return err;
}
