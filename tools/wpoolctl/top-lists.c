// SPDX-License-Identifier: GPL-2.0
/* The lists of wpoolctl top: functions, their costs, workers and CPUs. */
#include "alloc.h"
#include "screen.h"
#include "top.h"

#define WIDE		120	/* a terminal of this width has room for long names */
#define NARROW_NAME	12
#define NARROW_FUNC	24
#define WIDE_FUNC	48
#define WPOOL_NAME_MAX	31

#define MAX_LIST_COLUMNS	8
#define WIDTH_POOL		0	/* width of a column: as long as the names of the pools */

/* In which order lines are sorted by a column, unless top->reverse. */
enum list_order { BY_WORD, LARGEST_FIRST, SMALLEST_FIRST };

/* One column of one line: shows the word if there is one, else the value. */
struct cell {
	const char *word;
	double value;
	enum out_style style;
	const struct worker *worker;	/* for format() */
};

struct row {
	struct cell cell[MAX_LIST_COLUMNS];
	const char *func;		/* the filter applies to this, too; "": none */
};

struct list_column {
	const char *title;
	int width;			/* negative: left-justified, as for printf() */
	enum list_order order;
	/* writes a text that is costly, for lines on the screen only; or NULL */
	void (*format)(const struct cell *cell, char *buf, size_t len);
};

struct rows {
	struct row *row;
	size_t nr;
	int width[MAX_LIST_COLUMNS];
};

/* A list. Lines with equal sort cells are ordered by the columns from @tie on. */
struct list {
	struct list_column column[MAX_LIST_COLUMNS + 1];
	size_t preset, tie;
	/* fills in @rows; returns a message to show instead, empty if there is none */
	const struct errmsg *(*make)(const struct top *top, struct rows *rows);
};

/* ---- for the view of the pools, too ----------------------------------------- */

bool top_passes(const struct top *top, const char *pool, const char *func)
{
	return !*top->filter || strstr(pool, top->filter) || strstr(func, top->filter);
}

bool top_is_shown(const struct top *top, size_t line)
{
	return line >= top->first &&
	       (!screen_is_open() || screen_line() < screen_height() - 1);
}

int top_compare_values(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

int top_max_name(void)
{
	return screen_is_open() && screen_width() < WIDE ? NARROW_NAME : WPOOL_NAME_MAX;
}

static int max_func(void)
{
	return !screen_is_open() ? INT_MAX : screen_width() < WIDE ? NARROW_FUNC : WIDE_FUNC;
}

/* ---- functions ------------------------------------------------------------ */

static void format_oldest(const struct cell *cell, char *buf, size_t len)
{
	worker_describe(cell->worker, buf, len);
}

static const struct errmsg *make_functions(const struct top *top, struct rows *rows)
{
	struct funcs funcs = { };
	int max_len = max_func();
	size_t i;
	int len;

	funcs_count(&funcs, &top->workers, NULL);
	rows->row = alloc_zeroed(funcs.nr, sizeof(*rows->row));
	rows->nr = funcs.nr;
	for (i = 0; i < funcs.nr; i++) {
		const struct func *func = &funcs.func[i];
		unsigned int hogs = func->nr[DOING_HOG];

		rows->row[i] = (struct row){
			.cell = {
				{ func->pool }, { func->name }, { .value = func->busy },
				{ .value = func->nr[DOING_ASLEEP] },
				{ .value = hogs, .style = hogs ? OUT_WARN : OUT_PLAIN },
				{ .value = func->oldest->since_ms, .worker = func->oldest },
			},
			.func = func->name,
		};
		len = strlen(func->name);
		rows->width[1] = min(-min(len, max_len), rows->width[1]);
	}
	funcs_exit(&funcs);
	return &top->workers_error;
}

/* ---- tables of counters ---------------------------------------------------- */

/* The row of the previous look with the same pool and the same value of column @key, or -1. */
static ssize_t last_row(const struct looks *looks, size_t row, const char *key)
{
	const char *pool = table_cell(&looks->now, row, "pool");
	const char *what = table_cell(&looks->now, row, key);
	size_t rows = looks->last.rows, n, i;

	/* most rows have not moved */
	for (n = 0; n < rows; n++) {
		i = (row + n) % rows;
		if (!strcmp(table_cell(&looks->last, i, "pool"), pool) &&
		    !strcmp(table_cell(&looks->last, i, key), what))
			return i;
	}
	return -1;
}

/* How much a counter grew per second between the two looks. */
static double rate(const struct top *top, const struct looks *looks, size_t row, ssize_t last,
		   const char *title)
{
	__s64 now = table_number(&looks->now, row, title, 0), before;

	if (last < 0 || top->look_ns <= top->last_ns)
		return 0;
	before = table_number(&looks->last, last, title, now);
	return before > now ? 0 : (double)(now - before) * NSEC_PER_SEC /
				  (top->look_ns - top->last_ns);
}

/* ---- costs ------------------------------------------------------------------ */

/* The mean of one task in ns. */
static double mean(const struct table *table, size_t row, const char *title, __s64 runs)
{
	return runs ? (double)table_number(table, row, title, 0) / runs : 0;
}

static const struct errmsg *make_costs(const struct top *top, struct rows *rows)
{
	static const struct errmsg none = {
		.text = "no pool counts what its functions cost: wpoolctl tune POOL latency=1",
	};
	const struct table *table = &top->costs.now;
	size_t i;

	rows->row = alloc_zeroed(table->rows, sizeof(*rows->row));
	rows->nr = table->rows;
	for (i = 0; i < rows->nr; i++) {
		const char *func = table_cell(table, i, "function");
		ssize_t last = last_row(&top->costs, i, "function");
		__s64 runs = table_number(table, i, "runs", 0);
		double run_ns = mean(table, i, "run_ns", runs);

		rows->row[i] = (struct row){
			.cell = {
				{ table_cell(table, i, "pool") },
				{ .value = rate(top, &top->costs, i, last, "runs") },
				{ .value = rate(top, &top->costs, i, last, "cpu_ns") * 100 /
					   NSEC_PER_SEC },
				{ .value = mean(table, i, "wait_ns", runs) },
				{ .value = run_ns },
				{ .value = run_ns - mean(table, i, "cpu_ns", runs) },
				{ .value = table_number(table, i, "worst_ns", 0) },
				{ func },
			},
			.func = func,
		};
	}
	return *top->costs.error.text || rows->nr ? &top->costs.error : &none;
}

static void format_ns(const struct cell *cell, char *buf, size_t len)
{
	format_short(cell->value < 0 ? 0 : cell->value, buf, len);
}

/* ---- workers -------------------------------------------------------------- */

static const enum out_style doing_styles[NR_DOINGS] = {
	[DOING_HOG] = OUT_WARN, [DOING_WAITING] = OUT_WARN, [DOING_RUNNING] = OUT_GOOD,
	[DOING_IDLE] = OUT_DIM,
};

static const struct errmsg *make_workers(const struct top *top, struct rows *rows)
{
	size_t i;

	rows->row = alloc_zeroed(top->workers.nr, sizeof(*rows->row));
	rows->nr = top->workers.nr;
	for (i = 0; i < rows->nr; i++) {
		const struct worker *worker = &top->workers.worker[i];

		rows->row[i] = (struct row){
			.cell = {
				{ worker->pool }, { .value = worker->pid },
				{ .value = worker->last_cpu },
				{ doing_names[worker->doing], worker->doing,
				  doing_styles[worker->doing] },
				{ .value = worker->since_ms },
				{ worker->func, .worker = worker },
			},
			.func = worker->func,
		};
	}
	return &top->workers_error;
}

static void format_since(const struct cell *cell, char *buf, size_t len)
{
	if (cell->value < 0)
		snprintf(buf, len, "-");
	else
		format_short(cell->value * NSEC_PER_MSEC, buf, len);
}

static void format_where(const struct cell *cell, char *buf, size_t len)
{
	const struct worker *worker = cell->worker;
	char where[64] = "";

	if (worker->doing == DOING_ASLEEP)
		worker_wchan(worker, where, sizeof(where));
	snprintf(buf, len, "%s%s%s", worker->func, *where ? ", in " : "", where);
}

/* ---- CPUs ----------------------------------------------------------------- */

static const struct errmsg *make_cpus(const struct top *top, struct rows *rows)
{
	const struct table *table = &top->cpus.now;
	size_t i;

	rows->row = alloc_zeroed(table->rows, sizeof(*rows->row));
	rows->nr = table->rows;
	for (i = 0; i < rows->nr; i++) {
		const char *pool = table_cell(table, i, "pool");
		const char *cpu = table_cell(table, i, "cpu");
		ssize_t last = last_row(&top->cpus, i, "cpu");
		__s64 queued = table_number(table, i, "queued", 0);

		rows->row[i] = (struct row){
			.cell = {
				/* the line of all CPUs is the last one */
				{ pool }, { cpu, table_number(table, i, "cpu", 1 << 30) },
				{ .value = table_number(table, i, "workers", 0) },
				{ .value = table_number(table, i, "idle", 0) },
				{ .value = queued,
				  .style = queued ? OUT_WARN : OUT_PLAIN },
				{ .value = rate(top, &top->cpus, i, last, "submitted") },
				{ .value = rate(top, &top->cpus, i, last, "completed") },
				{ .value = rate(top, &top->cpus, i, last, "stolen") },
			},
			.func = "",
		};
	}
	return &top->cpus.error;
}

/* ---- showing a list --------------------------------------------------------- */

static const struct list lists[NR_VIEWS] = {
	[VIEW_FUNCTIONS] = {
		.column = {
			{ "pool", WIDTH_POOL, BY_WORD },
			{ "function", -8, BY_WORD },
			{ "busy", 4, LARGEST_FIRST },
			{ "asleep", 6, LARGEST_FIRST },
			{ "hogs", 4, LARGEST_FIRST },
			{ "oldest", -6, LARGEST_FIRST, format_oldest },
		},
		.preset = 2,
		.make = make_functions,
	},
	[VIEW_COSTS] = {
		.column = {
			{ "pool", WIDTH_POOL, BY_WORD },
			{ "runs/s", 9, LARGEST_FIRST },
			{ "cpu%", 5, LARGEST_FIRST },
			{ "wait", 7, LARGEST_FIRST, format_ns },
			{ "run", 7, LARGEST_FIRST, format_ns },
			{ "off", 7, LARGEST_FIRST, format_ns },
			{ "worst", 7, LARGEST_FIRST, format_ns },
			{ "function", -8, BY_WORD },
		},
		.preset = 2,
		.make = make_costs,
	},
	[VIEW_WORKERS] = {
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
	},
	[VIEW_CPUS] = {
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
	},
};

size_t list_nr_columns(enum view view)
{
	size_t nr = 0;

	while (lists[view].column[nr].title)
		nr++;
	return nr;
}

size_t list_preset_sort(enum view view)
{
	return lists[view].preset;
}

static int compare_cells(const struct list_column *column, const struct cell *one,
			 const struct cell *other)
{
	switch (column->order) {
	case BY_WORD:
		return strcmp(one->word, other->word);
	case SMALLEST_FIRST:
		return top_compare_values(other->value, one->value);
	default:
		return top_compare_values(one->value, other->value);
	}
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct top *top = arg;
	const struct list_column *column = lists[top->view].column;
	const struct row *one = a, *other = b;
	size_t i = top->sort;
	int order = compare_cells(&column[i], &one->cell[i], &other->cell[i]);

	if (top->reverse)
		order = -order;
	for (i = lists[top->view].tie; !order && column[i].title; i++)
		order = compare_cells(&column[i], &one->cell[i], &other->cell[i]);
	return order;
}

static void show_cell(const struct list_column *column, int width, bool last,
		      const struct cell *cell)
{
	const char *word = cell->word;
	char text[128];

	if (column->format) {
		column->format(cell, text, sizeof(text));
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
		screen_put(OUT_PLAIN, i ? " " : "");
		show_cell(&column[i], rows->width[i], !column[i + 1].title, &row->cell[i]);
	}
	screen_end_line();
}

/* Width of the names of pools: as wide as the longest, if the screen has room. */
static int name_width(const struct top *top)
{
	int width = 7;
	size_t i;

	for (i = 0; i < top->pools.nr; i++)
		width = max(width, strlen(top->pools.pool[i].name));
	return min(width, top_max_name());
}

void show_list(struct top *top)
{
	const struct list *list = &lists[top->view];
	const struct errmsg *error;
	struct rows rows = { };
	size_t i, shown = 0;

	for (i = 0; list->column[i].title; i++)
		rows.width[i] = list->column[i].width ?: -name_width(top);
	error = list->make(top, &rows);
	if (*error->text) {
		screen_put(OUT_WARN, "%s", error->text);
		screen_end_line();
		free(rows.row);
		return;
	}
	for (i = 0; list->column[i].title; i++) {
		screen_put(OUT_BOLD, i ? " " : "");
		screen_put(screen_is_open() && i == top->sort ? OUT_GOOD : OUT_BOLD, "%*s",
			   rows.width[i], list->column[i].title);
	}
	screen_end_line();
	if (rows.nr)
		qsort_r(rows.row, rows.nr, sizeof(*rows.row), compare_rows, top);
	for (i = 0; i < rows.nr; i++) {
		const struct row *row = &rows.row[i];

		if (top_passes(top, row->cell[0].word, row->func) && top_is_shown(top, shown++))
			show_row(list, &rows, row);
	}
	top->nr_lines = shown;
	free(rows.row);
}
