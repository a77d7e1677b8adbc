/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool's own injection points. The first lets the creation of a worker's thread fail, on kernels
 * with CONFIG_FAULT_INJECTION_DEBUG_FS.
 *
 * kthreadd allocates the memory of a new thread, so fail-nth of the thread that asks kthreadd does
 * not count that allocation. Instead wpool_inject_spawn() counts in the asking thread: the kworker
 * of a spawner, or a thread that creates, tunes or reboots a pool with prealloc or reclaim.
 * fail-nth of that thread and the attributes in debugfs apply, as at the kernel's own injection
 * points.
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

/* Return: 0 */
int wpool_inject_init(void);
void wpool_inject_exit(void);

#else

static inline bool wpool_inject_spawn(void)
{
	return false;
}

static inline int wpool_inject_init(void)
{
	return 0;
}

static inline void wpool_inject_exit(void)
{
}

#endif

/*
 * The second injection point is a delay. A test stops a thread between its reads of a task and the
 * exchange of task->state that depends on these reads; meanwhile other threads change the task. Or
 * a test stops a submitter before it sleeps; meanwhile other threads end its wait, and may free its
 * task. Or a test stops a close between two waiters; meanwhile tasks end. Or a test stops a worker
 * in a finish; meanwhile other threads see the task IDLE.
 *
 * The functions and variables from here on are not defined without KUnit: no code that needs them
 * is compiled then.
 */
DECLARE_STATIC_KEY_FALSE(wpool_inject_delays);

/*
 * Set the function that wpool_inject_delay() calls. @fn: the function, called in any context,
 * perhaps with a raw lock held; %NULL for none. When this returns, no call of the old function that
 * had interrupts or preemption off is running. Sleeps.
 */
void wpool_inject_set_delay(void (*fn)(struct wpool_task *task));

void __wpool_inject_delay(struct wpool_task *task);

/** wpool_inject_delay() - to call where a test may stop a thread */
static inline void wpool_inject_delay(struct wpool_task *task)
{
	if (IS_ENABLED(CONFIG_KUNIT) && static_branch_unlikely(&wpool_inject_delays))
		__wpool_inject_delay(task);
}

/*
 * wpool_inject_delay() on the way of each task. Not on user-mode Linux, where this way is measured:
 * there even the test of the key takes time.
 */
static inline void wpool_inject_delay_of_each(struct wpool_task *task)
{
	if (!IS_ENABLED(CONFIG_UML))
		wpool_inject_delay(task);
}

/*
 * The third injection point sets where counters that wrap start: at 0, or for a test just below a
 * wrap. Readers compare most counters by difference, or with a recent value, so a wrap has no
 * effect: ring head and tail, fifo->popped, rq->shared_end, rq->tick, flushes_begun, wq->epoch,
 * workers.nr_waits, workers.nr_lifted. The others:
 *
 *   counter                  a wrap
 *   rq->turn_end, turn_tick  may change the order within a tick, if there was no turn for 2^31
 *                            tasks or looks
 *   nr_closes                has no effect: 2^32 closes, each with a grace period, would have to
 *                            come while one submitter waits
 *   pool->cgroup_nr          leaves out 0, the value of new workers. A worker that is in one task
 *                            for exactly 65,535 changes misses them until the next change
 *   group->epoch             may hide a cancel: a task that is queued for exactly 2^32 cancels is
 *                            not cancelled
 *
 * Some wraps need no such start, because tests meet them anyway: jiffies in 32 bits start five
 * minutes below a wrap, and the lower half of ns, in task->submit_ns, wraps every four seconds.
 * admission.base, and all that it is compared with, is modulo 2^32. The counts in task->state
 * and work->disabled are of calls that must be undone: 2^24 or 2^31 of them at once
 * are an error of the caller.
 */
/* A module parameter, also set by tests: where counters of new pools, groups, queues start. */
extern unsigned int wpool_inject_start;

/** wpool_counter_start() - where a counter that wraps starts; cast to s32 for a wider counter */
static inline u32 wpool_counter_start(void)
{
	return IS_ENABLED(CONFIG_KUNIT) ? READ_ONCE(wpool_inject_start) : 0;
}

#endif /* WPOOL_INJECT_H */
