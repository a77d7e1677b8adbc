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

/*
 * One run of a workload. The run does not change fields without a letter, except @hash. X: read and
 * written by several threads without a lock, READ_ONCE and WRITE_ONCE.
 */
struct wpool_workload {
	u64 arg;	/* see WPOOL_WORK_* in the ABI */
	/* pool of the task; a tree submits its nodes there, and a loop its helpers */
	struct wpool *pool;
	struct mem_cgroup *memcg;	/* memory cgroup that a touch is charged to, or NULL */
	struct task_struct *sleeper;	/* X: thread to wake when @stop is set */
	u32 hash;	/* hash: the hash of the bytes so far */
	u8 kind;	/* WPOOL_WORK_* */
	u8 depth;	/* tree: levels below the root */
	u8 fanout;	/* tree: children of each node */
	bool stop;	/* X: the run must end soon; set once, never cleared */
};

/* Must this run end early? Then the caller must return -ECANCELED as soon as possible. */
static inline bool wpool_workload_stopped(const struct wpool_workload *load)
{
	return READ_ONCE(load->stop) || fatal_signal_pending(current);
}

/* Does a user process run its own task, under policy "run"? That task must not wait for workers. */
static inline bool wpool_workload_in_submitter(void)
{
	return !(current->flags & PF_KTHREAD);
}

/* Use the CPU; other threads' time does not count. Reschedules, freezes; returns 0 or -ECANCELED */
int wpool_workload_spin(const struct wpool_workload *load, u64 spin_ns);

/* The same, but returns early if the thread is to be frozen. @left_ns: on return the rest */
int wpool_workload_spin_thawed(const struct wpool_workload *load, u64 *left_ns);

/* Hash load->arg bytes; the result is in load->hash. Reschedules; returns 0 or -ECANCELED */
int wpool_hash_run(struct wpool_workload *load);

#endif /* WPOOL_DEV_LOAD_H */
