/* SPDX-License-Identifier: GPL-2.0 */
/* Stealing: a worker takes tasks from the run queues of other CPUs. */
#ifndef WPOOL_CORE_STEAL_H
#define WPOOL_CORE_STEAL_H

#include <linux/types.h>

struct wpool;

/*
 * Visit each offered run queue (wpool_runq_offer()), the nearest first, until one has a task. Other
 * tasks of that run queue may move to this CPU's ring. @last: take the task in a next slot, too.
 * Context: a worker, preemption off. Returns a task, not claimed, or NULL.
 */
struct wpool_task *wpool_steal_round(struct wpool *pool, bool last);

#endif /* WPOOL_CORE_STEAL_H */
