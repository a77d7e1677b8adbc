// SPDX-License-Identifier: GPL-2.0
/* How a task finishes, other than in the plain case: see finish.h. */
#include "task/finish.h"

#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/wait_bit.h>

#include "core/freeze.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "task/waiters.h"

static __always_inline void settle_and_serve(struct wpool *pool, struct wpool_runq *rq,
					     u32 colour, int status)
{
	if (unlikely(wpool_finish_settle(pool, rq, colour, status)))
		wpool_waiters_serve(pool);
	wpool_finish_end();
}

/* Finish a task whose memory no longer belongs to the pool. */
static void finish_detached(struct wpool *pool, u32 colour, int status)
{
	/* interrupts off: the pool is not freed before the token is back */
	local_irq_disable();
	wpool_finish_begin();
	settle_and_serve(pool, wpool_this_runq(pool), colour, status);
	local_irq_enable();
}

void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status)
{
	u32 colour = task->colour;
	void *func = task->func;
	struct wpool_runq *rq;
	int old = from, new;
	bool again;

	/* interrupts off: the pool is not freed before the token is back */
	local_irq_disable();
	rq = wpool_this_runq(pool);
	wpool_finish_begin();
	wpool_debug_deactivate(task);

	do {
		/* an overdue task is queued again if it was submitted again after its claim */
		again = (old & WPOOL_ST_AGAIN) && status != -EIO;
		if (again) {
			task->colour = !!(old & WPOOL_ST_AGAIN_COLOUR);
			/* an earlier iteration may have set WPOOL_QUEUED_NO */
			WRITE_ONCE(task->queued, WPOOL_QUEUED_POOL);
			/* clear WAITED: a waiter that is a worker can now run the task itself */
			new = WPOOL_ST_PENDING | (old & WPOOL_ST_DISABLED_MASK);
		} else {
			WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
			/* if the last submit was cancelled, the status says so */
			task->status = status != -EIO && old & WPOOL_ST_TAKEN_BACK ?
				       -ECANCELED : status;
			WRITE_ONCE(task->cpu, smp_processor_id());
			new = old & WPOOL_ST_DISABLED_MASK;
		}
	} while (!wpool_task_exchange(task, &old, new));

	/* the worker died: the second submit, which has no token of its own, ends, too */
	if (unlikely(old & WPOOL_ST_AGAIN && !again))
		wpool_account_out(rq, !!(old & WPOOL_ST_AGAIN_COLOUR), status);
	if (trace_wpool_task_dropped_enabled() && status)
		trace_wpool_task_dropped(pool->name, rq->cpu, task, func, status);
	if (unlikely(again)) {
		wpool_debug_activate(task);
		/* the second submit takes over the token, and is counted in already */
		wpool_task_stamp(task, READ_ONCE(pool->stamps));
		if (trace_wpool_task_submitted_enabled())
			wpool_trace_submitted(pool, rq, task);
		wpool_account_out(rq, colour, status);
		wpool_sched_push(pool, rq, &task, 1, task->flags);
		wpool_finish_end();
	} else {
		settle_and_serve(pool, rq, colour, status);
	}
	local_irq_enable();

	if (unlikely(old & WPOOL_ST_WAITED))
		wake_up_var(task);
}

void wpool_finish_unrun(struct wpool *pool, struct wpool_task *task, int status)
{
	bool is_event = wpool_task_is_event(task);
	wpool_abort_fn abort;
	struct module *owner;
	u32 colour;

	if (!is_event && !wpool_task_mark_cancelled(task))
		status = -ECANCELED;
	if (!wpool_task_is_detached(task)) {
		wpool_finish_joinable(pool, task, WPOOL_ST_CANCELLED, status);
		return;
	}
	abort = task->abort;
	owner = task->owner;
	colour = task->colour;
	trace_wpool_task_dropped(pool->name, raw_smp_processor_id(), task,
				 wpool_trace_func(task), status);
	WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
	wpool_debug_deactivate(task);
	/* the last touch; no other change leads out of CANCELLED; an event changes its own state */
	if (!is_event)
		atomic_set_release(&task->state, WPOOL_ST_IDLE);
	if (abort)
		abort(task, status);
	module_put(owner);
	finish_detached(pool, colour, status);
}

/* End an event that the pool did not accept, because the pool was closed. */
static void end_refused(struct wpool *pool, struct wpool_task *task)
{
	trace_wpool_task_dropped(pool->name, raw_smp_processor_id(), task,
				 wpool_trace_func(task), -ESHUTDOWN);
	wpool_debug_deactivate(task);
	task->abort(task, -ESHUTDOWN);
	/* the calling work keeps the pool */
	if (atomic_dec_and_test(&pool->nr_refused_events))
		wake_up_all(&pool->drain_wq);
}

void wpool_finish_put_down(struct wpool *pool, struct wpool_task *task)
{
	if (wpool_task_is_event(task) && READ_ONCE(task->queued) != WPOOL_QUEUED_POOL) {
		end_refused(pool, task);
		return;
	}
	/* a cancelled event may be fired again: its turn decides */
	if (!wpool_task_is_event(task) && wpool_task_is_cancelled(task)) {
		wpool_finish_unrun(pool, task, -ECANCELED);
		return;
	}
	local_irq_disable();
	wpool_sched_push(pool, wpool_this_runq(pool), &task, 1, task->flags);
	local_irq_enable();
}

void wpool_finish_or_tidy(struct wpool *pool, struct wpool_task *task)
{
	/* may this context wake threads that wait for the task? */
	bool here = in_task() && !irqs_disabled() &&
		    (!IS_ENABLED(CONFIG_PREEMPT_RT) || !preempt_count());
	unsigned long flags;

	/* a detached task's abort function may sleep, or need the caller's locks */
	if (here && !wpool_task_is_detached(task)) {
		wpool_finish_put_down(pool, task);
		return;
	}
	local_irq_save(flags);
	wpool_tidy_task(pool, task);
	local_irq_restore(flags);
}

static void sweep_queue(struct wpool *pool, struct wpool_fifo *fifo, u64 from, u64 ns)
{
	struct wpool_task *task;

	/* the monitor asks for another sweep when a frozen pool has been thawed */
	while (!wpool_is_frozen(pool)) {
		local_irq_disable();
		task = wpool_fifo_pop_older(fifo, from, ns);
		local_irq_enable();
		if (!task)
			break;
		wpool_finish_unrun(pool, task, -ETIME);
		cond_resched_tasks_rcu_qs();
	}
}

void wpool_finish_sweep(struct wpool *pool)
{
	u64 from, max_ns = wpool_max_wait_ns(pool, &from);
	u64 ns = ktime_get_mono_fast_ns() - max_ns;
	struct wpool_runq *rq;
	u32 i;

	if (!max_ns)
		return;
	wpool_for_each_active(pool, rq, i)
		sweep_queue(pool, &rq->backlog, from, ns);
	sweep_queue(pool, &pool->urgent, from, ns);
	sweep_queue(pool, &pool->globq, from, ns);
}

void wpool_finish_drop_all(struct wpool *pool)
{
	struct wpool_task *task;

	while (wpool_drops(pool) && (task = wpool_sched_take_any(pool))) {
		if (wpool_drops(pool))
			wpool_finish_unrun(pool, task, -ECANCELED);
		else
			/* the pool was rebooted, and accepted the task after that */
			wpool_finish_put_down(pool, task);
		cond_resched_tasks_rcu_qs();
	}
}

bool wpool_finish_take_out(struct wpool_task *task, bool here)
{
	struct wpool *pool;
	bool ret;

	/* RCU keeps the pool */
	rcu_read_lock();
	pool = wpool_task_pool(task);
	ret = pool && wpool_sched_unqueue(pool, task);
	if (ret && here)
		wpool_finish_unrun(pool, task, -ECANCELED);
	else if (ret)
		wpool_finish_or_tidy(pool, task);
	rcu_read_unlock();
	return ret;
}

/*
 * Fail the nested tasks of a dead worker, innermost first. Tasks that were on its stack are only
 * counted out: another thread may own that stack by now. Such a task ran INSIDE, so each further
 * submit of it was refused.
 */
static void fail_nested(struct wpool_worker *w)
{
	struct wpool_task *task, *next;
	u32 colour;

	for (task = w->held; task; task = next) {
		next = task->held;
		wpool_finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
	}
	for (colour = 0; colour < ARRAY_SIZE(w->on_stack); colour++)
		for (; w->on_stack[colour]; w->on_stack[colour]--)
			finish_detached(w->pool, colour, -EIO);
	w->held = NULL;
	w->nested = 0;
}

void wpool_finish_dead(struct wpool_worker *w)
{
	struct wpool_task *task = w->nested ? w->outermost : w->task;
	void *func = w->nested ? NULL : w->func;

	if (w->nested)
		fail_nested(w);
	if (w->detached) {
		trace_wpool_task_dropped(w->pool->name, raw_smp_processor_id(), task, func, -EIO);
		if (w->abort)
			w->abort(task, -EIO);
		module_put(w->task_owner);
		finish_detached(w->pool, w->colour, -EIO);
	} else {
		wpool_finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
	}
	WRITE_ONCE(w->task, NULL);
}
