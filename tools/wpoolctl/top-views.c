// SPDX-License-Identifier: GPL-2.0
/* The views of wpoolctl top, see top.h. */
#include "top.h"

#include <stdio.h>
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

/* Times if a pool takes them. What the view is sorted by stays the same. */
static void choose_columns(struct top *top)
{
	const struct column *by = top->columns.column[top->sort];
	bool times = false;
	size_t i;

	for (i = 0; i < top->nr_pools; i++)
		times |= top->pools[i].now.latency;
	if (!columns_set_busy(&top->columns, times))
		return;
	for (i = 0; i < top->columns.nr && top->columns.column[i] != by; i++)
		;
	top->sort = i < top->columns.nr ? i : top_preset_sort(top, VIEW_POOLS);
}

static void show_pools(struct top *top)
{
	struct columns *columns = &top->columns;
	size_t i, c, nr, shown = 0;
	struct pool_line line;
	char cell[CELL_LEN];

	choose_columns(top);
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

/* ---- lists: functions, workers, CPUs --------------------------------------- */

#define MAX_LIST_COLUMNS	8
#define WIDTH_POOL		0	/* of a column: as long as the names of the pools */

/* By what a list is sorted, before it is reversed. */
enum list_order { BY_WORD, LARGEST_FIRST, SMALLEST_FIRST };

/* What one column says in one line: a word if there is one, else the value. */
struct cell {
	const char *word;
	double value;
	enum screen_style style;
};

struct row {
	struct cell cell[MAX_LIST_COLUMNS];
	const char *func;		/* for the filter; "" */
	const struct worker *worker;	/* that the line describes, or NULL */
};

struct list_column {
	const char *title;
	int width;			/* negative: on the left, as for printf() */
	enum list_order order;
	/* for a text that takes longer to make than a line that is not shown is worth */
	void (*format)(const struct worker *worker, char *buf, size_t len);
};

struct rows {
	struct row *row;
	size_t nr;
	int width[MAX_LIST_COLUMNS];
};

/* Lines of which two with the same cells, from column @tie on, are the same. */
struct list {
	struct list_column column[MAX_LIST_COLUMNS + 1];
	size_t preset, tie;
	/* 0, or -1 if there is no memory */
	int (*make)(struct top *top, struct rows *rows);
	const struct errmsg *(*error)(const struct top *top);
};

static const struct errmsg *workers_error(const struct top *top)
{
	return &top->workers_error;
}

static int compare_cells(const struct list_column *column, const struct cell *one,
			 const struct cell *other)
{
	switch (column->order) {
	case BY_WORD:
		return strcmp(one->word, other->word);
	case SMALLEST_FIRST:
		return compare_values(other->value, one->value);
	default:
		return compare_values(one->value, other->value);
	}
}

static const struct list *sorted_list;

static int compare_rows(const void *a, const void *b)
{
	const struct list_column *column = sorted_list->column;
	const struct row *one = a, *other = b;
	size_t i = sorted->sort;
	int order = compare_cells(&column[i], &one->cell[i], &other->cell[i]);

	if (sorted->reverse)
		order = -order;
	for (i = sorted_list->tie; !order && column[i].title; i++)
		order = compare_cells(&column[i], &one->cell[i], &other->cell[i]);
	return order;
}

static void show_cell(const struct list_column *column, int width, bool last,
		      const struct row *row, const struct cell *cell)
{
	const char *word = cell->word;
	char text[128];

	if (column->format) {
		column->format(row->worker, text, sizeof(text));
		word = text;
	}
	if (!word)
		screen_put(cell->style, "%*.0f", width, cell->value);
	else if (last)
		screen_put(cell->style, "%s", word);
	else
		screen_put(cell->style, "%*.*s", width, abs(width), word);
}

static void show_row(const struct list *list, const struct rows *rows, const struct row *row)
{
	const struct list_column *column = list->column;
	size_t i;

	for (i = 0; column[i].title; i++) {
		screen_put(SCREEN_PLAIN, i ? " " : "");
		show_cell(&column[i], rows->width[i], !column[i + 1].title, row,
			  &row->cell[i]);
	}
	screen_end_line();
}

static int name_width(const struct top *top)
{
	int width = 7;
	size_t i;

	for (i = 0; i < top->nr_pools; i++)
		if ((int)strlen(top->pools[i].name) > width)
			width = strlen(top->pools[i].name);
	return width < max_name() ? width : max_name();
}

static void show_list(struct top *top, const struct list *list)
{
	const struct errmsg *error = list->error(top);
	struct rows rows = { };
	size_t i, shown = 0;

	if (*error->text) {
		screen_put(SCREEN_WARN, "%s", error->text);
		screen_end_line();
		return;
	}
	for (i = 0; list->column[i].title; i++)
		rows.width[i] = list->column[i].width ?: -name_width(top);
	if (list->make(top, &rows))
		return;
	for (i = 0; list->column[i].title; i++)
		put_title(top, i, rows.width[i] < 0, abs(rows.width[i]),
			  list->column[i].title);
	screen_end_line();
	sorted = top;
	sorted_list = list;
	if (rows.nr)
		qsort(rows.row, rows.nr, sizeof(*rows.row), compare_rows);
	for (i = 0; i < rows.nr; i++) {
		const struct row *row = &rows.row[i];

		if (passes(top, row->cell[0].word, row->func) && is_shown(top, shown++))
			show_row(list, &rows, row);
	}
	free(rows.row);
}

static int rows_init(struct rows *rows, size_t nr)
{
	rows->nr = nr;
	rows->row = calloc(nr + 1, sizeof(*rows->row));
	return rows->row ? 0 : -1;
}

/* ---- functions ------------------------------------------------------------ */

#define MAX_FUNC_WIDTH	24

static int make_functions(struct top *top, struct rows *rows)
{
	struct funcs funcs = { };
	size_t i;
	int len, err;

	if (funcs_count(&funcs, &top->workers, NULL))
		return -1;
	err = rows_init(rows, funcs.nr);
	for (i = 0; !err && i < funcs.nr; i++) {
		const struct func *func = &funcs.func[i];
		unsigned int hogs = func->nr[DOING_HOG];

		rows->row[i] = (struct row){
			.cell = {
				{ func->pool }, { func->name }, { .value = func->busy },
				{ .value = func->nr[DOING_ASLEEP] },
				{ .value = hogs, .style = hogs ? SCREEN_WARN : SCREEN_PLAIN },
				{ .value = func->oldest->since_ms },
			},
			.func = func->name,
			.worker = func->oldest,
		};
		len = strlen(func->name);
		if (len > -rows->width[1])
			rows->width[1] = -(len < MAX_FUNC_WIDTH ? len : MAX_FUNC_WIDTH);
	}
	funcs_exit(&funcs);
	return err;
}

static const struct list function_list = {
	.column = {
		{ "pool", WIDTH_POOL, BY_WORD },
		{ "function", -8, BY_WORD },
		{ "busy", 4, LARGEST_FIRST },
		{ "asleep", 6, LARGEST_FIRST },
		{ "hogs", 4, LARGEST_FIRST },
		{ "oldest", -6, LARGEST_FIRST, worker_describe },
	},
	.preset = 2,
	.make = make_functions,
	.error = workers_error,
};

/* ---- workers -------------------------------------------------------------- */

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

static int make_workers(struct top *top, struct rows *rows)
{
	size_t i;

	if (rows_init(rows, top->workers.nr))
		return -1;
	for (i = 0; i < rows->nr; i++) {
		const struct worker *worker = &top->workers.worker[i];

		rows->row[i] = (struct row){
			.cell = {
				{ worker->pool }, { .value = worker->pid },
				{ .value = worker->last_cpu },
				{ doing_names[worker->doing], worker->doing,
				  doing_style(worker->doing) },
				{ .value = worker->since_ms }, { worker->func },
			},
			.func = worker->func,
			.worker = worker,
		};
	}
	return 0;
}

static void format_since(const struct worker *worker, char *buf, size_t len)
{
	format_ms(worker->since_ms, buf, len);
}

static void format_where(const struct worker *worker, char *buf, size_t len)
{
	char where[64] = "";

	if (worker->doing == DOING_ASLEEP)
		worker_wchan(worker, where, sizeof(where));
	snprintf(buf, len, "%s%s%s", worker->func, *where ? ", in " : "", where);
}

static const struct list worker_list = {
	.column = {
		{ "pool", WIDTH_POOL, BY_WORD },
		{ "pid", 7, SMALLEST_FIRST },
		{ "cpu", 4, SMALLEST_FIRST },
		{ "state", -9, LARGEST_FIRST },
		{ "since", 8, LARGEST_FIRST, format_since },
		{ "function", -8, BY_WORD, format_where },
	},
	.preset = 4,
	.tie = 1,
	.make = make_workers,
	.error = workers_error,
};

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

static int make_cpus(struct top *top, struct rows *rows)
{
	const struct table *table = &top->cpus;
	size_t i;

	if (rows_init(rows, table->rows))
		return -1;
	for (i = 0; i < rows->nr; i++) {
		const char *pool = table_cell(table, i, "pool");
		const char *cpu = table_cell(table, i, "cpu");
		ssize_t last = last_row(top, pool, cpu);
		__s64 queued = table_number(table, i, "queued", 0);

		rows->row[i] = (struct row){
			.cell = {
				/* the line of all CPUs is the last one */
				{ pool }, { cpu, table_number(table, i, "cpu", 1 << 30) },
				{ .value = table_number(table, i, "workers", 0) },
				{ .value = table_number(table, i, "idle", 0) },
				{ .value = queued,
				  .style = queued ? SCREEN_WARN : SCREEN_PLAIN },
				{ .value = cpu_rate(top, i, last, "submitted") },
				{ .value = cpu_rate(top, i, last, "completed") },
				{ .value = cpu_rate(top, i, last, "stolen") },
			},
			.func = "",
		};
	}
	return 0;
}

static const struct errmsg *cpus_error(const struct top *top)
{
	return &top->cpus_error;
}

static const struct list cpu_list = {
	.column = {
		{ "pool", WIDTH_POOL, BY_WORD },
		{ "cpu", 4, SMALLEST_FIRST },
		{ "workers", 7, LARGEST_FIRST },
		{ "idle", 7, LARGEST_FIRST },
		{ "queued", 7, LARGEST_FIRST },
		{ "submit/s", 9, LARGEST_FIRST },
		{ "done/s", 9, LARGEST_FIRST },
		{ "stolen/s", 9, LARGEST_FIRST },
	},
	.make = make_cpus,
	.error = cpus_error,
};

/* ---- the views -------------------------------------------------------------- */

static const struct list *const lists[NR_VIEWS] = {
	[VIEW_FUNCTIONS] = &function_list,
	[VIEW_WORKERS] = &worker_list,
	[VIEW_CPUS] = &cpu_list,
};

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
	if (view == VIEW_POOLS)
		show_pools(top);
	else
		show_list(top, lists[view]);
}

size_t top_nr_sort_columns(const struct top *top)
{
	size_t nr = 0;

	if (top->view == VIEW_POOLS)
		return columns_fit(&top->columns, screen_width());
	while (lists[top->view]->column[nr].title)
		nr++;
	return nr;
}

/* What a view is sorted by at first: what is busiest, or longest, comes first. */
size_t top_preset_sort(const struct top *top, enum view view)
{
	size_t i;

	if (view != VIEW_POOLS)
		return lists[view]->preset;
	for (i = 0; i < top->columns.nr; i++)
		if (!strcmp(column_name(top->columns.column[i]), "busy"))
			return i;
	return 0;
}
