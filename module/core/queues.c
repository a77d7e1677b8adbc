// SPDX-License-Identifier: GPL-2.0
/* What is queued, see queues.h. */
#include "core/queues.h"

#include "core/length.h"

bool wpool_queues_have_work(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 i;

	if (wpool_fifo_len(&pool->globq))
		return true;
	wpool_for_each_active(pool, rq, i) {
		if (!wpool_runq_has_tasks(rq))
			continue;
		/* wpool_queues_have_work:A, pairs with wpool_running_leave:A, see wake.c */
		smp_rmb();
		if (!wpool_runq_is_attended(rq))
			return true;
	}
	return false;
}

bool wpool_queues_are_waiting(struct wpool *pool, struct wpool_runq *rq)
{
	return wpool_runq_has_tasks(rq) || wpool_fifo_len(&pool->globq) ||
	       READ_ONCE(pool->unserved);
}

u32 wpool_queues_len(struct wpool *pool)
{
	u32 n = wpool_fifo_len(&pool->globq), i;
	struct wpool_runq *rq;

	wpool_for_each_active(pool, rq, i)
		n += wpool_runq_len(rq);
	return n;
}
