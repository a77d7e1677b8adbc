/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the benchmark module share: one measurement and its
 * parameters, the clocks, the counting of finished tasks.
 *
 * A measurement is asked for in one line, "CASE key=value ...", and answers with
 * one line of JSON: the parameters as they were given, then the figures.
 *
 * A case is a struct bench_case, which is data and a few functions. What all cases do is done in
 * main.c: parameters, memory, the pool and its items, the figures of the pool, and their end.
 */
#ifndef WPOOL_BENCH_H
#define WPOOL_BENCH_H

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/types.h>

#include "peers.h"
#include "run.h"

/* ---- main.c: a case ---- */

struct bench_meter {
	u64 start_ns;
	u64 idle_us;
};

/* What each case has. One with more has a struct of its own that begins with this one. */
struct bench {
	struct bench_run *run;
	const struct bench_fn *fn;
	struct bench_pool pool;
	struct bench_item *items;	/* their data is this struct */
	struct bench_meter meter;
	u64 n;				/* tasks, or operations; parameter n */
	u64 nr_items;			/* n, unless prepare() says something else */
	u32 producers, batch;		/* parameters */
	bool detached;			/* wpool's tasks are, as with parameter detached */
};

/**
 * struct bench_case - a measurement
 * @name: as it is asked for
 * @size: of its struct, or 0: it has no more than a struct bench
 * @fn: the function of the items of its pool; NULL: it makes pools itself, if any
 * @n: by default
 * @prepare: take the parameters, allocate memory, and change defaults, before the pool is made; may
 *	be NULL. An error means that a parameter is wrong
 * @ready: the same when the pool and the items exist, before the first submit; may be NULL
 * @measure: measure, and put figures. After an error tasks may be missing, so nothing is freed
 */
struct bench_case {
	const char *name;
	size_t size;
	const struct bench_fn *fn;
	u64 n;
	int (*prepare)(struct bench *b);
	int (*ready)(struct bench *b);
	int (*measure)(struct bench *b);
};

/* See run.h. */
static inline void *bench_zalloc(struct bench *b, u64 nr, size_t size)
{
	return bench_run_zalloc(b->run, nr, size);
}

static inline u32 *bench_series(struct bench *b, const char *name, u64 nr)
{
	return bench_run_series(b->run, name, nr);
}

static inline u32 bench_u32(u64 ns)
{
	return min_t(u64, ns, U32_MAX);
}

/* One, from any process context. */
static inline int bench_submit(struct bench *b, struct bench_item *item)
{
	return b->pool.peer->submit(&b->pool, item);
}

static inline void bench_flush(struct bench *b)
{
	b->pool.peer->flush(&b->pool);
}

/* ---- meter.c: clocks and counters ---- */

void bench_meter_start(struct bench *b);
/* Puts "total_ns" and, where the kernel can tell, "cpu_ns": time of all CPUs not idle. */
void bench_meter_stop(struct bench *b);

/* Free memory in bytes, after the kernel's own pending frees. */
u64 bench_free_memory(void);
/* The same at this moment, without waiting for any. */
u64 bench_free_memory_now(void);
/* How much less there is now. */
u64 bench_shrunk_by(u64 before);
/* Context switches of all threads of wpool, and how many threads there are. */
u64 bench_switches(u32 *threads);

/* Finished tasks, one counter per CPU, so that CPUs share nothing. */
DECLARE_PER_CPU_ALIGNED(u64, bench_finished);

static inline void bench_count(void)
{
	this_cpu_inc(bench_finished);
}

void bench_count_reset(void);
u64 bench_count_sum(void);
/* Wait until @nr tasks have counted. -ETIMEDOUT if the number does not change for a minute. */
int bench_count_wait(u64 nr);

void bench_sleep_us(u64 us);
/* Compute until @ns have passed; returns when that was. */
u64 bench_compute_for(u64 ns);

/* For sort(). */
int bench_compare_u32(const void *a, const void *b);
int bench_compare_u64(const void *a, const void *b);

/* Puts the median and so on of @nr values as "<prefix>_p50" ...; sorts them. */
void bench_put_percentiles(struct bench_run *run, const char *prefix, u32 *values, u32 nr);

struct bench_wait {
	u64 submit_ns, start_ns;
};

/*
 * Puts "wait_*" in us, of tasks in the order of their submits, and "fifo_*": the waits if the same
 * start times were given to the tasks first in, first out.
 */
int bench_put_waits(struct bench *b, struct bench_wait *waits, u32 nr);

/* ---- c2c.c ---- */

/* A round trip of a cache line between the first two CPUs; 0 if there are none. */
u32 bench_c2c_ns(void);

/* ---- producers.c ---- */

/*
 * Producers: threads that submit, started together, each on a CPU of its own.
 *
 * Before the start all producers are asleep. The cost of a producer is the run time of its thread
 * between that sleep and its end, as the scheduler counts it, and the time from its first submit to
 * its last.
 */
struct bench_producer {
	/* what it does; an error stops the measurement */
	int (*fn)(struct bench_producer *producer);
	void *data;		/* the struct of the case */
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

typedef int (*bench_producer_fn)(struct bench_producer *producer);

/*
 * Run b->producers, which share @nr operations, to their end; the meter starts when all are ready.
 * With the parameter pin=0 the scheduler places them, else producer i stays on CPU i. If it is
 * @measured, and no warm-up, puts "submit_ns" and "submit_cpu_ns", sums over all producers.
 */
int bench_produce(struct bench *b, bool measured, u64 nr, bench_producer_fn fn);
/* The same, and wait until @nr tasks have counted themselves with bench_count(). */
int bench_produce_counted(struct bench *b, bool measured, u64 nr, bench_producer_fn fn);
/* Run @warm tasks, so that workers exist, and a flush; then the n tasks, with the meter. */
int bench_measure(struct bench *b, u64 warm, bench_producer_fn fn);
/* The same with a tenth of the items, and then all: each submitted once, in turn. */
int bench_measure_items(struct bench *b);
/* What a producer does there: its share in one go, or in batches with parameter batch. */
int bench_produce_items(struct bench_producer *producer);

/* ---- compute.c ---- */

/* Compute for that many turns; how many of them take @ns, and a millisecond. */
void bench_spend(u64 turns);
u64 bench_turns(u64 ns, u64 per_ms);
u64 bench_turns_per_ms(void);
/* Long ones among short ones, in no order that any CPU could profit from. */
u64 bench_length_ns(u64 i);

/* ---- the measurements, one concept a file ---- */

extern const struct bench_case
	bench_noop, bench_latency, bench_wakeup, bench_busy, bench_tree, bench_sleep, bench_each,
	bench_mix, bench_recycle, bench_pools, bench_destroy, bench_multi, bench_memory,
	bench_quiet, bench_burst, bench_client, bench_cycle, bench_call, bench_alloc,
	bench_submit_fn, bench_invoke, bench_compute, bench_timer, bench_full, bench_order,
	bench_pair, bench_crowd, bench_beside, bench_paths, bench_event_wheel, bench_event_armed,
	bench_event_fire, bench_pipeline;

#endif /* WPOOL_BENCH_H */
