// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that compute, all of the same length or of three lengths.
 *
 *	compute peer=NAME n=N ns=NS [producers=P]
 *	compute peer=NAME n=N lengths=3
 *
 * One producer, or P, submit them all. "work_ns" is what the functions take together,
 * "ideal_ns" that divided by the CPUs: no pool can be done sooner. The functions
 * count, by a number of turns that is calibrated before, and do not look at a
 * clock: a task whose CPU is taken away has as much to do as before. With
 * lengths=3, 90 % of the tasks take 0.5 us, 9 % take 10 us and 1 % take 100 us.
 */
#include "bench.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "peers.h"
#include "producers.h"

struct compute {
	struct bench_pool pool;
	struct bench_item *items;
	struct bench_meter meter;
	u32 producers;
};

noinline void bench_spend(u64 turns)
{
	u64 x = turns;

	while (turns--) {
		x = x * 3 + 1;
		/* keep each turn, and one after the other */
		asm volatile("" : "+r" (x));
	}
}

#define CALIBRATION_TURNS	50000
#define CALIBRATION_TRIES	20

/* The fastest of some tries. */
u64 bench_turns_per_ms(void)
{
	u64 best = U64_MAX, before;
	int i;

	for (i = 0; i < CALIBRATION_TRIES; i++) {
		cond_resched();
		before = ktime_get_ns();
		bench_spend(CALIBRATION_TURNS);
		best = min(best, ktime_get_ns() - before);
	}
	return div64_u64((u64)CALIBRATION_TURNS * NSEC_PER_MSEC, max(best, 1ULL));
}

static void work_hard(struct bench_item *item)
{
	bench_spend(item->turns);
	bench_count();
}

BENCH_FN(work_hard);

static int produce(struct bench_producer *p)
{
	struct compute *b = p->data;
	u64 done;

	done = b->pool.peer->submit_all(&b->pool, b->items + p->first, p->nr);
	return done == p->nr ? 0 : -EIO;
}

u64 bench_length_ns(u64 i)
{
	u64 part = i * 37 % 100;

	return part == 0 ? 100000 : part < 10 ? 10000 : 500;
}

static int compute(struct compute *b, struct bench_run *run, u64 n)
{
	return bench_produce_counted(run, b->producers, n, produce, b, &b->meter);
}

int bench_compute(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000), ns = bench_num(run, "ns", 1000);
	u64 per_ms = bench_turns_per_ms(), work_ns = 0, one_ns, i;
	bool mixed = bench_num(run, "lengths", 1) == 3;
	struct compute b = { .producers = bench_num(run, "producers", 1) };
	int err;

	if (!n || !ns)
		return -EINVAL;
	b.items = bench_items_alloc(n);
	if (!b.items)
		return -ENOMEM;
	err = bench_pool_create(&b.pool, run, &work_hard_fn);
	if (err)
		goto out_free;
	bench_items_init(&b.pool, b.items, n);
	for (i = 0; i < n; i++) {
		one_ns = mixed ? bench_length_ns(i) : ns;
		b.items[i].turns = div_u64(one_ns * per_ms, NSEC_PER_MSEC);
		work_ns += one_ns;
	}
	/* unmeasured, so that there are workers */
	err = compute(&b, NULL, DIV_ROUND_UP(n, 10));
	if (err)
		return bench_lost(err);
	b.pool.peer->flush(&b.pool);
	err = compute(&b, run, n);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_put(run, "work_ns", work_ns);
	bench_put(run, "ideal_ns", div_u64(work_ns, num_online_cpus()));
	bench_pool_finish(&b.pool, run);
out_free:
	kvfree(b.items);
	return err;
}
