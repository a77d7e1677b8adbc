// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_DEBUG_OBJECTS for tasks, after kernel/workqueue.c and lib/debugobjects.c. The
 * kernel warns, with the name "wpool_task" and the task's function, if a task is
 *
 *   initialised      while it is queued or runs
 *   submitted        without ever having been initialised
 *   freed            while it is queued or runs (CONFIG_DEBUG_OBJECTS_FREE)
 *   gone             with the stack it is on, while it is queued or runs: seen by
 *                    wpool_task_destroy_on_stack()
 *
 * A task is active from the submitter's claim until just before the change of state
 * that gives it back: to IDLE, after its function; for a detached task, before it.
 * Whoever makes that change still holds the task, so nobody frees or submits it in
 * between. A running task that is submitted again stays active, or becomes so again
 * before it is queued.
 *
 * After the report, a task that is in use is cancelled, as far as the context allows, and
 * one that was never initialised does nothing, so that the machine goes on. A task that was
 * initialised statically says so itself.
 */
#include "task/debug.h"

#include <linux/debugobjects.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/wpool.h>

static const struct debug_obj_descr task_descr;
static bool (*cancel)(struct wpool_task *task);
static int (*cancel_sync)(struct wpool_task *task);

static void *debug_hint(void *addr)
{
	return ((struct wpool_task *)addr)->func;
}

/* Waits for the task where that is possible: not for a detached one. */
static void debug_take_back(struct wpool_task *task)
{
	if (!preemptible() || cancel_sync(task) == -EINVAL)
		cancel(task);
}

static bool is_static(void *addr)
{
	return ((struct wpool_task *)addr)->flags & WPOOL_TASK_STATIC;
}

static bool fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	debug_take_back(addr);
	debug_object_deactivate(addr, &task_descr);
	wpool_debug_init(addr);
	return true;
}

/* The kernel looks again until the object is gone. */
static bool fixup_free(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	debug_take_back(addr);
	debug_object_deactivate(addr, &task_descr);
	debug_object_free(addr, &task_descr);
	return true;
}

static void do_nothing(struct wpool_task *task)
{
}

static bool fixup_assert_init(void *addr, enum debug_obj_state state)
{
	struct wpool_task *task = addr;

	if (state != ODEBUG_STATE_NOTAVAILABLE)
		return false;
	memset(task, 0, sizeof(*task));
	task->func = do_nothing;
	wpool_debug_init(task);
	return true;
}

static const struct debug_obj_descr task_descr = {
	.name		   = "wpool_task",
	.debug_hint	   = debug_hint,
	.is_static_object  = is_static,
	.fixup_init	   = fixup_init,
	.fixup_free	   = fixup_free,
	.fixup_assert_init = fixup_assert_init,
};

void wpool_debug_setup(bool (*cancel_fn)(struct wpool_task *task),
		       int (*cancel_sync_fn)(struct wpool_task *task))
{
	cancel = cancel_fn;
	cancel_sync = cancel_sync_fn;
}

void wpool_debug_init(struct wpool_task *task)
{
	if (object_is_on_stack(task))
		debug_object_init_on_stack(task, &task_descr);
	else
		debug_object_init(task, &task_descr);
}

void wpool_debug_assert_init(struct wpool_task *task)
{
	debug_object_assert_init(task, &task_descr);
}

void wpool_debug_activate(struct wpool_task *task)
{
	debug_object_activate(task, &task_descr);
}

void wpool_debug_deactivate(struct wpool_task *task)
{
	debug_object_deactivate(task, &task_descr);
}

void wpool_task_destroy_on_stack(struct wpool_task *task)
{
	debug_object_free(task, &task_descr);
}
EXPORT_SYMBOL_GPL(wpool_task_destroy_on_stack);
