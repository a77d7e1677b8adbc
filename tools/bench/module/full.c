// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that is always full: how long does a task wait in it?
 *
 *	full peer=NAME n=N [capacity=W] [depth=D] [us=US] [compute=1]
 *
 * One producer submits N tasks of us microseconds, asleep or with compute=1 busy,
 * to W workers; W + D of them are accepted and not yet done, more wait at the
 * gate: with wpool that is its own bound, around a workqueue it is a semaphore.
 * "wait_*" is the time from before the submit until the task starts, in us.
 *
 * "fifo_*" is what those would be if the same tasks had started at the same times,
 * but first in, first out: the i-th submit gets the i-th start. Only the order
 * makes the difference.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/semaphore.h>
#include <linux/sort.h>

#include "peers.h"
#include "producers.h"

struct waiter {
	struct bench_item item;
	u64 submitted_ns, started_ns;
};

struct full {
	struct bench_pool pool;
	struct waiter *waiters;
	struct bench_meter meter;
	struct semaphore gate;
	bool gated;
	bool compute;
	u64 us;
};

static void serve(struct bench_item *item)
{
	struct waiter *waiter = container_of(item, struct waiter, item);
	struct full *b = item->data;

	waiter->started_ns = ktime_get_ns();
	if (b->compute) {
		while (ktime_get_ns() - waiter->started_ns < b->us * NSEC_PER_USEC)
			cpu_relax();
	} else {
		bench_sleep_us(b->us);
	}
	if (b->gated)
		up(&b->gate);
	bench_count();
}

BENCH_FN(serve);

static int produce(struct bench_producer *p)
{
	struct full *b = p->data;
	struct waiter *waiter;
	int err;
	u64 i;

	for (i = 0; i < p->nr; i++) {
		waiter = &b->waiters[i];
		waiter->submitted_ns = ktime_get_ns();
		if (b->gated)
			down(&b->gate);
		err = b->pool.peer->submit(&b->pool, &waiter->item);
		if (err)
			return err;
	}
	return 0;
}

static int put_waits(struct full *b, struct bench_run *run, u64 n)
{
	u32 *waits_us = kvcalloc(n, sizeof(*waits_us), GFP_KERNEL);
	u64 *starts_ns = kvcalloc(n, sizeof(*starts_ns), GFP_KERNEL);
	int err = -ENOMEM;
	u64 i;

	if (!waits_us || !starts_ns)
		goto out;
	for (i = 0; i < n; i++) {
		waits_us[i] = bench_wait_us(b->waiters[i].submitted_ns, b->waiters[i].started_ns);
		starts_ns[i] = b->waiters[i].started_ns;
	}
	bench_put_percentiles(run, "wait", waits_us, n);
	/* one producer: the submits are in order */
	sort(starts_ns, n, sizeof(*starts_ns), bench_compare_u64, NULL);
	for (i = 0; i < n; i++)
		waits_us[i] = bench_wait_us(b->waiters[i].submitted_ns, starts_ns[i]);
	bench_put_percentiles(run, "fifo", waits_us, n);
	err = 0;
out:
	kvfree(starts_ns);
	kvfree(waits_us);
	return err;
}

static int fill(struct full *b, struct bench_run *run, u64 n)
{
	return bench_produce_counted(run, 1, n, produce, b, &b->meter);
}

int bench_full(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 5000), workers = bench_num(run, "capacity", 4), i;
	struct full b = {
		.us = bench_num(run, "us", 500),
		.compute = bench_num(run, "compute", 0),
	};
	int err;

	if (!n || !workers)
		return -EINVAL;
	b.waiters = kvcalloc(n, sizeof(*b.waiters), GFP_KERNEL);
	if (!b.waiters)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &serve_fn);
	if (err)
		goto out_free;
	b.gated = strcmp(b.pool.peer->name, "wpool");
	sema_init(&b.gate, workers + bench_num(run, "depth", 1000));
	for (i = 0; i < n; i++) {
		b.pool.peer->init(&b.pool, &b.waiters[i].item);
		b.waiters[i].item.pool = &b.pool;
		b.waiters[i].item.data = &b;
	}
	/* unmeasured, so that there are workers */
	err = fill(&b, NULL, min(n, workers * 4));
	if (err)
		return bench_lost(err);
	b.pool.peer->flush(&b.pool);
	err = fill(&b, run, n);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	b.pool.peer->flush(&b.pool);
	err = put_waits(&b, run, n);
	bench_pool_put_stats(&b.pool, run);
	bench_pool_destroy(&b.pool);
out_free:
	kvfree(b.waiters);
	return err;
}
