/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idle workers: the lists of parked workers, and the picking of one.
 *
 * Each run queue has a list of its parked workers, with the next one to be picked in
 * front. With order lifo the most recently parked worker is picked and the coldest one
 * expires; with fifo the worker that has been idle longest is picked.
 *
 * A worker leaves the list when a thread clears w->parked under runq->lock: a waker, the
 * expiry timer, or the worker itself. workers/park.h says what the worker does before
 * and afterwards.
 */
#ifndef WPOOL_CORE_IDLE_H
#define WPOOL_CORE_IDLE_H

#include "core/state.h"

/** wpool_idle_any() - is a worker parked? Racy */
bool wpool_idle_any(struct wpool *pool);

/**
 * wpool_idle_trim() - clear a CPU's bit in pool->idle_mask, if it has no idle worker
 * @rq: its run queue
 *
 * The bit stays when the last idle worker is woken, as that worker may soon park again. A waker
 * that finds no idle worker there calls this.
 *
 * Context: any; interrupts off.
 */
void wpool_idle_trim(struct wpool_runq *rq);

/** wpool_idle_nr() - how many workers are parked: racy, and too slow for each task */
u32 wpool_idle_nr(struct wpool *pool);

/**
 * wpool_idle_add() - put a worker on its run queue's list: it does not count as running
 * @rq: its run queue
 * @w: the calling worker
 *
 * Context: the worker; interrupts off.
 * Return: true if it counted as running until then: pass that to wpool_running_left().
 */
bool wpool_idle_add(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_take() - take a worker off the list, which may run at once; under rq->lock */
void wpool_idle_take(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_coldest() - the worker to expire or move first, or NULL; under rq->lock */
struct wpool_worker *wpool_idle_coldest(struct wpool_runq *rq);

/**
 * wpool_idle_coldest_runq() - the run queue whose coldest idle worker is the oldest of all
 * @pool: the pool
 * @since: since when that worker has been idle, in jiffies
 *
 * Context: any; interrupts off.
 * Return: the run queue, or NULL if no worker is idle.
 */
struct wpool_runq *wpool_idle_coldest_runq(struct wpool *pool, unsigned long *since);

/**
 * wpool_idle_wake() - wake the next idle worker of a run queue to look for work
 * @rq: the run queue
 * @helps: it shall also look for tasks that other CPUs offer
 *
 * Does nothing if a worker is already waking for this run queue.
 *
 * Context: any, interrupts off.
 * Return: true if a worker was woken.
 */
bool wpool_idle_wake(struct wpool_runq *rq, bool helps);

/**
 * wpool_idle_move() - wake the coldest idle worker of another CPU to move here
 * @pool: the pool
 * @rq: the run queue to move to
 *
 * Context: any, interrupts off.
 * Return: true if a worker was woken.
 */
bool wpool_idle_move(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_idle_wake_runq() - make the idle workers of a run queue check the pool's state
 * @rq: the run queue
 *
 * Context: process context.
 */
void wpool_idle_wake_runq(struct wpool_runq *rq);

/**
 * wpool_idle_wake_next() - make one idle worker check the pool's state
 * @pool: the pool
 *
 * Context: any.
 * Return: false if none is idle.
 */
bool wpool_idle_wake_next(struct wpool *pool);

/**
 * wpool_idle_wake_all() - make all idle workers check the pool's state
 * @pool: the pool
 *
 * Context: process context.
 */
void wpool_idle_wake_all(struct wpool *pool);

#endif /* WPOOL_CORE_IDLE_H */
