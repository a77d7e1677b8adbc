// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: the submitter's claim, the finish in all its cases, dropping. The states
 * and their arrows are in task.h, the running of a task and the plain case of
 * its finish in run.c, those who wait for a task or cancel it in wait.c.
 *
 * Barrier pair (finish:A is in finish.h):
 *
 *   accept:A  store-release of task->queued after task->pool
 *             <-> load-acquire in wpool_task_pool(): who sees the flag sees
 *             the pool.
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

DEFINE_PER_CPU(u32, wpool_finish_seq);

void wpool_task_init(struct wpool_task *task, wpool_task_fn func)
{
	memset(task, 0, sizeof(*task));
	task->func = func;
}
EXPORT_SYMBOL_GPL(wpool_task_init);

/* ---- claim ---- */

/*
 * A cancelled task that was not taken out yet is submitted again: one is
 * cancelled, one is accepted, with the same token. Both count with one colour,
 * so that it does not matter if the colour is history.
 */
static void count_revival(struct wpool *pool, u32 colour)
{
	struct wpool_runq *rq = wpool_this_runq(pool);

	WRITE_ONCE(rq->accepted[colour], rq->accepted[colour] + 1);
	local64_inc(&rq->cancelled);
	/* as in wpool_finish_count() */
	smp_wmb();
	local64_inc(&rq->finished[colour]);
}

/* Not IDLE: a task that runs, or one that was cancelled and is still queued. */
static int claim_slow(struct wpool *pool, struct wpool_task *task, int old)
{
	u32 colour = 0;
	int new;

	do {
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_IDLE:
			new = WPOOL_ST_PENDING;
			break;
		case WPOOL_ST_RUNNING:
			if (old & WPOOL_ST_AGAIN || READ_ONCE(task->pool) != pool)
				return -EALREADY;
			new = old | WPOOL_ST_AGAIN;
			if (READ_ONCE(pool->colour))
				new |= WPOOL_ST_AGAIN_COLOUR;
			break;
		case WPOOL_ST_CANCELLED:
			/* it stands in a queue, not in a submitter's hands */
			if (wpool_task_pool(task) != pool)
				return -EALREADY;
			colour = task->colour;
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_PENDING;
			break;
		default:
			return -EALREADY;
		}
		if (wpool_is_closed(pool))
			return -ESHUTDOWN;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	if (!(old & WPOOL_ST_MASK))
		return 0;
	if ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED)
		count_revival(pool, colour);
	return 1;
}

int wpool_task_claim(struct wpool *pool, struct wpool_task *task)
{
	int old = WPOOL_ST_IDLE;
	int ret = 0;

	/* locked instruction: the task's line */
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		ret = claim_slow(pool, task, old);

	if (!ret && task->owner && !try_module_get(task->owner)) {
		atomic_set(&task->state, WPOOL_ST_IDLE);
		ret = -ENOENT;
	}
	return ret;
}

/* The claim, and all that others added to it meanwhile, is taken back. */
void wpool_task_unclaim(struct wpool_task *task)
{
	struct module *owner = task->owner;

	if (atomic_xchg(&task->state, WPOOL_ST_IDLE) & WPOOL_ST_WAITED)
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

bool wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status)
{
	u32 colour = task->colour;
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
		if ((old & WPOOL_ST_MASK) != from) {
			WRITE_ONCE(task->queued, 1);
			wpool_finish_end();
			local_irq_enable();
			rcu_read_unlock();
			return false;
		}
		again = (old & WPOOL_ST_AGAIN) && !status;
		if (again) {
			task->colour = !!(old & WPOOL_ST_AGAIN_COLOUR);
			/* an earlier turn of this loop may have cleared it */
			WRITE_ONCE(task->queued, 1);
			new = WPOOL_ST_PENDING | (old & WPOOL_ST_WAITED);
		} else {
			WRITE_ONCE(task->queued, 0);
			task->status = status;
			new = WPOOL_ST_IDLE;
		}
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

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
	return true;
}

void wpool_finish_sync(void)
{
	int cpu;
	u32 seq;

	/* orders the look at the task's state before those at the numbers */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		seq = READ_ONCE(per_cpu(wpool_finish_seq, cpu));
		while (seq & 1 && READ_ONCE(per_cpu(wpool_finish_seq, cpu)) == seq)
			cpu_relax();
	}
	/* and the numbers before the accounts; pairs with finish:A */
	smp_rmb();
}

/* ---- drop and fail ---- */

bool wpool_task_mark_cancelled(struct wpool_task *task)
{
	int old = atomic_read(&task->state);
	int new;

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_PENDING)
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_CANCELLED;
		else if (old & WPOOL_ST_AGAIN)
			new = old & ~(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR);
		else
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return true;
}

bool wpool_task_end_cancelled(struct wpool *pool, struct wpool_task *task)
{
	wpool_abort_fn abort;
	struct module *owner;
	void *func;
	u32 colour;
	int old;

	if (!wpool_task_is_detached(task))
		return wpool_finish_joinable(pool, task, WPOOL_ST_CANCELLED, -ECANCELED);

	abort = task->abort;
	owner = task->owner;
	func = task->func;
	colour = task->colour;
	old = WPOOL_ST_CANCELLED;
	if (!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE))
		return false;
	trace_wpool_task_dropped(pool->name, raw_smp_processor_id(), task, func, -ECANCELED);
	if (abort)
		abort(task, -ECANCELED);
	module_put(owner);
	wpool_finish_detached(pool, colour, -ECANCELED);
	return true;
}

void wpool_task_put_down(struct wpool *pool, struct wpool_task *task)
{
	if (wpool_task_end_cancelled(pool, task))
		return;
	local_irq_disable();
	wpool_sched_push(pool, wpool_this_runq(pool), &task, 1);
	local_irq_enable();
}

void wpool_task_drop(struct wpool *pool, struct wpool_task *task)
{
	do {
		wpool_task_mark_cancelled(task);
	} while (!wpool_task_end_cancelled(pool, task));
}

void wpool_task_fail(struct wpool_worker *w)
{
	struct wpool_task *task = w->task, *outer;
	void *func = w->nested ? NULL : w->func;

	for (; w->nested; w->nested--) {
		outer = task->outer;
		wpool_finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
		task = outer;
	}
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
