/* SPDX-License-Identifier: GPL-2.0 */
/* Noticing that a worker's thread ends, and reporting a worker that died. */
#ifndef WPOOL_WORKERS_FAULT_H
#define WPOOL_WORKERS_FAULT_H

struct wpool_worker;

/** wpool_fault_arm() - tell the reaper when the calling worker's thread ends, for any reason */
void wpool_fault_arm(struct wpool_worker *w);

/*
 * Report a dead worker to the fault handler, or to the log. @w: the worker, whose thread is gone.
 * Context: the work of the pool in tidy.c.
 */
void wpool_fault_report(struct wpool_worker *w);

#endif /* WPOOL_WORKERS_FAULT_H */
