/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of times as they are measured: 128 buckets for each power of two, so that a
 * percentile is at most a hundredth too long. Minimum, maximum and mean are exact.
 */
#ifndef WPOOLCTL_TIMEHIST_H
#define WPOOLCTL_TIMEHIST_H

#include <linux/types.h>
#include <stddef.h>

#define TIMEHIST_POWER		7	/* 128 buckets a power of two */
#define TIMEHIST_MAX_POWER	47	/* all above 2^48 ns, three days, is in the last bucket */
#define TIMEHIST_BUCKETS	((TIMEHIST_MAX_POWER - TIMEHIST_POWER + 2) << TIMEHIST_POWER)

struct timehist {
	__u64 nr;		/* sum of all buckets */
	__u64 sum_ns;
	__u64 min_ns;
	__u64 max_ns;
	__u64 *bucket;		/* NULL while it is empty */
};

/* All zero is an empty one. @nr times of @ns each. */
void timehist_add(struct timehist *hist, __u64 ns, __u64 nr);

/* Empty again; only timehist_exit() gives the memory back. */
void timehist_clear(struct timehist *hist);
void timehist_exit(struct timehist *hist);

/* The shortest time that a bucket counts. */
__u64 timehist_from_ns(size_t bucket);

/* The @ppm-th quantile, as hist_percentile(). */
__u64 timehist_percentile(const struct timehist *hist, unsigned int ppm);
__u64 timehist_mean(const struct timehist *hist);

#endif /* WPOOLCTL_TIMEHIST_H */
