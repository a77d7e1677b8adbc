// SPDX-License-Identifier: GPL-2.0
/* The contract of events: see contract.h. */
#include "contract.h"
#include "event.h"

static void call_in_event(struct wpk_ev *ev)
{
	wpk_contract_in_object(ev->arg);
}

static void make_kind(struct wpk_world *w, bool hr)
{
	struct wpk_ev *ev = wpk_evs_kind(w->test, w->real, w->object_gate, 1, hr);

	ev->body = call_in_event;
	ev->arg = w;
	w->object = ev;
	if (w->row->object == DISABLED)
		wpool_event_disable(wpk_event(ev));
	if (w->row->object == ARMED && hr)
		wpool_hrevent_arm(&ev->hr, ktime_set(1000, 0));
	else if (w->row->object == ARMED)
		wpool_event_arm(wpk_event(ev), WPK_FAR);
}

static void make_event(struct wpk_world *w)
{
	make_kind(w, false);
}

static void make_hrevent(struct wpk_world *w)
{
	make_kind(w, true);
}

static struct wpool_event *event_of(struct wpk_world *w)
{
	return wpk_event(w->object);
}

static struct wpool_hrevent *hrevent_of(struct wpk_world *w)
{
	struct wpk_ev *ev = w->object;

	return &ev->hr;
}

static int fire_event(struct wpk_world *w)
{
	return wpool_event_fire(event_of(w)) ? 0 : -EALREADY;
}

static int runs_of_event(struct wpk_world *w)
{
	struct wpk_ev *ev = w->object;

	KUNIT_EXPECT_FALSE(w->test, ev->twice);
	KUNIT_EXPECT_EQ(w->test, atomic_read(&ev->timed_out), 0);
	return atomic_read(&ev->runs);
}

/* Cancel the event, and return its status; -ECANCELED if it was still armed. */
static int status_of_event(struct wpk_world *w)
{
	struct wpk_ev *ev = w->object;

	/* wait for the abort function: a cancel before it would take the fire back */
	if (w->row->left.status == -ESHUTDOWN)
		WPK_EVENTUALLY(w->test, atomic_read(&ev->aborts));
	return wpool_event_cancel_sync(event_of(w));
}

static const struct wpk_noun event_noun = {
	.make = make_event,
	.submit = fire_event,
	.runs = runs_of_event,
	.status = status_of_event,
};

static const struct wpk_noun hrevent_noun = {
	.make = make_hrevent,
	.submit = fire_event,
	.runs = runs_of_event,
	.status = status_of_event,
};

#define LEFT_ARMED .status = -ECANCELED

CALL(wpool_event_fire, wpool_event_fire(event_of(w)))
CALL(wpool_event_fire_on, wpool_event_fire_on(event_of(w), num_online_cpus() - 1))

ENTRIES(event_fire,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { .submitted = 1, .runs = 1 },
	  "end the wait of an event: run its function" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { .submitted = 1, .runs = 1 } },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, true, { .submitted = 1, .runs = 1 },
	  "any except NMI, and not with scheduler locks held" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, true, { .submitted = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, ARMED, true, { .submitted = 1, .runs = 1 },
	  "If the event is also armed, the start of the function disarms it." },
	{ IN_THREAD, WITH_ROOM, QUEUED, false, { .runs = 1 },
	  "false if the event had fired already and its function has not started" },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, false, { .runs = 1 } },
	{ IN_THREAD, FULL, WAITING, false, { .later = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, true, { .later = 1, .runs = 2 },
	  "it runs once more after it has returned, never twice at once" },
	{ IN_HARDIRQ, WITH_ROOM, INSIDE, true, { .later = 1, .runs = 2 } },
	{ IN_THREAD, WITH_ROOM, AGAIN, false, { .later = 1, .runs = 2 },
	  "Until the function has started, further fires change nothing." },
	{ IN_OWN_TASK, FULL, ITSELF, true, { .submitted = 1, .runs = 2 },
	  "it runs once more after it has returned, never twice at once" },
	{ IN_THREAD, FULL, UNUSED, true, { .later = 1, .runs = 1 },
	  "when its turn comes among the submitters that wait" },
	{ IN_HARDIRQ, FULL, UNUSED, true, { .later = 1, .runs = 1 },
	  "An open pool never refuses it, whatever max_blocking and", WPOOL_FAIL },
	{ IN_THREAD, FULL, UNUSED, true, { .later = 1, .runs = 1 },
	  "An open pool never refuses it, whatever max_blocking and", WPOOL_RUN },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { }, "if the event is disabled, or in NMI" },
	{ IN_THREAD, FOR_OWN, UNUSED, true, { .submitted = 1, .runs = 1 },
	  "the events of its connections still fire" },
	{ IN_THREAD, DRAINS, UNUSED, true, { .status = -ESHUTDOWN },
	  "called instead if @pool is closed when @func is due" },
	{ IN_HARDIRQ, CANCELS, UNUSED, true, { .status = -ESHUTDOWN } },
	{ IN_THREAD, DESTROYING, UNUSED, true, { .status = -ESHUTDOWN } },
	{ IN_THREAD, DESTROYED, UNUSED, true, { .status = -ESHUTDOWN } });

ENTRIES(hrevent_fire,
	{ IN_THREAD, WITH_ROOM, ARMED, true, { .submitted = 1, .runs = 1 },
	  "If the event is also armed, the start of the function disarms it." });

CALL(wpool_event_arm, wpool_event_arm(event_of(w), WPK_FAR))
CALL(wpool_event_arm_at, wpool_event_arm_at(event_of(w), jiffies + WPK_FAR))
CALL(wpool_hrevent_arm, wpool_hrevent_arm(hrevent_of(w), ktime_set(1000, 0)))

static long call_wpool_hrevent_arm_at(struct wpk_world *w)
{
	return wpool_hrevent_arm_at(hrevent_of(w), ktime_add(ktime_get(), ktime_set(1000, 0)));
}

ENTRIES(event_arm,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { LEFT_ARMED },
	  "true if the event was armed by this call" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { LEFT_ARMED } },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, true, { LEFT_ARMED },
	  "any except NMI, and not with scheduler locks held" },
	{ IN_HARDIRQ, FULL, UNUSED, true, { LEFT_ARMED },
	  "it is *armed*, and holds no worker and no room in its pool" },
	{ IN_THREAD, WITH_ROOM, ARMED, false, { LEFT_ARMED },
	  "Does nothing if the event is armed already or disabled" },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { } },
	{ IN_THREAD, WITH_ROOM, QUEUED, false, { .runs = 1 },
	  "or has fired and its function has not started" },
	{ IN_THREAD, FULL, WAITING, false, { .later = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, AGAIN, false, { .later = 1, .runs = 2 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, true, { .runs = 1, LEFT_ARMED },
	  "true if the event was armed by this call" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, true, { .runs = 1, LEFT_ARMED } },
	{ IN_THREAD, DRAINS, UNUSED, true, { LEFT_ARMED },
	  "wpool_flush() and wpool_destroy() do not wait for an armed event" },
	{ IN_THREAD, FOR_OWN, UNUSED, true, { LEFT_ARMED } },
	{ IN_THREAD, CANCELS, UNUSED, true, { LEFT_ARMED } },
	{ IN_THREAD, DESTROYING, UNUSED, true, { LEFT_ARMED } },
	{ IN_THREAD, DESTROYED, UNUSED, true, { LEFT_ARMED } });

CALL(wpool_event_mod, wpool_event_mod(event_of(w), WPK_FAR))

ENTRIES(event_mod,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, { LEFT_ARMED },
	  "true if the event was armed, or a fire was taken back" },
	{ IN_THREAD, WITH_ROOM, ARMED, true, { LEFT_ARMED },
	  "if the event is armed, its time changes" },
	{ IN_HARDIRQ, WITH_ROOM, ARMED, true, { LEFT_ARMED } },
	{ IN_THREAD, CANCELS, ARMED, true, { LEFT_ARMED } },
	{ IN_THREAD, DESTROYED, ARMED, true, { LEFT_ARMED } },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, { LEFT_ARMED },
	  "if it has fired and its function has not started, the fire is taken back." },
	{ IN_THREAD, FULL, WAITING, true, { LEFT_ARMED } },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, { .runs = 1, LEFT_ARMED },
	  "true if the event was armed, or a fire was taken back" },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, { .runs = 1, LEFT_ARMED },
	  "if it has fired and its function has not started, the fire is taken back." },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, true, { LEFT_ARMED } },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, true, { LEFT_ARMED } },
	{ IN_THREAD, DRAINS, QUEUED, true, { LEFT_ARMED } },
	{ IN_THREAD, FOR_OWN, QUEUED, true, { LEFT_ARMED } },
	{ IN_THREAD, DESTROYING, QUEUED, true, { LEFT_ARMED } },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { },
	  "the functions that fire or arm the event do nothing and return false" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, false, { .runs = 1, LEFT_ARMED },
	  "true if the event was armed before, or a fire was taken back" });

CALL(wpool_event_cancel, wpool_event_cancel(event_of(w)))

static long call_wpool_event_disable(struct wpk_world *w)
{
	long ret = wpool_event_disable(event_of(w));

	KUNIT_EXPECT_FALSE(w->test, wpool_event_fire(event_of(w)));
	KUNIT_EXPECT_EQ(w->test, wpool_event_enable(event_of(w)), w->row->object != DISABLED);
	return ret;
}

ENTRIES(event_cancel,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, { },
	  "true if the event was armed, or a fire was taken back" },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { } },
	{ IN_THREAD, WITH_ROOM, ARMED, true, { },
	  "Disarms the event, and takes back a fire whose function has not started." },
	{ IN_SOFTIRQ, WITH_ROOM, ARMED, true, { } },
	{ IN_HARDIRQ, WITH_ROOM, ARMED, true, { } },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, { } },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, true, { } },
	{ IN_THREAD, FULL, WAITING, true, { } },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, { .runs = 1 },
	  "true if the event was armed, or a fire was taken back" },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, { .runs = 1 },
	  "Disarms the event, and takes back a fire whose function has not started." },
	{ IN_THREAD, DRAINS, QUEUED, true, { } },
	{ IN_THREAD, FOR_OWN, QUEUED, true, { } },
	{ IN_THREAD, CANCELS, ARMED, true, { } },
	{ IN_THREAD, DESTROYING, QUEUED, true, { } },
	{ IN_THREAD, DESTROYED, ARMED, true, { } },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, false, { .runs = 1 },
	  "true if the event was armed, or a fire was taken back" });

CALL(wpool_event_cancel_sync, wpool_event_cancel_sync(event_of(w)))

static long call_wpool_event_disable_sync(struct wpk_world *w)
{
	long ret = wpool_event_disable_sync(event_of(w));

	if (ret == -EDEADLK)
		return ret;
	KUNIT_EXPECT_FALSE(w->test, wpool_event_fire(event_of(w)));
	KUNIT_EXPECT_EQ(w->test, wpool_event_enable(event_of(w)), w->row->object != DISABLED);
	return ret;
}

ENTRIES(event_cancel_sync,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "the function returned, or the event never fired" },
	{ IN_THREAD, WITH_ROOM, DISABLED, 0, { } },
	{ IN_THREAD, WITH_ROOM, ARMED, -ECANCELED, { },
	  "the event was armed, or had fired, and this call took that back" },
	{ IN_THREAD, WITH_ROOM, QUEUED, -ECANCELED, { .cancelled = 1 },
	  "the event is taken out, and counted as cancelled" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -ECANCELED, { .cancelled = 1 },
	  "the event was armed, or had fired, and this call took that back" },
	{ IN_THREAD, FULL, WAITING, -ECANCELED, { } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 },
	  "the function returned, or the event never fired" },
	{ KILLED, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 },
	  "only if another thread is running, queueing or ending the event" },
	{ IN_THREAD, WITH_ROOM, AGAIN, -ECANCELED, { .waits = true, .runs = 1 },
	  "the event was armed, or had fired, and this call took that back" },
	{ IN_THREAD, DRAINS, QUEUED, -ECANCELED, { .cancelled = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, -ECANCELED, { .cancelled = 1 } },
	{ IN_THREAD, CANCELS, ARMED, -ECANCELED, { } },
	{ IN_THREAD, DESTROYING, QUEUED, -ECANCELED, { .cancelled = 1 } },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 },
	  "called by the event's own function, and nothing was done" },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { },
	  "the function returned, or the event never fired" });

CALL(wpool_event_enable, wpool_event_enable(event_of(w)))

ENTRIES(event_enable,
	{ IN_THREAD, WITH_ROOM, DISABLED, true, { },
	  "true if the event can be fired and armed from now on" },
	{ IN_HARDIRQ, WITH_ROOM, DISABLED, true, { }, "This neither arms nor fires the event." },
	{ IN_SOFTIRQ, WITH_ROOM, DISABLED, true, { } },
	{ IN_OWN_TASK, WITH_ROOM, DISABLED, true, { } });

static long call_wpool_event_enable_one_of_two(struct wpk_world *w)
{
	wpool_event_disable(event_of(w));
	return wpool_event_enable(event_of(w));
}

ENTRIES(event_enable_one_of_two,
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { },
	  "false if it still is disabled by another call" });

static long call_wpool_event_finish(struct wpk_world *w)
{
	wpool_event_finish(event_of(w));
	/* the event belongs to the caller again */
	make_event(w);
	return 0;
}

ENTRIES(event_finish,
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, 0, { },
	  "From then on the caller may free the event, or prepare it again." },
	{ IN_OWN_TASK, FULL, ITSELF, 0, { } },
	{ IN_OWN_TASK, DRAINS, ITSELF, 0, { } },
	{ IN_OWN_TASK, FOR_OWN, ITSELF, 0, { } },
	{ IN_OWN_TASK, CANCELS, ITSELF, 0, { } },
	{ IN_OWN_TASK, DESTROYING, ITSELF, 0, { } });

CALL(wpool_release_cancel, wpool_release(w->pool, WPOOL_RELEASE_CANCEL))

ENTRIES(release_cancel,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0,
	  { .cancelled = 1, .status = -ESHUTDOWN, .state = IS_NOW(WPOOL_CLOSED) },
	  "with %WPOOL_RELEASE_CANCEL before the function started" });

NO_CONTRACT(wpool_event_init, "it cannot fail, and the scene of each row begins with it");
NO_CONTRACT(wpool_event_current, "it takes nothing and cannot fail: wq_same_kunit.c");
NO_CONTRACT(wpool_hrevent_init, "it cannot fail, and the scene of each row begins with it");
NO_CONTRACT(wpool_watch_file, "what it answers depends on a file: watch_kunit.c");
NO_CONTRACT(wpool_watch_ready, "what it answers depends on a file: watch_kunit.c");
NO_CONTRACT(wpool_watch_end, "it cannot fail: watch_kunit.c");

NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, event_cancel_sync);
NO_ROWS("they do not sleep", KILLED, event_fire, event_arm, event_mod, event_cancel, event_enable);
NO_ROWS("it concerns a disabled event alone", UNUSED, QUEUED, INSIDE, AGAIN, WAITING, ARMED,
	ITSELF, FULL, DRAINS, CANCELS, FOR_OWN, DESTROYING, DESTROYED, event_enable);
NO_ROWS("only the function of the event may call it", IN_THREAD, KILLED, IN_SOFTIRQ, IN_HARDIRQ,
	UNUSED, QUEUED, INSIDE, AGAIN, WAITING, DISABLED, ARMED, DESTROYED, event_finish);

#define EVENT(function, table) CONTRACT(function, table, &event_noun)
#define HREVENT(function, table) CONTRACT(function, table, &hrevent_noun)

WPK_SUITE(contract_event,
	  EVENT(wpool_event_fire, event_fire),
	  EVENT(wpool_event_fire_on, event_fire),
	  HREVENT(wpool_event_fire, hrevent_fire),
	  EVENT(wpool_event_arm, event_arm),
	  EVENT(wpool_event_arm_at, event_arm),
	  HREVENT(wpool_hrevent_arm, event_arm),
	  HREVENT(wpool_hrevent_arm_at, event_arm),
	  EVENT(wpool_event_mod, event_mod),
	  EVENT(wpool_event_cancel, event_cancel),
	  EVENT(wpool_event_disable, event_cancel),
	  EVENT(wpool_event_cancel_sync, event_cancel_sync),
	  EVENT(wpool_event_disable_sync, event_cancel_sync),
	  EVENT(wpool_event_enable, event_enable),
	  EVENT(wpool_event_enable_one_of_two, event_enable_one_of_two),
	  EVENT(wpool_event_finish, event_finish),
	  EVENT(wpool_release_cancel, release_cancel));
