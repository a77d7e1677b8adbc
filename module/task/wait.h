/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for a task in two halves, for the calls that cancel it in between. */
#ifndef WPOOL_TASK_WAIT_H
#define WPOOL_TASK_WAIT_H

struct wpool_task;

/**
 * wpool_wait_begin() - may the calling thread wait for a task?
 * @task: a task that is not detached
 *
 * Context: process context.
 * Return: 0; -EDEADLK if the thread runs the task.
 */
int wpool_wait_begin(struct wpool_task *task);

/**
 * wpool_wait_end() - wait until a task is idle, and help it along
 * @task: a task that is not detached
 *
 * Context: process context; sleeps.
 * Return: the status of the task; -EINTR, -EDEADLK as wpool_task_wait().
 */
int wpool_wait_end(struct wpool_task *task);

#endif /* WPOOL_TASK_WAIT_H */
