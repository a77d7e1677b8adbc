/* SPDX-License-Identifier: GPL-2.0 */
/* What the code for works needs from queues; see wq.h. */
#ifndef WPOOL_WQ_QUEUE_H
#define WPOOL_WQ_QUEUE_H

#include "wq/wq.h"

/* The queue that work->where or work->from names, or NULL; valid under rcu_read_lock(). */
struct wpool_wq *wpool_wq_by(u32 where);

/* Begin a turn. False if the queue drains and the caller is not a work of the queue. */
bool __wpool_wq_add(struct wpool_wq *wq, struct wpool_work *work);
/* End the turn of a work that waits in a list of @wq; the caller owns PENDING then. */
void __wpool_wq_remove(struct wpool_wq *wq, struct wpool_work *work);
/* @wq's runner that runs @func of @work, or NULL */
struct wpool_wq_runner *__wpool_wq_find(struct wpool_wq *wq, const void *work, wpool_work_fn func);

#endif /* WPOOL_WQ_QUEUE_H */
