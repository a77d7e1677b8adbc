// SPDX-License-Identifier: GPL-2.0
/*
 * A burst of tasks that do nothing, for a pool that sleeps.
 *
 *	burst peer=NAME size=TASKS n=N [pause=US]
 *
 * The producer, on CPU 0, sleeps until the workers have parked, submits all tasks
 * of a burst one by one, and sleeps again; N times. "burst_*" is the time from
 * before the first submit until the last task has run, "enqueue_*" that of the
 * submits, in ns. A task takes a time stamp, which costs the same with all peers.
 *
 * The task that was submitted last wakes the producer. Were the producer to sleep for
 * a time instead, it would have to set a timer first, which can take longer than the
 * burst: workers of its own CPU would wait for that, those of another CPU would not.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

/* When a task ended last on this CPU. */
static DEFINE_PER_CPU_ALIGNED(u64, last_ns);

struct burst {
	struct bench_pool pool;
	struct bench_item *items;
	u64 size, pause_us;
	u32 *burst_ns, *enqueue_ns;
	u64 submitted;
	struct completion last;
};

static void stamp(struct bench_item *item)
{
	/* of the last one only */
	struct completion *last = item->data;

	this_cpu_write(last_ns, ktime_get_ns());
	bench_count();
	if (last)
		complete(last);
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

static int burst_once(struct burst *b, u64 i)
{
	u64 before, after;
	int err;

	bench_sleep_us(b->pause_us);
	before = ktime_get_ns();
	if (b->pool.peer->submit_all(&b->pool, b->items, b->size) != b->size)
		return -EIO;
	after = ktime_get_ns();
	b->submitted += b->size;
	wait_for_completion(&b->last);
	/* others may run at the same time, or after it */
	err = bench_count_wait(b->submitted);
	if (err)
		return err;
	/* the functions have returned: their time stamps are there */
	b->pool.peer->flush(&b->pool);
	b->enqueue_ns[i] = min_t(u64, after - before, U32_MAX);
	b->burst_ns[i] = min_t(u64, last_of_all_ns() - before, U32_MAX);
	return 0;
}

static int produce_bursts(struct bench_producer *p)
{
	struct burst *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = burst_once(b, i);
	return err;
}

int bench_burst(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 200);
	struct burst b = {
		.size = bench_num(run, "size", 16),
		.pause_us = bench_num(run, "pause", 1000),
	};
	int err = -ENOMEM;

	if (!n || !b.size)
		return -EINVAL;
	b.items = bench_items_alloc(b.size);
	b.burst_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	b.enqueue_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	if (!b.items || !b.burst_ns || !b.enqueue_ns)
		goto out_free;
	err = bench_pool_create(&b.pool, run, &stamp_fn);
	if (err)
		goto out_free;
	bench_items_init(&b.pool, b.items, b.size);
	init_completion(&b.last);
	b.items[b.size - 1].data = &b.last;
	bench_count_reset();
	/* unmeasured, so that there are workers */
	err = bench_produce(NULL, 1, 1, produce_bursts, &b, NULL);
	if (!err)
		err = bench_produce(run, 1, n, produce_bursts, &b, NULL);
	if (err)
		return bench_lost(err);
	bench_put_percentiles(run, "burst", b.burst_ns, n);
	bench_put_percentiles(run, "enqueue", b.enqueue_ns, n);
	bench_pool_put_stats(&b.pool, run);
	bench_pool_destroy(&b.pool);
out_free:
	kvfree(b.enqueue_ns);
	kvfree(b.burst_ns);
	kvfree(b.items);
	return err;
}
