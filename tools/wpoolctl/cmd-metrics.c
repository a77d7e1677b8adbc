// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl metrics: the figures of all pools for Prometheus, as the textfile collector of
 * its node_exporter reads them; or in the stricter format of OpenMetrics.
 *
 * A file is written aside and renamed, so that a reader finds the old one or the new one,
 * and the old one if anything fails.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "out.h"
#include "parse.h"
#include "sysfs.h"

/* Buckets of 16 a power of two are too many for a database: from 1 us on, one a power. */
#define MIN_BUCKET_NS	1024

static const struct {
	enum figure figure;
	bool is_counter;
	const char *name, *help;
} metrics[] = {
	{ FIGURE_WORKERS, false, "wpool_workers", "Workers that exist." },
	{ FIGURE_IDLE, false, "wpool_workers_idle", "Workers asleep without a task." },
	{ FIGURE_SEARCHING, false, "wpool_workers_searching", "Workers awake without a task." },
	{ FIGURE_BUSY, false, "wpool_workers_busy", "Workers in a task." },
	{ FIGURE_BLOCKED, false, "wpool_workers_blocked", "Workers asleep in a task." },
	{ FIGURE_WAITING, false, "wpool_submitters_waiting",
	  "Submitters asleep because the pool is full." },
	{ FIGURE_QUEUED, false, "wpool_tasks_queued", "Accepted tasks that have not started." },
	{ FIGURE_OUTSTANDING, false, "wpool_tasks_outstanding",
	  "Accepted tasks that have not finished." },
	{ FIGURE_SUBMITTED, true, "wpool_tasks_submitted", "Tasks that were accepted." },
	{ FIGURE_COMPLETED, true, "wpool_tasks_completed", "Tasks whose function returned." },
	{ FIGURE_FAILED, true, "wpool_tasks_failed",
	  "Tasks that ended with the death of their worker." },
	{ FIGURE_CANCELLED, true, "wpool_tasks_cancelled",
	  "Tasks that were cancelled before they started." },
	{ FIGURE_OVERDUE, true, "wpool_tasks_overdue",
	  "Tasks that were not run, since they had waited for longer than max_wait_ms." },
	{ FIGURE_ERRORS, true, "wpool_group_tasks_failed",
	  "Tasks of groups whose function returned an error." },
	{ FIGURE_REFUSED, true, "wpool_submits_refused",
	  "Submits that were turned away because the pool was full." },
	{ FIGURE_STOLEN, true, "wpool_tasks_stolen",
	  "Tasks that a worker took from the queue of another CPU." },
	{ FIGURE_HANDOFFS, true, "wpool_handoffs",
	  "Queues that workers gave away when they went to sleep." },
	{ FIGURE_HOGS, true, "wpool_hogs", "Tasks that ran longer than hog_ms without sleeping." },
	{ FIGURE_SPAWNED, true, "wpool_workers_spawned", "Workers that were created." },
	{ FIGURE_SPAWN_FAILED, true, "wpool_spawns_failed",
	  "Attempts to create a worker that failed." },
	{ FIGURE_EXHAUSTED, true, "wpool_exhausted",
	  "Times that tasks waited for a second because all workers were in tasks." },
	{ FIGURE_RESCUED, true, "wpool_rescued",
	  "Times that tasks had to be run by the worker held in reserve." },
	{ FIGURE_EXPIRED, true, "wpool_workers_expired",
	  "Workers that left because they were idle." },
	{ FIGURE_FAULTS, true, "wpool_faults", "Workers that died in a task." },
};

static const struct {
	const char *name, *help;
} times[NR_HISTS] = {
	[HIST_WAIT] = { "wpool_wait_seconds", "Time from submit to start of tasks." },
	[HIST_RUN] = { "wpool_run_seconds", "Time from start to end of tasks." },
};

struct look {
	char *pool;
	struct snapshot now;
};

struct looks {
	struct look *look;
	size_t nr;
};

/* ---- looking ---------------------------------------------------------------- */

static void looks_exit(struct looks *looks)
{
	while (looks->nr)
		free(looks->look[--looks->nr].pool);
	free(looks->look);
}

/* All pools but those that go meanwhile. */
static int look_at_all(struct looks *looks, struct errmsg *e)
{
	struct sysfs_names names;
	int err = sysfs_list_pools(&names, e);
	struct look *look;
	size_t i;

	if (err)
		return err;
	looks->look = calloc(names.nr + 1, sizeof(*looks->look));
	if (!looks->look)
		err = errmsg_set(e, "out of memory");
	for (i = 0; !err && i < names.nr; i++) {
		look = &looks->look[looks->nr];
		err = sysfs_snapshot(names.name[i], &look->now, e);
		if (err == -ENOENT || err == -ENODEV) {
			err = 0;
			continue;
		}
		if (err)
			break;
		look->pool = names.name[i];
		names.name[i] = NULL;
		looks->nr++;
	}
	sysfs_names_exit(&names);
	return err;
}

/* ---- writing ---------------------------------------------------------------- */

/* A counter's samples end in _total; what describes them does not, in OpenMetrics. */
static void describe(FILE *out, const char *name, const char *type, const char *help,
		     bool openmetrics)
{
	const char *end = !strcmp(type, "counter") && !openmetrics ? "_total" : "";

	fprintf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, end, help, name, end, type);
}

static void write_limit(FILE *out, const char *name, const char *pool, const char *value)
{
	fprintf(out, "%s{pool=\"%s\"} %s\n", name, pool, strcmp(value, "max") ? value : "+Inf");
}

static void write_limits(FILE *out, const struct looks *looks, bool openmetrics)
{
	__u64 max_workers = sysfs_max_workers();
	size_t i;

	if (max_workers) {
		describe(out, "wpool_max_workers", "gauge", "Workers at most, over all pools.",
			 openmetrics);
		fprintf(out, "wpool_max_workers %llu\n", max_workers);
	}
	describe(out, "wpool_open", "gauge", "1 if the pool accepts tasks.", openmetrics);
	for (i = 0; i < looks->nr; i++)
		fprintf(out, "wpool_open{pool=\"%s\"} %d\n", looks->look[i].pool,
			!strcmp(looks->look[i].now.state, "open"));
	describe(out, "wpool_capacity", "gauge", "Workers at most.", openmetrics);
	for (i = 0; i < looks->nr; i++)
		write_limit(out, "wpool_capacity", looks->look[i].pool,
			    looks->look[i].now.capacity);
	describe(out, "wpool_queue_depth", "gauge", "Tasks accepted beyond capacity.",
		 openmetrics);
	for (i = 0; i < looks->nr; i++)
		write_limit(out, "wpool_queue_depth", looks->look[i].pool,
			    looks->look[i].now.queue_depth);
}

static void write_figures(FILE *out, const struct looks *looks, bool openmetrics)
{
	size_t m, i;

	for (m = 0; m < ARRAY_SIZE(metrics); m++) {
		describe(out, metrics[m].name, metrics[m].is_counter ? "counter" : "gauge",
			 metrics[m].help, openmetrics);
		for (i = 0; i < looks->nr; i++)
			fprintf(out, "%s%s{pool=\"%s\"} %llu\n", metrics[m].name,
				metrics[m].is_counter ? "_total" : "", looks->look[i].pool,
				looks->look[i].now.value[metrics[m].figure]);
	}
}

static void write_pressure(FILE *out, const struct looks *looks, bool openmetrics)
{
	static const int seconds[NR_PRESSURES] = { 10, 60, 300 };
	size_t i, n;

	describe(out, "wpool_pressure_ratio", "gauge",
		 "Share of the last seconds in which tasks were queued for long or submitters waited.",
		 openmetrics);
	for (i = 0; i < looks->nr; i++)
		for (n = 0; n < NR_PRESSURES; n++)
			fprintf(out, "wpool_pressure_ratio{pool=\"%s\",seconds=\"%d\"} %.4f\n",
				looks->look[i].pool, seconds[n],
				looks->look[i].now.pressure.percent[n] / 100);
	describe(out, "wpool_pressure_seconds", "counter",
		 "Time in which tasks were queued for long or submitters waited.", openmetrics);
	for (i = 0; i < looks->nr; i++)
		fprintf(out, "wpool_pressure_seconds_total{pool=\"%s\"} %.6f\n",
			looks->look[i].pool, looks->look[i].now.pressure.total_us / 1e6);
}

static bool is_power_of_2(__u64 n)
{
	return n && !(n & (n - 1));
}

static void write_histogram(FILE *out, const struct look *look, enum hist_kind kind)
{
	const struct hists *hists = &look->now.hists;
	const struct hist *hist = &hists->hist[kind];
	__u64 below = 0;
	size_t i;

	for (i = 0; i < hists->nr_buckets; below += hist->bucket[i++])
		if (hists->from_ns[i] >= MIN_BUCKET_NS && is_power_of_2(hists->from_ns[i]))
			fprintf(out, "%s_bucket{pool=\"%s\",le=\"%.9g\"} %llu\n",
				times[kind].name, look->pool,
				(double)hists->from_ns[i] / NSEC_PER_SEC, below);
	fprintf(out, "%s_bucket{pool=\"%s\",le=\"+Inf\"} %llu\n", times[kind].name, look->pool,
		below);
	fprintf(out, "%s_sum{pool=\"%s\"} %.9f\n", times[kind].name, look->pool,
		(double)hist->sum_ns / NSEC_PER_SEC);
	fprintf(out, "%s_count{pool=\"%s\"} %llu\n", times[kind].name, look->pool, below);
}

static void write_times(FILE *out, const struct looks *looks, bool openmetrics)
{
	enum hist_kind kind;
	bool described;
	size_t i;

	for (kind = 0; kind < NR_HISTS; kind++) {
		described = false;
		for (i = 0; i < looks->nr; i++) {
			if (!looks->look[i].now.hists.nr_buckets)
				continue;
			if (!described)
				describe(out, times[kind].name, "histogram", times[kind].help,
					 openmetrics);
			described = true;
			write_histogram(out, &looks->look[i], kind);
		}
	}
}

static void write_all(FILE *out, const struct looks *looks, bool openmetrics)
{
	write_limits(out, looks, openmetrics);
	write_figures(out, looks, openmetrics);
	write_pressure(out, looks, openmetrics);
	write_times(out, looks, openmetrics);
	if (openmetrics)
		fputs("# EOF\n", out);
}

static int fail(struct errmsg *e, const char *path)
{
	return errmsg_set(e, "%s: %s", path, strerror(errno));
}

/* The name does not end as that of @path, so that nobody takes the file for a whole one. */
static int write_file(const char *path, const struct looks *looks, bool openmetrics,
		      struct errmsg *e)
{
	char aside[PATH_MAX];
	FILE *out = NULL;
	int fd, err = 0;

	if (snprintf(aside, sizeof(aside), "%s.XXXXXX", path) >= (int)sizeof(aside)) {
		errno = ENAMETOOLONG;
		return fail(e, path);
	}
	fd = mkstemp(aside);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		err = fail(e, path);
		if (fd >= 0)
			close(fd);
		goto out_unlink;
	}
	write_all(out, looks, openmetrics);
	/* others read it; and after a crash it is whole or the old one */
	if (fchmod(fd, 0644) || fflush(out) || ferror(out) || fsync(fd))
		err = fail(e, path);
	if (fclose(out) && !err)
		err = fail(e, path);
	if (!err && rename(aside, path))
		err = fail(e, path);
out_unlink:
	if (err && fd >= 0)
		unlink(aside);
	return err;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_OUTPUT = CLI_OPT_FIRST, OPT_OPENMETRICS };
	static const struct option options[] = {
		{ "output", required_argument, NULL, OPT_OUTPUT },
		{ "openmetrics", no_argument, NULL, OPT_OPENMETRICS },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *output = NULL;
	struct looks looks = { };
	bool openmetrics = false;
	struct errmsg e;
	int opt, err;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		if (opt == OPT_OPENMETRICS)
			openmetrics = true;
		else
			output = optarg;
	}
	cli_no_more_args(cmd, argc, argv);
	if (output && !*output)
		cli_usage(cmd, "--output: a name is missing");
	err = look_at_all(&looks, &e);
	if (!err && output)
		err = write_file(output, &looks, openmetrics, &e);
	else if (!err)
		write_all(stdout, &looks, openmetrics);
	looks_exit(&looks);
	if (err)
		cli_error(cmd, "%s", e.text);
	return err ? CLI_FAILED : CLI_OK;
}

const struct command cmd_metrics = {
	.name = "metrics",
	.args = "[--output FILE] [--openmetrics]",
	.summary = "write the figures of all pools for Prometheus",
	.help =
"Writes the figures of all pools, and how long tasks waited and ran where the\n"
"attribute latency is 1, as the textfile collector of Prometheus' node_exporter\n"
"reads them. wpoolctl-metrics.timer of systemd does that every 15 seconds.\n"
"\n"
"  --output FILE  to this file, which is replaced at once when all is written, or\n"
"                 not at all\n"
"  --openmetrics  in the stricter format of OpenMetrics, which node_exporter does\n"
"                 not read",
	.run = run,
};
