/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting load on a pool: threads that submit tasks, threads that read the completion records, and
 * one that supervises them.
 *
 * Each submitter has an open file of its own, with its own limits and records. Its reader reads
 * records while it submits, because a file holds a limited number of them. The reader does little
 * for a record, and sleeps between reads, to leave the machine to the pool.
 *
 * A run begins with a ramp and a warm-up, which are not measured. Without a schedule of
 * arrivals it is a closed loop: a submitter submits when its last call has returned.
 */
#ifndef WPOOLCTL_LOAD_H
#define WPOOLCTL_LOAD_H

#include <linux/types.h>
#include <linux/wpool.h>
#include <signal.h>

#include "errmsg.h"
#include "intervals.h"
#include "load-config.h"
#include "overtaken.h"
#include "progress.h"
#include "tally.h"

enum load_end {
	LOAD_COMPLETE,		/* all tasks, or all the time; what was accepted finished */
	LOAD_INTERRUPTED,	/* by a signal: the rest was cancelled */
	LOAD_TIMED_OUT,		/* the rest was cancelled */
	LOAD_BROKEN,		/* an error, see why; what was accepted finished */
	LOAD_STUCK,		/* tasks did not end after their cancellation */
	LOAD_LEFT,		/* by a second signal: nobody waited for that */
};

struct load_result {
	enum load_end end;
	struct errmsg why;
	__u64 accepted;
	__u64 refused;		/* tasks that were dropped */
	__u64 retries;		/* calls that were repeated because of --retry */
	__u64 calls;		/* of the submit ioctl */
	__u64 call_ns;		/* spent in them, asleep or not */
	__u64 cpu_ns;		/* CPU time of the submitting threads */
	__u32 peak_workers;	/* of looks 10 times a second */
	struct wpool_dev_attrs attrs;
	__u32 last_capacity;	/* another one, if the pool was tuned meanwhile */
	struct wpool_dev_stats before;
	struct wpool_dev_stats after;
	struct tally tally;
	struct overtaken_figures overtaken;
	struct intervals intervals;
};

/*
 * Signals that end a run are blocked from here on, for the rest of the process, and load_run()
 * checks for them. So the caller can destroy a temporary pool. Returns these signals.
 */
sigset_t load_hold_signals(void);

/*
 * @fd is attached to the pool and only used to read figures. Returns when all accepted tasks are
 * finished, except with LOAD_STUCK and LOAD_LEFT: then threads still run, and the process can only
 * end. The caller sets up @result->intervals.
 */
void load_run(const struct load_config *config, int fd, struct progress *progress,
	      struct load_result *result);

void load_result_exit(struct load_result *result);

#endif /* WPOOLCTL_LOAD_H */
