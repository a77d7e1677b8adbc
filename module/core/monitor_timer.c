// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's timer, see monitor_timer.h. When it fires, it starts again if a pool is busy, or if
 * a thread has asked for it meanwhile: so tasks that come one at a time seldom have to start it.
 *
 * Barrier pairs. A thread makes a change that the monitor sees when it looks at all pools, executes
 * a full barrier, and reads the state of the timer:
 *
 *   wpool_running_enter:A   a worker is counted as running (counts.c)
 *   wpool_idle_wake:A       a parked worker is picked, and so counted as running (idle.c); the
 *                           same for a new worker, and for one from the reserve
 *   wpool_sched_push:A      a task is queued (sched.h); then a worker is woken, which
 *                           sets the timer; or wake_one() in wake.c wakes none, and sets it
 *   apply_attrs:A           hand-off is enabled (pool/tune.c): workers that run
 *                           already did not keep the timer on
 *   wait:A, join:A          a submitter, or an event, waits for a token (task/waiters.c)
 *   wpool_notify_tell:A     a pool has news (notify.c)
 *
 *   timer_fires:A           the state is OFF, barrier, look at all pools
 *
 * Either the thread that made the change finds the state OFF and starts the timer, or the look sees
 * the change, and timer_fires() starts the timer.
 *
 * The look visits only pools with @is_watched set. If the monitor finds a pool quiet, it clears the
 * flag, executes a full barrier, and looks again (look_at:A in monitor.c). Either the thread finds
 * the flag clear and sets it (__wpool_monitor_timer_set:A), or the second look sees the change.
 */
#include "core/monitor_timer.h"

#include <linux/hrtimer.h>
#include <linux/irqflags.h>

#include "compat.h"

enum wpool_monitor_timer_state wpool_monitor_timer_state;
u64 wpool_monitor_period_ns;

static struct hrtimer timer;
static bool (*look)(void);

static void start_timer(void)
{
	hrtimer_start(&timer, ns_to_ktime(READ_ONCE(wpool_monitor_period_ns)),
		      HRTIMER_MODE_REL_SOFT);
}

void __wpool_monitor_timer_set(struct wpool *pool)
{
	unsigned long flags;

	if (!READ_ONCE(pool->is_watched)) {
		WRITE_ONCE(pool->is_watched, true);
		/*
		 * __wpool_monitor_timer_set:A, pairs with timer_fires:A: either the timer visits
		 * this pool, or the exchange below finds the state OFF
		 */
		smp_mb();
	}
	/*
	 * An exchange, so that only one caller starts the timer. That caller must not lose its CPU
	 * before hrtimer_start(): no other thread would start the timer.
	 */
	local_irq_save(flags);
	if (xchg(&wpool_monitor_timer_state, WPOOL_TIMER_USED) == WPOOL_TIMER_OFF)
		start_timer();
	local_irq_restore(flags);
}

static enum hrtimer_restart timer_fires(struct hrtimer *unused)
{
	bool used = READ_ONCE(wpool_monitor_timer_state) == WPOOL_TIMER_USED;

	WRITE_ONCE(wpool_monitor_timer_state, WPOOL_TIMER_OFF);
	/* timer_fires:A, pairs with all barriers listed above */
	smp_mb();
	if ((look() || used) &&
	    cmpxchg(&wpool_monitor_timer_state, WPOOL_TIMER_OFF, WPOOL_TIMER_ON) == WPOOL_TIMER_OFF)
		start_timer();
	return HRTIMER_NORESTART;
}

void wpool_monitor_timer_init(bool (*look_fn)(void))
{
	look = look_fn;
	hrtimer_setup(&timer, timer_fires, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

bool wpool_monitor_timer_is_pending(void)
{
	return hrtimer_active(&timer);
}

void wpool_monitor_timer_exit(void)
{
	hrtimer_cancel(&timer);
}
