/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spawners: threads of the module that make workers. And the reaper, which
 * reaps those that ended, repairs the pool of one that died, and ends tasks that
 * were cancelled where that cannot be done.
 */
#ifndef WPOOL_SPAWNER_H
#define WPOOL_SPAWNER_H

#include <linux/types.h>

struct wpool;
struct wpool_task;
struct wpool_worker;

/**
 * wpool_spawner_ask() - ask for one more worker
 * @pool: the pool
 *
 * A spawner looks for itself whether one is needed and allowed.
 *
 * Context: any.
 */
void wpool_spawner_ask(struct wpool *pool);

/**
 * wpool_spawner_nr_starved() - how many pools starve
 *
 * Such a pool has work, but no worker, because max_workers is reached.
 *
 * Context: any.
 * Return: how many, a glance.
 */
u32 wpool_spawner_nr_starved(void);

/**
 * wpool_spawner_place_free() - the module may have one worker more
 * @pool: the pool that had it
 *
 * Context: any; a full barrier after the place is free.
 */
void wpool_spawner_place_free(struct wpool *pool);

/**
 * wpool_spawner_ended() - a worker's thread is about to end
 * @w: the worker; from now on the reaper's
 *
 * Context: the worker's thread, in do_exit(); takes raw locks only.
 */
void wpool_spawner_ended(struct wpool_worker *w);

/**
 * wpool_spawner_drop() - end a cancelled task in process context
 * @task: the task, CANCELLED and taken out of the queues
 *
 * Context: any; interrupts off since it was taken out.
 */
void wpool_spawner_drop(struct wpool_task *task);

/** wpool_spawner_init() - start the threads; Return: 0 or -errno */
int wpool_spawner_init(void);

/** wpool_spawner_exit() - stop the threads; no worker is left */
void wpool_spawner_exit(void);

#endif /* WPOOL_SPAWNER_H */
