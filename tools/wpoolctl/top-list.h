/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpoolctl top: views that are lists of lines (top-list.c); top-lists.c defines the lists.
 */
#ifndef WPOOLCTL_TOP_LIST_H
#define WPOOLCTL_TOP_LIST_H

#include "screen.h"
#include "top.h"

#define MAX_LIST_COLUMNS	8
#define WIDTH_POOL		0	/* width of a column: as long as the names of the pools */

/* In which order lines are sorted by a column, unless top->reverse. */
enum list_order { BY_WORD, LARGEST_FIRST, SMALLEST_FIRST };

/* One column of one line: shows the word if there is one, else the value. */
struct cell {
	const char *word;
	double value;
	enum screen_style style;
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
	void (*make)(struct top *top, struct rows *rows);
	const struct errmsg *(*error)(const struct top *top);
};

extern const struct list function_list, cost_list, worker_list, cpu_list;

void rows_init(struct rows *rows, size_t nr);

/* Show titles and as many lines, from top->first on, as fit on the screen. */
void show_list(struct top *top, const struct list *list);

/* ---- for the view of the pools, too (top-views.c) ---- */

/* Does the filter let a line pass? */
bool top_passes(const struct top *top, const char *pool, const char *func);

/* Is a line of the view on the screen? The view cannot use the screen's last line. */
bool top_is_shown(const struct top *top, size_t line);

/* Put a title. The title of the sorted column is marked. */
void top_put_title(const struct top *top, size_t i, bool left, int width, const char *title);

/* The maximum length of a pool's name, so that a narrow terminal has room for other columns. */
int top_max_name(void);

/* The maximum length of a function's name with its module. */
int top_max_func(void);

/* Compare for qsort(), the larger value first. */
int top_compare_values(double a, double b);

#endif /* WPOOLCTL_TOP_LIST_H */
