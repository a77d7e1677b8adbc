/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spawner: one thread of the module that makes workers, one at a time,
 * reaps those that ended, and repairs the pool of one that died.
 */
#ifndef WPOOL_SPAWNER_H
#define WPOOL_SPAWNER_H

struct wpool;
struct wpool_worker;

/**
 * wpool_spawner_ask() - ask for one more worker
 * @pool: the pool
 *
 * The spawner looks for itself whether one is needed and allowed.
 *
 * Context: any.
 */
void wpool_spawner_ask(struct wpool *pool);

/**
 * wpool_spawner_ended() - a worker's thread is about to end
 * @w: the worker; from now on the spawner's
 *
 * Context: the worker's thread, in do_exit(); takes raw locks only.
 */
void wpool_spawner_ended(struct wpool_worker *w);

/** wpool_spawner_init() - start the thread; Return: 0 or -errno */
int wpool_spawner_init(void);

/** wpool_spawner_exit() - stop the thread; no worker is left */
void wpool_spawner_exit(void);

#endif /* WPOOL_SPAWNER_H */
