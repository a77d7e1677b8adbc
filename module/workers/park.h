/* SPDX-License-Identifier: GPL-2.0 */
/* How a worker parks: it joins the idle workers and sleeps until it is picked. */
#ifndef WPOOL_WORKERS_PARK_H
#define WPOOL_WORKERS_PARK_H

#include <linux/types.h>

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

#endif /* WPOOL_WORKERS_PARK_H */
