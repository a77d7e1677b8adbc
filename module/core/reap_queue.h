/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of the reaper: workers whose threads end, tasks that were cancelled in
 * a context that cannot end them, and pools in which tasks have waited for too long.
 */
#ifndef WPOOL_CORE_REAP_QUEUE_H
#define WPOOL_CORE_REAP_QUEUE_H

#include <linux/types.h>

struct list_head;
struct wpool;
struct task_struct;
struct wpool_task;
struct wpool_worker;

/**
 * wpool_reap_worker() - give the reaper a worker whose thread is about to end
 * @w: the worker; from now on the reaper's
 *
 * Context: the worker's thread, in do_exit(); takes raw locks only.
 */
void wpool_reap_worker(struct wpool_worker *w);

/**
 * wpool_reap_task() - have a cancelled task ended in process context
 * @task: the task, CANCELLED and taken out of the queues
 *
 * Context: any; interrupts off since it was taken out.
 */
void wpool_reap_task(struct wpool_task *task);

/** wpool_reap_next_task() - for the reaper: take the next of these tasks, or NULL */
struct wpool_task *wpool_reap_next_task(void);

/**
 * wpool_reap_overdue() - have a pool swept of tasks that have waited for too long
 * @pool: the pool; its destruction may have begun
 *
 * Context: any; under RCU.
 */
void wpool_reap_overdue(struct wpool *pool);

/** wpool_reap_next_pool() - for the reaper: take the next of these pools, with a reference */
struct wpool *wpool_reap_next_pool(void);

/** wpool_reap_workers() - for the reaper: append all these workers to @list, by @dead_node */
void wpool_reap_workers(struct list_head *list);

/** wpool_reap_is_empty() - is there nothing for the reaper to do? */
bool wpool_reap_is_empty(void);

/** wpool_reap_attach() - set the reaper's thread, before there is a pool */
void wpool_reap_attach(struct task_struct *thread);

#endif /* WPOOL_CORE_REAP_QUEUE_H */
