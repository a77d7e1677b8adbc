// SPDX-License-Identifier: GPL-2.0
/*
 * Phase event: events that are fired, armed, changed and cancelled at random, by threads and in
 * hard interrupts, in pools that are full, tuned, closed and opened meanwhile.
 *
 * A thing is an event and its counters. At the end, when the event cannot fire any more,
 *
 *   fired - taken_back <= runs + aborts <= fired + armed
 *
 * Each fire that returned true became a run, or an abort in a closed pool, or was taken back by a
 * cancel. Every run or abort had such a fire or an arming. The function never runs twice at once,
 * and an event without an owner frees itself.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_event.h>

#include "torture.h"

#define NR_THINGS	16
#define CANCEL_SYNC	3	/* wpool_event_cancel_sync() */

struct stage;

/* An event under torture. */
struct thing {
	struct wpool_hrevent hr;	/* the event; without an hrtimer only @hr.event is used */
	struct stage *stage;
	u32 nr;	/* an event with an odd number has an hrtimer */
	atomic64_t begun;	/* fires that began */
	atomic64_t done;	/* fires that returned */
	atomic64_t fired;	/* fires that returned true */
	atomic64_t armed;	/* calls that armed the event, or may have armed it */
	atomic64_t taken_back;	/* upper bound of the fires that were taken back */
	atomic64_t runs;	/* runs of the event's function */
	atomic64_t aborts;
	atomic_t inside;	/* functions that are running */
	atomic64_t seed;
};

/* An event that frees itself. */
struct loner {
	struct wpool_event event;
	struct stage *stage;
	u32 left;
};

/* A pool and its events. */
struct stage {
	struct stage_base base;
	struct thing things[NR_THINGS];
	atomic_t loners;	/* loners that have not freed themselves */
};

static struct wpool_event *event_of(struct thing *thing)
{
	return &thing->hr.event;
}

static void fire(struct thing *thing)
{
	atomic64_inc(&thing->begun);
	/* count the fire before a cancel can take it back; pairs with cancel() */
	smp_mb__after_atomic();
	atomic64_add(wpool_event_fire(event_of(thing)), &thing->fired);
	/* count the fire as done after the call; pairs with cancel() */
	smp_mb__before_atomic();
	atomic64_inc(&thing->done);
}

/* While the event is disabled, no fire and no timer runs its function. */
static int disable_and_enable(struct thing *thing)
{
	int err = wpool_event_disable_sync(event_of(thing));
	s64 runs = atomic64_read(&thing->runs) + atomic64_read(&thing->aborts);

	torture_check(!wpool_event_fire(event_of(thing)), "event %u: fired while disabled",
		      thing->nr);
	usleep_range(1, 50);
	runs -= atomic64_read(&thing->runs) + atomic64_read(&thing->aborts);
	torture_check(!runs, "event %u: %lld runs while disabled", thing->nr, -runs);
	wpool_event_enable(event_of(thing));
	return err;
}

/* A cancel may take back one earlier fire, and each fire during the call. @how: which call. */
static void cancel(struct thing *thing, u32 how)
{
	s64 done = atomic64_read(&thing->done);
	int err;

	/* read @done before the cancel; pairs with fire() */
	smp_mb();
	switch (how) {
	case 0:
		err = disable_and_enable(thing);
		break;
	case 1:
		err = wpool_event_disable(event_of(thing)) ? -ECANCELED : 0;
		wpool_event_enable(event_of(thing));
		break;
	default:
		err = wpool_event_cancel_sync(event_of(thing));
	}
	/* read @begun after the cancel; pairs with fire() */
	smp_mb();
	if (err == -ECANCELED)
		atomic64_add(1 + atomic64_read(&thing->begun) - done, &thing->taken_back);
	torture_check(err == 0 || err == -ECANCELED || err == -ESHUTDOWN,
		      "event %u: %d", thing->nr, err);
}

static void arm(struct thing *thing, u32 us)
{
	unsigned long delay = usecs_to_jiffies(us);
	bool ret;

	if (thing->nr & 1)
		ret = us & 1 ? wpool_hrevent_arm(&thing->hr, us * NSEC_PER_USEC) :
			       wpool_hrevent_arm_at(&thing->hr, ktime_add_us(ktime_get(), us));
	else
		ret = us & 1 ? wpool_event_arm(event_of(thing), delay) :
			       wpool_event_arm_at(event_of(thing), jiffies + delay);
	atomic64_add(ret, &thing->armed);
}

static void mod(struct thing *thing, u32 us)
{
	/* count first: the event may be due before the call returns */
	atomic64_inc(&thing->armed);
	if (thing->nr & 1) {
		atomic64_add(wpool_event_cancel(event_of(thing)), &thing->taken_back);
		wpool_hrevent_arm(&thing->hr, us * NSEC_PER_USEC);
	} else {
		atomic64_add(wpool_event_mod(event_of(thing), usecs_to_jiffies(us)),
			     &thing->taken_back);
	}
}

/* An action that is allowed in any context. */
static void act(struct thing *thing, struct rnd *rnd)
{
	u32 us = rnd_below(rnd, 3000);

	switch (rnd_below(rnd, 8)) {
	case 0 ... 3:
		fire(thing);
		break;
	case 4 ... 5:
		arm(thing, us);
		break;
	case 6:
		mod(thing, us);
		break;
	default:
		atomic64_add(wpool_event_cancel(event_of(thing)), &thing->taken_back);
	}
}

static void enter(struct thing *thing)
{
	stage_check(thing, atomic_inc_return(&thing->inside) == 1, "runs twice at once");
}

static void leave(struct thing *thing)
{
	atomic_dec(&thing->inside);
}

static void thing_fn(struct wpool_event *event)
{
	struct thing *thing = container_of(event, struct thing, hr.event);
	struct rnd rnd;

	enter(thing);
	atomic64_inc(&thing->runs);
	rnd_init(&rnd, atomic64_inc_return(&thing->seed));
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 500);
	if (rnd_one_in(&rnd, 2))
		act(thing, &rnd);
	/* a random event of the same pool, perhaps the one that runs */
	thing = &thing->stage->things[rnd_below(&rnd, NR_THINGS)];
	if (rnd_one_in(&rnd, 4))
		act(thing, &rnd);
	leave(container_of(event, struct thing, hr.event));
}

static void thing_abort(struct wpool_event *event, int status)
{
	struct thing *thing = container_of(event, struct thing, hr.event);

	enter(thing);
	atomic64_inc(&thing->aborts);
	stage_check(thing, status == -ESHUTDOWN, "aborted with %d", status);
	leave(thing);
}

static void loner_end(struct loner *loner)
{
	struct stage *stage = loner->stage;

	wpool_event_finish(&loner->event);
	memset(loner, 0xa5, sizeof(*loner));
	kfree(loner);
	atomic_dec(&stage->loners);
}

static void loner_fn(struct wpool_event *event)
{
	struct loner *loner = container_of(event, struct loner, event);

	wpool_event_arm(event, loner->left);
	if (!loner->left--)
		loner_end(loner);
}

static void loner_abort(struct wpool_event *event, int status)
{
	loner_end(container_of(event, struct loner, event));
}

static void loner_start(struct stage *stage, u32 delay)
{
	struct loner *loner = kmalloc(sizeof(*loner), GFP_KERNEL);

	if (!loner)
		return;
	wpool_event_init(&loner->event, stage->base.sp->pool, loner_fn, loner_abort);
	wpool_task_set_urgent(&loner->event.task, delay % 3 == 1);
	loner->stage = stage;
	loner->left = delay % 4;
	atomic_inc(&stage->loners);
	if (delay)
		wpool_event_arm(&loner->event, delay);
	else
		wpool_event_fire(&loner->event);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	act(&stage->things[rnd_below(rnd, NR_THINGS)], rnd);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct thing *thing;
	int err;

	thing = &stage->things[rnd_below(rnd, NR_THINGS)];
	switch (rnd_below(rnd, 256)) {
	case 0 ... 3:
		err = wpool_flush(stage->base.sp->pool);
		torture_check(!err, "stage %u: flush: %d", stage->base.nr, err);
		break;
	case 4 ... 35:
		cancel(thing, rnd_below(rnd, 4));
		break;
	case 36 ... 55:
		loner_start(stage, rnd_below(rnd, 8));
		break;
	default:
		act(thing, rnd);
	}
}

static bool start(void *data)
{
	struct stage *stage = data;
	struct stage_pool *sp = stage->base.sp;
	u32 i;

	for (i = 0; i < NR_THINGS; i++) {
		struct thing *thing = &stage->things[i];

		thing->stage = stage;
		thing->nr = i;
		atomic64_set(&thing->seed, seed + stage->base.nr * NR_THINGS + i);
		if (i & 1)
			wpool_hrevent_init(&thing->hr, sp->pool, thing_fn, thing_abort);
		else
			wpool_event_init(&thing->hr.event, sp->pool, thing_fn, thing_abort);
		wpool_task_set_urgent(&thing->hr.event.task, i & 2);
	}
	return true;
}

/* The events of a stage act on each other: no event is quiet before all are. */
static void take_back(void *data)
{
	struct stage *stage = data;
	u32 i;

	/* wait for events that fire at the end of a grace period */
	rcu_barrier();
	for (i = 0; i < NR_THINGS; i++)
		cancel(&stage->things[i], CANCEL_SYNC);
}

static void settle(void *data)
{
	struct stage *stage = data;
	unsigned long end = jiffies + TORTURE_PATIENCE;
	u64 runs, fired, taken_back;
	struct thing *thing;
	u32 i;

	for (i = 0; i < NR_THINGS; i++) {
		thing = &stage->things[i];
		runs = atomic64_read(&thing->runs) + atomic64_read(&thing->aborts);
		fired = atomic64_read(&thing->fired);
		taken_back = atomic64_read(&thing->taken_back);
		stage_check(thing, runs + taken_back >= fired &&
			    runs <= fired + atomic64_read(&thing->armed),
			    "%llu fired, %lld armed, %llu taken back, %lld runs, %lld aborts",
			    fired, atomic64_read(&thing->armed), taken_back,
			    atomic64_read(&thing->runs), atomic64_read(&thing->aborts));
		torture_count_tasks(atomic64_read(&thing->runs));
	}
	/* each loner fires soon, and frees itself because the pool is closed */
	while (atomic_read(&stage->loners) && time_before(jiffies, end))
		msleep(20);
	torture_check(!atomic_read(&stage->loners), "event %u: %d loners are left", stage->base.nr,
		      atomic_read(&stage->loners));
}

const struct stage_kind event_stage = {
	.name = "event",
	.size = sizeof(struct stage),
	.hands = 1,
	.rnd = RND_EVENT,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.take_back = take_back,
	.settle = settle,
};
