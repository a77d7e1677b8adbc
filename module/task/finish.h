/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ends of a task. A finish, in a thread, with preemption off:
 *
 *   wpool_finish_begin()    from here on others can see that one is under way
 *   the change to IDLE      the last touch of the task
 *   wpool_finish_settle()   counted out, its token given back; nothing is under
 *                           way any more
 *
 * and then, with interrupts on, wpool_account_wake() if settle says so.
 *
 * Barrier pair:
 *
 *   finish:A  this CPU's finisher set, barrier, the change to IDLE (fully
 *             ordered), the accounts, barrier, no finisher
 *             <-> wpool_finish_sync(): whoever has seen IDLE waits until the
 *             finishers that it finds are gone, and then sees the accounts and
 *             the token that came free.
 *
 * Two waits in one direction each: a waiter on the task returns only when the
 * accounts are right (finish:A), a flusher that reads the accounts returns only
 * after the last touch of the task (the accounts come after it).
 */
#ifndef WPOOL_FINISH_H
#define WPOOL_FINISH_H

#include <linux/percpu.h>
#include <linux/sched.h>

#include "core/state.h"
#include "task/account.h"
#include "task/admission.h"

/* The thread that is in a finish on this CPU; only compared. */
DECLARE_PER_CPU(struct task_struct *, wpool_finisher);

/** wpool_finish_begin() - see above; in a thread, never in an interrupt over one */
static inline void wpool_finish_begin(void)
{
	__this_cpu_write(wpool_finisher, current);
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
}

/** wpool_finish_end() - see above: the accounts are right, or nothing was finished */
static inline void wpool_finish_end(void)
{
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
	__this_cpu_write(wpool_finisher, NULL);
}

/**
 * wpool_finish_settle() - the task is IDLE: count it out, give its token back
 * @pool: the pool
 * @rq: this CPU's run queue
 * @colour: the task's colour
 * @status: as wpool_account_out()
 *
 * Context: any; preemption off since wpool_finish_begin().
 * Return: true if somebody flushes, and wpool_account_wake() is to be called.
 */
static __always_inline bool wpool_finish_settle(struct wpool *pool, struct wpool_runq *rq,
						u32 colour, int status)
{
	u32 attention;

	wpool_account_out(rq, colour, status);
	attention = wpool_admission_give(pool, rq);
	wpool_finish_end();
	return attention & WPOOL_ATT_FLUSH;
}

/**
 * wpool_finish_joinable() - end a joinable task
 * @pool: the pool
 * @task: the task
 * @from: the state that it is in, RUNNING or CANCELLED
 * @status: as wpool_account_out()
 *
 * One that ran and was submitted again meanwhile is queued.
 *
 * Context: process context.
 */
void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status);

/**
 * wpool_finish_detached() - a task has ended whose memory is not ours any more
 * @pool: the pool
 * @colour: the task's colour
 * @status: as wpool_account_out()
 *
 * Context: process context.
 */
void wpool_finish_detached(struct wpool *pool, u32 colour, int status);

/**
 * wpool_finish_forget() - a thread has died, perhaps in a finish: nobody waits for it
 * @thread: the thread, which never runs again
 *
 * Context: any.
 */
void wpool_finish_forget(struct task_struct *thread);

/**
 * wpool_finish_sync() - wait until every finish under way has settled its accounts
 *
 * For those who have seen a task IDLE and go on as if it had never been.
 *
 * Context: process context; may sleep.
 */
void wpool_finish_sync(void);

/**
 * wpool_finish_cancelled() - end a task that is CANCELLED
 * @pool: the pool
 * @task: the task, taken out of the queues
 *
 * Context: process context.
 */
void wpool_finish_cancelled(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_put_down() - end a task if it is CANCELLED, or else queue it again
 * @pool: the pool
 * @task: the task, taken out of the queues by a cancel; somebody else may have
 *	ended that submit meanwhile, and it may be pending anew
 *
 * Context: process context.
 */
void wpool_finish_put_down(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_drop() - end a queued task as cancelled
 * @pool: the pool
 * @task: a task taken out of the queues
 *
 * Context: process context.
 */
void wpool_finish_drop(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_finish_dead() - end the tasks that a dead worker was in
 * @w: the worker, its thread is gone
 *
 * Context: process context.
 */
void wpool_finish_dead(struct wpool_worker *w);

#endif /* WPOOL_FINISH_H */
