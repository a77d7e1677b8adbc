// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of two kinds: of ten, nine do nothing and one sleeps.
 *
 *	mix peer=NAME n=N us=US [producers=P] [handoff=0|1] [capacity=C]
 *
 * What counts is how long the ones that do nothing are held up by the others:
 * "noop_ns" is from the first submit until the last of them has run, "total_ns"
 * until all tasks have.
 */
#include "bench.h"

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

#define ONE_IN	10

struct mix {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	u64 us;
	u32 producers;
	atomic_t sleepers;
	struct completion slept;
};

static void nap_or_not(struct bench_item *item)
{
	struct mix *b = item->data;

	if (!b) {
		bench_count();
		return;
	}
	bench_sleep_us(b->us);
	if (atomic_dec_and_test(&b->sleepers))
		complete(&b->slept);
}

BENCH_FN(nap_or_not);

static int produce(struct bench_producer *p)
{
	struct mix *b = p->data;
	u64 done;

	done = b->pool.peer->submit_all(&b->pool, b->items + p->first, p->nr);
	return done == p->nr ? 0 : -EIO;
}

static int mix_once(struct bench_run *run, struct mix *b, u64 n)
{
	u64 i, sleepers = 0;
	int err;

	bench_items_init(&b->pool, b->items, n);
	for (i = 0; i < n; i++) {
		b->items[i].data = i % ONE_IN ? NULL : b;
		sleepers += !(i % ONE_IN);
	}
	atomic_set(&b->sleepers, sleepers);
	reinit_completion(&b->slept);
	bench_count_reset();
	err = bench_produce(run, b->producers, n, produce, b, &b->meter);
	if (!err)
		err = bench_count_wait(n - sleepers);
	if (err)
		return err;
	if (run)
		bench_put(run, "noop_ns", ktime_get_ns() - b->meter.start_ns);
	if (!wait_for_completion_timeout(&b->slept, 60 * HZ))
		return -ETIMEDOUT;
	return 0;
}

int bench_mix(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000);
	struct mix b = {
		.us = bench_num(run, "us", 1000),
		.producers = bench_num(run, "producers", 1),
	};
	int err;

	if (n < ONE_IN || !b.producers)
		return -EINVAL;
	init_completion(&b.slept);
	b.items = bench_items_alloc(n);
	if (!b.items)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &nap_or_not_fn);
	if (err)
		goto out_free;
	/* all of it, unmeasured: every peer has made the workers it wants */
	err = mix_once(NULL, &b, n);
	if (err)
		return bench_lost(err);
	b.pool.peer->flush(&b.pool);

	err = mix_once(run, &b, n);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	return err;
}
