/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the benchmark module share: one measurement and its
 * parameters, the clocks, the counting of finished tasks.
 *
 * A measurement is asked for in one line, "CASE key=value ...", and answers with
 * one line of JSON: the parameters as they were given, then the figures.
 */
#ifndef WPOOL_BENCH_H
#define WPOOL_BENCH_H

#include <linux/percpu.h>
#include <linux/types.h>

/* ---- params.c: what was asked for, and what came out ---- */

#define BENCH_LINE_LEN	512
#define BENCH_JSON_LEN	4096

struct bench_run {
	char line[BENCH_LINE_LEN];	/* the request, cut into words */
	const char *words[32];
	int nr_words;
	char *json;
	int len;
};

int bench_run_parse(struct bench_run *run, const char *line);
void bench_run_end(struct bench_run *run);

/* The value of @key, or @def. */
u64 bench_num(const struct bench_run *run, const char *key, u64 def);
const char *bench_text(const struct bench_run *run, const char *key,
		       const char *def);
/* One more figure. */
void bench_put(struct bench_run *run, const char *key, u64 value);

/* ---- meter.c: clocks and counters ---- */

struct bench_meter {
	u64 start_ns;
	u64 idle_us;
};

void bench_meter_start(struct bench_meter *meter);
/* Puts "total_ns" and, where the kernel can tell, "cpu_ns": time of all CPUs not idle. */
void bench_meter_stop(struct bench_meter *meter, struct bench_run *run);

/* Free memory in bytes, after the kernel's own pending frees. */
u64 bench_free_memory(void);
/* The same at this moment, without waiting for any. */
u64 bench_free_memory_now(void);
/* Context switches of all threads of wpool, and how many threads there are. */
u64 bench_switches(u32 *threads);

/* Finished tasks, a counter per CPU: nothing that CPUs share. */
DECLARE_PER_CPU_ALIGNED(u64, bench_finished);

static inline void bench_count(void)
{
	this_cpu_inc(bench_finished);
}

void bench_count_reset(void);
u64 bench_count_sum(void);
/* Wait until @nr tasks have counted. -ETIMEDOUT if they stand still for a minute. */
int bench_count_wait(u64 nr);

/* Tasks did not come back: what they may still touch stays. Returns @err. */
int bench_lost(int err);

void bench_sleep_us(u64 us);

/* For sort(). */
int bench_compare_u32(const void *a, const void *b);
int bench_compare_u64(const void *a, const void *b);
/* In us, at most 32 bits. */
u32 bench_wait_us(u64 from_ns, u64 to_ns);

/* Puts the median and so on of @nr values as "<prefix>_p50" ...; sorts them. */
void bench_put_percentiles(struct bench_run *run, const char *prefix,
			   u32 *values, u32 nr);

/* ---- c2c.c ---- */

/* A round trip of a cache line between the first two CPUs; 0 if there are none. */
u32 bench_c2c_ns(void);

/* ---- compute.c ---- */

/* Compute for that many turns, and how many of them take a millisecond. */
void bench_spend(u64 turns);
u64 bench_turns_per_ms(void);
/* Long ones among short ones, in no order that any CPU could profit from. */
u64 bench_length_ns(u64 i);

/* ---- the measurements, one concept a file ---- */

struct bench_case {
	const char *name;
	int (*run)(struct bench_run *run);
};

int bench_noop(struct bench_run *run);
int bench_invoke(struct bench_run *run);
int bench_latency(struct bench_run *run);
int bench_busy(struct bench_run *run);
int bench_wakeup(struct bench_run *run);
int bench_tree(struct bench_run *run);
int bench_sleep(struct bench_run *run);
int bench_each(struct bench_run *run);
int bench_mix(struct bench_run *run);
int bench_recycle(struct bench_run *run);
int bench_pools(struct bench_run *run);
int bench_multi(struct bench_run *run);
int bench_memory(struct bench_run *run);
int bench_quiet(struct bench_run *run);
int bench_destroy(struct bench_run *run);
int bench_burst(struct bench_run *run);
int bench_client(struct bench_run *run);
int bench_cycle(struct bench_run *run);
int bench_call(struct bench_run *run);
int bench_alloc(struct bench_run *run);
int bench_submit_fn(struct bench_run *run);
int bench_compute(struct bench_run *run);
int bench_timer(struct bench_run *run);
int bench_full(struct bench_run *run);
int bench_order(struct bench_run *run);
int bench_pipeline(struct bench_run *run);
int bench_pair(struct bench_run *run);
int bench_crowd(struct bench_run *run);
int bench_beside(struct bench_run *run);
int bench_paths(struct bench_run *run);
int bench_event_wheel(struct bench_run *run);
int bench_event_armed(struct bench_run *run);
int bench_event_fire(struct bench_run *run);

#endif /* WPOOL_BENCH_H */
