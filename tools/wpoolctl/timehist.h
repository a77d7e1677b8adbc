/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of measured times. It has 128 buckets for each power of two, so a percentile is at
 * most a hundredth too long. Minimum, maximum and mean are exact.
 */
#ifndef WPOOLCTL_TIMEHIST_H
#define WPOOLCTL_TIMEHIST_H

#include "base.h"

#define TIMEHIST_POWER		7	/* 128 buckets a power of two */
#define TIMEHIST_MAX_POWER	47	/* the last bucket also has all above 2^48 ns, three days */
#define TIMEHIST_BUCKETS	((TIMEHIST_MAX_POWER - TIMEHIST_POWER + 2) << TIMEHIST_POWER)

struct timehist {
	__u64 nr;		/* sum of all buckets */
	__u64 sum_ns;
	__u64 min_ns;
	__u64 max_ns;
	__u64 *bucket;		/* NULL before the first time */
};

/* Add @nr times of @ns each. A histogram of zeros is empty. */
void timehist_add(struct timehist *hist, __u64 ns, __u64 nr);

/* Remove all times. */
void timehist_clear(struct timehist *hist);

/* The shortest time in a bucket. */
__u64 timehist_from_ns(size_t bucket);

/* The @ppm-th quantile, as hist_percentile(). */
__u64 timehist_percentile(const struct timehist *hist, unsigned int ppm);
__u64 timehist_mean(const struct timehist *hist);

#endif /* WPOOLCTL_TIMEHIST_H */
