// SPDX-License-Identifier: GPL-2.0
/*
 * Fires of events, see event_fire.h.
 *
 * Barrier pair:
 *
 *   claim:B  what a thread wrote before its fire, full barrier, the load that finds the
 *            event fired <-> the change to RUNNING, fully ordered, then the function: as
 *            claim:A in task/state.c.
 */
#include "client/event_fire.h"

#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/wpool.h>

#include "task/state.h"
#include "task/submit.h"

void wpool_event_send(struct wpool_event *event)
{
	struct wpool_task *task = &event->task;

	atomic_set(&task->state, WPOOL_ST_PENDING);
	wpool_debug_activate(task);
	wpool_submit_event(task->pool, task);
}

bool wpool_event_mark_fired(struct wpool_event *event, int timed, bool *home)
{
	int old = EVENT_IDLE, new;

	*home = likely(atomic_try_cmpxchg(&event->state, &old, EVENT_PENDING | timed));
	if (*home)
		return true;
	/* claim:B, since an exchange that failed orders nothing */
	smp_mb();
	old = atomic_read(&event->state);
	do {
		if (old & EVENT_ENDING_MASK)
			return false;
		if ((old & EVENT_STATE_MASK) == EVENT_IDLE ||
		    (old & EVENT_STATE_MASK) == EVENT_CANCELLED)
			new = EVENT_PENDING | timed;
		else if ((old & EVENT_STATE_MASK) == EVENT_RUNNING && !(old & EVENT_AGAIN))
			new = old | EVENT_AGAIN | timed;
		else if (old & EVENT_TIMED && !timed)
			new = old & ~EVENT_TIMED;
		else
			return false;
	} while (!atomic_try_cmpxchg(&event->state, &old, new));

	*home = (old & EVENT_STATE_MASK) == EVENT_IDLE;
	return (old & EVENT_STATE_MASK) != EVENT_PENDING && !(old & EVENT_AGAIN);
}

bool wpool_event_fire(struct wpool_event *event)
{
	unsigned long flags;
	bool ret, home;

	wpool_debug_assert_init(&event->task);
	if (in_nmi() || !wpool_event_has_pool(event))
		return false;
	local_irq_save(flags);
	ret = wpool_event_mark_fired(event, 0, &home);
	if (home)
		wpool_event_send(event);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_fire);
