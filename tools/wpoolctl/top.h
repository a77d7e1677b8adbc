/* SPDX-License-Identifier: GPL-2.0 */
/* wpoolctl top: its state (cmd-top.c) and its views (top-views.c). */
#ifndef WPOOLCTL_TOP_H
#define WPOOLCTL_TOP_H

#include "cli.h"
#include "columns.h"
#include "tables.h"

enum view { VIEW_POOLS, VIEW_FUNCTIONS, VIEW_COSTS, VIEW_WORKERS, VIEW_CPUS, NR_VIEWS };

extern const char *const view_names[NR_VIEWS + 1];

/* A table of debugfs: this look and the previous one. */
struct looks {
	struct table now, last;
	struct errmsg error;
};

struct top {
	struct pools pools;
	struct workers workers;
	struct errmsg workers_error;
	struct looks cpus, costs;
	__u64 look_ns, last_ns;
	struct columns columns;
	enum view view;
	size_t sort;		/* column of the view */
	bool reverse;
	char filter[32];
	bool is_typing;		/* keys go to the filter */
	bool shows_help;
	size_t first;		/* the first line of the view that is on the screen */
	size_t nr_lines;	/* of the view, when it was last shown */
	__u64 interval_ns;
	__u64 count;		/* how often --batch prints; 0 is forever */
	bool batch;
	const struct column *sort_by;	/* --sort, or NULL */
};

/* Show a line of sums over all pools. */
void top_show_summary(const struct top *top);

/* Show titles and as many lines of the view, from top->first on, as fit on the screen. */
void top_show_view(struct top *top);

/* How many columns the view can be sorted by, and its initial sort column. */
size_t top_nr_sort_columns(const struct top *top);
size_t top_preset_sort(const struct top *top);

/* ---- top-lists.c: all views but that of the pools are lists of lines ---- */

void show_list(struct top *top);
size_t list_nr_columns(enum view view);
size_t list_preset_sort(enum view view);

/* ---- for the view of the pools, too ---- */

/* Does the filter let a line pass? */
bool top_passes(const struct top *top, const char *pool, const char *func);

/* Is a line of the view on the screen? The view cannot use the screen's last line. */
bool top_is_shown(const struct top *top, size_t line);

/* The maximum length of a pool's name, so that a narrow terminal has room for other columns. */
int top_max_name(void);

/* Compare for qsort(), the larger value first. */
int top_compare_values(double a, double b);

#endif /* WPOOLCTL_TOP_H */
