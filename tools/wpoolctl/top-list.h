/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpoolctl top: a view that is a list of lines (top-list.c). What the lists are:
 * top-lists.c.
 */
#ifndef WPOOLCTL_TOP_LIST_H
#define WPOOLCTL_TOP_LIST_H

#include <stddef.h>

#include "screen.h"
#include "top.h"

#define MAX_LIST_COLUMNS	8
#define WIDTH_POOL		0	/* of a column: as long as the names of the pools */

/* By what a list is sorted, before it is reversed. */
enum list_order { BY_WORD, LARGEST_FIRST, SMALLEST_FIRST };

/* What one column says in one line: a word if there is one, else the value. */
struct cell {
	const char *word;
	double value;
	enum screen_style style;
	const struct worker *worker;	/* for format() */
};

struct row {
	struct cell cell[MAX_LIST_COLUMNS];
	const char *func;		/* for the filter; "" */
};

struct list_column {
	const char *title;
	int width;			/* negative: on the left, as for printf() */
	enum list_order order;
	/* for a text that takes longer to make than a line that is not shown is worth */
	void (*format)(const struct cell *cell, char *buf, size_t len);
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
	void (*make)(struct top *top, struct rows *rows);
	const struct errmsg *(*error)(const struct top *top);
};

extern const struct list function_list, cost_list, worker_list, cpu_list;

/* Room for that many lines. */
void rows_init(struct rows *rows, size_t nr);

/* Titles and lines, from top->first on, as many as the screen has. */
void show_list(struct top *top, const struct list *list);

/* ---- for the view of the pools, too (top-views.c) ---- */

/* Does the filter let a line pass? */
bool top_passes(const struct top *top, const char *pool, const char *func);

/* Is a line of the view on the screen? The last two lines are for other things. */
bool top_is_shown(const struct top *top, size_t line);

/* A title; the one by which the view is sorted is marked. */
void top_put_title(const struct top *top, size_t i, bool left, int width, const char *title);

/* How long a name may be: on a narrow terminal it leaves too little for the rest. */
int top_max_name(void);

/* The same of a function with its module. */
int top_max_func(void);

/* For qsort(): the larger value first. */
int top_compare_values(double a, double b);

#endif /* WPOOLCTL_TOP_LIST_H */
