// SPDX-License-Identifier: GPL-2.0
/* The table of columns. */
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "parse.h"

enum kind { NAME, STATE, OWNER, CAPACITY, QUEUE_DEPTH, LEVEL, PRESSURE, RATE, WAIT, RUN };

struct column {
	const char *name;	/* of --columns: the file in sysfs; a rate has "/s" */
	const char *title;
	enum kind kind;
	enum figure figure;
	unsigned int ppm;	/* of a time: which percentile */
};

static const struct column all_columns[] = {
	{ "name", "name", NAME, 0 },
	{ "state", "state", STATE, 0 },
	{ "owner", "owner", OWNER, 0 },
	{ "capacity", "capacity", CAPACITY, 0 },
	{ "queue_depth", "depth", QUEUE_DEPTH, 0 },
	{ "workers", "workers", LEVEL, FIGURE_WORKERS },
	{ "idle", "idle", LEVEL, FIGURE_IDLE },
	{ "searching", "searching", LEVEL, FIGURE_SEARCHING },
	{ "busy", "busy", LEVEL, FIGURE_BUSY },
	{ "blocked", "blocked", LEVEL, FIGURE_BLOCKED },
	{ "waiting", "waiting", LEVEL, FIGURE_WAITING },
	{ "queued", "queued", LEVEL, FIGURE_QUEUED },
	{ "outstanding", "outstanding", LEVEL, FIGURE_OUTSTANDING },
	{ "submitted", "submitted", LEVEL, FIGURE_SUBMITTED },
	{ "completed", "completed", LEVEL, FIGURE_COMPLETED },
	{ "failed", "failed", LEVEL, FIGURE_FAILED },
	{ "cancelled", "cancelled", LEVEL, FIGURE_CANCELLED },
	{ "overdue", "overdue", LEVEL, FIGURE_OVERDUE },
	{ "errors", "errors", LEVEL, FIGURE_ERRORS },
	{ "refused", "refused", LEVEL, FIGURE_REFUSED },
	{ "stolen", "stolen", LEVEL, FIGURE_STOLEN },
	{ "handoffs", "handoffs", LEVEL, FIGURE_HANDOFFS },
	{ "hogs", "hogs", LEVEL, FIGURE_HOGS },
	{ "spawned", "spawned", LEVEL, FIGURE_SPAWNED },
	{ "expired", "expired", LEVEL, FIGURE_EXPIRED },
	{ "faults", "faults", LEVEL, FIGURE_FAULTS },
	{ "spawn_failed", "spawn_failed", LEVEL, FIGURE_SPAWN_FAILED },
	{ "exhausted", "exhausted", LEVEL, FIGURE_EXHAUSTED },
	{ "rescued", "rescued", LEVEL, FIGURE_RESCUED },
	{ "pressure", "press%", PRESSURE, 0 },
	{ "submitted/s", "submit/s", RATE, FIGURE_SUBMITTED },
	{ "completed/s", "done/s", RATE, FIGURE_COMPLETED },
	{ "failed/s", "fail/s", RATE, FIGURE_FAILED },
	{ "cancelled/s", "cancel/s", RATE, FIGURE_CANCELLED },
	{ "overdue/s", "late/s", RATE, FIGURE_OVERDUE },
	{ "errors/s", "error/s", RATE, FIGURE_ERRORS },
	{ "refused/s", "refuse/s", RATE, FIGURE_REFUSED },
	{ "stolen/s", "stolen/s", RATE, FIGURE_STOLEN },
	{ "handoffs/s", "handoff/s", RATE, FIGURE_HANDOFFS },
	{ "hogs/s", "hog/s", RATE, FIGURE_HOGS },
	{ "spawned/s", "spawn/s", RATE, FIGURE_SPAWNED },
	{ "wait_p50", "wait50", WAIT, 0, 500000 },
	{ "wait_p99", "wait99", WAIT, 0, 990000 },
	{ "run_p50", "run50", RUN, 0, 500000 },
	{ "run_p99", "run99", RUN, 0, 990000 },
	{ }
};

/* In 80 columns: with times there is no room for all of the rest. */
#define BUSY		"name,capacity,queue_depth,submitted/s,completed/s,workers,busy,blocked," \
			"waiting,queued,"
#define BUSY_WITH_TIMES	"name,capacity,queue_depth,completed/s,wait_p50,wait_p99,run_p50,run_p99," \
			"busy,waiting,queued,submitted/s,workers,blocked,"
#define BUSY_REST	"refused/s,hogs/s,handoffs/s,stolen/s,spawned/s,failed/s,cancelled/s," \
			"pressure,idle,outstanding,owner"

/* Rates, and times of the tasks between. */
static bool needs_two_looks(const struct column *column)
{
	return column->kind == RATE || column->kind == WAIT || column->kind == RUN;
}

/* ---- choosing ------------------------------------------------------------- */

static const struct column *find_column(const char *name, size_t len, bool rates)
{
	const struct column *column;

	for (column = all_columns; column->name; column++) {
		if (needs_two_looks(column) && !rates)
			continue;
		if ((strlen(column->name) == len && !memcmp(column->name, name, len)) ||
		    (strlen(column->title) == len && !memcmp(column->title, name, len)))
			return column;
	}
	return NULL;
}

static int unknown_column(const char *name, size_t len, bool rates, struct errmsg *e)
{
	const struct column *column;
	char known[ERRMSG_LEN] = "";
	size_t at = 0;

	for (column = all_columns; column->name && at < sizeof(known); column++)
		if (!needs_two_looks(column) || rates)
			at += snprintf(known + at, sizeof(known) - at, " %s",
				       column->name);
	return errmsg_set(e, "no column '%.*s'; there are: all%s",
			  len < 40 ? (int)len : 40, name, known);
}

const char *columns_explain(const struct columns *columns, const char *name, struct errmsg *e)
{
	char known[ERRMSG_LEN] = "";
	size_t at = 0, i;

	for (i = 0; i < columns->nr && at < sizeof(known); i++)
		at += snprintf(known + at, sizeof(known) - at, " %s", columns->column[i]->name);
	errmsg_set(e, ERRMSG_Q " is none of the columns; there are:%s", name, known);
	return e->text;
}

static void add_column(struct columns *columns, const struct column *column)
{
	columns->column[columns->nr] = column;
	columns->width[columns->nr++] = strlen(column->title);
}

int columns_parse(struct columns *columns, const char *names, bool rates,
		  struct errmsg *e)
{
	struct columns parsed = { .chosen = true };
	const struct column *column;
	size_t len;

	if (!strcmp(names, "all")) {
		for (column = all_columns; column->name; column++)
			if (!needs_two_looks(column) || rates)
				add_column(&parsed, column);
		*columns = parsed;
		return 0;
	}
	for (;; names += len + 1) {
		len = strcspn(names, ",");
		column = find_column(names, len, rates);
		if (!column)
			return unknown_column(names, len, rates, e);
		if (parsed.nr == MAX_COLUMNS)
			return errmsg_set(e, "more than %d columns", MAX_COLUMNS);
		add_column(&parsed, column);
		if (!names[len])
			break;
	}
	*columns = parsed;
	return 0;
}

void columns_set(struct columns *columns, const char *names)
{
	struct errmsg e;

	if (columns_parse(columns, names, true, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	columns->chosen = false;
}

bool columns_set_busy(struct columns *columns, bool times)
{
	int max_name = columns->max_name;

	if (columns->chosen || (columns->nr && columns->has_times == times))
		return false;
	columns_set(columns, times ? BUSY_WITH_TIMES BUSY_REST : BUSY BUSY_REST);
	columns->max_name = max_name;
	columns->has_times = times;
	return true;
}

void columns_print_help(bool rates)
{
	const struct column *column;
	int at = 0;

	printf("\nColumns:");
	for (column = all_columns; column->name; column++) {
		if (needs_two_looks(column) && !rates)
			continue;
		if (!at || at + (int)strlen(column->name) + 1 > 78)
			at = printf("\n ") - 1;
		at += printf(" %s", column->name);
	}
	putchar('\n');
}

/* ---- what they say -------------------------------------------------------- */

const struct column *column_find(const char *name)
{
	return find_column(name, strlen(name), true);
}

const char *column_name(const struct column *column)
{
	return column->name;
}

const char *column_title(const struct column *column)
{
	return column->title;
}

bool column_is_number(const struct column *column)
{
	return column->kind != NAME && column->kind != STATE && column->kind != OWNER;
}

bool column_is_state(const struct column *column)
{
	return column->kind == STATE;
}

bool snapshots_compare(const struct snapshot *before, const struct snapshot *now)
{
	const struct column *column;

	for (column = all_columns; column->name; column++)
		if (column->kind == RATE &&
		    now->value[column->figure] < before->value[column->figure])
			return false;
	return now->when_ns > before->when_ns;
}

double snapshot_rate(const struct snapshot *before, const struct snapshot *now,
		     enum figure figure)
{
	return (double)(now->value[figure] - before->value[figure]) *
	       NSEC_PER_SEC / (now->when_ns - before->when_ns);
}

bool snapshots_have_times(const struct snapshot *before, const struct snapshot *now)
{
	return before && now->hists.nr_buckets;
}

/* A percentile of what came between two looks; -1 if nothing did. */
static double time_ns(const struct column *column, const struct pool_line *line)
{
	enum hist_kind kind = column->kind == WAIT ? HIST_WAIT : HIST_RUN;
	static struct hists between;

	if (!snapshots_have_times(line->before, line->now))
		return -1;
	hists_between(&line->before->hists, &line->now->hists, &between);
	if (!between.hist[kind].nr)
		return -1;
	return hist_percentile(&between, kind, column->ppm);
}

/* "max" is more than any number. */
static double limit_value(const char *text)
{
	return strcmp(text, "max") ? strtod(text, NULL) : 1e300;
}

double column_value(const struct column *column, const struct pool_line *line)
{
	switch (column->kind) {
	case CAPACITY:
		return limit_value(line->now->capacity);
	case QUEUE_DEPTH:
		return limit_value(line->now->queue_depth);
	case LEVEL:
		return line->now->value[column->figure];
	case PRESSURE:
		return line->now->pressure.percent[0];
	case RATE:
		return line->before ?
		       snapshot_rate(line->before, line->now, column->figure) : 0;
	case WAIT:
	case RUN:
		return time_ns(column, line);
	default:
		return 0;
	}
}

void column_format(const struct column *column, const struct pool_line *line, char *buf)
{
	double value;

	switch (column->kind) {
	case NAME:
		snprintf(buf, CELL_LEN, "%s", line->name);
		break;
	case STATE:
		snprintf(buf, CELL_LEN, "%s", line->now->state);
		break;
	case OWNER:
		snprintf(buf, CELL_LEN, "%s", line->now->owner);
		break;
	case CAPACITY:
		snprintf(buf, CELL_LEN, "%s", line->now->capacity);
		break;
	case QUEUE_DEPTH:
		snprintf(buf, CELL_LEN, "%s", line->now->queue_depth);
		break;
	case LEVEL:
		snprintf(buf, CELL_LEN, "%llu", line->now->value[column->figure]);
		break;
	case PRESSURE:
		snprintf(buf, CELL_LEN, "%.2f", column_value(column, line));
		break;
	case RATE:
		value = column_value(column, line);
		snprintf(buf, CELL_LEN, "%.*f", value > 0 && value < 10 ? 1 : 0, value);
		break;
	case WAIT:
	case RUN:
		value = column_value(column, line);
		if (value < 0)
			snprintf(buf, CELL_LEN, "-");
		else
			format_short(value, buf, CELL_LEN);
		break;
	}
}

static void add_json(const struct column *column, const struct pool_line *line,
		     struct json_object *to)
{
	const struct snapshot *now = line->now;
	double value;
	char key[32];

	switch (column->kind) {
	case NAME:
		out_json_add_string(to, column->name, line->name);
		break;
	case STATE:
		out_json_add_string(to, column->name, now->state);
		break;
	case OWNER:
		out_json_add_file(to, column->name, now->owner);
		break;
	case CAPACITY:
		out_json_add_value(to, column->name, now->capacity);
		break;
	case QUEUE_DEPTH:
		out_json_add_value(to, column->name, now->queue_depth);
		break;
	case LEVEL:
		out_json_add_u64(to, column->name, now->value[column->figure]);
		break;
	case PRESSURE:
		out_json_add_pressure(to, column->name, &now->pressure);
		break;
	case RATE:
		snprintf(key, sizeof(key), "%s_per_s", figure_names[column->figure]);
		out_json_add_double(to, key, column_value(column, line));
		break;
	case WAIT:
	case RUN:
		value = column_value(column, line);
		snprintf(key, sizeof(key), "%s_ns", column->name);
		if (value >= 0)
			out_json_add_u64(to, key, value);
		break;
	}
}

void columns_add_json(const struct columns *columns, const struct pool_line *line,
		      struct json_object *to)
{
	size_t i;

	for (i = 0; i < columns->nr; i++)
		add_json(columns->column[i], line, to);
}

/* ---- lines ---------------------------------------------------------------- */

void columns_widen(struct columns *columns, const struct pool_line *line)
{
	char cell[CELL_LEN];
	size_t i;
	int len;

	for (i = 0; i < columns->nr; i++) {
		column_format(columns->column[i], line, cell);
		len = strlen(cell);
		if (columns->column[i]->kind == NAME && columns->max_name &&
		    len > columns->max_name)
			len = columns->max_name;
		if (len > columns->width[i])
			columns->width[i] = len;
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

static void print_cell(const struct columns *columns, size_t i, size_t nr,
		       const char *style, const char *text)
{
	bool left = !column_is_number(columns->column[i]);
	int space = columns->width[i] - (int)strlen(text);

	if (i)
		putchar(' ');
	/* nothing behind the last word of a line */
	printf("%*s%s%s%s%*s", left ? 0 : space, "", style, text, *style ? out_plain() : "",
	       left && i + 1 < nr ? space : 0, "");
}

void columns_print_titles(const struct columns *columns, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		print_cell(columns, i, nr, out_style(OUT_BOLD),
			   columns->column[i]->title);
	putchar('\n');
}

void columns_print(const struct columns *columns, size_t nr, const struct pool_line *line)
{
	char cell[CELL_LEN];
	const char *style;
	size_t i;

	for (i = 0; i < nr; i++) {
		column_format(columns->column[i], line, cell);
		style = column_is_state(columns->column[i]) ?
			out_style(out_state_style(cell)) : "";
		print_cell(columns, i, nr, style, cell);
	}
	putchar('\n');
}
