// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's timer, see monitor_timer.h. When it fires, it starts again if a pool is busy, or if
 * a thread has asked for it meanwhile: so tasks that come one at a time seldom have to start it.
 *
 * Barrier pairs. A thread makes a change that the monitor sees when it looks at the pool, executes
 * a full barrier, and reads the state of the timer:
 *
 *   wpool_running_enter:A   a worker is counted as running (counts.c)
 *   wpool_idle_wake:A       a parked worker is picked, and so counted as running (idle.c); the
 *                           same for a new worker, and for one from the reserve
 *   wpool_sched_push:A      a task is queued (sched.h); then a worker is woken, which
 *                           sets the timer; or wake_one() in wake.c wakes none, and sets it
 *   apply_attrs:A           hand-off is enabled (pool/tune.c): workers that run
 *                           already did not keep the timer on
 *   wait:A                  a submitter, or an event, waits for a token (task/waiters.c)
 *   wpool_notify_tell:A     a pool has news (notify.c)
 *
 *   timer_fires:A           the state is OFF, barrier, look at the pools in the list
 *
 * Either the thread that made the change finds the state OFF and starts the timer, or the round
 * sees the change, and timer_fires() starts the timer.
 *
 * The round visits only pools in a list, which has a reference to each. A thread that sets
 * @is_watched adds the pool. If the monitor finds a pool quiet, it clears the flag, executes a full
 * barrier, and checks again (timer_fires:B). Either the thread finds the flag clear and sets it, or
 * the second check sees the change.
 */
#include "core/monitor_timer.h"

#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kobject.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>

#include "compat.h"

/* each wake-up reads it, so it is apart from the timer, which changes at each start */
enum wpool_monitor_timer_state wpool_monitor_timer_state __read_mostly;
u64 wpool_monitor_period_ns;

static struct hrtimer timer;
static bool (*monitor_round)(void);
static LLIST_HEAD(watched);		/* pools with @is_watched set */

static void start_timer(void)
{
	hrtimer_start(&timer, ns_to_ktime(READ_ONCE(wpool_monitor_period_ns)),
		      HRTIMER_MODE_REL_SOFT);
}

void __wpool_monitor_timer_set(struct wpool *pool)
{
	unsigned long flags;

	/*
	 * Exchanges, so that only one caller adds the pool, and only one starts the timer. That
	 * caller must not lose its CPU in between: no other thread would do either.
	 */
	local_irq_save(flags);
	/*
	 * __wpool_monitor_timer_set:A, llist_add() is fully ordered, pairs with timer_fires:A:
	 * either the timer visits this pool, or the exchange below finds the state OFF. A pool
	 * whose last reference is gone has nothing to watch.
	 */
	if (!READ_ONCE(pool->is_watched) && !xchg(&pool->is_watched, true) &&
	    kobject_get_unless_zero(&pool->dev.kobj))
		llist_add(&pool->monitor.node, &watched);
	if (xchg(&wpool_monitor_timer_state, WPOOL_TIMER_USED) == WPOOL_TIMER_OFF)
		start_timer();
	local_irq_restore(flags);
}

bool wpool_watched_walk(bool (*fn)(struct wpool *pool, u64 now), u64 now)
{
	struct llist_node *list = llist_del_all(&watched);
	struct wpool *pool, *next;
	bool busy, any = false;

	rcu_read_lock();
	llist_for_each_entry_safe(pool, next, list, monitor.node) {
		busy = fn(pool, now);
		if (!busy) {
			/* release: now another thread may add the node, whose next was read */
			smp_store_release(&pool->is_watched, false);
			/* timer_fires:B, as timer_fires:A, for one pool */
			smp_mb();
			/* a thread that has set the flag meanwhile has added the pool again */
			busy = fn(pool, now) && !xchg(&pool->is_watched, true);
		}
		if (busy)
			llist_add(&pool->monitor.node, &watched);
		else	/* in a softirq: the last put only queues a work */
			wpool_put(pool);
		any |= busy;
	}
	rcu_read_unlock();
	return any;
}

static enum hrtimer_restart timer_fires(struct hrtimer *unused)
{
	bool used = READ_ONCE(wpool_monitor_timer_state) == WPOOL_TIMER_USED;

	WRITE_ONCE(wpool_monitor_timer_state, WPOOL_TIMER_OFF);
	/* timer_fires:A, pairs with all barriers listed above */
	smp_mb();
	if ((monitor_round() || used) &&
	    cmpxchg(&wpool_monitor_timer_state, WPOOL_TIMER_OFF, WPOOL_TIMER_ON) == WPOOL_TIMER_OFF)
		start_timer();
	return HRTIMER_NORESTART;
}

void wpool_monitor_timer_init(bool (*round_fn)(void))
{
	monitor_round = round_fn;
	hrtimer_setup(&timer, timer_fires, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

bool wpool_monitor_timer_is_pending(void)
{
	return hrtimer_active(&timer);
}

void wpool_monitor_timer_exit(void)
{
	struct wpool *pool, *next;

	hrtimer_cancel(&timer);
	llist_for_each_entry_safe(pool, next, llist_del_all(&watched), monitor.node)
		wpool_put(pool);
}
