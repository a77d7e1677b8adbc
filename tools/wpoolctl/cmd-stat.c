// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl stat: rates and figures, line by line.
 *
 * It reads sysfs only, so that watching a pool neither needs root nor keeps the
 * module in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "columns.h"
#include "out.h"
#include "parse.h"
#include "sysfs.h"

#define MIN_INTERVAL_NS	(10 * NSEC_PER_MSEC)
#define MAX_INTERVAL_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)
#define LINES_PER_HEADER 20

struct watched {
	char *name;
	bool valid;		/* last holds the figures of an interval ago */
	bool shown;		/* and now those of this look */
	struct snapshot last, now;
};

struct stat_run {
	const struct command *cmd;
	bool json;
	bool all;		/* no name was given: watch what there is */
	__u64 interval_ns;
	__u64 count;		/* 0 is forever */
	struct watched *pools;
	size_t nr_pools;
	struct columns columns;
	unsigned int lines;
};

static struct pool_line line_of(const struct watched *pool)
{
	return (struct pool_line){ pool->name, &pool->now, &pool->last };
}

static void print_lines(struct stat_run *run)
{
	struct pool_line line;
	bool times = false;
	size_t i, nr;

	for (i = 0; i < run->nr_pools; i++)
		times |= run->pools[i].shown && run->pools[i].now.latency;
	/* other columns have titles again */
	if (columns_set_busy(&run->columns, times))
		run->lines = 0;
	for (i = 0; i < run->nr_pools; i++) {
		line = line_of(&run->pools[i]);
		if (run->pools[i].shown)
			columns_widen(&run->columns, &line);
	}
	nr = columns_fit(&run->columns, out_width());
	for (i = 0; i < run->nr_pools; i++) {
		if (!run->pools[i].shown)
			continue;
		if (run->lines++ % LINES_PER_HEADER == 0 &&
		    (run->lines == 1 || isatty(STDOUT_FILENO)))
			columns_print_titles(&run->columns, nr);
		line = line_of(&run->pools[i]);
		columns_print(&run->columns, nr, &line);
	}
}

/* name and the two times are in it, whatever columns were chosen */
static void print_json_line(const struct columns *columns, const struct watched *pool)
{
	const struct pool_line pool_line = line_of(pool);
	const struct snapshot *now = &pool->now;
	struct json_object *line = out_json_new();
	struct timespec clock;

	clock_gettime(CLOCK_REALTIME, &clock);
	out_json_add_string(line, "name", pool->name);
	out_json_add_double(line, "time", clock.tv_sec + clock.tv_nsec / 1e9);
	out_json_add_double(line, "interval_s",
			    (now->when_ns - pool->last.when_ns) / 1e9);
	columns_add_json(columns, &pool_line, line);
	out_json_print_line(line);
}

/* @name is copied. */
static int watch(struct stat_run *run, const char *name)
{
	struct watched *grown = realloc(run->pools, (run->nr_pools + 1) *
					sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	run->pools = grown;
	grown[run->nr_pools] = (struct watched){ .name = strdup(name) };
	if (!grown[run->nr_pools].name)
		return -ENOMEM;
	run->nr_pools++;
	return 0;
}

/* Pools that came since the last look. Those that went are noticed when read. */
static int watch_new(struct stat_run *run, struct errmsg *e)
{
	struct sysfs_names names;
	size_t i, j;
	int err;

	err = sysfs_list_pools(&names, e);
	if (err)
		return err;
	for (i = 0; i < names.nr && !err; i++) {
		for (j = 0; j < run->nr_pools; j++)
			if (!strcmp(run->pools[j].name, names.name[i]))
				break;
		if (j == run->nr_pools && watch(run, names.name[i]))
			err = errmsg_set(e, "out of memory");
	}
	sysfs_names_exit(&names);
	return err;
}

/* One look at all pools; prints those that were there at the look before, too. */
static int look(struct stat_run *run)
{
	struct errmsg e;
	size_t i;
	int err;

	err = run->all ? watch_new(run, &e) : 0;
	for (i = 0; !err && i < run->nr_pools; i++) {
		struct watched *pool = &run->pools[i];

		err = sysfs_snapshot(pool->name, &pool->now, &e);
		pool->shown = !err && pool->valid &&
			      snapshots_compare(&pool->last, &pool->now);
		pool->valid = !err;
		if (run->all && (err == -ENOENT || err == -ENODEV))
			err = 0;
	}
	for (i = 0; run->json && i < run->nr_pools; i++)
		if (run->pools[i].shown)
			print_json_line(&run->columns, &run->pools[i]);
	if (!run->json)
		print_lines(run);
	for (i = 0; i < run->nr_pools; i++) {
		run->pools[i].shown = false;
		run->pools[i].last = run->pools[i].now;
	}
	if (err) {
		cli_error(run->cmd, "%s", e.text);
		return CLI_FAILED;
	}
	/* a reader behind a pipe sees each interval when it ends */
	return fflush(stdout) ? CLI_FAILED : CLI_OK;
}

static int look_again_and_again(struct stat_run *run)
{
	struct timespec next;
	__u64 i, ns;
	int code;

	clock_gettime(CLOCK_MONOTONIC, &next);
	code = look(run);
	for (i = 0; code == CLI_OK && (!run->count || i < run->count); i++) {
		ns = next.tv_nsec + run->interval_ns;
		next.tv_sec += ns / NSEC_PER_SEC;
		next.tv_nsec = ns % NSEC_PER_SEC;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL))
			;
		code = look(run);
	}
	return code;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_INTERVAL = CLI_OPT_FIRST, OPT_COUNT, OPT_COLUMNS, OPT_JSON };
	static const struct option options[] = {
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "columns", required_argument, NULL, OPT_COLUMNS },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct stat_run run = {
		.cmd = cmd,
		.interval_ns = NSEC_PER_SEC,
	};
	bool interval = false;
	struct errmsg e;
	int opt, code;

	columns_set_busy(&run.columns, false);
	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_INTERVAL:
			interval = true;
			if (parse_seconds(optarg, MIN_INTERVAL_NS, MAX_INTERVAL_NS,
					  &run.interval_ns, &e))
				cli_usage(cmd, "--interval: %s", e.text);
			break;
		case OPT_COUNT:
			if (parse_count(optarg, 1, 1000000000, &run.count, &e))
				cli_usage(cmd, "--count: %s", e.text);
			break;
		case OPT_COLUMNS:
			if (columns_parse(&run.columns, optarg, true, &e))
				cli_usage(cmd, "--columns: %s", e.text);
			break;
		case OPT_JSON:
			run.json = true;
			break;
		}
	}
	if (run.json && !run.columns.chosen)
		columns_parse(&run.columns, "all", true, &e);
	/* as vmstat: once, unless somebody wants it in intervals */
	if (!run.count && !interval)
		run.count = 1;
	run.all = optind == argc;
	for (; optind < argc; optind++) {
		cli_pool_arg(cmd, argc, argv);
		if (watch(&run, argv[optind])) {
			cli_error(cmd, "out of memory");
			return CLI_FAILED;
		}
	}
	code = look_again_and_again(&run);
	while (run.nr_pools)
		free(run.pools[--run.nr_pools].name);
	free(run.pools);
	return code;
}

static void more_help(void)
{
	columns_print_help(true);
}

const struct command cmd_stat = {
	.name = "stat",
	.args = "[POOL]... [OPTION]...",
	.summary = "show rates of pools, interval by interval",
	.help =
"Shows what happens in pools, one line for each at the end of every interval:\n"
"rates over the interval, and the figures at its end, as many as fit into the\n"
"line. Without a name it watches all pools, also those that come later. Where\n"
"the attribute latency is 1, half of the tasks waited no longer than wait50 and\n"
"ran no longer than run50, and 99 of 100 no longer than wait99 and run99.\n"
"\n"
"  --interval SECONDS  length of an interval (1); ns, us, ms, m, h may be given\n"
"  --count N           intervals (1; with --interval until interrupted)\n"
"  --columns NAME,...  these columns, however wide; 'all' for all\n"
"  --json              one object a line; rates are called NAME_per_s, times\n"
"                      NAME_ns, the other keys are the names of the sysfs files",
	.more_help = more_help,
	.run = run,
};
