// SPDX-License-Identifier: GPL-2.0
/* The lists of wpoolctl top: functions, their costs, workers and CPUs. */
#include "parse.h"
#include "top-list.h"

static const struct errmsg *workers_error(const struct top *top)
{
	return &top->workers_error;
}

/* ---- functions ------------------------------------------------------------ */

static void format_oldest(const struct cell *cell, char *buf, size_t len)
{
	worker_describe(cell->worker, buf, len);
}

static void make_functions(struct top *top, struct rows *rows)
{
	struct funcs funcs = { };
	int max_func = top_max_func();
	size_t i;
	int len;

	funcs_count(&funcs, &top->workers, NULL);
	rows_init(rows, funcs.nr);
	for (i = 0; i < funcs.nr; i++) {
		const struct func *func = &funcs.func[i];
		unsigned int hogs = func->nr[DOING_HOG];

		rows->row[i] = (struct row){
			.cell = {
				{ func->pool }, { func->name }, { .value = func->busy },
				{ .value = func->nr[DOING_ASLEEP] },
				{ .value = hogs, .style = hogs ? SCREEN_WARN : SCREEN_PLAIN },
				{ .value = func->oldest->since_ms, .worker = func->oldest },
			},
			.func = func->name,
		};
		len = strlen(func->name);
		if (len > -rows->width[1])
			rows->width[1] = -(len < max_func ? len : max_func);
	}
	funcs_exit(&funcs);
}

const struct list function_list = {
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
	.error = workers_error,
};

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

static void make_costs(struct top *top, struct rows *rows)
{
	const struct table *table = &top->costs.now;
	size_t i;

	rows_init(rows, table->rows);
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
}

static void format_ns(const struct cell *cell, char *buf, size_t len)
{
	format_short(cell->value < 0 ? 0 : cell->value, buf, len);
}

static const struct errmsg *costs_error(const struct top *top)
{
	static const struct errmsg none = {
		.text = "no pool counts what its functions cost: wpoolctl tune POOL latency=1",
	};

	return *top->costs.error.text || top->costs.now.rows ? &top->costs.error : &none;
}

const struct list cost_list = {
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
	.error = costs_error,
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

static void make_workers(struct top *top, struct rows *rows)
{
	size_t i;

	rows_init(rows, top->workers.nr);
	for (i = 0; i < rows->nr; i++) {
		const struct worker *worker = &top->workers.worker[i];

		rows->row[i] = (struct row){
			.cell = {
				{ worker->pool }, { .value = worker->pid },
				{ .value = worker->last_cpu },
				{ doing_names[worker->doing], worker->doing,
				  doing_style(worker->doing) },
				{ .value = worker->since_ms },
				{ worker->func, .worker = worker },
			},
			.func = worker->func,
		};
	}
}

static void format_since(const struct cell *cell, char *buf, size_t len)
{
	format_ms(cell->value, buf, len);
}

static void format_where(const struct cell *cell, char *buf, size_t len)
{
	const struct worker *worker = cell->worker;
	char where[64] = "";

	if (worker->doing == DOING_ASLEEP)
		worker_wchan(worker, where, sizeof(where));
	snprintf(buf, len, "%s%s%s", worker->func, *where ? ", in " : "", where);
}

const struct list worker_list = {
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

static void make_cpus(struct top *top, struct rows *rows)
{
	const struct table *table = &top->cpus.now;
	size_t i;

	rows_init(rows, table->rows);
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
				  .style = queued ? SCREEN_WARN : SCREEN_PLAIN },
				{ .value = rate(top, &top->cpus, i, last, "submitted") },
				{ .value = rate(top, &top->cpus, i, last, "completed") },
				{ .value = rate(top, &top->cpus, i, last, "stolen") },
			},
			.func = "",
		};
	}
}

static const struct errmsg *cpus_error(const struct top *top)
{
	return &top->cpus.error;
}

const struct list cpu_list = {
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
