// SPDX-License-Identifier: GPL-2.0
/* Events that wait for room among submitters, and events of closed pools. */
#include "event.h"
#include "full_pool.h"

#define NR_LINE	40

/* A full pool, in which NR_LINE events wait for room. */
static struct wpk_ev *stand_in_line(struct kunit *test, struct wpk_full *full)
{
	struct wpk_ev *ev;
	int i;

	*full = wpk_full_pool(test);
	ev = wpk_evs(test, full->pool, NULL, NR_LINE);
	for (i = 0; i < NR_LINE; i++)
		wpool_event_fire(wpk_event(&ev[i]));
	KUNIT_EXPECT_EQ(test, wpk_stat(full->pool, waiting), NR_LINE);
	return ev;
}

static void wpool_event_fire_stands_in_line_with_submitters(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *threads[2];
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 3);

	ev[0].jobs = jobs;
	ev[1].jobs = jobs;
	ev[2].jobs = jobs;
	wpool_event_fire(wpk_event(&ev[0]));
	threads[0] = wpk_nth_waiter(test, full.pool, &jobs->job[0], 2);
	wpk_in_hardirq(wpk_ev_fire, &ev[1]);
	wpool_event_fire(wpk_event(&ev[2]));
	threads[1] = wpk_nth_waiter(test, full.pool, &jobs->job[1], 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, outstanding), 1);
	wpk_gate_open(full.gate);
	wpk_join_all(test, threads, 2);
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
	struct wpk_thread *thread;
	struct wpk_full full = wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.max_blocking = 1));
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 3);

	wpool_event_fire(wpk_event(&ev[0]));
	wpool_event_fire(wpk_event(&ev[1]));
	/* with max_blocking 1, one submitter may wait beside the events */
	thread = wpk_nth_waiter(test, full.pool, &jobs->job[0], 3);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(&ev[2])));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 4);
	/* the cancelled event does not make room for another submitter */
	KUNIT_EXPECT_TRUE(test, wpool_event_cancel(wpk_event(&ev[0])));
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, thread), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[2].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[1].task), 0);
}

/* A larger limit serves all waiting events, more than the pool serves in one step. */
static void wpool_tune_larger_capacity_serves_events(struct kunit *test)
{
	struct wpk_full full;
	int i;
	struct wpk_ev *ev = stand_in_line(test, &full);

	KUNIT_EXPECT_EQ(test, wpk_tune_with(full.pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_QUEUE_DEPTH,
					    attrs.capacity = 2, attrs.queue_depth = NR_LINE), 0);
	for (i = 0; i < NR_LINE; i++)
		WPK_EVENTUALLY(test, atomic_read(&ev[i].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
}

/* An event that is fired while it runs waits behind all others, since it just had its turn. */
static void wpool_event_fire_while_it_runs_goes_behind_those_in_line(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 2);
	struct wpk_thread *thread;

	ev[0].gate = gate;
	ev[0].jobs = jobs;
	ev[1].jobs = jobs;
	wpool_event_fire(wpk_event(&ev[0]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_event_fire(wpk_event(&ev[0]));
	wpool_event_fire(wpk_event(&ev[1]));
	thread = wpk_nth_waiter(test, pool, &jobs->job[0], 2);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(&ev[0])), 0);
	KUNIT_EXPECT_EQ(test, ev[1].seq, 2);
	KUNIT_EXPECT_EQ(test, jobs->job[0].seq, 3);
	KUNIT_EXPECT_EQ(test, ev[0].seq, 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
}

static void wpool_flush_does_not_wait_for_armed_events(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, wpk_gate(test), 2);
	struct wpk_thread *thread;

	KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[0]), WPK_FAR));
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* a flush does wait for an event that was fired */
	wpool_event_fire(wpk_event(&ev[1]));
	thread = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	wpk_waits_for(test, thread, ev->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].returns), 1);
}

/* An event without an abort function keeps the status, too. */
static void wpool_event_fire_closed_pool_is_aborted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);

	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	wpk_event(ev)->abort = NULL;
	wpool_event_arm(wpk_event(ev), 1);
	/* wait until the refused event has ended: @state is EVENT_SHUT */
	WPK_EVENTUALLY(test, atomic_read(&wpk_event(ev)->task.state) == BIT(6));
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 0);
}

static void wpool_release_aborts_events_in_line(struct kunit *test)
{
	struct wpk_full full;
	int i;
	struct wpk_ev *ev = stand_in_line(test, &full);

	wpool_event_cancel(wpk_event(&ev[1]));
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	wpk_gate_open(full.gate);
	/* wpool_destroy() waits for the abort functions of the events. */
	wpk_destroy(test, full.pool);
	for (i = 0; i < NR_LINE; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].aborts), i != 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].runs), 0);
	}
}

/* Runs that were accepted before the release end normally; a later fire is aborted. */
static void wpool_release_lets_a_running_event_return(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_ev *ev = wpk_evs(test, pool, wpk_gate(test), 2);

	wpool_event_fire(wpk_event(&ev[0]));
	wpool_event_fire(wpk_event(&ev[1]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(ev->gate, 1));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(&ev[0])));
	wpk_gate_open(ev->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].aborts), 1);
	KUNIT_EXPECT_EQ(test, ev[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].returns), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[1].aborts), 0);
}

static void abort_at_gate(struct wpool_event *event, int status)
{
	wpk_gate_pass(wpk_ev_of(event)->gate);
	wpk_ev_abort(event, status);
}

/* wpool_destroy() waits for abort functions, here of a pool that never had a worker. */
static void wpool_destroy_waits_for_abort_functions(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, wpk_gate(test), 1);
	struct wpk_thread *thread;

	wpk_event(ev)->abort = abort_at_gate;
	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(ev->gate, 1));
	wpk_forget(test, pool);
	thread = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	/* a wpool_destroy() that does not wait would return in this time */
	msleep(50);
	wpk_waits_for(test, thread, ev->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 1);
}

static void wpool_reboot_armed_event_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);

	wpool_event_arm(wpk_event(ev), WPK_FAR);
	KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_ASSERT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_mod(wpk_event(ev), 1));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 0);
}

WPK_SUITE(event_line,
	  KUNIT_CASE(wpool_event_fire_stands_in_line_with_submitters),
	  KUNIT_CASE(wpool_event_fire_does_not_count_for_max_blocking),
	  KUNIT_CASE(wpool_event_fire_while_it_runs_goes_behind_those_in_line),
	  KUNIT_CASE(wpool_tune_larger_capacity_serves_events),
	  KUNIT_CASE(wpool_flush_does_not_wait_for_armed_events),
	  KUNIT_CASE(wpool_event_fire_closed_pool_is_aborted),
	  KUNIT_CASE(wpool_release_aborts_events_in_line),
	  KUNIT_CASE(wpool_release_lets_a_running_event_return),
	  KUNIT_CASE(wpool_destroy_waits_for_abort_functions),
	  KUNIT_CASE(wpool_reboot_armed_event_runs));
