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
#include "out.h"
#include "parse.h"
#include "sysfs.h"

#define MIN_INTERVAL_NS	(10 * NSEC_PER_MSEC)
#define MAX_INTERVAL_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)
#define LINES_PER_HEADER 20

struct column {
	enum figure figure;
	const char *title;
	int width;
};

static const struct column rates[] = {
	{ FIGURE_SUBMITTED, "submit/s", 9 },
	{ FIGURE_COMPLETED, "done/s", 9 },
	{ FIGURE_FAILED, "fail/s", 6 },
	{ FIGURE_CANCELLED, "cancel/s", 8 },
	{ FIGURE_REFUSED, "refuse/s", 8 },
	{ FIGURE_STOLEN, "stolen/s", 8 },
	{ FIGURE_HANDOFFS, "handoff/s", 9 },
	{ FIGURE_HOGS, "hog/s", 5 },
};

static const struct column levels[] = {
	{ FIGURE_WORKERS, "workers", 7 },
	{ FIGURE_IDLE, "idle", 6 },
	{ FIGURE_BUSY, "busy", 6 },
	{ FIGURE_BLOCKED, "blocked", 7 },
	{ FIGURE_WAITING, "waiting", 7 },
	{ FIGURE_QUEUED, "queued", 8 },
	{ FIGURE_OUTSTANDING, "outstanding", 11 },
};

struct watched {
	char *name;
	bool valid;		/* last holds the figures of an interval ago */
	struct snapshot last;
};

struct stat_run {
	const struct command *cmd;
	bool json;
	bool all;		/* no name was given: watch what there is */
	__u64 interval_ns;
	__u64 count;		/* 0 is for ever */
	struct watched *pools;
	size_t nr_pools;
	int name_width;
	unsigned int lines;
};

/* False if the pool was made anew in between: its counters began again. */
static bool comparable(const struct snapshot *before, const struct snapshot *after)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (after->value[rates[i].figure] < before->value[rates[i].figure])
			return false;
	return after->when_ns > before->when_ns;
}

static double rate(const struct snapshot *before, const struct snapshot *after,
		   enum figure figure)
{
	return (double)(after->value[figure] - before->value[figure]) *
	       NSEC_PER_SEC / (after->when_ns - before->when_ns);
}

static void print_header(struct stat_run *run)
{
	size_t i;

	printf("%s%-*s", out_style(OUT_BOLD), run->name_width, "pool");
	for (i = 0; i < ARRAY_SIZE(rates); i++)
		printf(" %*s", rates[i].width, rates[i].title);
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		printf(" %*s", levels[i].width, levels[i].title);
	printf("%s\n", out_plain());
}

static void print_line(struct stat_run *run, const struct watched *pool,
		       const struct snapshot *now)
{
	size_t i;

	if (run->lines++ % LINES_PER_HEADER == 0 &&
	    (run->lines == 1 || isatty(STDOUT_FILENO)))
		print_header(run);
	printf("%-*s", run->name_width, pool->name);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		double per_s = rate(&pool->last, now, rates[i].figure);

		printf(" %*.*f", rates[i].width,
		       per_s > 0 && per_s < 10 ? 1 : 0, per_s);
	}
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		printf(" %*llu", levels[i].width, now->value[levels[i].figure]);
	putchar('\n');
}

static void print_json_line(const struct watched *pool, const struct snapshot *now)
{
	struct json_object *line = out_json_new();
	struct timespec clock;
	char key[32];
	size_t i;

	clock_gettime(CLOCK_REALTIME, &clock);
	out_json_add_string(line, "name", pool->name);
	out_json_add_double(line, "time", clock.tv_sec + clock.tv_nsec / 1e9);
	out_json_add_double(line, "interval_s",
			    (now->when_ns - pool->last.when_ns) / 1e9);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		snprintf(key, sizeof(key), "%s_per_s",
			 figure_names[rates[i].figure]);
		out_json_add_double(line, key,
				    rate(&pool->last, now, rates[i].figure));
	}
	out_json_add_string(line, "state", now->state);
	out_json_add_value(line, "capacity", now->capacity);
	out_json_add_value(line, "queue_depth", now->queue_depth);
	for (i = 0; i < NR_FIGURES; i++)
		out_json_add_u64(line, figure_names[i], now->value[i]);
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
	if ((int)strlen(name) > run->name_width)
		run->name_width = strlen(name);
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
	struct snapshot now;
	struct errmsg e;
	size_t i;
	int err;

	err = run->all ? watch_new(run, &e) : 0;
	for (i = 0; !err && i < run->nr_pools; i++) {
		struct watched *pool = &run->pools[i];

		err = sysfs_snapshot(pool->name, &now, &e);
		if (err) {
			pool->valid = false;
			if (run->all && (err == -ENOENT || err == -ENODEV))
				err = 0;
			continue;
		}
		if (pool->valid && comparable(&pool->last, &now)) {
			if (run->json)
				print_json_line(pool, &now);
			else
				print_line(run, pool, &now);
		}
		pool->last = now;
		pool->valid = true;
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
	enum { OPT_INTERVAL = CLI_OPT_FIRST, OPT_COUNT, OPT_JSON };
	static const struct option options[] = {
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct stat_run run = {
		.cmd = cmd,
		.interval_ns = NSEC_PER_SEC,
		.name_width = 4,
	};
	bool interval = false;
	struct errmsg e;
	int opt, code;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_INTERVAL:
			interval = true;
			if (parse_seconds(optarg, MIN_INTERVAL_NS, MAX_INTERVAL_NS,
					  &run.interval_ns, &e))
				cli_usage(cmd, "--interval: %s", e.text);
			break;
		case OPT_COUNT:
			if (parse_u64(optarg, 1, 1000000000, &run.count, &e))
				cli_usage(cmd, "--count: %s", e.text);
			break;
		case OPT_JSON:
			run.json = true;
			break;
		}
	}
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

const struct command cmd_stat = {
	.name = "stat",
	.args = "[POOL]... [--interval SECONDS] [--count N] [--json]",
	.summary = "show rates of pools, interval by interval",
	.help =
"Shows what happens in pools, one line for each at the end of every interval:\n"
"rates over the interval, then the figures at its end. Without a name it watches\n"
"all pools, also those that come later.\n"
"\n"
"  --interval SECONDS  length of an interval (1); ns, us, ms, s may be given\n"
"  --count N           intervals (1; with --interval until interrupted)\n"
"  --json              one object a line; rates are called NAME_per_s, the other\n"
"                      keys are the names of the sysfs files",
	.run = run,
};
