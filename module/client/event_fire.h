/* SPDX-License-Identifier: GPL-2.0 */
/* How an event fires: its state changes, which event.c explains, and its task is submitted. */
#ifndef WPOOL_CLIENT_EVENT_FIRE_H
#define WPOOL_CLIENT_EVENT_FIRE_H

#include <linux/bits.h>
#include <linux/wpool_event.h>

/* event->state */
#define EVENT_IDLE		0
#define EVENT_PENDING		1
#define EVENT_RUNNING		2
#define EVENT_CANCELLED		3
#define EVENT_STATE_MASK	3
#define EVENT_TIMED_OUT		WPOOL_EVENT_TIMED_OUT	/* RUNNING: only the timer has fired it */
#define EVENT_TIMED		BIT(3)	/* PENDING, or AGAIN: only the timer has fired it */
#define EVENT_AGAIN		BIT(4)	/* RUNNING: fired, submit when the function returns */
#define EVENT_WAITED		BIT(5)	/* RUNNING: a thread sleeps until the function returns */
#define EVENT_SHUT		BIT(6)	/* IDLE: ended with -ESHUTDOWN */
#define EVENT_DIED		BIT(7)	/* IDLE: ended with -EIO */
#define EVENT_LATE		(EVENT_SHUT | EVENT_DIED) /* IDLE: ended with -ETIME */
#define EVENT_ENDING		BIT(8)	/* a count: ends, or disabled; no fire, no timer */
#define EVENT_ENDING_MASK	(~(int)(EVENT_ENDING - 1))

/* Does the event have a pool? If not, it was not initialised, or was given none. */
static inline bool wpool_event_has_pool(const struct wpool_event *event)
{
	return READ_ONCE(event->task.pool);
}

/*
 * Submit the task of a PENDING event that is at home; the event may be gone afterwards.
 * Interrupts are off.
 */
void wpool_event_send(struct wpool_event *event);

/*
 * The change of state by a fire; *@home: the caller must send the task. @timed: EVENT_TIMED if the
 * time has come, or 0. Returns false if the event was fired before, or ends.
 */
bool wpool_event_mark_fired(struct wpool_event *event, int timed, bool *home);

#endif /* WPOOL_CLIENT_EVENT_FIRE_H */
