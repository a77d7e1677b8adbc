/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How well a run keeps the order of submits: counts, for each task, the later tasks that started
 * before it. The result is the same on a fast machine and on a slow one.
 *
 * The tasks of one submitter have the order in which it submitted them. A task B of another
 * submitter is later than task A only if A had surely been accepted before the submit of B: A's
 * submitter has made another call by then. So a task that waits for room in the pool is not
 * overtaken by tasks accepted before it.
 */
#ifndef WPOOLCTL_OVERTAKEN_H
#define WPOOLCTL_OVERTAKEN_H

#include "base.h"

/* overtaken_add() ignores further tasks. */
#define OVERTAKEN_MAX_TASKS	1048576U

/* @nr: increases among the tasks of a submitter, maybe with gaps */
struct overtaken_task {
	__u64 submit_ns;
	__u64 start_ns;
	__u64 nr;
	__u32 submitter;
};

struct overtaken {
	__u32 nr;
	__u32 submitters;
	struct overtaken_task *tasks;
};

/*
 * @nr: number of tasks counted; 0: the other members mean nothing
 * @p99: 99 of 100 tasks were overtaken by at most this number of tasks
 * @most: the largest number of tasks that overtook a task
 */
struct overtaken_figures {
	__u32 nr;
	__u32 p99;
	__u32 most;
};

/* Add a task. A struct overtaken of zeros is empty. */
void overtaken_add(struct overtaken *overtaken, const struct overtaken_task *task);

/* Compute the figures, and remove all tasks. */
void overtaken_count(struct overtaken *overtaken, struct overtaken_figures *figures);

#endif /* WPOOLCTL_OVERTAKEN_H */
