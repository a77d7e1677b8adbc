/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of a pool: states, counts, histograms of times, costs of functions. */
#ifndef _LINUX_WPOOL_STATS_H
#define _LINUX_WPOOL_STATS_H

#include <linux/types.h>

struct wpool;

/** WPOOL_HIST_BUCKETS - buckets of a histogram of times, 16 for each power of two */
#define WPOOL_HIST_BUCKETS	480

/**
 * enum wpool_state - state of a pool
 * @WPOOL_OPEN: accepts tasks
 * @WPOOL_CLOSED: released; accepted tasks run to their end, then the workers leave
 * @WPOOL_DESTROYED: wpool_destroy() was called; like @WPOOL_CLOSED, but the pool can never be
 *	opened again. Once wpool_destroy() has returned, only references keep the memory.
 * @WPOOL_CLOSING: released with %WPOOL_RELEASE_OWN; accepts its events and what its own
 *	tasks submit
 */
enum wpool_state {
	WPOOL_OPEN,
	WPOOL_CLOSED,
	WPOOL_DESTROYED,
	WPOOL_CLOSING,
};

/**
 * struct wpool_stats - a snapshot of a pool's figures
 * @state: see &enum wpool_state
 * @workers: live workers; = @idle + @searching + @busy
 * @idle: parked workers
 * @searching: workers that look for a task, or call an abort function
 * @busy: workers inside a task, asleep or not
 * @blocked: workers asleep inside a task; part of @busy
 * @waiting: submitters, fired events and strands that wait because the pool is full
 * @queued: accepted tasks that have not started
 * @free: tasks that an open pool would accept now; %WPOOL_UNLIMITED if there is no limit
 * @spawn_error: the error of the last failed attempt to create a worker, such as -ENOMEM; 0: none
 * @outstanding: accepted tasks that have not finished
 * @submitted: accepted tasks; = @completed + @failed + @cancelled + @overdue + @outstanding
 * @completed: tasks whose function returned
 * @failed: tasks whose worker died in them
 * @cancelled: accepted tasks that were cancelled before they ran
 * @overdue: accepted tasks that were not run, as they had waited for longer than max_wait_ms
 * @errors: tasks of groups whose function returned an error, counted just before they complete;
 *	a part of @completed, except tasks that their submitter ran (%WPOOL_RUN)
 * @refused: submits that got -EAGAIN or -EDEADLK because the pool, not a group or strand, was full,
 *	and batches of which only a part was accepted for that reason
 * @stolen: tasks that moved to another CPU by stealing
 * @handoffs: times that another worker got a run queue, as its own one had blocked in a task
 * @hogs: times that a task was found to have run for hog_ms without sleeping
 * @spawned: workers created since the pool was created
 * @spawn_failed: attempts to create a worker that failed; they are repeated
 * @exhausted: times that tasks, or submitters, waited for a second because all workers allowed were
 *	in tasks
 * @rescued: times that the rescuer became a worker, and no new rescuer was created within 10 ms
 * @expired: workers that ended because they were idle
 * @faults: workers that died in a task
 *
 * The figures of a pool in use are read one after the other, but both equations above hold
 * in every snapshot. A running task that was submitted again counts twice in @outstanding
 * until it has returned, though it needs room only once. A task that was accepted and finished
 * during the call may count in @outstanding, too; and so may, in @submitted as well, a submit that
 * is refused at this moment because its task runs, or is taken back.
 */
struct wpool_stats {
	enum wpool_state state;
	u32 workers;
	u32 idle;
	u32 searching;
	u32 busy;
	u32 blocked;
	u32 waiting;
	u32 queued;
	u32 free;
	int spawn_error;
	u64 outstanding;
	u64 submitted;
	u64 completed;
	u64 failed;
	u64 cancelled;
	u64 overdue;
	u64 errors;
	u64 refused;
	u64 stolen;
	u64 handoffs;
	u64 hogs;
	u64 spawned;
	u64 spawn_failed;
	u64 exhausted;
	u64 rescued;
	u64 expired;
	u64 faults;
};

/**
 * struct wpool_hist - a histogram of times
 * @sum_ns: sum of all times, in ns
 * @max_ns: the longest time, in ns
 * @nr: bucket i counts the times in [wpool_hist_from(i), wpool_hist_from(i + 1)) ns; the last
 *	bucket counts all longer times, too
 */
struct wpool_hist {
	u64 sum_ns;
	u64 max_ns;
	u64 nr[WPOOL_HIST_BUCKETS];
};

/**
 * struct wpool_cost - what the tasks of one function cost
 * @func: the function; %NULL: the sums of all functions that have no entry
 * @runs: how many of the tasks have returned
 * @wait_ns: sum of their times from submit to start, in ns
 * @run_ns: sum of their times from start to end, in ns
 * @cpu_ns: sum of the CPU times that the scheduler accounted to the tasks, in ns: exact to a tick
 *	if a task slept or was preempted. In the rest of @run_ns the tasks slept, or waited for
 *	their CPU.
 * @worst_ns: the longest time from start to end, in ns
 */
struct wpool_cost {
	void *func;
	u64 runs;
	u64 wait_ns;
	u64 run_ns;
	u64 cpu_ns;
	u64 worst_ns;
};

/**
 * struct wpool_cpu_stats - figures of one CPU's run queue
 * @workers: workers whose home is this CPU
 * @idle: parked workers among them
 * @queued: tasks in its ring, its backlog and its next slot
 * @submitted: tasks accepted on this CPU
 * @completed: tasks finished on this CPU, however they ended
 * @stolen: tasks that workers of this CPU took from other CPUs
 */
struct wpool_cpu_stats {
	u32 workers;
	u32 idle;
	u32 queued;
	u64 submitted;
	u64 completed;
	u64 stolen;
};

/**
 * wpool_get_stats() - take a snapshot of a pool's figures
 * @pool: the pool; for %NULL and ERR_PTR the state is %WPOOL_DESTROYED and all else 0
 * @stats: filled in
 *
 * Visits all workers and all CPUs.
 *
 * Context: process context; does not sleep, and takes no lock.
 */
void wpool_get_stats(struct wpool *pool, struct wpool_stats *stats);

/**
 * wpool_hist_from() - the shortest time that a bucket counts
 * @bucket: number of the bucket, up to %WPOOL_HIST_BUCKETS
 *
 * Return: that time, in ns.
 */
u64 wpool_hist_from(u32 bucket);

/**
 * wpool_get_latency() - read how long tasks waited and ran
 * @pool: the pool
 * @wait: filled in: from submit to start
 * @run: filled in: from start to end
 *
 * Counts since the attribute latency was last switched on. A task that was submitted while latency
 * was on is counted in @wait when it starts and in @run when it returns, if latency is still on. A
 * task that was submitted while latency was off counts only if its time of submit was stored for
 * max_wait_ms or a tracepoint. The structures are too large for the stack.
 *
 * Context: process context; does not sleep, and takes no lock.
 * Return: 0; -EINVAL if there is no pool; -ENODATA if latency was never on.
 */
int wpool_get_latency(struct wpool *pool, struct wpool_hist *wait, struct wpool_hist *run);

/**
 * wpool_get_costs() - read what the tasks of a pool have cost, by function
 * @pool: the pool
 * @costs: filled in: an entry for each function, in no order
 * @nr: how many entries @costs has, at least 1
 *
 * Counts the tasks that wpool_get_latency() counts, when they return. The times of a task
 * include those of other tasks that it ran while it waited for them. Each CPU has entries for 31
 * functions. The last entry, whose function is %NULL, sums up all other functions, and those that
 * find no room in @costs.
 *
 * Context: process context; does not sleep, and takes no lock.
 * Return: how many entries were filled in; -EINVAL if there is no pool, or no entry;
 * -ENODATA if latency was never on.
 */
int wpool_get_costs(struct wpool *pool, struct wpool_cost *costs, u32 nr);

/**
 * wpool_get_cpu_stats() - read the figures of one CPU's run queue
 * @pool: the pool; for %NULL and ERR_PTR all figures are 0
 * @cpu: a possible CPU
 * @stats: filled in
 */
void wpool_get_cpu_stats(struct wpool *pool, int cpu,
			 struct wpool_cpu_stats *stats);

#endif /* _LINUX_WPOOL_STATS_H */
