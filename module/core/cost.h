/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tasks cost, by function: a short table, in the order in which the functions were first seen.
 * The last entry sums up all functions without an entry.
 */
#ifndef WPOOL_CORE_COST_H
#define WPOOL_CORE_COST_H

#include <linux/wpool.h>
#include <linux/wpool_stats.h>

/* Entries of a CPU's table. */
#define WPOOL_NR_COSTS	32

/*
 * Find the entry of a function. @costs: the table, whose used entries come first; @nr: how many
 * entries it has; @func: the function, %NULL for the last entry. One caller at a time. Returns the
 * entry, which is new if its runs are 0.
 */
struct wpool_cost *wpool_cost_find(struct wpool_cost *costs, u32 nr, void *func);

/*
 * Count a task that has returned. @costs: table of WPOOL_NR_COSTS entries; @one: its function and
 * its times, with runs = 1. Context: the table's own CPU, interrupts off.
 */
void wpool_cost_count(struct wpool_cost *costs, const struct wpool_cost *one);

/** wpool_cost_add() - add one entry to another one of the same function */
void wpool_cost_add(struct wpool_cost *sum, const struct wpool_cost *cost);

/** wpool_cost_clear() - clear a table; the caller excludes threads that count, but not readers */
void wpool_cost_clear(struct wpool_cost *costs);

#endif /* WPOOL_CORE_COST_H */
