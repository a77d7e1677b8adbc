// SPDX-License-Identifier: GPL-2.0
/* Does a pool need one more worker, and where? See need.h. */
#include "workers/need.h"

#include "core/bits.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/queued.h"
#include "core/state.h"
#include "core/wake.h"

bool wpool_need_worker(struct wpool *pool)
{
	u32 coming = wpool_wake_nr_coming(pool);

	if (wpool_is_frozen(pool))
		return false;
	/*
	 * wpool_need_worker:A, pairs with wpool_coming_leave:A. A worker is first coming, then
	 * searching, and then has a task: these reads follow that order, to miss none.
	 */
	smp_rmb();
	if (atomic_read(&pool->nr_searching))
		return false;
	/* wpool_need_worker:B, pairs with stop_searching:A */
	smp_rmb();
	/* a coming worker takes one task, and asks for a worker if more tasks are queued */
	if (wpool_queues_len(pool) <= coming)
		return false;
	if (wpool_wake_has_vacancy(pool))
		return true;
	/* no new worker would help: the next worker that makes room must look for tasks */
	WRITE_ONCE(pool->unserved, true);
	/* wpool_need_worker:C, as wake_one:A, see wake.c */
	smp_mb();
	return wpool_wake_has_vacancy(pool);
}

struct wpool_runq *wpool_need_worker_at(struct wpool *pool)
{
	u32 nr = wpool_nr_active(pool), i;
	struct wpool_runq *rq;

	/* for wpool_submit_on(): @prefer holds only one of several CPUs that need a worker */
	wpool_for_each_bit(i, pool->offers, nr) {
		rq = wpool_active(pool, i);
		if (!READ_ONCE(rq->nr_workers) && !READ_ONCE(rq->redirect) &&
		    wpool_runq_len(rq))
			return rq;
	}
	return wpool_runq(pool, wpool_home_place(pool, READ_ONCE(pool->spawn.prefer)));
}
