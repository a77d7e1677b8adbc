// SPDX-License-Identifier: GPL-2.0
/*
 * How an idle worker expires, see expire.h. wake.c explains the barriers.
 *
 * A worker that parks, and one that is new, arm the timer if the pool has more than min_workers
 * workers. Once no more than min_workers are left, a quiet pool arms no timer. The timer runs in
 * softirq context.
 *
 * If memory is short, workers beyond min_workers that have been idle for 100 ms leave at once, the
 * coldest of each pool first: each takes memory for its stack and the kernel's data about its
 * thread. The shrinker is called in the middle of any allocation, so it takes raw locks only.
 */
#include "workers/expire.h"

#include <linux/jiffies.h>
#include <linux/shrinker.h>
#include <linux/timer.h>

#include "compat.h"
#include "core/freeze.h"
#include "core/idle.h"
#include "core/registry.h"
#include "core/runqs.h"
#include "core/state.h"
#include "core/trace.h"
#include "workers/retire.h"

/* The most workers that expire each time the timer fires, so that a softirq stays short. */
#define EXPIRE_BATCH	64

/* When memory is short, workers idle for less than this stay: they may soon be needed. */
#define EARLY_MS	100

static bool is_expiring(struct wpool *pool)
{
	/* the idle workers of a closed pool leave anyway */
	return READ_ONCE(pool->expiry_ms) && !pool->prealloc && !wpool_is_frozen(pool) &&
	       !wpool_is_closed(pool) &&
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->min_workers);
}

void wpool_expire_arm(struct wpool *pool, u32 ms)
{
	if (is_expiring(pool))
		timer_reduce(&pool->workers.expiry_timer, jiffies + msecs_to_jiffies(ms));
}

/*
 * Expire the coldest idle worker of a run queue, if it has been idle since @since and more than
 * min_workers are left.
 */
static bool expire_one(struct wpool_runq *rq, unsigned long since)
{
	struct wpool *pool = rq->pool;
	struct task_struct *thread = NULL;
	struct wpool_worker *w;
	unsigned long flags;
	bool stays = false;

	raw_spin_lock_irqsave(&pool->workers.lock, flags);
	raw_spin_lock(&rq->lock);
	w = wpool_idle_coldest(rq);
	if (w && !time_after(w->idle_since, since) &&
	    pool->nr_workers > READ_ONCE(pool->min_workers)) {
		stays = wpool_worker_resign(w);
		WRITE_ONCE(rq->nr_workers, rq->nr_workers - 1);
		/* a worker that becomes the rescuer does not count */
		WRITE_ONCE(pool->workers.expired, pool->workers.expired + !stays);
		thread = w->thread;
		trace_wpool_worker_expired(pool->name, rq->cpu, thread->pid);
		wpool_idle_take(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	raw_spin_unlock(&pool->workers.lock);

	if (thread) {
		wpool_worker_left(pool, stays);
		/* interrupts are still off, so RCU keeps the thread */
		wake_up_process(thread);
	}
	local_irq_restore(flags);
	return thread;
}

void wpool_expire_timer(struct timer_list *timer)
{
	struct wpool *pool = timer_container_of(pool, timer, workers.expiry_timer);
	unsigned long life = msecs_to_jiffies(READ_ONCE(pool->expiry_ms)), since = 0;
	struct wpool_runq *rq;
	u32 nr = 0, i;

	/* wpool_expire_timer:A: a worker that parks now sees the timer idle, or is found below */
	smp_mb();
	wpool_for_each_active(pool, rq, i)
		while (READ_ONCE(rq->nr_idle) && nr < EXPIRE_BATCH && is_expiring(pool) &&
		       expire_one(rq, jiffies - life))
			nr++;
	if (!is_expiring(pool))
		return;
	rq = wpool_idle_coldest_runq(pool, &since);
	/* fire when the coldest worker expires; if its time has come already, at the next tick */
	if (rq)
		timer_reduce(&pool->workers.expiry_timer, max(since + life, jiffies + 1));
}

/* ---- when memory is short ---- */

/* If the timer is not pending, no idle worker may expire: then no run queue is read. */
static u32 count_spare(struct wpool *pool)
{
	u32 workers = READ_ONCE(pool->nr_workers), least = READ_ONCE(pool->min_workers);

	if (!timer_pending(&pool->workers.expiry_timer) || !is_expiring(pool) || workers <= least)
		return 0;
	return min(workers - least, wpool_idle_nr(pool));
}

static struct shrinker *shrinker;

static bool count_pool(struct wpool *pool, void *nr)
{
	*(unsigned long *)nr += count_spare(pool);
	return false;
}

/* Send idle workers away, the coldest first, if they may expire and have been idle for EARLY_MS. */
static bool shrink_pool(struct wpool *pool, void *data)
{
	unsigned long since, life = msecs_to_jiffies(EARLY_MS), *left = data;
	struct wpool_runq *rq;

	for (; *left && count_spare(pool); --*left) {
		rq = wpool_idle_coldest_runq(pool, &since);
		if (!rq || time_before(jiffies, since + life) || !expire_one(rq, since))
			break;
	}
	return !*left;
}

static unsigned long count_idle(struct shrinker *unused, struct shrink_control *control)
{
	unsigned long nr = 0;

	wpool_pools_walk_rcu(count_pool, &nr);
	return nr ?: SHRINK_EMPTY;
}

static unsigned long scan_idle(struct shrinker *unused, struct shrink_control *control)
{
	unsigned long left = control->nr_to_scan;

	wpool_pools_walk_rcu(shrink_pool, &left);
	return control->nr_to_scan - left ?: SHRINK_STOP;
}

int wpool_shrinker_init(void)
{
	shrinker = compat_shrinker_alloc();
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count_idle;
	shrinker->scan_objects = scan_idle;
	shrinker->seeks = DEFAULT_SEEKS;
	return compat_shrinker_register(shrinker);
}

void wpool_shrinker_exit(void)
{
	compat_shrinker_free(shrinker);
}
