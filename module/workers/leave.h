/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a worker comes into the accounts of its pool and of the module, and out of
 * them: expired, beyond the capacity, the pool is closed, or another pool needs the
 * place.
 */
#ifndef WPOOL_WORKERS_LEAVE_H
#define WPOOL_WORKERS_LEAVE_H

#include <linux/types.h>

struct wpool;
struct wpool_worker;

/**
 * wpool_worker_count_in() - make room for one more worker
 * @pool: the pool
 *
 * Context: process context.
 * Return: 0; -EBUSY the pool has its capacity; -EAGAIN the module has its
 * max_workers, or pools that have no worker come first.
 */
int wpool_worker_count_in(struct wpool *pool);

/**
 * wpool_worker_count_out() - undo wpool_worker_count_in()
 * @pool: the pool
 *
 * Context: any, interrupts on.
 */
void wpool_worker_count_out(struct wpool *pool);

/**
 * wpool_worker_has_excess() - should a worker of this pool look whether it must leave?
 * @pool: the pool
 *
 * Context: any.
 * Return: true if it should; wpool_worker_leave() decides.
 */
bool wpool_worker_has_excess(const struct wpool *pool);

/**
 * wpool_worker_leave() - leave if the pool has more workers than its capacity
 * @w: the calling worker, in no task
 * @if_closed: also if the pool is closed
 * @if_needed: also if another pool needs the place
 *
 * Context: the worker.
 * Return: true if it is counted out, and its thread is to end.
 */
bool wpool_worker_leave(struct wpool_worker *w, bool if_closed, bool if_needed);

/**
 * wpool_worker_left() - a worker has been counted out: the leave side
 * @pool: the pool
 *
 * Looks whether work is left that nobody comes for.
 *
 * Context: any; interrupts off.
 */
void wpool_worker_left(struct wpool *pool);

/**
 * wpool_worker_make_room() - a pool starves: have idle workers look at it
 *
 * Context: any; a full barrier since it is counted in wpool_spawn_nr_starved().
 */
void wpool_worker_make_room(void);

#endif /* WPOOL_WORKERS_LEAVE_H */
