// SPDX-License-Identifier: GPL-2.0
/* The table of columns. */
#include "columns.h"

#include "screen.h"

enum kind { NAME, TEXT, LIMIT, LEVEL, PRESSURE, RATE, TIME };

struct column {
	const char *name;	/* for --columns: the file in sysfs; a rate ends with "/s" */
	const char *title;	/* NULL: the title is the name, and a rate has no column */
	enum kind kind;
	enum figure figure;	/* of a LEVEL or a RATE */
	size_t text;		/* of a TEXT or a LIMIT: where it is in struct snapshot */
	enum hist_kind hist;	/* of a TIME: what it is, and its percentile, in millionths */
	unsigned int ppm;
};

static const struct column all_columns[] = {
	{ "name", "name", NAME },
	{ "state", "state", TEXT, .text = offsetof(struct snapshot, state) },
	{ "owner", "owner", TEXT, .text = offsetof(struct snapshot, owner) },
	{ "capacity", "capacity", LIMIT, .text = offsetof(struct snapshot, capacity) },
	{ "queue_depth", "depth", LIMIT, .text = offsetof(struct snapshot, queue_depth) },
#define WPOOL_FIGURE(_name, _NAME, ...) { #_name, NULL, LEVEL, FIGURE_##_NAME },
#include "../../module/pool/figure_table.h"
	{ "pressure", "press%", PRESSURE },
#define WPOOL_FIGURE(_name, _NAME, _where, _kind, _title, ...) \
	{ #_name "/s", _title, RATE, FIGURE_##_NAME },
#include "../../module/pool/figure_table.h"
	{ "wait_p50", "wait50", TIME, .hist = HIST_WAIT, .ppm = 500000 },
	{ "wait_p99", "wait99", TIME, .hist = HIST_WAIT, .ppm = 990000 },
	{ "run_p50", "run50", TIME, .hist = HIST_RUN, .ppm = 500000 },
	{ "run_p99", "run99", TIME, .hist = HIST_RUN, .ppm = 990000 },
};

/* The most important columns first: a terminal of 80 characters has no room for the last ones. */
#define BUSY		"name,capacity,queue_depth,submitted/s,completed/s,workers,busy,blocked," \
			"waiting,queued,"
#define BUSY_WITH_TIMES	"name,capacity,queue_depth,completed/s,wait_p50,wait_p99,run_p50,run_p99," \
			"busy,waiting,queued,submitted/s,workers,blocked,"
#define BUSY_REST	"refused/s,hogs/s,handoffs/s,stolen/s,spawned/s,failed/s,cancelled/s," \
			"pressure,idle,outstanding,owner"

const char *column_name(const struct column *column)
{
	return column->name;
}

static const char *column_title(const struct column *column)
{
	return column->title ?: column->name;
}

/* Rates and times cover the time between two looks. */
static bool needs_two_looks(const struct column *column)
{
	return column->kind == RATE || column->kind == TIME;
}

/*
 * Returns the column after @column, or the first if @column is NULL; NULL after the last. Rates and
 * times only if @rates.
 */
static const struct column *next_column(const struct column *column, bool rates)
{
	for (column = column ? column + 1 : all_columns;
	     column < all_columns + ARRAY_SIZE(all_columns); column++)
		if ((column->title || column->kind != RATE) && (rates || !needs_two_looks(column)))
			return column;
	return NULL;
}

/* ---- choosing ------------------------------------------------------------- */

static bool is_called(const char *called, const char *name, size_t len)
{
	return strlen(called) == len && !memcmp(called, name, len);
}

const struct column *columns_find(const char *name, size_t len, bool rates, const char *all,
				  struct errmsg *e)
{
	const struct column *column = NULL;
	char known[ERRMSG_LEN] = "";

	while ((column = next_column(column, rates))) {
		if (is_called(column->name, name, len) ||
		    is_called(column_title(column), name, len))
			return column;
		errmsg_join(known, sizeof(known), " ", "%s", column->name);
	}
	errmsg_set(e, "no column '%.*s'; there are: %s%s", len < 40 ? (int)len : 40, name, all,
		   known);
	return NULL;
}

static void add_column(struct columns *columns, const struct column *column)
{
	columns->column[columns->nr] = column;
	columns->width[columns->nr++] = strlen(column_title(column));
}

size_t columns_place(struct columns *columns, const struct column *column)
{
	size_t i;

	for (i = 0; i < columns->nr; i++)
		if (columns->column[i] == column)
			return i;
	add_column(columns, column);
	return i;
}

static int parse(struct columns *columns, const char *names, bool rates, struct errmsg *e)
{
	struct columns parsed = { .chosen = true };
	const struct column *column;
	size_t len;

	for (;; names += len + 1) {
		len = strcspn(names, ",");
		column = columns_find(names, len, rates, "all ", e);
		if (!column)
			return -1;
		if (parsed.nr == MAX_COLUMNS)
			return errmsg_set(e, "more than %d columns", MAX_COLUMNS);
		add_column(&parsed, column);
		if (!names[len])
			break;
	}
	*columns = parsed;
	return 0;
}

void columns_choose_all(struct columns *columns, bool rates)
{
	const struct column *column = NULL;

	*columns = (struct columns){ .chosen = true };
	while ((column = next_column(column, rates)))
		add_column(columns, column);
}

int columns_set_option(const struct cli_option *option, void *to, const char *value,
		       struct errmsg *e)
{
	struct columns *columns = to + option->offset;

	if (strcmp(value, "all"))
		return parse(columns, value, option->max, e);
	columns_choose_all(columns, option->max);
	return 0;
}

void columns_preset(struct columns *columns, const char *names)
{
	struct errmsg e;

	parse(columns, names, true, &e);
	columns->chosen = false;
}

bool columns_set_busy(struct columns *columns, bool times)
{
	int max_name = columns->max_name;

	if (columns->chosen || (columns->nr && columns->has_times == times))
		return false;
	columns_preset(columns, times ? BUSY_WITH_TIMES BUSY_REST : BUSY BUSY_REST);
	columns->max_name = max_name;
	columns->has_times = times;
	return true;
}

void columns_print_help(int rates)
{
	const struct column *column = NULL;
	char names[ERRMSG_LEN] = "";

	while ((column = next_column(column, rates)))
		errmsg_join(names, sizeof(names), " ", "%s", column->name);
	printf("\nColumns:\n");
	cli_print_text(names, 2, 0, CLI_WIDTH);
}

void columns_put_names(void)
{
	const struct column *column = NULL;

	while ((column = next_column(column, true)))
		puts(column->name);
}

/* ---- values --------------------------------------------------------------- */

bool column_is_number(const struct column *column)
{
	return column->kind != NAME && column->kind != TEXT;
}

/* A percentile of the times between two looks; -1 if there are none. */
static double time_ns(const struct column *column, const struct pool *pool)
{
	static struct hists between;

	if (!pool->valid || !pool->now.hists.nr_buckets)
		return -1;
	hists_between(&pool->last.hists, &pool->now.hists, &between);
	if (!between.hist[column->hist].nr)
		return -1;
	return hist_percentile(&between, column->hist, column->ppm);
}

/* The value of a column that is text in sysfs, else NULL. */
static const char *text_of(const struct column *column, const struct pool *pool)
{
	if (column->kind == NAME)
		return pool->name;
	return column->kind == TEXT || column->kind == LIMIT ?
	       (const char *)&pool->now + column->text : NULL;
}

/* "max" is more than any number. */
static double limit_value(const char *text)
{
	return strcmp(text, "max") ? strtod(text, NULL) : 1e300;
}

double column_value(const struct column *column, const struct pool *pool)
{
	switch (column->kind) {
	case LIMIT:
		return limit_value(text_of(column, pool));
	case LEVEL:
		return pool_figure(pool, column->figure);
	case PRESSURE:
		return pool->now.pressure.percent[0];
	case RATE:
		return pool_rate(pool, column->figure);
	case TIME:
		return time_ns(column, pool);
	default:
		return 0;
	}
}

void column_format(const struct column *column, const struct pool *pool, char *buf)
{
	const char *text = text_of(column, pool);
	double value = column_value(column, pool);

	if (text)
		snprintf(buf, CELL_LEN, "%s", text);
	else if (column->kind == LEVEL)
		snprintf(buf, CELL_LEN, "%llu", pool_figure(pool, column->figure));
	else if (column->kind == PRESSURE)
		snprintf(buf, CELL_LEN, "%.2f", value);
	else if (column->kind == RATE)
		snprintf(buf, CELL_LEN, "%.*f", value > 0 && value < 10 ? 1 : 0, value);
	else if (value < 0)
		snprintf(buf, CELL_LEN, "-");
	else
		format_short(value, buf, CELL_LEN);
}

static void add_json(const struct column *column, const struct pool *pool, struct json_object *to)
{
	const char *text = text_of(column, pool);
	double value = column_value(column, pool);
	char key[32];

	if (column->kind == NAME) {
		json_put(to, column->name, text);
	} else if (text) {
		json_put_file(to, column->name, text);
	} else if (column->kind == LEVEL) {
		json_put(to, column->name, pool_figure(pool, column->figure));
	} else if (column->kind == PRESSURE) {
		json_put_pressure(to, column->name, &pool->now.pressure);
	} else if (column->kind == RATE) {
		snprintf(key, sizeof(key), "%s_per_s", figures[column->figure].name);
		json_put(to, key, value);
	} else {
		snprintf(key, sizeof(key), "%s_ns", column->name);
		json_put_object(to, key, NULL);
		if (value >= 0)
			json_put(to, key, (__u64)value);
	}
}

struct json_object *columns_json(const struct columns *columns, const struct pool *pool)
{
	struct json_object *json = json_new();
	size_t i;

	json_put(json, "name", (const char *)pool->name);
	for (i = 0; i < columns->nr; i++)
		add_json(columns->column[i], pool, json);
	return json;
}

/* ---- lines ---------------------------------------------------------------- */

void columns_widen(struct columns *columns, const struct pool *pool)
{
	char cell[CELL_LEN];
	size_t i;
	int len;

	for (i = 0; i < columns->nr; i++) {
		column_format(columns->column[i], pool, cell);
		len = strlen(cell);
		if (columns->column[i]->kind == NAME)
			len = min(len, columns->max_name ?: INT_MAX);
		columns->width[i] = max(columns->width[i], len);
	}
}

size_t columns_fit(const struct columns *columns, int width)
{
	size_t nr;
	int at = columns->nr ? columns->width[0] : 0;

	if (columns->chosen)
		return columns->nr;
	for (nr = 1; nr < columns->nr; nr++) {
		at += 1 + columns->width[nr];
		if (at > width)
			break;
	}
	return nr;
}

/* The style that marks saturation: tasks that wait or are refused, a full pool or queue, hogs. */
static enum out_style cell_style(const struct pool *pool, const char *column)
{
	__u64 queued = pool_figure(pool, FIGURE_QUEUED);
	__u64 waiting = pool_figure(pool, FIGURE_WAITING);
	bool is_used_up = pool_figure(pool, FIGURE_BUSY) >= limit_value(pool->now.capacity);
	bool is_queue_full = queued >= limit_value(pool->now.queue_depth);

	if (!strcmp(column, "waiting") && waiting)
		return OUT_BAD;
	if ((!strcmp(column, "busy") || !strcmp(column, "capacity")) && is_used_up)
		return queued || waiting ? OUT_BAD : OUT_WARN;
	if (!strcmp(column, "queued") && queued && (is_used_up || is_queue_full))
		return OUT_BAD;
	if (!strcmp(column, "hogs/s") && pool_rate(pool, FIGURE_HOGS))
		return OUT_WARN;
	if (!strcmp(column, "refused/s") && pool_rate(pool, FIGURE_REFUSED))
		return OUT_BAD;
	if (!strcmp(column, "state"))
		return out_state_style(pool->now.state);
	return OUT_PLAIN;
}

static void put_cell(const struct columns *columns, size_t i, size_t nr, enum out_style style,
		     const char *text)
{
	bool left = !column_is_number(columns->column[i]);
	int width = columns->width[i];

	screen_put(OUT_PLAIN, i ? " " : "");
	/* no blanks behind the last word of a line */
	screen_put(style, "%*.*s", !left ? width : i + 1 < nr ? -width : 0, width, text);
}

void columns_print_titles(const struct columns *columns, size_t nr, size_t marked)
{
	size_t i;

	for (i = 0; i < nr; i++)
		put_cell(columns, i, nr, i == marked ? OUT_GOOD : OUT_BOLD,
			 column_title(columns->column[i]));
	screen_end_line();
}

void columns_print(const struct columns *columns, size_t nr, const struct pool *pool)
{
	char cell[CELL_LEN];
	size_t i;

	for (i = 0; i < nr; i++) {
		column_format(columns->column[i], pool, cell);
		put_cell(columns, i, nr, cell_style(pool, columns->column[i]->name), cell);
	}
	screen_end_line();
}
