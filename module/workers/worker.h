/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: one kthread at home on one CPU, which runs one task at a time.
 *
 * The spawner creates a worker as waking. It then searches, runs a task, parks on its
 * run queue's idle list, and so on, until it leaves: because it expired, or the pool is
 * above its capacity or closed, or another pool needs the place. A worker leaves by being
 * counted out under pool->workers_lock; its thread ends afterwards, and the reaper frees
 * it. A worker that dies in a task is counted out by the reaper.
 *
 * All state is in struct wpool_worker, none on the worker's stack, because an oops
 * discards the stack.
 */
#ifndef WPOOL_WORKER_H
#define WPOOL_WORKER_H

struct wpool;
struct wpool_worker;

/**
 * wpool_worker_create() - create a worker and let it look for work
 * @pool: the pool; the caller has counted the worker in nr_workers
 * @cpu: its home
 *
 * Context: process context; sleeps, killable.
 * Return: 0, -ENOMEM, -EINTR, -EAGAIN no more threads in the system.
 */
int wpool_worker_create(struct wpool *pool, int cpu);

/** wpool_worker_free() - free a worker whose thread is gone, after an RCU grace period */
void wpool_worker_free(struct wpool_worker *w);

#endif /* WPOOL_WORKER_H */
