// SPDX-License-Identifier: GPL-2.0
/*
 * The counts of workers, see counts.h. wake.c explains the barriers, except those of a run queue
 * that becomes active:
 *
 *   __wpool_runq_activate:A  the entry of pool->active, then store-release of nr_active
 *   wpool_nr_active:A        load-acquire of nr_active, then the entries (runqs.h)
 *   __wpool_runq_activate:B  the entry and nr_active, then store-release of is_active
 *   wpool_runq_activate:A    load-acquire of is_active; then the run queue is used
 *
 * A thread that reads nr_active before a run queue becomes active misses no task: the run queue
 * gets tasks only once it is active, and by the pairs in wake.c a worker then looks for them.
 */
#include "core/counts.h"

#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/threads.h>

#include "core/runqs.h"

static int max_workers_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, PID_MAX_LIMIT);
}

static const struct kernel_param_ops max_workers_ops = {
	.set = max_workers_set,
	.get = param_get_uint,
};

unsigned int wpool_max_workers;
module_param_cb(max_workers, &max_workers_ops, &wpool_max_workers, 0444);
__MODULE_PARM_TYPE(max_workers, "uint");
MODULE_PARM_DESC(max_workers,
		 "workers at most, over all pools, 1 to 4194304 (default: a quarter of the boot-time pid_max)");

/* Workers of all pools together. */
static atomic_t nr_all_workers;

u32 wpool_workers_room(void)
{
	u32 nr = atomic_read(&nr_all_workers);

	return nr < wpool_max_workers ? wpool_max_workers - nr : 0;
}

bool wpool_module_count_in(void)
{
	return atomic_add_unless(&nr_all_workers, 1, wpool_max_workers);
}

void wpool_module_count_out(void)
{
	atomic_dec(&nr_all_workers);
	/* wpool_module_count_out:A, see wake.c */
	smp_mb();
}

void __wpool_runq_activate(struct wpool_runq *rq)
{
	struct wpool *pool = rq->pool;
	u32 nr;

	raw_spin_lock(&pool->workers.lock);
	if (!rq->is_active) {
		nr = pool->nr_active;
		WRITE_ONCE(rq->index, nr);
		pool->active[nr] = rq->cpu;
		/* __wpool_runq_activate:A, pairs with wpool_nr_active:A */
		smp_store_release(&pool->nr_active, nr + 1);
		/* __wpool_runq_activate:B, pairs with wpool_runq_activate:A */
		smp_store_release(&rq->is_active, true);
	}
	raw_spin_unlock(&pool->workers.lock);
}

void wpool_home_count(struct wpool_runq *rq, int by)
{
	raw_spin_lock(&rq->lock);
	WRITE_ONCE(rq->nr_workers, rq->nr_workers + by);
	raw_spin_unlock(&rq->lock);
}

struct wpool_runq *wpool_home_choose(struct wpool *pool, int prefer)
{
	int near = prefer < -1 ? WPOOL_BESIDE(prefer) : prefer;
	struct wpool_runq *rq, *best = NULL, *goal = near < 0 ? NULL : wpool_runq(pool, near);
	u64 cost, least = U64_MAX;
	int cpu;

	wpool_for_each_runq(pool, rq, cpu) {
		if (READ_ONCE(rq->redirect))
			continue;
		cost = (u64)READ_ONCE(rq->nr_workers) << 32;
		/* a CPU without room comes last, except for preallocated workers: they may wait */
		if (!pool->prealloc && !wpool_runq_has_room(rq))
			cost |= BIT_ULL(63);
		if (rq == goal)
			cost += prefer < 0 ? U32_MAX : 0;
		else if (goal)
			cost += 1 + wpool_distance(&pool->sites[cpu], &pool->sites[near], true);
		if (cost < least) {
			least = cost;
			best = rq;
		}
	}
	/* wpool_affinity_set() leaves at least one CPU, but that CPU may be going offline now */
	return best ?: wpool_runq(pool, raw_smp_processor_id());
}

void wpool_threads_leave(struct wpool *pool)
{
	/* RCU keeps the pool until the wake-up has finished */
	rcu_read_lock();
	if (atomic_dec_and_test(&pool->workers.nr_threads))
		wake_up_all(&pool->drain_wq);
	rcu_read_unlock();
}

/* Make a run queue's CPU look at the queues. An offline CPU need not: it has no submitters. */
static void make_it_look(struct wpool_runq *rq)
{
	/* make_it_look:A, fully ordered, pairs with look_here:B; only one caller continues */
	if (atomic_inc_return(&rq->handoff.nr_wanted) == 1 &&
	    smp_call_function_single_async(rq->cpu, &rq->handoff.call))
		atomic_set(&rq->handoff.nr_wanted, 0);
}

void wpool_searching_enter(struct wpool_worker *w)
{
	w->searching = true;
	atomic_inc(&w->pool->nr_searching);
}

void wpool_searching_leave(struct wpool_worker *w)
{
	if (w->searching) {
		w->searching = false;
		atomic_dec(&w->pool->nr_searching);
	}
}

void wpool_running_enter(struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	unsigned long flags;

	raw_spin_lock_irqsave(&rq->lock, flags);
	__wpool_running_enter(w, rq);
	raw_spin_unlock_irqrestore(&rq->lock, flags);
	/* wpool_running_enter:A, pairs with timer_fires:A in monitor_timer.c */
	smp_mb();
}

bool __wpool_running_leave(struct wpool_worker *w, struct wpool_runq *rq)
{
	lockdep_assert_held(&rq->lock);
	if (w->running_on != rq)
		return false;
	WRITE_ONCE(w->running_on, NULL);
	WRITE_ONCE(rq->nr_running, rq->nr_running - 1);
	return true;
}

void wpool_running_left(struct wpool_runq *rq, bool left)
{
	/* wpool_running_left:A, see wake.c; callers rely on this barrier even if @left is false */
	smp_mb();
	/*
	 * wpool_running_left:B. A submitter on rq->cpu executes no barrier while it relies on the
	 * worker: only rq->cpu is sure to see the tasks queued there.
	 */
	if (left && unlikely(rq->cpu != smp_processor_id()))
		make_it_look(rq);
}

struct wpool_runq *wpool_running_leave(struct wpool_worker *w)
{
	struct wpool_runq *rq = READ_ONCE(w->running_on);
	unsigned long flags;
	bool left = false;

	/* the worker and the monitor may both call this; a worker picked again stays counted */
	if (rq) {
		raw_spin_lock_irqsave(&rq->lock, flags);
		left = !READ_ONCE(w->picked) && __wpool_running_leave(w, rq);
		raw_spin_unlock_irqrestore(&rq->lock, flags);
	}
	wpool_running_left(rq, left);
	return left ? rq : NULL;
}

void wpool_counts_init(void)
{
	/* the same formula as the kernel uses at boot, because pid_max is not exported */
	if (!wpool_max_workers)
		wpool_max_workers = max_t(unsigned int, PID_MAX_DEFAULT,
					  PIDS_PER_CPU_DEFAULT * num_possible_cpus()) / 4;
}
