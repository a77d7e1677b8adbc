/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hand-off: a run queue does not wait for a worker that blocks.
 *
 * A worker that counts in its run queue's nr_running promises to look for work
 * again (census.h). A task may break the promise by blocking: a preempt notifier
 * sees the worker switched out asleep, takes it out of the count and, if work waits,
 * has an interrupt work wake somebody else. A task may also break it by running on
 * and on: then the monitor takes the worker out, and so it does for one that blocked
 * where the kernel has no preempt notifiers. After Go's handoffp() and retake().
 *
 * A worker that was taken out finishes its task and counts itself in again; if
 * its run queue has its concurrency by then, it parks.
 */
#ifndef WPOOL_HANDOFF_H
#define WPOOL_HANDOFF_H

struct wpool;
struct wpool_runq;
struct wpool_worker;

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
