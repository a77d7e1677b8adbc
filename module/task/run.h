/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running tasks: in a worker, on top of the task that a worker is in, and in a
 * submitter.
 */
#ifndef WPOOL_RUN_H
#define WPOOL_RUN_H

struct wpool;
struct wpool_task;
struct wpool_worker;

/**
 * wpool_run() - run a task, and those after it that need no closer look
 * @w: the calling worker
 * @task: a task taken out of the queues
 *
 * Context: the worker, interrupts on, in no task.
 */
void wpool_run(struct wpool_worker *w, struct wpool_task *task);

/**
 * wpool_run_inside() - run a task on top of the one that the worker is in
 * @w: the calling worker
 * @task: a joinable task, taken out of the queues
 *
 * Context: the worker, inside a task, interrupts on.
 */
void wpool_run_inside(struct wpool_worker *w, struct wpool_task *task);

/**
 * wpool_run_in_submitter() - run a claimed task where it was submitted: policy run
 * @pool: the pool
 * @task: the task; no token, not outstanding
 *
 * Context: process context.
 * Return: 0; or the task is still claimed: -EAGAIN too little stack is left;
 * -ECANCELED it was cancelled.
 */
int wpool_run_in_submitter(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_RUN_H */
