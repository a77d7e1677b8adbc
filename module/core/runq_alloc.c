// SPDX-License-Identifier: GPL-2.0
/*
 * The run queues of a pool, see runq_alloc.h.
 *
 * Barrier pairs:
 *
 *   wpool_runqs_add:A        the run queue, then store-release of its address; readers
 *                            depend on the address
 *   wpool_runqs_add_hists:A  the same for the histograms
 */
#include "core/runq_alloc.h"

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/threads.h>
#include <linux/topology.h>

#include "core/handoff.h"
#include "core/hist.h"
#include "core/length.h"
#include "core/runqs.h"
#include "inject.h"

/* @a and @b are on different cache lines: different CPUs write them, or all CPUs read one. */
#define ASSERT_APART(type, a, b)						\
	static_assert(offsetof(type, a) / SMP_CACHE_BYTES != offsetof(type, b) / SMP_CACHE_BYTES)
/* All fields from @a to @b are on one cache line, if that has 64 bytes or more. */
#define ASSERT_TOGETHER(type, a, b)						\
	static_assert(SMP_CACHE_BYTES < 64 ||					\
		      offsetof(type, a) / 64 == (offsetofend(type, b) - 1) / 64)

ASSERT_TOGETHER(struct wpool, rq, policy);
ASSERT_TOGETHER(struct wpool, func, order);
ASSERT_APART(struct wpool, order, nr_searching);
ASSERT_APART(struct wpool, unserved, left);
ASSERT_APART(struct wpool, gfp, admission.tokens);
ASSERT_APART(struct wpool, class_reported, workers.lock);
ASSERT_APART(struct wpool_runq, ring, backlog);
ASSERT_APART(struct wpool_runq, backlog, next);
ASSERT_TOGETHER(struct wpool_runq, next, estimate);
ASSERT_APART(struct wpool_runq, estimate.ring_max, share.tokens);
ASSERT_APART(struct wpool_runq, is_active, nr_running);

static struct kmem_cache *runq_cache;

int wpool_runqs_init(struct wpool *pool)
{
	/* CPUs write the two bitmaps often, so each has its own cache lines */
	size_t words = round_up(BITS_TO_LONGS(nr_cpu_ids), SMP_CACHE_BYTES / sizeof(long));

	BUILD_BUG_ON(CONFIG_NR_CPUS > U16_MAX);
	pool->task_ns = U32_MAX;
	pool->rq = alloc_percpu_gfp(struct wpool_runq *, pool->gfp);
	pool->active = kcalloc(nr_cpu_ids, sizeof(*pool->active), pool->gfp);
	pool->sites = kcalloc(nr_cpu_ids, sizeof(*pool->sites), pool->gfp);
	pool->idle_mask = kcalloc(2 * words, sizeof(long), pool->gfp);
	pool->offers = pool->idle_mask + words;
	return pool->rq && pool->active && pool->sites && pool->idle_mask ? 0 : -ENOMEM;
}

int wpool_runqs_add_hists(struct wpool *pool)
{
	struct wpool_hists *hists;
	struct wpool_runq *rq;
	int cpu;

	lockdep_assert_held(&pool->tune_mutex);
	wpool_for_each_runq(pool, rq, cpu) {
		if (rq->hists)
			continue;
		hists = kzalloc_node(sizeof(*hists), pool->gfp, cpu_to_node(cpu));
		if (!hists)
			return -ENOMEM;
		/* wpool_runqs_add_hists:A, pairs with the dependent accesses of its readers */
		smp_store_release(&rq->hists, hists);
	}
	return 0;
}

int wpool_runqs_add(struct wpool *pool, int cpu, gfp_t gfp)
{
	struct wpool_runq *rq, *here = raw_cpu_read(*pool->rq);

	if (wpool_runq(pool, cpu))
		return 0;
	rq = kmem_cache_alloc_node(runq_cache, gfp | __GFP_ZERO, cpu_to_node(cpu));
	if (!rq)
		return -ENOMEM;
	/* @latency is set once all run queues have histograms */
	if (READ_ONCE(pool->latency) || (here && READ_ONCE(here->hists))) {
		rq->hists = kzalloc_node(sizeof(*rq->hists), gfp, cpu_to_node(cpu));
		if (!rq->hists) {
			kmem_cache_free(runq_cache, rq);
			return -ENOMEM;
		}
	}
	wpool_ring_init(&rq->ring);
	raw_spin_lock_init(&rq->lock);
	INIT_LIST_HEAD(&rq->idle);
	wpool_handoff_init_runq(rq);
	wpool_length_set(rq, U32_MAX);
	wpool_fifo_init(&rq->backlog, pool);
	rq->cpu = cpu;
	rq->pool = pool;
	rq->tick = wpool_counter_start();
	rq->shared_end = rq->tick;
	rq->turn_end = rq->tick;
	/* no worker may be at home here until wpool_affinity_set() has seen the CPU */
	rq->redirect = true;
	/* wpool_runqs_add:A, pairs with the dependent accesses after wpool_runq() */
	smp_store_release(per_cpu_ptr(pool->rq, cpu), rq);
	return 0;
}

void wpool_runqs_free(struct wpool *pool)
{
	struct wpool_runq *rq;
	int cpu;

	if (pool->rq) {
		wpool_for_each_runq(pool, rq, cpu) {
			kfree(rq->hists);
			kmem_cache_free(runq_cache, rq);
		}
	}
	kfree(pool->idle_mask);
	kfree(pool->sites);
	kfree(pool->active);
	free_percpu(pool->rq);
}

int wpool_runqs_module_init(void)
{
	runq_cache = KMEM_CACHE(wpool_runq, SLAB_HWCACHE_ALIGN);
	return runq_cache ? 0 : -ENOMEM;
}

void wpool_runqs_module_exit(void)
{
	kmem_cache_destroy(runq_cache);
}
