/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for tasks: all that were accepted before (flush), or all there are
 * (drain).
 */
#ifndef WPOOL_FLUSH_H
#define WPOOL_FLUSH_H

struct wpool;

/**
 * wpool_flush_drain() - wait until no task is unfinished, no worker is left, and nobody cancels
 * @pool: the pool, closed
 * @state: task state to sleep in
 * @timeout: in jiffies
 *
 * Context: process context; sleeps.
 * Return: 0, -ETIME, -EINTR.
 */
int wpool_flush_drain(struct wpool *pool, unsigned int state, long timeout);

#endif /* WPOOL_FLUSH_H */
