/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why tasks of a pool wait: one answer, for the monitor's message and for a dump of the pool. And
 * what the monitor writes to the kernel's log about a pool: one message for each episode.
 */
#ifndef WPOOL_CORE_WHY_H
#define WPOOL_CORE_WHY_H

#include <linux/types.h>

struct seq_file;
struct wpool;
struct wpool_seen;

enum wpool_why {
	WPOOL_WHY_OTHER,	/* another reason, which may soon be over, or is in the log */
	WPOOL_WHY_EXHAUSTED,	/* all workers allowed are in tasks */
	WPOOL_WHY_HOGS,		/* tasks that do not sleep keep the CPUs */
};

/* Room for any answer: the name of a function takes most of it. */
#define WPOOL_WHY_BYTES		192

/* Say why tasks of a pool wait, racy; under RCU. @text: filled in, @size bytes. */
enum wpool_why wpool_why(struct wpool *pool, char *text, size_t size);

/* How many workers are in tasks of @func, or of any function if it is %NULL: racy; under RCU. */
u32 wpool_workers_in(struct wpool *pool, void *func);

/*
 * Report that no worker takes tasks from a queue, although a worker could. @watch: the monitor's
 * record of the queue, where the report is noted; @cpu: the queue's CPU, or -1 for the global
 * queue; @ns: for how long no task was taken.
 * Context: the monitor, in an RCU read-side section.
 */
void wpool_report_stall(struct wpool *pool, struct wpool_seen *watch, int cpu, u64 ns);

/*
 * A task is queued, or a submitter waits: check whether the pool is in a jam. If no worker of the
 * pool has looked for a task for a second, the log says why. The episode ends with
 * wpool_report_no_jam(). Context: the monitor, in an RCU read-side section. Returns true if the
 * monitor must come again: the episode is not reported yet, or panic_on_stall_ms is set.
 */
bool wpool_report_jam(struct wpool *pool, u64 now);

/* wpool_dump(), which prints a stalled pool; set before there is a pool. The monitor calls it. */
extern void (*wpool_stall_dump)(struct wpool *pool, struct seq_file *seq);

/** wpool_report_no_jam() - end an episode: no task is queued, and no submitter waits */
void wpool_report_no_jam(struct wpool *pool);

#endif /* WPOOL_CORE_WHY_H */
