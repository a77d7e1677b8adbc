// SPDX-License-Identifier: GPL-2.0
/* Histograms of times, and what tasks cost, see hist.h. */
#include "core/hist.h"

void wpool_hist_count(struct wpool_hist *hist, u64 ns)
{
	u64 *nr = &hist->nr[wpool_hist_bucket(ns)];

	WRITE_ONCE(*nr, *nr + 1);
	WRITE_ONCE(hist->sum_ns, hist->sum_ns + ns);
	if (ns > hist->max_ns)
		WRITE_ONCE(hist->max_ns, ns);
}

void wpool_hist_add(struct wpool_hist *sum, const struct wpool_hist *hist)
{
	u32 i;

	sum->sum_ns += READ_ONCE(hist->sum_ns);
	sum->max_ns = max(sum->max_ns, READ_ONCE(hist->max_ns));
	for (i = 0; i < WPOOL_HIST_BUCKETS; i++)
		sum->nr[i] += READ_ONCE(hist->nr[i]);
}

struct wpool_cost *wpool_cost_find(struct wpool_cost *costs, u32 nr, void *func)
{
	struct wpool_cost *cost, *last = &costs[nr - 1];

	for (cost = costs; func && cost < last; cost++) {
		if (!cost->runs)
			WRITE_ONCE(cost->func, func);
		if (cost->func == func)
			return cost;
	}
	return last;
}

void wpool_cost_add(struct wpool_cost *sum, const struct wpool_cost *cost)
{
	WRITE_ONCE(sum->wait_ns, sum->wait_ns + READ_ONCE(cost->wait_ns));
	WRITE_ONCE(sum->run_ns, sum->run_ns + READ_ONCE(cost->run_ns));
	WRITE_ONCE(sum->cpu_ns, sum->cpu_ns + READ_ONCE(cost->cpu_ns));
	WRITE_ONCE(sum->worst_ns, max(sum->worst_ns, READ_ONCE(cost->worst_ns)));
	WRITE_ONCE(sum->runs, sum->runs + READ_ONCE(cost->runs));
}

void wpool_hist_clear(void *from, size_t bytes)
{
	unsigned long *first = from, *word = from + bytes;

	/* backwards: the runs of a cost before its function */
	while (word > first)
		WRITE_ONCE(*--word, 0);
}
