/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the tasks of a run queue run: an estimate, which decides whether to wake a worker of
 * another CPU for them.
 *
 * Waking a worker of another CPU, and moving tasks there, takes as long as many short tasks. If
 * all tasks of a run queue together take less, only its own worker runs them, as long as that
 * worker takes one task after the other.
 *
 * Once a tick one task is timed, from the look that takes it to the next look: not one from the
 * next slot, but if a short task has left one there, that one is timed instead. So a short task
 * does not hide a long one that it leaves there, or that left it there. If it was short, all tasks
 * up to the next full look (worker.c) are timed together. If another worker looks next, a task has
 * slept: a single task is counted as long, a timing of several is dropped. A timing is also dropped
 * if the worker was switched out. Without an estimate, tasks get help at once. While tasks are not
 * known to be short, each one outside the next slot is timed. A short task now and then does not
 * make long ones count as short.
 *
 * Tasks that are not known to be short wait in the global queue, for the first worker of any CPU.
 * So they start in their order. The queue's lock costs little compared with a long task.
 */
#ifndef WPOOL_CORE_LENGTH_H
#define WPOOL_CORE_LENGTH_H

#include <linux/jiffies.h>

#include "core/runqs.h"
#include "core/state.h"

/* A run queue gets help from another CPU if its queued tasks take longer than this. */
#define WPOOL_HELP_NS	(20 * NSEC_PER_USEC)

/** wpool_length_set() - set the estimate, in ns; %U32_MAX: unknown */
void wpool_length_set(struct wpool_runq *rq, u32 ns);

/*
 * If no worker has run tasks here lately, take the pool's estimate. @rq: this CPU's run queue;
 * tasks submitted here have run, and were timed, on other CPUs. Interrupts are off.
 */
void wpool_length_adopt(struct wpool_runq *rq);

/*
 * Time the task that is taken in this look. @rq: rq->tick counts this look; @is_run: time all tasks
 * up to the next full look. Context: a worker on this CPU, interrupts off. The next look, or the
 * next full one, must call wpool_length_end().
 */
void wpool_length_start(struct wpool_runq *rq, bool is_run);

/** wpool_length_end() - end the timing, in the next look; context as wpool_length_start() */
void wpool_length_end(struct wpool_runq *rq);

/** wpool_runq_has_short_tasks() - is a task known to take less time than waking a worker? */
static inline bool wpool_runq_has_short_tasks(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->estimate.task_ns) < WPOOL_HELP_NS;
}

/** wpool_runq_has_long_tasks() - is a task known to take longer than waking a worker? */
static inline bool wpool_runq_has_long_tasks(const struct wpool_runq *rq)
{
	u32 ns = READ_ONCE(rq->estimate.task_ns);

	return ns >= WPOOL_HELP_NS && ns != U32_MAX;
}

/*
 * Has a worker at home here looked for a task, or been woken, within the last tick?
 * Otherwise the worker may wait for its CPU, or be in a long task.
 */
static inline bool __wpool_runq_is_fresh(const struct wpool_runq *rq)
{
	u32 now = jiffies;

	/* a stamp may be one tick later than @now */
	return now + 1 - READ_ONCE(rq->call_jiffy) <= 2 || now + 1 - READ_ONCE(rq->wake_jiffy) <= 2;
}

/* Will @nr queued tasks be done before another CPU's worker could help? @rq: of any CPU. Racy. */
static inline bool wpool_runq_is_short(const struct wpool_runq *rq, u32 nr)
{
	return nr < READ_ONCE(rq->estimate.help_len) && __wpool_runq_is_fresh(rq);
}

#endif /* WPOOL_CORE_LENGTH_H */
