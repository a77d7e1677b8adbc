/* SPDX-License-Identifier: GPL-2.0 */
/* Submitting: what other files of wpool need, besides the exported functions. */
#ifndef WPOOL_TASK_SUBMIT_H
#define WPOOL_TASK_SUBMIT_H

#include <linux/types.h>

struct wpool;
struct wpool_task;

/*
 * Submit a task that is claimed already, as wpool_task_claim() leaves it; after an error it is
 * unclaimed. @state: task state to sleep in; 0: as wpool_try_submit(). @waited: the caller has
 * waited in a group, and is let in if the pool was closed to others since.
 */
int wpool_submit_claimed(struct wpool *pool, struct wpool_task *task, unsigned int state,
			 bool waited);

/* As wpool_try_submit_on(), but no task is dropped for it, and no refusal is counted. */
int wpool_submit_if_room_on(struct wpool *pool, int cpu, struct wpool_task *task);

/* As wpool_submit_on(), but every signal ends its wait. */
int wpool_submit_interruptible_on(struct wpool *pool, int cpu, struct wpool_task *task);

/*
 * Submit the task of an event that has fired, or of a strand: it is PENDING, and is accepted now,
 * or when its turn comes in the line. If the pool is closed, as wpool_waiters_join(). The task may
 * be gone on return. Interrupts are off.
 */
void wpool_submit_event(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_TASK_SUBMIT_H */
