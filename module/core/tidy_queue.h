/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is left to be ended where functions of the pool's owner may be called, which sleep:
 * tasks that were cancelled in a context that cannot end them, workers that died, and queued
 * tasks that have waited for too long, or whose pool was released with %WPOOL_RELEASE_CANCEL.
 * Each pool has a queue of its own, which is served by a work item of the kernel's workqueues,
 * in workers/tidy.c: a slow function holds up nothing but its own pool. Joinable tasks, which
 * have no such function, have a second queue: a thread that waits for one of them does not wait
 * for an abort or fault function.
 */
#ifndef WPOOL_CORE_TIDY_QUEUE_H
#define WPOOL_CORE_TIDY_QUEUE_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct wpool;
struct wpool_task;
struct wpool_tidy;
struct wpool_worker;

/**
 * struct wpool_untidy - what comes next; one of the three
 * @task: a task, or NULL
 * @worker: a worker, or NULL
 * @sweep: end those queued tasks of the pool that will not run
 */
struct wpool_untidy {
	struct wpool_task *task;
	struct wpool_worker *worker;
	bool sweep;
};

/** wpool_tidy_queue_init() - initialise a queue of a new pool; @serve is its work */
void wpool_tidy_queue_init(struct wpool_tidy *tidy, struct wpool *pool, work_func_t serve);

/**
 * wpool_tidy_task() - have a task ended in process context
 * @pool: its pool, which the task keeps, because it is unfinished
 * @task: the task, CANCELLED and taken out of the queues, or an event that is refused
 *
 * Context: any; interrupts off.
 */
void wpool_tidy_task(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_tidy_worker() - have a worker that died counted out, and its task ended
 * @w: the worker, whose thread has ended; from now on its pool's queue has it
 *
 * Context: the reaper.
 */
void wpool_tidy_worker(struct wpool_worker *w);

/**
 * wpool_tidy_sweep() - have those queued tasks of a pool ended that will not run
 * @pool: the pool; its destruction may have begun
 *
 * Context: any; under RCU, or with a reference to the pool.
 */
void wpool_tidy_sweep(struct wpool *pool);

/**
 * wpool_tidy_next() - for the work: take what comes next
 * @tidy: the queue
 * @next: filled in
 *
 * Return: false if there is nothing; the work has ended then, and may be queued anew.
 */
bool wpool_tidy_next(struct wpool_tidy *tidy, struct wpool_untidy *next);

/**
 * wpool_tidy_attach() - set the workqueues, before there is a pool
 * @normal: that of most pools
 * @reclaim: that of pools with the attribute reclaim
 */
void wpool_tidy_attach(struct workqueue_struct *normal, struct workqueue_struct *reclaim);

#endif /* WPOOL_CORE_TIDY_QUEUE_H */
