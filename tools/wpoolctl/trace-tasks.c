// SPDX-License-Identifier: GPL-2.0
/* The tasks of a trace that run: a tree by their numbers. */
#include "trace-tasks.h"

#include <search.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct trace_event *left = a, *right = b;

	return left->task < right->task ? -1 : left->task > right->task;
}

int trace_tasks_begin(struct trace_tasks *tasks, const struct trace_event *started)
{
	struct trace_event **found = tfind(started, &tasks->root, compare), *copy;

	if (found) {
		/* its end was lost */
		**found = *started;
		return 0;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -1;
	*copy = *started;
	if (tsearch(copy, &tasks->root, compare))
		return 0;
	free(copy);
	return -1;
}

bool trace_tasks_end(struct trace_tasks *tasks, __u32 task, struct trace_event *started)
{
	struct trace_event key = { .task = task }, **found, *copy;

	found = tfind(&key, &tasks->root, compare);
	if (!found)
		return false;
	copy = *found;
	*started = *copy;
	tdelete(&key, &tasks->root, compare);
	free(copy);
	return true;
}

void trace_tasks_exit(struct trace_tasks *tasks,
		      void (*each)(const struct trace_event *started, void *arg), void *arg)
{
	struct trace_event *copy;

	while (tasks->root) {
		copy = *(struct trace_event **)tasks->root;
		if (each)
			each(copy, arg);
		tdelete(copy, &tasks->root, compare);
		free(copy);
	}
}
