/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rescuer: a worker that a pool with the attribute reclaim has in reserve, so that the
 * pool keeps running tasks although no thread can be created.
 */
#ifndef WPOOL_WORKERS_RESCUER_H
#define WPOOL_WORKERS_RESCUER_H

#include <linux/types.h>

struct wpool;
struct wpool_worker;

/**
 * wpool_rescuer_set() - a new worker goes into reserve
 * @pool: the pool; the caller has counted the worker in the module
 * @w: the worker: leaving, and has not run yet
 *
 * It ends if the pool has a rescuer by now, or has given up reclaim.
 *
 * Context: process context, interrupts on.
 */
void wpool_rescuer_set(struct wpool *pool, struct wpool_worker *w);

/** wpool_rescuer_is_missing() - count that a rescuer could not be created */
void wpool_rescuer_is_missing(struct wpool *pool);

/**
 * wpool_rescuer_wait() - be the rescuer, until the pool needs one more worker
 * @w: the calling worker; counted out of its pool
 *
 * Context: the worker; sleeps.
 * Return: true to work: it is counted in, and has a home; false if it is not the rescuer, or
 * no longer, and its thread must end.
 */
bool wpool_rescuer_wait(struct wpool_worker *w);

/**
 * wpool_rescuer_enable() - the pool shall have a rescuer: whoever leaves next, if need be
 * @pool: the pool
 *
 * Context: under pool->tune_mutex, or the pool is not published.
 */
void wpool_rescuer_enable(struct wpool *pool);

/**
 * wpool_rescuer_look() - take the rescuer, if the pool needs a worker
 * @pool: the pool; the caller counts as one of its threads, or is its rescuer
 *
 * Context: process context; a full barrier since there is a rescuer, or since the caller has
 * cleared pool->spawn_wanted.
 */
void wpool_rescuer_look(struct wpool *pool);

/**
 * wpool_rescuer_dismiss() - the pool shall have no rescuer any more; the one it has ends
 * @pool: the pool; its nr_threads tells when the rescuer has ended
 *
 * Context: under pool->tune_mutex, or the pool is destroyed; interrupts on.
 */
void wpool_rescuer_dismiss(struct wpool *pool);

#endif /* WPOOL_WORKERS_RESCUER_H */
