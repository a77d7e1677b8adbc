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

/*
 * A new worker goes into reserve. @pool: the caller has counted the worker in the module; @w:
 * leaving, and has not run yet. It ends if the pool has a rescuer by now, or has given up reclaim.
 * Process context, interrupts on.
 */
void wpool_rescuer_set(struct wpool *pool, struct wpool_worker *w);

/** wpool_rescuer_is_missing() - count that a rescuer could not be created */
void wpool_rescuer_is_missing(struct wpool *pool);

/*
 * Be the rescuer, until the pool needs one more worker. @w: counted out of its pool. Called by the
 * worker; sleeps. Returns true to work: it is counted in, and has a home; false if it is not the
 * rescuer, or no longer, and its thread must end.
 */
bool wpool_rescuer_wait(struct wpool_worker *w);

/*
 * The pool shall have a rescuer: whoever leaves next, if need be. Under pool->tune_mutex, or the
 * pool is not published.
 */
void wpool_rescuer_enable(struct wpool *pool);

/*
 * Take the rescuer, if the pool needs a worker. @pool: the caller counts as one of its threads, or
 * is its rescuer. Process context; a full barrier since there is a rescuer, or since the caller has
 * cleared pool->spawn_wanted.
 */
void wpool_rescuer_look(struct wpool *pool);

/*
 * The pool shall have no rescuer any more; the one it has ends. @pool: its nr_threads tells when
 * the rescuer has ended. Under pool->tune_mutex, or the pool is destroyed; interrupts on.
 */
void wpool_rescuer_dismiss(struct wpool *pool);

#endif /* WPOOL_WORKERS_RESCUER_H */
