/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for tasks: for all that were accepted before (flush), or for all there
 * are (drain).
 */
#ifndef WPOOL_TASK_FLUSH_H
#define WPOOL_TASK_FLUSH_H

struct wpool;

/**
 * wpool_flush_drain() - wait until no task, no worker and no cancelling release is left
 * @pool: the pool, closed
 * @state: task state to sleep in
 * @timeout: in jiffies; 0 does not wait
 *
 * Returns early if the pool is opened again.
 *
 * Context: process context; sleeps.
 * Return: 0, -ETIME, -EINTR.
 */
int wpool_flush_drain(struct wpool *pool, unsigned int state, long timeout);

#endif /* WPOOL_TASK_FLUSH_H */
