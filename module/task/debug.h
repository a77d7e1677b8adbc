/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks, and what is built on them, as objects that CONFIG_DEBUG_OBJECTS watches, see debug.c.
 * Without that option these functions are empty.
 */
#ifndef WPOOL_TASK_DEBUG_H
#define WPOOL_TASK_DEBUG_H

#include <linux/debugobjects.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

struct wpool_task;

/*
 * Define kind##_descr, the description of a kind of objects. kind##_hint() returns the function
 * that names an object; debug_end_##kind(), after the report, ends an object that is in use, as far
 * as the context allows. More members of the description may follow.
 */
#define WPOOL_DEBUG_KIND(kind, ...)							\
static const struct debug_obj_descr kind##_descr;					\
static bool kind##_fixup_init(void *addr, enum debug_obj_state state)			\
{											\
	return wpool_debug_fixup(addr, state, &kind##_descr, debug_end_##kind, true);	\
}											\
static bool kind##_fixup_free(void *addr, enum debug_obj_state state)			\
{											\
	return wpool_debug_fixup(addr, state, &kind##_descr, debug_end_##kind, false);	\
}											\
static const struct debug_obj_descr kind##_descr = {					\
	.name		= "wpool_" #kind,						\
	.debug_hint	= kind##_hint,							\
	.fixup_init	= kind##_fixup_init,						\
	.fixup_free	= kind##_fixup_free,						\
	__VA_ARGS__									\
}

/* Without that option, what follows is not defined: the compiler leaves out each use of it. */
extern const struct debug_obj_descr *const wpool_task_descr;

bool wpool_debug_fixup(void *addr, enum debug_obj_state state,
		       const struct debug_obj_descr *descr, void (*end)(void *addr), bool again);

/** wpool_debug_init_object() - an object is about to be initialised; reports one in use */
static inline void wpool_debug_init_object(void *addr, const struct debug_obj_descr *descr)
{
	if (object_is_on_stack(addr))
		debug_object_init_on_stack(addr, descr);
	else
		debug_object_init(addr, descr);
}

/** wpool_debug_init() - a task is about to be initialised; reports one that is in use */
static inline void wpool_debug_init(struct wpool_task *task)
{
	wpool_debug_init_object(task, wpool_task_descr);
}

/** wpool_debug_assert_init() - a task is submitted; reports one that was never initialised */
static inline void wpool_debug_assert_init(struct wpool_task *task)
{
	debug_object_assert_init(task, wpool_task_descr);
}

/** wpool_debug_activate() - a task was claimed by its submitter, and is in use from now on */
static inline void wpool_debug_activate(struct wpool_task *task)
{
	debug_object_activate(task, wpool_task_descr);
}

/** wpool_debug_deactivate() - a task is about to be given back to its owner */
static inline void wpool_debug_deactivate(struct wpool_task *task)
{
	debug_object_deactivate(task, wpool_task_descr);
}

#endif /* WPOOL_TASK_DEBUG_H */
