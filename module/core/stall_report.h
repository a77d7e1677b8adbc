/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the monitor says in the kernel's log about a pool: each episode once.
 */
#ifndef WPOOL_CORE_STALL_REPORT_H
#define WPOOL_CORE_STALL_REPORT_H

#include <linux/types.h>

struct wpool;
struct wpool_looked;

/**
 * wpool_report_stall() - nobody takes from a queue, although somebody could
 * @pool: the pool
 * @watch: what the monitor saw of the queue; remembers that it was reported
 * @cpu: the queue's CPU, or -1 for the global queue
 * @ns: for how long
 *
 * Context: the monitor, in an RCU read-side section.
 */
void wpool_report_stall(struct wpool *pool, struct wpool_looked *watch, int cpu, u64 ns);

/**
 * wpool_report_jam() - look whether tasks or submitters wait for nothing to happen
 * @pool: the pool; a task is queued, or a submitter waits
 * @now: the time
 *
 * If no worker of the pool has looked for a task for a second, the log says why: the
 * capacity is used up, or max_workers, or hogs keep the CPUs. The episode ends when nothing
 * is queued and nobody waits any more.
 *
 * Context: the monitor, in an RCU read-side section.
 * Return: true if the episode has not been reported so far, or may yet be a panic.
 */
bool wpool_report_jam(struct wpool *pool, u64 now);

/** wpool_stall_attach() - what prints a pool that has stalled, under RCU, or %NULL; sleeps */
void wpool_stall_attach(void (*fn)(struct wpool *pool));

/** wpool_report_no_jam() - nothing is queued, nobody waits: an episode is over */
void wpool_report_no_jam(struct wpool *pool);

#endif /* WPOOL_CORE_STALL_REPORT_H */
