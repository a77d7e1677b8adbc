// SPDX-License-Identifier: GPL-2.0
/* How the worker in reserve is taken, see rescue.h. */
#include "core/rescue.h"

#include <linux/ktime.h>
#include <linux/sched.h>

#include "core/active.h"
#include "core/counts.h"
#include "core/monitor_timer.h"
#include "core/state.h"
#include "core/trace.h"

bool wpool_reserve_take(struct wpool *pool, int prefer)
{
	struct task_struct *thread = NULL;
	struct wpool_worker *w;
	struct wpool_runq *rq;
	unsigned long flags;

	local_irq_save(flags);
	/* interrupts are off, so @w is not freed; the check is repeated under the lock */
	w = READ_ONCE(pool->reserve.rescuer);
	if (!w || !READ_ONCE(w->in_reserve))
		goto out;
	/* choose a CPU with room and few workers: a hog is less likely to delay @w there */
	rq = wpool_runq_activate(wpool_runq(pool, wpool_home_place(pool, prefer)));
	raw_spin_lock(&pool->workers.lock);
	w = pool->reserve.rescuer;
	if (w && w->in_reserve && pool->nr_workers < READ_ONCE(pool->capacity)) {
		WRITE_ONCE(pool->reserve.rescuer, NULL);
		pool->reserve.rescue_ns = ktime_get_mono_fast_ns();
		WRITE_ONCE(pool->nr_workers, pool->nr_workers + 1);
		WRITE_ONCE(w->leaving, false);
		wpool_threads_enter(pool);
		wpool_waking_settle(w, rq);
		thread = w->thread;
		trace_wpool_worker_stepped_in(pool->name, rq->cpu, thread->pid);
		/* wpool_reserve_take:A, the last access of @w; pairs with wpool_rescuer_wait:B */
		smp_store_release(&w->in_reserve, false);
	}
	raw_spin_unlock(&pool->workers.lock);
	if (thread) {
		/* interrupts are still off, so RCU keeps the thread */
		wake_up_process(thread);
		/* the worker may have to wait for its CPU: the monitor must see that */
		wpool_monitor_timer_set(pool);
	}
out:
	/*
	 * wpool_reserve_take:B, the reserve is empty; then the caller reads whether the spawner was
	 * asked. Pairs with spawn_worker:A, after which the spawner reads whether the reserve is
	 * empty.
	 */
	smp_mb();
	local_irq_restore(flags);
	return thread;
}

void wpool_reserve_follow(struct wpool *pool)
{
	struct wpool_worker *w;

	raw_spin_lock_irq(&pool->workers.lock);
	w = pool->reserve.rescuer;
	if (w) {
		WRITE_ONCE(w->changed, true);
		wake_up_process(w->thread);
	}
	raw_spin_unlock_irq(&pool->workers.lock);
}
