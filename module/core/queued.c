// SPDX-License-Identifier: GPL-2.0
/* What is queued, see queued.h. */
#include "core/queued.h"

#include "core/length.h"

bool wpool_runq_is_stranded(struct wpool_runq *rq)
{
	if (!wpool_runq_len(rq))
		return false;
	/* wpool_runq_is_stranded:A, pairs with wpool_running_left:A, see wake.c */
	smp_rmb();
	/* a worker that is running or waking looks at the queue before it sleeps */
	return READ_ONCE(rq->redirect) || !READ_ONCE(rq->nr_running) ||
	       !wpool_runq_is_short(rq, wpool_runq_len(rq));
}

bool wpool_runq_offer(struct wpool_runq *rq)
{
	unsigned long *offers = rq->pool->offers;

	/* many CPUs read pool->offers, so write only if the bit changes */
	if (!wpool_runq_is_stranded(rq) || test_bit(rq->index, offers))
		return false;
	set_bit(rq->index, offers);
	/* wpool_runq_offer:A, see wake.c */
	smp_mb__after_atomic();
	return true;
}

/* End the offer of a run queue. False if wpool_runq_is_stranded(): then the offer is made again. */
static bool end_offer(struct wpool_runq *rq)
{
	unsigned long *offers = rq->pool->offers;

	clear_bit(rq->index, offers);
	/* end_offer:A, see wake.c */
	smp_mb__after_atomic();
	if (!wpool_runq_is_stranded(rq))
		return true;
	set_bit(rq->index, offers);
	/* end_offer:B, as wpool_runq_offer:A */
	smp_mb__after_atomic();
	return false;
}

bool wpool_queues_find_work(struct wpool *pool, struct wpool_runq *rq)
{
	u32 nr = wpool_nr_active(pool), i;

	if (wpool_shared_len(pool) || wpool_runq_is_stranded(rq))
		return true;
	wpool_for_each_bit(i, pool->offers, nr) {
		rq = wpool_active(pool, i);
		if (wpool_runq_is_stranded(rq) || !end_offer(rq))
			return true;
	}
	return false;
}

u32 wpool_queues_len(struct wpool *pool)
{
	return wpool_shared_len(pool) + wpool_sum_active(pool, wpool_runq_len(rq));
}
