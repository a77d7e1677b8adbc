/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pools that want a worker more. Below are those who ask, above the spawners, who
 * serve one pool each at a time.
 */
#ifndef WPOOL_CORE_SPAWN_QUEUE_H
#define WPOOL_CORE_SPAWN_QUEUE_H

#include <linux/types.h>

struct task_struct;
struct wpool;

#define WPOOL_NR_SPAWNERS	4

/* ---- for those who ask ---- */

/**
 * wpool_spawn_ask() - ask for one more worker
 * @pool: the pool
 *
 * A spawner looks for itself whether one is needed and allowed.
 *
 * Context: any.
 */
void wpool_spawn_ask(struct wpool *pool);

/**
 * wpool_spawn_nr_starved() - how many pools starve
 *
 * Such a pool has work, but no worker, because max_workers is reached.
 *
 * Context: any.
 * Return: how many, a glance.
 */
u32 wpool_spawn_nr_starved(void);

/**
 * wpool_spawn_wants_place() - do more pools starve than there are places?
 *
 * Context: any.
 * Return: true if they do: then a worker that is in no task leaves its pool.
 */
bool wpool_spawn_wants_place(void);

/**
 * wpool_spawn_place_free() - the module may have one worker more
 * @pool: the pool that had it
 *
 * Context: any; a full barrier after the place is free.
 */
void wpool_spawn_place_free(struct wpool *pool);

/* ---- for the spawners ---- */

/**
 * wpool_spawn_next() - the next pool that is due
 * @nr: number of the calling spawner
 * @timeout: if there is none: in how many jiffies one is
 *
 * Context: the spawner.
 * Return: the pool, which is the caller's until wpool_spawn_done(), with a
 * reference; or NULL: the spawner is idle.
 */
struct wpool *wpool_spawn_next(unsigned int nr, unsigned long *timeout);

/** wpool_spawn_done() - the calling spawner has served a pool; gives the reference back */
void wpool_spawn_done(struct wpool *pool);

/**
 * wpool_spawn_retry() - serve a pool again later
 * @pool: the pool that the calling spawner serves
 * @ms: when
 */
void wpool_spawn_retry(struct wpool *pool, unsigned int ms);

/**
 * wpool_spawn_set_refused() - has the pool been refused a place?
 * @pool: the pool that the calling spawner serves
 * @refused: max_workers is reached, or other pools starve
 */
void wpool_spawn_set_refused(struct wpool *pool, bool refused);

/**
 * wpool_spawn_attach() - say who the spawners are
 * @nr: number of the spawner
 * @thread: its thread, not yet running
 */
void wpool_spawn_attach(unsigned int nr, struct task_struct *thread);

/** wpool_spawn_forget() - the spawners have ended: forget who waits */
void wpool_spawn_forget(void);

#endif /* WPOOL_CORE_SPAWN_QUEUE_H */
