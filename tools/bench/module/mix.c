// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of two kinds: nine of ten do nothing, each tenth sleeps.
 *
 *	mix peer=NAME n=N us=US [producers=P] [handoff=0|1] [capacity=C]
 *
 * The case measures how long sleeping tasks delay the no-op tasks: "noop_ns" is the time from the
 * first submit until the last no-op has run, "total_ns" the time until all tasks have run.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>

#include "bench.h"

#define ONE_IN	10

struct mix {
	struct bench b;
	u64 us;
	atomic_t sleepers;
	struct completion slept;
};

static void nap_or_not(struct bench_item *item)
{
	struct mix *m = item->data;

	if (!m) {
		bench_count();
		return;
	}
	bench_sleep_us(m->us);
	if (atomic_dec_and_test(&m->sleepers))
		complete(&m->slept);
}

BENCH_FN(nap_or_not);

static int mix_once(struct mix *m, bool measured)
{
	struct bench *b = &m->b;
	u64 sleepers = DIV_ROUND_UP(b->n, ONE_IN);
	int err;

	atomic_set(&m->sleepers, sleepers);
	reinit_completion(&m->slept);
	bench_count_reset();
	err = bench_produce(b, measured, b->n, bench_produce_items);
	if (!err)
		err = bench_count_wait(b->n - sleepers);
	if (err)
		return err;
	if (measured)
		bench_put(b->run, "noop_ns", ktime_get_ns() - b->meter.start_ns);
	return wait_for_completion_timeout(&m->slept, 60 * HZ) ? 0 : -ETIMEDOUT;
}

static int measure(struct bench *b)
{
	struct mix *m = container_of(b, struct mix, b);
	u64 i;
	int err;

	m->us = bench_num(b->run, "us", 1000);
	init_completion(&m->slept);
	for (i = 0; i < b->n; i++)
		if (i % ONE_IN)
			b->items[i].data = NULL;
	/* the first run makes the workers, and is not measured */
	err = mix_once(m, false);
	if (err)
		return err;
	bench_flush(b);
	err = mix_once(m, true);
	if (!err)
		bench_meter_stop(b);
	return err;
}

const struct bench_case bench_mix = {
	.name = "mix",
	.size = sizeof(struct mix),
	.fn = &nap_or_not_fn,
	.n = 10000,
	.measure = measure,
};
