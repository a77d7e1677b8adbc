/* SPDX-License-Identifier: GPL-2.0 */
/* The reaper: a work that frees workers once their threads have ended; a timer repeats it. */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

struct wpool_worker;

/*
 * Give the reaper a worker whose thread is about to end; @w belongs to the reaper from now on.
 * Called by that thread, in do_exit(); takes raw locks only.
 */
void wpool_reaper_add(struct wpool_worker *w);

/*
 * Remove a worker from its pool's list. @w: counted out, and its thread has ended. The worker is
 * freed after an RCU grace period; its pool may be freed earlier. Takes pool->workers.mutex.
 */
void wpool_worker_reap(struct wpool_worker *w);

int wpool_reaper_init(void);
/** wpool_reaper_exit() - remove the workqueue, after the last worker */
void wpool_reaper_exit(void);

#endif /* WPOOL_WORKERS_REAPER_H */
