/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks that move between queues; a worker steals tasks from the run queues of other CPUs. */
#ifndef WPOOL_CORE_STEAL_H
#define WPOOL_CORE_STEAL_H

#include <linux/types.h>

struct wpool;
struct wpool_fifo;
struct wpool_runq;

/*
 * Move all tasks of a ring to the end of the backlog, which is the older part of the same queue.
 * Interrupts are off. Returns how many were moved.
 */
u32 wpool_transit_spill(struct wpool_runq *rq);

/*
 * Take up to *@nr tasks from a list. Returns the first one, or NULL. The others go to the end of
 * this CPU's ring, which has room for them. *@nr becomes the number of all tasks taken. Interrupts
 * are off.
 */
struct wpool_task *wpool_transit_fill(struct wpool_runq *rq, struct wpool_fifo *from, u32 *nr);

/*
 * Visit each offered run queue (wpool_runq_offer()), the nearest first, until one has a task. Other
 * tasks of that run queue may move to this CPU's ring. @rq: this CPU's run queue, which is active;
 * @last: take the task in a next slot even if a worker is running, waking or idle there. Context: a
 * worker, interrupts on, preemption off. Returns a task, not claimed, or NULL.
 */
struct wpool_task *wpool_steal_round(struct wpool *pool, struct wpool_runq *rq, bool last);

#endif /* WPOOL_CORE_STEAL_H */
