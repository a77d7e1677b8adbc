// SPDX-License-Identifier: GPL-2.0
/*
 * A burst of tasks that do nothing, for a pool that sleeps.
 *
 *	burst peer=NAME size=TASKS n=N
 *
 * The producer, on CPU 0, sleeps until the workers have parked, submits all tasks of a burst one by
 * one, and sleeps again; N times. "burst_*" is the time from before the first submit until the last
 * task has run, "enqueue_*" the time of the submits, in ns. A task takes a time stamp, which costs
 * the same for all peers.
 *
 * The task that was submitted last wakes the producer. If the producer slept for a fixed time
 * instead, it would first set a timer, which can take longer than the burst: that would delay the
 * workers of its CPU, but not those of another CPU.
 */
#include <linux/completion.h>

#include "bench.h"

/* When the last task on this CPU ran. */
static DEFINE_PER_CPU_ALIGNED(u64, last_ns);

struct burst {
	struct bench b;
	u64 size;
	u32 *burst_ns, *enqueue_ns;
	u64 submitted;
	struct completion last;
};

static void stamp(struct bench_item *item)
{
	/* only the last task of a burst has data */
	struct burst *u = item->data;

	this_cpu_write(last_ns, ktime_get_ns());
	bench_count();
	if (u)
		complete(&u->last);
}

BENCH_FN(stamp);

static u64 last_of_all_ns(void)
{
	u64 last = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		last = max(last, READ_ONCE(per_cpu(last_ns, cpu)));
	return last;
}

static int burst_once(struct burst *u, u64 i)
{
	struct bench *b = &u->b;
	u64 before, after;
	int err;

	bench_sleep_us(1000);
	before = ktime_get_ns();
	if (b->pool.peer->submit_all(&b->pool, b->items, u->size) != u->size)
		return -EIO;
	after = ktime_get_ns();
	u->submitted += u->size;
	wait_for_completion(&u->last);
	/* tasks submitted before the last one may still run, or not have started */
	err = bench_count_wait(u->submitted);
	if (err)
		return err;
	/* after the flush all functions have returned, so last_ns is final */
	bench_flush(b);
	u->enqueue_ns[i] = bench_u32(after - before);
	u->burst_ns[i] = bench_u32(last_of_all_ns() - before);
	return 0;
}

static int produce_bursts(struct bench_producer *p)
{
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = burst_once(p->data, i);
	return err;
}

static int prepare(struct bench *b)
{
	struct burst *u = container_of(b, struct burst, b);

	u->size = bench_num(b->run, "size", 16);
	u->burst_ns = bench_series(b, "burst", b->n);
	u->enqueue_ns = bench_series(b, "enqueue", b->n);
	init_completion(&u->last);
	b->nr_items = u->size;
	return u->size ? 0 : -EINVAL;
}

static int measure(struct bench *b)
{
	struct burst *u = container_of(b, struct burst, b);
	u64 i;

	for (i = 0; i + 1 < u->size; i++)
		b->items[i].data = NULL;
	bench_count_reset();
	/* the first burst makes the workers, and is not measured */
	return bench_produce(b, false, 1, produce_bursts) ?:
	       bench_produce(b, true, b->n, produce_bursts);
}

const struct bench_case bench_burst = {
	.name = "burst",
	.size = sizeof(struct burst),
	.fn = &stamp_fn,
	.n = 200,
	.prepare = prepare,
	.measure = measure,
};
