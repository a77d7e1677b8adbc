/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which worker to wake for queued tasks: none if a worker searches, or if one here will soon take
 * the tasks; otherwise one, of this CPU if it has room and the submitter does not keep it from long
 * tasks. And whether a new worker would help, and where.
 */
#ifndef WPOOL_CORE_WAKE_H
#define WPOOL_CORE_WAKE_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/time.h>

#include "core/length.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/state.h"

/*
 * Can the tasks just queued on this CPU be left to its own workers? True if enough of them run or
 * are waking, and the tasks are short, or help was already searched for in this tick: then wake no
 * other worker. @rq: this CPU's run queue. Interrupts are off since the queueing. No barrier is
 * needed: those workers look for work on this CPU, and so see the tasks, see wake.c.
 */
static inline bool wpool_wake_is_needless(const struct wpool *pool, const struct wpool_runq *rq)
{
	/* without hand-off a worker that sleeps counts as running, and only the monitor helps */
	return READ_ONCE(pool->handoff) &&
	       READ_ONCE(rq->nr_running) >= READ_ONCE(pool->concurrency) &&
	       (wpool_runq_is_short(rq, wpool_runq_len(rq)) ||
		/* unless tasks are known to be long, one search for help in a tick is enough */
		(rq->help_jiffy == (u32)jiffies && !wpool_runq_has_long_tasks(rq) &&
		 test_bit(rq->index, pool->offers)));
}

/*
 * Wake a worker, if necessary, for tasks queued on this CPU. @rq: this CPU's run queue. Interrupts
 * are off; the caller has executed a full barrier since the queueing.
 */
void wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq);

/*
 * Let other CPUs take from this queue, too, while its first task is older than a tick: tasks queued
 * here before they were known to be long are older than those in the global queue.
 */
static inline void __wpool_wake_name_left(struct wpool *pool, struct wpool_runq *rq)
{
	u32 name = rq->index + 1, first;
	bool late = wpool_runq_first(rq, &first) && time_before32(first + 1, jiffies);

	/* while a queue is named, each look of all CPUs is a full one */
	if (READ_ONCE(pool->left) == (late ? 0 : name))
		cmpxchg(&pool->left, late ? 0 : name, late ? name : 0);
}

/*
 * Called by a worker that has taken a task. If tasks are still queued, wake an idle worker for them
 * if that helps. Time the task that was taken, unless the next slot had it: once a tick, and in
 * each look if tasks are not known to be short.
 */
static inline void wpool_wake_to_help(struct wpool *pool, struct wpool_runq *rq)
{
	u32 now = jiffies;

	if (unlikely(wpool_runq_has_long_tasks(rq)))
		__wpool_wake_name_left(pool, rq);

	if (unlikely(rq->call_jiffy != now ||
		     (!wpool_runq_has_short_tasks(rq) && !rq->sample.ns)) && !rq->next_streak) {
		WRITE_ONCE(rq->call_jiffy, now);
		wpool_length_start(rq, false);
	}
	if (unlikely(!wpool_wake_is_needless(pool, rq)) && wpool_queues_wait_here(pool, rq))
		wpool_wake_for_push(pool, rq);
}

/*
 * As wpool_wake_for_push(), for a task queued on any CPU. @rq: run queue of that CPU. The task is
 * offered to workers of other CPUs only if no worker of that CPU can be relied on. Interrupts are
 * off; the caller has executed a full barrier since the queueing.
 */
void wpool_wake_for_push_on(struct wpool *pool, struct wpool_runq *rq);

/** wpool_wake_may_spawn_at() - does a CPU have no worker, and may it get one? Racy */
bool wpool_wake_may_spawn_at(struct wpool *pool, struct wpool_runq *rq);

/*
 * Wake a worker if tasks are queued and no worker searches. @rq: run queue of this CPU. The caller
 * makes no room for a worker. If this CPU found no worker to wake earlier in this tick, and no room
 * has been made since, only a worker of this CPU is woken. Interrupts are off. Returns true if a
 * worker was woken or asked for.
 */
bool wpool_wake_for_rest(struct wpool *pool, struct wpool_runq *rq);

/*
 * Note that a worker may find room again, then do wpool_wake_for_rest(). Call it after a worker has
 * parked, blocked, left or moved, or the pool may use a CPU more, and a full barrier. @rq: this
 * CPU's run queue. Interrupts are off. Returns as wpool_wake_for_rest().
 */
bool wpool_wake_if_work(struct wpool *pool, struct wpool_runq *rq);

/*
 * Get a worker for a stalled run queue, from another CPU if possible. @rq: of any CPU. Returns true
 * if a worker was woken or asked for.
 */
bool wpool_wake_rescue(struct wpool_runq *rq);

/*
 * Would one more worker help? It would if there are tasks that no searching or coming worker will
 * take, and a CPU with room for a worker has no idle one. Process context; the caller has executed
 * a full barrier since pool->spawn.work began, or since the rescuer came.
 */
bool wpool_need_worker(struct wpool *pool);

/** wpool_need_worker_at() - where a new worker should be at home: its run queue */
struct wpool_runq *wpool_need_worker_at(struct wpool *pool);

#endif /* WPOOL_CORE_WAKE_H */
