/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of durations and its percentiles: exact up to SAMPLES_MAX, of a uniform
 * random choice of that many beyond. Minimum, maximum and mean are always exact.
 */
#ifndef WPOOLCTL_SAMPLES_H
#define WPOOLCTL_SAMPLES_H

#include <linux/types.h>

#define SAMPLES_MAX	1048576U

struct samples {
	__u64 *value;		/* sorted after samples_sort() */
	__u32 nr;		/* of values that were kept */
	__u32 room;
	__u64 seen;
	__u64 sum;
	__u64 min;
	__u64 max;
	__u64 random;
};

/* All zero is an empty set. Returns 0, or -1 without memory. */
int samples_add(struct samples *set, __u64 value);
void samples_exit(struct samples *set);

/* No samples_add() after it. */
void samples_sort(struct samples *set);

/*
 * Of a sorted set: the smallest value such that per_mille of all are not above
 * it. 0 of an empty set.
 */
__u64 samples_percentile(const struct samples *set, unsigned int per_mille);
__u64 samples_mean(const struct samples *set);

#endif /* WPOOLCTL_SAMPLES_H */
