/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: one kthread at home on one CPU, which runs one task at a time.
 *
 * Its life: made by the spawner on the way to look (waking); searching; busy in
 * a task; parked on its run queue's idle list; and so on, until it leaves:
 * expired, beyond the capacity, or the pool is closed. Leaving is decided under
 * pool->workers_lock by counting the worker out; the thread ends afterwards,
 * and the reaper reaps it. A worker that dies in a task is counted out by the
 * reaper.
 *
 * All state is in struct wpool_worker, none on the worker's stack: an oops
 * throws the stack away.
 */
#ifndef WPOOL_WORKER_H
#define WPOOL_WORKER_H

struct wpool;
struct wpool_worker;

/**
 * wpool_worker_create() - make a worker and send it to look for work
 * @pool: the pool; the caller has counted the worker in nr_workers
 * @cpu: where it is at home
 *
 * Context: process context; sleeps, killable.
 * Return: 0, -ENOMEM, -EINTR, -EAGAIN no more threads in the system.
 */
int wpool_worker_create(struct wpool *pool, int cpu);

/** wpool_worker_free() - end of a worker whose thread is gone; after an RCU grace period */
void wpool_worker_free(struct wpool_worker *w);

#endif /* WPOOL_WORKER_H */
