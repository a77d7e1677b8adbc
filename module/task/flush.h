/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for tasks: for all that were accepted before (flush), or for all there
 * are (drain).
 */
#ifndef WPOOL_TASK_FLUSH_H
#define WPOOL_TASK_FLUSH_H

struct wpool;

/*
 * Wait, in a task state @state, until no task and no worker is left of a closed pool, or it is
 * opened again. A @timeout of 0 does not wait. Returns 0, -ETIME or -EINTR.
 */
int wpool_flush_drain(struct wpool *pool, unsigned int state, long timeout);

#endif /* WPOOL_TASK_FLUSH_H */
