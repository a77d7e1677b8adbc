/* SPDX-License-Identifier: GPL-2.0 */
/* Submitting: what other files of wpool need, besides the exported functions. */
#ifndef WPOOL_TASK_SUBMIT_H
#define WPOOL_TASK_SUBMIT_H

#include <linux/types.h>

struct wpool;
struct wpool_task;

/**
 * wpool_submit_claimed() - hand over a task that is claimed already
 * @pool: the pool
 * @task: the task, as wpool_task_claim() leaves it; after an error it is unclaimed
 * @state: task state to sleep in, and then as wpool_submit(); 0: as wpool_try_submit()
 * @waited: the caller has waited in a group: it is let in if the pool was closed to others since
 *
 * Context: as those.
 * Return: as those, but for the results of a claim.
 */
int wpool_submit_claimed(struct wpool *pool, struct wpool_task *task, unsigned int state,
			 bool waited);

/**
 * wpool_submit_if_room_on() - as wpool_try_submit_on(), but no task is dropped for it, and no
 *	refusal counted
 * @pool: the pool
 * @cpu: a possible CPU
 * @task: the task
 *
 * Context: as wpool_try_submit().
 * Return: as wpool_try_submit_on().
 */
int wpool_submit_if_room_on(struct wpool *pool, int cpu, struct wpool_task *task);

/**
 * wpool_submit_waiting_on() - as wpool_submit_on(), but the task never runs in its submitter
 * @pool: the pool
 * @cpu: a possible CPU
 * @task: the task
 *
 * Context: process context; sleeps, killable, unless the policy is %WPOOL_FAIL.
 * Return: as wpool_submit_on().
 */
int wpool_submit_waiting_on(struct wpool *pool, int cpu, struct wpool_task *task);

/**
 * wpool_submit_interruptible_on() - as wpool_submit_on(), but every signal ends its wait
 * @pool: the pool
 * @cpu: a possible CPU
 * @task: the task
 *
 * Context: process context; sleeps, interruptible.
 * Return: as wpool_submit_on().
 */
int wpool_submit_interruptible_on(struct wpool *pool, int cpu, struct wpool_task *task);

/**
 * wpool_submit_event() - hand over the task of an event that has fired, or of a strand
 * @pool: the pool
 * @task: the task, PENDING; it is accepted now, or when its turn comes in the line
 *
 * If the pool is closed: as wpool_waiters_join(). The task may be gone on return.
 *
 * Context: any except NMI; interrupts off.
 */
void wpool_submit_event(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_TASK_SUBMIT_H */
