/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of a run, by counting: how many tasks that were submitted later started before a task?
 * The result is the same on a fast machine and on a slow one.
 *
 * Of two tasks of one submitter, the order is that in which it handed them over. A task of another
 * submitter counts as later only if the first task had surely been accepted when it was handed
 * over: the submitter of the first task has handed over others since. So a task that waits for room
 * in the pool is not overtaken by tasks that were accepted before.
 */
#ifndef WPOOLCTL_OVERTAKEN_H
#define WPOOLCTL_OVERTAKEN_H

#include <linux/types.h>

/* After this number of tasks, those that end later are left out. */
#define OVERTAKEN_MAX_TASKS	1048576U

/* @nr: the place among the tasks of its submitter, not necessarily without gaps */
struct overtaken_task {
	__u64 submit_ns;
	__u64 start_ns;
	__u64 nr;
	__u32 submitter;
};

struct overtaken {
	__u32 nr;
	struct overtaken_task *tasks;
};

/*
 * @nr: tasks that were looked at; 0: nothing is known
 * @p99: 99 of 100 tasks were not overtaken by more
 * @most: no task was
 * @wait_p99, @wait_max: p99 and maximum of submit to start, divided by what they are if the
 *	first start is that of the first submit, and so on: 1 is first in, first out
 */
struct overtaken_figures {
	__u32 nr;
	__u32 p99;
	__u32 most;
	double wait_p99;
	double wait_max;
};

/* All zero is an empty one. */
void overtaken_add(struct overtaken *overtaken, const struct overtaken_task *task);

/* Sorts the tasks. */
void overtaken_count(struct overtaken *overtaken, struct overtaken_figures *figures);

void overtaken_exit(struct overtaken *overtaken);

#endif /* WPOOLCTL_OVERTAKEN_H */
