// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's alarm, see alarm.h. Tasks that come one by one do not start the
 * timer each: it also goes on if it was asked for since it last rang.
 *
 * Barrier pair:
 *
 *   arm:A  be counted as running, or queue a task (with a full barrier), look if
 *          the timer is on <-> look:A, say that it is off, full barrier, look at
 *          all pools. Either the timer is started again, or the look sees it.
 */
#include "core/alarm.h"

#include <linux/hrtimer.h>

#include "compat.h"

enum wpool_alarm_state wpool_alarm_state;

static struct hrtimer timer;
static u64 period;
static bool (*look)(void);

static void start_timer(void)
{
	hrtimer_start(&timer, ns_to_ktime(READ_ONCE(period)), HRTIMER_MODE_REL_SOFT);
}

void __wpool_alarm_set(void)
{
	/* arm:A, fully ordered */
	if (xchg(&wpool_alarm_state, WPOOL_ALARM_USED) == WPOOL_ALARM_OFF)
		start_timer();
}

static enum hrtimer_restart ring(struct hrtimer *unused)
{
	bool used = READ_ONCE(wpool_alarm_state) == WPOOL_ALARM_USED;

	WRITE_ONCE(wpool_alarm_state, WPOOL_ALARM_OFF);
	/* look:A */
	smp_mb();
	if ((look() || used) &&
	    cmpxchg(&wpool_alarm_state, WPOOL_ALARM_OFF, WPOOL_ALARM_ON) == WPOOL_ALARM_OFF)
		start_timer();
	return HRTIMER_NORESTART;
}

void wpool_alarm_period(u64 ns)
{
	WRITE_ONCE(period, ns);
}

void wpool_alarm_init(bool (*look_fn)(void), u64 period_ns)
{
	look = look_fn;
	period = period_ns;
	hrtimer_setup(&timer, ring, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

void wpool_alarm_exit(void)
{
	hrtimer_cancel(&timer);
}
