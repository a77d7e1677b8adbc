/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a worker goes to sleep, and how it expires: joining the idle, sleeping until
 * it is picked, the timer that sends the oldest away.
 */
#ifndef WPOOL_WORKERS_PARK_H
#define WPOOL_WORKERS_PARK_H

#include <linux/types.h>

struct timer_list;
struct wpool;
struct wpool_worker;

/**
 * wpool_park_join() - first half: join the idle, neither search nor run
 * @w: the calling worker; has found no task, or too many run here
 *
 * Looks once more afterwards, and unparks itself if it is wanted after all.
 *
 * Context: the worker; must not be preempted since it searched.
 */
void wpool_park_join(struct wpool_worker *w);

/**
 * wpool_park_sleep() - second half: sleep until somebody unparks the worker
 * @w: the calling worker; has joined the idle
 *
 * Context: the worker; sleeps.
 * Return: true to look again; false if it expired and is counted out.
 */
bool wpool_park_sleep(struct wpool_worker *w);

/**
 * wpool_park_forget() - a worker has died: it is not idle, nor on the way
 * @w: the worker, its thread is gone
 *
 * Context: process context, interrupts on.
 */
void wpool_park_forget(struct wpool_worker *w);

/**
 * wpool_park_rearm() - expiry or min_workers changed: look at the idle again
 * @pool: the pool
 *
 * Context: any.
 */
void wpool_park_rearm(struct wpool *pool);

/** wpool_park_expire() - the function of pool->expiry_timer */
void wpool_park_expire(struct timer_list *timer);

#endif /* WPOOL_WORKERS_PARK_H */
