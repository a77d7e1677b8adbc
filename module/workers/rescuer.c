// SPDX-License-Identifier: GPL-2.0
/*
 * The rescuer, see rescuer.h.
 *
 * A worker takes a thread, which takes memory. To get some, the system may have to write to
 * a disk, and for that wait for a task of the very pool that needs the worker: such a pool
 * would wait for itself. So a pool with the attribute reclaim has a worker in reserve. When
 * the pool needs a worker, this one is counted in and becomes an ordinary worker at once; the
 * spawner then creates another one for the reserve, however long that takes. Meanwhile a task
 * may have to wait for another task, but never for memory.
 *
 * What workqueues call a rescuer waits until the creation of a worker has failed, or has
 * taken 10 ms, and goes back to its reserve afterwards. With as many threads, this one is
 * there earlier, and needs no state of its own: it is either a worker or none.
 *
 *   in reserve     pool->reserve.rescuer; leaving; counted in the module only, so that its place
 *                  is never missing; asleep here
 *   a worker       step_in(): counted in the pool like any other, if that has not its
 *                  capacity; pool->reserve.rescuer is NULL until the spawner has created
 *                  the next one, or a worker leaves the pool, which goes into the reserve
 *                  instead of ending
 *   ended          dismissed: the pool is destroyed, or its attribute was changed
 *
 * All of these change under pool->workers.lock. It does what the spawner does for other
 * pools: it counts as a thread of the pool, clears the request, executes a full barrier
 * (step_in:A, see spawn_worker:A in wake.c), and looks. It looks first of all, too: for what was
 * asked while the pool had no rescuer. After each look that finds nothing to do it takes over
 * the pool's CPUs; whoever changes these asks it to look: wpool_affinity_follow:A in affinity.c.
 *
 * A rescuer needs no allocation, and has no flags of the allocator: a task that must dip into
 * the last reserves of memory says so itself, whichever worker runs it.
 */
#include "workers/rescuer.h"

#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "core/counts.h"
#include "core/monitor_timer.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/trace.h"
#include "workers/cgroup.h"
#include "workers/need.h"
#include "workers/owner_hooks.h"
#include "workers/retire.h"

/* A replacement that takes longer counts in pool->reserve.rescued. */
#define SLOW_NS		(10 * NSEC_PER_MSEC)

/* ---- into reserve ---- */

void wpool_rescuer_is_missing(struct wpool *pool)
{
	raw_spin_lock_irq(&pool->workers.lock);
	if (pool->reserve.rescue_ns)
		WRITE_ONCE(pool->reserve.rescued, pool->reserve.rescued + 1);
	pool->reserve.rescue_ns = 0;
	raw_spin_unlock_irq(&pool->workers.lock);
}

/* The last rescuer is replaced. */
static void count_slow(struct wpool *pool)
{
	lockdep_assert_held(&pool->workers.lock);
	if (pool->reserve.rescue_ns && ktime_get_mono_fast_ns() - pool->reserve.rescue_ns > SLOW_NS)
		WRITE_ONCE(pool->reserve.rescued, pool->reserve.rescued + 1);
	pool->reserve.rescue_ns = 0;
}

void wpool_rescuer_set(struct wpool *pool, struct wpool_worker *w)
{
	bool used;

	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	count_slow(pool);
	used = pool->reclaim && !pool->reserve.rescuer;
	w->in_reserve = used;
	if (used)
		WRITE_ONCE(pool->reserve.rescuer, w);
	/* if it is not used it ends, and only gives its place back */
	wpool_hooks_go(w);
	raw_spin_unlock(&pool->workers.lock);
	if (!used)
		wpool_worker_left(pool, false);
	local_irq_enable();
}

void wpool_rescuer_enable(struct wpool *pool)
{
	raw_spin_lock_irq(&pool->workers.lock);
	WRITE_ONCE(pool->reclaim, true);
	raw_spin_unlock_irq(&pool->workers.lock);
}

void wpool_rescuer_dismiss(struct wpool *pool)
{
	struct wpool_worker *w;

	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	WRITE_ONCE(pool->reclaim, false);
	pool->reserve.rescue_ns = 0;
	w = pool->reserve.rescuer;
	if (w) {
		wpool_threads_enter(pool);
		WRITE_ONCE(pool->reserve.rescuer, NULL);
		wake_up_process(w->thread);
	}
	raw_spin_unlock(&pool->workers.lock);
	if (w)
		wpool_worker_left(pool, false);
	local_irq_enable();
}

/* ---- out of it ---- */

static bool rescuer_count_in(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	bool ret;

	raw_spin_lock_irq(&pool->workers.lock);
	ret = pool->reserve.rescuer == w && pool->nr_workers < READ_ONCE(pool->capacity);
	if (ret) {
		WRITE_ONCE(pool->nr_workers, pool->nr_workers + 1);
		WRITE_ONCE(pool->reserve.rescuer, NULL);
		WRITE_ONCE(w->leaving, false);
		pool->reserve.rescue_ns = ktime_get_mono_fast_ns();
	}
	raw_spin_unlock_irq(&pool->workers.lock);
	return ret;
}

static bool step_in(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *rq;

	/* before the look: a thread that drains the pool checks for threads after tasks */
	wpool_threads_enter(pool);
	/* step_in:A, as spawn_worker:A */
	smp_store_mb(pool->spawn_wanted, false);
	if (!wpool_need_worker(pool) || !rescuer_count_in(w)) {
		wpool_threads_leave(pool);
		return false;
	}
	rq = wpool_need_worker_at(pool);
	wpool_worker_settle(w, rq);
	trace_wpool_worker_stepped_in(pool->name, rq->cpu, current->pid);
	wpool_monitor_timer_set(pool);
	wpool_spawn_ask_spawner(pool);
	/* fails if that CPU goes down: then it looks for another home */
	set_cpus_allowed_ptr(current, cpumask_of(rq->cpu));
	return true;
}

/*
 * It must not wait for one CPU, on which a task may run for long, nor run where the pool may
 * not. If none of the pool's CPUs is there, any is better than none. After step_in:A.
 */
static void roam_allowed(struct wpool *pool)
{
	if (set_cpus_allowed_ptr(current, pool->cpumask))
		set_cpus_allowed_ptr(current, cpu_possible_mask);
}

bool wpool_rescuer_wait(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	bool first = true;

	if (w->in_reserve) {
		w->in_reserve = false;
		/* not where it was put into reserve: the wake-up sleeps on PREEMPT_RT */
		wpool_threads_leave(pool);
	}
	for (;;) {
		/* before the checks: a wake-up after them is not lost */
		set_current_state(TASK_IDLE);
		if (READ_ONCE(pool->reserve.rescuer) != w)
			break;
		if (!first && !READ_ONCE(pool->spawn_wanted)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		first = false;
		if (step_in(w))
			return true;
		wpool_cgroup_follow(w);
		roam_allowed(pool);
	}
	__set_current_state(TASK_RUNNING);
	return false;
}
