/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool's own fault injection points. The first lets the creation of a worker's thread fail, on
 * kernels with CONFIG_FAULT_INJECTION_DEBUG_FS.
 *
 * kthreadd allocates the memory of a new thread, so fail-nth of the thread that asks for it does
 * not count that allocation. Instead wpool_inject_spawn() counts in the asking thread: the creator
 * of a preallocated pool, otherwise the kworker of a spawner. fail-nth of that thread and the
 * attributes in debugfs apply, as at the kernel's own injection points.
 */
#ifndef WPOOL_INJECT_H
#define WPOOL_INJECT_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct wpool_task;

#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

/* Must the creation of a worker's thread fail? Process context */
bool wpool_inject_spawn(void);

/** wpool_inject_init() - create the attributes; Context: process context */
void wpool_inject_init(void);

/** wpool_inject_exit() - remove the attributes; Context: process context */
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
 * The second injection point is a delay: the tests stop a thread between its reads of a task and
 * the exchange of task->state that depends on these reads, while other threads change the task; or
 * a submitter before it sleeps, while other threads end its wait, and may free its task.
 */
#if IS_ENABLED(CONFIG_KUNIT)

DECLARE_STATIC_KEY_FALSE(wpool_inject_delays);

/*
 * Set the function that wpool_inject_delay() calls. @fn: the function, called in any context,
 * perhaps with a raw lock held; %NULL for none. When this returns, no call of the old function that
 * had interrupts off is running. Sleeps.
 */
void wpool_inject_set_delay(void (*fn)(struct wpool_task *task));

/** __wpool_inject_delay() - slow part of wpool_inject_delay() */
void __wpool_inject_delay(struct wpool_task *task);

/** wpool_inject_delay() - the state of a task is exchanged next, or its submitter sleeps next */
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

/*
 * The third point sets where counters that wrap start: at 0, or for a test just below a wrap.
 *
 *   counter              wraps after            read by, and what a wrap does
 *   ring head, tail      2^32 tasks of a CPU    differences; a consumer that holds an old head has
 *                                               preemption off: nothing
 *   fifo->popped         2^32 tasks of a list   differences, the monitor's marks: nothing
 *   rq->shared_end       as popped              differences: nothing
 *   rq->tick             2^32 looks of a CPU    equality, differences of two in a row: nothing
 *   rq->turn_end, turn_tick  as popped, tick    differences; if the last turn was 2^31 of them ago:
 *                                               the order within a tick
 *   nr_closes            2^32 closes            equality while a guest waits; each takes a grace
 *                                               period: nothing
 *   pool->cgroup_nr      65,535 changes         equality; new workers have 0; no change gives 0.
 *                                               A worker that is in one task for 65,535 changes,
 *                                               exactly, misses them until the next change
 *   group->epoch         2^32 cancels           equality; a task that is queued for 2^32 cancels,
 *                                               exactly, is not cancelled
 *   wq->epoch            2^32 or 2^64 flushes   signed differences: nothing
 *   last_id of queues    2^31 queues            a number comes again if it is free: nothing
 *
 * Other numbers that wrap need no start. Jiffies in 32 bits: the kernel starts five minutes below
 * their wrap; of two tasks queued 2^31 jiffies apart, the younger one may start first.
 * task->submit_ns: the lower half of ns wraps each four seconds, and the jiffy gives the rest.
 * admission.base, and all that it is compared with, is modulo 2^32. 64 bits are enough for 500
 * years of ns. The counts in task->state, event->state and work->disabled count calls that must be
 * undone: 2^24 or 2^31 of them at once are an error of the caller.
 */
#if IS_ENABLED(CONFIG_KUNIT)

/* The start for pools and tasks made from now on: a module parameter; tests set it, too. */
extern unsigned int wpool_inject_start;

/** wpool_counter_start() - where a counter that wraps starts; cast to s32 for a wider counter */
static inline u32 wpool_counter_start(void)
{
	return READ_ONCE(wpool_inject_start);
}

#else

static inline u32 wpool_counter_start(void)
{
	return 0;
}

#endif

#endif /* WPOOL_INJECT_H */
