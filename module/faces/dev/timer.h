/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks of /dev/wpool that wait for a time before they start, without a worker. */
#ifndef WPOOL_DEV_TIMER_H
#define WPOOL_DEV_TIMER_H

#include <linux/types.h>
#include <linux/wpool.h>

struct wpool_devtimer;

/**
 * wpool_devtimer_create() - allocate a timer
 * @pool: the pool; the caller's reference lasts until one of the functions has returned
 * @task: handed to both functions, as what they end
 * @run: called in a task of the pool when the time has come
 * @abort: called instead if the timer was cancelled (-ECANCELED), or if the pool was
 *	closed when the time had come (-ESHUTDOWN)
 *
 * Once it was started, one of the two is called, once; then the timer frees itself.
 *
 * Context: process context; sleeps.
 * Return: the timer, or NULL.
 */
struct wpool_devtimer *wpool_devtimer_create(struct wpool *pool, struct wpool_task *task,
					     wpool_task_fn run, wpool_abort_fn abort);

/** wpool_devtimer_free() - free a timer that was not started; NULL is allowed */
void wpool_devtimer_free(struct wpool_devtimer *timer);

/** wpool_devtimer_start() - start a timer; any context */
void wpool_devtimer_start(struct wpool_devtimer *timer, u64 delay_ns);

/**
 * wpool_devtimer_cancel() - end the wait of a timer
 * @timer: the timer, started; none of its functions has returned
 *
 * Context: any; may hold spin locks.
 * Return: true if its function will not be called, and the other one soon.
 */
bool wpool_devtimer_cancel(struct wpool_devtimer *timer);

#endif /* WPOOL_DEV_TIMER_H */
