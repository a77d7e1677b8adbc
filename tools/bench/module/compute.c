// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that compute, all of the same length or of three lengths.
 *
 *	compute peer=NAME n=N ns=NS [producers=P]
 *	compute peer=NAME n=N lengths=3
 *
 * One producer, or P, submit all tasks. "work_ns" is the sum of the lengths of the tasks,
 * "ideal_ns" is that sum divided by the CPUs: no pool can be faster. A task executes a number of
 * turns that is calibrated before, and reads no clock, so it has the same work to do if it loses
 * its CPU for a while. With lengths=3, 90 % of the tasks take 0.5 us, 9 % take 10 us and 1 % take
 * 100 us.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>

#include "bench.h"

noinline void bench_spend(u64 turns)
{
	u64 x = turns;

	while (turns--) {
		x = x * 3 + 1;
		/* the compiler must keep each turn and their order */
		asm volatile("" : "+r" (x));
	}
}

#define CALIBRATION_TURNS	50000
#define CALIBRATION_TRIES	20

/* Returns the result of the fastest of some tries. */
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

u64 bench_turns(u64 ns, u64 per_ms)
{
	return div_u64(ns * per_ms, NSEC_PER_MSEC);
}

u64 bench_length_ns(u64 i)
{
	u64 part = i * 37 % 100;

	return part == 0 ? 100000 : part < 10 ? 10000 : 500;
}

static void work_hard(struct bench_item *item)
{
	bench_spend(item->turns);
	bench_count();
}

BENCH_FN(work_hard);

static int measure(struct bench *b)
{
	u64 per_ms = bench_turns_per_ms(), ns = bench_num(b->run, "ns", 1000);
	u64 work_ns = 0, one_ns, i;
	bool mixed = bench_num(b->run, "lengths", 1) == 3;
	int err;

	for (i = 0; i < b->n; i++) {
		one_ns = mixed ? bench_length_ns(i) : ns;
		b->items[i].turns = bench_turns(one_ns, per_ms);
		work_ns += one_ns;
	}
	err = bench_measure_items(b);
	bench_put(b->run, "work_ns", work_ns);
	bench_put(b->run, "ideal_ns", div_u64(work_ns, num_online_cpus()));
	return err;
}

const struct bench_case bench_compute = {
	.name = "compute",
	.fn = &work_hard_fn,
	.measure = measure,
};
