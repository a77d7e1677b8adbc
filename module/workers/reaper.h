/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reaper notices that a worker's thread is about to end. Once the thread has ended, a work,
 * which a timer repeats, frees the worker.
 */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

struct wpool_worker;

/** wpool_reaper_arm() - tell the reaper when the calling worker's thread ends, for any reason */
void wpool_reaper_arm(struct wpool_worker *w);

/*
 * Remove a worker from its pool's list. @w: counted out, and its thread has ended. The worker is
 * freed after an RCU grace period; its pool may be freed earlier. Takes pool->workers.mutex.
 */
void wpool_worker_reap(struct wpool_worker *w);

int wpool_reaper_init(void);
/** wpool_reaper_exit() - wait for the last work, after the last worker */
void wpool_reaper_exit(void);

#endif /* WPOOL_WORKERS_REAPER_H */
