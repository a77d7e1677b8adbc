// SPDX-License-Identifier: GPL-2.0
/* The running tasks at a point of a trace: a tree ordered by task number. */
#include "trace.h"

#include <search.h>

#include "alloc.h"

static int compare(const void *a, const void *b)
{
	const struct trace_event *left = a, *right = b;

	return left->task < right->task ? -1 : left->task > right->task;
}

void trace_tasks_begin(struct trace_tasks *tasks, const struct trace_event *started)
{
	struct trace_event **found = tfind(started, &tasks->root, compare), *copy;

	if (found) {
		/* the end of the earlier task with this number was lost */
		**found = *started;
		return;
	}
	copy = alloc_zeroed(1, sizeof(*copy));
	*copy = *started;
	alloc_checked(tsearch(copy, &tasks->root, compare));
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
