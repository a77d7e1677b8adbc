/* SPDX-License-Identifier: GPL-2.0 */
/* Submitting: the functions, besides the exported ones, that other files of wpool need. */
#ifndef WPOOL_TASK_SUBMIT_H
#define WPOOL_TASK_SUBMIT_H

#include <linux/types.h>

struct wpool;
struct wpool_task;

/*
 * Submit a task that is claimed already, as wpool_task_claim() leaves it; after an error it is
 * unclaimed. @state: task state to sleep in; 0: as wpool_try_submit(). @waited: the caller has
 * waited in a group; then the task is accepted even if the pool was closed to others meanwhile.
 */
int wpool_submit_claimed(struct wpool *pool, struct wpool_task *task, unsigned int state,
			 bool waited);

/*
 * As wpool_submit_on(), but waits in task state @state. 0: as wpool_try_submit_on(), but drops no
 * other task, and does not count a refusal.
 */
int wpool_submit_on_state(struct wpool *pool, int cpu, struct wpool_task *task, unsigned int state);

/*
 * Submit the task of an event that has fired, or of a strand; it is in no queue. It is accepted
 * now, or when its turn comes among the waiters; if the pool is closed, see wpool_waiters_join().
 * @cpu: where to queue it if it is accepted now, or -1: here. On return the task may be gone.
 * Interrupts are off.
 */
void wpool_submit_event(struct wpool *pool, struct wpool_task *task, int cpu);

#endif /* WPOOL_TASK_SUBMIT_H */
