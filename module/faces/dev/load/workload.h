/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The workloads of /dev/wpool: what a test task does while a worker runs it.
 *
 * The caller checks a descriptor, prepares a run, and calls wpool_workload_run() from a task.
 * Every workload checks its stop flag at least once a millisecond and, if asleep, is woken when the
 * flag is set.
 */
#ifndef WPOOL_WORKLOAD_H
#define WPOOL_WORKLOAD_H

#include <linux/types.h>
#include <uapi/linux/wpool.h>

#include "faces/dev/load/load.h"

struct mem_cgroup;

/* Module parameter allow_fault: WPOOL_WORK_FAULT is allowed. */
extern bool wpool_allow_fault;

/*
 * Is this a known workload, within the limits? @work: a descriptor from user space. Returns 0;
 * -EINVAL for an unknown kind; -EOPNOTSUPP for an unknown flag; -ERANGE beyond a limit; -EPERM for
 * a fault, unless allow_fault is set and the caller has CAP_SYS_ADMIN.
 */
int wpool_workload_check(const struct wpool_dev_work *work);

/*
 * Prepare a run. @load: filled in; @work: a descriptor that was checked; @pool: the pool whose task
 * will run it, which must exist until the run has ended; @memcg: memory cgroup to which the memory
 * of a touch is charged, or NULL; it must exist until the run has ended.
 */
void wpool_workload_init(struct wpool_workload *load,
			 const struct wpool_dev_work *work, struct wpool *pool,
			 struct mem_cgroup *memcg);

/* How many bytes of WPOOL_MAX_FILE_BYTES does a run use? @load: an initialised run. */
u64 wpool_workload_bytes(const struct wpool_workload *load);

/*
 * Execute a run. @load: an initialised run. Does not return if a fault ends the workload. Process
 * context, in a task of the run's pool; sleeps. Returns 0; -ECANCELED if the run was stopped, or
 * its thread killed, before it was complete; touch: -ENOMEM; count: -EFAULT; loop: as
 * wpool_parallel_for(); tree: as wpool_worktree_run().
 */
int wpool_workload_run(struct wpool_workload *load);

/*
 * End a run early. @load: the run, which wpool_workload_run() may be about to start. The caller
 * must make sure that the run's thread does not end before the call returns. Context: may hold spin
 * locks.
 */
void wpool_workload_stop(struct wpool_workload *load);

#endif /* WPOOL_WORKLOAD_H */
