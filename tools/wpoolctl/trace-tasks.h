/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks that have started, and not ended, at a point of a trace. */
#ifndef WPOOLCTL_TRACE_TASKS_H
#define WPOOLCTL_TRACE_TASKS_H

#include "trace-events.h"

/* All zero is none. */
struct trace_tasks {
	void *root;
};

/* A task has started. */
void trace_tasks_begin(struct trace_tasks *tasks, const struct trace_event *started);

/* The task has ended: fills in how it started; false if that was before the trace. */
bool trace_tasks_end(struct trace_tasks *tasks, __u32 task, struct trace_event *started);

/* Call @each for those that are left, and forget them. */
void trace_tasks_exit(struct trace_tasks *tasks,
		      void (*each)(const struct trace_event *started, void *arg), void *arg);

#endif /* WPOOLCTL_TRACE_TASKS_H */
