/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idle workers: lists of those who sleep, and the picking of one.
 *
 * Each run queue has a list of its parked workers. With order lifo the hot one
 * is picked and the cold one expires; with fifo the one that has been idle
 * longest is picked. The list is kept with the next to be picked in front.
 *
 * A worker leaves the list by the hand of whoever clears w->parked under
 * runq->lock: a waker, the expiry timer, the worker itself. What it does before
 * and afterwards is in workers/park.h.
 */
#ifndef WPOOL_IDLE_H
#define WPOOL_IDLE_H

#include <linux/types.h>

struct wpool;
struct wpool_runq;
struct wpool_worker;

/** wpool_idle_add() - put a worker on its run queue's list; interrupts off */
void wpool_idle_add(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_take() - take one off the list; under rq->lock. It goes on at once */
void wpool_idle_take(struct wpool_runq *rq, struct wpool_worker *w);

/** wpool_idle_coldest() - the one that is to expire or move first, or NULL; under rq->lock */
struct wpool_worker *wpool_idle_coldest(struct wpool_runq *rq);

/**
 * wpool_idle_coldest_runq() - whose coldest idle worker is the oldest of all?
 * @pool: the pool
 * @since: since when it is idle, in jiffies
 *
 * Context: any; interrupts off.
 * Return: the run queue, or NULL if nobody is idle.
 */
struct wpool_runq *wpool_idle_coldest_runq(struct wpool *pool, unsigned long *since);

/**
 * wpool_idle_wake() - wake the next idle worker of a run queue to look for work
 * @rq: the run queue
 *
 * Does nothing if one is on the way there already.
 *
 * Context: any, interrupts off.
 * Return: true if one was woken.
 */
bool wpool_idle_wake(struct wpool_runq *rq);

/**
 * wpool_idle_move() - wake the coldest idle worker of another CPU to move here
 * @pool: the pool
 * @rq: where it is needed
 *
 * Context: any, interrupts off.
 * Return: true if one was woken.
 */
bool wpool_idle_move(struct wpool *pool, struct wpool_runq *rq);

/**
 * wpool_idle_wake_runq() - make the idle workers of a run queue look at its state
 * @rq: the run queue
 *
 * Context: process context.
 */
void wpool_idle_wake_runq(struct wpool_runq *rq);

/**
 * wpool_idle_wake_next() - make one idle worker look at the pool's state
 * @pool: the pool
 *
 * Context: any.
 */
void wpool_idle_wake_next(struct wpool *pool);

/**
 * wpool_idle_wake_all() - make every idle worker look at the pool's state
 * @pool: the pool
 *
 * Context: process context.
 */
void wpool_idle_wake_all(struct wpool *pool);

#endif /* WPOOL_IDLE_H */
