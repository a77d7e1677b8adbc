/* SPDX-License-Identifier: GPL-2.0 */
/* Running tasks: in a worker, nested inside another task of a worker, and in a submitter. */
#ifndef WPOOL_TASK_RUN_H
#define WPOOL_TASK_RUN_H

struct wpool;
struct wpool_task;
struct wpool_worker;

/* Run a task taken out of the queues, and then further ones until a full look for work is due. */
void wpool_run(struct wpool_worker *w, struct wpool_task *task);

/* Run a joinable task, taken out of the queues, inside the task that the worker runs. */
void wpool_run_inside(struct wpool_worker *w, struct wpool_task *task);

/*
 * Policy run: run a claimed task in its submitter, without a token. Returns 0; -EAGAIN if too
 * little stack is left; -ESHUTDOWN; -ECANCELED; -ENOENT for an item if the pool's owner is being
 * unloaded. After an error the task is still claimed.
 */
int wpool_run_in_submitter(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_TASK_RUN_H */
