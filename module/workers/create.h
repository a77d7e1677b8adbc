/* SPDX-License-Identifier: GPL-2.0 */
/* How workers are created. All functions here sleep; a fatal signal ends a creation. */
#ifndef WPOOL_WORKERS_CREATE_H
#define WPOOL_WORKERS_CREATE_H

#include <linux/types.h>

struct wpool;
struct wpool_runq;

/*
 * Create a worker at home at @rq. The caller has counted it in nr_workers. Returns 0, -ENOMEM,
 * -EINTR, -EAGAIN (no more threads in the system), or as wpool_hooks_prepare().
 */
int wpool_worker_create(struct wpool *pool, struct wpool_runq *rq);

/*
 * Create workers until the pool has @nr, or as many as its capacity. Returns 0, or as
 * wpool_worker_create(), or -EAGAIN (the module has its max_workers); workers created before stay.
 */
int wpool_worker_create_all(struct wpool *pool, u32 nr);

/*
 * Create the worker in reserve, see rescuer.h. If the pool has a rescuer by then, the new worker
 * ends. Returns as wpool_worker_create(), or 1: the module has its max_workers, or pools without a
 * worker come first. Not an errno: worker_start may return any errno.
 */
int wpool_worker_create_rescuer(struct wpool *pool);

/*
 * wpool_worker_create_rescuer() if the pool has no rescuer: for the creation or a tune of the pool,
 * after wpool_rescuer_enable(). Returns as wpool_worker_create_all().
 */
int wpool_worker_create_reserve(struct wpool *pool);

#endif /* WPOOL_WORKERS_CREATE_H */
