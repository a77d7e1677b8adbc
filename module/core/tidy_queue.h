/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks and workers that must be ended in process context: the pool's owner may have a function for
 * their end, and the function may sleep. They are tasks cancelled in another context, tasks of
 * refused events, workers that died, queued tasks that have waited for too long, and those of a
 * pool released with %WPOOL_RELEASE_CANCEL.
 *
 * Each pool has a queue of its own, so that a slow function delays only its own pool. The queue's
 * work is in workers/tidy.c. Joinable tasks, for which no function is called, have a second queue,
 * so that a thread that waits for one of them does not wait for an abort or fault function. The
 * work of the second queue also lets workers off their CPUs, which may sleep.
 */
#ifndef WPOOL_CORE_TIDY_QUEUE_H
#define WPOOL_CORE_TIDY_QUEUE_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct wpool;
struct wpool_task;
struct wpool_tidy;
struct wpool_worker;

/* A workqueue with a rescuer, for works that call no function of an owner. */
extern struct workqueue_struct *wpool_short_wq;

/** wpool_tidy_queue_init() - initialise a queue of a new pool; @serve is its work */
void wpool_tidy_queue_init(struct wpool_tidy *tidy, struct wpool *pool, work_func_t serve);

/*
 * Let the work end a task in process context. @task: either CANCELLED and taken out of the queues,
 * or of a refused event; @pool: its pool, which exists because the task is unfinished, or because
 * the owner of the event keeps it. Interrupts are off.
 */
void wpool_tidy_task(struct wpool *pool, struct wpool_task *task);

/*
 * Let the work end the tasks of a dead worker, count it out if needed, and free it. @w: its thread
 * has ended; the queue owns @w from now on. Context: the reaper.
 */
void wpool_tidy_worker(struct wpool_worker *w);

/*
 * pool->tidy: have the work end the queued tasks that must not run any more. pool->tidy_joinable:
 * have the work let workers with @may_roam off their CPUs. Destroying the pool may have begun.
 * Under RCU, or with a reference to the pool.
 */
void wpool_tidy_sweep(struct wpool_tidy *tidy);

/*
 * For the work: take the next entry, to end it: *@worker, or *@task, or what wpool_tidy_sweep()
 * asks for, if both are NULL. Returns false if the queue is empty. Then the work counts as ended,
 * and may be queued again.
 */
bool wpool_tidy_next(struct wpool_tidy *tidy, struct wpool_worker **worker,
		     struct wpool_task **task);

int wpool_tidy_init(void);

/** wpool_tidy_exit() - wait for the last work, and remove the workqueues, after the last pool */
void wpool_tidy_exit(void);

#endif /* WPOOL_CORE_TIDY_QUEUE_H */
