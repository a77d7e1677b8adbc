/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Producers: threads that submit, started together, each on a CPU of its own.
 *
 * Before the start they are all asleep; what a producer cost is the run time of
 * its thread between that sleep and its end, as the scheduler counted it, and
 * the time on the clock from its first submit to its last.
 */
#ifndef WPOOL_BENCH_PRODUCERS_H
#define WPOOL_BENCH_PRODUCERS_H

#include <linux/types.h>

struct bench_meter;
struct bench_run;

struct bench_producer {
	/* what it does; an error stops the measurement */
	int (*fn)(struct bench_producer *producer);
	void *data;
	u32 index;
	u64 first, nr;		/* its share of the items */

	/* filled in */
	u64 start_ns, end_ns;
	u64 run_ns;
	int err;

	/* private */
	struct task_struct *thread;
	struct bench_producers *group;
	u64 run_before_ns;
};

/*
 * Run @nr producers to their end, which share @items among them. Parameter
 * pin=0: they go where the scheduler likes, else producer i stays on CPU i.
 * Puts "submit_ns" and "submit_cpu_ns", sums over all producers. Without @run,
 * nothing is put: a warm-up. @meter starts when all are ready, unless it is NULL.
 */
int bench_produce(struct bench_run *run, u32 nr, u64 items,
		  int (*fn)(struct bench_producer *producer), void *data,
		  struct bench_meter *meter);

/* The same, and wait until all @items have counted themselves with bench_count(). */
int bench_produce_counted(struct bench_run *run, u32 nr, u64 items,
			  int (*fn)(struct bench_producer *producer), void *data,
			  struct bench_meter *meter);

#endif /* WPOOL_BENCH_PRODUCERS_H */
