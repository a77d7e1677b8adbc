/* SPDX-License-Identifier: GPL-2.0 */
/* What the monitor writes to the kernel's log about a pool: one message for each episode. */
#ifndef WPOOL_CORE_STALL_REPORT_H
#define WPOOL_CORE_STALL_REPORT_H

#include <linux/types.h>

struct seq_file;
struct wpool;
struct wpool_looked;

/*
 * Report that no worker takes tasks from a queue, although a worker could. @watch: the monitor's
 * record of the queue, where the report is noted; @cpu: the queue's CPU, or -1 for the global
 * queue; @ns: for how long no task was taken.
 * Context: the monitor, in an RCU read-side section.
 */
void wpool_report_stall(struct wpool *pool, struct wpool_looked *watch, int cpu, u64 ns);

/*
 * A task is queued, or a submitter waits: check whether the pool is in a jam. If no worker of the
 * pool has looked for a task for a second, the log says why: the capacity is used up, max_workers
 * is reached, or hogs keep the CPUs. The episode ends with wpool_report_no_jam(). Context: the
 * monitor, in an RCU read-side section. Returns true if the monitor must come again: the episode is
 * not reported yet, or panic_on_stall_ms is set.
 */
bool wpool_report_jam(struct wpool *pool, u64 now);

/* wpool_dump(), which prints a stalled pool; set before there is a pool. The monitor calls it. */
extern void (*wpool_stall_dump)(struct wpool *pool, struct seq_file *seq);

/** wpool_report_no_jam() - end an episode: no task is queued, and no submitter waits */
void wpool_report_no_jam(struct wpool *pool);

#endif /* WPOOL_CORE_STALL_REPORT_H */
