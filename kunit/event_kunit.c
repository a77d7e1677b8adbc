// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker, see struct wpool_event. Time is never the
 * measure: a case waits for what must happen, and what must not happen has a time far
 * away, or is asked for by a call that says that it cannot happen any more.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "fixture.h"

/* A time that does not come while a case runs. */
#define FAR		(1000 * HZ)

#define NR_PERIODS	20U
#define NR_LINE		40
#define NR_RACE_EVENTS	8
#define NR_RACE_FIRES	(WPK_LIMIT_TASKS / 2)
#define NR_REARMS	200

/**
 * struct ev - an event that takes notes
 * @hr: the event, with both timers; @hr.event is used where the kind does not matter
 * @jobs: for the order of its starts among those of jobs, or NULL
 * @gate: where its function waits, or NULL
 * @body: what it does then, or NULL
 * @arg: for @body
 * @runs: how often it started
 * @returns: how often it returned
 * @inside: never more than one
 * @twice: it was started while it ran
 * @timed_out: runs that were told that it was the time
 * @early: a run before the time it was armed for
 * @aborts: how often the abort function was called
 * @status: with what
 * @seq: as that of a job
 * @ret: from @body
 */
struct ev {
	struct wpool_hrevent hr;
	struct wpk_jobs *jobs;
	struct wpk_gate *gate;
	void (*body)(struct ev *ev);
	void *arg;
	atomic_t runs;
	atomic_t returns;
	atomic_t inside;
	bool twice;
	atomic_t timed_out;
	bool early;
	atomic_t aborts;
	int status;
	int seq;
	int ret;
};

#define ev_of(e) container_of(e, struct ev, hr.event)

static bool is_hr(const struct wpool_event *event)
{
	return event->task.flags & WPOOL_TASK_HREVENT;
}

static void ev_fn(struct wpool_event *event)
{
	struct ev *ev = ev_of(event);

	if (atomic_inc_return(&ev->inside) != 1)
		ev->twice = true;
	if (wpool_event_timed_out(event)) {
		atomic_inc(&ev->timed_out);
		if (is_hr(event))
			ev->early |= ktime_before(ktime_get(), wpool_hrevent_expires(&ev->hr));
		else
			ev->early |= time_before(jiffies, wpool_event_expires(event));
	}
	if (ev->jobs)
		ev->seq = atomic_inc_return(&ev->jobs->started);
	atomic_inc(&ev->runs);
	if (ev->gate)
		wpk_gate_pass(ev->gate);
	atomic_dec(&ev->inside);
	atomic_inc(&ev->returns);
	if (ev->body)
		ev->body(ev);
}

static void ev_abort(struct wpool_event *event, int status)
{
	struct ev *ev = ev_of(event);

	ev->status = status;
	atomic_inc(&ev->aborts);
}

/* Pools of the case are gone by then: none of its events is armed for soon. */
static void ev_cancel(void *data)
{
	struct ev *ev = data;

	wpool_event_cancel_sync(&ev->hr.event);
}

static struct ev *evs_init(struct kunit *test, struct wpool *pool, struct wpk_gate *gate,
			   int nr, bool hr)
{
	struct ev *evs = kunit_kcalloc(test, nr, sizeof(*evs), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, evs);
	for (i = 0; i < nr; i++) {
		if (hr)
			wpool_hrevent_init(&evs[i].hr, pool, ev_fn, ev_abort);
		else
			wpool_event_init(&evs[i].hr.event, pool, ev_fn, ev_abort);
		evs[i].gate = gate;
		KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ev_cancel, &evs[i]), 0);
	}
	return evs;
}

static struct ev *evs_create(struct kunit *test, struct wpool *pool, struct wpk_gate *gate,
			     int nr)
{
	return evs_init(test, pool, gate, nr, false);
}

static struct wpool_event *event_of(struct ev *ev)
{
	return &ev->hr.event;
}

/* A pool with one place, which a job at the gate holds. */
struct full {
	struct wpool *pool;
	struct wpk_gate *gate;
	struct wpk_jobs *first;
};

static void full_pool_attrs(struct kunit *test, struct full *full, struct wpool_attrs *attrs)
{
	full->pool = wpk_pool_attrs(test, attrs);
	full->gate = wpk_gate(test);
	full->first = wpk_jobs(test, 1, full->gate);
	wpk_jobs_submit(test, full->pool, full->first, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(full->gate, 1));
}

static void full_pool(struct kunit *test, struct full *full)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, 1, 0);
	full_pool_attrs(test, full, &attrs);
}

static void fire(void *data)
{
	struct ev *ev = data;

	ev->ret = wpool_event_fire(event_of(ev));
}

/* ---- fire ----------------------------------------------------------------- */

static void wpool_event_fire_runs_the_function(struct kunit *test)
{
	struct ev *ev = evs_create(test, wpk_pool(test, 1, 0), NULL, 1);

	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 0);
	/* And again. */
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 0);
}

static void wpool_event_fire_in_interrupts_runs_the_function(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 3);

	wpk_in_hardirq(fire, &ev[0]);
	wpk_in_irq(fire, &ev[1]);
	wpk_in_softirq(fire, &ev[2]);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[2].returns) == 1);
	KUNIT_EXPECT_TRUE(test, ev[0].ret && ev[1].ret && ev[2].ret);
}

static void wpool_event_fire_twice_before_it_ran_runs_it_once(struct kunit *test)
{
	struct full full;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 1);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(event_of(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(event_of(ev)));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 1);
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, submitted), 2);
}

static void wpool_event_fire_while_it_runs_runs_it_once_more(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct ev *ev = evs_create(test, wpk_pool(test, 4, 4), gate, 1);

	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(event_of(ev)));
	wpk_gate_open(gate);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 2);
	KUNIT_EXPECT_FALSE(test, ev->twice);
}

/* Until it has returned, it waits with itself. */
static void wpool_event_fire_while_it_runs_takes_no_place(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_gate *gate = wpk_gate(test);
	struct ev *ev = evs_create(test, pool, gate, 1);

	wpool_event_fire(event_of(ev));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_event_fire(event_of(ev));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	wpk_gate_open(gate);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
}

static void wpool_event_fire_never_runs_in_the_caller_nor_is_refused(struct kunit *test)
{
	static const enum wpool_policy policies[] = { WPOOL_BLOCK, WPOOL_FAIL, WPOOL_RUN };
	struct wpool_attrs attrs;
	struct full full;
	struct ev *ev;
	int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		wpk_attrs(&attrs, 1, 0);
		attrs.policy = policies[i];
		full_pool_attrs(test, &full, &attrs);
		ev = evs_create(test, full.pool, NULL, 1);
		KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
		KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, refused), 0);
		wpk_gate_open(full.gate);
		WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	}
}

/* ---- the line ------------------------------------------------------------- */

static struct wpk_thread *nth_waiter(struct kunit *test, struct wpool *pool,
				     struct wpk_job *job, u32 n)
{
	struct wpk_thread *thread;

	thread = wpk_thread(test, wpk_do_submit, pool, &job->task, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == n);
	return thread;
}

static void wpool_event_fire_stands_in_line_with_submitters(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *threads[2];
	struct full full;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 3);
	ev[0].jobs = jobs;
	ev[1].jobs = jobs;
	ev[2].jobs = jobs;
	wpool_event_fire(event_of(&ev[0]));
	threads[0] = nth_waiter(test, full.pool, &jobs->job[0], 2);
	wpk_in_hardirq(fire, &ev[1]);
	wpool_event_fire(event_of(&ev[2]));
	threads[1] = nth_waiter(test, full.pool, &jobs->job[1], 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, outstanding), 1);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&jobs->started) == 5);
	KUNIT_EXPECT_EQ(test, ev[0].seq, 1);
	KUNIT_EXPECT_EQ(test, jobs->job[0].seq, 2);
	KUNIT_EXPECT_EQ(test, ev[1].seq, 3);
	KUNIT_EXPECT_EQ(test, ev[2].seq, 4);
	KUNIT_EXPECT_EQ(test, jobs->job[1].seq, 5);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, free), 1);
}

static void wpool_event_fire_does_not_count_for_max_blocking(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool_attrs attrs;
	struct wpk_thread *thread;
	struct full full;
	struct ev *ev;

	wpk_attrs(&attrs, 1, 0);
	attrs.max_blocking = 1;
	full_pool_attrs(test, &full, &attrs);
	ev = evs_create(test, full.pool, NULL, 3);
	wpool_event_fire(event_of(&ev[0]));
	wpool_event_fire(event_of(&ev[1]));
	/* One submitter may wait all the same, and no other. */
	thread = nth_waiter(test, full.pool, &jobs->job[0], 3);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(&ev[2])));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 4);
	/* Those who left the line do not count as having left it twice. */
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(&ev[0])));
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), -EAGAIN);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[2].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), 0);
}

/* More than one pass serves, and a larger limit serves them, too. */
static void wpool_tune_larger_capacity_serves_events(struct kunit *test)
{
	struct wpool_attrs attrs;
	struct full full;
	struct ev *ev;
	int i;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, NR_LINE);
	for (i = 0; i < NR_LINE; i++)
		wpool_event_fire(event_of(&ev[i]));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), NR_LINE);
	attrs.capacity = 2;
	attrs.queue_depth = NR_LINE;
	KUNIT_EXPECT_EQ(test, wpool_tune(full.pool, &attrs, WPOOL_TUNE_CAPACITY |
					 WPOOL_TUNE_QUEUE_DEPTH), 0);
	for (i = 0; i < NR_LINE; i++)
		WPK_EVENTUALLY(test, atomic_read(&ev[i].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
}

/* It has had its turn. */
static void wpool_event_fire_while_it_runs_goes_behind_those_in_line(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 2);
	struct wpk_thread *thread;

	ev[0].gate = gate;
	ev[0].jobs = jobs;
	ev[1].jobs = jobs;
	wpool_event_fire(event_of(&ev[0]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_event_fire(event_of(&ev[0]));
	wpool_event_fire(event_of(&ev[1]));
	thread = nth_waiter(test, pool, &jobs->job[0], 2);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[0])), 0);
	KUNIT_EXPECT_EQ(test, ev[1].seq, 2);
	KUNIT_EXPECT_EQ(test, jobs->job[0].seq, 3);
	KUNIT_EXPECT_EQ(test, ev[0].seq, 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
}

static void wpool_flush_does_not_wait_for_armed_events(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_gate *gate = wpk_gate(test);
	struct ev *ev = evs_create(test, pool, gate, 2);
	struct wpk_thread *thread;

	KUNIT_EXPECT_TRUE(test, wpool_event_arm(event_of(&ev[0]), FAR));
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* But for one that was accepted. */
	wpool_event_fire(event_of(&ev[1]));
	thread = wpk_thread(test, wpk_do_flush, pool, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(thread));
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].returns), 1);
}

/* ---- arm ------------------------------------------------------------------ */

static void arm_and_see(struct kunit *test, struct ev *ev)
{
	if (is_hr(event_of(ev)))
		KUNIT_EXPECT_TRUE(test, wpool_hrevent_arm(&ev->hr, 3 * NSEC_PER_MSEC));
	else
		KUNIT_EXPECT_TRUE(test, wpool_event_arm(event_of(ev), 2));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 1);
	KUNIT_EXPECT_FALSE(test, ev->early);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
}

static void wpool_event_arm_runs_when_the_time_has_come(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);

	arm_and_see(test, evs_init(test, pool, NULL, 1, false));
	arm_and_see(test, evs_init(test, pool, NULL, 1, true));
}

static void wpool_event_armed_holds_nothing_of_the_pool(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, NR_LINE);
	int i;

	for (i = 0; i < NR_LINE; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_arm(event_of(&ev[i]), FAR));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 0);
	for (i = 0; i < NR_LINE; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(&ev[i])));
}

static void wpool_event_arm_armed_or_pending_does_nothing(struct kunit *test)
{
	struct full full;
	unsigned long at;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 1);
	KUNIT_EXPECT_TRUE(test, wpool_event_arm(event_of(ev), FAR));
	at = wpool_event_expires(event_of(ev));
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(event_of(ev), 1));
	KUNIT_EXPECT_EQ(test, wpool_event_expires(event_of(ev)), at);
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_cancel(event_of(ev)));
	wpool_event_fire(event_of(ev));
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(event_of(ev), FAR));
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
}

/* The wait is over when the function starts, for whatever reason. */
static void wpool_event_fire_armed_event_ends_the_wait(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	int hr;

	for (hr = 0; hr < 2; hr++) {
		struct ev *ev = evs_init(test, pool, NULL, 1, hr);

		if (hr)
			wpool_hrevent_arm(&ev->hr, ktime_set(1000, 0));
		else
			wpool_event_arm(event_of(ev), FAR);
		KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
		WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 0);
		/* Neither armed nor pending. */
		KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	}
}

static void next_period(struct ev *ev)
{
	unsigned long *start = ev->arg, runs = atomic_read(&ev->runs);
	unsigned long expires = wpool_event_expires(event_of(ev));

	if (expires != *start + 2 * runs)
		ev->early = true;
	if (runs < NR_PERIODS)
		wpool_event_arm_at(event_of(ev), expires + 2);
}

static void wpool_event_arm_at_periods_do_not_drift(struct kunit *test)
{
	struct ev *ev = evs_create(test, wpk_pool(test, 1, 0), NULL, 1);
	unsigned long *start = kunit_kzalloc(test, sizeof(*start), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, start);
	*start = jiffies;
	ev->body = next_period;
	ev->arg = start;
	KUNIT_EXPECT_TRUE(test, wpool_event_arm_at(event_of(ev), *start + 2));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == NR_PERIODS);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_FALSE(test, ev->early);
	KUNIT_EXPECT_FALSE(test, ev->twice);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), NR_PERIODS);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), NR_PERIODS);
}

/* The time comes while the event is in line: it was fired already, and not by time. */
static void wpool_event_expiry_of_a_fired_event_changes_nothing(struct kunit *test)
{
	struct full full;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 2);
	wpool_event_arm(event_of(&ev[0]), 2);
	wpool_event_fire(event_of(&ev[0]));
	/* This one by the time first, and then by somebody. */
	wpool_event_arm(event_of(&ev[1]), 2);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 2);
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(event_of(&ev[1])));
	WPK_EVENTUALLY(test, !READ_ONCE(event_of(&ev[0])->task.armed));
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[0])), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].timed_out), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].timed_out), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs), 1);
}

static void wpool_event_mod_changes_the_time(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 1), *hr;

	KUNIT_EXPECT_FALSE(test, wpool_event_mod(event_of(ev), FAR));
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(event_of(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->timed_out), 1);

	hr = evs_init(test, pool, NULL, 1, true);
	KUNIT_EXPECT_FALSE(test, wpool_hrevent_mod(&hr->hr, ktime_set(1000, 0)));
	KUNIT_EXPECT_TRUE(test, wpool_hrevent_mod(&hr->hr, NSEC_PER_MSEC));
	WPK_EVENTUALLY(test, atomic_read(&hr->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(hr)), 0);
}

static void wpool_event_mod_takes_a_fire_back(struct kunit *test)
{
	struct full full;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 1);
	wpool_event_fire(event_of(ev));
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(event_of(ev), FAR));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 0);
}

/* ---- cancel --------------------------------------------------------------- */

static void wpool_event_cancel_armed_does_not_run_until_fired(struct kunit *test)
{
	struct ev *ev = evs_create(test, wpk_pool(test, 1, 0), NULL, 1);

	wpool_event_arm(event_of(ev), FAR);
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(ev)));
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	wpool_event_arm(event_of(ev), FAR);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
}

static void wpool_event_cancel_in_line_leaves_it(struct kunit *test)
{
	struct full full;
	struct ev *ev;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, 3);
	wpool_event_fire(event_of(&ev[0]));
	wpool_event_fire(event_of(&ev[1]));
	wpool_event_fire(event_of(&ev[2]));
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(&ev[1])));
	KUNIT_EXPECT_FALSE(test, wpool_event_cancel(event_of(&ev[1])));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[0])), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 1);
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev[2].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs) + atomic_read(&ev[1].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].aborts), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, free), 1);
}

static void cancel(void *data)
{
	struct ev *ev = data;

	ev->ret = wpool_event_cancel(event_of(ev));
}

static void cancel_and_fire(void *data)
{
	struct ev *ev = data;

	ev->ret = wpool_event_cancel(event_of(ev)) && wpool_event_fire(event_of(ev));
}

/* Queued, and in line: in an interrupt, where a cancel cannot complete. */
static void wpool_event_fire_after_a_cancel_runs_once(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct ev *ev = evs_create(test, pool, NULL, 6);
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(&ev[i])));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 4);
	wpk_in_hardirq(cancel_and_fire, &ev[0]);
	cancel_and_fire(&ev[1]);
	wpk_in_hardirq(cancel_and_fire, &ev[2]);
	cancel_and_fire(&ev[3]);
	wpk_in_hardirq(cancel, &ev[4]);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_TRUE(test, ev[i].ret);
	wpk_gate_open(gate);
	for (i = 0; i < 6; i++)
		if (i != 4)
			WPK_EVENTUALLY(test, atomic_read(&ev[i].returns) == 1);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[i])), 0);
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
	struct wpk_gate *gate = wpk_gate(test);
	struct ev *ev = evs_create(test, wpk_pool(test, 1, 0), gate, 1);
	struct wpk_thread *thread;

	wpool_event_fire(event_of(ev));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = wpk_thread(test, do_cancel_sync, NULL, NULL, event_of(ev));
	WPK_EVENTUALLY(test, atomic_read(&event_of(ev)->state) >> 8 == 1);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->returns), 0);
	/* Meanwhile nobody starts it anew. */
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(event_of(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(event_of(ev), 1));
	KUNIT_EXPECT_FALSE(test, wpool_event_mod(event_of(ev), 1));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
	/* Afterwards it is as good as new. */
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
}

static void wpool_event_cancel_sync_takes_the_second_run_back(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, gate, 1);

	wpool_event_fire(event_of(ev));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_event_fire(event_of(ev));
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(event_of(ev)));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 1);
}

static void always_again(struct ev *ev)
{
	if (!wpool_event_arm(event_of(ev), 1))
		ev->ret++;
	wpool_event_fire(event_of(ev));
}

static void wpool_event_cancel_sync_ends_one_that_always_comes_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	int i;

	for (i = 0; i < NR_REARMS; i++) {
		struct ev *ev = evs_create(test, pool, NULL, 1);
		int runs;

		ev->body = always_again;
		wpool_event_fire(event_of(ev));
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&ev->runs) > (i & 3));
		wpool_event_cancel_sync(event_of(ev));
		runs = atomic_read(&ev->runs);
		KUNIT_ASSERT_EQ(test, wpool_event_cancel_sync(event_of(ev)) == -EDEADLK, 0);
		KUNIT_ASSERT_EQ(test, atomic_read(&ev->runs), runs);
		KUNIT_ASSERT_FALSE(test, event_of(ev)->task.armed);
	}
}

static void cancel_oneself(struct ev *ev)
{
	ev->ret = wpool_event_cancel_sync(event_of(ev));
}

static void wpool_event_cancel_sync_from_its_own_function_is_edeadlk(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 1);

	ev->body = cancel_oneself;
	wpool_event_fire(event_of(ev));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, ev->ret, -EDEADLK);
	/* And nothing else has come of it. */
	ev->body = NULL;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
}

/* ---- a closed pool -------------------------------------------------------- */

static void wpool_event_fire_closed_pool_is_aborted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 2);

	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(&ev[0])));
	WPK_EVENTUALLY(test, atomic_read(&ev[0].aborts) == 1);
	KUNIT_EXPECT_EQ(test, ev[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[0])), -ESHUTDOWN);
	/* Without an abort function it is not silent, either. */
	event_of(&ev[1])->abort = NULL;
	wpool_event_arm(event_of(&ev[1]), 1);
	/* fired, refused, and ended: SHUT in event.c */
	WPK_EVENTUALLY(test, atomic_read(&event_of(&ev[1])->state) == BIT(6));
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(&ev[1])), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs) + atomic_read(&ev[1].runs), 0);
}

static void wpool_release_aborts_events_in_line(struct kunit *test)
{
	struct full full;
	struct ev *ev;
	int i;

	full_pool(test, &full);
	ev = evs_create(test, full.pool, NULL, NR_LINE);
	for (i = 0; i < NR_LINE; i++)
		wpool_event_fire(event_of(&ev[i]));
	wpool_event_cancel(event_of(&ev[1]));
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	wpk_gate_open(full.gate);
	/* Destroy waits for their abort functions. */
	wpk_destroy(test, full.pool);
	for (i = 0; i < NR_LINE; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].aborts), i != 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].runs), 0);
	}
}

static void wpool_release_cancel_aborts_queued_events(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct ev *ev = evs_create(test, pool, NULL, 2);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_event_fire(event_of(&ev[0]));
	wpool_event_fire(event_of(&ev[1]));
	/* That one by its owner, who need not be told. */
	wpool_event_cancel(event_of(&ev[1]));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].aborts), 1);
	KUNIT_EXPECT_EQ(test, ev[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].aborts), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs), 0);
}

/* What was accepted before runs to its end; what it fires itself does not. */
static void wpool_release_lets_a_running_event_return(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct ev *ev = evs_create(test, pool, gate, 2);

	wpool_event_fire(event_of(&ev[0]));
	wpool_event_fire(event_of(&ev[1]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(&ev[0])));
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].aborts), 1);
	KUNIT_EXPECT_EQ(test, ev[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].aborts), 0);
}

static void abort_at_gate(struct wpool_event *event, int status)
{
	wpk_gate_pass(ev_of(event)->gate);
	ev_abort(event, status);
}

/* Of a pool that never had a worker, so that destroy waits for nothing else. */
static void wpool_destroy_waits_for_abort_functions(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_gate *gate = wpk_gate(test);
	struct ev *ev = evs_create(test, pool, gate, 1);
	struct wpk_thread *thread;

	event_of(ev)->abort = abort_at_gate;
	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(event_of(ev)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_forget(test, pool);
	thread = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	/* time to get it wrong */
	msleep(50);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 1);
}

/* The fixture has a reference, which keeps the memory. */
static void wpool_destroy_does_not_wait_for_armed_events(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 1);

	KUNIT_EXPECT_TRUE(test, wpool_event_arm(event_of(ev), FAR));
	wpk_destroy(test, pool);
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(event_of(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->aborts) == 1);
	KUNIT_EXPECT_EQ(test, ev->status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(event_of(ev)), -ESHUTDOWN);
}

static void wpool_reboot_armed_event_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct ev *ev = evs_create(test, pool, NULL, 1);

	wpool_event_arm(event_of(ev), FAR);
	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_ASSERT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(event_of(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 0);
}

/* ---- events that free themselves ------------------------------------------ */

struct loner {
	struct wpool_event event;
	atomic_t *gone;
	bool arm;
};

static void loner_fn(struct wpool_event *event)
{
	struct loner *loner = container_of(event, struct loner, event);
	atomic_t *gone = loner->gone;

	/* Armed or fired again: that goes with it. */
	if (loner->arm)
		wpool_event_arm(event, FAR);
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
	atomic_t *gone = kunit_kzalloc(test, sizeof(*gone), GFP_KERNEL);
	struct loner *loner;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, gone);
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
	/* And its abort function. */
	wpool_release(pool, WPOOL_RELEASE_DRAIN);
	loner = kzalloc(sizeof(*loner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, loner);
	wpool_event_init(&loner->event, pool, loner_fn, loner_abort);
	loner->gone = gone;
	loner->arm = true;
	wpool_event_fire(&loner->event);
	WPK_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS + 1);
}

/* ---- all at once ---------------------------------------------------------- */

struct race {
	struct ev *evs;
	u32 fired[NR_RACE_EVENTS];
	u32 taken_back[NR_RACE_EVENTS];
	u32 seed;
	bool cancels;
};

struct race_step {
	struct race *race;
	u32 random;
};

static void race_step(void *data)
{
	struct race_step *step = data;
	u32 i = step->random / 64 % NR_RACE_EVENTS;
	struct race *race = step->race;

	if (race->cancels && step->random % 8 == 0)
		race->taken_back[i] += wpool_event_cancel(event_of(&race->evs[i]));
	else
		race->fired[i] += wpool_event_fire(event_of(&race->evs[i]));
}

static int race(struct wpk_thread *thread)
{
	struct race_step step = { .race = thread->arg };
	u32 n;

	step.random = step.race->seed;
	for (n = 0; n < NR_RACE_FIRES && !wpk_stopped(thread->test); n++) {
		step.random = step.random * 1664525 + 1013904223;
		if (step.random % 32 == 1)
			wpk_in_hardirq(race_step, &step);
		else
			race_step(&step);
		if (n % 64 == 0)
			cond_resched();
	}
	return 0;
}

/* Each fire that says so is a run, each cancel that says so is one less. */
static void race_and_count(struct kunit *test, bool cancels)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct ev *evs = evs_create(test, pool, NULL, NR_RACE_EVENTS);
	struct wpk_thread *threads[3];
	struct race *races;
	int i, j, expected;

	races = kunit_kcalloc(test, ARRAY_SIZE(threads), sizeof(*races), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, races);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		races[i].evs = evs;
		races[i].seed = i + 1;
		races[i].cancels = cancels;
		threads[i] = wpk_thread(test, race, pool, NULL, &races[i]);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	WPK_ASSERT_EVENTUALLY(test, !wpk_stat(pool, waiting) && !wpk_stat(pool, outstanding));
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	for (j = 0; j < NR_RACE_EVENTS; j++) {
		expected = 0;
		for (i = 0; i < ARRAY_SIZE(threads); i++)
			expected += races[i].fired[j] - races[i].taken_back[j];
		KUNIT_EXPECT_EQ(test, atomic_read(&evs[j].runs), expected);
		KUNIT_EXPECT_FALSE(test, evs[j].twice);
		KUNIT_EXPECT_EQ(test, atomic_read(&event_of(&evs[j])->state), 0);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted),
			wpk_stat(pool, completed) + wpk_stat(pool, cancelled));
}

static void wpool_event_fire_under_load_loses_none(struct kunit *test)
{
	race_and_count(test, false);
}

static void wpool_event_cancel_under_load_loses_none(struct kunit *test)
{
	race_and_count(test, true);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(wpool_event_fire_runs_the_function),
	KUNIT_CASE(wpool_event_fire_in_interrupts_runs_the_function),
	KUNIT_CASE(wpool_event_fire_twice_before_it_ran_runs_it_once),
	KUNIT_CASE(wpool_event_fire_while_it_runs_runs_it_once_more),
	KUNIT_CASE(wpool_event_fire_while_it_runs_takes_no_place),
	KUNIT_CASE(wpool_event_fire_never_runs_in_the_caller_nor_is_refused),
	KUNIT_CASE(wpool_event_fire_stands_in_line_with_submitters),
	KUNIT_CASE(wpool_event_fire_does_not_count_for_max_blocking),
	KUNIT_CASE(wpool_event_fire_while_it_runs_goes_behind_those_in_line),
	KUNIT_CASE(wpool_tune_larger_capacity_serves_events),
	KUNIT_CASE(wpool_flush_does_not_wait_for_armed_events),
	KUNIT_CASE(wpool_event_arm_runs_when_the_time_has_come),
	KUNIT_CASE(wpool_event_armed_holds_nothing_of_the_pool),
	KUNIT_CASE(wpool_event_arm_armed_or_pending_does_nothing),
	KUNIT_CASE(wpool_event_fire_armed_event_ends_the_wait),
	KUNIT_CASE(wpool_event_arm_at_periods_do_not_drift),
	KUNIT_CASE(wpool_event_expiry_of_a_fired_event_changes_nothing),
	KUNIT_CASE(wpool_event_mod_changes_the_time),
	KUNIT_CASE(wpool_event_mod_takes_a_fire_back),
	KUNIT_CASE(wpool_event_cancel_armed_does_not_run_until_fired),
	KUNIT_CASE(wpool_event_cancel_in_line_leaves_it),
	KUNIT_CASE(wpool_event_fire_after_a_cancel_runs_once),
	KUNIT_CASE(wpool_event_cancel_sync_waits_for_the_function),
	KUNIT_CASE(wpool_event_cancel_sync_takes_the_second_run_back),
	KUNIT_CASE_SLOW(wpool_event_cancel_sync_ends_one_that_always_comes_back),
	KUNIT_CASE(wpool_event_cancel_sync_from_its_own_function_is_edeadlk),
	KUNIT_CASE(wpool_event_fire_closed_pool_is_aborted),
	KUNIT_CASE(wpool_release_aborts_events_in_line),
	KUNIT_CASE(wpool_release_cancel_aborts_queued_events),
	KUNIT_CASE(wpool_release_lets_a_running_event_return),
	KUNIT_CASE(wpool_destroy_waits_for_abort_functions),
	KUNIT_CASE(wpool_destroy_does_not_wait_for_armed_events),
	KUNIT_CASE(wpool_reboot_armed_event_runs),
	KUNIT_CASE_SLOW(wpool_event_finish_function_may_free_its_event),
	KUNIT_CASE_SLOW(wpool_event_fire_under_load_loses_none),
	KUNIT_CASE_SLOW(wpool_event_cancel_under_load_loses_none),
	{}
};

static struct kunit_suite event_suite = {
	.name = "wpool_event",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = event_cases,
};

kunit_test_suite(event_suite);
