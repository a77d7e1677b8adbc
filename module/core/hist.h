/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of times: 16 buckets for each power of two, so that a bucket's width is at
 * most a sixteenth of its start.
 *
 * Below 256 ns the buckets are 16 ns wide: a clock is not more precise. The last bucket also counts
 * times longer than 137 s. A pool has histograms once its attribute latency has been 1.
 *
 * With them comes a short table of what tasks cost, by function, in the order in which the
 * functions were first seen. The last entry sums up all functions without an entry.
 */
#ifndef WPOOL_CORE_HIST_H
#define WPOOL_CORE_HIST_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>

#define WPOOL_HIST_UNIT_SHIFT	4	/* 16 ns */
#define WPOOL_HIST_SHIFT	4	/* 16 buckets a power */

/* Entries of a CPU's table of costs. */
#define WPOOL_NR_COSTS	32

/*
 * What a run queue counts while the attribute latency is 1. Written on the run queue's own CPU with
 * interrupts off, and by a reset, which excludes such writers; read anywhere with READ_ONCE.
 */
struct wpool_hists {
	struct wpool_hist wait;	/* from submit to start, of tasks that started on this CPU */
	struct wpool_hist run;	/* from start to end, of tasks that ended on this CPU */
	/* what tasks that ended on this CPU cost, by function */
	struct wpool_cost costs[WPOOL_NR_COSTS];
};

/** wpool_hist_bucket() - the bucket that counts a time */
static inline u32 wpool_hist_bucket(u64 ns)
{
	u64 units = ns >> WPOOL_HIST_UNIT_SHIFT;
	u32 power;

	if (units < BIT(WPOOL_HIST_SHIFT))
		return units;
	power = fls64(units) - 1 - WPOOL_HIST_SHIFT;
	/* units >> power is 16 to 31: 16 buckets for each power */
	units = (power << WPOOL_HIST_SHIFT) + (units >> power);
	return min_t(u64, units, WPOOL_HIST_BUCKETS - 1);
}

/** wpool_hist_count() - count a time; on the histogram's own CPU, interrupts off */
void wpool_hist_count(struct wpool_hist *hist, u64 ns);

/** wpool_hist_add() - add a histogram to @sum, which no other thread uses */
void wpool_hist_add(struct wpool_hist *sum, const struct wpool_hist *hist);

/** wpool_hist_clear() - clear histograms, or costs; meanwhile no thread adds to them */
void wpool_hist_clear(void *from, size_t bytes);

/*
 * Find the entry of a function. @costs: the table, whose used entries come first; @nr: how many
 * entries it has; @func: the function, %NULL for the last entry. One caller at a time. Returns the
 * entry, which is new if its runs are 0.
 */
struct wpool_cost *wpool_cost_find(struct wpool_cost *costs, u32 nr, void *func);

/** wpool_cost_add() - add one entry to another one of the same function */
void wpool_cost_add(struct wpool_cost *sum, const struct wpool_cost *cost);

#endif /* WPOOL_CORE_HIST_H */
