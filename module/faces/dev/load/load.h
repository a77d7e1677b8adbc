/* SPDX-License-Identifier: GPL-2.0 */
/* One run of a workload, for the files that execute parts of it. */
#ifndef WPOOL_DEV_LOAD_H
#define WPOOL_DEV_LOAD_H

#include <linux/compiler.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

struct mem_cgroup;
struct task_struct;
struct wpool;

/**
 * struct wpool_workload - one run of a workload
 * @arg: see WPOOL_WORK_* in the ABI
 * @pool: pool that a tree's nodes are submitted to, and that helps a loop; the task itself
 *	runs there
 * @memcg: memory cgroup that a touch is charged to, or NULL
 * @sleeper: X: thread to wake when @stop is set
 * @hash: hash: what the bytes hashed so far come to; written by the run
 * @kind: WPOOL_WORK_*
 * @depth: tree: levels below the root
 * @fanout: tree: children of each node
 * @stop: X: end as soon as possible; set once, never cleared
 *
 * Fields without a letter are set before the run, which only reads them, except @hash. X: read
 * and written without a lock, READ_ONCE and WRITE_ONCE.
 */
struct wpool_workload {
	u64 arg;
	struct wpool *pool;
	struct mem_cgroup *memcg;
	struct task_struct *sleeper;
	u32 hash;
	u8 kind;
	u8 depth;
	u8 fanout;
	bool stop;
};

/**
 * wpool_workload_stopped() - must this run end early?
 * @load: the run
 *
 * Context: any.
 * Return: true: the caller must return -ECANCELED as soon as possible.
 */
static inline bool wpool_workload_stopped(const struct wpool_workload *load)
{
	return READ_ONCE(load->stop) || fatal_signal_pending(current);
}

/**
 * wpool_workload_spin() - use the CPU
 * @load: the run
 * @spin_ns: CPU time to use, in ns; time in which the thread did not run does
 *	not count
 *
 * Context: process context; reschedules.
 * Return: 0; -ECANCELED.
 */
int wpool_workload_spin(const struct wpool_workload *load, u64 spin_ns);

#endif /* WPOOL_DEV_LOAD_H */
