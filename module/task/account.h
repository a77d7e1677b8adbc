/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of the tasks accepted and finished. Every task has the colour that was
 * current when it was accepted; tasks are counted per CPU and colour.
 */
#ifndef WPOOL_TASK_ACCOUNT_H
#define WPOOL_TASK_ACCOUNT_H

#include "core/state.h"

/* Count claimed tasks in; they have tokens, and none is accepted yet. Interrupts are off. */
static inline void wpool_account_in(struct wpool_runq *rq, u32 colour, u32 nr)
{
	WRITE_ONCE(rq->share.accepted[colour], rq->share.accepted[colour] + nr);
}

/*
 * Count a task out. @status: 0: its function returned; -ECANCELED or -ETIME: it never ran; another
 * error: its worker died.
 */
static __always_inline void wpool_account_out(struct wpool_runq *rq, u32 colour, int status)
{
	if (status == -ECANCELED)
		local64_inc(&rq->share.cancelled);
	else if (status == -ETIME)
		local64_inc(&rq->share.overdue);
	else if (status)
		local64_inc(&rq->share.failed);
	/*
	 * Pairs with the first smp_rmb() in count_tasks(), stats.c, and with the smp_mb() in
	 * is_quiet(), flush.c: a reader that sees this task counted out sees it counted in, and the
	 * task's function does not see what the reader writes then (flush.litmus). On x86, where
	 * local64_inc() is not atomic, barrier() is enough: no access passes a later write.
	 */
	smp_mb__before_atomic();
	barrier();
	local64_inc(&rq->share.finished[colour]);
}

#endif /* WPOOL_TASK_ACCOUNT_H */
