// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl top: pools, the functions of their tasks, workers and CPUs, again and again.
 *
 * The figures of pools come from sysfs. All else comes from debugfs,
 * which in most cases is for root only; without it the view says why it is empty.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parse.h"
#include "screen.h"
#include "top.h"

#define MIN_INTERVAL_NS	(100 * NSEC_PER_MSEC)
#define MAX_INTERVAL_NS	(60 * 60 * NSEC_PER_SEC)
#define KEYS		"p f o w c: views  < > r: sort  /: filter  h: help  q: quit"

/* ---- looking -------------------------------------------------------------- */

static struct pool *find_pool(struct top *top, const char *name)
{
	struct pool *grown;
	size_t i;

	for (i = 0; i < top->nr_pools; i++)
		if (!strcmp(top->pools[i].name, name))
			return &top->pools[i];
	grown = realloc(top->pools, (top->nr_pools + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	top->pools = grown;
	grown[i] = (struct pool){ .name = strdup(name) };
	if (!grown[i].name)
		return NULL;
	top->nr_pools++;
	return &grown[i];
}

static void forget_absent_pools(struct top *top)
{
	size_t i, kept = 0;

	for (i = 0; i < top->nr_pools; i++) {
		if (top->pools[i].present)
			top->pools[kept++] = top->pools[i];
		else
			free(top->pools[i].name);
	}
	top->nr_pools = kept;
}

static int look_at_pools(struct top *top, struct errmsg *e)
{
	struct sysfs_names names;
	struct pool *pool;
	size_t i;
	int err = sysfs_list_pools(&names, e);

	if (err)
		return err;
	for (i = 0; i < top->nr_pools; i++)
		top->pools[i].present = false;
	for (i = 0; i < names.nr && !err; i++) {
		pool = find_pool(top, names.name[i]);
		if (!pool) {
			err = errmsg_set(e, "out of memory");
			break;
		}
		pool->last = pool->now;
		err = sysfs_snapshot(pool->name, &pool->now, e);
		pool->present = !err;
		/* rates need two looks; a pool that was created again starts at 0 */
		pool->valid = !err && pool->last.when_ns &&
			      snapshots_compare(&pool->last, &pool->now);
		if (pool->valid)
			pool->done_per_s[pool->nr_done++ % HISTORY] =
				snapshot_done_per_s(&pool->last, &pool->now);
		if (err == -ENOENT || err == -ENODEV)
			err = 0;
	}
	sysfs_names_exit(&names);
	forget_absent_pools(top);
	return err;
}

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void look_at_table(struct looks *looks, const char *name)
{
	table_exit(&looks->last);
	looks->last = looks->now;
	*looks->error.text = '\0';
	table_read(name, &looks->now, &looks->error);
}

static void forget_table(struct looks *looks)
{
	table_exit(&looks->now);
	table_exit(&looks->last);
}

static int look(struct top *top, struct errmsg *e)
{
	int err = look_at_pools(top, e);

	if (err)
		return err;
	workers_exit(&top->workers);
	*top->workers_error.text = '\0';
	workers_read(&top->workers, &top->workers_error);
	top->last_ns = top->look_ns;
	top->look_ns = now_ns();
	look_at_table(&top->cpus, "cpus");
	look_at_table(&top->costs, "costs");
	return 0;
}

static void forget(struct top *top)
{
	workers_exit(&top->workers);
	forget_table(&top->cpus);
	forget_table(&top->costs);
	while (top->nr_pools)
		free(top->pools[--top->nr_pools].name);
	free(top->pools);
}

/* ---- the screen ----------------------------------------------------------- */

static void show_help(void)
{
	static const char *const lines[] = {
		"p f o    pools, functions, what they cost; Tab goes on to the next",
		"w c      workers, CPUs",
		"< >      sort by another column; r the other way round",
		"/        show only pools and functions with these letters; Return ends it",
		"up down  one line; Page Up, Page Down",
		"+ -      a longer or a shorter interval",
		"h        this help; h or q goes back",
		"q        quit",
		"",
		"Red: submitters wait, tasks are refused, or tasks are queued and all of the",
		"capacity or queue_depth is used up. Yellow: hogs, workers that wait for a CPU.",
		"since, oldest: how long the worker has run without a break, or slept.",
		"Costs are counted while the attribute latency is 1. cpu% is of one CPU, the",
		"times are for one task; off: asleep, or waiting for the CPU.",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		screen_put(SCREEN_PLAIN, "%s", lines[i]);
		screen_end_line();
	}
}

static void draw(struct top *top)
{
	screen_begin();
	top_show_summary(top);
	if (top->shows_help)
		show_help();
	else
		top_show_view(top, top->view);
	screen_last_line();
	if (top->is_typing)
		screen_put(SCREEN_TITLE, "filter: %s", top->filter);
	else
		screen_put(SCREEN_TITLE, "%s%s%s  " KEYS, view_names[top->view],
			   *top->filter ? ", only " : "", top->filter);
	screen_finish();
}

static void set_view(struct top *top, enum view view)
{
	top->view = view;
	top->first = 0;
	top->reverse = false;
	top->sort = top_preset_sort(top, view);
}

static void type_filter(struct top *top, int key)
{
	size_t len = strlen(top->filter);

	if (key == SCREEN_KEY_RETURN)
		top->is_typing = false;
	else if (key == SCREEN_KEY_ERASE && len)
		top->filter[len - 1] = '\0';
	else if (key >= 0 && key < 128 && isprint(key) && len + 1 < sizeof(top->filter))
		top->filter[len] = key, top->filter[len + 1] = '\0';
	top->first = 0;
}

static void move(struct top *top, int lines)
{
	if (lines < 0 && top->first < (size_t)-lines)
		top->first = 0;
	else
		top->first += lines;
}

/* False to end. */
static bool do_key(struct top *top, int key)
{
	int page = screen_height() - 4;

	if (top->is_typing) {
		type_filter(top, key);
		return true;
	}
	if (top->shows_help) {
		/* back; any other key does what it says */
		top->shows_help = false;
		if (key && strchr("hHqQ?\033", key))
			return true;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case 'p':
		set_view(top, VIEW_POOLS);
		break;
	case 'f':
		set_view(top, VIEW_FUNCTIONS);
		break;
	case 'o':
		set_view(top, VIEW_COSTS);
		break;
	case 'w':
		set_view(top, VIEW_WORKERS);
		break;
	case 'c':
		set_view(top, VIEW_CPUS);
		break;
	case '\t':
		set_view(top, (top->view + 1) % NR_VIEWS);
		break;
	case '<':
	case SCREEN_KEY_LEFT:
		top->sort = (top->sort ?: top_nr_sort_columns(top)) - 1;
		break;
	case '>':
	case SCREEN_KEY_RIGHT:
		top->sort = (top->sort + 1) % top_nr_sort_columns(top);
		break;
	case 'r':
		top->reverse = !top->reverse;
		break;
	case '/':
		*top->filter = '\0';
		top->is_typing = true;
		break;
	case SCREEN_KEY_UP:
		move(top, -1);
		break;
	case SCREEN_KEY_DOWN:
		move(top, 1);
		break;
	case SCREEN_KEY_PAGE_UP:
		move(top, -page);
		break;
	case SCREEN_KEY_PAGE_DOWN:
		move(top, page);
		break;
	case '+':
		if (top->interval_ns * 2 <= MAX_INTERVAL_NS)
			top->interval_ns *= 2;
		break;
	case '-':
		if (top->interval_ns / 2 >= MIN_INTERVAL_NS)
			top->interval_ns /= 2;
		break;
	case 'h':
	case '?':
		top->shows_help = true;
		break;
	}
	return true;
}

static int run_screen(struct top *top, struct errmsg *e)
{
	__u64 next = now_ns(), now;
	bool ends = false;
	int key, err = 0;

	while (!ends) {
		now = now_ns();
		if (now >= next) {
			err = look(top, e);
			if (err)
				break;
			next = now + top->interval_ns;
		}
		draw(top);
		key = screen_key((next - now) / NSEC_PER_MSEC + 1);
		if (key != SCREEN_KEY_NONE && key != SCREEN_KEY_SIZE)
			ends = !do_key(top, key);
	}
	return err;
}

/* All views, or the one that was asked for, as lines. */
static int run_batch(struct top *top, __u64 count, bool all, struct errmsg *e)
{
	struct timespec pause = {
		.tv_sec = top->interval_ns / NSEC_PER_SEC,
		.tv_nsec = top->interval_ns % NSEC_PER_SEC,
	};
	enum view view;
	__u64 i;
	int err = look(top, e);

	for (i = 0; !err && (!count || i < count); i++) {
		/* rates need two looks */
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		err = look(top, e);
		if (err)
			break;
		screen_begin();
		if (i)
			screen_end_line();
		top_show_summary(top);
		for (view = VIEW_POOLS; view < NR_VIEWS; view++) {
			if (!all && view != top->view)
				continue;
			if (all) {
				screen_end_line();
				top->sort = top_preset_sort(top, view);
			}
			top_show_view(top, view);
		}
		if (fflush(stdout))
			return errmsg_set(e, "cannot write the output");
	}
	return err;
}

static int parse_view(const char *name, enum view *view, struct errmsg *e)
{
	for (*view = VIEW_POOLS; *view < NR_VIEWS; ++*view)
		if (!strcmp(view_names[*view], name))
			return 0;
	return errmsg_set(e, ERRMSG_Q " is not one of pools, functions, costs, workers, cpus",
			  name);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_BATCH = CLI_OPT_FIRST, OPT_COUNT, OPT_INTERVAL, OPT_VIEW, OPT_FILTER,
	       OPT_SORT, OPT_COLUMNS };
	static const struct option options[] = {
		{ "batch", no_argument, NULL, OPT_BATCH },
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "view", required_argument, NULL, OPT_VIEW },
		{ "filter", required_argument, NULL, OPT_FILTER },
		{ "sort", required_argument, NULL, OPT_SORT },
		{ "columns", required_argument, NULL, OPT_COLUMNS },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct top top = { .cmd = cmd, .interval_ns = NSEC_PER_SEC };
	bool batch = false, all = true;
	const char *sort = NULL;
	__u64 count = 0;
	struct errmsg e;
	int opt, err;

	columns_set_busy(&top.columns, false);
	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_BATCH:
			batch = true;
			break;
		case OPT_COUNT:
			if (parse_count(optarg, 1, 1000000000, &count, &e))
				cli_usage(cmd, "--count: %s", e.text);
			break;
		case OPT_INTERVAL:
			if (parse_seconds(optarg, MIN_INTERVAL_NS, MAX_INTERVAL_NS,
					  &top.interval_ns, &e))
				cli_usage(cmd, "--interval: %s", e.text);
			break;
		case OPT_VIEW:
			if (parse_view(optarg, &top.view, &e))
				cli_usage(cmd, "--view: %s", e.text);
			all = false;
			break;
		case OPT_FILTER:
			if (strlen(optarg) >= sizeof(top.filter))
				cli_usage(cmd, "--filter: longer than the name of a pool");
			snprintf(top.filter, sizeof(top.filter), "%s", optarg);
			break;
		case OPT_SORT:
			sort = optarg;
			break;
		case OPT_COLUMNS:
			if (columns_parse(&top.columns, optarg, true, &e))
				cli_usage(cmd, "--columns: %s", e.text);
			break;
		}
	}
	cli_no_more_args(cmd, argc, argv);
	set_view(&top, top.view);
	if (sort) {
		for (top.sort = 0; top.sort < top.columns.nr; top.sort++)
			if (!strcmp(column_name(top.columns.column[top.sort]), sort))
				break;
		if (top.sort == top.columns.nr)
			cli_usage(cmd, "--sort: %s", columns_explain(&top.columns, sort, &e));
		/* pools have the columns with names */
		all = false;
		top.view = VIEW_POOLS;
	}
	if (count && !batch)
		cli_usage(cmd, "--count: only with --batch");
	if (!batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		cli_usage(cmd, "not on a terminal: --batch prints lines");
	/* says so before the screen is taken */
	err = look(&top, &e);
	if (!err && batch) {
		err = run_batch(&top, count, all, &e);
	} else if (!err && screen_open()) {
		err = errmsg_set(&e, "this terminal is not known (TERM); --batch prints lines");
	} else if (!err) {
		err = run_screen(&top, &e);
		screen_close();
	}
	if (err)
		cli_error(cmd, "%s", e.text);
	forget(&top);
	return err ? CLI_FAILED : CLI_OK;
}

const struct command cmd_top = {
	.name = "top",
	.args = "[OPTION]...",
	.summary = "watch pools, functions, workers and CPUs",
	.help =
"Shows on the whole terminal what happens in pools, in which functions their\n"
"workers are, what these cost (while latency is 1), what each worker does, and\n"
"the queues of the CPUs. h explains the keys, q ends it. All but the pools is\n"
"read from debugfs, which is for root only in most cases.\n"
"\n"
"  --interval SECONDS  time between two looks (1); ns, us, ms, m, h may be given\n"
"  --view VIEW         pools, functions, costs, workers or cpus\n"
"  --filter TEXT       only pools and functions with this text in their names\n"
"  --sort COLUMN       of the pools, the largest first\n"
"  --columns NAME,...  of the pools, as for stat\n"
"  --batch             print lines instead; all views unless --view is given\n"
"  --count N           with --batch: so many times",
	.run = run,
};
