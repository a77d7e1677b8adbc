/* SPDX-License-Identifier: GPL-2.0 */
/* How a worker is counted in its pool and in the module, and how it leaves, see worker.h. */
#ifndef WPOOL_WORKERS_RETIRE_H
#define WPOOL_WORKERS_RETIRE_H

#include <linux/types.h>

struct wpool;
struct wpool_worker;

/** wpool_worker_may_enter() - may the pool take room that the module has? */
bool wpool_worker_may_enter(const struct wpool *pool);

/*
 * Count one more worker in. Interrupts are on. Returns 0; -EBUSY if the pool has its capacity;
 * -EAGAIN if the module has its max_workers, or if pools without a worker come first.
 */
int wpool_worker_count_in(struct wpool *pool);

/* Undo wpool_worker_count_in(). Interrupts are on */
void wpool_worker_count_out(struct wpool *pool);

/*
 * Count a worker out of its pool; wpool_worker_left() follows. If the pool should have a rescuer
 * and has none, the worker becomes the rescuer. Under pool->workers.lock. Returns true if the
 * worker is the rescuer now; otherwise its thread must end.
 */
bool wpool_worker_resign(struct wpool_worker *w);

/* Should a worker of this pool call wpool_worker_leave()? Racy: that function checks again. */
bool wpool_worker_has_excess(const struct wpool *pool);

/*
 * Leave if the pool has more workers than its capacity. @w: the calling worker, in no task;
 * @if_closed: also if the pool is closed; @if_needed: also if another pool needs the room. Called
 * by the worker. Returns true if the worker is counted out: it is the rescuer now, or its thread
 * must end.
 */
bool wpool_worker_leave(struct wpool_worker *w, bool if_closed, bool if_needed);

/*
 * Must follow wpool_worker_resign(), without pool->workers.lock. @stays: the worker is the rescuer
 * from now on, and remains counted in the module. Makes sure that a worker comes for the tasks that
 * are queued. Interrupts are off.
 */
void wpool_worker_left(struct wpool *pool, bool stays);

#endif /* WPOOL_WORKERS_RETIRE_H */
