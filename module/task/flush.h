/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for all tasks accepted before the call (flush), or until no task is left (drain). */
#ifndef WPOOL_TASK_FLUSH_H
#define WPOOL_TASK_FLUSH_H

struct wpool;

/*
 * Wait, in a task state @state, until a closed pool has no task and no worker any more, or is
 * opened again. @timeout: in jiffies; 0 does not wait. Returns 0, -ETIME or -EINTR.
 */
int wpool_flush_drain(struct wpool *pool, unsigned int state, long timeout);

/*
 * Threads that flush check once a tick; wake them earlier if their wait is over. Called by a worker
 * that parks: the pool's last task that a flush waits for may have finished on this CPU.
 */
void wpool_flush_wake(struct wpool *pool);

#endif /* WPOOL_TASK_FLUSH_H */
