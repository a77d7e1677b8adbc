/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a task finishes if a thread waits for it, if it was submitted again or disabled, if it does
 * not run, or if its worker dies. run.c has the plain case, state.h the steps of all cases.
 */
#ifndef WPOOL_TASK_FINISH_H
#define WPOOL_TASK_FINISH_H

#include "core/state.h"
#include "task/state.h"

/* Finish a joinable task that is RUNNING or CANCELLED, or queue it if it was submitted again. */
void wpool_finish_joinable(struct wpool *pool, struct wpool_task *task,
			   int from, int status);

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
