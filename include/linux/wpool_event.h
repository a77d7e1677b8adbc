/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: tasks that wait for a fire, a time or a file, and hold no worker meanwhile.
 *
 * Contexts of the functions that fire, arm, cancel or disable an event: any except NMI, and not
 * with scheduler locks held. Of those whose names end in _sync: process context; sleeps,
 * uninterruptibly, only if another thread is running, queueing or ending the event.
 */
#ifndef _LINUX_WPOOL_EVENT_H
#define _LINUX_WPOOL_EVENT_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/wpool.h>

struct file;
struct wpool_event;

/**
 * typedef wpool_event_fn - the function of an event
 * @event: the event itself; container_of() leads to the caller's object
 *
 * When the function starts, the event is no longer armed, and a fire from then on runs the function
 * once more. The function may arm the event again, and may free it after wpool_event_finish().
 *
 * Context: as &typedef wpool_task_fn.
 */
typedef void (*wpool_event_fn)(struct wpool_event *event);

/**
 * typedef wpool_event_abort_fn - is called instead of an event's function
 * @event: the event; it may be freed after wpool_event_finish()
 * @status: -ESHUTDOWN if the pool was closed when the event fired or while it waited for room, or
 *	with %WPOOL_RELEASE_CANCEL before the function started, -ETIME if the event had waited for
 *	longer than max_wait_ms, -EIO if the worker died in the function
 *
 * Context: as &typedef wpool_abort_fn.
 */
typedef void (*wpool_event_abort_fn)(struct wpool_event *event, int status);

/**
 * struct wpool_event - a task that waits without a worker
 * @task: only for wpool_task_set_urgent()
 *
 * An event waits for a time or for wpool_event_fire(), whichever comes first. While it
 * waits it is *armed*, and holds no worker and no room in its pool. When the wait is over, the
 * event's function runs in the pool as a task: at once, or, if the pool is full, when its turn
 * comes among the submitters that wait. An open pool never refuses it, whatever max_blocking and
 * the policy are. All other fields are private.
 *
 * Documentation/modules.rst has an example.
 *
 * The owner must call wpool_event_cancel_sync() before it frees the event, unless the event's own
 * function called wpool_event_finish(), and before it unloads the functions. wpool_flush() and
 * wpool_destroy() do not wait for an armed event, and an armed event does not keep the pool's
 * memory. So cancel events before you destroy their pool, as delayed work before its workqueue, or
 * hold a reference to the pool as long as an event is armed or may be fired.
 *
 * An event that ends with -ESHUTDOWN or -ETIME runs its abort function instead of its function.
 * Without an abort function it just ends; wpool_event_cancel_sync() returns the status.
 */
struct wpool_event {
	struct wpool_task task;
	/* private: */
	wpool_event_fn func;
	wpool_event_abort_fn abort;
	struct timer_list timer;
	raw_spinlock_t lock; /* protects task.armed and the timer */
};

/* state of an event: the function runs only because the time has come */
#define WPOOL_EVENT_TIMED_OUT	BIT(2)

#if !defined(CONFIG_LOCKDEP) && !defined(CONFIG_DEBUG_SPINLOCK)
static_assert(sizeof(struct wpool_event) <= 128, "an event is at most two cache lines");
#endif

/**
 * wpool_event_init() - prepare an event
 * @event: the event; neither armed nor pending nor running
 * @pool: the pool that its function will run in
 * @func: the function
 * @abort: called instead if @pool is closed when @func is due, if the event has waited
 *	there for longer than max_wait_ms, or after the worker died in @func; may be %NULL
 *
 * No reference to @pool is taken. The event must not be a local variable.
 */
void wpool_event_init(struct wpool_event *event, struct wpool *pool, wpool_event_fn func,
		      wpool_event_abort_fn abort);

/**
 * wpool_event_fire() - end the wait of an event: run its function
 * @event: the event, armed or not
 *
 * Needs no memory. Until the function has started, further fires change nothing. If the function is
 * running, it runs once more after it has returned, never twice at once. If the pool is full, the
 * event waits behind the submitters that wait already; until it has room, wpool_flush() does not
 * wait for it. In each case the function sees everything that the caller wrote before this call.
 * If the event is also armed, the start of the function disarms it.
 *
 * Return: true; false if the event had fired already and its function has not started, if it has no
 * pool, if another thread is in wpool_event_cancel_sync(), if the event is disabled, or in NMI.
 */
bool wpool_event_fire(struct wpool_event *event);

/*
 * As wpool_event_fire(), for a CPU as that of wpool_submit_on(): a preference, which is lost if the
 * pool is full or the function is running. A CPU that is not possible is no preference.
 */
bool wpool_event_fire_on(struct wpool_event *event, int cpu);

/**
 * wpool_event_arm() - let an event wait for a time
 * @event: the event
 * @delay: in jiffies, from now
 *
 * Does nothing if the event is armed already or disabled, or has fired and its function has
 * not started. As queue_delayed_work(), except that a @delay of 0 lasts until the next tick.
 *
 * Return: true if the event was armed by this call.
 */
bool wpool_event_arm(struct wpool_event *event, unsigned long delay);

/*
 * As wpool_event_arm(), until a point in time, in jiffies. If the next time is the last one plus a
 * period, the period does not drift, however late the function runs.
 */
bool wpool_event_arm_at(struct wpool_event *event, unsigned long expires);

/**
 * wpool_event_mod() - arm an event for another time
 * @event: the event; must not be freed during the call, not even by its own function
 * @delay: in jiffies, from now
 *
 * As mod_delayed_work(): if the event is armed, its time changes; if it has fired and its function
 * has not started, the fire is taken back.
 *
 * Return: true if the event was armed before, or a fire was taken back.
 */
bool wpool_event_mod(struct wpool_event *event, unsigned long delay);

/**
 * struct wpool_hrevent - an event whose times are exact
 * @event: the event; pass it to the functions of events, except those that have a form below
 *
 * The timer is an hrtimer (CLOCK_MONOTONIC), which expires in a softirq. A struct wpool_event has
 * the precision of a tick, and is smaller. The functions of an hrevent do what those of an event do
 * that have the same names, in the same contexts; their times are of CLOCK_MONOTONIC. The delay of
 * wpool_event_mod() is in jiffies here, too.
 */
struct wpool_hrevent {
	struct wpool_event event;
	/* private: */
	struct hrtimer timer;
};

void wpool_hrevent_init(struct wpool_hrevent *event, struct wpool *pool, wpool_event_fn func,
			wpool_event_abort_fn abort);
bool wpool_hrevent_arm(struct wpool_hrevent *event, ktime_t delay);
bool wpool_hrevent_arm_at(struct wpool_hrevent *event, ktime_t expires);

/**
 * wpool_event_timed_out() - did the wait end by time alone?
 * @event: the event
 *
 * Context: the event's function.
 * Return: true if the function runs because the time has come; false if the event was also fired
 * by a call before the function started.
 */
static inline bool wpool_event_timed_out(const struct wpool_event *event)
{
	return atomic_read(&event->task.state) & WPOOL_EVENT_TIMED_OUT;
}

/**
 * wpool_event_current() - the event whose function makes this call
 *
 * Context: any.
 * Return: the event; %NULL after the function has called wpool_event_finish(), in an abort
 * function, in any other thread and in an interrupt.
 */
struct wpool_event *wpool_event_current(void);

/**
 * wpool_event_cancel() - end the wait of an event without running its function
 * @event: the event; must not be freed during the call
 *
 * Disarms the event, and takes back a fire whose function has not started. A function that is
 * running continues, and may arm the event again; a later fire runs the function again. The abort
 * function is not called. If the pool has accepted the event already, the event keeps its room
 * until its turn comes, and is counted as completed, or as overdue. A fire before that turn takes
 * over the room, and the time that the event has waited.
 *
 * Return: true if the event was armed, or a fire was taken back.
 */
bool wpool_event_cancel(struct wpool_event *event);

/**
 * wpool_event_cancel_sync() - cancel an event and get its memory back
 * @event: the event
 *
 * As wpool_event_cancel(), and waits for the function or the abort function if it is running. The
 * call does not wait for other tasks: if the pool has accepted the event, the event is taken out,
 * and counted as cancelled. But if a closed pool has refused the event, the call waits until
 * the thread that calls abort functions reaches the event. So an abort function must not call
 * wpool_event_cancel_sync() for another event.
 *
 * During the call the event can neither be fired nor armed, so even a function that always arms its
 * event again ends. Before the caller frees the event, it makes sure that no call that fires, arms
 * or cancels the event is still running, and that none follows.
 *
 * Return:
 * * -ECANCELED - the event was armed, or had fired, and this call took that back
 * * 0 - the function returned, or the event never fired, or another call took the fire back
 * * -ESHUTDOWN - the pool was closed when the event fired last or while it waited for room, or was
 *   released with %WPOOL_RELEASE_CANCEL before the function had started
 * * -ETIME - the event had waited in the pool for longer than max_wait_ms, and was not run
 * * -EIO - the worker died in the function
 * * -EDEADLK - called by the event's own function, and nothing was done
 */
int wpool_event_cancel_sync(struct wpool_event *event);

/**
 * wpool_event_disable() - cancel an event, and let nothing fire or arm it
 * @event: the event; must not be freed during the call
 *
 * As wpool_event_cancel(). From now on, and until wpool_event_enable(), the functions that
 * fire or arm the event do nothing and return false; such fires are lost, also those of a device.
 * An event that was disabled several times must be enabled as often. The model is disable_work().
 *
 * Return: as wpool_event_cancel().
 */
bool wpool_event_disable(struct wpool_event *event);

/*
 * As wpool_event_disable(), and wait until its function does not run, with the results of
 * wpool_event_cancel_sync(); after -EDEADLK the event is not disabled.
 */
int wpool_event_disable_sync(struct wpool_event *event);

/**
 * wpool_event_enable() - take back one call of wpool_event_disable()
 * @event: an event that is disabled
 *
 * This neither arms nor fires the event. Afterwards the caller checks whether fires were lost.
 *
 * Return: true if the event can be fired and armed from now on; false if it still is disabled by
 * another call, or by a wpool_event_cancel_sync() that has not returned yet.
 */
bool wpool_event_enable(struct wpool_event *event);

/**
 * wpool_event_finish() - end an event from its own function
 * @event: the event
 *
 * Disarms the event, and takes back a fire that came since the function started. From then on the
 * caller may free the event, or prepare it again. The caller makes sure that the event is not
 * fired, armed or cancelled any more. Before the module of the function is unloaded, it calls
 * wpool_flush(), which waits until the function has returned. wpool_flush() does not wait for an
 * abort function if the closed pool has refused the event; wpool_destroy() and
 * wpool_release_timeout() do.
 *
 * Context: the event's function or its abort function; process context; sleeps.
 */
void wpool_event_finish(struct wpool_event *event);

/**
 * struct wpool_watch - fires an event when a file becomes ready
 *
 * Until wpool_watch_end(), each wake-up of the file for a condition in @events of
 * wpool_watch_file() fires the event; the watch need not be begun again. As with EPOLLET, one run
 * of the function may stand for several wake-ups. So the function reads until nothing is left, or
 * calls wpool_watch_ready() last and, if the file is ready, fires the event itself.
 *
 * A watch must be zeroed before its first use. An event may have several watches. All fields are
 * private.
 */
struct wpool_watch {
	/* private: */
	struct wait_queue_entry entry;
	struct wait_queue_head *head;
	struct wpool_event *event;
	struct file *file;
	__poll_t events;
	bool missed;
};

/**
 * wpool_watch_file() - fire an event when a file is ready
 * @watch: zeroed, or ended
 * @event: the event
 * @file: the file; the watch has a reference of its own until wpool_watch_end()
 * @events: what to wait for, as for poll(2); %EPOLLERR and %EPOLLHUP are always included
 *
 * If the file is ready now, this call fires the event. The event's function may start, end the
 * watch and free it before this call returns.
 *
 * If the function may end the watch, nothing else may fire the event until this call has returned:
 * no timer, no other watch, no other thread. The simplest way is to call wpool_watch_file() in the
 * event's function: the function never runs twice at once.
 *
 * Context: process context; may sleep.
 * Return:
 * * 0 - the watch has begun, and may have ended since
 * * -EBUSY - the watch has already begun
 * * -EPERM - the file cannot be polled
 * * -EOPNOTSUPP - the file has several wait queues for polling, or none and no EPOLLERR or EPOLLHUP
 */
int wpool_watch_file(struct wpool_watch *watch, struct wpool_event *event, struct file *file,
		     __poll_t events);

/**
 * wpool_watch_ready() - poll the file of a watch
 * @watch: begun with wpool_watch_file()
 *
 * Context: process context; may sleep. The caller keeps the watch from ending meanwhile.
 * Return: as poll(2): which of the watch's events, %EPOLLERR and %EPOLLHUP hold now.
 */
__poll_t wpool_watch_ready(const struct wpool_watch *watch);

/**
 * wpool_watch_end() - end a watch
 * @watch: zeroed, begun or ended
 *
 * Afterwards no wake-up fires the event; an earlier fire is not taken back, see
 * wpool_event_cancel_sync(). The event's function may end the watch, and must do so before
 * wpool_event_finish(). If the worker died in wpool_watch_file(), the abort function must do so.
 *
 * Context: process context; not twice at once for one watch.
 */
void wpool_watch_end(struct wpool_watch *watch);

#endif /* _LINUX_WPOOL_EVENT_H */
