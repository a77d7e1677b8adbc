/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the tasks of a pool waited and ran: the contents of the file histogram in
 * sysfs, or the difference of two reads.
 */
#ifndef WPOOLCTL_HIST_H
#define WPOOLCTL_HIST_H

#include "errmsg.h"

#define HIST_MAX_BUCKETS	1024

enum hist_kind { HIST_WAIT, HIST_RUN, NR_HISTS };

struct hist {
	__u64 nr;		/* sum of all buckets */
	__u64 sum_ns;
	__u64 max_ns;
	__u64 bucket[HIST_MAX_BUCKETS];
};

/* Has no buckets if the pool has never measured times. */
struct hists {
	size_t nr_buckets;
	__u64 from_ns[HIST_MAX_BUCKETS];
	struct hist hist[NR_HISTS];
};

/* Changes @text. Returns 0, or -1 and a message. */
int hists_parse(struct hists *hists, char *text, struct errmsg *e);

/*
 * Compute the counts between two looks; if the counters were reset meanwhile, @out is @now. The
 * longest time is exact if it is a new maximum, else the end of its bucket.
 */
void hists_between(const struct hists *before, const struct hists *now, struct hists *out);

/* The bucket with the @ppm-th quantile of @nr > 0 times; the last if @bucket has fewer times. */
size_t hist_rank(const __u64 *bucket, size_t nr_buckets, __u64 nr, unsigned int ppm);

/* The @ppm-th quantile in ns, rounded up to the end of its bucket. 0 if the histogram is empty. */
__u64 hist_percentile(const struct hists *hists, enum hist_kind kind, unsigned int ppm);

#endif /* WPOOLCTL_HIST_H */
