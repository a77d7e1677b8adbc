// SPDX-License-Identifier: GPL-2.0
/* Histograms of waits and runs, see hist.h. */
#include "hist.h"

#include <ctype.h>

static int parse_bucket(struct hists *hists, __u64 from, __u64 waited, __u64 ran)
{
	size_t i = hists->nr_buckets;

	/* the first bucket begins at 0, the starts of the others increase */
	if (i == HIST_MAX_BUCKETS || (i ? from <= hists->from_ns[i - 1] : from))
		return -1;
	hists->from_ns[i] = from;
	hists->hist[HIST_WAIT].bucket[i] = waited;
	hists->hist[HIST_RUN].bucket[i] = ran;
	hists->hist[HIST_WAIT].nr += waited;
	hists->hist[HIST_RUN].nr += ran;
	hists->nr_buckets++;
	return 0;
}

static int parse_line(struct hists *hists, const char *line)
{
	__u64 from, waited, ran;
	char end;

	if (sscanf(line, "sum_ns %llu %llu %c", &waited, &ran, &end) == 2) {
		hists->hist[HIST_WAIT].sum_ns = waited;
		hists->hist[HIST_RUN].sum_ns = ran;
		return 0;
	}
	if (sscanf(line, "max_ns %llu %llu %c", &waited, &ran, &end) == 2) {
		hists->hist[HIST_WAIT].max_ns = waited;
		hists->hist[HIST_RUN].max_ns = ran;
		return 0;
	}
	if (sscanf(line, "%llu %llu %llu %c", &from, &waited, &ran, &end) == 3)
		return parse_bucket(hists, from, waited, ran);
	/* skip the titles, and lines of a newer module between titles and buckets */
	return hists->nr_buckets || isdigit((unsigned char)*line) ? -1 : 0;
}

int hists_parse(struct hists *hists, char *text, struct errmsg *e)
{
	char *line, *rest = text;

	*hists = (struct hists){ };
	while ((line = strsep(&rest, "\n")))
		if (*line && parse_line(hists, line))
			return errmsg_set(e, "the histogram has a line that is none: " ERRMSG_Q,
					  line);
	return 0;
}

static bool began_again(const struct hists *before, const struct hists *now)
{
	int kind;

	for (kind = 0; kind < NR_HISTS; kind++)
		if (now->hist[kind].nr < before->hist[kind].nr ||
		    now->hist[kind].sum_ns < before->hist[kind].sum_ns ||
		    now->hist[kind].max_ns < before->hist[kind].max_ns)
			return true;
	return before->nr_buckets != now->nr_buckets;
}

/* The end of a bucket, but no more than the longest time that was seen. */
static __u64 bucket_end(const struct hists *hists, const struct hist *hist, size_t i)
{
	return min(i + 1 < hists->nr_buckets ? hists->from_ns[i + 1] : ~0ULL, hist->max_ns);
}

void hists_between(const struct hists *before, const struct hists *now, struct hists *out)
{
	size_t i, last;
	int kind;

	*out = *now;
	if (began_again(before, now))
		return;
	for (kind = 0; kind < NR_HISTS; kind++) {
		const struct hist *old = &before->hist[kind];
		struct hist *hist = &out->hist[kind];

		hist->nr = 0;
		hist->sum_ns -= old->sum_ns;
		for (i = 0, last = 0; i < out->nr_buckets; i++) {
			/* began_again() misses a restart if the new sums are above the old ones */
			hist->bucket[i] -= min(old->bucket[i], hist->bucket[i]);
			hist->nr += hist->bucket[i];
			if (hist->bucket[i])
				last = i;
		}
		if (!hist->nr)
			hist->max_ns = 0;
		else if (hist->max_ns == old->max_ns)
			hist->max_ns = bucket_end(out, hist, last);
	}
}

size_t hist_rank(const __u64 *bucket, size_t nr_buckets, __u64 nr, unsigned int ppm)
{
	/* the rank of the quantile, from 1 */
	__u64 rank = (nr / 1000000) * ppm + (nr % 1000000 * ppm + 999999) / 1000000;
	__u64 seen = 0;
	size_t i;

	for (i = 0; i + 1 < nr_buckets; i++) {
		seen += bucket[i];
		if (seen >= rank && seen)
			break;
	}
	return i;
}

__u64 hist_percentile(const struct hists *hists, enum hist_kind kind, unsigned int ppm)
{
	const struct hist *hist = &hists->hist[kind];

	if (!hist->nr)
		return 0;
	return bucket_end(hists, hist, hist_rank(hist->bucket, hists->nr_buckets, hist->nr, ppm));
}
