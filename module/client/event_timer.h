/* SPDX-License-Identifier: GPL-2.0 */
/* The timer of an event. */
#ifndef WPOOL_CLIENT_EVENT_TIMER_H
#define WPOOL_CLIENT_EVENT_TIMER_H

#include <linux/wpool_event.h>

/* Also initialises event->lock; the flags of the task say which kind of timer it is. */
void wpool_event_timer_init(struct wpool_event *event);

/* Start the timer, or change its time. */
void wpool_event_timer_set(struct wpool_event *event, u64 expires) __must_hold(&event->lock);

/* End the wait; true if the event was waiting. */
bool wpool_event_timer_stop(struct wpool_event *event) __must_hold(&event->lock);

/* The same, called without the lock. */
bool wpool_event_disarm(struct wpool_event *event);

/* Wait until no callback of the timer is running; no thread arms the event meanwhile. */
void wpool_event_timer_sync(struct wpool_event *event);

#endif /* WPOOL_CLIENT_EVENT_TIMER_H */
