/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Only the active run queues of a pool hold tasks and workers, so a search visits no other run
 * queues. pool->active lists their CPUs, see wpool_for_each_active().
 */
#ifndef WPOOL_CORE_ACTIVE_H
#define WPOOL_CORE_ACTIVE_H

#include "core/state.h"

void __wpool_runq_activate(struct wpool_runq *rq);

/*
 * Make a run queue active: from now on it may hold tasks and workers. Interrupts are off; neither
 * workers.lock nor a run queue's lock is held. Returns @rq.
 */
static inline struct wpool_runq *wpool_runq_activate(struct wpool_runq *rq)
{
	/* wpool_runq_activate:A, pairs with __wpool_runq_activate:B */
	if (unlikely(!smp_load_acquire(&rq->is_active)))
		__wpool_runq_activate(rq);
	return rq;
}

#endif /* WPOOL_CORE_ACTIVE_H */
