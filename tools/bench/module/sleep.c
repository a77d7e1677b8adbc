// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that sleep.
 *
 *	sleep peer=NAME n=N us=US capacity=W [warm=1]
 *	each peer=NAME n=N us=US capacity=W [depth=N] [count=1]
 *
 * The best possible time of W workers is n * us / W: "floor_ns". Sleeps are hrtimer sleeps without
 * slack: neither ticks nor timer wheels round them up.
 *
 * sleep: with warm=1 all workers are made before the measurement, by W tasks that wait until all of
 * them have started. "used_bytes" is how much the free memory shrank, by workers but not by items.
 *
 * each: compares a pool with a thread for each task. One thread submits N tasks that sleep, or do
 * nothing if US is 0. Neither workers nor threads exist before. For a thread per task the floor is
 * US. Every 2 ms look() checks how much the free memory has shrunk ("peak_bytes"), and how many
 * submitted tasks have not ended ("peak_max", for a kthread per task the number of threads). The
 * memory of the items, which contain the tasks, is allocated before. If no more threads can be
 * made, the submitter sleeps for a millisecond and tries again; "refused" counts these tries.
 *
 * With count=1, in a kernel with tracepoints, "allocs" counts the slab objects and the pages that
 * the kernel allocates meanwhile, for any purpose, including the pages of slabs.
 */
#include <linux/completion.h>
#include <linux/kthread.h>

#include "bench.h"
#include "switches.h"

struct sleep {
	struct bench b;
	u64 us, workers, free_before;
	/* sleep */
	struct completion gate;
	bool warming;
	/* each */
	u64 submitted, refused;
	/* results of look() */
	u64 free_least, peak;
};

static void doze(struct bench_item *item)
{
	struct sleep *s = item->data;

	if (s->us)
		bench_sleep_us(s->us);
	bench_count();
}

BENCH_FN(doze);

static void doze_or_wait(struct bench_item *item)
{
	struct sleep *s = item->data;

	if (unlikely(s->warming)) {
		bench_count();
		wait_for_completion(&s->gate);
		return;
	}
	doze(item);
}

BENCH_FN(doze_or_wait);

static int prepare(struct bench *b)
{
	struct sleep *s = container_of(b, struct sleep, b);

	s->us = bench_num(b->run, "us", 1000);
	s->workers = bench_num(b->run, "capacity", 100);
	init_completion(&s->gate);
	b->items = bench_zalloc(b, b->n, sizeof(*b->items));
	s->free_before = bench_free_memory();
	return s->workers && b->n >= s->workers ? 0 : -EINVAL;
}

static void put_floor(struct sleep *s)
{
	bench_put(s->b.run, "floor_ns", div64_u64(s->b.n * s->us * NSEC_PER_USEC, s->workers));
}

/* Make all workers: run as many tasks as workers, none of which ends before all have started. */
static int warm_up(struct sleep *s)
{
	struct bench *b = &s->b;
	int err;

	bench_count_reset();
	s->warming = true;
	err = b->pool.peer->submit_all(&b->pool, b->items, s->workers) == s->workers ? 0 : -EIO;
	if (!err)
		err = bench_count_wait(s->workers);
	complete_all(&s->gate);
	if (!err)
		bench_flush(b);
	s->warming = false;
	return err;
}

static int measure_sleep(struct bench *b)
{
	struct sleep *s = container_of(b, struct sleep, b);
	int err = bench_num(b->run, "warm", 0) ? warm_up(s) : 0;

	err = err ?: bench_produce_counted(b, true, b->n, bench_produce_items);
	if (err)
		return err;
	bench_meter_stop(b);
	bench_put(b->run, "used_bytes", bench_shrunk_by(s->free_before));
	put_floor(s);
	return 0;
}

const struct bench_case bench_sleep = {
	.name = "sleep",
	.size = sizeof(struct sleep),
	.fn = &doze_or_wait_fn,
	.n = 10000,
	.prepare = prepare,
	.measure = measure_sleep,
};

/* ---- each ---- */

static int look(void *data)
{
	struct sleep *s = data;
	u64 now, under_way;

	while (!kthread_should_stop()) {
		now = bench_free_memory_now();
		under_way = READ_ONCE(s->submitted) - bench_count_sum();
		s->free_least = min(s->free_least, now);
		/* negative if tasks have ended after the read of s->submitted */
		if ((s64)under_way > 0)
			s->peak = max(s->peak, under_way);
		bench_sleep_us(2 * USEC_PER_MSEC);
	}
	return 0;
}

static bool is_kthread(struct bench *b)
{
	return !strcmp(b->pool.peer->name, "kthread");
}

/* Submit this number of tasks in one call, then update s->submitted for look(). */
#define PIECE	64

static int produce(struct bench_producer *p)
{
	struct sleep *s = p->data;
	struct bench *b = &s->b;
	u64 done = 0, given, piece;

	while (done < p->nr) {
		piece = min_t(u64, PIECE, p->nr - done);
		given = b->pool.peer->submit_all(&b->pool, b->items + p->first + done, piece);
		done += given;
		WRITE_ONCE(s->submitted, done);
		if (given == piece)
			continue;
		if (!is_kthread(b))
			return -EIO;
		s->refused++;
		bench_sleep_us(USEC_PER_MSEC);
	}
	return 0;
}

static DEFINE_PER_CPU(u64, allocations);

/* A probe for several tracepoints: it ignores their arguments. */
static void allocated(void *data)
{
	this_cpu_inc(allocations);
}

static int count_allocations(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(allocations, cpu) = 0;
	return bench_watch("kmalloc", allocated) ?: bench_watch("kmem_cache_alloc", allocated) ?:
	       bench_watch("mm_page_alloc", allocated);
}

static void put_allocations(struct bench_run *run)
{
	u64 sum = 0;
	int cpu;

	bench_unwatch();
	for_each_possible_cpu(cpu)
		sum += per_cpu(allocations, cpu);
	bench_put(run, "allocs", sum);
}

static int measure_each(struct bench *b)
{
	struct sleep *s = container_of(b, struct sleep, b);
	bool counts = bench_num(b->run, "count", 0);
	struct task_struct *looker;
	int err;

	looker = kthread_create(look, s, "bench_look");
	if (IS_ERR(looker))
		return PTR_ERR(looker);
	if (counts)
		WARN_ON(count_allocations());
	s->free_before = bench_free_memory();
	s->free_least = s->free_before;
	wake_up_process(looker);
	err = bench_produce_counted(b, true, b->n, produce);
	if (!err)
		bench_meter_stop(b);
	if (counts)
		put_allocations(b->run);
	kthread_stop(looker);
	if (is_kthread(b))
		s->workers = b->n;
	put_floor(s);
	bench_put(b->run, "peak_bytes", s->free_before - s->free_least);
	bench_put(b->run, "peak_max", s->peak);
	bench_put(b->run, "refused", s->refused);
	return err;
}

const struct bench_case bench_each = {
	.name = "each",
	.size = sizeof(struct sleep),
	.fn = &doze_fn,
	.n = 10000,
	.prepare = prepare,
	.measure = measure_each,
};
