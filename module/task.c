// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: the submitter's claim, the finish in all its cases, dropping. The states
 * and their arrows are in task.h, the running of a task and the plain case of
 * its finish in run.c, those who wait for a task or cancel it in wait.c.
 *
 * Barrier pairs (finish:A is in finish.h):
 *
 *   accept:A  store-release of task->queued after task->pool
 *             <-> load-acquire in wpool_task_pool(): whoever sees the flag sees
 *             the pool.
 *   claim:A   what the submitter wrote, full barrier, the look that finds the
 *             task PENDING: -EALREADY
 *             <-> the taker's claim, fully ordered, then its function. If the
 *             submitter does not see the claim, the function sees what the
 *             submitter wrote. tools/verification/litmus has both sides.
 */
#include "task.h"

#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/wait_bit.h>

#include "admission.h"
#include "finish.h"
#include "flush.h"
#include "sched.h"
#include "trace.h"
#include "worker.h"

DEFINE_PER_CPU(struct task_struct *, wpool_finisher);

void wpool_task_init(struct wpool_task *task, wpool_task_fn func)
{
	memset(task, 0, sizeof(*task));
	task->func = func;
}
EXPORT_SYMBOL_GPL(wpool_task_init);

/* ---- claim ---- */

/* Not IDLE: a task that is pending, runs, or was cancelled and is still queued. */
static int claim_slow(struct wpool *pool, struct wpool_task *task)
{
	int old, new;

	/* claim:A, an exchange that failed orders nothing */
	smp_mb();
	old = atomic_read(&task->state);
	do {
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_IDLE:
			new = WPOOL_ST_PENDING;
			break;
		case WPOOL_ST_RUNNING:
			if (old & WPOOL_ST_NO_MORE)
				return -ECANCELED;
			if (old & WPOOL_ST_AGAIN || READ_ONCE(task->pool) != pool)
				return -EALREADY;
			new = old | WPOOL_ST_AGAIN;
			if (READ_ONCE(pool->colour))
				new |= WPOOL_ST_AGAIN_COLOUR;
			break;
		case WPOOL_ST_CANCELLED:
			return -ECANCELED;
		default:
			return -EALREADY;
		}
		if (wpool_is_closed(pool))
			return -ESHUTDOWN;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return new == WPOOL_ST_PENDING ? 0 : 1;
}

int wpool_task_claim(struct wpool *pool, struct wpool_task *task, bool alone)
{
	int old = WPOOL_ST_IDLE;
	int ret = 0;

	/* locked instruction: the task's line */
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		ret = alone ? claim_slow(pool, task) : -EAGAIN;

	if (!ret && task->owner && !try_module_get(task->owner)) {
		atomic_set(&task->state, WPOOL_ST_IDLE);
		ret = -ENOENT;
	}
	return ret;
}

/* The claim, and all that others added to it meanwhile, is taken back. */
void wpool_task_unclaim(struct wpool_task *task)
{
	int old = atomic_read(&task->state);
	struct module *owner = task->owner;

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED && !wpool_task_is_detached(task))
			task->status = -ECANCELED;
	} while (!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE));

	if (old & WPOOL_ST_WAITED)
		wake_up_var(task);
	module_put(owner);
}

/* ---- finish ---- */

void wpool_finish_detached(struct wpool *pool, u32 colour, int status)
{
	bool awaited;

	/* keeps the pool for wpool_flush_wake() */
	rcu_read_lock();
	local_irq_disable();
	wpool_finish_begin();
	awaited = wpool_finish_settle(pool, wpool_this_runq(pool), colour, status);
	local_irq_enable();
	if (unlikely(awaited))
		wpool_flush_wake(pool, colour);
	rcu_read_unlock();
}

/*
 * Submits of a running task that came to nothing: they were cancelled, or its
 * worker died. They had no place of their own, so none comes free, and nobody
 * has to be woken: the task itself, of the same colour, is still to be counted out.
 */
static void count_in_vain(struct wpool_runq *rq, u32 colour, u32 cancelled, u32 failed)
{
	u32 nr = cancelled + failed;

	WRITE_ONCE(rq->accepted[colour], rq->accepted[colour] + nr);
	/* as in wpool_finish_count(), in before out */
	smp_wmb();
	local64_add(cancelled, &rq->cancelled);
	local64_add(failed, &rq->failed);
	/* the same: these before they are counted out */
	smp_wmb();
	local64_add(nr, &rq->finished[colour]);
}

void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status)
{
	u32 colour = task->colour, taken_back;
	void *func = task->func;
	struct wpool_runq *rq;
	bool again, awaited;
	int old = from, new;

	/* keeps the pool for wpool_flush_wake() */
	rcu_read_lock();
	local_irq_disable();
	rq = wpool_this_runq(pool);
	wpool_finish_begin();

	do {
		again = (old & WPOOL_ST_AGAIN) && !status;
		taken_back = wpool_task_taken_back(old);
		if (again) {
			task->colour = !!(old & WPOOL_ST_AGAIN_COLOUR);
			/* an earlier turn of this loop may have cleared it */
			WRITE_ONCE(task->queued, WPOOL_QUEUED_POOL);
			new = WPOOL_ST_PENDING | (old & WPOOL_ST_WAITED);
		} else {
			WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
			/* the last word is about the last submit */
			task->status = !status && taken_back ? -ECANCELED : status;
			new = WPOOL_ST_IDLE;
		}
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	if (unlikely(taken_back || (old & WPOOL_ST_AGAIN && status)))
		count_in_vain(rq, colour, taken_back, old & WPOOL_ST_AGAIN && status);
	if (unlikely(again)) {
		/* same token; counted in before it is counted out */
		new = !!(old & WPOOL_ST_AGAIN_COLOUR);
		WRITE_ONCE(rq->accepted[new], rq->accepted[new] + 1);
		if (trace_wpool_task_submitted_enabled())
			wpool_trace_submitted(pool, rq, task);
		/* pairs with the smp_mb() in wpool_flush_outstanding() */
		smp_wmb();
		wpool_finish_count(rq, colour, status);
		/* with a full barrier after the accounts */
		wpool_sched_push(pool, rq, &task, 1);
		wpool_finish_end();
		awaited = READ_ONCE(pool->attention) & WPOOL_ATT_FLUSH;
	} else {
		if (trace_wpool_task_dropped_enabled() && status)
			trace_wpool_task_dropped(pool->name, rq->cpu, task, func, status);
		awaited = wpool_finish_settle(pool, rq, colour, status);
	}
	local_irq_enable();

	if (unlikely(!again && (old & WPOOL_ST_WAITED)))
		wake_up_var(task);
	if (unlikely(awaited))
		wpool_flush_wake(pool, colour);
	rcu_read_unlock();
}

void wpool_task_await_hands(u32 *tries)
{
	if (++*tries % 128) {
		cpu_relax();
		cond_resched();
	} else {
		schedule_timeout_uninterruptible(1);
	}
}

void wpool_finish_sync(void)
{
	struct task_struct *finisher;
	u32 tries = 0;
	int cpu;

	/* orders the look at the task's state before those at the finishers */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		finisher = READ_ONCE(per_cpu(wpool_finisher, cpu));
		/* it may have lost its CPU, or its life, and to us */
		while (finisher && READ_ONCE(per_cpu(wpool_finisher, cpu)) == finisher)
			wpool_task_await_hands(&tries);
	}
	/* and these before the accounts; pairs with finish:A */
	smp_rmb();
}

void wpool_finish_forget(struct task_struct *thread)
{
	int cpu;

	/* another thread that finishes on that CPU has replaced it */
	for_each_possible_cpu(cpu)
		cmpxchg(&per_cpu(wpool_finisher, cpu), thread, NULL);
}

/* ---- drop and fail ---- */

bool wpool_task_mark_cancelled(struct wpool_task *task, bool for_good)
{
	int old = atomic_read(&task->state);
	bool ret;
	int new;

	do {
		new = old;
		ret = false;
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_PENDING:
			ret = true;
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_CANCELLED;
			break;
		case WPOOL_ST_RUNNING:
			ret = old & WPOOL_ST_AGAIN;
			if (ret)
				new = (old & ~(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR)) +
				      WPOOL_ST_TAKEN_BACK;
			if (for_good)
				new |= WPOOL_ST_NO_MORE;
			break;
		}
		if (new == old)
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return ret;
}

void wpool_task_end_cancelled(struct wpool *pool, struct wpool_task *task)
{
	wpool_abort_fn abort;
	struct module *owner;
	u32 colour;

	if (!wpool_task_is_detached(task)) {
		wpool_finish_joinable(pool, task, WPOOL_ST_CANCELLED, -ECANCELED);
		return;
	}
	abort = task->abort;
	owner = task->owner;
	colour = task->colour;
	trace_wpool_task_dropped(pool->name, raw_smp_processor_id(), task, task->func,
				 -ECANCELED);
	WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
	/* the last touch: nothing but this leads out of CANCELLED */
	atomic_set_release(&task->state, WPOOL_ST_IDLE);
	if (abort)
		abort(task, -ECANCELED);
	module_put(owner);
	wpool_finish_detached(pool, colour, -ECANCELED);
}

void wpool_task_put_down(struct wpool *pool, struct wpool_task *task)
{
	if (wpool_task_is_cancelled(task)) {
		wpool_task_end_cancelled(pool, task);
		return;
	}
	local_irq_disable();
	wpool_sched_push(pool, wpool_this_runq(pool), &task, 1);
	local_irq_enable();
}

void wpool_task_drop(struct wpool *pool, struct wpool_task *task)
{
	wpool_task_mark_cancelled(task, false);
	wpool_task_end_cancelled(pool, task);
}

/*
 * The tasks that the dead worker helped, innermost first. Of those that lay on
 * its stack only the accounts are left: the stack may be somebody else's by now.
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
			wpool_finish_detached(w->pool, colour, -EIO);
	w->held = NULL;
	w->nested = 0;
}

void wpool_task_fail(struct wpool_worker *w)
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
		wpool_finish_detached(w->pool, w->colour, -EIO);
	} else {
		wpool_finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
	}
	WRITE_ONCE(w->task, NULL);
}
