/* SPDX-License-Identifier: GPL-2.0 */
/* The fork-join tree: a workload whose nodes are tasks of their own. */
#ifndef WPOOL_WORKTREE_H
#define WPOOL_WORKTREE_H

struct wpool_workload;

/*
 * Run a tree and wait for all of it. @load: the run; the calling task is the root. Every node
 * submits its children and waits for them; a leaf uses the CPU. A parent runs a child itself if the
 * pool does not accept it. Process context, in a task of the run's pool; sleeps. Returns 0;
 * -ECANCELED if the run was stopped; or an error of wpool_task_wait() for a node.
 */
int wpool_worktree_run(struct wpool_workload *load);

#endif /* WPOOL_WORKTREE_H */
