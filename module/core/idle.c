// SPDX-License-Identifier: GPL-2.0
/* Idle workers, see idle.h. wake.c explains the barriers. */
#include "core/idle.h"

#include <linux/jiffies.h>

#include "core/counts.h"
#include "core/monitor_timer.h"
#include "core/runqs.h"
#include "core/trace.h"

bool wpool_idle_any(struct wpool *pool)
{
	u32 nr = wpool_nr_active(pool), i;

	wpool_for_each_bit(i, pool->idle_mask, nr)
		if (READ_ONCE(wpool_active(pool, i)->nr_idle))
			return true;
	return false;
}

u32 wpool_idle_nr(struct wpool *pool)
{
	return wpool_sum_active(pool, READ_ONCE(rq->nr_idle));
}

void wpool_idle_take(struct wpool_runq *rq, struct wpool_worker *w)
	__must_hold(&rq->lock)
{
	lockdep_assert_held(&rq->lock);
	list_del(&w->idle_node);
	WRITE_ONCE(rq->nr_idle, rq->nr_idle - 1);
	trace_wpool_worker_woken(rq->pool->name, rq->cpu, w->thread->pid, w->idle_since);
	/* wpool_idle_take:A, the last access of @w; pairs with park_sleep:A */
	smp_store_release(&w->parked, false);
}

bool wpool_idle_add(struct wpool_runq *rq, struct wpool_worker *w)
{
	struct wpool *pool = rq->pool;
	bool left;

	raw_spin_lock(&rq->lock);
	left = __wpool_running_leave(w, rq);
	w->idle_since = jiffies;
	WRITE_ONCE(w->parked, true);
	if (pool->order == WPOOL_LIFO)
		list_add(&w->idle_node, &rq->idle);
	else
		list_add_tail(&w->idle_node, &rq->idle);
	WRITE_ONCE(rq->nr_idle, rq->nr_idle + 1);
	/* the bit is usually set: it outlasts the wake-up of a worker, which may soon park again */
	if (!test_bit(rq->index, pool->idle_mask))
		set_bit(rq->index, pool->idle_mask);
	trace_wpool_worker_parked(pool->name, rq->cpu, w->thread->pid);
	raw_spin_unlock(&rq->lock);
	return left;
}

/*
 * Count a picked or created worker as waking and running. @w: cannot look for work before the
 * caller lets it; @rq: its home; rq->waking stays as it is if another worker is waking for @rq
 * already; @helps: whether @w also looks for tasks that other CPUs offer. Under rq->lock.
 */
static void waking_enter(struct wpool_worker *w, struct wpool_runq *rq, bool helps)
{
	lockdep_assert_held(&rq->lock);
	WRITE_ONCE(w->picked, true);
	__wpool_running_enter(w, rq);
	if (!READ_ONCE(rq->waking))
		WRITE_ONCE(rq->waking, w);
	WRITE_ONCE(rq->wake_jiffy, jiffies);
	if (helps)
		wpool_coming_enter(w);
}

void wpool_waking_settle(struct wpool_worker *w, struct wpool_runq *rq)
{
	raw_spin_lock(&rq->lock);
	WRITE_ONCE(w->rq, rq);
	WRITE_ONCE(rq->nr_workers, rq->nr_workers + 1);
	waking_enter(w, rq, true);
	raw_spin_unlock(&rq->lock);
}

void wpool_coming_enter(struct wpool_worker *w)
{
	w->helps = true;
	/* count_coming() in wake.c relies on coming workers for only a tick from now */
	if (atomic_inc_return(&w->pool->nr_coming) == 1)
		WRITE_ONCE(w->pool->coming_jiffy, jiffies);
}

void wpool_coming_leave(struct wpool_worker *w)
{
	if (w->helps) {
		w->helps = false;
		/* wpool_coming_leave:A, the worker was counted as searching before: see wake.c */
		smp_mb__before_atomic();
		atomic_dec(&w->pool->nr_coming);
	}
}

void wpool_waking_leave(struct wpool_worker *w)
{
	WRITE_ONCE(w->picked, false);
	if (w->helps)
		wpool_searching_enter(w);
	wpool_waking_disown(w);
	wpool_coming_leave(w);
}

bool wpool_idle_wake(struct wpool_runq *rq, bool helps)
{
	struct task_struct *thread;
	struct wpool_worker *w;

	raw_spin_lock(&rq->lock);
	w = list_first_entry_or_null(&rq->idle, struct wpool_worker, idle_node);
	if (!w || READ_ONCE(rq->waking)) {
		if (!w)
			clear_bit(rq->index, rq->pool->idle_mask);
		raw_spin_unlock(&rq->lock);
		return false;
	}
	waking_enter(w, rq, helps);
	thread = w->thread;
	wpool_idle_take(rq, w);
	raw_spin_unlock(&rq->lock);

	/*
	 * wpool_idle_wake:A, the full barrier of wake_up_process(), pairs with timer_fires:A. If
	 * the worker wakes itself, in an interrupt, there is no barrier; but the worker takes a
	 * task, and wpool_run() sets the timer. Interrupts are off: RCU keeps the thread.
	 */
	wake_up_process(thread);
	/* if the worker has to wait for its CPU, the monitor must see that */
	wpool_monitor_timer_set(rq->pool);
	return true;
}

struct wpool_worker *wpool_idle_coldest(struct wpool_runq *rq)
	__must_hold(&rq->lock)
{
	if (list_empty(&rq->idle))
		return NULL;
	if (rq->pool->order == WPOOL_LIFO)
		return list_last_entry(&rq->idle, struct wpool_worker, idle_node);
	return list_first_entry(&rq->idle, struct wpool_worker, idle_node);
}

/* Wake the coldest worker of @rq to check the pool's state or, unless @to is NULL, move there. */
static bool wake_coldest(struct wpool_runq *rq, struct wpool_runq *to)
{
	struct task_struct *thread;
	struct wpool_worker *w;
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&rq->lock);
	w = wpool_idle_coldest(rq);
	if (w) {
		if (to) {
			WRITE_ONCE(w->picked, true);
			w->new_home = to;
			WRITE_ONCE(to->expect_jiffy, (u32)jiffies | 1);
			wpool_coming_enter(w);
		}
		thread = w->thread;
		wpool_idle_take(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	/* interrupts are still off, so RCU keeps the thread */
	if (w)
		wake_up_process(thread);
	local_irq_restore(flags);
	return w;
}

void wpool_idle_wake_runq(struct wpool_runq *rq)
{
	u32 n;

	/* wpool_idle_wake_runq:A, pairs with park_join:A, see wake.c */
	smp_mb();
	/*
	 * Wake as many workers as are idle now, the coldest first. A worker that parks later joins
	 * the list at the other end, and has seen the new state of the pool.
	 */
	for (n = READ_ONCE(rq->nr_idle); n && wake_coldest(rq, NULL); n--)
		;
}

bool wpool_idle_wake_next(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 i;

	wpool_for_each_active(pool, rq, i)
		if (test_bit(i, pool->idle_mask) && wake_coldest(rq, NULL))
			return true;
	return false;
}

void wpool_idle_wake_all(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 i;

	/* as wpool_idle_wake_runq:A, before the list of run queues is read */
	smp_mb();
	wpool_for_each_active(pool, rq, i)
		wpool_idle_wake_runq(rq);
}

struct wpool_runq *wpool_idle_coldest_runq(struct wpool *pool, unsigned long *since)
{
	struct wpool_runq *rq, *found = NULL;
	struct wpool_worker *w;
	unsigned long flags;
	u32 i;

	wpool_for_each_active(pool, rq, i) {
		if (!test_bit(i, pool->idle_mask))
			continue;
		raw_spin_lock_irqsave(&rq->lock, flags);
		w = wpool_idle_coldest(rq);
		if (w && (!found || time_before(w->idle_since, *since))) {
			*since = w->idle_since;
			found = rq;
		}
		raw_spin_unlock_irqrestore(&rq->lock, flags);
	}
	return found;
}

bool wpool_idle_move(struct wpool *pool, struct wpool_runq *rq)
{
	u32 nr = wpool_nr_active(pool), most = 0, i;
	struct wpool_runq *other, *from = NULL;

	wpool_for_each_bit(i, pool->idle_mask, nr) {
		other = wpool_active(pool, i);
		if (other != rq && READ_ONCE(other->nr_idle) > most) {
			most = READ_ONCE(other->nr_idle);
			from = other;
		}
	}
	return from && wake_coldest(from, rq);
}
