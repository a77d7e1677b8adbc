/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The global queue of a pool: where a full ring spills to, where a ring is emptied
 * to that nobody serves, and what each CPU goes to in proportion to its length.
 * A list under a lock; a task can be taken out of its middle. It uses a task's
 * node, and a bit beside the address in its pool, and nothing else of it.
 */
#ifndef WPOOL_GLOBQ_H
#define WPOOL_GLOBQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct wpool;
struct wpool_task;

/*
 * In task->pool, beside the address: the task stands in the global queue of that
 * pool. One word, so that a look at it cannot mix up two stays.
 */
#define WPOOL_TASK_IN_GLOBQ	1UL

/**
 * struct wpool_globq - the queue
 * @lock: protects the others and node and pool of each task in @tasks;
 *	raw: taken with interrupts off by every submitter whose ring is full
 * @tasks: first in, first out
 * @nr: length of @tasks; read without the lock by those who look for work
 * @popped: how many were taken from the front so far, for who wonders whether
 *	anybody takes any
 */
struct wpool_globq {
	raw_spinlock_t lock;
	struct list_head tasks;
	u32 nr;
	u32 popped;
};

/** wpool_globq_init() - make a queue empty */
void wpool_globq_init(struct wpool_globq *gq);

/** wpool_globq_len() - how many tasks a queue holds, a glance without the lock */
static inline u32 wpool_globq_len(const struct wpool_globq *gq)
{
	return READ_ONCE(gq->nr);
}

/**
 * wpool_globq_push() - put tasks at the end
 * @gq: the queue
 * @tasks: the tasks
 * @nr: how many
 *
 * Context: any, interrupts off.
 */
void wpool_globq_push(struct wpool_globq *gq, struct wpool_task *const *tasks,
		      u32 nr);

/**
 * wpool_globq_push_first() - put tasks at the front, those that are older than the others
 * @gq: the queue
 * @tasks: the tasks
 * @nr: how many
 *
 * Context: any, interrupts off.
 */
void wpool_globq_push_first(struct wpool_globq *gq, struct wpool_task *const *tasks,
			    u32 nr);

/**
 * wpool_globq_pop() - take tasks from the front
 * @gq: the queue
 * @tasks: room for @max tasks
 * @max: how many at most
 *
 * Context: any, interrupts off.
 * Return: how many were taken.
 */
u32 wpool_globq_pop(struct wpool_globq *gq, struct wpool_task **tasks, u32 max);

/**
 * wpool_globq_remove() - take one task out of wherever it stands
 * @pool: the pool
 * @gq: its queue
 * @task: a task whose memory is there; it may have left the pool
 *
 * Context: any, interrupts off.
 * Return: true if it was in the queue.
 */
bool wpool_globq_remove(struct wpool *pool, struct wpool_globq *gq, struct wpool_task *task);

#endif /* WPOOL_GLOBQ_H */
