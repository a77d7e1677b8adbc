/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool with the attribute freezable is frozen while the system sleeps: from the freeze of the
 * kernel's threads to their thaw.
 *
 * A frozen pool accepts tasks and starts none: its workers park although tasks are queued, no
 * thread wakes them for these tasks, and no worker is created. Parked workers do not expire. They
 * still move to another CPU, and leave if the pool is closed and empty. A worker checks whether the
 * pool is frozen only in a full look for work, at least once a tick.
 *
 * While a worker sleeps for a queued task of its own pool, or for one that a submitter may be about
 * to queue (wait.c), the pool is not frozen: the freeze waits for running tasks, and for the tasks
 * that these wait for. A pool that drops its tasks is not frozen either: no task starts there, and
 * workers must end those that come back into a queue, as when a running task was submitted again.
 *
 * Barrier pairs:
 *
 *   wpool_freeze_lift:A   the pool is not frozen any more; then the queues, the idle workers
 *                         and the requests for workers are read. Pairs with park_join:A,
 *                         wpool_sched_push:A and the like, and spawn_worker:A: the change of a
 *                         thread that found the pool frozen, and so woke or created no worker,
 *                         is read here.
 *   await_begin:A         a worker counts in nr_lifting; then wpool_freeze_is_on is read. Pairs
 *                         with park_join:A and wpool_sched_push:A: a thread that found the
 *                         pool frozen, and so woke no worker, has seen the freeze before; then
 *                         wpool_freeze_lift() wakes one.
 *   count_busy:A          the pool is frozen; then the list of its workers is read. Pairs with
 *                         the wake-up of a new worker: the worker joins the list before the
 *                         wake-up, and afterwards reads whether the pool is frozen. For a parked
 *                         worker the lock of its run queue does the same. The same for the pool's
 *                         work (tidy.c): it counts as queued before it runs.
 *   count_busy:B          workers are parked or leave; then nr_lifted is read. Pairs with the
 *                         unlock after forget_locked(): a worker counts there before it parks or
 *                         leaves. If no lift ends while workers are counted, each that lifts the
 *                         freeze, so that a parked worker may be woken, is found busy itself.
 *   count_busy:C          load-acquire of nr_lifted, then the workers are read. Pairs with the
 *                         store-release in forget_locked(), after that of nr_lifting.
 */
#ifndef WPOOL_CORE_FREEZE_H
#define WPOOL_CORE_FREEZE_H

#include <linux/compiler.h>

#include "core/state.h"

/* Only the freezer writes this; read it anywhere with READ_ONCE. */
extern bool wpool_freeze_is_on;

/** wpool_is_frozen() - are the tasks of this pool kept from starting? Racy */
static inline bool wpool_is_frozen(const struct wpool *pool)
{
	return unlikely(READ_ONCE(wpool_freeze_is_on)) && READ_ONCE(pool->freezable) &&
	       !READ_ONCE(pool->workers.nr_lifting) && !wpool_drops(pool);
}

/*
 * Add TASK_FREEZABLE to the state of a submitter that waits for room in a freezable pool: room may
 * come only after the thaw, so the submitter must not hold up the freeze.
 */
static inline unsigned int wpool_freeze_state(const struct wpool *pool, unsigned int state)
{
	return READ_ONCE(pool->freezable) ? state | TASK_FREEZABLE : state;
}

/* The pool is not frozen any more: wake workers for the tasks queued meanwhile. Interrupts on */
void wpool_freeze_lift(struct wpool *pool);

#endif /* WPOOL_CORE_FREEZE_H */
