// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker, see struct wpool_event. No case measures time. An event
 * that must not fire is armed for a time far away.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "compat.h"
#include "event.h"
#include "full_pool.h"
#include "group.h"
#include "strand_tasks.h"

#define NR_ARMED	40
#define NR_PERIODS	20U
#define NR_REARMS	200
#define NR_MOVES	20
#define WHEEL_TURN	64	/* ticks of the lowest level */

/*
 * An hrtimer of an event expires in a softirq: in a hard interrupt, all events that are due
 * together would expire with interrupts off.
 */
static void wpool_hrevent_arm_expires_in_a_softirq(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs_kind(test, wpk_pool(test, 1, 0), NULL, 1, true);

	KUNIT_EXPECT_TRUE(test, wpool_hrevent_arm(&ev->hr, 0));
	KUNIT_EXPECT_TRUE(test, ev->hr.timer.is_soft);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
}

/* The delay of wpool_event_mod() is in jiffies, for an hrevent, too. */
static void wpool_event_mod_of_an_hrevent_takes_jiffies(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs_kind(test, wpk_pool(test, 1, 0), NULL, 1, true);
	ktime_t before = ktime_get();

	KUNIT_EXPECT_FALSE(test, wpool_event_mod(wpk_event(ev), 7200 * HZ));
	KUNIT_EXPECT_TRUE(test, hrtimer_get_expires(&ev->hr.timer) >= before + ktime_set(7100, 0));
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(wpk_event(ev), ULONG_MAX));
	KUNIT_EXPECT_TRUE(test, hrtimer_get_expires(&ev->hr.timer) == KTIME_MAX);
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(wpk_event(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_FALSE(test, ev->early);
}

static void finish_and_prepare_again(struct wpk_ev *ev)
{
	struct wpool_event *event = wpk_event(ev);

	if (ev->ret)
		return;
	wpool_event_finish(event);
	wpool_event_init(event, ev->arg, event->func, event->abort);
	ev->ret = wpool_event_fire(event);
}

static void wpool_event_finish_function_may_prepare_its_event_again(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);

	ev->arg = pool;
	ev->body = finish_and_prepare_again;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 2);
}

struct loner {
	struct wpool_event event;
	atomic_t *gone;
	bool arm;
};

static void loner_fn(struct wpool_event *event)
{
	struct loner *loner = container_of(event, struct loner, event);
	atomic_t *gone = loner->gone;

	/* wpool_event_finish() undoes the arm or the fire */
	if (loner->arm)
		wpool_event_arm(event, WPK_FAR);
	else
		wpool_event_fire(event);
	wpool_event_finish(event);
	memset(loner, 0x5a, sizeof(*loner));
	kfree(loner);
	atomic_inc(gone);
}

static void loner_abort(struct wpool_event *event, int status)
{
	loner_fn(event);
}

static void wpool_event_finish_function_may_free_its_event(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	atomic_t *gone = wpk_alloc(test, sizeof(*gone));
	struct loner *loner;
	unsigned int i;

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		loner = kzalloc(sizeof(*loner), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, loner);
		wpool_event_init(&loner->event, pool, loner_fn, loner_abort);
		loner->gone = gone;
		loner->arm = i & 1;
		if (i & 2)
			wpool_event_arm(&loner->event, i % 8 == 2 ? 1 : 2);
		else
			wpool_event_fire(&loner->event);
	}
	WPK_ASSERT_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 6);
	/* The abort function may free the event, too. */
	wpool_release(pool, WPOOL_RELEASE_DRAIN);
	loner = kzalloc(sizeof(*loner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, loner);
	wpool_event_init(&loner->event, pool, loner_fn, loner_abort);
	loner->gone = gone;
	loner->arm = true;
	wpool_event_fire(&loner->event);
	WPK_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS + 1);
}

static void arm_and_see(struct kunit *test, struct wpk_ev *ev)
{
	if (wpk_is_hr(wpk_event(ev)))
		KUNIT_EXPECT_TRUE(test, wpool_hrevent_arm(&ev->hr, 3 * NSEC_PER_MSEC));
	else
		KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(ev), 2));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 1);
	KUNIT_EXPECT_FALSE(test, ev->early);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
}

static void wpool_event_arm_runs_when_the_time_has_come(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);

	arm_and_see(test, wpk_evs(test, pool, NULL, 1));
	arm_and_see(test, wpk_evs_kind(test, pool, NULL, 1, true));
}

static void wpool_event_armed_holds_nothing_of_the_pool(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, NR_ARMED);
	int i;

	for (i = 0; i < NR_ARMED; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[i]), WPK_FAR));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 0);
	for (i = 0; i < NR_ARMED; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_cancel(wpk_event(&ev[i])));
}

static void next_period(struct wpk_ev *ev)
{
	unsigned long *start = ev->arg, runs = atomic_read(&ev->runs);
	unsigned long expires = wpk_event(ev)->timer.expires;

	if (expires != *start + 2 * runs)
		ev->early = true;
	if (runs < NR_PERIODS)
		wpool_event_arm_at(wpk_event(ev), expires + 2);
}

static void wpool_event_arm_at_periods_do_not_drift(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 1, 0), NULL, 1);
	unsigned long *start = wpk_alloc(test, sizeof(*start));

	*start = jiffies;
	ev->body = next_period;
	ev->arg = start;
	KUNIT_EXPECT_TRUE(test, wpool_event_arm_at(wpk_event(ev), *start + 2));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == NR_PERIODS);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_FALSE(test, ev->early);
	KUNIT_EXPECT_FALSE(test, ev->twice);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), NR_PERIODS);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), NR_PERIODS);
}

/* An event that a call fires, before or after its timer expires, has not timed out. */
static void wpool_event_expiry_of_a_fired_event_changes_nothing(struct kunit *test)
{
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 2);

	wpool_event_arm(wpk_event(&ev[0]), 2);
	wpool_event_fire(wpk_event(&ev[0]));
	/* the timer fires the second event, and a call fires it again */
	wpool_event_arm(wpk_event(&ev[1]), 2);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 2);
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(&ev[1])));
	WPK_EVENTUALLY(test, !READ_ONCE(wpk_event(&ev[0])->task.armed));
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(&ev[0])), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].timed_out), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].timed_out), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs), 1);
}

/* wpool_event_mod() changes the time of an armed event; wpool_event_arm() does not. */
static void wpool_event_mod_changes_the_time(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	unsigned long at;

	KUNIT_EXPECT_FALSE(test, wpool_event_mod(wpk_event(ev), WPK_FAR));
	at = wpk_event(ev)->timer.expires;
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(wpk_event(ev), 1));
	KUNIT_EXPECT_EQ(test, wpk_event(ev)->timer.expires, at);
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(wpk_event(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 1);
}

struct mover {
	struct timer_list timer;
	struct wpool_event *event;
	unsigned long at;
	bool in_time;
	struct completion done;
};

/* Move the event by a turn of the timer wheel: to the bucket that expires now. */
static void move(struct timer_list *timer)
{
	struct mover *m = timer_container_of(m, timer, timer);

	m->in_time = timer_pending(&m->event->timer);
	m->at += WHEEL_TURN;
	wpool_event_mod(m->event, m->at - jiffies);
	complete(&m->done);
}

/*
 * An event does not fire before its time, even if it is moved while the kernel lets its timer
 * expire.
 */
static void wpool_event_mod_while_it_expires_is_not_too_early(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	struct mover m = { .event = wpk_event(ev) };
	bool moved = false;
	int i, before, after;

	timer_setup_on_stack(&m.timer, move, 0);
	init_completion(&m.done);
	for (i = 0; i < NR_MOVES && !moved; i++) {
		before = atomic_read(&ev->runs);
		/* both on this CPU; of one tick's timers, the one added last comes first */
		local_bh_disable();
		wpool_event_arm(m.event, 2);
		m.at = m.event->timer.expires;
		mod_timer(&m.timer, m.at);
		local_bh_enable();
		wait_for_completion(&m.done);
		timer_delete_sync(&m.timer);
		/* the event's timer comes next, in the same softirq */
		schedule_timeout_uninterruptible(2);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		after = atomic_read(&ev->runs);
		/* try again if the event was first, or if its time has come by now */
		moved = m.in_time && time_before(jiffies, m.at);
		if (moved)
			KUNIT_EXPECT_EQ(test, after, before);
		wpool_event_cancel_sync(m.event);
	}
	timer_destroy_on_stack(&m.timer);
	KUNIT_EXPECT_TRUE(test, moved);
}

static void cancel(void *data)
{
	struct wpk_ev *ev = data;

	ev->ret = wpool_event_cancel(wpk_event(ev));
}

static void cancel_and_fire(void *data)
{
	struct wpk_ev *ev = data;

	ev->ret = wpool_event_cancel(wpk_event(ev)) && wpool_event_fire(wpk_event(ev));
}

/*
 * An event that is cancelled and fired again runs once, whether it was queued or waited for room. A
 * cancel in an interrupt completes later.
 */
static void wpool_event_fire_after_a_cancel_runs_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 6);
	int i;

	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(&ev[i])));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 4);
	wpk_in_hardirq(cancel_and_fire, &ev[0]);
	cancel_and_fire(&ev[1]);
	wpk_in_hardirq(cancel_and_fire, &ev[2]);
	cancel_and_fire(&ev[3]);
	wpk_in_hardirq(cancel, &ev[4]);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_TRUE(test, ev[i].ret);
	wpk_gate_open(jobs->gate);
	for (i = 0; i < 6; i++)
		if (i != 4)
			WPK_EVENTUALLY(test, atomic_read(&ev[i].returns) == 1);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(&ev[i])), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].runs), i != 4);
	}
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
}

static int do_cancel_sync(struct wpk_thread *thread)
{
	return wpool_event_cancel_sync(thread->arg);
}

static void wpool_event_cancel_sync_waits_for_the_function(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 1, 0), wpk_gate(test), 1);
	struct wpk_thread *thread;

	wpool_event_fire(wpk_event(ev));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(ev->gate, 1));
	thread = wpk_thread(test, do_cancel_sync, NULL, NULL, wpk_event(ev));
	WPK_EVENTUALLY(test, atomic_read(&wpk_event(ev)->task.state) >> 8 == 1);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->returns), 0);
	/* until the cancel has returned, no call fires or arms the event */
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(wpk_event(ev), 1));
	KUNIT_EXPECT_FALSE(test, wpool_event_mod(wpk_event(ev), 1));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, ev->gate, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
	/* afterwards the event works as before */
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
}

static void always_again(struct wpk_ev *ev)
{
	if (!wpool_event_arm(wpk_event(ev), 1))
		ev->ret++;
	wpool_event_fire(wpk_event(ev));
}

static void wpool_event_cancel_sync_ends_one_that_always_comes_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	int i;

	for (i = 0; i < NR_REARMS; i++) {
		struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
		int runs;

		ev->body = always_again;
		wpool_event_fire(wpk_event(ev));
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&ev->runs) > (i & 3));
		wpool_event_cancel_sync(wpk_event(ev));
		runs = atomic_read(&ev->runs);
		KUNIT_ASSERT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)) == -EDEADLK, 0);
		KUNIT_ASSERT_EQ(test, atomic_read(&ev->runs), runs);
		KUNIT_ASSERT_FALSE(test, wpk_event(ev)->task.armed);
	}
}

/* @line: a part of the line in the log that names the task's function */
static void expect_refused(struct kunit *test, struct wpool *pool, struct wpool_task *task,
			   const char *line)
{
	const char *name = wpk_name_of(pool);

	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, task), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, 0, task), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, &task, 1, 0), -EINVAL);
	/* the kernel may suppress lines for some seconds */
	WPK_EVENTUALLY(test, !wpool_try_submit(pool, task) || wpk_lines_about(name, line));
	KUNIT_EXPECT_GT(test, wpk_lines_about(name, line), 0);
}

/* The task inside an event, or inside a task of a group or a strand, is refused as a plain task. */
static void wpool_submit_the_task_inside_another_kind_is_einval(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	struct wpk_member *member = wpk_members(test, wpk_group(test, pool, 1), NULL, 1);
	struct st_strand *of = st_strand(test, pool, 1);
	struct st *st = st_tasks(test, of, NULL, 1);

	expect_refused(test, pool, &wpk_event(ev)->task,
		       "refused the task inside an event, or inside a task of a strand or a group, of ev_fn");
	expect_refused(test, pool, &member->task.task, "a group, of wpk_member_fn");
	expect_refused(test, pool, &st->task.task, "of st_fn");
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 0);
	/* the refusals have changed nothing */
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	st_submit(test, st, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
}

WPK_SUITE(event,
	  KUNIT_CASE(wpool_hrevent_arm_expires_in_a_softirq),
	  KUNIT_CASE(wpool_event_finish_function_may_prepare_its_event_again),
	  KUNIT_CASE_SLOW(wpool_event_finish_function_may_free_its_event),
	  KUNIT_CASE(wpool_event_arm_runs_when_the_time_has_come),
	  KUNIT_CASE(wpool_event_armed_holds_nothing_of_the_pool),
	  KUNIT_CASE(wpool_event_arm_at_periods_do_not_drift),
	  KUNIT_CASE(wpool_event_expiry_of_a_fired_event_changes_nothing),
	  KUNIT_CASE(wpool_event_mod_changes_the_time),
	  KUNIT_CASE(wpool_event_mod_of_an_hrevent_takes_jiffies),
	  KUNIT_CASE(wpool_event_mod_while_it_expires_is_not_too_early),
	  KUNIT_CASE(wpool_event_fire_after_a_cancel_runs_once),
	  KUNIT_CASE(wpool_event_cancel_sync_waits_for_the_function),
	  KUNIT_CASE_SLOW(wpool_event_cancel_sync_ends_one_that_always_comes_back),
	  KUNIT_CASE(wpool_submit_the_task_inside_another_kind_is_einval));
