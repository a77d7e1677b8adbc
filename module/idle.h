/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idle workers: parking, picking, and expiry.
 *
 * Each run queue has a list of its parked workers. With order lifo the hot one
 * is picked and the cold one expires; with fifo the one that has been idle
 * longest is picked. The list is kept with the next to be picked in front.
 *
 * A worker leaves the list by the hand of whoever clears w->parked under
 * runq->lock: a waker, the expiry timer, the worker itself.
 */
#ifndef WPOOL_IDLE_H
#define WPOOL_IDLE_H

#include <linux/types.h>

struct timer_list;
struct wpool;
struct wpool_runq;
struct wpool_worker;

/**
 * wpool_idle_join() - park, first half: join the idle, neither search nor run
 * @w: the calling worker; has found no task, or too many run here
 *
 * Looks once more afterwards, and unparks itself if it is wanted after all.
 *
 * Context: the worker; must not be preempted since it searched.
 */
void wpool_idle_join(struct wpool_worker *w);

/**
 * wpool_idle_sleep() - park, second half: sleep until somebody unparks the worker
 * @w: the calling worker; has joined the idle
 *
 * Context: the worker; sleeps.
 * Return: true to look again; false if it expired and is counted out.
 */
bool wpool_idle_sleep(struct wpool_worker *w);

/**
 * wpool_idle_count_waking() - one more worker is sent on its way
 * @pool: the pool
 *
 * Context: any; before the worker can run.
 */
void wpool_idle_count_waking(struct wpool *pool);

/**
 * wpool_idle_started() - a worker that was made or picked is on its CPU
 * @w: the calling worker; becomes searching and running, is no longer on the way
 *
 * Context: the worker.
 */
void wpool_idle_started(struct wpool_worker *w);

/**
 * wpool_idle_disown() - a worker on the way is not its run queue's any more
 * @w: the worker; not parked
 *
 * Context: process context, interrupts on.
 */
void wpool_idle_disown(struct wpool_worker *w);

/**
 * wpool_idle_forget() - a worker has died: it is not idle, nor on the way
 * @w: the worker, its thread is gone
 *
 * Context: process context, interrupts on.
 */
void wpool_idle_forget(struct wpool_worker *w);

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

/**
 * wpool_idle_rearm() - expiry or min_workers changed: look at the idle again
 * @pool: the pool
 *
 * Context: any.
 */
void wpool_idle_rearm(struct wpool *pool);

/** wpool_idle_expire() - the timer's function */
void wpool_idle_expire(struct timer_list *timer);

#endif /* WPOOL_IDLE_H */
