// SPDX-License-Identifier: GPL-2.0
/*
 * Events that fire after an RCU grace period.
 *
 * event->waits is set while the callback is on its way. The callback clears it before it
 * fires the event, which is its last touch: the event's function may free the event.
 */
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>

static void fire_after_rcu(struct rcu_head *rcu)
{
	struct wpool_rcu_event *event = container_of(rcu, struct wpool_rcu_event, rcu);

	/* a fire from here on waits for another grace period */
	atomic_set_release(&event->waits, 0);
	wpool_event_fire(&event->event);
}

void wpool_rcu_event_init(struct wpool_rcu_event *event, struct wpool *pool,
			  wpool_event_fn func, wpool_event_abort_fn abort)
{
	wpool_event_init(&event->event, pool, func, abort);
	atomic_set(&event->waits, 0);
}
EXPORT_SYMBOL_GPL(wpool_rcu_event_init);

bool wpool_rcu_event_fire(struct wpool_rcu_event *event)
{
	/* a full barrier: what the caller wrote is seen by the function, whoever has set it */
	if (atomic_xchg(&event->waits, 1))
		return false;
	call_rcu(&event->rcu, fire_after_rcu);
	return true;
}
EXPORT_SYMBOL_GPL(wpool_rcu_event_fire);
