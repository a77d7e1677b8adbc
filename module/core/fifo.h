/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A list of tasks under a lock, first in, first out: the global queue of a pool, its urgent tasks,
 * and the backlog of each ring. A task can be taken out of the middle. A list uses only these
 * fields of a task: node; pool, which names the list while the task is in it; jiffy and submit_ns,
 * when the task was queued.
 */
#ifndef WPOOL_CORE_FIFO_H
#define WPOOL_CORE_FIFO_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wpool.h>

/*
 * A bit of task->pool. If it is set, the other bits are the address of the struct wpool_fifo that
 * holds the task, rather than of its pool. Bit and address are one word, so one read gets both.
 */
#define WPOOL_TASK_IN_FIFO	1UL

/* How many tasks of a list a search visits at most, since interrupts are off meanwhile. */
#define WPOOL_FIFO_MAX_PASSED	256U

struct wpool_fifo {
	/* protects the fields below, and node and pool of @tasks; raw: taken with interrupts off */
	raw_spinlock_t lock;
	u32 nr;	/* length of @tasks; workers that look for a task read it without the lock */
	/* how many tasks were taken, except by wpool_fifo_remove(), less those put back in front */
	u32 popped;
	u32 jiffy;	/* when the first task was queued, if there is one */
	struct list_head tasks;
	struct wpool *pool;	/* the pool of all @tasks; constant */
};

/*
 * Note when a task is queued. @exact: also in ns: task->submit_ns is the lower half of that time,
 * and task->jiffy gives the upper half. Otherwise task->submit_ns is 0.
 */
static inline void wpool_task_stamp(struct wpool_task *task, bool exact)
{
	task->jiffy = jiffies;
	task->submit_ns = unlikely(exact) ? ktime_get_mono_fast_ns() | 1 : 0;
}

/** wpool_task_submit_ns() - when a task was queued, in ns as ktime_get_mono_fast_ns(), or 0 */
u64 wpool_task_submit_ns(const struct wpool_task *task);

/** wpool_fifo_init() - set up zeroed memory; a list outlives its last task by a grace period */
void wpool_fifo_init(struct wpool_fifo *fifo, struct wpool *pool);

/** wpool_fifo_len() - how many tasks a list holds: racy, without the lock */
static inline u32 wpool_fifo_len(const struct wpool_fifo *fifo)
{
	return READ_ONCE(fifo->nr);
}

/** wpool_fifo_first() - when was the first task queued? Racy; false if there is none */
static inline bool wpool_fifo_first(const struct wpool_fifo *fifo, u32 *jiffy)
{
	*jiffy = READ_ONCE(fifo->jiffy);
	return wpool_fifo_len(fifo);
}

/*
 * Append tasks; interrupts off. Returns what fifo->popped will be when all of @tasks are taken, if
 * wpool_fifo_remove() takes none.
 */
u32 wpool_fifo_push(struct wpool_fifo *fifo, struct wpool_task *const *tasks, u32 nr);

/* Put tasks at the front; they are older than all tasks in the list. Interrupts are off */
void wpool_fifo_push_first(struct wpool_fifo *fifo, struct wpool_task *const *tasks, u32 nr);

/* Take up to @max tasks from the front. Interrupts are off. Returns how many were taken. */
u32 wpool_fifo_pop(struct wpool_fifo *fifo, struct wpool_task **tasks, u32 max);

/* Not inline: if the callers took the address of a task, they would get a stack protector. */
struct wpool_task *__wpool_fifo_pop_first(struct wpool_fifo *fifo);

/** wpool_fifo_pop_first() - take the first task, or return NULL; any context */
static inline struct wpool_task *wpool_fifo_pop_first(struct wpool_fifo *fifo)
{
	return unlikely(wpool_fifo_len(fifo)) ? __wpool_fifo_pop_first(fifo) : NULL;
}

/*
 * Take the first task that was submitted in a period. @from: when the period begins, at least 1,
 * because a task without a time has 0; @ns: when the period ends, exclusive. Tasks moved here from
 * a ring may be younger than those behind them. Interrupts are off. Returns the task, or NULL.
 */
struct wpool_task *wpool_fifo_pop_older(struct wpool_fifo *fifo, u64 from, u64 ns);

/*
 * Take a given task out of its list. @task: its memory is valid, but it may have left the pool.
 * Interrupts are off. Returns true if the task was in a list of @pool.
 */
bool wpool_fifo_remove(struct wpool *pool, struct wpool_task *task);

#endif /* WPOOL_CORE_FIFO_H */
