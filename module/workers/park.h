/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a worker parks, and how it expires: joining the idle workers, sleeping until it is
 * picked, the timer that sends away the coldest.
 */
#ifndef WPOOL_WORKERS_PARK_H
#define WPOOL_WORKERS_PARK_H

#include <linux/types.h>

struct timer_list;
struct wpool;
struct wpool_worker;

/**
 * wpool_park_join() - first half: join the idle workers, stop to search and to run
 * @w: the calling worker; found no task, or too many workers run here
 *
 * Checks once more afterwards, and unparks the worker if it is wanted after all.
 *
 * Context: the worker; not preempted since it searched.
 */
void wpool_park_join(struct wpool_worker *w);

/**
 * wpool_park_sleep() - second half: sleep until the worker is unparked
 * @w: the calling worker; has joined the idle workers
 *
 * Context: the worker; sleeps.
 * Return: true to look for work again; false if it expired and is counted out.
 */
bool wpool_park_sleep(struct wpool_worker *w);

/**
 * wpool_park_forget() - count out a dead worker that was idle or waking
 * @w: the worker; its thread is gone
 *
 * Context: process context, interrupts on.
 */
void wpool_park_forget(struct wpool_worker *w);

/**
 * wpool_park_rearm() - expiry_ms or min_workers changed: check the idle workers again
 * @pool: the pool
 *
 * Context: any.
 */
void wpool_park_rearm(struct wpool *pool);

/** wpool_park_count() - how many idle workers the pool could spare: a glance */
u32 wpool_park_count(struct wpool *pool);

/**
 * wpool_park_expire_early() - send the coldest idle worker away before its time
 * @pool: the pool
 *
 * Context: any; takes raw locks only.
 * Return: false if no worker beyond min_workers has been idle for 100 ms.
 */
bool wpool_park_expire_early(struct wpool *pool);

/** wpool_park_expire() - the function of pool->expiry_timer */
void wpool_park_expire(struct timer_list *timer);

#endif /* WPOOL_WORKERS_PARK_H */
