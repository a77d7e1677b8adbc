/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks as objects that CONFIG_DEBUG_OBJECTS watches, see debug.c. Without that
 * option all of this is nothing.
 */
#ifndef WPOOL_TASK_DEBUG_H
#define WPOOL_TASK_DEBUG_H

#include <linux/types.h>

struct wpool_task;

#ifdef CONFIG_DEBUG_OBJECTS

/** wpool_debug_setup() - before the first task: how a task that is in use is cancelled */
void wpool_debug_setup(bool (*cancel_fn)(struct wpool_task *task),
		       int (*cancel_sync_fn)(struct wpool_task *task));

/** wpool_debug_init() - a task is about to be initialised; reports one that is in use */
void wpool_debug_init(struct wpool_task *task);

/** wpool_debug_assert_init() - a task is submitted; reports one that was never initialised */
void wpool_debug_assert_init(struct wpool_task *task);

/** wpool_debug_activate() - a task was claimed by its submitter, and is in use from now on */
void wpool_debug_activate(struct wpool_task *task);

/** wpool_debug_deactivate() - a task is about to leave the pool's hands */
void wpool_debug_deactivate(struct wpool_task *task);

#else

static inline void wpool_debug_setup(bool (*cancel_fn)(struct wpool_task *task),
				     int (*cancel_sync_fn)(struct wpool_task *task)) { }
static inline void wpool_debug_init(struct wpool_task *task) { }
static inline void wpool_debug_assert_init(struct wpool_task *task) { }
static inline void wpool_debug_activate(struct wpool_task *task) { }
static inline void wpool_debug_deactivate(struct wpool_task *task) { }

#endif

#endif /* WPOOL_TASK_DEBUG_H */
