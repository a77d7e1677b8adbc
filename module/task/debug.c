// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_DEBUG_OBJECTS for tasks, and for what is built on them, after kernel/workqueue.c and
 * lib/debugobjects.c. The kernel warns, with the name "wpool_task" and the task's function, if a
 * task is
 *
 *   initialised      while it is queued or runs
 *   submitted        without ever having been initialised
 *   freed            while it is queued or runs (CONFIG_DEBUG_OBJECTS_FREE)
 *   gone             with the stack it is on, while it is queued or runs: seen by
 *                    wpool_task_destroy_on_stack()
 *
 * A task is active from the submitter's claim until just before its change to IDLE. A detached task
 * changes to IDLE before its function, any other task afterwards. Until that change no other thread
 * frees or submits the task. A running task that is submitted again stays active, or becomes active
 * again before it is queued.
 *
 * An event is watched as its task, which has the same address: the event is active while its task
 * is in the pool or its function runs. The kernel watches the event's timer, and reports it under
 * the name of event_timer_expired() or hrevent_timer_expired(). A strand is active until it is
 * empty, a group until wpool_group_exit().
 *
 * After the report, a task that is in use is cancelled, as far as the context allows, and a task
 * that was never initialised gets a function that does nothing, so that the machine survives.
 */
#include "task/debug.h"

#include <linux/export.h>
#include <linux/wpool.h>

bool wpool_debug_fixup(void *addr, enum debug_obj_state state,
		       const struct debug_obj_descr *descr, void (*end)(void *addr), bool again)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	/* first: the kernel checks again while the object is active; @end may remove it */
	debug_object_deactivate(addr, descr);
	end(addr);
	if (again)
		wpool_debug_init_object(addr, descr);
	else
		debug_object_free(addr, descr);
	return true;
}

void wpool_task_destroy_on_stack(struct wpool_task *task)
{
	debug_object_free(task, wpool_task_descr);
}
EXPORT_SYMBOL_GPL(wpool_task_destroy_on_stack);
