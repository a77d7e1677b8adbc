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

/* The most spawners that run at the same time on a node; each serves one pool. */
#define WPOOL_NR_SPAWNERS	4

/*
 * Get one more worker: the one in reserve, or a new one. The caller has seen that one is needed.
 * @prefer: as for wpool_home_choose(). Any context.
 */
void wpool_spawn_ask(struct wpool *pool, int prefer);

/*
 * Make the worker in reserve a worker of the pool, see workers/rescuer.c. @prefer: as for
 * wpool_home_choose(). Returns true if a worker was in reserve, and the pool below its capacity.
 * Then the caller must have the spawner refill the reserve.
 */
bool wpool_reserve_take(struct wpool *pool, int prefer);

/* The pool's CPUs or cgroups have changed: let its worker in reserve adopt them. Interrupts on */
void wpool_reserve_follow(struct wpool *pool);

/*
 * Have the spawner check whether the pool needs a worker, or a reserve; for a caller that has not
 * checked this. If memory is short and no spawner runs, the monitor later asks for a worker for the
 * queued tasks. Any context.
 */
void wpool_spawn_check(struct wpool *pool);

/*
 * How many pools starve: they need a worker and have none, because max_workers is reached. Only
 * spawn_queue.c writes this; read it anywhere with READ_ONCE.
 */
extern u32 wpool_nr_starved;

/* Do more pools starve than max_workers leaves room? If so, a worker in no task leaves. */
static inline bool wpool_spawn_wants_room(void)
{
	u32 nr = READ_ONCE(wpool_nr_starved);

	return unlikely(nr) && nr > wpool_workers_room();
}

/*
 * A worker of @pool left: the module may have one more. Any context. The caller has executed a full
 * barrier since it was counted out.
 */
void wpool_spawn_room_free(struct wpool *pool);

/** wpool_spawn_is_starved() - does the pool starve? Any context */
bool wpool_spawn_is_starved(const struct wpool *pool);

/* Run the spawner of a pool, to which there is a reference, in @ms, even if it is pending. */
void wpool_spawn_in(struct wpool *pool, unsigned int ms);

/* For the spawner of @pool: note whether max_workers, or pools that starve, refused it a worker. */
void wpool_spawn_set_refused(struct wpool *pool, bool refused);

/** wpool_spawn_end() - take back the request of a drained pool; any context, interrupts on */
void wpool_spawn_end(struct wpool *pool);

int wpool_spawn_init(void);

/** wpool_spawn_exit() - wait for the last work, remove the workqueue; after the last worker */
void wpool_spawn_exit(void);

#endif /* WPOOL_CORE_SPAWN_QUEUE_H */
