/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of the spawners: pools that need one more worker. A spawner is a work of the pool, so
 * one thread at a time runs it, see workers/spawner.c.
 */
#ifndef WPOOL_CORE_SPAWN_QUEUE_H
#define WPOOL_CORE_SPAWN_QUEUE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/counts.h"

struct workqueue_struct;
struct wpool;

/* ---- for threads that need a worker ---- */

/**
 * wpool_spawn_ask() - get one more worker: the one in reserve, or a new one
 * @pool: the pool; the caller has seen that it needs one
 * @prefer: as for wpool_home_place()
 *
 * Context: any.
 */
void wpool_spawn_ask(struct wpool *pool, int prefer);

/**
 * wpool_spawn_look() - have the spawner check whether the pool needs a worker, or a reserve
 * @pool: the pool
 *
 * For a caller that has not checked this. If memory is short and no spawner runs, the monitor later
 * asks for a worker for the queued tasks.
 *
 * Context: any.
 */
void wpool_spawn_look(struct wpool *pool);

/*
 * How many pools starve: they have tasks, but no worker, because max_workers is reached. Only
 * spawn_queue.c writes this; read it anywhere with READ_ONCE.
 */
extern u32 wpool_nr_starved;

/**
 * wpool_spawn_wants_place() - do more pools starve than there are free places?
 *
 * Context: any.
 * Return: true if more pools starve: then the calling worker must leave, unless it is in a task.
 */
static inline bool wpool_spawn_wants_place(void)
{
	u32 nr = READ_ONCE(wpool_nr_starved);

	return unlikely(nr) && nr > wpool_workers_room();
}

/**
 * wpool_spawn_place_free() - announce that the module may have one more worker
 * @pool: the pool whose worker left
 *
 * Context: any. The caller has executed a full barrier since the place became free.
 */
void wpool_spawn_place_free(struct wpool *pool);

/* ---- for the spawners ---- */

/**
 * wpool_spawn_retry() - serve a pool again later
 * @pool: the pool that the calling spawner serves
 * @ms: after how many milliseconds
 */
void wpool_spawn_retry(struct wpool *pool, unsigned int ms);

/**
 * wpool_spawn_set_refused() - note whether the module had no place for a worker of the pool
 * @pool: the pool that the calling spawner serves
 * @refused: max_workers is reached, or other pools starve
 */
void wpool_spawn_set_refused(struct wpool *pool, bool refused);

/** wpool_spawn_attach() - set the workqueue of the spawners, before there is a pool */
void wpool_spawn_attach(struct workqueue_struct *wq);

/** wpool_spawn_end() - take back the request of a drained pool; any context, interrupts on */
void wpool_spawn_end(struct wpool *pool);

#endif /* WPOOL_CORE_SPAWN_QUEUE_H */
