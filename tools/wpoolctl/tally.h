/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the tasks of a run ended, counted from their completion records. Plain arithmetic; threads
 * that share a tally need a lock.
 *
 * Counts are of all tasks. Times are of the measured tasks: those that arrived after the warm-up.
 * In an open loop a task arrives at the time of its schedule, however late it is handed over;
 * otherwise when it is handed over.
 */
#ifndef WPOOLCTL_TALLY_H
#define WPOOLCTL_TALLY_H

#include <assert.h>
#include <linux/types.h>
#include <linux/wpool.h>
#include <stdbool.h>

#include "timehist.h"
#include "work.h"

#define TALLY_ERRORS 8

/* What is measured. Times of CLOCK_MONOTONIC. */
struct tally_window {
	bool open_loop;		/* cookies have the arrivals */
	__u64 start_ns;		/* what they are counted from */
	__u64 from_ns;		/* begin of the measurement */
	__u64 to_ns;		/* its end, 0 if it has none but that of the last task */
};

/* How the tasks of one workload ended. */
struct tally_work {
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	struct timehist run_ns;		/* of the completed ones */
};

struct tally_cpu {
	__u64 finished;
	__u64 run_ns;
};

struct tally_error {
	int err;			/* positive; 0 is any other */
	__u64 count;
};

enum tally_time {
	TALLY_LATE,			/* arrival to submit; open loop only */
	TALLY_QUEUE,			/* submit to start, of all that started */
	TALLY_WAIT,			/* arrival to start, of all that started; open loop only */
	TALLY_TOTAL,			/* arrival to end, of all that were not refused */
	NR_TALLY_TIMES
};

/* What an interval report says; who has read it clears it. */
struct tally_interval {
	__u64 completed;
	struct timehist total_ns;	/* of tasks that ended in it */
};

struct tally {
	struct tally_window window;
	__u64 finished;			/* = completed + failed + cancelled */
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	__u64 never_ran;		/* part of the above */
	__u64 warmup;			/* finished tasks that are not measured */
	__u64 unsent;			/* arrived, but were not handed over before the end */
	__u64 completed_in_window;	/* whenever they arrived */
	__u64 first_submit_ns;
	__u64 last_end_ns;
	struct timehist time[NR_TALLY_TIMES];
	struct tally_work work[WORK_MAX_KINDS];
	struct tally_cpu *cpu;
	__u32 nr_cpus;
	struct tally_error error[TALLY_ERRORS];
	struct tally_interval interval;
};

/*
 * A task's cookie: which workload it is, and in an open loop its arrival after window.start_ns,
 * otherwise any number.
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

/* All zero is an empty tally. 0, or -1: a record is damaged. */
int tally_add(struct tally *tally, const struct wpool_dev_record *records, __u32 nr);

/*
 * Open loop: @nr tasks that arrived at about @arrival_ns were not handed over until @until_ns. They
 * are counted as if they ended then, since they would have taken at least that long.
 */
void tally_add_unsent(struct tally *tally, __u64 arrival_ns, __u64 until_ns, __u64 nr);

void tally_exit(struct tally *tally);

/* First hand-over to last end, by the kernel's own clock. */
__u64 tally_wall_ns(const struct tally *tally);

/* Length of the measurement. */
__u64 tally_window_ns(const struct tally *tally);

/*
 * The shortest time in which @works could have ended on @capacity workers, if they only sleep, each
 * always for the same time; 0 if one of them does anything else, or if the capacity is unlimited.
 */
__u64 tally_ideal_ns(const struct tally *tally, const struct work *works,
		     unsigned int nr_works, __u32 capacity);

#endif /* WPOOLCTL_TALLY_H */
