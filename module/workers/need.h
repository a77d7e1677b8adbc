/* SPDX-License-Identifier: GPL-2.0 */
/* Does a pool need one more worker, and where? */
#ifndef WPOOL_WORKERS_NEED_H
#define WPOOL_WORKERS_NEED_H

#include <linux/types.h>

struct wpool;
struct wpool_runq;

/*
 * Where would one more worker help? One helps if there are tasks that no searching or waking worker
 * will take, and a CPU has room for it. One also helps on a CPU that queues tasks again and again
 * and has no worker. Process context; the caller has executed a full barrier since it began to
 * serve requests. Returns the run queue where the worker should be at home, or NULL.
 */
struct wpool_runq *wpool_need_worker(struct wpool *pool);

#endif /* WPOOL_WORKERS_NEED_H */
