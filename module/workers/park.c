// SPDX-License-Identifier: GPL-2.0
/*
 * How a worker parks, and how it expires, see park.h. wake.c explains the barriers.
 *
 * The expiry timer is pending only while workers beyond min_workers are idle: a quiet
 * pool has no timer and wakes no thread. It runs in softirq context.
 */
#include "workers/park.h"

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timer.h>

#include "compat.h"
#include "core/census.h"
#include "core/freeze.h"
#include "core/idle.h"
#include "core/queues.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/wake.h"
#include "workers/leave.h"

/* Workers that expire each time the timer fires, so that a softirq stays short. */
#define EXPIRE_BATCH	64

/* When memory is short: one that has been idle for less will soon be needed again. */
#define EARLY_MS	100

/* Does the state of the pool want this worker awake, whether tasks are queued or not? */
static bool is_wanted(struct wpool *pool, struct wpool_runq *rq)
{
	return READ_ONCE(rq->redirect) ||
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) ||
	       wpool_spawn_wants_place() ||
	       (wpool_is_closed(pool) && !wpool_queues_len(pool));
}

static bool is_expiring(struct wpool *pool)
{
	return READ_ONCE(pool->expiry_ms) && !pool->prealloc && !wpool_is_frozen(pool) &&
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->min_workers);
}

void wpool_park_join(struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;
	bool searched = w->searching;
	unsigned long flags;

	local_irq_save(flags);
	/* first: a thread that expires this worker must not rely on its search */
	wpool_searching_leave(w);
	wpool_idle_add(rq, w);
	/* wpool_park_join:A, the full barrier of the call, see wake.c */
	wpool_running_leave(w);
	/*
	 * This may wake the calling worker. If as many others run here as may, it was relied on
	 * for its search alone.
	 */
	if (searched || wpool_runq_has_room(rq))
		wpool_wake_if_work(pool, rq);
	/*
	 * A thread that changes what is_wanted() reads looks at the idle workers
	 * afterwards, see wpool_idle_wake_runq(). This check comes last: if it finds tasks
	 * queued, a worker that can be relied on is already awake.
	 */
	if (is_wanted(pool, rq)) {
		raw_spin_lock(&rq->lock);
		if (w->parked) {
			/* Count it as picked, so that wakers may still rely on it. */
			w->picked = true;
			wpool_coming_enter(w);
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
		/* wpool_park_sleep:A, pairs with wpool_idle_take:A */
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
	wpool_waking_disown(w);
	raw_spin_unlock_irq(&w->rq->lock);
	wpool_coming_leave(w);
	w->picked = false;
}

/* ---- expiry ---- */

/*
 * Expire the coldest idle worker of a run queue, if it has been idle since @since and
 * more than min_workers are left.
 */
static bool expire_one(struct wpool_runq *rq, unsigned long since)
{
	struct wpool *pool = rq->pool;
	struct task_struct *thread = NULL;
	struct wpool_worker *w;
	bool stays = false;

	raw_spin_lock(&pool->workers_lock);
	raw_spin_lock(&rq->lock);
	w = wpool_idle_coldest(rq);
	if (w && !time_after(w->idle_since, since) &&
	    pool->nr_workers > READ_ONCE(pool->min_workers)) {
		stays = wpool_worker_resign(w);
		WRITE_ONCE(rq->nr_workers, rq->nr_workers - 1);
		/* in the reserve it is not at its end */
		pool->expired += !stays;
		thread = w->thread;
		trace_wpool_worker_expired(pool->name, rq->cpu, thread->pid);
		wpool_idle_take(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	raw_spin_unlock(&pool->workers_lock);

	if (thread) {
		wpool_worker_left(pool, stays);
		/* interrupts are still off: the thread cannot be freed yet */
		wake_up_process(thread);
	}
	return thread;
}

void wpool_park_expire(struct timer_list *timer)
{
	struct wpool *pool = timer_container_of(pool, timer, expiry_timer);
	unsigned long life, since = 0, flags;
	struct wpool_runq *rq;
	int i;

	/*
	 * wpool_park_expire:A. A worker that parks now either finds the timer not pending, or
	 * is found below: see wake.c.
	 */
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
	/* when the oldest worker that is left expires, or at once for the next batch */
	mod_timer(&pool->expiry_timer, max(since + life, jiffies + 1));
}

/* The timer is pending if there are any, so that a quiet pool costs no look at its CPUs. */
u32 wpool_park_count(struct wpool *pool)
{
	u32 workers = READ_ONCE(pool->nr_workers), least = READ_ONCE(pool->min_workers);

	if (!timer_pending(&pool->expiry_timer) || !is_expiring(pool) || workers <= least)
		return 0;
	return min(workers - least, wpool_idle_nr(pool));
}

bool wpool_park_expire_early(struct wpool *pool)
{
	unsigned long since, life = msecs_to_jiffies(EARLY_MS), flags;
	struct wpool_runq *rq;
	bool ret;

	if (!wpool_park_count(pool) || wpool_is_closed(pool))
		return false;
	local_irq_save(flags);
	rq = wpool_idle_coldest_runq(pool, &since);
	ret = rq && time_after_eq(jiffies, since + life) && expire_one(rq, since);
	local_irq_restore(flags);
	return ret;
}

void wpool_park_rearm(struct wpool *pool)
{
	if (wpool_idle_any(pool) && is_expiring(pool))
		mod_timer(&pool->expiry_timer, jiffies + 1);
}
