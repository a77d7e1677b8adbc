// SPDX-License-Identifier: GPL-2.0
/* The views of wpoolctl top, see top.h. */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "screen.h"

#define WIDE		120	/* columns of a terminal with room for long names */
#define NARROW_NAME	12
#define WPOOL_NAME_MAX	31

const char *const view_names[NR_VIEWS] = { "pools", "functions", "workers", "cpus" };

static bool passes(const struct top *top, const char *pool, const char *func)
{
	return !*top->filter || strstr(pool, top->filter) || strstr(func, top->filter);
}

/* Which lines of the view are on the screen; the last two lines are for other things. */
static bool is_shown(const struct top *top, size_t line)
{
	return line >= top->first &&
	       (!screen_is_open() || screen_line() < screen_height() - 1);
}

/* A title; the one by which the view is sorted is marked. */
static void put_title(const struct top *top, size_t i, bool left, int width,
		      const char *title)
{
	enum screen_style style = screen_is_open() && i == top->sort ? SCREEN_GOOD :
				  SCREEN_TITLE;

	screen_put(SCREEN_TITLE, i ? " " : "");
	screen_put(style, left ? "%-*s" : "%*s", width, title);
}

/* ---- pools ---------------------------------------------------------------- */

static struct pool_line line_of(const struct pool *pool)
{
	return (struct pool_line){ pool->name, &pool->now, pool->valid ? &pool->last : NULL };
}

static __u64 figure(const struct pool *pool, enum figure figure)
{
	return pool->now.value[figure];
}

static bool has_hogs(const struct pool *pool)
{
	return pool->valid && pool->now.value[FIGURE_HOGS] > pool->last.value[FIGURE_HOGS];
}

/* Is capacity used up? */
static bool is_used_up(const struct pool *pool)
{
	return strcmp(pool->now.capacity, "max") &&
	       figure(pool, FIGURE_BUSY) >= strtoull(pool->now.capacity, NULL, 10);
}

/* What is saturated: submitters wait, capacity is used up with tasks queued, hogs. */
static enum screen_style cell_style(const struct pool *pool, const char *column)
{
	if (!strcmp(column, "waiting") && figure(pool, FIGURE_WAITING))
		return SCREEN_BAD;
	if ((!strcmp(column, "busy") || !strcmp(column, "capacity")) && is_used_up(pool))
		return figure(pool, FIGURE_QUEUED) || figure(pool, FIGURE_WAITING) ?
		       SCREEN_BAD : SCREEN_WARN;
	if (!strcmp(column, "queued") && figure(pool, FIGURE_QUEUED) &&
	    (is_used_up(pool) || !strcmp(pool->now.queue_depth, "0")))
		return SCREEN_BAD;
	if (!strcmp(column, "hogs/s") && has_hogs(pool))
		return SCREEN_WARN;
	if (!strcmp(column, "refused/s") && pool->valid &&
	    figure(pool, FIGURE_REFUSED) > pool->last.value[FIGURE_REFUSED])
		return SCREEN_BAD;
	if (!strcmp(column, "state"))
		return strcmp(pool->now.state, "open") ? SCREEN_WARN : SCREEN_GOOD;
	return SCREEN_PLAIN;
}

static struct top *sorted;

/* Numbers: the largest first; words by the alphabet. */
static int compare_values(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_pools(const void *a, const void *b)
{
	const struct pool *one = a, *other = b;
	const struct column *column = sorted->columns.column[sorted->sort];
	struct pool_line one_line = line_of(one), other_line = line_of(other);
	char one_text[CELL_LEN], other_text[CELL_LEN];
	int order;

	if (column_is_number(column)) {
		order = compare_values(column_value(column, &one_line),
				       column_value(column, &other_line));
	} else {
		column_format(column, &one_line, one_text);
		column_format(column, &other_line, other_text);
		order = strcmp(one_text, other_text);
	}
	if (sorted->reverse)
		order = -order;
	return order ?: strcmp(one->name, other->name);
}

/* On a narrow terminal a long name leaves too little for the rest. */
static int max_name(void)
{
	return screen_width() < WIDE ? NARROW_NAME : WPOOL_NAME_MAX;
}

static void show_pools(struct top *top)
{
	struct columns *columns = &top->columns;
	size_t i, c, nr, shown = 0;
	struct pool_line line;
	char cell[CELL_LEN];

	columns->max_name = max_name();
	for (i = 0; i < top->nr_pools; i++) {
		line = line_of(&top->pools[i]);
		columns_widen(columns, &line);
	}
	nr = columns_fit(columns, screen_width());
	for (c = 0; c < nr; c++)
		put_title(top, c, !column_is_number(columns->column[c]), columns->width[c],
			  column_title(columns->column[c]));
	screen_end_line();
	sorted = top;
	if (top->nr_pools)
		qsort(top->pools, top->nr_pools, sizeof(*top->pools), compare_pools);
	for (i = 0; i < top->nr_pools; i++) {
		const struct pool *pool = &top->pools[i];

		if (!passes(top, pool->name, "") || !is_shown(top, shown++))
			continue;
		line = line_of(pool);
		for (c = 0; c < nr; c++) {
			column_format(columns->column[c], &line, cell);
			screen_put(SCREEN_PLAIN, c ? " " : "");
			screen_put(cell_style(pool, column_name(columns->column[c])),
				   column_is_number(columns->column[c]) ? "%*.*s" : "%-*.*s",
				   columns->width[c], columns->width[c], cell);
		}
		screen_end_line();
	}
}

/* ---- functions ------------------------------------------------------------ */

static int name_width(const struct top *top)
{
	int width = 7;
	size_t i;

	for (i = 0; i < top->nr_pools; i++)
		if ((int)strlen(top->pools[i].name) > width)
			width = strlen(top->pools[i].name);
	return width < max_name() ? width : max_name();
}

static int compare_funcs(const void *a, const void *b)
{
	const struct func *one = a, *other = b;
	int order;

	switch (sorted->sort) {
	case 0:
		order = strcmp(one->pool, other->pool);
		break;
	case 1:
		order = strcmp(one->name, other->name);
		break;
	case 3:
		order = compare_values(one->nr[DOING_ASLEEP], other->nr[DOING_ASLEEP]);
		break;
	case 4:
		order = compare_values(one->nr[DOING_HOG], other->nr[DOING_HOG]);
		break;
	case 5:
		order = compare_values(one->oldest->since_ms, other->oldest->since_ms);
		break;
	default:
		order = compare_values(one->busy, other->busy);
	}
	if (sorted->reverse)
		order = -order;
	return order ?: strcmp(one->pool, other->pool) ?: strcmp(one->name, other->name);
}

static void show_functions(struct top *top)
{
	struct funcs funcs = { };
	int width = name_width(top), func_width = 8;
	char oldest[128];
	size_t i, shown = 0;

	if (*top->workers_error.text) {
		screen_put(SCREEN_WARN, "%s", top->workers_error.text);
		screen_end_line();
		return;
	}
	if (funcs_count(&funcs, &top->workers, NULL))
		return;
	for (i = 0; i < funcs.nr; i++)
		if ((int)strlen(funcs.func[i].name) > func_width)
			func_width = strlen(funcs.func[i].name);
	if (func_width > 24)
		func_width = 24;
	put_title(top, 0, true, width, "pool");
	put_title(top, 1, true, func_width, "function");
	put_title(top, 2, false, 4, "busy");
	put_title(top, 3, false, 6, "asleep");
	put_title(top, 4, false, 4, "hogs");
	put_title(top, 5, true, 6, "oldest");
	screen_end_line();
	sorted = top;
	if (funcs.nr)
		qsort(funcs.func, funcs.nr, sizeof(*funcs.func), compare_funcs);
	for (i = 0; i < funcs.nr; i++) {
		const struct func *func = &funcs.func[i];

		if (!passes(top, func->pool, func->name) || !is_shown(top, shown++))
			continue;
		worker_describe(func->oldest, oldest, sizeof(oldest));
		screen_put(SCREEN_PLAIN, "%-*.*s %-*.*s ", width, width, func->pool,
			   func_width, func_width, func->name);
		screen_put(SCREEN_PLAIN, "%4u %6u ", func->busy, func->nr[DOING_ASLEEP]);
		screen_put(func->nr[DOING_HOG] ? SCREEN_WARN : SCREEN_PLAIN, "%4u",
			   func->nr[DOING_HOG]);
		screen_put(SCREEN_PLAIN, " %s", oldest);
		screen_end_line();
	}
	funcs_exit(&funcs);
}

/* ---- workers -------------------------------------------------------------- */

static int compare_workers(const void *a, const void *b)
{
	const struct worker *one = a, *other = b;
	int order;

	switch (sorted->sort) {
	case 0:
		order = strcmp(one->pool, other->pool);
		break;
	case 1:
		order = (one->pid > other->pid) - (one->pid < other->pid);
		break;
	case 2:
		order = (one->last_cpu > other->last_cpu) - (one->last_cpu < other->last_cpu);
		break;
	case 3:
		order = compare_values(one->doing, other->doing);
		break;
	case 4:
		order = compare_values(one->since_ms, other->since_ms);
		break;
	default:
		order = strcmp(one->func, other->func);
	}
	if (sorted->reverse)
		order = -order;
	return order ?: (one->pid > other->pid) - (one->pid < other->pid);
}

static enum screen_style doing_style(enum doing doing)
{
	switch (doing) {
	case DOING_HOG:
	case DOING_WAITING:
		return SCREEN_WARN;
	case DOING_RUNNING:
		return SCREEN_GOOD;
	case DOING_IDLE:
		return SCREEN_DIM;
	default:
		return SCREEN_PLAIN;
	}
}

static void show_workers(struct top *top)
{
	int width = name_width(top);
	char since[32], where[64];
	size_t i, shown = 0;

	if (*top->workers_error.text) {
		screen_put(SCREEN_WARN, "%s", top->workers_error.text);
		screen_end_line();
		return;
	}
	put_title(top, 0, true, width, "pool");
	put_title(top, 1, false, 7, "pid");
	put_title(top, 2, false, 4, "cpu");
	put_title(top, 3, true, 9, "state");
	put_title(top, 4, false, 8, "since");
	put_title(top, 5, true, 8, "function");
	screen_end_line();
	sorted = top;
	if (top->workers.nr)
		qsort(top->workers.worker, top->workers.nr, sizeof(struct worker),
		      compare_workers);
	for (i = 0; i < top->workers.nr; i++) {
		const struct worker *worker = &top->workers.worker[i];

		if (!passes(top, worker->pool, worker->func) || !is_shown(top, shown++))
			continue;
		*where = '\0';
		if (worker->doing == DOING_ASLEEP)
			worker_wchan(worker, where, sizeof(where));
		screen_put(SCREEN_PLAIN, "%-*.*s %7d %4d ", width, width, worker->pool, worker->pid,
			   worker->last_cpu);
		screen_put(doing_style(worker->doing), "%-9s", doing_names[worker->doing]);
		screen_put(SCREEN_PLAIN, " %8s %s%s%s",
			   format_ms(worker->since_ms, since, sizeof(since)), worker->func,
			   *where ? ", in " : "", where);
		screen_end_line();
	}
}

/* ---- CPUs ----------------------------------------------------------------- */

/* The same line of the look before, or -1. */
static ssize_t last_row(const struct top *top, const char *pool, const char *cpu)
{
	size_t i;

	for (i = 0; i < top->last_cpus.rows; i++)
		if (!strcmp(table_cell(&top->last_cpus, i, "pool"), pool) &&
		    !strcmp(table_cell(&top->last_cpus, i, "cpu"), cpu))
			return i;
	return -1;
}

static double cpu_rate(const struct top *top, size_t row, ssize_t last, const char *title)
{
	__s64 now = table_number(&top->cpus, row, title, 0), before;

	if (last < 0 || top->look_ns <= top->last_ns)
		return 0;
	before = table_number(&top->last_cpus, last, title, now);
	return before > now ? 0 : (double)(now - before) * NSEC_PER_SEC /
				  (top->look_ns - top->last_ns);
}

struct cpu_line {
	const char *pool, *cpu;
	__s64 nr, workers, idle, queued;
	double submitted, completed, stolen;
};

static int compare_cpus(const void *a, const void *b)
{
	const struct cpu_line *one = a, *other = b;
	int order;

	switch (sorted->sort) {
	case 0:
		order = strcmp(one->pool, other->pool);
		break;
	case 1:
		order = (one->nr > other->nr) - (one->nr < other->nr);
		break;
	case 2:
		order = compare_values(one->workers, other->workers);
		break;
	case 3:
		order = compare_values(one->idle, other->idle);
		break;
	case 4:
		order = compare_values(one->queued, other->queued);
		break;
	case 5:
		order = compare_values(one->submitted, other->submitted);
		break;
	case 6:
		order = compare_values(one->completed, other->completed);
		break;
	default:
		order = compare_values(one->stolen, other->stolen);
	}
	if (sorted->reverse)
		order = -order;
	return order ?: strcmp(one->pool, other->pool) ?:
	       (one->nr > other->nr) - (one->nr < other->nr);
}

static void show_cpus(struct top *top)
{
	static const char *const titles[] = { "workers", "idle", "queued", "submit/s",
					      "done/s", "stolen/s" };
	struct table *table = &top->cpus;
	int width = name_width(top);
	struct cpu_line *lines;
	size_t i, shown = 0;

	if (*top->cpus_error.text) {
		screen_put(SCREEN_WARN, "%s", top->cpus_error.text);
		screen_end_line();
		return;
	}
	lines = calloc(table->rows + 1, sizeof(*lines));
	if (!lines)
		return;
	put_title(top, 0, true, width, "pool");
	put_title(top, 1, false, 4, "cpu");
	for (i = 0; i < ARRAY_SIZE(titles); i++)
		put_title(top, 2 + i, false, i < 3 ? 7 : 9, titles[i]);
	screen_end_line();
	for (i = 0; i < table->rows; i++) {
		const char *pool = table_cell(table, i, "pool");
		const char *cpu = table_cell(table, i, "cpu");
		ssize_t last = last_row(top, pool, cpu);

		lines[i] = (struct cpu_line){
			.pool = pool, .cpu = cpu,
			.nr = table_number(table, i, "cpu", 1 << 30),
			.workers = table_number(table, i, "workers", 0),
			.idle = table_number(table, i, "idle", 0),
			.queued = table_number(table, i, "queued", 0),
			.submitted = cpu_rate(top, i, last, "submitted"),
			.completed = cpu_rate(top, i, last, "completed"),
			.stolen = cpu_rate(top, i, last, "stolen"),
		};
	}
	sorted = top;
	if (table->rows)
		qsort(lines, table->rows, sizeof(*lines), compare_cpus);
	for (i = 0; i < table->rows; i++) {
		const struct cpu_line *line = &lines[i];

		if (!passes(top, line->pool, "") || !is_shown(top, shown++))
			continue;
		screen_put(SCREEN_PLAIN, "%-*.*s %4s %7lld %7lld ", width, width, line->pool,
			   line->cpu, line->workers, line->idle);
		screen_put(line->queued ? SCREEN_WARN : SCREEN_PLAIN, "%7lld", line->queued);
		screen_put(SCREEN_PLAIN, " %9.0f %9.0f %9.0f", line->submitted,
			   line->completed, line->stolen);
		screen_end_line();
	}
	free(lines);
}

/* ---- the views -------------------------------------------------------------- */

void top_show_summary(const struct top *top)
{
	__u64 workers = 0, busy = 0, blocked = 0, queued = 0, waiting = 0;
	double done = 0;
	size_t i;

	for (i = 0; i < top->nr_pools; i++) {
		const struct pool *pool = &top->pools[i];

		workers += figure(pool, FIGURE_WORKERS);
		busy += figure(pool, FIGURE_BUSY);
		blocked += figure(pool, FIGURE_BLOCKED);
		queued += figure(pool, FIGURE_QUEUED);
		waiting += figure(pool, FIGURE_WAITING);
		if (pool->valid)
			done += snapshot_rate(&pool->last, &pool->now, FIGURE_COMPLETED);
	}
	screen_put(SCREEN_PLAIN, "%zu pools, %llu workers, %llu busy, %llu blocked, %.0f done/s",
		   top->nr_pools, workers, busy, blocked, done);
	screen_put(queued ? SCREEN_WARN : SCREEN_PLAIN, ", %llu queued", queued);
	screen_put(waiting ? SCREEN_BAD : SCREEN_PLAIN, ", %llu waiting", waiting);
	screen_end_line();
}

void top_show_view(struct top *top, enum view view)
{
	switch (view) {
	case VIEW_FUNCTIONS:
		show_functions(top);
		break;
	case VIEW_WORKERS:
		show_workers(top);
		break;
	case VIEW_CPUS:
		show_cpus(top);
		break;
	default:
		show_pools(top);
	}
}

size_t top_nr_sort_columns(const struct top *top)
{
	static const size_t nr[NR_VIEWS] = {
		[VIEW_FUNCTIONS] = 6, [VIEW_WORKERS] = 6, [VIEW_CPUS] = 8,
	};

	return top->view == VIEW_POOLS ? columns_fit(&top->columns, screen_width()) :
	       nr[top->view];
}

/* What a view is sorted by at first: what is busiest, or longest, comes first. */
size_t top_preset_sort(const struct top *top, enum view view)
{
	static const size_t preset[NR_VIEWS] = {
		[VIEW_FUNCTIONS] = 2, [VIEW_WORKERS] = 4, [VIEW_CPUS] = 0,
	};
	size_t i;

	if (view != VIEW_POOLS)
		return preset[view];
	for (i = 0; i < top->columns.nr; i++)
		if (!strcmp(column_name(top->columns.column[i]), "busy"))
			return i;
	return 0;
}
