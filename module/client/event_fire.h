/* SPDX-License-Identifier: GPL-2.0 */
/* A fire of an event: a change of its state, which event.c explains, and a submit of its task. */
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
#define EVENT_TIMED_OUT		WPOOL_EVENT_TIMED_OUT	/* RUNNING: the timer alone made it so */
#define EVENT_TIMED		BIT(3)	/* PENDING, or AGAIN: the timer alone made it so */
#define EVENT_AGAIN		BIT(4)	/* RUNNING: fired, submit it when it has returned */
#define EVENT_WAITED		BIT(5)	/* RUNNING: a thread sleeps until it has returned */
#define EVENT_SHUT		BIT(6)	/* IDLE: ended with -ESHUTDOWN */
#define EVENT_DIED		BIT(7)	/* IDLE: ended with -EIO */
#define EVENT_LATE		(EVENT_SHUT | EVENT_DIED) /* IDLE: ended with -ETIME */
#define EVENT_ENDING		BIT(8)	/* ends, or is disabled: no fire, no timer; a count */
#define EVENT_ENDING_MASK	(~(int)(EVENT_ENDING - 1))

/* Has the event a pool? If not, it was not initialised, or was given none. */
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
 * The change of state that is a fire; *@home: the caller must send the task. @timed: EVENT_TIMED
 * if the time has come, or 0. Returns false if the event was fired before, or ends.
 */
bool wpool_event_mark_fired(struct wpool_event *event, int timed, bool *home);

#endif /* WPOOL_CLIENT_EVENT_FIRE_H */
