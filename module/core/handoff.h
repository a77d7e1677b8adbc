/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hand-off: a run queue does not wait for a worker that blocks.
 *
 * A worker that counts in its run queue's nr_running will look for work again
 * (counts.h). If its task blocks, it does not: a preempt notifier sees the worker
 * switched out asleep, counts it out and, if tasks wait, has an irq_work wake another
 * worker. If its task runs for too long, it does not either: the monitor counts the
 * worker out, and does the same for a worker that blocks where the kernel has no
 * preempt notifiers. After Go's handoffp() and retake().
 *
 * A worker that has slept in its task is counted in when it is switched in again; a hog that
 * does not sleep, and any worker where there are no preempt notifiers, counts itself in when
 * its task has ended. If more workers than the concurrency are counted then, it parks at its next
 * full look for work, which comes after the task in which a tick ends.
 */
#ifndef WPOOL_CORE_HANDOFF_H
#define WPOOL_CORE_HANDOFF_H

struct wpool;
struct wpool_runq;
struct wpool_worker;

/*
 * Allow workers to be watched: a pool uses hand-off. Process context, not under the lock of CPU
 * hotplug; sleeps.
 */
void wpool_handoff_enable(void);

/* Notice when the calling worker is switched out. @w: its pool uses hand-off */
void wpool_handoff_watch(struct wpool_worker *w);

/* Undo wpool_handoff_watch(), if it was called. @w: the calling worker, possibly in do_exit() */
void wpool_handoff_unwatch(struct wpool_worker *w);

/** wpool_handoff_init_runq() - before the run queue is used */
void wpool_handoff_init_runq(struct wpool_runq *rq);

/** wpool_handoff_sync() - wait for pending hand-offs; the pool has no worker left */
void wpool_handoff_sync(struct wpool *pool);

/** wpool_handoff_exit() - after the last worker of the module */
void wpool_handoff_exit(void);

#endif /* WPOOL_CORE_HANDOFF_H */
