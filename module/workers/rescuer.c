// SPDX-License-Identifier: GPL-2.0
/*
 * The rescuer, see rescuer.h.
 *
 * A new worker needs a thread, which takes memory. To get some, the system may have to write to a
 * disk, and for that wait for a task of the very pool that needs the worker: the pool would wait
 * for itself. So a pool with the attribute reclaim has a worker in reserve. The thread that would
 * ask the spawner for a worker takes this one, which becomes an ordinary worker at once. The
 * spawner then creates another one for the reserve, however long that takes. Meanwhile a task may
 * have to wait for another task, but never for memory.
 *
 *   in reserve     pool->reserve.rescuer; leaving; counted in the module only, so that there
 *                  is always room for it. With w->in_reserve set, it waits in the reserve;
 *                  otherwise it is on its way there
 *   a worker       taken by wpool_reserve_take(): counted in the pool like any other;
 *                  pool->reserve.rescuer is NULL until the spawner has created the next one, or
 *                  a worker that leaves the pool goes into the reserve instead of ending
 *   ended          dismissed: the pool is destroyed, or its attribute was changed
 *
 * All of these states change under pool->workers.lock. A request that comes while the rescuer is on
 * its way is lost, so the rescuer looks at the queues when it is in reserve. From then on any
 * thread that needs a worker finds the rescuer.
 */
#include "workers/rescuer.h"

#include <linux/ktime.h>

#include "core/counts.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/wake.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/owner_hooks.h"
#include "workers/retire.h"

/* A replacement that takes longer counts in pool->reserve.rescued. */
#define SLOW_NS		(10 * NSEC_PER_MSEC)

void wpool_rescuer_set(struct wpool *pool, struct wpool_worker *w)
{
	bool used;

	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	/* a rescue counts once: if its replacement fails, or is late */
	if (pool->reserve.rescue_ns &&
	    (!w || ktime_get_mono_fast_ns() - pool->reserve.rescue_ns >= SLOW_NS))
		WRITE_ONCE(pool->reserve.rescued, pool->reserve.rescued + 1);
	pool->reserve.rescue_ns = 0;
	used = w && READ_ONCE(pool->reclaim) && !pool->reserve.rescuer;
	if (used)
		WRITE_ONCE(pool->reserve.rescuer, w);
	/* if the worker is not used, it ends, and only leaves its room */
	if (w)
		wpool_hooks_go(w);
	raw_spin_unlock(&pool->workers.lock);
	if (w && !used)
		wpool_worker_left(pool, false);
	local_irq_enable();
}

void wpool_rescuer_dismiss(struct wpool *pool)
{
	struct wpool_worker *w;

	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	WRITE_ONCE(pool->reclaim, false);
	pool->reserve.rescue_ns = 0;
	w = pool->reserve.rescuer;
	WRITE_ONCE(pool->reserve.rescuer, NULL);
	if (w && w->in_reserve) {
		wpool_threads_enter(pool);
		WRITE_ONCE(w->in_reserve, false);
		wake_up_process(w->thread);
	}
	raw_spin_unlock(&pool->workers.lock);
	if (w)
		wpool_worker_left(pool, false);
	local_irq_enable();
	/*
	 * wpool_rescuer_dismiss:A, pool->reclaim is cleared; then the pool's threads are counted.
	 * Pairs with spawn_worker:A: a spawner counts itself as a thread, then reads pool->reclaim
	 * to decide whether to create a rescuer.
	 */
	smp_mb();
}

void wpool_rescuer_check(struct wpool *pool)
{
	if (wpool_need_worker(pool) && wpool_reserve_take(pool, wpool_need_worker_at(pool)->cpu))
		wpool_spawn_check(pool);
}

/*
 * Put the calling worker into reserve, where it can be taken, or take it out again: then it follows
 * its pool, so @changed is cleared. Returns false if it is not the rescuer any more, or was taken
 * or dismissed before.
 */
static bool set_in_reserve(struct wpool_worker *w, bool in)
{
	struct wpool *pool = w->pool;
	bool ret;

	raw_spin_lock_irq(&pool->workers.lock);
	ret = in ? pool->reserve.rescuer == w : w->in_reserve;
	if (ret)
		WRITE_ONCE(w->in_reserve, in);
	if (!in)
		WRITE_ONCE(w->changed, false);
	if (ret && !in)
		wpool_threads_enter(pool);
	raw_spin_unlock_irq(&pool->workers.lock);
	return ret;
}

bool wpool_rescuer_wait(struct wpool_worker *w)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(wq);
	struct wpool *pool = w->pool;

	do {
		/* these may sleep, so not in reserve, and allow all homes: a task may keep a CPU */
		wpool_cgroup_follow(w);
		set_cpus_allowed_ptr(current, pool->homes);
		if (!set_in_reserve(w, true))
			return false;
		/* count the thread out without the lock: the wake-up may sleep on PREEMPT_RT */
		wpool_threads_leave(pool);
		/* wpool_rescuer_wait:A, @w can be taken; then the queues are read: see wake.c */
		smp_mb();
		wpool_rescuer_check(pool);
		/* wpool_rescuer_wait:B, pairs with wpool_reserve_take:A */
		wait_event_idle(wq, !smp_load_acquire(&w->in_reserve) || READ_ONCE(w->changed));
	} while (set_in_reserve(w, false));
	if (w->leaving)
		return false;
	/* as in spawn_at(): idle workers may expire now */
	wpool_expire_arm(pool, READ_ONCE(pool->expiry_ms));
	return true;
}
