// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker.
 *
 * An event is a task and a timer. The task is detached, with a function in here. It waits for a
 * token and goes through the queues as any other, and is accepted and counted once for each time
 * that the event has fired. So the path of a task does not know about events, except that they
 * wait for a token without a submitter (wpool_waiters_join()). The state of the event is in
 * event->state:
 *
 *                fire               its turn                returned
 *      IDLE ----------> PENDING ----------> RUNNING -------------------> IDLE
 *       ^                | ^                 ^   |  fire: AGAIN
 *       |         cancel | | fire            |   |  cancel: AGAIN goes
 *       |                v |                 +---+
 *       +------------- CANCELLED             | returned, AGAIN: PENDING, and the task
 *         its turn, or taken out             | is submitted again
 *
 * Each arrow is one change of event->state, and one side wins it. The task is on its way
 * while the event is PENDING or CANCELLED. Otherwise it is at home: task->pool is the pool in
 * which it will run, and the thread that changes the state to PENDING submits it.
 *
 * The task comes home in event_run(), called by a worker, or in event_end(), called by a thread
 * that ends tasks which no worker will run. A cancel is only a change of state, in any context: if
 * the task waits for a token, the cancel takes it out; otherwise the task stays queued, and does
 * nothing when its turn comes. cancel_sync takes it out of the queues, too.
 *
 * The timer is the kernel's. event->lock protects it, together with task->armed:
 *
 *   armed   the timer is pending, or its callback has yet to take the lock. A callback that
 *           finds the event armed, and the timer not pending, ends the wait. Any other
 *           callback belongs to an earlier time, and does nothing.
 *
 * An armed event may also be fired by a call, which takes no lock and leaves the timer alone. The
 * wait ends when the function starts, or with a cancel. If the timer expires in between, it fires
 * an event that is fired already, which changes nothing. The end of a wait and the change of state
 * that goes with it, an expiry's or a start's, are one step under the lock. A mod is a cancel, and
 * then an arm.
 *
 * What may run at the same time:
 *
 *   fire     with everything; the change of state decides. It does not touch the event
 *            once the task is on its way, since the function may free the event.
 *   arm      with each other and with the callback: event->lock
 *   cancel_sync, finish: count as ENDING, so that no thread fires the event, or arms it under
 *            the lock; wait for a callback that is running; wait for the function. Then the
 *            memory may be freed.
 *   disable  is a cancel, or a cancel_sync, whose count stays until enable.
 *
 * Barrier pair:
 *
 *   claim:B  what a thread wrote before its fire, full barrier, the load that finds the
 *            event fired <-> the change to RUNNING, fully ordered, then the function: as
 *            claim:A in task/state.c.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/wait_bit.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>

#include "compat.h"
#include "core/current.h"
#include "core/sched.h"
#include "core/state.h"
#include "task/finish.h"
#include "task/state.h"
#include "task/submit.h"
#include "task/wait.h"
#include "task/waiters.h"

#define IDLE		0
#define PENDING		1
#define RUNNING		2
#define CANCELLED	3
#define STATE_MASK	3
#define TIMED_OUT	WPOOL_EVENT_TIMED_OUT	/* RUNNING: the timer alone made it so */
#define TIMED		BIT(3)	/* PENDING, or AGAIN: the timer alone made it so */
#define AGAIN		BIT(4)	/* RUNNING: fired, submit it when it has returned */
#define WAITED		BIT(5)	/* RUNNING: a thread sleeps until it has returned */
#define SHUT		BIT(6)	/* IDLE: ended with -ESHUTDOWN */
#define DIED		BIT(7)	/* IDLE: ended with -EIO */
#define LATE		(SHUT | DIED) /* IDLE: ended with -ETIME */
#define ENDING		BIT(8)	/* ends, or is disabled: no fire, no timer; counts from here up */
#define ENDING_MASK	(~(int)(ENDING - 1))

/* ---- fire ---- */

/*
 * Submit the task of a PENDING event that is at home; the event may be gone afterwards.
 * Interrupts are off.
 */
static void send_event(struct wpool_event *event)
{
	struct wpool_task *task = &event->task;

	atomic_set(&task->state, WPOOL_ST_PENDING);
	wpool_debug_activate(task);
	wpool_submit_event(task->pool, task);
}

/*
 * The change of state that is a fire; @home: the caller must send the task. @timed: TIMED if
 * the time has come, or 0. Returns false if the event was fired before, or ends.
 */
static bool mark_fired(struct wpool_event *event, int timed, bool *home)
{
	int old = IDLE, new;

	*home = likely(atomic_try_cmpxchg(&event->state, &old, PENDING | timed));
	if (*home)
		return true;
	/* claim:B, since an exchange that failed orders nothing */
	smp_mb();
	old = atomic_read(&event->state);
	do {
		if (old & ENDING_MASK)
			return false;
		if ((old & STATE_MASK) == IDLE || (old & STATE_MASK) == CANCELLED)
			new = PENDING | timed;
		else if ((old & STATE_MASK) == RUNNING && !(old & AGAIN))
			new = old | AGAIN | timed;
		else if (old & TIMED && !timed)
			new = old & ~TIMED;
		else
			return false;
	} while (!atomic_try_cmpxchg(&event->state, &old, new));

	*home = (old & STATE_MASK) == IDLE;
	return (old & STATE_MASK) != PENDING && !(old & AGAIN);
}

/* Has the event a pool? If not, it was not initialised, or was given none. */
static bool has_pool(const struct wpool_event *event)
{
	return READ_ONCE(event->task.pool);
}

bool wpool_event_fire(struct wpool_event *event)
{
	unsigned long flags;
	bool ret, home;

	wpool_debug_assert_init(&event->task);
	if (in_nmi() || !has_pool(event))
		return false;
	local_irq_save(flags);
	ret = mark_fired(event, 0, &home);
	if (home)
		send_event(event);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_fire);

/* ---- the timer ---- */

static bool is_hr(const struct wpool_event *event)
{
	return event->task.flags & WPOOL_TASK_HREVENT;
}

static struct hrtimer *hrtimer_of(struct wpool_event *event)
{
	return &container_of(event, struct wpool_hrevent, event)->timer;
}

static bool timer_is_queued(struct wpool_event *event)
{
	return is_hr(event) ? hrtimer_is_queued(hrtimer_of(event)) : timer_pending(&event->timer);
}

/* Start the timer, or change its time. */
static void timer_set(struct wpool_event *event, u64 expires)
	__must_hold(&event->lock)
{
	lockdep_assert_held(&event->lock);
	WRITE_ONCE(event->task.armed, true);
	if (is_hr(event))
		hrtimer_start(hrtimer_of(event), expires, HRTIMER_MODE_ABS_SOFT);
	else
		mod_timer(&event->timer, expires);
}

/* Wait until no callback of the timer is running; nobody arms the event. */
static void timer_sync(struct wpool_event *event)
{
	if (is_hr(event))
		hrtimer_cancel(hrtimer_of(event));
	else
		timer_delete_sync(&event->timer);
}

/* The callback of both timers. */
static void timer_expired(struct wpool_event *event)
{
	unsigned long flags;
	bool home = false;

	/*
	 * In a softirq: TIMER_IRQSAFE and hard hrtimers would keep interrupts off until all events
	 * are fired that are due
	 */
	local_irq_save(flags);
	raw_spin_lock(&event->lock);
	if (event->task.armed && !timer_is_queued(event)) {
		WRITE_ONCE(event->task.armed, false);
		/* under the lock, so that this and the end of the wait are one step */
		mark_fired(event, TIMED, &home);
	}
	raw_spin_unlock(&event->lock);
	if (home)
		send_event(event);
	local_irq_restore(flags);
}

static void timer_fn(struct timer_list *timer)
{
	struct wpool_event *event = timer_container_of(event, timer, timer);

	timer_expired(event);
}

static enum hrtimer_restart hrtimer_fn(struct hrtimer *timer)
{
	timer_expired(&container_of(timer, struct wpool_hrevent, timer)->event);
	return HRTIMER_NORESTART;
}

static bool arm_timer(struct wpool_event *event, u64 expires)
{
	unsigned long flags;
	bool ret;
	int state;

	if (!has_pool(event))
		return false;
	raw_spin_lock_irqsave(&event->lock, flags);
	state = atomic_read(&event->state);
	ret = !event->task.armed && !(state & (ENDING_MASK | AGAIN)) &&
	      (state & STATE_MASK) != PENDING;
	if (ret)
		timer_set(event, expires);
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

/* End the wait; true if there was one. */
static bool timer_stop(struct wpool_event *event)
	__must_hold(&event->lock)
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

static bool disarm_timer(struct wpool_event *event)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&event->lock, flags);
	ret = timer_stop(event);
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}

/* ---- the function ---- */

/* The task has come home; false if the event was cancelled, and is IDLE now. */
static bool event_start(struct wpool_event *event, bool *gone)
{
	int old = atomic_read(&event->state);
	unsigned long flags;
	bool started = false;

	while (!started) {
		if ((old & STATE_MASK) != PENDING) {
			/* not under the lock: after this change the event may be gone */
			if (atomic_try_cmpxchg(&event->state, &old, old & ENDING_MASK))
				return false;
			continue;
		}
		/* with the end of the wait, so that no expiry comes in between */
		raw_spin_lock_irqsave(&event->lock, flags);
		started = atomic_try_cmpxchg(&event->state, &old, (old & ENDING_MASK) | RUNNING |
					     (old & TIMED ? TIMED_OUT : 0));
		if (started)
			timer_stop(event);
		raw_spin_unlock_irqrestore(&event->lock, flags);
	}
	wpool_debug_activate(&event->task);
	WRITE_ONCE(event->task.runner, current);
	event->task.gone = gone;
	return true;
}

/* The function has returned; @how: SHUT, DIED or LATE if that was the abort function, or 0. */
static void event_stop(struct wpool_event *event, int how)
{
	int old = atomic_read(&event->state), new;
	unsigned long flags;

	wpool_debug_deactivate(&event->task);
	/* before the next thread runs it */
	WRITE_ONCE(event->task.runner, NULL);
	do {
		new = old & ENDING_MASK;
		new |= old & AGAIN ? PENDING | (old & TIMED) : IDLE | how;
	} while (!atomic_try_cmpxchg(&event->state, &old, new));

	if (old & AGAIN) {
		local_irq_save(flags);
		send_event(event);
		local_irq_restore(flags);
	} else if (old & WAITED) {
		wake_up_var(event);
	}
}

/* The function of the task. */
static void event_run(struct wpool_task *task)
{
	struct wpool_event *event = container_of(task, struct wpool_event, task);
	bool gone = false;

	if (!event_start(event, &gone))
		return;
	/* what debugfs shows of the worker: the event's function, not this one */
	WRITE_ONCE(wpool_worker_self()->func, event->func);
	event->func(event);
	if (!gone)
		event_stop(event, 0);
}

/* The task's abort function: no worker will run it, or one has died in the event's function. */
static void event_end(struct wpool_task *task, int status)
{
	struct wpool_event *event = container_of(task, struct wpool_event, task);
	int how = status == -EIO ? DIED : status == -ETIME ? LATE : SHUT;
	bool gone = false;

	if (how == DIED) {
		WRITE_ONCE(task->runner, current);
		task->gone = &gone;
	} else if (!event_start(event, &gone)) {
		return;
	}
	if (event->abort)
		event->abort(event, how == SHUT ? -ESHUTDOWN : status);
	if (!gone)
		event_stop(event, how);
}

/* ---- cancel ---- */

/* Take back a fire whose function has not started; false if there is none. */
static bool event_take_back(struct wpool_event *event)
{
	int old = atomic_read(&event->state), new;

	do {
		if ((old & STATE_MASK) == PENDING)
			new = (old & ENDING_MASK) | CANCELLED;
		else if (old & AGAIN)
			new = old & ~(AGAIN | TIMED);
		else
			return false;
	} while (!atomic_try_cmpxchg(&event->state, &old, new));

	return true;
}

/* If a cancelled event waits for a token, end that wait; false if it does not. */
static bool event_take_off(struct wpool_event *event)
{
	unsigned long flags;
	bool ret;
	int old;

	/* keeps the pool */
	local_irq_save(flags);
	ret = wpool_waiters_leave(&event->task);
	if (ret) {
		wpool_debug_deactivate(&event->task);
		old = CANCELLED;
		while ((old & STATE_MASK) == CANCELLED &&
		       !atomic_try_cmpxchg(&event->state, &old, IDLE | (old & ENDING_MASK)))
			;
		/* it has fired again meanwhile */
		if ((old & STATE_MASK) != CANCELLED)
			send_event(event);
	}
	local_irq_restore(flags);
	return ret;
}

bool wpool_event_cancel(struct wpool_event *event)
{
	bool ret;

	if (in_nmi())
		return false;
	ret = disarm_timer(event);
	if (event_take_back(event)) {
		event_take_off(event);
		ret = true;
	}
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_cancel);

bool wpool_event_mod(struct wpool_event *event, unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (in_nmi() || !has_pool(event))
		return false;
	ret = wpool_event_cancel(event);
	raw_spin_lock_irqsave(&event->lock, flags);
	if (!(atomic_read(&event->state) & ENDING_MASK))
		timer_set(event, jiffies + delay);
	/* the last touch: the time may have come, and the function may free the event */
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_mod);

/* Is it no longer RUNNING? If it is, mark it, so that its end wakes the waiters. */
static bool has_returned(struct wpool_event *event)
{
	int old = atomic_read_acquire(&event->state);

	do {
		if ((old & STATE_MASK) != RUNNING)
			return true;
		if (old & WAITED)
			return false;
	} while (!atomic_try_cmpxchg(&event->state, &old, old | WAITED));

	return false;
}

bool wpool_event_disable(struct wpool_event *event)
{
	if (in_nmi())
		return false;
	atomic_add(ENDING, &event->state);
	return wpool_event_cancel(event);
}
EXPORT_SYMBOL_GPL(wpool_event_disable);

/* Bring a cancelled event home, and wait until it is IDLE; returns its state. */
static int await_idle(struct wpool_event *event)
{
	u32 tries = 0;
	int state;

	for (;;) {
		state = atomic_read_acquire(&event->state);
		if ((state & STATE_MASK) == IDLE)
			return state;
		if ((state & STATE_MASK) == RUNNING)
			wait_var_event(event, has_returned(event));
		else if (!event_take_off(event) && !wpool_finish_take_out(&event->task))
			wpool_task_await_hands(&tries);
	}
}

int wpool_event_disable_sync(struct wpool_event *event)
{
	struct wpool_task *task = &event->task;
	int state;
	bool ret;

	might_sleep();
	state = atomic_read(&event->state);
	if ((state & STATE_MASK) == RUNNING && READ_ONCE(task->runner) == current)
		return -EDEADLK;
	wpool_wait_tell_lockdep(task);
	atomic_add(ENDING, &event->state);
	ret = disarm_timer(event);
	timer_sync(event);
	ret |= event_take_back(event);
	state = await_idle(event);
	if (ret)
		return -ECANCELED;
	if ((state & LATE) == LATE)
		return -ETIME;
	return state & DIED ? -EIO : state & SHUT ? -ESHUTDOWN : 0;
}
EXPORT_SYMBOL_GPL(wpool_event_disable_sync);

bool wpool_event_enable(struct wpool_event *event)
{
	int old = atomic_read(&event->state);

	do {
		if (WARN_ONCE(!(old & ENDING_MASK),
			      "event of %ps is enabled, but is not disabled\n", event->func))
			return false;
	} while (!atomic_try_cmpxchg(&event->state, &old, old - ENDING));

	return !((old - ENDING) & ENDING_MASK);
}
EXPORT_SYMBOL_GPL(wpool_event_enable);

int wpool_event_cancel_sync(struct wpool_event *event)
{
	int ret = wpool_event_disable_sync(event);

	if (ret != -EDEADLK)
		wpool_event_enable(event);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_cancel_sync);

void wpool_event_finish(struct wpool_event *event)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_task *task = &event->task;

	might_sleep();
	if (WARN_ON_ONCE(READ_ONCE(task->runner) != current))
		return;
	atomic_add(ENDING, &event->state);
	disarm_timer(event);
	timer_sync(event);
	/* if the worker dies from here on, it must not touch the event */
	if (w && w->task == task)
		w->abort = NULL;
	*task->gone = true;
	WRITE_ONCE(task->runner, NULL);
	wpool_debug_deactivate(task);
	/* the last touch */
	atomic_set_release(&event->state, IDLE);
}
EXPORT_SYMBOL_GPL(wpool_event_finish);

/* ---- init ---- */

static void *event_hint(void *event)
{
	return ((struct wpool_event *)event)->func;
}

/* Without the timer, which the kernel may have removed already. */
static void debug_end_event(void *addr)
{
	struct wpool_event *event = addr;

	atomic_add(ENDING, &event->state);
	event_take_back(event);
	if (preemptible() && READ_ONCE(event->task.runner) != current)
		await_idle(event);
}

WPOOL_DEBUG_KIND(event);

static void init_event(struct wpool_event *event, struct wpool *pool, wpool_event_fn func,
		       wpool_event_abort_fn abort, u8 flags)
{
	wpool_debug_init_object(event, &event_descr);
	event->task = (struct wpool_task) {
		.func = event_run,
		.abort = event_end,
		.flags = WPOOL_TASK_DETACHED | WPOOL_TASK_EVENT | flags,
		.pool = IS_ERR_OR_NULL(pool) ? NULL : pool,
	};
	event->func = func;
	event->abort = abort;
	atomic_set(&event->state, IDLE);
	raw_spin_lock_init(&event->lock);
	timer_setup(&event->timer, timer_fn, 0);
	event->timer.expires = jiffies;
}

void wpool_event_init(struct wpool_event *event, struct wpool *pool, wpool_event_fn func,
		      wpool_event_abort_fn abort)
{
	init_event(event, pool, func, abort, 0);
}
EXPORT_SYMBOL_GPL(wpool_event_init);

void wpool_hrevent_init(struct wpool_hrevent *event, struct wpool *pool, wpool_event_fn func,
			wpool_event_abort_fn abort)
{
	init_event(&event->event, pool, func, abort, WPOOL_TASK_HREVENT);
	hrtimer_setup(&event->timer, hrtimer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}
EXPORT_SYMBOL_GPL(wpool_hrevent_init);
