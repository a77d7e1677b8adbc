// SPDX-License-Identifier: GPL-2.0
/* Views of wpoolctl top that are lists of lines, and helpers for the view of the pools. */
#include "top-list.h"

#include "alloc.h"

#define WIDE		120	/* a terminal of this width has room for long names */
#define NARROW_NAME	12
#define NARROW_FUNC	24
#define WIDE_FUNC	48
#define WPOOL_NAME_MAX	31

bool top_passes(const struct top *top, const char *pool, const char *func)
{
	return !*top->filter || strstr(pool, top->filter) || strstr(func, top->filter);
}

bool top_is_shown(const struct top *top, size_t line)
{
	return line >= top->first &&
	       (!screen_is_open() || screen_line() < screen_height() - 1);
}

void top_put_title(const struct top *top, size_t i, bool left, int width, const char *title)
{
	enum screen_style style = screen_is_open() && i == top->sort ? SCREEN_GOOD :
				  SCREEN_TITLE;

	screen_put(SCREEN_TITLE, i ? " " : "");
	screen_put(style, left ? "%-*s" : "%*s", width, title);
}

int top_compare_values(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

int top_max_name(void)
{
	return screen_is_open() && screen_width() < WIDE ? NARROW_NAME : WPOOL_NAME_MAX;
}

int top_max_func(void)
{
	return !screen_is_open() ? INT_MAX : screen_width() < WIDE ? NARROW_FUNC : WIDE_FUNC;
}

void rows_init(struct rows *rows, size_t nr)
{
	rows->nr = nr;
	rows->row = alloc_zeroed(nr, sizeof(*rows->row));
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

static const struct list *sorted_list;
static const struct top *sorted;

static int compare_rows(const void *a, const void *b)
{
	const struct list_column *column = sorted_list->column;
	const struct row *one = a, *other = b;
	size_t i = sorted->sort;
	int order = compare_cells(&column[i], &one->cell[i], &other->cell[i]);

	if (sorted->reverse)
		order = -order;
	for (i = sorted_list->tie; !order && column[i].title; i++)
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
		screen_put(SCREEN_PLAIN, i ? " " : "");
		show_cell(&column[i], rows->width[i], !column[i + 1].title, &row->cell[i]);
	}
	screen_end_line();
}

static int name_width(const struct top *top)
{
	int width = 7;
	size_t i;

	for (i = 0; i < top->pools.nr; i++)
		if ((int)strlen(top->pools.pool[i].name) > width)
			width = strlen(top->pools.pool[i].name);
	return width < top_max_name() ? width : top_max_name();
}

void show_list(struct top *top, const struct list *list)
{
	const struct errmsg *error = list->error(top);
	struct rows rows = { };
	size_t i, shown = 0;

	if (*error->text) {
		screen_put(SCREEN_WARN, "%s", error->text);
		screen_end_line();
		return;
	}
	for (i = 0; list->column[i].title; i++)
		rows.width[i] = list->column[i].width ?: -name_width(top);
	list->make(top, &rows);
	for (i = 0; list->column[i].title; i++)
		top_put_title(top, i, rows.width[i] < 0, abs(rows.width[i]), list->column[i].title);
	screen_end_line();
	sorted = top;
	sorted_list = list;
	if (rows.nr)
		qsort(rows.row, rows.nr, sizeof(*rows.row), compare_rows);
	for (i = 0; i < rows.nr; i++) {
		const struct row *row = &rows.row[i];

		if (top_passes(top, row->cell[0].word, row->func) && top_is_shown(top, shown++))
			show_row(list, &rows, row);
	}
	top->nr_lines = shown;
	free(rows.row);
}
