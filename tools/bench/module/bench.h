/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the benchmark module share.
 *
 * A line "CASE key=value ..." requests a measurement. The answer is one line of JSON: the
 * parameters as given, then the figures.
 *
 * A case is a struct bench_case: data and a few functions. main.c handles the parameters, the
 * memory, the pool and its items, and the pool's figures for all cases.
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
	u64 busy_ns;
	u64 ended_ns;			/* run time of producers that have ended */
};

/* The data of a measurement. If a case has more data, its struct begins with this struct. */
struct bench {
	struct bench_run *run;
	const struct bench_fn *fn;
	struct bench_pool pool;
	struct bench_item *items;	/* item->data is this struct */
	struct bench_meter meter;
	u64 n;				/* tasks, or operations; parameter n */
	u64 nr_items;			/* n, unless prepare() says something else */
	u32 producers, batch;		/* parameters */
	u32 first_cpu, cpu_step;	/* CPUs of the producers: parameters first and step */
	bool detached;			/* wpool's tasks are detached, also without the parameter */
};

/**
 * struct bench_case - a measurement
 * @name: the word CASE in a request
 * @size: size of its struct, or 0 for a struct bench
 * @fn: the function of the items of its pool; NULL: the case makes pools itself, if any
 * @n: default of parameter n
 * @prepare: reads parameters, allocates memory and changes defaults, before the pool is made; may
 *	be NULL. An error means that a parameter is wrong, or that memory or a pool is missing
 * @ready: called when the pool and the items exist, before the first submit; may be NULL
 * @measure: measures, and puts figures. After an error tasks may be missing, so nothing is freed
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

/* Submit one item, in any process context. */
static inline int bench_submit(struct bench *b, struct bench_item *item)
{
	return b->pool.peer->submit(&b->pool, item);
}

static inline void bench_flush(struct bench *b)
{
	b->pool.peer->flush(&b->pool);
}

/* ---- meter.c: clocks and counters ---- */

/* The run time of a thread that sleeps, or is about to; waits until it is off its CPU. */
u64 bench_run_time_ns(struct task_struct *thread);

void bench_meter_start(struct bench *b);
/* Puts "total_ns" and, if it is known, "cpu_ns": the CPU time, see meter.c. */
void bench_meter_stop(struct bench *b);

/* Returns the free memory in bytes, after an rcu_barrier(). */
u64 bench_free_memory(void);
/* Returns the free memory in bytes without rcu_barrier(), so pending frees are missing. */
u64 bench_free_memory_now(void);
/* Returns by how many bytes bench_free_memory() is below @before, at least 0. */
u64 bench_shrunk_by(u64 before);
/* Returns the context switches of all threads of wpool; *@threads is their number. */
u64 bench_switches(u32 *threads);

/* Finished tasks: one counter per CPU, so that CPUs share no cache line. */
DECLARE_PER_CPU_ALIGNED(u64, bench_finished);

static inline void bench_count(void)
{
	this_cpu_inc(bench_finished);
}

void bench_count_reset(void);
u64 bench_count_sum(void);
/* Wait for @nr calls of bench_count(). -ETIMEDOUT: none for a minute; -EOVERFLOW: more than @nr. */
int bench_count_wait(u64 nr);

void bench_sleep_us(u64 us);
/* Compute until @ns have passed; returns the time of the end. */
u64 bench_compute_for(u64 ns);

int bench_compare_u32(const void *a, const void *b);
int bench_compare_u64(const void *a, const void *b);

/* Puts percentiles of @nr values as "<prefix>_p50" and so on; sorts the values. */
void bench_put_percentiles(struct bench_run *run, const char *prefix, u32 *values, u32 nr);

struct bench_wait {
	u64 submit_ns, start_ns;
};

u32 bench_wait_us(u64 from_ns, u64 to_ns);

/*
 * Puts "wait_*", the waits in us, and "fifo_*", the waits if the tasks had the same start times in
 * the order of their submits. @waits is in that order.
 */
int bench_put_waits(struct bench *b, struct bench_wait *waits, u32 nr);

/* ---- c2c.c ---- */

/* The round trip of a cache line between the first two CPUs; 0 with one CPU. */
u32 bench_c2c_ns(void);

/* ---- producers.c ---- */

/*
 * Producers: threads that submit, started together.
 *
 * Before the start all producers sleep. Two times of a producer are measured: the CPU time of its
 * thread, and the time that @fn takes.
 */
struct bench_producer {
	/* the producer's function; an error stops the measurement */
	int (*fn)(struct bench_producer *producer);
	void *data;		/* the struct of the case */
	u32 index;
	u64 first, nr;		/* the producer's share of the items */

	/* results */
	u64 start_ns, end_ns;
	int err;

	/* private */
	struct task_struct *thread;
	struct bench_producers *group;
	u64 run_before_ns;
};

typedef int (*bench_producer_fn)(struct bench_producer *producer);

/*
 * Run b->producers producers, which share @nr operations, to their end. The meter starts when all
 * producers are ready. @measured: put the sums of their times, "submit_ns" and "submit_cpu_ns". If
 * @measured and the parameter pin is 0, the scheduler places the producers. Else producer i stays
 * on CPU first_cpu + i * cpu_step, modulo the number of CPUs.
 */
int bench_produce(struct bench *b, bool measured, u64 nr, bench_producer_fn fn);
/* bench_produce(), then bench_count_wait(@nr). */
int bench_produce_counted(struct bench *b, bool measured, u64 nr, bench_producer_fn fn);
/* Run @warm tasks, so that workers exist, and flush; then run b->n tasks with the meter. */
int bench_measure(struct bench *b, u64 warm, bench_producer_fn fn);
/* bench_measure() with bench_produce_items(): a tenth of the items warms up. */
int bench_measure_items(struct bench *b);
/* A producer's function: submits its share one by one, or in batches if b->batch is set. */
int bench_produce_items(struct bench_producer *producer);

/* ---- crowd.c ---- */

/* Make a thread that keeps @cpu busy until kthread_stop(). The caller wakes it. */
struct task_struct *bench_busy_create(int cpu);

/* ---- compute.c ---- */

/* Compute for @turns turns. bench_turns() returns how many take @ns; @per_ms take a millisecond. */
void bench_spend(u64 turns);
u64 bench_turns(u64 ns, u64 per_ms);
u64 bench_turns_per_ms(void);
/* The length of task @i with lengths=3. The order of long and short tasks favours no CPU. */
u64 bench_length_ns(u64 i);

/* ---- the measurements, one concept a file ---- */

extern const struct bench_case
	bench_noop, bench_latency, bench_wakeup, bench_tree, bench_sleep, bench_each,
	bench_mix, bench_recycle, bench_pools, bench_destroy, bench_multi, bench_memory,
	bench_quiet, bench_burst, bench_client, bench_cycle, bench_call, bench_alloc,
	bench_submit_fn, bench_invoke, bench_compute, bench_timer, bench_arrivals, bench_full,
	bench_order, bench_pair, bench_crowd, bench_beside, bench_paths, bench_event_wheel,
	bench_event_armed, bench_event_fire, bench_pipeline, bench_off;

#endif /* WPOOL_BENCH_H */
