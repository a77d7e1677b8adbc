/* SPDX-License-Identifier: GPL-2.0 */
/* How a worker parks: it joins the idle workers and sleeps until it is picked. */
#ifndef WPOOL_WORKERS_PARK_H
#define WPOOL_WORKERS_PARK_H

#include <linux/types.h>

struct wpool_worker;

/*
 * First half: join the idle workers, stop searching and running. @w: found no task, or too many
 * workers run here; @sent: @w was woken for a task, which may have been offered to no other worker.
 * Checks the queues once more afterwards, and unparks the worker if it is needed. Called by the
 * worker, with interrupts on, and preemption off since it searched.
 */
void wpool_park_join(struct wpool_worker *w, bool sent);

/*
 * Second half: sleep until the worker is unparked. @w: has joined the idle workers. Called by the
 * worker; sleeps. Returns true to look for work again; false if it expired and is counted out.
 */
bool wpool_park_sleep(struct wpool_worker *w);

#endif /* WPOOL_WORKERS_PARK_H */
