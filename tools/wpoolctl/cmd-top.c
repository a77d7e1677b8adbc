// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl top: pools, the functions of their tasks, workers and CPUs, again and again.
 *
 * The view of the pools reads sysfs. The others read debugfs, which in most cases only root may
 * read. Without debugfs they print why they are empty.
 */
#include <ctype.h>
#include <curses.h>

#include "screen.h"
#include "top.h"

#define MIN_INTERVAL_NS	(100 * NSEC_PER_MSEC)
#define MAX_INTERVAL_NS	(60 * 60 * NSEC_PER_SEC)
#define KEYS		"p f o w c: views  < > r: sort  /: filter  h: help  q: quit"

/* ---- looking -------------------------------------------------------------- */

static void look_at_table(struct looks *looks, const char *name)
{
	table_exit(&looks->last);
	looks->last = looks->now;
	*looks->error.text = '\0';
	table_read(name, &looks->now, &looks->error);
}

static int look(struct top *top, struct errmsg *e)
{
	int err = pools_look(&top->pools, e);

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

/* ---- the screen ----------------------------------------------------------- */

/* For the screen, in lines of 80 columns, and for the manual. */
static const char help[] =
"  p f o    pools, functions, their costs; Tab shows the next view\n"
"  w c      workers, CPUs\n"
"  < >      sort by another column; r the other way round\n"
"  /        only names with these letters; Return ends it\n"
"  up down  one line; Page Up, Page Down\n"
"  h q      help, quit; both go back from the help\n"
"\n"
"Each function is shown with the worker that has run, or slept, longest without a\n"
"break, its CPU and, if it sleeps, the kernel function in which it sleeps. Red:\n"
"submitters wait, tasks are refused, or tasks are queued and all of the capacity\n"
"or of queue_depth is used up. Yellow: hogs, and workers that wait for a CPU.\n"
"\n"
"Costs of functions are counted while a pool's attribute latency is 1. runs/s is\n"
"how many tasks return per second, cpu% how much of one CPU they take. wait, run\n"
"and off are averages of a task since latency was switched on; off is the part of\n"
"the run in which the task sleeps or waits for its CPU. worst is the longest run.";

static void show_help(void)
{
	const char *line = help;

	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		screen_put(OUT_PLAIN, "%.*s", (int)strcspn(line, "\n"), line);
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
		top_show_view(top);
	screen_last_line();
	if (top->is_typing)
		screen_put(OUT_BOLD, "filter: %s", top->filter);
	else
		screen_put(OUT_BOLD, "%s%s%s  " KEYS, view_names[top->view],
			   *top->filter ? ", only " : "", top->filter);
	screen_finish();
}

static void set_view(struct top *top, enum view view)
{
	top->view = view;
	top->first = 0;
	top->reverse = false;
	top->sort = top_preset_sort(top);
}

static void type_filter(struct top *top, int key)
{
	size_t len = strlen(top->filter);

	if (key == '\r' || key == '\n' || key == KEY_ENTER)
		top->is_typing = false;
	else if (key == 127 || key == '\b' || key == KEY_BACKSPACE)
		top->filter[len ? len - 1 : 0] = '\0';
	else if (key >= 0 && key < 128 && isprint(key) && len + 1 < sizeof(top->filter))
		top->filter[len] = key, top->filter[len + 1] = '\0';
	top->first = 0;
}

static void scroll_by(struct top *top, int lines)
{
	if (lines < 0 && top->first < (size_t)-lines)
		top->first = 0;
	else
		top->first += lines;
}

/* Returns false if the key ends top. */
static bool do_key(struct top *top, int key)
{
	static const char view_keys[NR_VIEWS] = {
		[VIEW_POOLS] = 'p', [VIEW_FUNCTIONS] = 'f', [VIEW_COSTS] = 'o',
		[VIEW_WORKERS] = 'w', [VIEW_CPUS] = 'c',
	};
	int page = screen_height() - 4;
	enum view view;

	if (top->is_typing) {
		type_filter(top, key);
		return true;
	}
	if (top->shows_help) {
		/* these keys only leave the help; any other key also does its work */
		top->shows_help = false;
		if (key > 0 && key < 128 && strchr("hHqQ?\033", key))
			return true;
	}
	for (view = VIEW_POOLS; view < NR_VIEWS; view++)
		if (key == view_keys[view])
			set_view(top, view);
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case '\t':
		set_view(top, (top->view + 1) % NR_VIEWS);
		break;
	case '<':
	case KEY_LEFT:
		top->sort = (top->sort ?: top_nr_sort_columns(top)) - 1;
		break;
	case '>':
	case KEY_RIGHT:
		top->sort = (top->sort + 1) % top_nr_sort_columns(top);
		break;
	case 'r':
		top->reverse = !top->reverse;
		break;
	case '/':
		*top->filter = '\0';
		top->is_typing = true;
		break;
	case KEY_UP:
		scroll_by(top, -1);
		break;
	case KEY_DOWN:
		scroll_by(top, 1);
		break;
	case KEY_PPAGE:
		scroll_by(top, -page);
		break;
	case KEY_NPAGE:
		scroll_by(top, page);
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
		if (key != ERR && key != KEY_RESIZE)
			ends = !do_key(top, key);
	}
	return err;
}

/* Prints all views, or the chosen one, as lines. */
static int run_batch(struct top *top, bool all, struct errmsg *e)
{
	enum view view;
	__u64 i;
	int err = look(top, e);

	for (i = 0; !err && (!top->count || i < top->count); i++) {
		/* rates need two looks */
		sleep_ns(top->interval_ns);
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
				set_view(top, view);
			}
			top_show_view(top);
		}
		/* the end of the program says why */
		if (fflush(stdout))
			break;
	}
	return err;
}

static int set_sort(const struct cli_option *option __maybe_unused, void *to, const char *value,
		    struct errmsg *e)
{
	struct top *top = to;

	top->sort_by = columns_find(value, strlen(value), true, "", e);
	return top->sort_by ? 0 : -1;
}

enum { OPT_VIEW };

static const struct cli_option options[] = {
	[OPT_VIEW] = { "view", "VIEW", "what to show: pools, functions, costs, workers or cpus",
		       CLI_WORD(view_names, struct top, view) },
	{ "interval", "SECONDS",
	  "time between two looks (1), at least 0.1; ns, us, ms, m, h may be given",
	  CLI_SECONDS(struct top, interval_ns, MIN_INTERVAL_NS, MAX_INTERVAL_NS) },
	{ "sort", "COLUMN", "sort pools by it, the largest first", .set = set_sort },
	{ "columns", "NAME,...", "columns of the pools, as for stat",
	  CLI_COLUMNS(struct top, columns, true) },
	{ "batch", NULL, "print lines instead; all views unless --view is given",
	  CLI_FLAG(struct top, batch) },
	{ "count", "N", "with --batch: print N times; without it, until interrupted",
	  CLI_COUNT(struct top, count, 1, 1000000000) },
	{ }
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct top top = { .interval_ns = NSEC_PER_SEC, .pools.all = true };
	bool all;
	int err;

	columns_set_busy(&top.columns, false);
	all = !(cli_parse(cmd, argc, argv, &top) & BIT(OPT_VIEW)) && !top.sort_by;
	cli_no_more_args(cmd, argc, argv);
	set_view(&top, top.view);
	if (top.sort_by && top.view != VIEW_POOLS)
		cli_usage(cmd, "--sort: only with the view pools");
	if (top.sort_by)
		top.sort = columns_place(&top.columns, top.sort_by);
	if (top.count && !top.batch)
		cli_usage(cmd, "--count: only with --batch");
	if (!top.batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		cli_usage(cmd, "not on a terminal: --batch prints lines");
	/* report an error before curses takes the screen */
	err = look(&top, e);
	if (!err && top.batch) {
		err = run_batch(&top, all, e);
	} else if (!err && screen_open()) {
		err = errmsg_set(e, "this terminal is not known (TERM); --batch prints lines");
	} else if (!err) {
		err = run_screen(&top, e);
		screen_close();
	}
	return err;
}

const struct command cmd_top = {
	.name = "top",
	.args = "[OPTION]...",
	.summary = "watch pools, functions, workers and CPUs",
	.help =
"Shows, on the whole terminal, the figures of pools, the functions that their workers run, the\n"
"costs of functions (while latency is 1), the state of each worker, and the queues of the\n"
"CPUs. h explains the keys, q quits. Everything except the figures of pools comes from\n"
"debugfs, which in most cases only root may read.",
	.more = help,
	.options = options,
	.run = run,
};
