/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fire of an event: a change of its state, see event.c, and a submit of its task. The timer of
 * an event fires it, too.
 */
#ifndef WPOOL_CLIENT_EVENT_FIRE_H
#define WPOOL_CLIENT_EVENT_FIRE_H

#include <linux/wpool_event.h>

#include "task/state.h"

/* Bits of the state, beside WPOOL_ST_WAITED; WPOOL_ST_DISABLED counts ends and disables */
#define EVENT_TIMED_OUT		WPOOL_EVENT_TIMED_OUT	/* RUNNING: only the timer has fired it */
#define EVENT_TIMED		BIT(3)	/* PENDING, or AGAIN: only the timer has fired it */
#define EVENT_AGAIN		BIT(5)	/* RUNNING: fired again while the function runs */
#define EVENT_SHUT		BIT(6)	/* IDLE: ended with -ESHUTDOWN */
#define EVENT_DIED		BIT(7)	/* IDLE: ended with -EIO */
#define EVENT_LATE		(EVENT_SHUT | EVENT_DIED) /* IDLE: ended with -ETIME */

/* Does the event have a pool? An event that was not initialised has none. */
static inline bool wpool_event_has_pool(const struct wpool_event *event)
{
	return READ_ONCE(event->task.pool);
}

/* Initialise the timer and event->lock. The flags of the task, set before, select the timer. */
void wpool_event_timer_init(struct wpool_event *event);

/* The time after @delay jiffies: in jiffies; for an hrevent in ns of CLOCK_MONOTONIC. */
u64 wpool_event_expires_after(const struct wpool_event *event, unsigned long delay);

/* Start the timer, or change its time. @expires: as above */
void wpool_event_timer_set(struct wpool_event *event, u64 expires) __must_hold(&event->lock);

/* Stop the timer; true if the event was armed. */
bool wpool_event_timer_stop(struct wpool_event *event) __must_hold(&event->lock);

/*
 * As wpool_event_timer_stop(), called without the lock. @ending: WPOOL_ST_DISABLED to forbid fires
 * and arms in the same step, so that the timer's fire comes before it or not at all; otherwise 0.
 */
bool wpool_event_disarm(struct wpool_event *event, int ending);

/* As wpool_event_disarm() with WPOOL_ST_DISABLED; waits for a callback of the timer, too. */
bool wpool_event_disarm_sync(struct wpool_event *event);

#endif /* WPOOL_CLIENT_EVENT_FIRE_H */
