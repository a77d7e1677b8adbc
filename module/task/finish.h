/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a task finishes. In a thread, with preemption off:
 *
 *   wpool_finish_begin()    announces the finish on this CPU, which task->cpu names
 *   the change to IDLE      the last touch of the task
 *   wpool_finish_settle()   counts the task out, gives its token back, and ends the announcement
 *
 * Barrier pair:
 *
 *   finish:A  this CPU's finisher is set, barrier, the change to IDLE (fully ordered), the
 *             accounts, barrier, the finisher is cleared <-> wpool_finish_sync(): a thread that has
 *             seen IDLE waits until the finisher that it finds on the task's CPU is gone. Then the
 *             thread sees the accounts and the token that came free. Without the barriers the
 *             thread could return before the task is counted out.
 *
 * So a wait for the task returns only when the accounts are right (finish:A). A flush reads the
 * accounts, which change after the last touch of the task, so the flush returns only after that
 * touch, too.
 */
#ifndef WPOOL_TASK_FINISH_H
#define WPOOL_TASK_FINISH_H

#include "core/state.h"
#include "task/state.h"
#include "task/waiters.h"

/* The thread that is in a finish on this CPU; only compared, never followed. */
DECLARE_PER_CPU(struct task_struct *, wpool_finisher);

/** wpool_finish_begin() - announce a finish, see above; in a thread, never in an interrupt */
static inline void wpool_finish_begin(void)
{
	__this_cpu_write(wpool_finisher, current);
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
}

/** wpool_finish_end() - end the announcement: the accounts are right, or no task was finished */
static inline void wpool_finish_end(void)
{
	/* finish:A, pairs with wpool_finish_sync() */
	smp_wmb();
	__this_cpu_write(wpool_finisher, NULL);
}

/*
 * Count an IDLE task out and give its token to the first waiter, or back: see wpool_waiters_give().
 * Preemption is off since wpool_finish_begin().
 */
static __always_inline void wpool_finish_settle(struct wpool *pool, struct wpool_runq *rq,
						u32 colour, int status)
{
	wpool_account_out(rq, colour, status);
	wpool_waiters_give(pool, rq);
	wpool_finish_end();
}

/* Finish a joinable task that is RUNNING or CANCELLED, or queue it if it was submitted again. */
void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status);

/* Finish a task whose memory no longer belongs to the pool. */
void wpool_finish_detached(struct wpool *pool, u32 colour, int status);

/* A thread has died, perhaps in a finish: wpool_finish_sync() need not wait for it any more. */
void wpool_finish_forget(struct task_struct *thread);

/* A task was seen IDLE: wait until its last finish has settled the accounts, too. May sleep. */
void wpool_finish_sync(const struct wpool_task *task);

/** wpool_finish_sync_all() - wpool_finish_sync() for all tasks that are counted out; may sleep */
void wpool_finish_sync_all(void);

/*
 * For the thread that holds a task: finish a CANCELLED task that is no event, call the abort
 * function of an event that a closed pool did not accept, and put any other back into a queue.
 */
void wpool_finish_put_down(struct wpool *pool, struct wpool_task *task);

/*
 * Finish a task that was taken out of a queue, and is not claimed, with @status; but with
 * -ECANCELED if it was cancelled before.
 */
void wpool_finish_unrun(struct wpool *pool, struct wpool_task *task, int status);

/* Finish all queued tasks that have waited for longer than max_wait_ms; sleeps. */
void wpool_finish_sweep(struct wpool *pool);

/*
 * Finish all queued tasks of a pool released with %WPOOL_RELEASE_CANCEL; sleeps. The workers finish
 * the tasks that they have taken.
 */
void wpool_finish_drop_all(struct wpool *pool);

/** wpool_finish_or_tidy() - wpool_finish_put_down() in any context: here, or in workers/tidy.c */
void wpool_finish_or_tidy(struct wpool *pool, struct wpool_task *task);

/*
 * Take a task out of the queues and finish it as cancelled, @here or as wpool_finish_or_tidy(); its
 * memory must stay. False if another thread holds the task, or it is in no queue.
 */
bool wpool_finish_take_out(struct wpool_task *task, bool here);

/* The thread of a worker is gone: finish the tasks in which it died. */
void wpool_finish_dead(struct wpool_worker *w);

#endif /* WPOOL_TASK_FINISH_H */
