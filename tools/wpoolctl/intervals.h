/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of each interval of a run: lines during the run, or a list for its report. */
#ifndef WPOOLCTL_INTERVALS_H
#define WPOOLCTL_INTERVALS_H

#include "base.h"

struct interval {
	__u64 from_ns;			/* time after the start of the run */
	__u64 to_ns;
	const char *phase;		/* "warm-up", "run" or "drain" */
	__u64 asked;			/* arrivals; in a closed loop tasks submitted */
	__u64 submitted;		/* accepted tasks */
	__u64 refused;
	__u64 completed;
	/* tasks that ended in the interval, and quantiles of their times from arrival to end */
	__u64 ended;
	__u64 p50_ns;
	__u64 p99_ns;
	__u64 p99_9_ns;
	__u64 max_ns;
	/* the state at the end of the interval */
	__u64 behind;			/* tasks that arrived, neither accepted nor refused */
	__u32 workers;
	__u32 queued;
};

struct intervals {
	bool lines;			/* print each interval at its end, instead of keeping it */
	struct interval *list;
	__u64 nr;
};

void intervals_add(struct intervals *intervals, const struct interval *interval);

#endif /* WPOOLCTL_INTERVALS_H */
