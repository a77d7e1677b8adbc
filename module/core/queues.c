// SPDX-License-Identifier: GPL-2.0
/* What is queued, see queues.h. */
#include "core/queues.h"

#include <linux/cpumask.h>

bool wpool_queues_have_work(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_runq *other;
	int cpu;

	if (wpool_globq_len(&pool->globq) || wpool_runq_has_tasks(rq))
		return true;
	for_each_possible_cpu(cpu) {
		other = wpool_runq(pool, cpu);
		if (wpool_runq_has_tasks(other) && wpool_runq_may_be_robbed(pool, other))
			return true;
	}
	return false;
}

bool wpool_queues_are_waiting(struct wpool *pool, struct wpool_runq *rq)
{
	return wpool_runq_has_tasks(rq) || wpool_globq_len(&pool->globq) ||
	       READ_ONCE(pool->unserved);
}

u32 wpool_runq_len(struct wpool_runq *rq)
{
	return wpool_ring_len(&rq->ring) + !!READ_ONCE(rq->next);
}

u32 wpool_queues_len(struct wpool *pool)
{
	u32 n = wpool_globq_len(&pool->globq);
	int cpu;

	for_each_possible_cpu(cpu)
		n += wpool_runq_len(wpool_runq(pool, cpu));
	return n;
}
