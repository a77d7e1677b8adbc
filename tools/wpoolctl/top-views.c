// SPDX-License-Identifier: GPL-2.0
/* The views of wpoolctl top, see top.h. */
#include "top.h"

#include "screen.h"

const char *const view_names[NR_VIEWS + 1] = {
	"pools", "functions", "costs", "workers", "cpus", NULL
};

/* ---- pools ---------------------------------------------------------------- */

static int compare_pools(const void *a, const void *b, void *arg)
{
	const struct top *top = arg;
	const struct pool *one = a, *other = b;
	const struct column *column = top->columns.column[top->sort];
	char one_text[CELL_LEN], other_text[CELL_LEN];
	int order;

	if (column_is_number(column)) {
		order = top_compare_values(column_value(column, one), column_value(column, other));
	} else {
		column_format(column, one, one_text);
		column_format(column, other, other_text);
		order = strcmp(one_text, other_text);
	}
	if (top->reverse)
		order = -order;
	return order ?: strcmp(one->name, other->name);
}

/* Show times if a pool measures them. Keep the sorted column. */
static void choose_columns(struct top *top)
{
	const struct column *by = top->columns.column[top->sort];

	if (columns_set_busy(&top->columns, pools_have_latency(&top->pools)))
		top->sort = columns_place(&top->columns, by);
}

static void show_pools(struct top *top)
{
	struct columns *columns = &top->columns;
	size_t nr, shown = 0;
	const struct pool *pool;

	choose_columns(top);
	columns->max_name = top_max_name();
	for_each_pool(pool, &top->pools)
		columns_widen(columns, pool);
	nr = columns_fit(columns, screen_width());
	columns_print_titles(columns, nr, screen_is_open() ? top->sort : SIZE_MAX);
	if (top->pools.nr)
		qsort_r(top->pools.pool, top->pools.nr, sizeof(*top->pools.pool), compare_pools,
			top);
	for_each_pool(pool, &top->pools)
		if (top_passes(top, pool->name, "") && top_is_shown(top, shown++))
			columns_print(columns, nr, pool);
	top->nr_lines = shown;
}

/* ---- the views -------------------------------------------------------------- */

void top_show_summary(const struct top *top)
{
	__u64 workers = 0, busy = 0, blocked = 0, queued = 0, waiting = 0;
	const struct pool *pool;
	double done = 0;

	for_each_pool(pool, &top->pools) {
		workers += pool_figure(pool, FIGURE_WORKERS);
		busy += pool_figure(pool, FIGURE_BUSY);
		blocked += pool_figure(pool, FIGURE_BLOCKED);
		queued += pool_figure(pool, FIGURE_QUEUED);
		waiting += pool_figure(pool, FIGURE_WAITING);
		done += pool_rate(pool, FIGURE_COMPLETED);
	}
	screen_put(OUT_PLAIN, "%zu pool%s, %llu worker%s, %llu busy, %llu blocked, %.0f done/s",
		   top->pools.nr, top->pools.nr == 1 ? "" : "s", workers,
		   workers == 1 ? "" : "s", busy, blocked, done);
	screen_put(queued ? OUT_WARN : OUT_PLAIN, ", %llu queued", queued);
	screen_put(waiting ? OUT_BAD : OUT_PLAIN, ", %llu waiting", waiting);
	screen_end_line();
}

void top_show_view(struct top *top)
{
	if (top->first >= top->nr_lines)
		top->first = top->nr_lines ? top->nr_lines - 1 : 0;
	if (top->view == VIEW_POOLS)
		show_pools(top);
	else
		show_list(top);
}

size_t top_nr_sort_columns(const struct top *top)
{
	return top->view == VIEW_POOLS ? columns_fit(&top->columns, screen_width()) :
					 list_nr_columns(top->view);
}

/* The initial sort column: the pool for the CPUs, else how busy or how long. */
size_t top_preset_sort(const struct top *top)
{
	size_t i;

	if (top->view != VIEW_POOLS)
		return list_preset_sort(top->view);
	for (i = 0; i < top->columns.nr; i++)
		if (!strcmp(column_name(top->columns.column[i]), "busy"))
			return i;
	return 0;
}
