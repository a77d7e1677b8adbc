/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a task finishes. In a thread, with preemption off:
 *
 *   wpool_finish_begin()    from here on others can see that a finish is under way,
 *                           and task->cpu says where
 *   the change to IDLE      the last touch of the task
 *   wpool_finish_settle()   counts the task out and gives its token back; then no
 *                           finish is under way any more
 *
 * Barrier pair:
 *
 *   finish:A  this CPU's finisher is set, barrier, the change to IDLE (fully
 *             ordered), the accounts, barrier, the finisher is cleared
 *             <-> wpool_finish_sync(): a thread that has seen IDLE waits until the
 *             finisher that it finds on the task's CPU is gone. Then it sees the
 *             accounts and the token that came free. Without the barriers it could
 *             return before the task is counted out.
 *
 * So each side waits for the other: a waiter on the task returns only when the
 * accounts are right (finish:A), and a flusher that reads the accounts returns only
 * after the last touch of the task (the accounts come after it).
 */
#ifndef WPOOL_TASK_FINISH_H
#define WPOOL_TASK_FINISH_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/state.h"
#include "task/account.h"
#include "task/waiters.h"

/* The thread that is in a finish on this CPU; only compared. */
DECLARE_PER_CPU(struct task_struct *, wpool_finisher);

/** wpool_finish_begin() - see above; in a thread, never in an interrupt */
static inline void wpool_finish_begin(void)
{
	__this_cpu_write(wpool_finisher, current);
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
}

/** wpool_finish_end() - see above; the accounts are right, or no task was finished */
static inline void wpool_finish_end(void)
{
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
	__this_cpu_write(wpool_finisher, NULL);
}

/**
 * wpool_finish_settle() - count an IDLE task out and give its token back
 * @pool: the pool
 * @rq: this CPU's run queue
 * @colour: the task's colour
 * @status: as wpool_account_out()
 *
 * Context: any; preemption off since wpool_finish_begin().
 */
static __always_inline void wpool_finish_settle(struct wpool *pool, struct wpool_runq *rq,
						u32 colour, int status)
{
	wpool_account_out(rq, colour, status);
	wpool_waiters_give(pool, rq);
	wpool_finish_end();
}

/**
 * wpool_finish_joinable() - finish a joinable task
 * @pool: the pool
 * @task: the task
 * @from: its present state, RUNNING or CANCELLED
 * @status: as wpool_account_out()
 *
 * If the task was submitted again while it ran, it is queued instead.
 *
 * Context: process context.
 */
void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status);

/**
 * wpool_finish_detached() - finish a task whose memory is no longer ours
 * @pool: the pool
 * @colour: the task's colour
 * @status: as wpool_account_out()
 *
 * Context: process context.
 */
void wpool_finish_detached(struct wpool *pool, u32 colour, int status);

/**
 * wpool_finish_forget() - a thread has died, perhaps in a finish: stop waiting for it
 * @thread: the thread, which never runs again
 *
 * Context: any.
 */
void wpool_finish_forget(struct task_struct *thread);

/**
 * wpool_finish_sync() - wait until the finish of a task has settled its accounts
 * @task: the task; the caller has seen it IDLE
 *
 * Of several submits it is the finish of the last: a thread that submits a task anew
 * without a wait does not learn when the earlier finish is settled.
 *
 * Context: process context; may sleep.
 */
void wpool_finish_sync(const struct wpool_task *task);

/** wpool_finish_sync_all() - the same for all tasks that are counted out; may sleep */
void wpool_finish_sync_all(void);

/**
 * wpool_finish_cancelled() - finish a task that is CANCELLED
 * @pool: the pool
 * @task: the task, taken out of the queues
 *
 * Context: process context.
 */
void wpool_finish_cancelled(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_put_down() - finish a task if it is CANCELLED, otherwise queue it again
 * @pool: the pool
 * @task: the task, taken out of the queues by a cancel. Another thread may have
 *	finished that submit meanwhile, and the task may be pending anew.
 *
 * Context: process context.
 */
void wpool_finish_put_down(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_drop() - finish a queued task as cancelled
 * @pool: the pool
 * @task: a task taken out of the queues
 *
 * Context: process context.
 */
void wpool_finish_drop(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_overdue() - finish a queued task that has waited for longer than max_wait_ms
 * @pool: the pool
 * @task: a task taken out of the queues, not claimed
 *
 * It ends with -ETIME, or, if it was cancelled, with -ECANCELED.
 *
 * Context: process context.
 */
void wpool_finish_overdue(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_sweep() - finish all queued tasks that have waited for longer than that
 * @pool: the pool, to which the caller holds a reference
 *
 * Workers do the same with each task that they take; this is for the tasks that they do not
 * get at.
 *
 * Context: process context; sleeps.
 */
void wpool_finish_sweep(struct wpool *pool);

/** wpool_finish_may_wake() - may this context wake the waiters of a task? */
static inline bool wpool_finish_may_wake(unsigned long irq_flags)
{
	return in_task() && !irqs_disabled_flags(irq_flags) &&
	       (!IS_ENABLED(CONFIG_PREEMPT_RT) || !preempt_count());
}

/**
 * wpool_finish_take_out() - take a task out of the queues and finish it as cancelled
 * @task: the task of an event or of a strand, whose function finds that it was cancelled
 *	and does nothing, or a helper of a loop; the caller keeps its memory
 *
 * Context: process context.
 * Return: true; false if another thread holds the task, or nobody does.
 */
bool wpool_finish_take_out(struct wpool_task *task);

/**
 * wpool_finish_dead() - finish the tasks that a dead worker was inside
 * @w: the worker, whose thread is gone
 *
 * Context: process context.
 */
void wpool_finish_dead(struct wpool_worker *w);

#endif /* WPOOL_TASK_FINISH_H */
