/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hand-off: a run queue does not wait for a worker that blocks.
 *
 * If the task of a worker that counts in nr_running (counts.h) blocks, a preempt notifier counts
 * the worker out and, if tasks wait, has an irq_work wake another one. If its task runs for too
 * long, the monitor counts the worker out. Where the kernel has no preempt notifiers, the monitor
 * also counts out a worker that blocks. After Go's handoffp() and retake().
 *
 * A worker that has slept in its task is counted in when it is switched in again. A hog that does
 * not sleep, and any worker where there are no preempt notifiers, counts itself in when its task
 * has ended. If more workers than the concurrency then count as running, the worker parks at its
 * next full look for work: after the first task that ends in a new tick.
 */
#ifndef WPOOL_CORE_HANDOFF_H
#define WPOOL_CORE_HANDOFF_H

#include <linux/compiler.h>

#include "compat.h"
#include "core/worker.h"

/* A worker that has slept more often in a task is let off its home CPU, see switched_in(). */
#define WPOOL_MANY_SLEEPS	64

/* Is a worker, which is in a task, a hog: awake, but counted out of nr_running? Racy, under RCU. */
static inline bool wpool_worker_is_hog(struct wpool_worker *w)
{
	/* racy: the worker writes these two fields without a lock */
	bool slept = data_race(w->asleep) || data_race(w->sleeps) > WPOOL_MANY_SLEEPS;

	return !slept && !READ_ONCE(w->running_on) && !compat_is_blocked(w->thread);
}

/** wpool_handoff_init() - enable the notifiers, before the first worker of the module; sleeps */
void wpool_handoff_init(void);

/** wpool_handoff_watch() - notice from now on when the calling worker is switched out and in */
void wpool_handoff_watch(struct wpool_worker *w);

/** wpool_handoff_unwatch() - undo wpool_handoff_watch(); the worker calls it in do_exit() */
void wpool_handoff_unwatch(struct wpool_worker *w);

/** wpool_handoff_init_runq() - prepare a run queue, before it is used */
void wpool_handoff_init_runq(struct wpool_runq *rq);

/** wpool_handoff_sync() - wait for the pending hand-offs of a pool that has no worker any more */
void wpool_handoff_sync(struct wpool *pool);

/** wpool_handoff_exit() - disable the notifiers, after the last worker of the module */
void wpool_handoff_exit(void);

#endif /* WPOOL_CORE_HANDOFF_H */
