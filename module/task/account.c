// SPDX-License-Identifier: GPL-2.0
/*
 * How many tasks came in and how many went out, see account.h.
 *
 * Counting without locks: a task is counted in on one CPU and out on another.
 * Reading first all counts of those that went out, then, after a barrier, all
 * of those that came in, equal sums mean that there was a moment between the
 * two at which the colour had no task (after SRCU).
 */
#include "task/account.h"

#include <linux/cpumask.h>
#include <linux/wait.h>

void wpool_account_in_vain(struct wpool_runq *rq, u32 colour, u32 cancelled, u32 failed)
{
	u32 nr = cancelled + failed;

	WRITE_ONCE(rq->accepted[colour], rq->accepted[colour] + nr);
	/* as in wpool_account_out(), in before out */
	smp_wmb();
	local64_add(cancelled, &rq->cancelled);
	local64_add(failed, &rq->failed);
	/* the same: these before they are counted out */
	smp_wmb();
	local64_add(nr, &rq->finished[colour]);
}

u64 wpool_account_outstanding(struct wpool *pool, u32 colour)
{
	u64 in = 0, out = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		out += local64_read(&wpool_runq(pool, cpu)->finished[colour]);
	/* pairs with the smp_wmb() in wpool_finish_joinable(): in before out */
	smp_mb();
	for_each_possible_cpu(cpu)
		in += READ_ONCE(wpool_runq(pool, cpu)->accepted[colour]);
	return in - out;
}

void wpool_account_wake(struct wpool *pool, u32 colour)
{
	if (!wpool_account_outstanding(pool, colour))
		wake_up_all(&pool->drain_wq);
}
