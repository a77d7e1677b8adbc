/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of list, stat and top: which exist, which are chosen, how many fit into a line, and
 * the text of a cell.
 */
#ifndef WPOOLCTL_COLUMNS_H
#define WPOOLCTL_COLUMNS_H

#include "cli.h"
#include "pools.h"

#define MAX_COLUMNS	48
#define CELL_LEN	64

struct column;
struct json_object;

struct columns {
	const struct column *column[MAX_COLUMNS + 1];	/* one more for columns_place() */
	int width[MAX_COLUMNS + 1];	/* grows with the values shown */
	size_t nr;
	int max_name;			/* longer names are cut; 0: no limit */
	bool chosen;			/* the user chose the columns: show all of them */
	bool has_times;			/* set by columns_set_busy() */
};

/* An option that takes names of columns, separated by commas, or "all". Rates only if @_rates. */
#define CLI_COLUMNS(_type, _field, _rates)	\
	CLI_RANGE(columns_set_option, _type, _field, 0, _rates)
int columns_set_option(const struct cli_option *option, void *to, const char *value,
		       struct errmsg *e);

/* A column by its name or title; or NULL and a message with @all and the names of all columns. */
const struct column *columns_find(const char *name, size_t len, bool rates, const char *all,
				  struct errmsg *e);

/* The index of @column, which becomes the last one if it was not chosen. */
size_t columns_place(struct columns *columns, const struct column *column);

/* Show @names, a list of valid names, until an option chooses columns. */
void columns_preset(struct columns *columns, const char *names);
void columns_choose_all(struct columns *columns, bool rates);

/*
 * Set the columns that stat and top show unless columns were chosen; @times: a pool measures times.
 * Returns true if the columns have changed.
 */
bool columns_set_busy(struct columns *columns, bool times);

const char *column_name(const struct column *column);
/* Is the column a number? Then a sort puts the largest value first. */
bool column_is_number(const struct column *column);
double column_value(const struct column *column, const struct pool *pool);

/* Write the text of a cell into @buf of CELL_LEN bytes. */
void column_format(const struct column *column, const struct pool *pool, char *buf);

/* Make the columns wide enough for the values of this pool. */
void columns_widen(struct columns *columns, const struct pool *pool);

/* How many of the columns fit, from the first on: at least one, all if they were chosen. */
size_t columns_fit(const struct columns *columns, int width);

/*
 * Print the first @nr columns, by screen_put(): the titles, with that of the column @marked in
 * another colour, or the cells of @pool's line.
 */
void columns_print_titles(const struct columns *columns, size_t nr, size_t marked);
void columns_print(const struct columns *columns, size_t nr, const struct pool *pool);

/*
 * Returns a new object with the name of the pool and a member for each column. A member has the
 * name of the sysfs file, with _per_s for a rate or _ns for a time.
 */
struct json_object *columns_json(const struct columns *columns, const struct pool *pool);

/* Print the names of all columns, for the help or one a line. Rates only if @rates. */
void columns_print_help(int rates);
void columns_put_names(void);

#endif /* WPOOLCTL_COLUMNS_H */
