/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks of a pool: functions of its owner that each worker calls at its start and its end. */
#ifndef WPOOL_WORKERS_OWNER_HOOKS_H
#define WPOOL_WORKERS_OWNER_HOOKS_H

#include <linux/types.h>

struct wpool_worker;

/*
 * Let a new worker call worker_start, and wait until that has returned. @w: registered, counted as
 * a thread, and has not run yet. After an error the worker ends, and the reaper frees it: the
 * caller must not touch it. Sleeps. The caller holds no lock that worker_start or the reaper takes.
 * Returns 0, or an error of worker_start, or -EIO if the worker died in it.
 */
int wpool_hooks_prepare(struct wpool_worker *w);

/* Let a prepared worker run. @w: counted in, or in reserve. The worker may be freed afterwards */
void wpool_hooks_go(struct wpool_worker *w);

/*
 * Call worker_start, and wait until the worker may go. Called by the worker; sleeps. Returns false
 * if worker_start failed, and the thread must end.
 */
bool wpool_hooks_start(struct wpool_worker *w);

/** wpool_hooks_end() - call worker_end, as the calling worker's last act; sleeps */
void wpool_hooks_end(struct wpool_worker *w);

/** wpool_hooks_tell() - end the wait of the worker's creator, if it waits: @err is its result */
void wpool_hooks_tell(struct wpool_worker *w, int err);

#endif /* WPOOL_WORKERS_OWNER_HOOKS_H */
