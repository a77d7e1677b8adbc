/* SPDX-License-Identifier: GPL-2.0 */
/* The spawners: works that create workers, see core/spawn_queue.h. */
#ifndef WPOOL_WORKERS_SPAWNER_H
#define WPOOL_WORKERS_SPAWNER_H

#include <linux/types.h>

struct work_struct;
struct wpool;

/*
 * Create workers until the pool has @nr, or as many as its capacity. Sleeps, killable. Returns 0,
 * -ENOMEM, -EINTR, -EAGAIN (no more threads in the system, or the module has its max_workers), or
 * as wpool_hooks_prepare(); workers created before stay.
 */
int wpool_worker_create_all(struct wpool *pool, u32 nr);

/*
 * Create the worker in reserve if the pool has none: for the creation or a tune of the pool, once
 * pool->reclaim is set. Sleeps. Returns as wpool_worker_create_all().
 */
int wpool_worker_create_reserve(struct wpool *pool);

/** wpool_spawner_serve() - the function of pool->spawn.work */
void wpool_spawner_serve(struct work_struct *work);

#endif /* WPOOL_WORKERS_SPAWNER_H */
