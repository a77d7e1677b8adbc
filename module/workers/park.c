// SPDX-License-Identifier: GPL-2.0
/*
 * How a worker goes to sleep, and how it expires, see park.h. The barrier park:A is
 * explained in wake.c.
 *
 * The expiry timer is pending only while somebody beyond min_workers is idle:
 * a quiet pool has no timer and wakes nobody. It runs in softirq context.
 */
#include "workers/park.h"

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timer.h>

#include "compat.h"
#include "core/census.h"
#include "core/idle.h"
#include "core/queues.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/wake.h"
#include "workers/leave.h"

/* Workers sent away per firing, so that a softirq stays short. */
#define EXPIRE_BATCH	64

/* Does the state of the pool want this worker awake, whether there is work or not? */
static bool is_wanted(struct wpool *pool, struct wpool_runq *rq)
{
	return READ_ONCE(rq->redirect) ||
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) ||
	       wpool_spawn_wants_place() ||
	       (wpool_is_closed(pool) && !wpool_queues_have_work(pool, rq));
}

static bool is_expiring(struct wpool *pool)
{
	return READ_ONCE(pool->expiry_ms) && !pool->prealloc &&
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->min_workers);
}

void wpool_park_join(struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;
	unsigned long flags;

	local_irq_save(flags);
	/* first: who expires this worker must not rely on its search */
	wpool_searching_leave(w);
	wpool_idle_add(rq, w);
	/* park:A, also a full barrier */
	wpool_running_leave(w);
	/* perhaps this very worker */
	wpool_wake_if_work(pool, rq);
	/*
	 * Who changes what this looks at looks at the idle afterwards, see
	 * wpool_idle_wake_runq(). Last: whoever is relied on for the work that
	 * this sees is awake.
	 */
	if (is_wanted(pool, rq)) {
		raw_spin_lock(&rq->lock);
		if (w->parked) {
			/* as if picked: who relied on its search relies on that */
			w->picked = true;
			wpool_waking_enter(pool);
			wpool_idle_take(rq, w);
		}
		raw_spin_unlock(&rq->lock);
	}
	local_irq_restore(flags);
}

bool wpool_park_sleep(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (is_expiring(pool))
		timer_reduce(&pool->expiry_timer, jiffies +
			     msecs_to_jiffies(READ_ONCE(pool->expiry_ms)));

	for (;;) {
		set_current_state(TASK_IDLE);
		/* pairs with the release in wpool_idle_take() */
		if (!smp_load_acquire(&w->parked))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return !w->leaving;
}

void wpool_park_forget(struct wpool_worker *w)
{
	raw_spin_lock_irq(&w->rq->lock);
	if (w->parked)
		wpool_idle_take(w->rq, w);
	raw_spin_unlock_irq(&w->rq->lock);
	wpool_waking_disown(w);
	if (w->picked)
		atomic_dec(&w->pool->nr_waking);
	w->picked = false;
}

/* ---- expiry ---- */

/*
 * Send the coldest idle worker of a run queue away, if it is as old as that and
 * more than min_workers are left.
 */
static void expire_one(struct wpool_runq *rq, unsigned long since)
{
	struct wpool *pool = rq->pool;
	struct task_struct *thread = NULL;
	struct wpool_worker *w;

	raw_spin_lock(&pool->workers_lock);
	raw_spin_lock(&rq->lock);
	w = wpool_idle_coldest(rq);
	if (w && !time_after(w->idle_since, since) &&
	    pool->nr_workers > READ_ONCE(pool->min_workers)) {
		wpool_workers_leave(pool);
		WRITE_ONCE(rq->nr_workers, rq->nr_workers - 1);
		pool->expired++;
		WRITE_ONCE(w->leaving, true);
		thread = w->thread;
		trace_wpool_worker_expired(pool->name, rq->cpu, thread->pid);
		wpool_idle_take(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	raw_spin_unlock(&pool->workers_lock);

	if (thread) {
		wpool_worker_left(pool);
		/* interrupts are still off: the thread cannot be freed yet */
		wake_up_process(thread);
	}
}

void wpool_park_expire(struct timer_list *timer)
{
	struct wpool *pool = timer_container_of(pool, timer, expiry_timer);
	unsigned long life, since = 0, flags;
	struct wpool_runq *rq;
	int i;

	/* who parks now either sees the timer as not pending, or is seen below */
	smp_mb();
	for (i = 0; i < EXPIRE_BATCH; i++) {
		if (!is_expiring(pool) || wpool_is_closed(pool))
			return;
		life = msecs_to_jiffies(READ_ONCE(pool->expiry_ms));
		local_irq_save(flags);
		rq = wpool_idle_coldest_runq(pool, &since);
		if (rq && time_after_eq(jiffies, since + life))
			expire_one(rq, since);
		else
			i = EXPIRE_BATCH;
		local_irq_restore(flags);
		if (!rq)
			return;
	}
	/* the deadline of the oldest that is left, or at once for the next batch */
	mod_timer(&pool->expiry_timer, max(since + life, jiffies + 1));
}

void wpool_park_rearm(struct wpool *pool)
{
	if (atomic_read(&pool->nr_idle) && is_expiring(pool))
		mod_timer(&pool->expiry_timer, jiffies + 1);
}
