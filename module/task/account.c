// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of the tasks accepted and finished, see account.h.
 *
 * Counting without locks: a task is counted in on one CPU and out on another. The reader adds up
 * first the tasks counted out and, after a barrier, the tasks counted in. If the sums are equal,
 * there was a time between the two additions when no task of the colour was unfinished. SRCU does
 * the same.
 */
#include "task/account.h"

#include <linux/wait.h>

u64 wpool_account_outstanding(struct wpool *pool, u32 colour)
{
	struct wpool_runq *rq;
	u64 in = 0, out = 0;
	int cpu;

	wpool_for_each_runq(pool, rq, cpu)
		out += local64_read(&rq->share.finished[colour]);
	/*
	 * Out before in, and out before what the caller writes: pairs with the barrier in
	 * wpool_account_out().
	 */
	smp_mb();
	wpool_for_each_runq(pool, rq, cpu)
		in += READ_ONCE(rq->share.accepted[colour]);
	return in - out;
}

void wpool_account_wake(struct wpool *pool)
{
	/* a flush waits for the colour that new tasks do not get */
	u32 old = !READ_ONCE(pool->colour), finished;
	struct wpool_runq *rq;

	/* racy: a thread that joins drain_wq just now counts the tasks itself, once a tick */
	if (!waitqueue_active(&pool->drain_wq))
		return;
	/* only a finish ends the wait, and the worker that executed the last one parks after it */
	rq = raw_cpu_read(*pool->rq);
	finished = local64_read(&rq->share.finished[old]);
	if (READ_ONCE(rq->waited_for[old]) == finished)
		return;
	WRITE_ONCE(rq->waited_for[old], finished);
	if (!wpool_account_outstanding(pool, old))
		wake_up_all(&pool->drain_wq);
}
