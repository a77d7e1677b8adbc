/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What became of the tasks of a run, counted from their completion records.
 * Plain arithmetic; whoever shares one between threads locks it.
 */
#ifndef WPOOLCTL_TALLY_H
#define WPOOLCTL_TALLY_H

#include <linux/types.h>
#include <linux/wpool.h>

#include "samples.h"
#include "work.h"

#define TALLY_ERRORS 8

/* How the tasks of one workload ended. */
struct tally_work {
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	struct samples run_ns;		/* of the completed ones */
};

struct tally_cpu {
	__u64 finished;
	__u64 run_ns;
};

struct tally_error {
	int err;			/* positive; 0 is any other */
	__u64 count;
};

struct tally {
	__u64 finished;			/* = completed + failed + cancelled */
	__u64 completed;
	__u64 failed;
	__u64 cancelled;
	__u64 never_ran;		/* part of the above */
	__u64 first_submit_ns;
	__u64 last_end_ns;
	struct samples queue_ns;	/* submit to start, of all that started */
	struct tally_work work[WORK_MAX_KINDS];
	struct tally_cpu *cpu;
	__u32 nr_cpus;
	struct tally_error error[TALLY_ERRORS];
};

/*
 * All zero is an empty tally. A record's cookie is the number of its task,
 * which tells its workload. 0, or -1 without memory.
 */
int tally_add(struct tally *tally, const struct work_turns *turns,
	      const struct wpool_dev_record *records, __u32 nr);

/* Call once at the end, before percentiles are asked for. */
void tally_sort(struct tally *tally);
void tally_exit(struct tally *tally);

/* First hand-over to last end, by the kernel's own clock. */
__u64 tally_wall_ns(const struct tally *tally);

/*
 * The shortest time in which @works could have ended on @capacity workers, if
 * they do nothing but sleep; 0 if one of them does anything else, or if the
 * capacity is unlimited.
 */
__u64 tally_ideal_ns(const struct tally *tally, const struct work *works,
		     unsigned int nr_works, __u32 capacity);

#endif /* WPOOLCTL_TALLY_H */
