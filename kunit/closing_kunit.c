// SPDX-License-Identifier: GPL-2.0
/* WPOOL_RELEASE_OWN: a pool that is closed to all except its own events and tasks. */
#include "event.h"
#include "full_pool.h"

/* There is room, but each submit function refuses callers that are no task of the pool. */
static void refuses_all_others(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpool_task **tasks = jobs->tasks;

	KUNIT_EXPECT_EQ(test, wpool_submit(pool, tasks[0]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, tasks[0]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_submit_timeout(pool, tasks[0], WPK_PATIENCE), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, wpk_cpu(0), tasks[0]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 2, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 2, WPOOL_BATCH_TRY), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, wpk_do_nothing, NULL, THIS_MODULE, GFP_KERNEL),
			-ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_nr_free(pool), 0);
	/* An interrupt is no task of the pool, whatever it interrupts. */
	KUNIT_EXPECT_EQ(test, wpk_try_in(wpk_in_hardirq, pool, &jobs->job[2].task), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* The pool still accepts and runs its own events and tasks. */
static void accepts_its_own(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs,
			    struct wpk_gate *gate)
{
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 2);

	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(&ev[0])));
	KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[1]), 1));
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	wpk_jobs_ran_once(test, jobs);
}

/* WPOOL_RELEASE_OWN also closes a pool with so large a limit that each CPU caches free places. */
static const struct limit {
	u32 capacity;
	u32 queue_depth;
	const char *desc;
} limits[] = {
	{ 4, 4, "a small pool" },
	{ WPOOL_UNLIMITED, WPOOL_UNLIMITED, "an unlimited pool" },
	{ 64, 100000, "a large pool" },
};

KUNIT_ARRAY_PARAM_DESC(limit, limits, desc);

static void wpool_release_own_accepts_events_and_own_tasks_only(struct kunit *test)
{
	const struct limit *limit = test->param_value;
	struct wpool *pool = wpk_pool(test, limit->capacity, limit->queue_depth);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	jobs->job[0].gate = gate;
	jobs->job[0].body = wpk_submit_next;
	jobs->job[1].body = wpk_submit_next;
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_CLOSING);
	refuses_all_others(test, pool);
	/* A second call changes nothing. */
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	accepts_its_own(test, pool, jobs, gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_CLOSING);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 5);
	refuses_all_others(test, pool);
}

static void wpool_release_own_lets_in_who_waits(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *threads[2];
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 2);

	threads[0] = wpk_nth_waiter(test, full.pool, &jobs->job[0], 1);
	wpool_event_fire(wpk_event(&ev[0]));
	threads[1] = wpk_nth_waiter(test, full.pool, &jobs->job[1], 3);
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 3);
	/* An event may still wait for room. */
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(&ev[1])));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 4);
	wpk_gate_open(full.gate);
	wpk_join_all(test, threads, 2);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, completed), 5);
	wpk_jobs_ran_once(test, jobs);
}

static void wpool_release_after_own_sends_away_who_waits(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 2);
	struct wpk_thread *thread = wpk_nth_waiter(test, full.pool, &jobs->job[0], 1);

	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_OWN), 0);
	wpool_event_fire(wpk_event(&ev[0]));
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, state), WPOOL_CLOSED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ESHUTDOWN);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].aborts) == 1);
	KUNIT_EXPECT_EQ(test, ev[0].status, -ESHUTDOWN);
	/* a pool that is closed to all stays closed to all */
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, state), WPOOL_CLOSED);
	wpool_event_fire(wpk_event(&ev[1]));
	WPK_EVENTUALLY(test, atomic_read(&ev[1].aborts) == 1);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(full.pool, WPOOL_RELEASE_DRAIN, WPK_PATIENCE),
			0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, completed), 1);
}

/* A reboot ends WPOOL_RELEASE_OWN, also after a release that cancels. */
static void wpool_reboot_after_own_opens_at_once(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0);

	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	wpk_job_run(test, pool, &jobs->job[0]);
}

static void wpool_release_own_workers_come_and_go(struct kunit *test)
{
	struct wpk_ev *ev;
	struct wpool *pool = wpk_pool_with(test, 4, 4, attrs.min_workers = 0, attrs.expiry_ms = 1);

	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	ev = wpk_evs(test, pool, NULL, 1);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 2);
	/* a closing pool is tuned like an open one */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 7), 0);
	KUNIT_EXPECT_EQ(test, wpk_capacity(pool), 7);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_CLOSING);
}

/* A connection: an event that fires itself twice more, and tells the case in its third run. */
static void serve(struct wpk_ev *ev)
{
	if (atomic_read(&ev->runs) < 3)
		wpool_event_fire(wpk_event(ev));
	else
		complete(ev->arg);
}

/* A server that shuts down refuses new clients, and serves its open connections to the end. */
static void wpool_release_own_then_destroy_loses_no_event(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	DECLARE_COMPLETION_ONSTACK(ended);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 100);
	int i;

	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	for (i = 0; i < 100; i++) {
		ev[i].body = serve;
		ev[i].arg = &ended;
		wpool_event_fire(wpk_event(&ev[i]));
	}
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&ended, WPK_PATIENCE));
	wpk_destroy(test, pool);
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].runs), 3);
		KUNIT_EXPECT_EQ(test, atomic_read(&ev[i].aborts), 0);
	}
}

/* Submit the jobs in turn until the case is over. Each job has ended before its next submit. */
static int submit_and_submit(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	struct wpool_task *task;
	unsigned int i;
	int ret;

	for (i = 0; !wpk_stopped(thread->test); i++) {
		task = &jobs->job[i % jobs->nr].task;
		wpool_task_wait(task);
		ret = wpool_try_submit(thread->pool, task);
		if (ret == -ESHUTDOWN)
			cond_resched();
		else if (ret)
			return ret;
	}
	return 0;
}

/*
 * When a release with WPOOL_RELEASE_OWN has returned, no submit of another thread is accepted any
 * more.
 */
static void wpool_release_own_under_load_is_final(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, WPOOL_UNLIMITED);
	struct wpk_thread *threads[2];
	u64 submitted, since, late = 0;
	struct wpk_jobs *jobs[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		jobs[i] = wpk_jobs(test, 500, NULL);
		threads[i] = wpk_thread(test, submit_and_submit, pool, NULL, jobs[i]);
	}
	for (i = 0; i < WPK_ROUNDS(2000) && wpk_has_time(test); i++) {
		KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
		submitted = wpk_stat(pool, submitted);
		usleep_range(10, 20);
		since = wpk_stat(pool, submitted);
		late += since - submitted;
		KUNIT_ASSERT_EQ(test, wpool_reboot(pool), 0);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, submitted) > since);
	}
	KUNIT_EXPECT_EQ(test, late, 0);
	wpk_stop(test);
	wpk_join_all(test, threads, 2);
}

WPK_SUITE(closing,
	  KUNIT_CASE_PARAM(wpool_release_own_accepts_events_and_own_tasks_only, limit_gen_params),
	  KUNIT_CASE(wpool_release_own_lets_in_who_waits),
	  KUNIT_CASE(wpool_release_after_own_sends_away_who_waits),
	  KUNIT_CASE(wpool_reboot_after_own_opens_at_once),
	  KUNIT_CASE(wpool_release_own_workers_come_and_go),
	  KUNIT_CASE(wpool_release_own_then_destroy_loses_no_event),
	  KUNIT_CASE_SLOW(wpool_release_own_under_load_is_final));
