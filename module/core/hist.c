// SPDX-License-Identifier: GPL-2.0
/* Histograms of times, see hist.h. */
#include "core/hist.h"

#include <linux/export.h>
#include <linux/wpool_stats.h>

u64 wpool_hist_from(u32 bucket)
{
	u32 power = bucket >> WPOOL_HIST_SHIFT;
	u64 units = bucket;

	/* the inverse of wpool_hist_bucket() */
	if (power)
		units = (u64)(bucket - ((power - 1) << WPOOL_HIST_SHIFT)) << (power - 1);
	return units << WPOOL_HIST_UNIT_SHIFT;
}
EXPORT_SYMBOL_GPL(wpool_hist_from);

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

void wpool_hist_clear(struct wpool_hist *hist)
{
	u32 i;

	WRITE_ONCE(hist->sum_ns, 0);
	WRITE_ONCE(hist->max_ns, 0);
	for (i = 0; i < WPOOL_HIST_BUCKETS; i++)
		WRITE_ONCE(hist->nr[i], 0);
}
