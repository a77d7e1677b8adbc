// SPDX-License-Identifier: GPL-2.0
/* Histograms of measured times, see timehist.h. */
#include "timehist.h"

#include "alloc.h"
#include "hist.h"

/*
 * Each time below 256 ns has its own bucket. Each power of two above has 128 buckets. Buckets are
 * in the order of their times.
 */
static size_t bucket_of(__u64 ns)
{
	unsigned int power = ns ? 63 - __builtin_clzll(ns) : 0;
	unsigned int shift = max(power, TIMEHIST_POWER) - TIMEHIST_POWER;

	if (power > TIMEHIST_MAX_POWER)
		return TIMEHIST_BUCKETS - 1;
	return ((size_t)shift << TIMEHIST_POWER) + (ns >> shift);
}

__u64 timehist_from_ns(size_t bucket)
{
	size_t shift = bucket >> TIMEHIST_POWER;

	if (shift < 2)
		return bucket;
	shift--;
	return (bucket - (shift << TIMEHIST_POWER)) << shift;
}

void timehist_add(struct timehist *hist, __u64 ns, __u64 nr)
{
	if (!hist->bucket)
		hist->bucket = alloc_zeroed(TIMEHIST_BUCKETS, sizeof(*hist->bucket));
	if (!hist->nr || ns < hist->min_ns)
		hist->min_ns = ns;
	hist->max_ns = max(hist->max_ns, ns);
	hist->nr += nr;
	hist->sum_ns += ns * nr;
	hist->bucket[bucket_of(ns)] += nr;
}

void timehist_clear(struct timehist *hist)
{
	__u64 *bucket = hist->bucket;

	if (hist->nr)
		memset(bucket, 0, TIMEHIST_BUCKETS * sizeof(*bucket));
	*hist = (struct timehist){ .bucket = bucket };
}

__u64 timehist_percentile(const struct timehist *hist, unsigned int ppm)
{
	__u64 last;

	if (!hist->nr)
		return 0;
	last = timehist_from_ns(hist_rank(hist->bucket, TIMEHIST_BUCKETS, hist->nr, ppm) + 1) - 1;
	/* the last bucket has no end */
	if (last > hist->max_ns || ppm >= 1000000)
		return hist->max_ns;
	return max(last, hist->min_ns);
}

__u64 timehist_mean(const struct timehist *hist)
{
	return hist->nr ? hist->sum_ns / hist->nr : 0;
}
