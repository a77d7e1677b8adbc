// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl latency: how long the tasks of a pool waited and ran.
 *
 * It reads sysfs only, which every user may.
 */
#include "cli.h"
#include "out.h"
#include "sysfs.h"

#define MAX_BARS	16
#define LABEL_WIDTH	8	/* one bound of a bucket; the label of a bar has two */
#define COUNT_WIDTH	12

static const struct {
	const char *name, *key;
	unsigned int ppm;
} percentiles[] = {
	{ "p50", "p50_ns", 500000 },
	{ "p90", "p90_ns", 900000 },
	{ "p99", "p99_ns", 990000 },
	{ "p99.9", "p99_9_ns", 999000 },
};

static const char *const kinds[NR_HISTS] = {
	[HIST_WAIT] = "wait",
	[HIST_RUN] = "run",
};

struct view {
	const char *pool;
	__u64 interval_ns;	/* 0: show all times since latency was switched on */
	bool json;
	bool is_on;
	struct hists hists;
};

/* ---- for people ------------------------------------------------------------- */

static __u64 sum_of(const struct hists *hists, const struct hist *hist, size_t i, size_t step)
{
	__u64 sum = 0;
	size_t end = i + step;

	for (; i < end && i < hists->nr_buckets; i++)
		sum += hist->bucket[i];
	return sum;
}

/* @to_ns: 0 for the last bucket, which has no end. @most: the longest bar's number of tasks. */
static void print_bar(__u64 from_ns, __u64 to_ns, __u64 nr, __u64 most)
{
	int room = max(out_width() - 2 * LABEL_WIDTH - COUNT_WIDTH - 7, 10);
	/* a bar with one task is visible, too */
	int len = nr ? (int)((double)nr / most * room + 0.5) ?: 1 : 0;

	printf("%*s - %*s |", LABEL_WIDTH, SHORT_TIME(from_ns), LABEL_WIDTH,
	       to_ns ? SHORT_TIME(to_ns) : "");
	while (len--)
		putchar('#');
	printf(nr ? " %llu\n" : "\n", nr);
}

/* Bars of as few buckets as make MAX_BARS bars enough, from the first task to the last. */
static void print_bars(const struct hists *hists, const struct hist *hist)
{
	size_t first = 0, last = hists->nr_buckets - 1, step = 1, i;
	__u64 most = 0;

	while (!hist->bucket[first])
		first++;
	while (!hist->bucket[last])
		last--;
	while (last / step - first / step >= MAX_BARS)
		step *= 2;
	first -= first % step;
	for (i = first; i <= last; i += step)
		most = max(most, sum_of(hists, hist, i, step));
	for (i = first; i <= last; i += step)
		print_bar(hists->from_ns[i], i + step < hists->nr_buckets ?
			  hists->from_ns[i + step] : 0, sum_of(hists, hist, i, step), most);
}

static void print_kind(const struct hists *hists, enum hist_kind kind)
{
	const struct hist *hist = &hists->hist[kind];
	size_t i;

	printf("%s%-4s%s %llu task%s", out_style(OUT_BOLD), kinds[kind], out_plain(), hist->nr,
	       hist->nr == 1 ? "" : "s");
	if (!hist->nr) {
		putchar('\n');
		return;
	}
	for (i = 0; i < ARRAY_SIZE(percentiles); i++)
		printf("%c %s %s", i ? ',' : ':', percentiles[i].name,
		       SHORT_TIME(hist_percentile(hists, kind, percentiles[i].ppm)));
	printf(", max %s\n", SHORT_TIME(hist->max_ns));
	print_bars(hists, hist);
}

static void print_view(const struct view *view)
{
	printf("%spool %s%s, ", out_style(OUT_BOLD), view->pool, out_plain());
	if (view->interval_ns)
		printf("within %s", DURATION(view->interval_ns));
	else
		printf("since latency was switched on");
	printf("%s\n\n", view->is_on ? "" : "; it is off now");
	print_kind(&view->hists, HIST_WAIT);
	putchar('\n');
	print_kind(&view->hists, HIST_RUN);
}

/* ---- for programs ----------------------------------------------------------- */

static struct json_object *json_of(const struct hists *hists, enum hist_kind kind)
{
	const struct hist *hist = &hists->hist[kind];
	struct json_object *json = json_new(), *buckets = json_new_array(), *bucket;
	size_t i;

	json_put(json, "count", hist->nr);
	json_put(json, "sum_ns", hist->sum_ns);
	for (i = 0; i < ARRAY_SIZE(percentiles); i++)
		json_put(json, percentiles[i].key,
			 hist_percentile(hists, kind, percentiles[i].ppm));
	json_put(json, "max_ns", hist->max_ns);
	for (i = 0; i < hists->nr_buckets; i++) {
		if (!hist->bucket[i])
			continue;
		bucket = json_new();
		json_put(bucket, "from_ns", hists->from_ns[i]);
		json_put(bucket, "count", hist->bucket[i]);
		json_append(buckets, bucket);
	}
	json_put(json, "buckets", buckets);
	return json;
}

static void print_json(const struct view *view)
{
	struct json_object *json = json_new();
	enum hist_kind kind;

	json_put(json, "name", view->pool);
	json_put(json, "latency", view->is_on);
	if (view->interval_ns)
		json_put(json, "interval_s", (double)view->interval_ns / NSEC_PER_SEC);
	for (kind = 0; kind < NR_HISTS; kind++)
		json_put(json, kinds[kind], json_of(&view->hists, kind));
	json_print(json);
}

/* ---- the command ------------------------------------------------------------ */

static int look(struct view *view, struct hists *hists, struct errmsg *e)
{
	char value[SYSFS_VALUE_LEN];
	int err = sysfs_read(view->pool, "latency", value, sizeof(value), e);

	if (!err)
		err = sysfs_histograms(view->pool, hists, e);
	if (err == -ENOENT && !sysfs_find_pool(view->pool, e))
		errmsg_set(e, "this version of the module has no histogram");
	if (err)
		return err;
	view->is_on = !strcmp(value, "1");
	if (!hists->nr_buckets)
		return errmsg_set(e,
				  "pool '%s': latency was never on; try 'wpoolctl tune %s latency=1'",
				  view->pool, view->pool);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	static struct hists before, now;
	static struct view view;
	int err;

	cli_parse(cmd, argc, argv, &view);
	view.pool = cli_only_pool_arg(cmd, argc, argv);
	err = look(&view, &before, e);
	view.hists = before;
	if (!err && view.interval_ns) {
		sleep_ns(view.interval_ns);
		err = look(&view, &now, e);
		hists_between(&before, &now, &view.hists);
	}
	if (err)
		return err;
	if (view.json)
		print_json(&view);
	else
		print_view(&view);
	return CLI_OK;
}

static const struct cli_option options[] = {
	{ "interval", "SECONDS",
	  "count only tasks that start or end within this time from now (ns, us, ms, m, h)",
	  CLI_INTERVAL(struct view, interval_ns) },
	{ "json", NULL,
	  "an object: name, latency, and wait and run with count, sum_ns, p50_ns, p90_ns,\n"
	  "p99_ns, p99_9_ns, max_ns, and buckets with from_ns and count",
	  CLI_FLAG(struct view, json) },
	{ }
};

const struct command cmd_latency = {
	.name = "latency",
	.args = "POOL [--interval SECONDS] [--json]",
	.summary = "show how long the tasks of a pool waited and ran",
	.help =
"Shows how long tasks waited, from submit to start, and how long they ran, from start to end:\n"
"percentiles, and a bar for each range of times. The pool counts while its attribute latency\n"
"is 1, and starts from 0 when it becomes 1: 'wpoolctl tune POOL latency=1'. A\n"
"percentile is at most a sixteenth too long. Needs no privilege.",
	.options = options,
	.run = run,
};
