/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our own fault injection points. The first: the thread of a worker cannot be created.
 *
 * kthreadd allocates a thread, and fail-nth of the thread that asks for it does not count
 * there. So it is counted here, in the asking thread: fail-nth of a thread that creates a
 * worker (the creator of a preallocated pool, otherwise a spawner), and the attributes in
 * debugfs, as for the kernel's own injection points.
 *
 * Only on kernels with CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#ifndef WPOOL_INJECT_H
#define WPOOL_INJECT_H

#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct wpool_task;

#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

/**
 * wpool_inject_spawn() - shall the creation of this thread fail?
 *
 * Context: process context.
 * Return: true if so.
 */
bool wpool_inject_spawn(void);

/** wpool_inject_init() - create the attributes; Context: process context */
void wpool_inject_init(void);

/** wpool_inject_exit() - remove them; Context: process context */
void wpool_inject_exit(void);

#else

static inline bool wpool_inject_spawn(void)
{
	return false;
}

static inline void wpool_inject_init(void)
{
}

static inline void wpool_inject_exit(void)
{
}

#endif

/*
 * And our own delay: the tests let a thread stand still between its reads of a task and the
 * exchange of task->state that they lead to, while others do what may not come between.
 */
#if IS_ENABLED(CONFIG_KUNIT)

DECLARE_STATIC_KEY_FALSE(wpool_inject_delays);

/**
 * wpool_inject_set_delay() - call a function at that point, or no longer
 * @fn: the function, called with interrupts off and a raw lock held, perhaps; or %NULL: when this
 *	returns, it is not called any more with interrupts off
 *
 * Context: process context; sleeps.
 */
void wpool_inject_set_delay(void (*fn)(struct wpool_task *task));

/** __wpool_inject_delay() - slow part of wpool_inject_delay() */
void __wpool_inject_delay(struct wpool_task *task);

/** wpool_inject_delay() - the state of a task was read, and is exchanged next */
static inline void wpool_inject_delay(struct wpool_task *task)
{
	if (static_branch_unlikely(&wpool_inject_delays))
		__wpool_inject_delay(task);
}

#else

static inline void wpool_inject_delay(struct wpool_task *task)
{
}

#endif

#endif /* WPOOL_INJECT_H */
