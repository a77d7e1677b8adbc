/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running tasks: in a worker, nested inside another task of a worker, and in a
 * submitter.
 */
#ifndef WPOOL_TASK_RUN_H
#define WPOOL_TASK_RUN_H

struct wpool;
struct wpool_task;
struct wpool_worker;

/**
 * wpool_run() - run a task, and then those that need no full look for work
 * @w: the calling worker
 * @task: a task taken out of the queues
 *
 * Context: the worker, interrupts on, inside no task.
 */
void wpool_run(struct wpool_worker *w, struct wpool_task *task);

/**
 * wpool_run_inside() - run a task nested inside the one that the worker runs
 * @w: the calling worker
 * @task: a joinable task, taken out of the queues
 *
 * Context: the worker, inside a task, interrupts on.
 */
void wpool_run_inside(struct wpool_worker *w, struct wpool_task *task);

/**
 * wpool_run_in_submitter() - run a claimed task in its submitter: policy run
 * @pool: the pool
 * @task: the task; it has no token and is not outstanding
 *
 * Context: process context.
 * Return: 0; -EAGAIN if too little stack is left; -ECANCELED if the task was
 * cancelled. After an error it is still claimed.
 */
int wpool_run_in_submitter(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_TASK_RUN_H */
