// SPDX-License-Identifier: GPL-2.0
/* Events that record their runs, see event.h. */
#include "event.h"

static void ev_fn(struct wpool_event *event)
{
	struct wpk_ev *ev = wpk_ev_of(event);

	if (atomic_inc_return(&ev->inside) != 1)
		ev->twice = true;
	if (wpool_event_timed_out(event)) {
		atomic_inc(&ev->timed_out);
		if (wpk_is_hr(event))
			ev->early |= ktime_before(ktime_get(), hrtimer_get_expires(&ev->hr.timer));
		else
			ev->early |= time_before(jiffies, event->timer.expires);
	}
	if (ev->jobs)
		ev->seq = atomic_inc_return(&ev->jobs->started);
	atomic_inc(&ev->runs);
	if (ev->gate)
		wpk_gate_pass(ev->gate);
	atomic_dec(&ev->inside);
	atomic_inc(&ev->returns);
	if (ev->body)
		ev->body(ev);
}

void wpk_ev_abort(struct wpool_event *event, int status)
{
	struct wpk_ev *ev = wpk_ev_of(event);

	ev->status = status;
	atomic_inc(&ev->aborts);
}

/* The pool may be freed by now, so no case may leave an event armed that is due soon. */
static void ev_cancel(void *data)
{
	struct wpk_ev *ev = data;

	wpool_event_cancel_sync(&ev->hr.event);
}

struct wpk_ev *wpk_evs_kind(struct kunit *test, struct wpool *pool, struct wpk_gate *gate,
			    int nr, bool hr)
{
	struct wpk_ev *evs = wpk_alloc(test, nr * sizeof(*evs));
	int i;

	for (i = 0; i < nr; i++) {
		if (hr)
			wpool_hrevent_init(&evs[i].hr, pool, ev_fn, wpk_ev_abort);
		else
			wpool_event_init(&evs[i].hr.event, pool, ev_fn, wpk_ev_abort);
		evs[i].gate = gate;
		KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ev_cancel, &evs[i]), 0);
	}
	return evs;
}

void wpk_ev_fire(void *data)
{
	struct wpk_ev *ev = data;

	ev->ret = wpool_event_fire(wpk_event(ev));
}
