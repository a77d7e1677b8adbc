// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers, see idle.h. The barriers park:A and start:A are explained in
 * wake.c.
 *
 * The expiry timer is pending only while somebody beyond min_workers is idle:
 * a quiet pool has no timer and wakes nobody. It runs in softirq context.
 */
#include "idle.h"

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "compat.h"
#include "handoff.h"
#include "monitor.h"
#include "pool.h"
#include "sched.h"
#include "trace.h"
#include "wake.h"
#include "worker.h"

/* Workers sent away per firing, so that a softirq stays short. */
#define EXPIRE_BATCH	64

/* Take a worker off its run queue's idle list. */
static void unpark_locked(struct wpool_runq *rq, struct wpool_worker *w)
	__must_hold(&rq->lock)
{
	lockdep_assert_held(&rq->lock);
	list_del(&w->idle_node);
	WRITE_ONCE(rq->nr_idle, rq->nr_idle - 1);
	atomic_dec(&rq->pool->nr_idle);
	if (!rq->nr_idle)
		cpumask_clear_cpu(rq->cpu, rq->pool->idle_mask);
	trace_wpool_worker_woken(rq->pool->name, rq->cpu, w->thread->pid, w->idle_since);
	/* the last word: the worker goes on without the lock */
	smp_store_release(&w->parked, false);
}

void wpool_idle_count_waking(struct wpool *pool)
{
	WRITE_ONCE(pool->wake_jiffy, jiffies);
	atomic_inc(&pool->nr_waking);
}

static void join(struct wpool_runq *rq, struct wpool_worker *w)
{
	struct wpool *pool = rq->pool;

	raw_spin_lock(&rq->lock);
	w->idle_since = jiffies;
	w->parked = true;
	if (pool->order == WPOOL_LIFO)
		list_add(&w->idle_node, &rq->idle);
	else
		list_add_tail(&w->idle_node, &rq->idle);
	WRITE_ONCE(rq->nr_idle, rq->nr_idle + 1);
	atomic_inc(&pool->nr_idle);
	cpumask_set_cpu(rq->cpu, pool->idle_mask);
	trace_wpool_worker_parked(pool->name, rq->cpu, w->thread->pid);
	raw_spin_unlock(&rq->lock);
}

/* Does the state of the pool want this worker awake, whether there is work or not? */
static bool is_wanted(struct wpool *pool, struct wpool_runq *rq)
{
	return READ_ONCE(rq->redirect) ||
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) ||
	       wpool_worker_is_needed_elsewhere() ||
	       (wpool_is_closed(pool) && !wpool_sched_has_work(pool, rq));
}

static bool is_expiring(struct wpool *pool)
{
	return READ_ONCE(pool->expiry_ms) && !pool->prealloc &&
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->min_workers);
}

void wpool_idle_join(struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;
	unsigned long flags;

	local_irq_save(flags);
	/* first: who expires this worker must not rely on its search */
	wpool_sched_give_up(w);
	join(rq, w);
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
			wpool_idle_count_waking(pool);
			unpark_locked(rq, w);
		}
		raw_spin_unlock(&rq->lock);
	}
	local_irq_restore(flags);
}

bool wpool_idle_sleep(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (is_expiring(pool))
		timer_reduce(&pool->expiry_timer, jiffies +
			     msecs_to_jiffies(READ_ONCE(pool->expiry_ms)));

	for (;;) {
		set_current_state(TASK_IDLE);
		/* pairs with the release in unpark_locked() */
		if (!smp_load_acquire(&w->parked))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return !w->leaving;
}

void wpool_idle_started(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *rq = w->rq;
	unsigned long flags;

	w->picked = false;
	local_irq_save(flags);
	wpool_sched_search(w);
	wpool_running_enter(w);
	if (w->owns_waking) {
		w->owns_waking = false;
		raw_spin_lock(&rq->lock);
		WRITE_ONCE(rq->waking, false);
		raw_spin_unlock(&rq->lock);
	}
	/* start:A, after it counts among those who search and run */
	smp_mb__before_atomic();
	atomic_dec(&pool->nr_waking);
	local_irq_restore(flags);
}

void wpool_idle_disown(struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;

	if (!w->owns_waking)
		return;
	w->owns_waking = false;
	raw_spin_lock_irq(&rq->lock);
	WRITE_ONCE(rq->waking, false);
	raw_spin_unlock_irq(&rq->lock);
}

void wpool_idle_forget(struct wpool_worker *w)
{
	raw_spin_lock_irq(&w->rq->lock);
	if (w->parked)
		unpark_locked(w->rq, w);
	raw_spin_unlock_irq(&w->rq->lock);
	wpool_idle_disown(w);
	if (w->picked)
		atomic_dec(&w->pool->nr_waking);
	w->picked = false;
}

bool wpool_idle_wake(struct wpool_runq *rq)
{
	struct task_struct *thread;
	struct wpool_worker *w;

	raw_spin_lock(&rq->lock);
	w = list_first_entry_or_null(&rq->idle, struct wpool_worker, idle_node);
	if (!w || rq->waking) {
		raw_spin_unlock(&rq->lock);
		return false;
	}
	w->picked = true;
	w->owns_waking = true;
	WRITE_ONCE(rq->waking, true);
	wpool_idle_count_waking(rq->pool);
	thread = w->thread;
	unpark_locked(rq, w);
	raw_spin_unlock(&rq->lock);

	/* interrupts are still off: the thread cannot be freed yet */
	wake_up_process(thread);
	/* its CPU may be taken */
	wpool_monitor_arm();
	return true;
}

static struct wpool_worker *coldest_locked(struct wpool_runq *rq)
	__must_hold(&rq->lock)
{
	if (list_empty(&rq->idle))
		return NULL;
	if (rq->pool->order == WPOOL_LIFO)
		return list_last_entry(&rq->idle, struct wpool_worker, idle_node);
	return list_first_entry(&rq->idle, struct wpool_worker, idle_node);
}

/* Wake the coldest worker of a run queue to look at its state. */
static bool wake_coldest(struct wpool_runq *rq)
{
	struct task_struct *thread;
	struct wpool_worker *w;
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&rq->lock);
	w = coldest_locked(rq);
	if (w) {
		thread = w->thread;
		unpark_locked(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	/* interrupts are still off: the thread cannot be freed yet */
	if (w)
		wake_up_process(thread);
	local_irq_restore(flags);
	return w;
}

void wpool_idle_wake_runq(struct wpool_runq *rq)
{
	u32 n;

	/* what these are woken for, then the look who is idle; pairs with park:A */
	smp_mb();
	/*
	 * As many as there are, from the end where nobody joins: who joins later
	 * has seen what these are woken for.
	 */
	for (n = READ_ONCE(rq->nr_idle); n && wake_coldest(rq); n--)
		;
}

void wpool_idle_wake_next(struct wpool *pool)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (cpumask_test_cpu(cpu, pool->idle_mask) &&
		    wake_coldest(wpool_runq(pool, cpu)))
			return;
}

void wpool_idle_wake_all(struct wpool *pool)
{
	int cpu;

	for_each_possible_cpu(cpu)
		wpool_idle_wake_runq(wpool_runq(pool, cpu));
}

/* ---- the coldest ---- */

/* The run queue whose coldest idle worker is the oldest of all, and since when. */
static struct wpool_runq *coldest_runq(struct wpool *pool, unsigned long *since)
{
	struct wpool_runq *rq, *found = NULL;
	struct wpool_worker *w;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!cpumask_test_cpu(cpu, pool->idle_mask))
			continue;
		rq = wpool_runq(pool, cpu);
		raw_spin_lock(&rq->lock);
		w = coldest_locked(rq);
		if (w && (!found || time_before(w->idle_since, *since))) {
			*since = w->idle_since;
			found = rq;
		}
		raw_spin_unlock(&rq->lock);
	}
	return found;
}

bool wpool_idle_move(struct wpool *pool, struct wpool_runq *rq)
{
	struct task_struct *thread;
	struct wpool_worker *w;
	struct wpool_runq *from;
	unsigned long since;

	from = coldest_runq(pool, &since);
	if (!from || from == rq)
		return false;
	raw_spin_lock(&from->lock);
	w = coldest_locked(from);
	if (w) {
		w->picked = true;
		w->new_home = rq;
		wpool_idle_count_waking(pool);
		thread = w->thread;
		unpark_locked(from, w);
	}
	raw_spin_unlock(&from->lock);
	if (!w)
		return false;

	/* interrupts are still off: the thread cannot be freed yet */
	wake_up_process(thread);
	return true;
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
	w = coldest_locked(rq);
	if (w && !time_after(w->idle_since, since) &&
	    pool->nr_workers > READ_ONCE(pool->min_workers)) {
		WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
		WRITE_ONCE(rq->nr_workers, rq->nr_workers - 1);
		pool->expired++;
		WRITE_ONCE(w->leaving, true);
		thread = w->thread;
		trace_wpool_worker_expired(pool->name, rq->cpu, thread->pid);
		unpark_locked(rq, w);
	}
	raw_spin_unlock(&rq->lock);
	raw_spin_unlock(&pool->workers_lock);

	if (thread) {
		wpool_worker_left(pool);
		/* interrupts are still off: the thread cannot be freed yet */
		wake_up_process(thread);
	}
}

void wpool_idle_expire(struct timer_list *timer)
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
		rq = coldest_runq(pool, &since);
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

void wpool_idle_rearm(struct wpool *pool)
{
	if (atomic_read(&pool->nr_idle) && is_expiring(pool))
		mod_timer(&pool->expiry_timer, jiffies + 1);
}
