/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting load on a pool: threads that submit tasks, threads that read the
 * completion records, and one that looks after them.
 *
 * Each submitter has an open file of its own, so that the limits of a file and
 * its records are its own, too. Its reader drains records while it submits,
 * because a file holds a limited number of them; what it does for a record is
 * kept small, and it naps between reads, so that the machine is left to the
 * pool.
 *
 * A run begins with a ramp and a warm-up, which are not measured. Without a schedule of
 * arrivals it is a closed loop: a submitter submits when its last call has returned.
 */
#ifndef WPOOLCTL_LOAD_H
#define WPOOLCTL_LOAD_H

#include <linux/types.h>
#include <linux/wpool.h>
#include <signal.h>
#include <stdbool.h>

#include "arrivals.h"
#include "cpulist.h"
#include "errmsg.h"
#include "intervals.h"
#include "overtaken.h"
#include "progress.h"
#include "tally.h"
#include "work.h"

#define LOAD_MAX_SUBMITTERS	256
#define LOAD_MAX_TASKS		1000000000000ULL

struct load_config {
	const char *pool;
	const struct work *works;
	unsigned int nr_works;
	const struct work_turns *turns;
	__u64 tasks;		/* 0 is no limit */
	__u32 batch;		/* descriptors of one ioctl at most */
	__u32 submitters;
	__u32 group;		/* bound of the group of each submitter; 0 is no group */
	bool nonblock;		/* never sleep on a full pool */
	bool retry;		/* try again what was refused, instead of dropping it */
	bool urgent;		/* all tasks are */
	bool on;		/* the tasks prefer a CPU, on_cpu */
	__u32 on_cpu;
	struct arrivals_config arrivals;
	__u64 warmup_ns;	/* after the ramp */
	__u64 duration_ns;	/* after the warm-up; 0: until all tasks are submitted */
	__u64 interval_ns;	/* of interval reports; 0: none */
	__u64 timeout_ns;	/* 0 is none */
	bool pinned;		/* each submitter to one of submit_cpus */
	struct cpulist submit_cpus;
};

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
	struct wpool_dev_stats before;
	struct wpool_dev_stats after;
	struct tally tally;
	struct overtaken_figures overtaken;
	struct intervals intervals;
};

/* CLOCK_MONOTONIC */
__u64 load_now_ns(void);

/*
 * Signals that end a run are held back from here on and looked at by
 * load_run(). For the rest of the process: whoever made a temporary pool can
 * destroy it. Returns them.
 */
sigset_t load_hold_signals(void);

/*
 * @fd is attached to the pool and used for looking only. Returns when all that
 * was accepted is finished, but for LOAD_STUCK and LOAD_LEFT: then threads are
 * still about, and nothing is left to do but to end the process.
 * @result->intervals is set up by the caller.
 */
void load_run(const struct load_config *config, int fd, struct progress *progress,
	      struct load_result *result);
/* Ramp, warm-up and duration, 0 if that has no end. */
__u64 load_length_ns(const struct load_config *config);

void load_result_exit(struct load_result *result);

#endif /* WPOOLCTL_LOAD_H */
