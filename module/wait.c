// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for a task, helping it along, and cancelling it.
 *
 * Waiters sleep on the kernel's hashed wait queues and leave a mark in the
 * task's state, so that a task that nobody waits for pays nothing. A worker
 * that waits for a queued task of its own pool takes it out of the queue and
 * runs it itself: fork-join works at capacity 1.
 *
 * The last thing that these functions read of a task is its status, after they
 * have seen it IDLE: with several waiters none may free it before all returned.
 */
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/wait_bit.h>

#include "finish.h"
#include "pool.h"
#include "run.h"
#include "sched.h"
#include "spawner.h"
#include "task.h"
#include "worker.h"

/* ---- wait and help ---- */

static bool is_done(struct wpool_task *task)
{
	int old = atomic_read_acquire(&task->state);

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_IDLE)
			return true;
		if (old & WPOOL_ST_WAITED)
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, old | WPOOL_ST_WAITED));

	return false;
}

/* Is the calling worker inside this task? */
static bool is_inside(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool_task *t = w->task;
	u32 i;

	for (i = 0; i < w->nested; i++, t = t->outer)
		if (t == task)
			return true;
	/* a detached one may be gone, its memory another task's */
	return t == task && !w->detached;
}

/*
 * The task is in the hands of somebody who moves it or is about to run it: a
 * matter of a microsecond, unless that one has lost its CPU, perhaps to us.
 */
static void await_hands(u32 *tries)
{
	if (++*tries % 128) {
		cpu_relax();
		cond_resched();
	} else {
		schedule_timeout_uninterruptible(1);
	}
}

/* Does it stand in a queue, cancelled or not? */
static bool is_queued(struct wpool_task *task)
{
	int state = atomic_read(&task->state) & WPOOL_ST_MASK;

	return state == WPOOL_ST_PENDING || state == WPOOL_ST_CANCELLED;
}

/* Run a queued task of the own pool right here, so that it need not be waited for. */
static void help(struct wpool_worker *w, struct wpool_task *task)
{
	unsigned long flags;
	struct wpool *pool;
	u32 tries = 0;
	bool taken;

	while (is_queued(task)) {
		if (wpool_stack_is_short())
			return;
		local_irq_save(flags);
		pool = wpool_task_pool(task);
		taken = pool == w->pool && wpool_sched_unqueue(pool, task);
		local_irq_restore(flags);
		if (pool != w->pool)
			return;
		if (taken)
			wpool_run_inside(w, task);
		else
			await_hands(&tries);
	}
}

/* Tell lockdep, which wants to hear of it before the wait and not only if it is one. */
static void lockdep_wait(struct wpool_task *task)
{
#ifdef CONFIG_LOCKDEP
	struct wpool *pool;
	unsigned long flags;

	local_irq_save(flags);
	pool = wpool_task_pool(task);
	if (pool)
		wpool_lockdep_wait(pool);
	local_irq_restore(flags);
#endif
}

static int wait_until_done(struct wpool_task *task)
{
	if (!is_done(task) && wait_var_event_killable(task, is_done(task)))
		return -EINTR;
	wpool_finish_sync();
	return task->status;
}

int wpool_task_wait(struct wpool_task *task)
{
	struct wpool_worker *w = wpool_worker_current();

	might_sleep();
	if (wpool_task_is_detached(task))
		return -EINVAL;
	if (w && is_inside(w, task))
		return -EDEADLK;
	if (w)
		help(w, task);
	if (!w || READ_ONCE(task->pool) != w->pool)
		lockdep_wait(task);
	return wait_until_done(task);
}
EXPORT_SYMBOL_GPL(wpool_task_wait);

/* ---- cancel ---- */

/* Does this context allow to wake those who wait for a task? */
static bool may_wake(unsigned long irq_flags)
{
	return in_task() && !irqs_disabled_flags(irq_flags) &&
	       (!IS_ENABLED(CONFIG_PREEMPT_RT) || !preempt_count());
}

bool wpool_task_cancel(struct wpool_task *task)
{
	bool ret, taken, here = false;
	unsigned long flags;
	struct wpool *pool;

	/* keeps the pool */
	rcu_read_lock();
	local_irq_save(flags);
	pool = wpool_task_pool(task);
	ret = wpool_task_mark_cancelled(task);
	/* its place is free now, and not only when a worker comes by */
	taken = ret && pool && wpool_sched_unqueue(pool, task);
	if (taken) {
		/* an abort function wants to sleep */
		here = may_wake(flags) && !wpool_task_is_detached(task);
		if (!here)
			wpool_spawner_drop(task);
	}
	local_irq_restore(flags);
	if (here)
		wpool_task_put_down(pool, task);
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_task_cancel);

int wpool_task_cancel_sync(struct wpool_task *task)
{
	struct wpool_worker *w = wpool_worker_current();
	unsigned long flags;
	struct wpool *pool;
	u32 tries = 0;
	bool taken;

	might_sleep();
	if (wpool_task_is_detached(task))
		return -EINVAL;
	if (w && is_inside(w, task))
		return -EDEADLK;

	if (!w || READ_ONCE(task->pool) != w->pool)
		lockdep_wait(task);
	wpool_task_mark_cancelled(task);
	while ((atomic_read(&task->state) & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED) {
		/* keeps the pool for wpool_task_drop() */
		rcu_read_lock();
		local_irq_save(flags);
		pool = wpool_task_pool(task);
		taken = pool && wpool_sched_unqueue(pool, task);
		local_irq_restore(flags);
		if (taken)
			wpool_task_drop(pool, task);
		rcu_read_unlock();
		if (taken)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (pool)
			await_hands(&tries);
		else
			/* its submitter waits in line with it, perhaps for long */
			schedule_timeout_killable(1);
	}
	return wait_until_done(task);
}
EXPORT_SYMBOL_GPL(wpool_task_cancel_sync);
