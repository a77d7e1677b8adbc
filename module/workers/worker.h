/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: one kthread at home on one CPU, which runs one task at a time.
 *
 * The spawner creates a worker as waking. It then searches, runs a task, parks on its
 * run queue's idle list, and so on, until it leaves: because it expired, or the pool is
 * above its capacity or closed, or another pool needs the place. A worker leaves by being
 * counted out under pool->workers.lock; its thread ends afterwards, and the reaper frees
 * it. A worker that dies in a task is counted out by tidy.c.
 *
 * All state is in struct wpool_worker, none on the worker's stack, because an oops
 * discards the stack.
 */
#ifndef WPOOL_WORKERS_WORKER_H
#define WPOOL_WORKERS_WORKER_H

#include <linux/types.h>

struct wpool;
struct wpool_runq;
struct wpool_worker;

/**
 * wpool_worker_create() - create a worker and let it look for work
 * @pool: the pool; the caller has counted the worker in nr_workers
 * @rq: its home
 *
 * Context: process context; sleeps, killable.
 * Return: 0, -ENOMEM, -EINTR, -EAGAIN no more threads in the system, or as
 * wpool_hooks_prepare().
 */
int wpool_worker_create(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_worker_create_all() - create workers until the pool has @nr
 * @pool: the pool
 * @nr: how many; if that is above the capacity, that many
 *
 * Context: process context; sleeps, killable.
 * Return: 0, or as wpool_worker_create(), or -EAGAIN the module has its max_workers; those
 * that were created stay.
 */
int wpool_worker_create_all(struct wpool *pool, u32 nr);

/**
 * wpool_worker_create_rescuer() - create the worker in reserve, see rescuer.h
 * @pool: the pool; if it has a rescuer by then, the new worker ends
 *
 * Context: process context; sleeps, killable.
 * Return: as wpool_worker_create(), or -EBUSY the module has its max_workers, or pools
 * without a worker come first.
 */
int wpool_worker_create_rescuer(struct wpool *pool);

/**
 * wpool_worker_create_reserve() - the same if the pool has none, for its create or a tune
 * @pool: the pool, for which wpool_rescuer_enable() was called
 *
 * Context: process context; sleeps, killable.
 * Return: as wpool_worker_create_all().
 */
int wpool_worker_create_reserve(struct wpool *pool);

/**
 * wpool_worker_reap() - take a worker whose thread has ended off its pool's list
 * @w: the worker, counted out; freed after an RCU grace period. Its pool may be freed afterwards
 *
 * Context: process context; takes pool->workers.mutex.
 */
void wpool_worker_reap(struct wpool_worker *w);

#endif /* WPOOL_WORKERS_WORKER_H */
