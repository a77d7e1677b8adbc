/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the tasks of a run ended, counted from their completion records. Plain arithmetic; threads
 * that share a tally need a lock.
 *
 * Counts include all tasks. Times, and the figures of CPUs, include only measured tasks, which
 * arrived after the warm-up. In an open loop a task arrives at its scheduled time, however late it
 * is submitted. In a closed loop it arrives when it is submitted.
 */
#ifndef WPOOLCTL_TALLY_H
#define WPOOLCTL_TALLY_H

#include <assert.h>
#include <linux/wpool.h>

#include "timehist.h"
#include "work.h"

#define TALLY_ERRNOS 135	/* the last one counts all that have no name */

/* The measurement. Times are CLOCK_MONOTONIC. */
struct tally_window {
	bool open_loop;		/* cookies contain the arrivals */
	__u64 start_ns;		/* arrivals count from here */
	__u64 from_ns;		/* start of the measurement */
	__u64 to_ns;		/* end of the measurement; 0: the end of the last task */
};

struct tally_work {
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	struct timehist run_ns;		/* completed tasks only */
};

struct tally_cpu {
	__u64 finished;
	__u64 run_ns;
};

enum tally_time {
	TALLY_LATE,			/* arrival to submit; open loop only */
	TALLY_QUEUE,			/* submit to start, of started tasks */
	TALLY_WAIT,			/* arrival to start, of started tasks; open loop only */
	TALLY_TOTAL,			/* arrival to end, of all tasks except refused ones */
	NR_TALLY_TIMES
};

/* For the reports of intervals. load.c clears @total_ns at the end of each interval. */
struct tally_interval {
	__u64 completed;
	struct timehist total_ns;	/* of tasks that ended in the interval */
};

struct tally {
	struct tally_window window;
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	__u64 never_ran;		/* included in the counts above */
	__u64 warmup;			/* finished tasks that are not measured */
	__u64 unsent;			/* arrived, but not submitted before the end */
	__u64 completed_in_window;	/* also tasks that arrived in the warm-up */
	__u64 first_submit_ns;
	__u64 last_end_ns;
	struct timehist time[NR_TALLY_TIMES];
	struct tally_work work[WORK_MAX_KINDS];
	struct tally_cpu *cpu;
	__u32 nr_cpus;
	__u64 error[TALLY_ERRNOS];	/* failed tasks by errno */
	struct tally_interval interval;
};

/*
 * A task's cookie: the index of its work, and a number. In an open loop the number is the task's
 * arrival, in ns after window.start_ns.
 */
#define TALLY_WORK_BITS 4

static inline __u64 tally_cookie(__u64 number, unsigned int work)
{
	return number << TALLY_WORK_BITS | work;
}

static inline unsigned int tally_cookie_work(__u64 cookie)
{
	static_assert(WORK_MAX_KINDS == 1 << TALLY_WORK_BITS, "all works");
	return cookie % WORK_MAX_KINDS;
}

static inline __u64 tally_cookie_number(__u64 cookie)
{
	return cookie >> TALLY_WORK_BITS;
}

/* Count records. A tally of zeros is empty. Returns 0, or -1 if a record is damaged. */
int tally_add(struct tally *tally, const struct wpool_dev_record *records, __u32 nr);

/*
 * Open loop: count @nr tasks that arrived at about @arrival_ns and were still unsent at @until_ns.
 * After the warm-up, also count their late, wait and total times as if they ended at @until_ns.
 */
void tally_add_unsent(struct tally *tally, __u64 arrival_ns, __u64 until_ns, __u64 nr);

/* Time from the first submit to the last end, by the kernel's clock. */
__u64 tally_wall_ns(const struct tally *tally);

__u64 tally_window_ns(const struct tally *tally);

#endif /* WPOOLCTL_TALLY_H */
