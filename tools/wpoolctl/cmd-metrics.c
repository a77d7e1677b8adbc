// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl metrics: the figures of all pools for Prometheus, in the format that the textfile
 * collector of its node_exporter reads.
 *
 * A file is written under another name and then renamed. A reader finds the whole old file or the
 * whole new file; if writing fails, the old file stays.
 */
#include <sys/stat.h>

#include "alloc.h"
#include "cli.h"
#include "pools.h"

/* sysfs has 16 buckets for each power of two, the output has one, from 1.024 us on. */
#define MIN_BUCKET_NS	1024

static const struct {
	const char *name, *help;
} times[NR_HISTS] = {
	[HIST_WAIT] = { "wpool_wait_seconds", "Time from submit to start of tasks." },
	[HIST_RUN] = { "wpool_run_seconds", "Time from start to end of tasks." },
};

/* ---- writing ---------------------------------------------------------------- */

/* The names of counters end in _total. */
static void describe(FILE *out, const char *name, const char *type, const char *help)
{
	const char *end = !strcmp(type, "counter") ? "_total" : "";

	fprintf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, end, help, name, end, type);
}

static void write_limit(FILE *out, const char *name, const char *pool, const char *value)
{
	fprintf(out, "%s{pool=\"%s\"} %s\n", name, pool, strcmp(value, "max") ? value : "+Inf");
}

static void write_limits(FILE *out, const struct pools *pools)
{
	__u64 max_workers = sysfs_max_workers();
	const struct pool *pool;

	if (max_workers) {
		describe(out, "wpool_max_workers", "gauge", "Workers at most, over all pools.");
		fprintf(out, "wpool_max_workers %llu\n", max_workers);
	}
	describe(out, "wpool_open", "gauge", "1 if the pool accepts tasks.");
	for_each_pool(pool, pools)
		fprintf(out, "wpool_open{pool=\"%s\"} %d\n", pool->name,
			!strcmp(pool->now.state, "open"));
	describe(out, "wpool_capacity", "gauge", "Workers at most.");
	for_each_pool(pool, pools)
		write_limit(out, "wpool_capacity", pool->name, pool->now.capacity);
	describe(out, "wpool_queue_depth", "gauge", "Tasks accepted beyond capacity.");
	for_each_pool(pool, pools)
		write_limit(out, "wpool_queue_depth", pool->name, pool->now.queue_depth);
}

static void write_figures(FILE *out, const struct pools *pools)
{
	const struct figure_info *figure;
	const struct pool *pool;

	for (figure = figures; figure < figures + NR_FIGURES; figure++) {
		describe(out, figure->metric, figure->is_counter ? "counter" : "gauge",
			 figure->help);
		for_each_pool(pool, pools)
			fprintf(out, "%s%s{pool=\"%s\"} %llu\n", figure->metric,
				figure->is_counter ? "_total" : "", pool->name,
				pool->now.value[figure - figures]);
	}
}

static void write_pressure(FILE *out, const struct pools *pools)
{
	static const int seconds[NR_PRESSURES] = { 10, 60, 300 };
	const struct pool *pool;
	size_t n;

	describe(out, "wpool_pressure_ratio", "gauge",
		 "Share of the last seconds in which tasks were queued for long or submitters waited.");
	for_each_pool(pool, pools)
		for (n = 0; n < NR_PRESSURES; n++)
			fprintf(out, "wpool_pressure_ratio{pool=\"%s\",seconds=\"%d\"} %.4f\n",
				pool->name, seconds[n], pool->now.pressure.percent[n] / 100);
	describe(out, "wpool_pressure_seconds", "counter",
		 "Time in which tasks were queued for long or submitters waited.");
	for_each_pool(pool, pools)
		fprintf(out, "wpool_pressure_seconds_total{pool=\"%s\"} %.6f\n", pool->name,
			pool->now.pressure.total_us / 1e6);
}

static bool is_power_of_2(__u64 n)
{
	return n && !(n & (n - 1));
}

static void write_histogram(FILE *out, const struct pool *pool, enum hist_kind kind)
{
	const struct hists *hists = &pool->now.hists;
	const struct hist *hist = &hists->hist[kind];
	__u64 below = 0;
	size_t i;

	for (i = 0; i < hists->nr_buckets; below += hist->bucket[i++])
		if (hists->from_ns[i] >= MIN_BUCKET_NS && is_power_of_2(hists->from_ns[i]))
			fprintf(out, "%s_bucket{pool=\"%s\",le=\"%.9g\"} %llu\n",
				times[kind].name, pool->name,
				(double)hists->from_ns[i] / NSEC_PER_SEC, below);
	fprintf(out, "%s_bucket{pool=\"%s\",le=\"+Inf\"} %llu\n", times[kind].name, pool->name,
		below);
	fprintf(out, "%s_sum{pool=\"%s\"} %.9f\n", times[kind].name, pool->name,
		(double)hist->sum_ns / NSEC_PER_SEC);
	fprintf(out, "%s_count{pool=\"%s\"} %llu\n", times[kind].name, pool->name, below);
}

static void write_times(FILE *out, const struct pools *pools)
{
	const struct pool *pool;
	enum hist_kind kind;
	bool described;

	for (kind = 0; kind < NR_HISTS; kind++) {
		described = false;
		for_each_pool(pool, pools) {
			if (!pool->now.hists.nr_buckets)
				continue;
			if (!described)
				describe(out, times[kind].name, "histogram", times[kind].help);
			described = true;
			write_histogram(out, pool, kind);
		}
	}
}

static void write_all(FILE *out, const struct pools *pools)
{
	write_limits(out, pools);
	write_figures(out, pools);
	write_pressure(out, pools);
	write_times(out, pools);
}

/* The temporary name has another ending than @path, so that no collector reads the file. */
static int write_file(const char *path, const struct pools *pools, struct errmsg *e)
{
	struct stat st;
	char *aside;
	FILE *out;
	int fd, err = 0;

	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return errmsg_set(e, "%s: not a regular file", path);
	if (asprintf(&aside, "%s.XXXXXX", path) < 0)
		alloc_checked(NULL);
	fd = mkstemp(aside);
	if (fd < 0)
		return errmsg_set(e, "%s: %m", path);
	out = alloc_checked(fdopen(fd, "w"));
	write_all(out, pools);
	/* let other users read the file; after fsync, a crash leaves the old or the new file */
	if (fchmod(fd, 0644) || fflush(out) || ferror(out) || fsync(fd) || rename(aside, path)) {
		err = errmsg_set(e, "%s: %m", path);
		unlink(aside);
	}
	fclose(out);
	return err;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct pools pools = { .all = true };
	const char *output = NULL;
	int err;

	cli_parse(cmd, argc, argv, &output);
	cli_no_more_args(cmd, argc, argv);
	err = pools_look(&pools, e);
	if (!err && output)
		err = write_file(output, &pools, e);
	else if (!err)
		write_all(stdout, &pools);
	return err;
}

static const struct cli_option options[] = {
	{ "output", "FILE",
	  "write to this file; it is replaced only when the new one is complete",
	  .set = cli_set_file, .size = sizeof(const char *) },
	{ }
};

const struct command cmd_metrics = {
	.name = "metrics",
	.args = "[--output FILE]",
	.summary = "write the figures of all pools for Prometheus",
	.help =
"Writes the figures of all pools, and the histograms of waits and runs of pools whose\n"
"attribute latency is 1, in the format of the textfile collector of Prometheus' node_exporter.\n"
"wpoolctl-metrics.timer of systemd does that every 15 seconds.",
	.more =
"Each metric has the label pool. There are gauges such as wpool_tasks_queued, counters such as\n"
"wpool_tasks_completed_total, and the histograms wpool_wait_seconds and wpool_run_seconds,\n"
"with a bucket for each power of two.\n"
"\n"
"'systemctl enable --now wpoolctl-metrics.timer' writes the figures to\n"
"/var/lib/prometheus/node-exporter/wpool.prom, if that directory exists.",
	.options = options,
	.run = run,
};
