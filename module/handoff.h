/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who runs, and hand-off: a run queue does not wait for a worker that blocks.
 *
 * A worker is counted in its run queue's nr_running from the moment it looks
 * for work until it parks. While it is counted it promises to look again, so
 * nobody needs to be woken for what is queued there. A task may break the
 * promise by blocking: a preempt notifier sees the worker switched out asleep,
 * takes it out of the count and, if work waits, has an interrupt work wake
 * somebody else. A task may also break it by running on and on: then the monitor
 * takes the worker out, and so it does for one that blocked where the kernel has
 * no preempt notifiers. After Go's handoffp() and retake().
 *
 * A worker that was taken out finishes its task and counts itself in again; if
 * its run queue has its concurrency by then, it parks.
 */
#ifndef WPOOL_HANDOFF_H
#define WPOOL_HANDOFF_H

#include "pool.h"
#include "worker.h"

/** wpool_runq_has_room() - may one more worker run at home here? A glance */
static inline bool wpool_runq_has_room(const struct wpool_runq *rq)
{
	return !READ_ONCE(rq->redirect) &&
	       atomic_read(&rq->nr_running) + READ_ONCE(rq->waking) <
	       READ_ONCE(rq->pool->concurrency);
}

/** wpool_runq_is_over() - do more workers run at home here than should? A glance */
static inline bool wpool_runq_is_over(const struct wpool_runq *rq)
{
	return atomic_read(&rq->nr_running) > READ_ONCE(rq->pool->concurrency);
}

/**
 * wpool_running_enter() - count a worker in: it will look for work
 * @w: the calling worker
 */
void wpool_running_enter(struct wpool_worker *w);

/**
 * wpool_running_leave() - count a worker out, if it is counted: a full barrier
 * @w: the worker
 *
 * The caller looks at the queues afterwards, or has somebody do so.
 *
 * Context: any.
 * Return: the run queue in which it was counted, or NULL.
 */
struct wpool_runq *wpool_running_leave(struct wpool_worker *w);

/**
 * wpool_handoff_enable() - a pool wants hand-off: from here on workers may be watched
 *
 * Context: process context, not under the lock of CPU hotplug; sleeps.
 */
void wpool_handoff_enable(void);

/**
 * wpool_handoff_watch() - watch the calling worker being switched out
 * @w: the calling worker; its pool uses hand-off
 */
void wpool_handoff_watch(struct wpool_worker *w);

/**
 * wpool_handoff_unwatch() - end of wpool_handoff_watch(), if it was called
 * @w: the calling worker, perhaps in do_exit()
 */
void wpool_handoff_unwatch(struct wpool_worker *w);

/** wpool_handoff_init_runq() - before the run queue is used */
void wpool_handoff_init_runq(struct wpool_runq *rq);

/** wpool_handoff_sync() - no worker is left; wait until nothing is under way */
void wpool_handoff_sync(struct wpool *pool);

/** wpool_handoff_exit() - no worker is left in the module */
void wpool_handoff_exit(void);

#endif /* WPOOL_HANDOFF_H */
