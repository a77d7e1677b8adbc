// SPDX-License-Identifier: GPL-2.0
/*
 * How a run queue becomes active, see active.h.
 *
 * Barrier pairs:
 *
 *   __wpool_runq_activate:A  the entry of pool->active, then store-release of nr_active
 *   wpool_nr_active:A        load-acquire of nr_active, then the entries (state.h)
 *   __wpool_runq_activate:B  the entry and nr_active, then store-release of is_active
 *   wpool_runq_activate:A    load-acquire of is_active; then the run queue is used
 *
 * A thread that reads nr_active before a run queue becomes active misses no task: the run queue
 * gets tasks only once it is active, and by the pairs in wake.c a worker then looks for them.
 */
#include "core/active.h"

void __wpool_runq_activate(struct wpool_runq *rq)
{
	struct wpool *pool = rq->pool;
	u32 nr;

	raw_spin_lock(&pool->workers.lock);
	if (!rq->is_active) {
		nr = pool->nr_active;
		rq->index = nr;
		pool->active[nr] = rq->cpu;
		/* __wpool_runq_activate:A, pairs with wpool_nr_active:A */
		smp_store_release(&pool->nr_active, nr + 1);
		/* __wpool_runq_activate:B, pairs with wpool_runq_activate:A */
		smp_store_release(&rq->is_active, true);
	}
	raw_spin_unlock(&pool->workers.lock);
}
