/* SPDX-License-Identifier: GPL-2.0 */
/* What is queued, and which workers may take it. */
#ifndef WPOOL_CORE_QUEUED_H
#define WPOOL_CORE_QUEUED_H

#include "core/runqs.h"
#include "core/state.h"

/** wpool_shared_len() - how many tasks are queued for all CPUs: racy */
static inline u32 wpool_shared_len(const struct wpool *pool)
{
	return wpool_fifo_len(&pool->globq) + wpool_fifo_len(&pool->urgent);
}

/** wpool_queues_wait_here() - is a task queued here, or for all CPUs? Racy */
static inline bool wpool_queues_wait_here(struct wpool *pool, const struct wpool_runq *rq)
{
	return wpool_runq_len(rq) || wpool_shared_len(pool);
}

/** wpool_queues_len() - how many tasks are queued: racy */
u32 wpool_queues_len(struct wpool *pool);

/** wpool_runq_is_stranded() - does @rq hold tasks that workers of other CPUs shall take? Racy */
bool wpool_runq_is_stranded(struct wpool_runq *rq);

/*
 * Offer the tasks of a run queue to workers of other CPUs, if wpool_runq_is_stranded(): a worker
 * takes tasks of another CPU's run queue only if that is offered, or named in pool->left. @rq: of
 * any CPU. The caller has executed a full barrier after the change that makes other workers
 * necessary. Returns true if this call made the offer; then the call is a full barrier.
 */
bool wpool_runq_offer(struct wpool_runq *rq);

/*
 * Is a task queued that needs a worker to come? @rq: this CPU's run queue. Reads the global queue,
 * this CPU's run queue and those that are offered, and ends outdated offers. If an ended offer
 * turns out to be valid, it is made again, and a full barrier follows. Meanwhile another thread may
 * miss the offer, so the caller must make sure that a worker comes; a worker that counts as
 * searching does. Preemption is off. Racy.
 */
bool wpool_queues_find_work(struct wpool *pool, struct wpool_runq *rq);

/*
 * Does a task wait for the workers of a CPU? @rq: the CPU's run queue. Takes no lock. Returns true
 * if a task is queued there or for all CPUs, or if pool->unserved says that a task got no worker.
 */
static inline bool wpool_queues_are_waiting(struct wpool *pool, const struct wpool_runq *rq)
{
	return wpool_queues_wait_here(pool, rq) || READ_ONCE(pool->unserved);
}

#endif /* WPOOL_CORE_QUEUED_H */
