/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pools that stand still while the system sleeps: those whose attribute freezable is set,
 * from the freeze of the kernel's threads to their thaw.
 *
 * A frozen pool accepts tasks and starts none: its workers park although tasks are queued,
 * nobody wakes them for these, and no worker is made. That is all: parked workers expire
 * no more, but they move to another CPU, and leave if the pool is closed and empty, as ever.
 * Nothing on a task's way asks whether its pool is frozen: a worker does when it looks for
 * work beyond what is at hand, at least once in 61 tasks and once a tick.
 *
 * As long as a worker sleeps for a task of its own pool that had not started (wait.c), the pool
 * is not frozen: the freeze waits for tasks that run, and so for what they wait for.
 *
 * workers/freezer.c says when, and waits until the tasks that run have ended.
 *
 * Barrier pairs:
 *
 *   wpool_freeze_lift:A   the pool is not frozen any more; then the queues, the idle workers
 *                         and the requests for workers are read. Pairs with wpool_park_join:A,
 *                         wpool_sched_push:A and the like, and spawn_worker:A: who has woken
 *                         or made no worker because the pool was frozen has changed before
 *                         what is read here.
 *   count_busy:A          the pool is frozen; then its workers are listed. Pairs with the
 *                         wake-up of a new worker, which is listed before, and reads then
 *                         whether the pool is frozen. For a parked one its lock does the same.
 */
#ifndef WPOOL_CORE_FREEZE_H
#define WPOOL_CORE_FREEZE_H

#include <linux/compiler.h>
#include <linux/sched.h>

#include "core/state.h"

/* The freezer to write; read anywhere with READ_ONCE. */
extern bool wpool_freeze_is_on;

/** wpool_is_frozen() - must no task of this pool start now? Racy */
static inline bool wpool_is_frozen(const struct wpool *pool)
{
	return unlikely(READ_ONCE(wpool_freeze_is_on)) && READ_ONCE(pool->freezable) &&
	       !READ_ONCE(pool->workers.nr_lifting);
}

/**
 * wpool_freeze_state() - how a submitter sleeps that waits for room in a pool
 * @pool: the pool
 * @state: TASK_*
 *
 * The room may come only after the thaw: such a submitter must not hold up the freeze.
 *
 * Return: the state to sleep in.
 */
static inline unsigned int wpool_freeze_state(const struct wpool *pool, unsigned int state)
{
	return READ_ONCE(pool->freezable) ? state | TASK_FREEZABLE : state;
}

/**
 * wpool_freeze_lift() - the pool is not frozen any more: look at all that has come meanwhile
 * @pool: the pool
 *
 * Context: any, interrupts on.
 */
void wpool_freeze_lift(struct wpool *pool);

#endif /* WPOOL_CORE_FREEZE_H */
