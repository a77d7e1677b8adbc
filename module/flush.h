/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for tasks: all that were accepted before (flush), or all there are
 * (drain). Every task has the colour that was current when it was accepted;
 * tasks are counted in and out per CPU and colour.
 */
#ifndef WPOOL_FLUSH_H
#define WPOOL_FLUSH_H

#include "pool.h"

/** wpool_flush_outstanding() - unfinished tasks of one colour; of both: add them up */
u64 wpool_flush_outstanding(struct wpool *pool, u32 colour);

/**
 * wpool_flush_wake() - the last task of a colour may have finished
 * @pool: the pool
 * @colour: the colour
 *
 * Context: process context.
 */
void wpool_flush_wake(struct wpool *pool, u32 colour);

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
