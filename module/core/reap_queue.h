/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of the reaper: workers whose threads are ending. */
#ifndef WPOOL_CORE_REAP_QUEUE_H
#define WPOOL_CORE_REAP_QUEUE_H

#include <linux/types.h>

struct list_head;
struct work_struct;
struct workqueue_struct;
struct wpool_worker;

/*
 * Give the reaper a worker whose thread is about to end; @w belongs to the reaper from now on.
 * Called by that thread, in do_exit(); takes raw locks only.
 */
void wpool_reap_worker(struct wpool_worker *w);

/* For the reaper: move all queued workers to @list, by @dead_node; false if there is none. */
bool wpool_reap_workers(struct list_head *list);

/** wpool_reap_attach() - set the reaper and its workqueue, before there is a pool */
void wpool_reap_attach(struct workqueue_struct *wq, struct work_struct *work);

#endif /* WPOOL_CORE_REAP_QUEUE_H */
