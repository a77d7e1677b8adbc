/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put load on a pool: some threads submit tasks, some read completion records, and one supervises
 * them.
 *
 * Each submitter has its own open file, with its own limits and records. A reader thread reads the
 * records at the same time, because a file holds a limited number of them. The reader does little
 * per record and sleeps between reads, to leave the CPUs to the pool.
 *
 * A run begins with a ramp and a warm-up, which are not measured. Without a schedule of
 * arrivals it is a closed loop: a submitter submits when its last call has returned.
 */
#ifndef WPOOLCTL_LOAD_H
#define WPOOLCTL_LOAD_H

#include <linux/wpool.h>
#include <signal.h>

#include "arrivals.h"
#include "cpulist.h"
#include "intervals.h"
#include "overtaken.h"
#include "parse.h"
#include "progress.h"
#include "tally.h"

#define LOAD_MAX_SUBMITTERS	256
#define LOAD_MAX_TASKS		1000000000000ULL

struct load_config {
	const char *pool;
	const struct work *works;
	unsigned int nr_works;
	const struct work_turns *turns;
	__u64 tasks;		/* 0: no limit */
	__u32 batch;		/* maximum of descriptors in one ioctl */
	__u32 submitters;
	__u32 group;		/* bound of each submitter's group; 0: no group */
	bool nonblock;		/* never sleep on a full pool */
	bool retry;		/* retry refused tasks instead of dropping them */
	bool urgent;		/* all tasks are urgent */
	__s32 on_cpu;		/* the CPU that the tasks prefer; -1: none */
	struct arrivals_config arrivals;
	__u64 warmup_ns;	/* after the ramp */
	__u64 duration_ns;	/* after the warm-up; 0: until all tasks are submitted */
	__u64 interval_ns;	/* time between interval reports; 0: none */
	__u64 timeout_ns;	/* 0: none */
	bool pinned;		/* each submitter runs on one of submit_cpus */
	struct cpulist submit_cpus;
};

/* The sum of ramp, warm-up and duration; 0 if the duration has no end. */
static inline __u64 load_length_ns(const struct load_config *config)
{
	return config->duration_ns ? config->arrivals.ramp_ns + config->warmup_ns +
				     config->duration_ns : 0;
}

/* Does a work of this kind belong to the load? */
static inline bool load_has_kind(const struct load_config *config, __u32 kind)
{
	unsigned int i;

	for (i = 0; i < config->nr_works; i++)
		if (config->works[i].kind == kind)
			return true;
	return false;
}

enum load_end {
	LOAD_COMPLETE,		/* the run had its full length; all accepted tasks finished */
	LOAD_INTERRUPTED,	/* a signal ended the run; unfinished tasks were cancelled */
	LOAD_TIMED_OUT,		/* --timeout ended the run; unfinished tasks were cancelled */
	LOAD_BROKEN,		/* an error ended the run, see why; all accepted tasks finished */
	LOAD_STUCK,		/* tasks did not end after their cancellation */
	LOAD_LEFT,		/* a second signal ended the wait for cancelled tasks */
};

struct load_result {
	enum load_end end;
	struct errmsg why;
	__u64 accepted;
	__u64 refused;		/* tasks dropped */
	__u64 retries;		/* calls that were repeated because of --retry */
	__u64 calls;		/* submit ioctls */
	__u64 call_ns;		/* time in submit ioctls, sleeps included */
	__u64 cpu_ns;		/* CPU time of the submitting threads */
	__u32 peak_workers;	/* the largest number seen; 10 looks a second */
	struct wpool_dev_attrs attrs;
	__u32 last_capacity;	/* differs from attrs if the pool was tuned meanwhile */
	struct wpool_dev_stats before;
	struct wpool_dev_stats after;
	struct tally tally;
	struct overtaken_figures overtaken;
	struct intervals intervals;
};

/*
 * Blocks the signals that end a run, and returns their set. load_run() waits for them. They never
 * kill the process, so the caller can destroy a temporary pool afterwards. SIGHUP stays ignored
 * below nohup.
 */
sigset_t load_hold_signals(void);

/*
 * @fd is attached to the pool and only used to read figures. Returns when all accepted tasks are
 * finished. After LOAD_STUCK and LOAD_LEFT threads still run, and the caller must exit. The caller
 * sets up @result->intervals.
 */
void load_run(const struct load_config *config, int fd, struct progress *progress,
	      struct load_result *result);

void load_result_exit(struct load_result *result);

#endif /* WPOOLCTL_LOAD_H */
