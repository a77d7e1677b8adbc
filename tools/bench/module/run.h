/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run: the line that requests a measurement, the line of JSON with its figures, and memory that
 * is freed at its end.
 */
#ifndef WPOOL_BENCH_RUN_H
#define WPOOL_BENCH_RUN_H

#include <linux/types.h>

#define BENCH_LINE_LEN	512
#define BENCH_JSON_LEN	4096

/* Times of n operations. At the end their percentiles are put as "<name>_p50" and so on. */
struct bench_series {
	const char *name;
	u32 *values;
};

struct bench_run {
	char line[BENCH_LINE_LEN];	/* the request, cut into words */
	const char *words[32];
	int nr_words;
	char *json;
	int len;
	/* freed at the end of the measurement */
	void *memory[12];
	int nr_memory;
	bool no_memory;
	struct bench_series series[2];
	int nr_series;
};

int bench_run_parse(struct bench_run *run, const char *line);
void bench_run_end(struct bench_run *run);

/* The value of @key, or @def. */
u64 bench_num(const struct bench_run *run, const char *key, u64 def);
const char *bench_text(const struct bench_run *run, const char *key,
		       const char *def);
bool bench_is(const struct bench_run *run, const char *key, const char *value);
void bench_put(struct bench_run *run, const char *key, u64 value);

/*
 * Returns zeroed memory that bench_run_free() frees. If an allocation fails, returns NULL and sets
 * run->no_memory: then main.c does not call measure(), so a case's prepare() may ignore NULL.
 */
void *bench_run_zalloc(struct bench_run *run, u64 nr, size_t size);
/* Returns room for @nr times, which become a struct bench_series of the run; see above for NULL. */
u32 *bench_run_series(struct bench_run *run, const char *name, u64 nr);
void bench_run_free(struct bench_run *run);

#endif /* WPOOL_BENCH_RUN_H */
