// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that is always full: how long does a task wait in it?
 *
 *	full peer=NAME n=N [capacity=W] [depth=D] [us=US] [compute=1]
 *
 * One producer submits N tasks to W workers. A task sleeps for US microseconds, or with compute=1
 * computes. W + D tasks are accepted and unfinished. For another task the producer waits for room:
 * in wpool_submit(), or for a workqueue at a semaphore. "wait_*" is the time from before the submit
 * until the task starts, in us.
 *
 * "fifo_*" are the waits if the i-th submit got the i-th start: first in, first out. "wait_*" and
 * "fifo_*" differ only by the order.
 */
#include <linux/semaphore.h>

#include "bench.h"

struct full {
	struct bench b;
	struct bench_wait *waits;	/* one for each item */
	struct semaphore gate;
	bool gated;
	bool compute;
	u64 us;
};

static void serve(struct bench_item *item)
{
	struct full *f = item->data;

	f->waits[item - f->b.items].start_ns = ktime_get_ns();
	if (f->compute)
		bench_compute_for(f->us * NSEC_PER_USEC);
	else
		bench_sleep_us(f->us);
	if (f->gated)
		up(&f->gate);
	bench_count();
}

BENCH_FN(serve);

static int produce(struct bench_producer *p)
{
	struct full *f = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++) {
		f->waits[i].submit_ns = ktime_get_ns();
		if (f->gated)
			down(&f->gate);
		err = bench_submit(&f->b, &f->b.items[i]);
	}
	return err;
}

static int prepare(struct bench *b)
{
	struct full *f = container_of(b, struct full, b);

	b->producers = 1;
	f->us = bench_num(b->run, "us", 500);
	f->compute = bench_num(b->run, "compute", 0);
	f->waits = bench_zalloc(b, b->n, sizeof(*f->waits));
	f->gated = strcmp(bench_text(b->run, "peer", "wpool"), "wpool");
	return 0;
}

static int measure(struct bench *b)
{
	struct full *f = container_of(b, struct full, b);
	u64 workers = bench_num(b->run, "capacity", 4);
	int err;

	sema_init(&f->gate, workers + bench_num(b->run, "depth", 1000));
	/* the first tasks make the workers, and are not measured */
	err = bench_measure(b, min(b->n, workers * 4), produce);
	if (err)
		return err;
	/* with one producer the submits are in order */
	return bench_put_waits(b, f->waits, b->n);
}

const struct bench_case bench_full = {
	.name = "full",
	.size = sizeof(struct full),
	.fn = &serve_fn,
	.n = 5000,
	.prepare = prepare,
	.measure = measure,
};
