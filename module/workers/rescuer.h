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
 * Put a new worker into reserve. @pool: the caller has counted the worker in the module; @w: has
 * @leaving set, and waits for wpool_hooks_go(); it ends if the pool has a rescuer by now, or no
 * longer has reclaim; %NULL: none could be created, which is counted. Process context, irqs on.
 */
void wpool_rescuer_set(struct wpool *pool, struct wpool_worker *w);

/*
 * Be the rescuer, until the pool needs one more worker. @w: counted out of its pool. Called by the
 * worker; sleeps. Returns true if the worker is counted in, has a home, and must work; false if it
 * is not the rescuer any more, and its thread must end.
 */
bool wpool_rescuer_wait(struct wpool_worker *w);

/*
 * Make the rescuer a normal worker if the pool needs one. @pool: the caller counts as one of its
 * threads, or is its rescuer. Process context; the caller has executed a full barrier since the
 * rescuer came, or since pool->spawn.work began.
 */
void wpool_rescuer_check(struct wpool *pool);

/*
 * From now on the pool has no rescuer; the present one ends. @pool: its nr_threads tells when the
 * rescuer has ended. Under pool->tune_mutex, or the pool is destroyed; interrupts on.
 */
void wpool_rescuer_dismiss(struct wpool *pool);

#endif /* WPOOL_WORKERS_RESCUER_H */
