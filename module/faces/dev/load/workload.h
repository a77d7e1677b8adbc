/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The workloads of /dev/wpool: what a test task does while a worker runs it.
 *
 * The caller checks a descriptor, fills in a run, and calls wpool_workload_run() from a task.
 * Every workload checks its stop flag at least once a millisecond and, if asleep, is woken when the
 * flag is set.
 */
#ifndef WPOOL_WORKLOAD_H
#define WPOOL_WORKLOAD_H

#include <linux/types.h>
#include <uapi/linux/wpool.h>

#include "faces/dev/load/load.h"

/* Module parameter allow_fault: WPOOL_WORK_FAULT is allowed. */
extern bool wpool_allow_fault;

/* Check a descriptor from user space. Returns 0, or an error of struct wpool_dev_work. */
int wpool_workload_check(const struct wpool_dev_work *work);

/** wpool_workload_bytes() - how many bytes of WPOOL_MAX_FILE_BYTES a run uses */
u64 wpool_workload_bytes(const struct wpool_workload *load);

/* Execute a run in a task of its pool; sleeps. Returns the record's status; not after a fault */
int wpool_workload_run(struct wpool_workload *load);

/*
 * End a run early, even one that is about to start. Its thread must not end before the call
 * returns. The caller may hold spin locks.
 */
void wpool_workload_stop(struct wpool_workload *load);

#endif /* WPOOL_WORKLOAD_H */
