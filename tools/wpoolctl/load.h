/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put load on a pool: some threads submit tasks, some read completion records, and one supervises
 * them.
 *
 * Each submitter has its own open file, with its own limits and records. A reader thread reads the
 * records at the same time, because a file holds a limited number of them. The reader does little
 * per record and sleeps between reads, to leave the CPUs to the pool.
 *
 * A run begins with a warm-up, which is not measured. Without a schedule of arrivals it is a
 * closed loop: a submitter submits when its last call has returned.
 */
#ifndef WPOOLCTL_LOAD_H
#define WPOOLCTL_LOAD_H

#include <linux/wpool.h>
#include <signal.h>

#include "intervals.h"
#include "load-config.h"
#include "overtaken.h"
#include "tally.h"

enum load_end {
	LOAD_COMPLETE,		/* the run had its full length; all accepted tasks finished */
	LOAD_INTERRUPTED,	/* a signal ended the run; unfinished tasks were cancelled */
	LOAD_BROKEN,		/* an error ended the run, see why; all accepted tasks finished */
	LOAD_STUCK,		/* tasks did not end after their cancellation */
	LOAD_LEFT,		/* a second signal ended the wait for cancelled tasks */
};

struct load_result {
	enum load_end end;
	struct errmsg why;
	__u64 accepted;
	__u64 refused;		/* tasks dropped */
	__u64 calls;		/* submit ioctls */
	__u64 call_ns;		/* time in submit ioctls, sleeps included */
	__u64 cpu_ns;		/* CPU time of the submitting threads */
	__u32 peak_workers;	/* the largest number seen; 10 looks a second */
	struct wpool_dev_attrs attrs;
	struct wpool_dev_stats before;
	struct wpool_dev_stats after;
	struct tally tally;
	struct overtaken_figures overtaken;
	struct intervals intervals;
};

/*
 * Blocks the signals that end a run. load_run() waits for them. They never
 * kill the process, so the caller can destroy a temporary pool afterwards. SIGHUP stays ignored
 * below nohup.
 */
void load_hold_signals(void);

/*
 * @fd is attached to the pool and only used to read figures. Returns when all accepted tasks are
 * finished. After LOAD_STUCK and LOAD_LEFT threads still run, and the caller must exit. The caller
 * sets up @result->intervals.
 */
void load_run(const struct load_config *config, int fd, struct load_result *result);

#endif /* WPOOLCTL_LOAD_H */
