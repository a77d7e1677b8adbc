// SPDX-License-Identifier: GPL-2.0
/*
 * Works, delayed ones included: queue, take back, disable, flush; see queue.h.
 *
 * A delayed work is a work and a timer. The owner of PENDING starts the timer; when the timer
 * fires, its callback becomes the owner. An owner has interrupts off, so the timer is
 * TIMER_IRQSAFE.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/timer.h>

#include "compat.h"
#include "wq/queue.h"

/* Give up PENDING: from now on the work may be queued again, or freed. */
static void give_back(struct wpool_work *work)
{
	clear_bit_unlock(WPOOL_WORK_PENDING_BIT, &work->flags);
}

/* ---- queue ---- */

/* Is a work disabled? If so, clear its PENDING, which the caller owns. */
static bool is_refused(struct wpool_work *work)
{
	if (likely(!work->disabled))
		return false;
	give_back(work);
	return true;
}

/* Claim PENDING, with interrupts off. False if the work is already pending, or disabled. */
static bool begin_queueing(struct wpool_work *work)
{
	/* queue:A, see queue.h */
	if (test_and_set_bit(WPOOL_WORK_PENDING_BIT, &work->flags))
		return false;
	return !is_refused(work);
}

/*
 * Queue a work whose PENDING the caller owns, or clear that bit and fail. @cpu: as
 * wpool_wq_queue_on(). Interrupts are off.
 */
static bool insert_work(struct wpool_wq *wq, struct wpool_work *work, int cpu)
{
	wpool_work_fn func = work->func;
	bool added;

	raw_spin_lock(&wq->lock);
	added = __wpool_wq_add(wq, work, cpu);
	raw_spin_unlock(&wq->lock);
	/* if it was added, the work and the queue may be gone by now */
	if (added)
		return true;
	give_back(work);
	pr_err_ratelimited("%ps was queued from outside while its queue drains, and is dropped\n",
			   func);
	return false;
}

bool wpool_wq_queue_on(int cpu, struct wpool_wq *wq, struct wpool_work *work)
{
	unsigned long flags;
	bool ret;

	if (!wq || !work || !work->func)
		return false;
	local_irq_save(flags);
	ret = begin_queueing(work) && insert_work(wq, work, cpu);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_queue_on);

static void rcu_work_fn(struct rcu_head *rcu)
{
	struct wpool_rcu_work *rwork = container_of(rcu, struct wpool_rcu_work, rcu);
	unsigned long flags;

	local_irq_save(flags);
	insert_work(rwork->wq, &rwork->work, WORK_CPU_UNBOUND);
	local_irq_restore(flags);
}

bool wpool_wq_queue_rcu(struct wpool_wq *wq, struct wpool_rcu_work *rwork)
{
	unsigned long flags;
	bool ret;

	if (!wq || !rwork || !rwork->work.func)
		return false;
	local_irq_save(flags);
	ret = begin_queueing(&rwork->work);
	local_irq_restore(flags);
	if (ret) {
		rwork->wq = wq;
		call_rcu_hurry(&rwork->rcu, rcu_work_fn);
	}
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_queue_rcu);

void wpool_delayed_work_timer_fn(struct timer_list *timer)
{
	struct wpool_delayed_work *dwork = timer_container_of(dwork, timer, timer);

	insert_work(dwork->wq, &dwork->work, WORK_CPU_UNBOUND);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_timer_fn);

void wpool_delayed_work_destroy_on_stack(struct wpool_delayed_work *dwork)
{
	timer_destroy_on_stack(&dwork->timer);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_destroy_on_stack);

/* The caller owns PENDING; interrupts are off. */
static bool start_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			  unsigned long delay)
{
	if (!delay)
		return insert_work(wq, &dwork->work, cpu);
	dwork->wq = wq;
	dwork->timer.expires = jiffies + delay;
	/* as in the kernel: the timer must not start the tick of a CPU that nohz_full= isolates */
	if (housekeeping_enabled(HK_TYPE_TIMER)) {
		cpu = smp_processor_id();
		if (!housekeeping_test_cpu(cpu, HK_TYPE_TIMER))
			cpu = housekeeping_any_cpu(HK_TYPE_TIMER);
	}
	if (cpu == WORK_CPU_UNBOUND)
		add_timer_global(&dwork->timer);
	else
		add_timer_on(&dwork->timer, cpu);
	return true;
}

bool wpool_wq_queue_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			    unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (!wq || !dwork || !dwork->work.func)
		return false;
	local_irq_save(flags);
	ret = begin_queueing(&dwork->work) && start_delayed(cpu, wq, dwork, delay);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_queue_delayed);

/* ---- take back ---- */

static bool remove_work(struct wpool_work *work)
{
	struct wpool_wq *wq;
	bool ret = false;

	rcu_read_lock();
	wq = wpool_wq_by(READ_ONCE(work->where));
	if (wq) {
		raw_spin_lock(&wq->lock);
		ret = READ_ONCE(work->where) == wpool_wq_here(wq);
		if (ret)
			__wpool_wq_remove(wq, work);
		raw_spin_unlock(&wq->lock);
	}
	rcu_read_unlock();
	return ret;
}

/*
 * Become the owner of PENDING, and turn interrupts off; *@flags: out: their state before. Returns
 * whether the work was pending. @timer: the timer of a delayed work, or NULL.
 */
static bool grab_work(struct wpool_work *work, struct timer_list *timer, unsigned long *flags)
{
	for (;;) {
		local_irq_save(*flags);
		/* the timer first: a work that the timer's callback has queued is found below */
		if (timer && timer_delete(timer))
			return true;
		if (!test_and_set_bit(WPOOL_WORK_PENDING_BIT, &work->flags))
			return false;
		if (remove_work(work))
			return true;
		/* spin: the owner of PENDING has interrupts off (no call takes back an RCU work) */
		local_irq_restore(*flags);
		cpu_relax();
	}
}

bool wpool_wq_mod_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			  unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (!wq || !dwork || !dwork->work.func)
		return false;
	ret = grab_work(&dwork->work, &dwork->timer, &flags);
	if (!is_refused(&dwork->work))
		start_delayed(cpu, wq, dwork, delay);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_mod_delayed);

bool wpool_work_take_back(struct wpool_work *work, struct timer_list *timer, bool disable)
{
	unsigned long flags;
	bool ret;

	ret = grab_work(work, timer, &flags);
	if (disable)
		WRITE_ONCE(work->disabled, work->disabled + 1);
	give_back(work);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_work_take_back);

bool wpool_work_take_back_sync(struct wpool_work *work, struct timer_list *timer, bool disable)
{
	/* disable it: the function may be running, and must not queue the work again */
	bool ret = wpool_work_take_back(work, timer, true);

	wpool_work_flush(work);
	if (!disable)
		wpool_work_enable(work);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_work_take_back_sync);

bool wpool_work_enable(struct wpool_work *work)
{
	unsigned long flags;
	bool ret;

	/* not disabled, by a mistake of the caller: a pending work stays pending */
	if (!READ_ONCE(work->disabled))
		return true;
	/* a queueing that is being refused gives PENDING back first, so it hides no later one */
	grab_work(work, NULL, &flags);
	if (work->disabled)
		WRITE_ONCE(work->disabled, work->disabled - 1);
	ret = !work->disabled;
	give_back(work);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_work_enable);

/* ---- flush ---- */

/*
 * Give the waiter to the last turn of the work; false if no turn is left. To wait for the last turn
 * is enough: it never starts before the previous turn has ended, even in another queue.
 */
static bool wait_for_turn(struct wpool_work *work, struct wpool_wq_waiter *waiter)
{
	struct hlist_head *list = NULL;
	struct wpool_wq_runner *runner;
	struct wpool_wq *wq;
	unsigned long flags;
	u32 where;

	rcu_read_lock();
again:
	where = READ_ONCE(work->where);
	wq = wpool_wq_by(where);
	if (wq) {
		raw_spin_lock_irqsave(&wq->lock, flags);
		runner = __wpool_wq_find(wq, work, work->func);
		if (READ_ONCE(work->where) == wpool_wq_here(wq))
			list = &work->waiters;
		else if (runner)
			list = &runner->waiters;
		if (list)
			hlist_add_head(&waiter->node, list);
		raw_spin_unlock_irqrestore(&wq->lock, flags);
	}
	/* a cancel may have returned the work to the queue where it still runs */
	if (!list && READ_ONCE(work->where) != where)
		goto again;
	rcu_read_unlock();
	return list;
}

bool wpool_work_flush(struct wpool_work *work)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct wpool_wq_waiter waiter = { .done = &done };

	might_sleep();
	if (!wait_for_turn(work, &waiter))
		return false;
	wait_for_completion(&done);
	return true;
}
EXPORT_SYMBOL_GPL(wpool_work_flush);

bool wpool_delayed_work_flush(struct wpool_delayed_work *dwork)
{
	might_sleep();
	/* the thread that stops the timer owns PENDING */
	local_irq_disable();
	if (timer_delete_sync(&dwork->timer))
		insert_work(dwork->wq, &dwork->work, WORK_CPU_UNBOUND);
	local_irq_enable();
	return wpool_work_flush(&dwork->work);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_flush);

bool wpool_rcu_work_flush(struct wpool_rcu_work *rwork)
{
	bool pending = wpool_work_pending(&rwork->work);

	might_sleep();
	if (pending)
		rcu_barrier();
	return wpool_work_flush(&rwork->work) || pending;
}
EXPORT_SYMBOL_GPL(wpool_rcu_work_flush);

unsigned int wpool_work_busy(struct wpool_work *work)
{
	unsigned int ret = wpool_work_pending(work) ? WORK_BUSY_PENDING : 0;
	u32 where = READ_ONCE(work->where);
	struct wpool_wq *wq;
	unsigned long flags;

	rcu_read_lock();
	wq = wpool_wq_by(where & 1 ? READ_ONCE(work->from) : where);
	if (wq) {
		raw_spin_lock_irqsave(&wq->lock, flags);
		if (__wpool_wq_find(wq, work, work->func))
			ret |= WORK_BUSY_RUNNING;
		raw_spin_unlock_irqrestore(&wq->lock, flags);
	}
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_work_busy);
