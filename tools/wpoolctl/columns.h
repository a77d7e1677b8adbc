/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of list, stat and top: what there is, which are chosen, how many fit
 * into a line, and what stands in a cell.
 */
#ifndef WPOOLCTL_COLUMNS_H
#define WPOOLCTL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "errmsg.h"
#include "sysfs.h"

#define MAX_COLUMNS	48
#define CELL_LEN	64

struct column;
struct json_object;

struct columns {
	const struct column *column[MAX_COLUMNS];
	int width[MAX_COLUMNS];		/* grows with what is shown */
	size_t nr;
	int max_name;			/* longer names are cut; 0: none is */
	bool chosen;			/* by name: all of them are shown */
	bool has_times;			/* set by columns_set_busy() */
};

/* One line: a pool now, and at the look before, or NULL if that is unknown. */
struct pool_line {
	const char *name;
	const struct snapshot *now;
	const struct snapshot *before;
};

/*
 * Names of columns, separated by commas, or "all". Rates only if @rates. 0, or -1 and a
 * message with the names that there are.
 */
int columns_parse(struct columns *columns, const char *names, bool rates,
		  struct errmsg *e);

/* Says that @name is none of these columns, and which there are; returns the message. */
const char *columns_explain(const struct columns *columns, const char *name, struct errmsg *e);

/* columns_parse() of a list that is known to be right. */
void columns_set(struct columns *columns, const char *names);

/*
 * What stat and top show unless columns were chosen: with times if a pool takes them.
 * True if the columns are others than before.
 */
bool columns_set_busy(struct columns *columns, bool times);

/* A column by its name; there must be one. */
const struct column *column_find(const char *name);
const char *column_name(const struct column *column);
const char *column_title(const struct column *column);
/* Does it say how much, so that larger values come first when sorted? */
bool column_is_number(const struct column *column);
bool column_is_state(const struct column *column);
double column_value(const struct column *column, const struct pool_line *line);

/* What stands in a cell, @buf of CELL_LEN. */
void column_format(const struct column *column, const struct pool_line *line, char *buf);

/* Widen the columns for this line. */
void columns_widen(struct columns *columns, const struct pool_line *line);

/* How many of the columns fit, from the first on: at least one, all if they were chosen. */
size_t columns_fit(const struct columns *columns, int width);

/* The titles, and the cells of a line, of the first @nr columns. */
void columns_print_titles(const struct columns *columns, size_t nr);
void columns_print(const struct columns *columns, size_t nr, const struct pool_line *line);

/* What stands in the columns, by the names of the sysfs files, NAME_per_s and NAME_ns. */
void columns_add_json(const struct columns *columns, const struct pool_line *line,
		      struct json_object *to);

/* All names, for the help: rates only if @rates. */
void columns_print_help(bool rates);

/* False if the pool was created again between the two looks: its counters started at 0. */
bool snapshots_compare(const struct snapshot *before, const struct snapshot *now);
bool snapshots_have_times(const struct snapshot *before, const struct snapshot *now);
double snapshot_rate(const struct snapshot *before, const struct snapshot *now,
		     enum figure figure);

#endif /* WPOOLCTL_COLUMNS_H */
