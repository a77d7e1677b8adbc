/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which worker to wake for queued tasks: none if a worker searches, or if one here will soon take
 * the tasks; otherwise one, of this CPU if it has room and the submitter does not keep it from long
 * tasks. And whether a new worker would help, and where.
 */
#ifndef WPOOL_CORE_WAKE_H
#define WPOOL_CORE_WAKE_H

#include "core/state.h"

/*
 * Wake a worker, if necessary, for tasks queued on this CPU. @rq: this CPU's run queue. Interrupts
 * are off; the caller has executed a full barrier since the queueing.
 */
void wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq);

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
