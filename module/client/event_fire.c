// SPDX-License-Identifier: GPL-2.0
/*
 * Firing an event by a call, or by its timer. See event_fire.h.
 *
 * event->lock protects the event's kernel timer, and task->armed:
 *
 *   armed   the timer is pending, or its callback has yet to take the lock. A callback that
 *           finds the event armed, and the timer not pending, ends the wait. Any other
 *           callback belongs to an earlier time, and does nothing.
 *
 * A call may fire an armed event, too; the call takes no lock and leaves the timer alone. The wait
 * ends when the function starts, or with a cancel. If the timer expires in between, the event is
 * fired already, and nothing changes. An expiry, and a start of the function, end the wait and
 * change the state in one step, under the lock. wpool_event_mod() is a cancel and an arm, in one
 * step unless it takes a fire back.
 *
 * Barrier pair:
 *
 *   claim:B  what a thread wrote before its fire, full barrier, the load that finds the
 *            event fired <-> the change to RUNNING, fully ordered, then the function: as
 *            claim:A in task/state.c.
 */
#include "client/event_fire.h"

#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/timer.h>

#include "compat.h"
#include "task/submit.h"

/* ---- the fire ---- */

/*
 * Change the state for a fire. @timed: EVENT_TIMED if the timer fires, or 0. Sets *@home if the
 * caller must call wpool_submit_event(). Returns false if the event was fired before, or ends.
 */
static bool event_mark_fired(struct wpool_event *event, int timed, bool *home)
{
	int old = WPOOL_ST_IDLE, new;

	*home = likely(wpool_task_exchange(&event->task, &old, WPOOL_ST_PENDING | timed));
	if (*home)
		return true;
	/* claim:B, since an exchange that failed orders nothing */
	smp_mb();
	old = atomic_read(&event->task.state);
	do {
		if (old & WPOOL_ST_DISABLED_MASK)
			return false;
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_IDLE ||
		    (old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED)
			new = WPOOL_ST_PENDING | timed;
		else if ((old & WPOOL_ST_MASK) == WPOOL_ST_RUNNING && !(old & EVENT_AGAIN))
			new = old | EVENT_AGAIN | timed;
		else if (old & EVENT_TIMED && !timed)
			new = old & ~EVENT_TIMED;
		else
			return false;
	} while (!wpool_task_exchange(&event->task, &old, new));

	*home = (old & WPOOL_ST_MASK) == WPOOL_ST_IDLE;
	return (old & WPOOL_ST_MASK) != WPOOL_ST_PENDING && !(old & EVENT_AGAIN);
}

static __always_inline bool fire(struct wpool_event *event, int cpu)
{
	unsigned long flags;
	bool ret, home;

	wpool_debug_assert_init(&event->task);
	if (in_nmi() || !wpool_event_has_pool(event))
		return false;
	local_irq_save(flags);
	ret = event_mark_fired(event, 0, &home);
	if (home)
		wpool_submit_event(event->task.pool, &event->task, cpu);
	local_irq_restore(flags);
	return ret;
}

bool wpool_event_fire(struct wpool_event *event)
{
	return fire(event, -1);
}
EXPORT_SYMBOL_GPL(wpool_event_fire);

bool wpool_event_fire_on(struct wpool_event *event, int cpu)
{
	return fire(event, cpu >= 0 && cpu < nr_cpu_ids && cpu_possible(cpu) ? cpu : -1);
}
EXPORT_SYMBOL_GPL(wpool_event_fire_on);

/* ---- the timer ---- */

static bool is_hr(const struct wpool_event *event)
{
	return event->task.flags & WPOOL_TASK_HREVENT;
}

static struct hrtimer *hrtimer_of(struct wpool_event *event)
{
	return &container_of(event, struct wpool_hrevent, event)->timer;
}

/*
 * Has the time come? mod_timer() may leave a timer that is about to expire where it is, and only
 * change its time: then the callback runs too early.
 */
static bool timer_is_due(struct wpool_event *event)
{
	return is_hr(event) || time_after_eq(jiffies, event->timer.expires);
}

static bool timer_is_queued(struct wpool_event *event)
{
	return is_hr(event) ? hrtimer_is_queued(hrtimer_of(event)) : timer_pending(&event->timer);
}

u64 wpool_event_expires_after(const struct wpool_event *event, unsigned long delay)
{
	if (!is_hr(event))
		return jiffies + delay;
	return ktime_add_safe(ktime_get(),
			      delay < KTIME_MAX / TICK_NSEC ? (u64)delay * TICK_NSEC : KTIME_MAX);
}

void wpool_event_timer_set(struct wpool_event *event, u64 expires)
{
	WRITE_ONCE(event->task.armed, true);
	if (is_hr(event))
		hrtimer_start(hrtimer_of(event), expires, HRTIMER_MODE_ABS_SOFT);
	else
		mod_timer(&event->timer, expires);
}

static void timer_expired(struct wpool_event *event)
{
	unsigned long flags;
	bool home = false;

	/*
	 * This runs in a softirq, where only this section has interrupts off. With TIMER_IRQSAFE
	 * or a hard hrtimer, interrupts would be off until all due events are fired.
	 */
	local_irq_save(flags);
	raw_spin_lock(&event->lock);
	if (!event->task.armed || timer_is_queued(event)) {
		/* another callback will come, or none is wanted */
	} else if (!timer_is_due(event)) {
		mod_timer(&event->timer, event->timer.expires);
	} else {
		WRITE_ONCE(event->task.armed, false);
		/* under the lock: the fire and the end of the wait are one step */
		event_mark_fired(event, EVENT_TIMED, &home);
	}
	raw_spin_unlock(&event->lock);
	if (home)
		wpool_submit_event(event->task.pool, &event->task, -1);
	local_irq_restore(flags);
}

/* CONFIG_DEBUG_OBJECTS shows an armed event under this name, an hrevent under the next one. */
static void event_timer_expired(struct timer_list *timer)
{
	struct wpool_event *event = timer_container_of(event, timer, timer);

	timer_expired(event);
}

static enum hrtimer_restart hrevent_timer_expired(struct hrtimer *timer)
{
	timer_expired(&container_of(timer, struct wpool_hrevent, timer)->event);
	return HRTIMER_NORESTART;
}

static bool arm_timer(struct wpool_event *event, u64 expires)
{
	unsigned long flags;
	bool ret;
	int state;

	if (!wpool_event_has_pool(event))
		return false;
	raw_spin_lock_irqsave(&event->lock, flags);
	state = atomic_read(&event->task.state);
	ret = !event->task.armed && !(state & (WPOOL_ST_DISABLED_MASK | EVENT_AGAIN)) &&
	      (state & WPOOL_ST_MASK) != WPOOL_ST_PENDING;
	if (ret)
		wpool_event_timer_set(event, expires);
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}

bool wpool_event_arm_at(struct wpool_event *event, unsigned long expires)
{
	return !in_nmi() && arm_timer(event, expires);
}
EXPORT_SYMBOL_GPL(wpool_event_arm_at);

bool wpool_event_arm(struct wpool_event *event, unsigned long delay)
{
	return wpool_event_arm_at(event, jiffies + delay);
}
EXPORT_SYMBOL_GPL(wpool_event_arm);

bool wpool_hrevent_arm_at(struct wpool_hrevent *event, ktime_t expires)
{
	return !in_nmi() && arm_timer(&event->event, expires);
}
EXPORT_SYMBOL_GPL(wpool_hrevent_arm_at);

bool wpool_hrevent_arm(struct wpool_hrevent *event, ktime_t delay)
{
	return wpool_hrevent_arm_at(event, ktime_add_safe(ktime_get(), max_t(ktime_t, delay, 0)));
}
EXPORT_SYMBOL_GPL(wpool_hrevent_arm);

bool wpool_event_timer_stop(struct wpool_event *event)
{
	lockdep_assert_held(&event->lock);
	if (!event->task.armed)
		return false;
	WRITE_ONCE(event->task.armed, false);
	/* a callback that is running will find the event not armed */
	if (is_hr(event))
		hrtimer_try_to_cancel(hrtimer_of(event));
	else
		timer_delete(&event->timer);
	return true;
}

bool wpool_event_disarm(struct wpool_event *event, int ending)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&event->lock, flags);
	if (ending)
		atomic_add(ending, &event->task.state);
	ret = wpool_event_timer_stop(event);
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}

bool wpool_event_disarm_sync(struct wpool_event *event)
{
	bool ret;

	raw_spin_lock_irq(&event->lock);
	atomic_add(WPOOL_ST_DISABLED, &event->task.state);
	ret = event->task.armed;
	WRITE_ONCE(event->task.armed, false);
	raw_spin_unlock_irq(&event->lock);
	/* from here on a callback finds the event not armed, and no thread arms it */
	if (is_hr(event))
		hrtimer_cancel(hrtimer_of(event));
	else
		timer_delete_sync(&event->timer);
	return ret;
}

void wpool_event_timer_init(struct wpool_event *event)
{
	raw_spin_lock_init(&event->lock);
	timer_setup(&event->timer, event_timer_expired, 0);
	event->timer.expires = jiffies;
	if (is_hr(event))
		hrtimer_setup(hrtimer_of(event), hrevent_timer_expired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_SOFT);
}
