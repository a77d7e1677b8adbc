/* SPDX-License-Identifier: GPL-2.0 */
/* Does a pool need one more worker, and where? */
#ifndef WPOOL_WORKERS_NEED_H
#define WPOOL_WORKERS_NEED_H

#include <linux/types.h>

struct wpool;
struct wpool_runq;

/*
 * Would one more worker help? It would if there are tasks that no searching or coming worker will
 * take, and a CPU with room for a worker has no idle one. Process context; the caller has executed
 * a full barrier since it cleared pool->spawn_wanted, or since the rescuer came.
 */
bool wpool_need_worker(struct wpool *pool);

/** wpool_need_worker_at() - where a new worker should be at home: its run queue */
struct wpool_runq *wpool_need_worker_at(struct wpool *pool);

#endif /* WPOOL_WORKERS_NEED_H */
