// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl stat: rates and figures, line by line.
 *
 * It reads sysfs only: this needs no root, and does not keep the module in memory.
 */
#include <time.h>

#include "columns.h"
#include "out.h"

#define LINES_PER_HEADER 20

struct stat_run {
	bool json;
	__u64 interval_ns;	/* 0: no interval given */
	__u64 count;		/* 0 is forever */
	struct pools pools;
	struct columns columns;
	unsigned int lines;
};

static void print_lines(struct stat_run *run)
{
	const struct pool *pool;
	size_t nr;

	/* print the titles again if the columns change */
	if (columns_set_busy(&run->columns, pools_have_latency(&run->pools)))
		run->lines = 0;
	for_each_pool(pool, &run->pools)
		if (pool->valid)
			columns_widen(&run->columns, pool);
	nr = columns_fit(&run->columns, out_width());
	for_each_pool(pool, &run->pools) {
		if (!pool->valid)
			continue;
		if (run->lines++ % LINES_PER_HEADER == 0 &&
		    (run->lines == 1 || isatty(STDOUT_FILENO)))
			columns_print_titles(&run->columns, nr, SIZE_MAX);
		columns_print(&run->columns, nr, pool);
	}
}

/* The object has the name and the two times, whatever columns were chosen. */
static void print_json_line(const struct columns *columns, const struct pool *pool)
{
	struct json_object *line = columns_json(columns, pool);
	struct timespec clock;

	clock_gettime(CLOCK_REALTIME, &clock);
	json_put(line, "time", clock.tv_sec + clock.tv_nsec / 1e9);
	json_put(line, "interval_s", (pool->now.when_ns - pool->last.when_ns) / 1e9);
	json_print_line(line);
}

/* Looks at all pools. Prints each pool that both this look and the previous one found. */
static int look(struct stat_run *run, struct errmsg *e)
{
	int err = pools_look(&run->pools, e);
	const struct pool *pool;

	for_each_pool(pool, &run->pools)
		if (run->json && pool->valid)
			print_json_line(&run->columns, pool);
	if (!run->json)
		print_lines(run);
	if (err)
		return err;
	/* flush, so that a reader of a pipe gets each interval at its end */
	return fflush(stdout) ? CLI_FAILED : CLI_OK;
}

static int look_again_and_again(struct stat_run *run, struct errmsg *e)
{
	int code = look(run, e);
	__u64 i;

	for (i = 0; code == CLI_OK && (!run->count || i < run->count); i++) {
		sleep_ns(run->interval_ns);
		code = look(run, e);
	}
	return code;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct stat_run run = { };

	columns_set_busy(&run.columns, false);
	cli_parse(cmd, argc, argv, &run);
	if (run.json && !run.columns.chosen)
		columns_choose_all(&run.columns, true);
	/* as vmstat: once, unless an interval is given */
	if (!run.count && !run.interval_ns)
		run.count = 1;
	run.interval_ns = run.interval_ns ?: NSEC_PER_SEC;
	run.pools.all = optind == argc;
	for (; optind < argc; optind++)
		pools_add(&run.pools, cli_pool_arg(cmd, argc, argv));
	return look_again_and_again(&run, e);
}

static const struct cli_option options[] = {
	{ "interval", "SECONDS",
	  "length of an interval (1), at least 0.01; ns, us, ms, m, h may be given",
	  CLI_INTERVAL(struct stat_run, interval_ns) },
	{ "count", "N", "number of intervals (1; with --interval until interrupted)",
	  "N may have a unit: 10k.",
	  CLI_COUNT(struct stat_run, count, 1, 1000000000) },
	{ "columns", "NAME,...", "these columns, in this order, however wide; 'all' for all",
	  "A rate is the name of a figure and /s; the times are called wait_p50, wait_p99,\n"
	  "run_p50 and run_p99.",
	  CLI_COLUMNS(struct stat_run, columns, true) },
	{ "json", NULL,
	  "one object a line; rates are called NAME_per_s, times NAME_ns, the other keys are\n"
	  "the names of the sysfs files",
	  CLI_FLAG(struct stat_run, json) },
	{ }
};

const struct command cmd_stat = {
	.name = "stat",
	.args = "[POOL]... [OPTION]...",
	.summary = "show rates of pools, interval by interval",
	.help =
"Prints a line for each pool at the end of every interval: rates over the interval, and\n"
"figures at its end, as many as fit into the line. Without a name it watches all pools, also\n"
"pools that are made later. If a pool's attribute latency is 1, half of its tasks waited no\n"
"longer than wait50 and ran no longer than run50, and 99 of 100 no longer than wait99 and\n"
"run99.",
	.options = options,
	.more_help = columns_print_help,
	.help_of = true,
	.run = run,
};
