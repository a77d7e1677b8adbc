// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker.
 *
 * An event is a task and a timer. The task is detached, and its function is in this file. The task
 * waits for a token and goes through the queues like any other, and is accepted and counted once
 * for each time that the event has fired. So the path of a task does not know about events, except
 * that they wait for a token without a submitter (wpool_waiters_join()), and that task->state is
 * theirs: no thread that takes the task claims it. The states:
 *
 *                fire               its turn                returned
 *      IDLE ----------> PENDING ----------> RUNNING -------------------> IDLE
 *       ^                | ^                 ^   |  fire: AGAIN
 *       |         cancel | | fire            |   |  cancel: AGAIN goes
 *       |                v |                 +---+
 *       +------------- CANCELLED             | returned, AGAIN: PENDING, and the task
 *         its turn, or taken out             | is submitted again
 *
 * Each arrow is one change of task->state; if several threads try it, one succeeds. While the
 * event is PENDING or CANCELLED, the task is in the pool, or waits for a token. Otherwise the task
 * is in no queue: task->pool is the pool in which it will run, and the thread that changes the
 * state to PENDING submits it.
 *
 * The task leaves the pool in event_run(), its function, or in event_end(), its abort function. A
 * cancel is only a change of state, in any context: if the task waits for a token, the cancel takes
 * it out; otherwise the task stays queued, and does nothing when its turn comes. cancel_sync takes
 * the task out of the queues, too.
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
 * Concurrent calls:
 *
 *   - A fire may come at the same time as any call; the changes of state put both in order. After
 *     the submit of the task a fire does not touch the event: the function may free the event.
 *   - event->lock excludes arms and the callback of the timer from each other.
 *   - cancel_sync and finish add WPOOL_ST_DISABLED to the state, so that later fires and arms do
 *     nothing, and wait for a running callback of the timer. cancel_sync also waits for the
 *     function; the function itself calls finish. Afterwards the memory may be freed.
 *   - A disable is a cancel, or a cancel_sync, whose WPOOL_ST_DISABLED stays until enable.
 *
 * Barrier pair:
 *
 *   claim:B  what a thread wrote before its fire, full barrier, the load that finds the
 *            event fired <-> the change to RUNNING, fully ordered, then the function: as
 *            claim:A in task/state.c.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/wait_bit.h>
#include <linux/wpool_event.h>

#include "compat.h"
#include "core/current.h"
#include "core/state.h"
#include "task/finish.h"
#include "task/state.h"
#include "task/submit.h"
#include "task/wait.h"
#include "task/waiters.h"

/*
 * Bits of the state, beside WPOOL_ST_WAITED and WPOOL_EVENT_TIMED_OUT; WPOOL_ST_DISABLED counts
 * ends and disables
 */
#define EVENT_TIMED		BIT(3)	/* PENDING, or AGAIN: only the timer has fired it */
#define EVENT_AGAIN		BIT(5)	/* RUNNING: fired again while the function runs */
#define EVENT_SHUT		BIT(6)	/* IDLE: ended with -ESHUTDOWN */
#define EVENT_DIED		BIT(7)	/* IDLE: ended with -EIO */
#define EVENT_LATE		(EVENT_SHUT | EVENT_DIED) /* IDLE: ended with -ETIME */

/* Does the event have a pool? An event that was not initialised has none. */
static bool has_pool(const struct wpool_event *event)
{
	return READ_ONCE(event->task.pool);
}

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
	if (in_nmi() || !has_pool(event))
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

static bool timer_is_queued(struct wpool_event *event)
{
	return is_hr(event) ? hrtimer_is_queued(hrtimer_of(event)) : timer_pending(&event->timer);
}

/* The time after @delay jiffies: in jiffies; for an hrevent in ns of CLOCK_MONOTONIC. */
static u64 expires_after(const struct wpool_event *event, unsigned long delay)
{
	if (!is_hr(event))
		return jiffies + delay;
	return ktime_add_safe(ktime_get(),
			      delay < KTIME_MAX / TICK_NSEC ? (u64)delay * TICK_NSEC : KTIME_MAX);
}

/* Start the timer, or change its time. @expires: as above */
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

/* Stop the timer; true if the event was armed. */
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

/* Wait for a callback of the timer. The event is disabled, so that no thread arms it again. */
static void timer_sync(struct wpool_event *event)
{
	if (is_hr(event))
		hrtimer_cancel(hrtimer_of(event));
	else
		timer_delete_sync(&event->timer);
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
	} else if (!is_hr(event) && time_before(jiffies, event->timer.expires)) {
		/* mod_timer() left the timer where it was, close by, and only changed its time */
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

	if (in_nmi() || !has_pool(event))
		return false;
	raw_spin_lock_irqsave(&event->lock, flags);
	state = atomic_read(&event->task.state);
	ret = !event->task.armed && !(state & (WPOOL_ST_DISABLED_MASK | EVENT_AGAIN)) &&
	      (state & WPOOL_ST_MASK) != WPOOL_ST_PENDING;
	if (ret)
		timer_set(event, expires);
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}

bool wpool_event_arm_at(struct wpool_event *event, unsigned long expires)
{
	return arm_timer(event, expires);
}
EXPORT_SYMBOL_GPL(wpool_event_arm_at);

bool wpool_event_arm(struct wpool_event *event, unsigned long delay)
{
	return wpool_event_arm_at(event, jiffies + delay);
}
EXPORT_SYMBOL_GPL(wpool_event_arm);

bool wpool_hrevent_arm_at(struct wpool_hrevent *event, ktime_t expires)
{
	return arm_timer(&event->event, expires);
}
EXPORT_SYMBOL_GPL(wpool_hrevent_arm_at);

bool wpool_hrevent_arm(struct wpool_hrevent *event, ktime_t delay)
{
	return wpool_hrevent_arm_at(event, ktime_add_safe(ktime_get(), max_t(ktime_t, delay, 0)));
}
EXPORT_SYMBOL_GPL(wpool_hrevent_arm);

/* ---- the function ---- */

/* Make the event RUNNING. Returns false if the event was cancelled: then it is IDLE now. */
static bool event_start(struct wpool_event *event, bool *gone)
{
	int old = atomic_read(&event->task.state);
	unsigned long flags;
	bool started = false;

	while (!started) {
		if ((old & WPOOL_ST_MASK) != WPOOL_ST_PENDING) {
			/* not under the lock: after this change the event may be gone */
			if (wpool_task_exchange(&event->task, &old, old & WPOOL_ST_DISABLED_MASK))
				return false;
			continue;
		}
		/* stop the timer in the same step, so that it does not expire in between */
		raw_spin_lock_irqsave(&event->lock, flags);
		started = wpool_task_exchange(&event->task, &old,
					      (old & WPOOL_ST_DISABLED_MASK) | WPOOL_ST_RUNNING |
					      (old & EVENT_TIMED ? WPOOL_EVENT_TIMED_OUT : 0));
		if (started)
			timer_stop(event);
		raw_spin_unlock_irqrestore(&event->lock, flags);
	}
	wpool_debug_activate(&event->task);
	WRITE_ONCE(event->task.runner, current);
	event->task.gone = gone;
	return true;
}

/* The function has returned, with @how 0; or the abort function, with EVENT_SHUT, DIED or LATE. */
static void event_stop(struct wpool_event *event, int how)
{
	int old = atomic_read(&event->task.state), new;
	unsigned long flags;

	wpool_debug_deactivate(&event->task);
	/* before the change of state: after it another thread may run the event, and set @runner */
	WRITE_ONCE(event->task.runner, NULL);
	do {
		new = old & WPOOL_ST_DISABLED_MASK;
		new |= old & EVENT_AGAIN ? WPOOL_ST_PENDING | (old & EVENT_TIMED) : how;
	} while (!wpool_task_exchange(&event->task, &old, new));

	if (old & EVENT_AGAIN) {
		local_irq_save(flags);
		wpool_submit_event(event->task.pool, &event->task, -1);
		local_irq_restore(flags);
	} else if (old & WPOOL_ST_WAITED) {
		wake_up_var(event);
	}
}

static void event_run(struct wpool_task *task)
{
	struct wpool_event *event = container_of(task, struct wpool_event, task);
	bool gone = false;

	if (!event_start(event, &gone))
		return;
	/* debugfs shows that the worker is in the event's function, not in event_run() */
	WRITE_ONCE(wpool_worker_self()->func, event->func);
	event->func(event);
	if (!gone)
		event_stop(event, 0);
}

/* The task's abort function: no worker will run the task, or a worker died in event->func. */
static void event_end(struct wpool_task *task, int status)
{
	struct wpool_event *event = container_of(task, struct wpool_event, task);
	int how = status == -EIO ? EVENT_DIED : status == -ETIME ? EVENT_LATE : EVENT_SHUT;
	bool gone = false;

	if (how == EVENT_DIED) {
		WRITE_ONCE(task->runner, current);
		task->gone = &gone;
	} else if (!event_start(event, &gone)) {
		return;
	}
	if (event->abort)
		event->abort(event, how == EVENT_SHUT ? -ESHUTDOWN : status);
	if (!gone)
		event_stop(event, how);
}

/* ---- cancel ---- */

/* Take back a fire for which the function has not started; false if there is none. */
static bool event_take_back(struct wpool_event *event)
{
	int old = atomic_read(&event->task.state), new;

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_PENDING)
			new = (old & WPOOL_ST_DISABLED_MASK) | WPOOL_ST_CANCELLED;
		else if (old & EVENT_AGAIN)
			new = old & ~(EVENT_AGAIN | EVENT_TIMED);
		else
			return false;
	} while (!wpool_task_exchange(&event->task, &old, new));

	return true;
}

/* If a cancelled event waits for a token, end that wait; false if it does not. */
static bool event_take_off(struct wpool_event *event)
{
	unsigned long flags;
	bool ret;
	int old;

	/* interrupts off: the pool is freed a grace period after its last reference */
	local_irq_save(flags);
	ret = wpool_waiters_leave(&event->task);
	if (ret) {
		wpool_debug_deactivate(&event->task);
		old = WPOOL_ST_CANCELLED;
		while ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED &&
		       !wpool_task_exchange(&event->task, &old, old & WPOOL_ST_DISABLED_MASK))
			;
		/* the event was fired again meanwhile */
		if ((old & WPOOL_ST_MASK) != WPOOL_ST_CANCELLED)
			wpool_submit_event(event->task.pool, &event->task, -1);
	}
	local_irq_restore(flags);
	return ret;
}

/*
 * @ending: WPOOL_ST_DISABLED to forbid fires and arms in the same step as the timer's stop, so that
 * the timer's fire comes before it or not at all; otherwise 0
 */
static bool event_cancel(struct wpool_event *event, int ending)
{
	unsigned long flags;
	bool ret;

	if (in_nmi())
		return false;
	raw_spin_lock_irqsave(&event->lock, flags);
	atomic_add(ending, &event->task.state);
	ret = timer_stop(event);
	raw_spin_unlock_irqrestore(&event->lock, flags);
	if (event_take_back(event)) {
		event_take_off(event);
		ret = true;
	}
	return ret;
}

bool wpool_event_cancel(struct wpool_event *event)
{
	return event_cancel(event, 0);
}
EXPORT_SYMBOL_GPL(wpool_event_cancel);

bool wpool_event_mod(struct wpool_event *event, unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (in_nmi() || !has_pool(event))
		return false;
	raw_spin_lock_irqsave(&event->lock, flags);
	ret = event->task.armed;
	if (event_take_back(event)) {
		/* before the lock is released: the timer must not fire the event again */
		timer_stop(event);
		raw_spin_unlock_irqrestore(&event->lock, flags);
		event_take_off(event);
		raw_spin_lock_irqsave(&event->lock, flags);
		ret = true;
	}
	if (!(atomic_read(&event->task.state) & WPOOL_ST_DISABLED_MASK))
		timer_set(event, expires_after(event, delay));
	/* the last touch: the time may have come, and the function may free the event */
	raw_spin_unlock_irqrestore(&event->lock, flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_event_mod);

bool wpool_event_disable(struct wpool_event *event)
{
	return event_cancel(event, WPOOL_ST_DISABLED);
}
EXPORT_SYMBOL_GPL(wpool_event_disable);

/* Take a cancelled event out of the pool, and wait until it is IDLE; returns its state. */
static int await_idle(struct wpool_event *event)
{
	u32 tries = 0;
	int state;

	for (;;) {
		state = atomic_read_acquire(&event->task.state);
		if ((state & WPOOL_ST_MASK) == WPOOL_ST_IDLE)
			return state;
		if ((state & WPOOL_ST_MASK) == WPOOL_ST_RUNNING)
			wait_var_event(event, wpool_wait_done(&event->task));
		else if (!event_take_off(event) && !wpool_finish_take_out(&event->task, true))
			wpool_task_await_hands(&tries);
	}
}

int wpool_event_disable_sync(struct wpool_event *event)
{
	struct wpool_task *task = &event->task;
	int state;
	bool ret;

	might_sleep();
	state = atomic_read(&event->task.state);
	if ((state & WPOOL_ST_MASK) == WPOOL_ST_RUNNING && READ_ONCE(task->runner) == current)
		return -EDEADLK;
	wpool_wait_tell_lockdep(task);
	ret = event_cancel(event, WPOOL_ST_DISABLED);
	/* a callback that has fired the event may have yet to submit it */
	timer_sync(event);
	state = await_idle(event);
	if (ret)
		return -ECANCELED;
	if ((state & EVENT_LATE) == EVENT_LATE)
		return -ETIME;
	return state & EVENT_DIED ? -EIO : state & EVENT_SHUT ? -ESHUTDOWN : 0;
}
EXPORT_SYMBOL_GPL(wpool_event_disable_sync);

bool wpool_event_enable(struct wpool_event *event)
{
	return wpool_task_enable(&event->task);
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
	event_cancel(event, WPOOL_ST_DISABLED);
	timer_sync(event);
	/* from here on the death of the worker must not touch the event */
	if (w && w->task == task)
		w->abort = NULL;
	*task->gone = true;
	WRITE_ONCE(task->runner, NULL);
	wpool_debug_deactivate(task);
	/* the last touch of the event */
	atomic_set_release(&event->task.state, WPOOL_ST_IDLE);
}
EXPORT_SYMBOL_GPL(wpool_event_finish);

struct wpool_event *wpool_event_current(void)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_task *task;

	/* after wpool_event_finish() the event may be gone, and @abort is NULL */
	if (!w || !w->detached || w->abort != event_end)
		return NULL;
	task = w->nested ? w->outermost : w->task;
	return container_of(task, struct wpool_event, task);
}
EXPORT_SYMBOL_GPL(wpool_event_current);

static void *event_hint(void *event)
{
	return ((struct wpool_event *)event)->func;
}

/* End the event, but not its timer, which the kernel may have removed already. */
static void debug_end_event(void *addr)
{
	struct wpool_event *event = addr;

	atomic_add(WPOOL_ST_DISABLED, &event->task.state);
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
	raw_spin_lock_init(&event->lock);
	timer_setup(&event->timer, event_timer_expired, 0);
	if (is_hr(event))
		hrtimer_setup(hrtimer_of(event), hrevent_timer_expired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_SOFT);
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
}
EXPORT_SYMBOL_GPL(wpool_hrevent_init);
