/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of the reaper: workers whose threads are ending. */
#ifndef WPOOL_CORE_REAP_QUEUE_H
#define WPOOL_CORE_REAP_QUEUE_H

#include <linux/types.h>

struct list_head;
struct work_struct;
struct workqueue_struct;
struct wpool_worker;

/**
 * wpool_reap_worker() - give the reaper a worker whose thread is about to end
 * @w: the worker, which belongs to the reaper from now on
 *
 * Context: the worker's thread, in do_exit(); takes raw locks only.
 */
void wpool_reap_worker(struct wpool_worker *w);

/**
 * wpool_reap_workers() - for the reaper: move all queued workers to a list
 * @list: receives the workers, linked by @dead_node
 *
 * Return: true if there was any.
 */
bool wpool_reap_workers(struct list_head *list);

/** wpool_reap_attach() - set the reaper and its workqueue, before there is a pool */
void wpool_reap_attach(struct workqueue_struct *wq, struct work_struct *work);

#endif /* WPOOL_CORE_REAP_QUEUE_H */
