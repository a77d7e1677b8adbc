/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The global queue of a pool. A full ring spills to it, a ring that no worker serves is
 * emptied to it, and each CPU takes from it in proportion to its length. A list under a
 * lock; a task can be taken out of its middle. It uses only a task's node, and one bit
 * beside the address in the task's pool.
 */
#ifndef WPOOL_GLOBQ_H
#define WPOOL_GLOBQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct wpool;
struct wpool_task;

/*
 * In task->pool, beside the address: the task is in the global queue of that pool. One
 * word, so that a read cannot combine the pool of one stay with the bit of another.
 */
#define WPOOL_TASK_IN_GLOBQ	1UL

/**
 * struct wpool_globq - the queue
 * @lock: protects the other fields, and node and pool of each task in @tasks; raw:
 *	submitters whose ring is full take it with interrupts off
 * @tasks: first in, first out
 * @nr: length of @tasks; workers that look for a task read it without the lock
 * @popped: how many tasks have been taken from the front; tells the monitor whether
 *	the queue moves
 */
struct wpool_globq {
	raw_spinlock_t lock;
	struct list_head tasks;
	u32 nr;
	u32 popped;
};

/** wpool_globq_init() - make a queue empty */
void wpool_globq_init(struct wpool_globq *gq);

/** wpool_globq_len() - how many tasks a queue holds: a glance without the lock */
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
 * wpool_globq_push_first() - put tasks that are older than the others at the front
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
 * wpool_globq_remove() - take a given task out of the queue
 * @pool: the pool
 * @gq: its queue
 * @task: a task whose memory is valid; it may have left the pool
 *
 * Context: any, interrupts off.
 * Return: true if it was in the queue.
 */
bool wpool_globq_remove(struct wpool *pool, struct wpool_globq *gq, struct wpool_task *task);

#endif /* WPOOL_GLOBQ_H */
