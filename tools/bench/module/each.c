// SPDX-License-Identifier: GPL-2.0
/*
 * A pool, or a thread for each task: what people measure first of a pool.
 *
 *	each peer=NAME n=N us=US capacity=W [depth=N] [count=1]
 *
 * One thread submits N tasks that sleep for US microseconds, or do nothing if that is 0.
 * Nothing is made before: neither workers nor threads. W workers can do it in
 * n * us / W at best, "floor_ns", which for a thread per task is us. Sleeps are hrtimer
 * sleeps without slack.
 *
 * A thread looks every 2 ms how much the free memory has shrunk, "peak_bytes", and how
 * many tasks have been submitted and not ended, "peak_max"; with a kthread per task
 * these are the threads. The items, which hold each peer's task and are the caller's, are
 * there before. Where no more threads can be made the submitter sleeps for a millisecond and
 * tries again: so often, "refused".
 *
 * With count=1, where the kernel has tracepoints, "allocs" is how often the kernel has
 * allocated anything meanwhile, objects of slabs or pages, for whatever purpose; a slab's
 * own pages among them.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "peers.h"
#include "producers.h"

struct each {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	u64 us, submitted, refused;
	/* of the thread that looks */
	u64 free_before, free_least, peak;
};

static void doze(struct bench_item *item)
{
	struct each *b = item->data;

	if (b->us)
		bench_sleep_us(b->us);
	bench_count();
}

BENCH_FN(doze);

static int look(void *data)
{
	struct each *b = data;
	u64 now, under_way;

	while (!kthread_should_stop()) {
		now = bench_free_memory_now();
		under_way = READ_ONCE(b->submitted) - bench_count_sum();
		b->free_least = min(b->free_least, now);
		/* those that have ended are counted later than those that have begun */
		if ((s64)under_way > 0)
			b->peak = max(b->peak, under_way);
		bench_sleep_us(2 * USEC_PER_MSEC);
	}
	return 0;
}

/* In pieces, so that whoever looks sees how far it is. */
#define PIECE	64

static int produce(struct bench_producer *p)
{
	struct each *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	bool threads = !strcmp(peer->name, "kthread");
	u64 done = 0, given, piece;

	while (done < p->nr) {
		piece = min_t(u64, PIECE, p->nr - done);
		given = peer->submit_all(&b->pool, b->items + p->first + done, piece);
		done += given;
		WRITE_ONCE(b->submitted, done);
		if (given == piece)
			continue;
		if (!threads)
			return -EIO;
		b->refused++;
		bench_sleep_us(USEC_PER_MSEC);
	}
	return 0;
}

#ifdef CONFIG_TRACEPOINTS
static DEFINE_PER_CPU(u64, allocations);

/* What any of these tracepoints passes is not looked at. */
static void allocated(void *data)
{
	this_cpu_inc(allocations);
}

static void count_at(struct tracepoint *tp, void *begins)
{
	if (strcmp(tp->name, "kmalloc") && strcmp(tp->name, "kmem_cache_alloc") &&
	    strcmp(tp->name, "mm_page_alloc"))
		return;
	if (begins)
		WARN_ON(tracepoint_probe_register(tp, allocated, NULL));
	else
		tracepoint_probe_unregister(tp, allocated, NULL);
}

static void count_allocations(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(allocations, cpu) = 0;
	for_each_kernel_tracepoint(count_at, count_at);
}

static void put_allocations(struct bench_run *run)
{
	u64 sum = 0;
	int cpu;

	for_each_kernel_tracepoint(count_at, NULL);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		sum += per_cpu(allocations, cpu);
	bench_put(run, "allocs", sum);
}
#else
static void count_allocations(void)
{
}

static void put_allocations(struct bench_run *run)
{
}
#endif

static int measure(struct each *b, struct bench_run *run, u64 n)
{
	bool counts = bench_num(run, "count", 0);
	struct task_struct *looker;
	int err;

	looker = kthread_create(look, b, "bench_look");
	if (IS_ERR(looker))
		return PTR_ERR(looker);
	if (counts)
		count_allocations();
	b->free_before = bench_free_memory();
	b->free_least = b->free_before;
	wake_up_process(looker);
	err = bench_produce(run, 1, n, produce, b, &b->meter);
	if (!err)
		err = bench_count_wait(n);
	if (!err)
		bench_meter_stop(&b->meter, run);
	if (counts)
		put_allocations(run);
	kthread_stop(looker);
	return err ? bench_lost(err) : 0;
}

int bench_each(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000), workers = bench_num(run, "capacity", 100), i;
	struct each b = { .us = bench_num(run, "us", 1000) };
	int err;

	if (!workers || !n)
		return -EINVAL;
	b.items = bench_items_alloc(n);
	if (!b.items)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &doze_fn);
	if (err)
		goto out_free;
	bench_items_init(&b.pool, b.items, n);
	for (i = 0; i < n; i++)
		b.items[i].data = &b;
	bench_count_reset();
	err = measure(&b, run, n);
	if (err)
		return err;
	if (!strcmp(b.pool.peer->name, "kthread"))
		workers = n;
	bench_put(run, "floor_ns", div64_u64(n * b.us * NSEC_PER_USEC, workers));
	bench_put(run, "peak_bytes", b.free_before - b.free_least);
	bench_put(run, "peak_max", b.peak);
	bench_put(run, "refused", b.refused);
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	return err;
}
