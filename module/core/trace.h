/* SPDX-License-Identifier: GPL-2.0 */
/* The code behind the tracepoints of tasks, which include/trace/events/wpool.h defines. */
#ifndef WPOOL_CORE_TRACE_H
#define WPOOL_CORE_TRACE_H

#include <linux/container_of.h>
#include <linux/init.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>
#include <trace/events/wpool.h>

struct wpool_runq;

/** wpool_trace_is_running() - are the starts or the ends of tasks traced? */
static inline bool wpool_trace_is_running(void)
{
	return trace_wpool_task_started_enabled() || trace_wpool_task_finished_enabled();
}

/*
 * Where a task stores the function of its owner. @flags: the flags of the task, which the caller
 * has read earlier, because the task may be gone by now.
 */
static inline void **wpool_trace_func_at(const struct wpool_task *task, u8 flags)
{
	if (flags & WPOOL_TASK_STRAND)
		return (void **)&container_of(task, struct wpool_strand_task, task)->func;
	if (flags & WPOOL_TASK_EVENT)
		return (void **)&container_of(task, struct wpool_event, task)->func;
	if (flags & WPOOL_TASK_GROUP)
		return (void **)&container_of(task, struct wpool_group_task, task)->func;
	return (void **)&task->func;
}

/** wpool_trace_func() - the owner's function that a task runs, or @parallel of a strand's task */
static inline void *wpool_trace_func(const struct wpool_task *task)
{
	const struct wpool_strand_task *turn = container_of(task, struct wpool_strand_task, task);

	if (task->flags & WPOOL_TASK_STRAND && turn->is_apart)
		return turn->parallel;
	return *wpool_trace_func_at(task, task->flags);
}

/** wpool_trace_submitted() - stamp and trace an accepted task, before it is pushed */
void wpool_trace_submitted(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task);

/** wpool_trace_init() - make the key of the ids, before any task */
void wpool_trace_init(void);

#endif /* WPOOL_CORE_TRACE_H */
