/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for a task in two halves, for functions that cancel the task in between. */
#ifndef WPOOL_TASK_WAIT_H
#define WPOOL_TASK_WAIT_H

#include <linux/types.h>

struct wpool_task;
struct wpool_worker;

/*
 * Is a task, or a disabled event that was RUNNING, IDLE? If not, set WAITED: its finish wakes the
 * threads that wait.
 */
bool wpool_wait_done(struct wpool_task *task);

/* May the caller wait for a task? Returns 0; -EDEADLK: it runs the task; -EINVAL: not joinable */
int wpool_wait_begin(struct wpool_task *task);

/* Wait until a task is IDLE; a worker may run it meanwhile. Returns as wpool_task_wait(). */
int wpool_wait_end(struct wpool_task *task);

/* @w no longer sleeps for a task of its own pool, if it did. Called by @w, or after its death. */
void wpool_wait_forget(struct wpool_worker *w);

/*
 * Tell lockdep that the caller waits for a task, even if the task has ended: then a cycle is
 * reported whichever side of a race is first.
 */
#ifdef CONFIG_LOCKDEP
void wpool_wait_tell_lockdep(struct wpool_task *task);
#else
static inline void wpool_wait_tell_lockdep(struct wpool_task *task) { }
#endif

#endif /* WPOOL_TASK_WAIT_H */
