/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of the tasks accepted and finished. Every task has the colour that was
 * current when it was accepted; tasks are counted per CPU and colour.
 */
#ifndef WPOOL_TASK_ACCOUNT_H
#define WPOOL_TASK_ACCOUNT_H

#include "core/state.h"

/**
 * wpool_account_in() - count claimed tasks that have their tokens
 * @rq: this CPU's run queue
 * @colour: pool->colour
 * @nr: number of tasks
 *
 * Called before any of them is accepted, so that a flush by anyone who sees one
 * accepted waits for it.
 *
 * Context: any; interrupts off since @colour was read.
 */
static inline void wpool_account_in(struct wpool_runq *rq, u32 colour, u32 nr)
{
	WRITE_ONCE(rq->accepted[colour], rq->accepted[colour] + nr);
}

/**
 * wpool_account_out() - count a task out
 * @rq: this CPU's run queue
 * @colour: the task's colour
 * @status: how it ended: 0 it returned, -ECANCELED or -ETIME it never ran, otherwise
 *	its worker died
 *
 * Context: any; preemption off.
 */
static __always_inline void wpool_account_out(struct wpool_runq *rq, u32 colour, int status)
{
	if (status == -ECANCELED)
		local64_inc(&rq->cancelled);
	else if (status == -ETIME)
		local64_inc(&rq->overdue);
	else if (status)
		local64_inc(&rq->failed);
	/*
	 * Pairs with the first smp_rmb() in count_tasks(), stats.c, and with the smp_mb() in
	 * wpool_account_outstanding(): the task was counted in before.
	 */
	smp_wmb();
	local64_inc(&rq->finished[colour]);
}

/** wpool_account_outstanding() - number of unfinished tasks of one colour */
u64 wpool_account_outstanding(struct wpool *pool, u32 colour);

/**
 * wpool_account_wake() - wake those that flush or drain, if their tasks have ended
 * @pool: the pool
 *
 * A help: they look themselves, once a tick.
 *
 * Context: process context.
 */
void wpool_account_wake(struct wpool *pool);

#endif /* WPOOL_TASK_ACCOUNT_H */
