/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: tasks that wait for a fire, a time, a file or a wait queue without a worker.
 */
#ifndef _LINUX_WPOOL_EVENT_H
#define _LINUX_WPOOL_EVENT_H

#include <linux/hrtimer.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/wpool.h>

struct file;
struct wpool_event;

/**
 * typedef wpool_event_fn - the function of an event
 * @event: the event itself; container_of() leads to the caller's object
 *
 * When it starts, the event is not armed, and a fire runs it once more. It may arm the
 * event again, and may free it after wpool_event_finish().
 *
 * Context: as &typedef wpool_task_fn.
 */
typedef void (*wpool_event_fn)(struct wpool_event *event);

/**
 * typedef wpool_event_abort_fn - is called instead of an event's function
 * @event: the event; it may be freed after wpool_event_finish()
 * @status: -ESHUTDOWN if the pool was closed when the event fired or before the function
 *	started, -ETIME if it had waited for longer than max_wait_ms, -EIO if the worker died
 *	in the function
 *
 * Context: as &typedef wpool_abort_fn; not wpool_event_cancel_sync() of another event, which
 * may wait for its own turn in the same thread.
 */
typedef void (*wpool_event_abort_fn)(struct wpool_event *event, int status);

/**
 * struct wpool_event - a task that waits without a worker
 *
 * An event waits for a time or for wpool_event_fire(), whichever comes first. While it
 * waits it is *armed*, and holds no worker and no room in its pool. When the wait is
 * over its function is run as a task of the pool: at once, or, if the pool is full, when
 * its turn comes in the line of the submitters that wait. It is never refused, and
 * max_blocking and the pool's policy do not matter. All fields are private.
 *
 *	struct conn { struct wpool_event event; ... };
 *
 *	static void conn_fn(struct wpool_event *event)
 *	{
 *		struct conn *conn = container_of(event, struct conn, event);
 *
 *		if (wpool_event_timed_out(event) || !conn_serve(conn)) {
 *			conn_detach(conn);	// no callback fires it from here on
 *			wpool_event_finish(event);
 *			kfree(conn);
 *			return;
 *		}
 *		wpool_event_arm(event, 30 * HZ);
 *	}
 *
 * The owner must call wpool_event_cancel_sync() before it frees the event, unless the
 * event's own function called wpool_event_finish(), and before it unloads the
 * functions. An armed event delays neither wpool_flush() nor wpool_destroy(), and does
 * not keep the pool's memory: cancel events before you destroy their pool, as delayed work
 * before its workqueue, or hold a reference to the pool as long as an event is armed or
 * may be fired.
 *
 * An event that ends with -ESHUTDOWN or -ETIME runs its abort function instead of its function.
 * Without one it just ends; wpool_event_cancel_sync() returns how.
 */
struct wpool_event {
	/* private: */
	struct wpool_task task;
	wpool_event_fn func;
	wpool_event_abort_fn abort;
	struct timer_list timer;
	atomic_t state;
	raw_spinlock_t lock; /* task.armed, and the timer with it */
};

/* wpool_event.state: its function runs because of the time alone */
#define WPOOL_EVENT_TIMED_OUT	BIT(2)

#if !defined(CONFIG_LOCKDEP) && !defined(CONFIG_DEBUG_SPINLOCK)
static_assert(sizeof(struct wpool_event) <= 128, "an event is at most two cache lines");
#endif

/**
 * struct wpool_hrevent - an event whose times are exact
 * @event: the event; all functions of events take it, except those that arm it
 *
 * Its timer is an hrtimer (CLOCK_MONOTONIC), which expires in a softirq. Where there is no
 * hurry, a struct wpool_event is smaller and cheaper to arm.
 */
struct wpool_hrevent {
	struct wpool_event event;
	/* private: */
	struct hrtimer timer;
};

/**
 * wpool_event_init() - prepare an event
 * @event: the event; neither armed nor pending nor running
 * @pool: the pool that its function will run in
 * @func: the function
 * @abort: called instead if @pool is closed when @func is due, if the event has waited
 *	there for longer than max_wait_ms, or after the worker died in @func; may be %NULL
 *
 * No reference to @pool is taken. The event must not be a local variable.
 *
 * Context: any.
 */
void wpool_event_init(struct wpool_event *event, struct wpool *pool, wpool_event_fn func,
		      wpool_event_abort_fn abort);

/**
 * wpool_event_set_urgent() - say whether an event's function starts before other tasks
 * @event: an event that was prepared, is not armed and has not been fired
 * @urgent: as wpool_task_set_urgent()
 *
 * Context: any.
 */
static inline void wpool_event_set_urgent(struct wpool_event *event, bool urgent)
{
	wpool_task_set_urgent(&event->task, urgent);
}

/**
 * wpool_hrevent_init() - prepare an event with an hrtimer
 * @event: as wpool_event_init()
 * @pool: as wpool_event_init()
 * @func: as wpool_event_init()
 * @abort: as wpool_event_init()
 *
 * Context: any.
 */
void wpool_hrevent_init(struct wpool_hrevent *event, struct wpool *pool, wpool_event_fn func,
			wpool_event_abort_fn abort);

/**
 * wpool_event_fire() - end the wait of an event: run its function
 * @event: the event, armed or not
 *
 * Never fails. Until the function has started, further fires change nothing. If the
 * function is running, it runs once more after it has returned, never twice at once; if
 * the pool is full, behind those that wait already. Either way it sees everything that the
 * caller wrote before this call.
 *
 * If the event is armed for a time as well, it is not any more when the function starts.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return: true; false if the event had fired already and its function has not started,
 * if wpool_event_cancel_sync() waits for the function, if the event is disabled, or in NMI.
 */
bool wpool_event_fire(struct wpool_event *event);

/**
 * wpool_event_arm() - let an event wait for a time
 * @event: the event
 * @delay: in jiffies, from now
 *
 * Does nothing if the event is armed already or disabled, or has fired and its function has
 * not started. As queue_delayed_work(), except that a @delay of 0 lasts until the next tick.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return: true if the event was armed by this call.
 */
bool wpool_event_arm(struct wpool_event *event, unsigned long delay);

/**
 * wpool_event_arm_at() - let an event wait until a point in time
 * @event: the event
 * @expires: in jiffies
 *
 * For a period that does not drift, however late the function runs:
 *
 *	wpool_event_arm_at(event, wpool_event_expires(event) + period);
 *
 * Context: as wpool_event_arm().
 * Return: as wpool_event_arm().
 */
bool wpool_event_arm_at(struct wpool_event *event, unsigned long expires);

/**
 * wpool_event_mod() - let an event wait for a time anew
 * @event: the event
 * @delay: in jiffies, from now
 *
 * If the event is armed its time changes. If it has fired and its function has not
 * started, the fire is taken back. As mod_delayed_work().
 *
 * Context: as wpool_event_arm().
 * Return: true if the event was armed, or a fire was taken back.
 */
bool wpool_event_mod(struct wpool_event *event, unsigned long delay);

/**
 * wpool_hrevent_arm() - as wpool_event_arm(), with an hrtimer
 * @event: the event
 * @delay: from now
 *
 * Context: as wpool_event_arm().
 * Return: as wpool_event_arm().
 */
bool wpool_hrevent_arm(struct wpool_hrevent *event, ktime_t delay);

/**
 * wpool_hrevent_arm_at() - as wpool_event_arm_at(), with an hrtimer
 * @event: the event
 * @expires: CLOCK_MONOTONIC
 *
 * Context: as wpool_event_arm().
 * Return: as wpool_event_arm().
 */
bool wpool_hrevent_arm_at(struct wpool_hrevent *event, ktime_t expires);

/**
 * wpool_hrevent_mod() - as wpool_event_mod(), with an hrtimer
 * @event: the event
 * @delay: from now
 *
 * Context: as wpool_event_arm().
 * Return: as wpool_event_mod().
 */
bool wpool_hrevent_mod(struct wpool_hrevent *event, ktime_t delay);

/**
 * wpool_event_expires() - the time for which an event was armed last
 * @event: the event
 *
 * Context: any; nobody arms the event meanwhile.
 * Return: a time in jiffies.
 */
static inline unsigned long wpool_event_expires(const struct wpool_event *event)
{
	return event->timer.expires;
}

/**
 * wpool_hrevent_expires() - the time for which an event was armed last
 * @event: the event
 *
 * Context: any; nobody arms the event meanwhile.
 * Return: a time of CLOCK_MONOTONIC.
 */
static inline ktime_t wpool_hrevent_expires(const struct wpool_hrevent *event)
{
	return hrtimer_get_expires(&event->timer);
}

/**
 * wpool_event_timed_out() - did nothing but the time end the wait?
 * @event: the event
 *
 * Context: the event's function.
 * Return: true if the function runs because the time has come; false if somebody has
 * fired the event before the function started, even if the time had come, too.
 */
static inline bool wpool_event_timed_out(const struct wpool_event *event)
{
	return atomic_read(&event->state) & WPOOL_EVENT_TIMED_OUT;
}

/**
 * wpool_event_cancel() - end the wait of an event without running its function
 * @event: the event; must not be freed during the call
 *
 * Disarms the event, and takes back a fire whose function has not started. The
 * function may be running, and may arm the event again; a later fire runs it. The abort
 * function is not called. If the pool has accepted the event already, it keeps that place
 * until its turn comes, and is counted as completed.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return: true if the event was armed, or a fire was taken back.
 */
bool wpool_event_cancel(struct wpool_event *event);

/**
 * wpool_event_cancel_sync() - cancel an event and get its memory back
 * @event: the event
 *
 * As wpool_event_cancel(), and waits for the function or the abort function if it is
 * running, but never behind another task. An event that a closed pool has refused is
 * handed to the thread that calls abort functions, and is waited for until its turn: so
 * an abort function must not cancel another event in this way.
 *
 * During the call the event can neither be fired nor armed: even a function that always
 * arms its event again ends. The caller makes sure that nobody fires or arms the event
 * afterwards.
 *
 * Context: process context; sleeps, uninterruptibly, only if the event is running or on
 * its way.
 * Return:
 * * -ECANCELED - the event was armed, or had fired, and this call took that back
 * * 0 - the function returned, or the event never fired
 * * -ESHUTDOWN - the pool was closed when the event fired last
 * * -ETIME - it had waited for longer than max_wait_ms after the last fire, and was not run
 * * -EIO - the worker died in the function
 * * -EDEADLK - called by the event's own function, and nothing was done
 */
int wpool_event_cancel_sync(struct wpool_event *event);

/**
 * wpool_event_disable() - cancel an event, and let nothing fire or arm it
 * @event: the event; must not be freed during the call
 *
 * As wpool_event_cancel(). From now on, and until wpool_event_enable(), the functions that
 * fire or arm the event do nothing and return false; what it would have been fired for is not
 * kept. If it is disabled several times it is to be enabled as often. The idea is
 * disable_work().
 *
 * Context: as wpool_event_cancel().
 * Return: true if the event was armed, or a fire was taken back.
 */
bool wpool_event_disable(struct wpool_event *event);

/**
 * wpool_event_disable_sync() - disable an event, and wait until its function does not run
 * @event: the event
 *
 * As wpool_event_disable() and wpool_event_cancel_sync(). A driver that calls it before it
 * stops its device need not take down first what fires the event.
 *
 * Context: as wpool_event_cancel_sync().
 * Return: as wpool_event_cancel_sync(); after -EDEADLK the event is not disabled.
 */
int wpool_event_disable_sync(struct wpool_event *event);

/**
 * wpool_event_enable() - take back one call of wpool_event_disable()
 * @event: an event that is disabled
 *
 * The event is neither armed nor fired by this. The caller looks afterwards for what it
 * would have been fired for.
 *
 * Context: any.
 * Return: true if the event can be fired and armed from now on, unless somebody is in
 * wpool_event_cancel_sync(); false if it was disabled more often.
 */
bool wpool_event_enable(struct wpool_event *event);

/**
 * wpool_event_finish() - an event's own function is done with it for good
 * @event: the event
 *
 * Disarms the event, and takes back a fire that came since the function started. From
 * then on the event is the caller's, which may free it, or prepare it anew. The caller
 * makes sure that nobody else fires, arms or cancels the event any more.
 *
 * Context: the event's function or its abort function; process context; sleeps.
 */
void wpool_event_finish(struct wpool_event *event);

/**
 * struct wpool_rcu_event - an event that is fired after an RCU grace period
 * @event: the event; all functions of events take it, and any may be used, too
 *
 * What struct rcu_work is to a workqueue: an object that readers may still see is taken
 * apart by a function that may sleep, when the last of them has left.
 *
 *	struct conn { struct wpool_rcu_event gone; ... };
 *
 *	static void conn_free(struct wpool_event *event)
 *	{
 *		struct conn *conn = container_of(event, struct conn, gone.event);
 *
 *		conn_close(conn);	// may sleep
 *		wpool_event_finish(event);
 *		kfree(conn);
 *	}
 *
 *	wpool_rcu_event_init(&conn->gone, pool, conn_free, conn_free_aborted);
 *	...
 *	hash_del_rcu(&conn->node);
 *	wpool_rcu_event_fire(&conn->gone);
 */
struct wpool_rcu_event {
	struct wpool_event event;
	/* private: */
	struct rcu_head rcu;
	atomic_t waits;
};

/**
 * wpool_rcu_event_init() - prepare an event that is fired after a grace period
 * @event: as wpool_event_init()
 * @pool: as wpool_event_init()
 * @func: as wpool_event_init()
 * @abort: as wpool_event_init()
 *
 * Context: any.
 */
void wpool_rcu_event_init(struct wpool_rcu_event *event, struct wpool *pool,
			  wpool_event_fn func, wpool_event_abort_fn abort);

/**
 * wpool_rcu_event_fire() - fire an event when all present readers of RCU have left
 * @event: the event
 *
 * Takes no worker and no room in the pool meanwhile, and is never refused: see
 * wpool_event_fire(). The grace period cannot be taken back, and its end touches the event,
 * and its pool. So if its function does not free the event, call rcu_barrier() before
 * wpool_event_cancel_sync(), and before the pool is destroyed. A function that frees it must be
 * sure that nobody calls this a second time.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return: true; false if a call before waits for its grace period still, which need not
 * cover those who became readers since.
 */
bool wpool_rcu_event_fire(struct wpool_rcu_event *event);

/**
 * struct wpool_watch - lets what happens to a file, or to a wait queue, fire an event
 *
 * Every wake-up that matters fires the event, until wpool_watch_end(): the function need
 * not ask for the next one. As with EPOLLET, several wake-ups may be one run, and the
 * function takes all that there is, or asks wpool_watch_ready() in the end and fires the
 * event itself.
 *
 *	struct conn { struct wpool_event event; struct wpool_watch watch; ... };
 *
 *	err = wpool_watch_file(&conn->watch, &conn->event, file, EPOLLIN);
 *
 * It must be zeroed before its first use. An event may have several. All fields are
 * private.
 */
struct wpool_watch {
	/* private: */
	struct wait_queue_entry entry;
	struct wait_queue_head *head;
	struct wpool_event *event;
	struct file *file;
	struct wpool_watch_beginning *beginning;
	__poll_t events;
	bool missed;
};

/**
 * wpool_watch_file() - fire an event when a file is ready
 * @watch: zeroed, or ended
 * @event: the event
 * @file: the file; the watch has a reference of its own until it ends
 * @events: what is waited for, as for poll(2); %EPOLLERR and %EPOLLHUP always are, too
 *
 * If the file is ready now, that fires the event, too. The function may start, end the
 * watch and free it before this call returns, also if something else has fired the event: its
 * time, or another watch. But a function that may free @watch must not be fired by that
 * before the call begins.
 *
 * Context: process context; may sleep.
 * Return:
 * * 0 - the watch has begun, and may have ended since
 * * -EBUSY - it has begun before
 * * -EPERM - the file cannot be polled
 * * -EOPNOTSUPP - the file wakes those who poll it through no wait queue, or several
 */
int wpool_watch_file(struct wpool_watch *watch, struct wpool_event *event, struct file *file,
		     __poll_t events);

/**
 * wpool_watch_queue() - fire an event with every wake-up of a wait queue
 * @watch: zeroed, or ended
 * @event: the event, whose function looks whether what it waits for is true
 * @head: the wait queue; it lives until the watch ends
 *
 * What became true before this call does not fire the event. The function may start, end
 * the watch and free it before this call returns, if the watch has fired the event; nothing
 * else may fire an event whose function ends @watch until the call has returned.
 *
 * Context: any except NMI, interrupts on or off; where @head may be woken.
 * Return: 0; -EBUSY if the watch has begun before.
 */
int wpool_watch_queue(struct wpool_watch *watch, struct wpool_event *event,
		      struct wait_queue_head *head);

/**
 * wpool_watch_ready() - what of that which a file's watch waits for is there now?
 * @watch: begun with wpool_watch_file()
 *
 * Context: process context; may sleep. The watch does not end meanwhile.
 * Return: as poll(2): a part of what was asked for, of %EPOLLERR and %EPOLLHUP.
 */
__poll_t wpool_watch_ready(const struct wpool_watch *watch);

/**
 * wpool_watch_end() - watch no more
 * @watch: zeroed, begun or ended
 *
 * After this no wake-up fires the event; a fire from before is still there, see
 * wpool_event_cancel_sync(). The event's function may call this, and must, before
 * wpool_event_finish().
 *
 * Context: process context; not twice at once for one watch.
 */
void wpool_watch_end(struct wpool_watch *watch);

#endif /* _LINUX_WPOOL_EVENT_H */
