// SPDX-License-Identifier: GPL-2.0
/* Pools with the attribute freezable, frozen as in a suspend, but through a file in debugfs. */
#include "event.h"
#include "full_pool.h"
#include "group.h"
#include "knob.h"
#include "one_cpu.h"
#include "strand_tasks.h"

#define FROZEN		"wpool/frozen"
#define NR_JOBS		40
/* Tasks in a chain, each of which waits for the next: more than fit onto one stack. */
#define NR_CHAIN	200

static int set_frozen(const char *text)
{
	return wpk_fs_write("debugfs", FROZEN, text);
}

/* True if the workers see the freeze. */
static bool is_frozen(void)
{
	char answer = 0;

	return !wpk_fs_read("debugfs", FROZEN, &answer, 1) && answer == '1';
}

static int do_freeze(struct wpk_thread *thread)
{
	return set_frozen("1");
}

static int freeze_init(struct kunit *test)
{
	int err = set_frozen("0");

	wpk_need(test, !err, FROZEN " cannot be written: error %d", err);
	return wpk_init(test);
}

/* Thaw first: wpool_destroy() waits for the tasks of a pool. */
static void freeze_exit(struct kunit *test)
{
	if (!test->priv)
		return;
	set_frozen("0");
	wpk_exit(test);
}

static struct wpool *freezable_pool(struct kunit *test, u32 capacity, u32 queue_depth)
{
	return wpk_pool_with(test, capacity, queue_depth, attrs.freezable = true);
}

/* Wait for longer than a start takes: until another pool has run a task, then for 20 ms. */
static void let_time_pass(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_jobs_submit(test, wpk_pool(test, 1, 0), jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	msleep(20);
}

static void warm_up(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_jobs_run(test, pool, jobs, 1);
}

/* A freezable pool that has run a task, and is frozen. */
static struct wpool *frozen_pool(struct kunit *test, u32 capacity, u32 queue_depth)
{
	struct wpool *pool = freezable_pool(test, capacity, queue_depth);

	warm_up(test, pool);
	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	return pool;
}

/* Submit a task, which a frozen pool does not start. */
static struct wpk_jobs *stays_queued(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	return jobs;
}

/* Thaw: all jobs finish. */
static void thaw(struct kunit *test, struct wpk_jobs *jobs)
{
	KUNIT_EXPECT_EQ(test, set_frozen("0"), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, jobs->nr));
}

/* Freeze in another thread, and wait until the workers see it. */
static struct wpk_thread *begin_freeze(struct kunit *test)
{
	struct wpk_thread *thread = wpk_thread(test, do_freeze, NULL, NULL, NULL);

	WPK_ASSERT_EVENTUALLY(test, is_frozen());
	return thread;
}

/* Submit tasks in three ways while the pool is frozen: none of them starts before the thaw. */
static void starts_nothing(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, NR_JOBS, NULL);

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	KUNIT_EXPECT_EQ(test, wpk_try_in(wpk_in_hardirq, pool, jobs->tasks[0]), 0);
	wpk_jobs_submit(test, pool, jobs, 1, 9);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, jobs->tasks + 10, NR_JOBS - 10, 0),
			NR_JOBS - 10);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), NR_JOBS);
	thaw(test, jobs);
	wpk_jobs_ran_once(test, jobs);
}

static void wpool_freeze_nothing_starts_before_the_thaw(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 4, NR_JOBS);

	warm_up(test, pool);
	starts_nothing(test, pool);
	starts_nothing(test, pool);
}

static void wpool_freeze_makes_no_worker(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 4, NR_JOBS);
	struct wpk_jobs *jobs;

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	jobs = stays_queued(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 0);
	thaw(test, jobs);
}

static void wpool_freeze_armed_events_run_after_the_thaw(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 2);

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[0]), 1));
	KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[1]), 1));
	/* both events have fired: one is queued, the other waits for room */
	WPK_EVENTUALLY(test, wpk_stat(pool, queued) == 1 && wpk_stat(pool, waiting) == 1);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].runs) + atomic_read(&ev[1].runs), 0);
	KUNIT_EXPECT_EQ(test, set_frozen("0"), 0);
	WPK_EVENTUALLY(test, atomic_read(&ev[0].returns) == 1);
	WPK_EVENTUALLY(test, atomic_read(&ev[1].returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev[0].timed_out) + atomic_read(&ev[1].timed_out), 2);
}

/* Start a freeze, which waits for the first job at its gate. */
static struct wpk_thread *freeze_beside(struct kunit *test, struct wpool *pool,
					struct wpk_jobs *jobs)
{
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	return begin_freeze(test);
}

/*
 * A freeze waits for running tasks. If such a task sleeps, it hands its CPU over, but the frozen
 * pool starts no other task there.
 */
static void wpool_freeze_waits_for_tasks_that_run(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 1), *more;
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct wpk_thread *thread = freeze_beside(test, pool, jobs);

	more = stays_queued(test, pool);
	wpk_waits_for(test, thread, jobs->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->running), 0);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&more->started), 0);
}

static void wpool_freeze_that_is_called_off_thaws(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct wpk_thread *thread = freeze_beside(test, pool, jobs);

	wpk_kill(thread);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -EINTR);
	warm_up(test, pool);
}

struct slow_abort {
	struct wpk_gate *gate;
	atomic_t calls;
};

static void slow_abort(void *arg, int status)
{
	struct slow_abort *slow = arg;

	atomic_inc(&slow->calls);
	wpk_gate_pass(slow->gate);
}

/* The freeze waits for the abort function that runs; no other is called before the thaw. */
static void wpool_freeze_waits_for_an_abort_function_and_calls_no_other(struct kunit *test)
{
	struct slow_abort *slow = wpk_alloc(test, sizeof(*slow));
	struct wpool *pool = freezable_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_thread *thread;
	int i;

	slow->gate = wpk_gate(test);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, MAX_WAIT_MS, max_wait_ms, 10), 0);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, wpool_submit_fn_abortable(pool, wpk_do_nothing, slow_abort,
								slow, NULL, GFP_KERNEL), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&slow->calls) == 1);
	thread = begin_freeze(test);
	wpk_jobs_let(test, busy, 1);
	/* the freezer looks once a tick */
	let_time_pass(test);
	wpk_waits_for(test, thread, slow->gate);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&slow->calls), 1);
	KUNIT_EXPECT_EQ(test, set_frozen("0"), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

static int start_at_gate(struct wpool *pool, void *gate, void **own)
{
	wpk_gate_pass(gate);
	return 0;
}

static int do_tune_reclaim(struct wpk_thread *thread)
{
	return wpk_tune(thread->pool, RECLAIM, reclaim, true);
}

/* The worker in reserve is no worker yet, but the freeze waits for its worker_start, too. */
static void wpool_freeze_waits_for_the_start_of_the_reserve(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *freeze, *tune;
	struct wpool *pool = wpk_pool_with(test, 1, 1, attrs.freezable = true,
					   attrs.min_workers = 0,
					   attrs.worker_start = start_at_gate,
					   attrs.worker_data = gate);

	tune = wpk_thread(test, do_tune_reclaim, pool, NULL, NULL);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	freeze = begin_freeze(test);
	/* the freezer looks once a tick */
	let_time_pass(test);
	wpk_waits_for(test, freeze, gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, tune), 0);
}

static void wait_for_next(struct wpk_job *job)
{
	job->gate = NULL;
	if (job + 1 < job->jobs->job + NR_CHAIN)
		wpk_run_next(job);
}

/* The freeze waits for the whole chain of tasks, although the chain does not fit onto a stack. */
static void wpool_freeze_waits_for_what_its_tasks_wait_for(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, NR_CHAIN, wait_for_next, NULL);
	struct wpool *pool = freezable_pool(test, NR_CHAIN, 1);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *thread;

	jobs->job[0].gate = gate;
	thread = freeze_beside(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), NR_CHAIN);
	wpk_no_errors(test, jobs);
	stays_queued(test, pool);
}

/* A wait for a running task does not lift the freeze: queued tasks do not start. */
static void wpool_freeze_is_not_lifted_by_a_wait_for_a_task_that_runs(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct wpk_jobs *inner = wpk_held(test, pool, 1, 1), *more;
	struct wpk_jobs *outer = wpk_jobs_of(test, 1, wpk_wait_for_arg, &inner->job[0].task);
	struct wpk_thread *thread;

	wpk_jobs_submit(test, pool, outer, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(outer, 1));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 2);
	thread = begin_freeze(test);
	more = stays_queued(test, pool);
	wpk_waits_for(test, thread, inner->gate);
	KUNIT_EXPECT_EQ(test, outer->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&more->started), 0);
}

static void wpool_freeze_blocked_submitters_are_served_after_the_thaw(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *thread;

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[1].task), -EAGAIN);
	thread = wpk_nth_waiter(test, pool, &jobs->job[1], 1);
	/* the sleep is freezable: the kernel's freezer does not wake the thread */
	WPK_EVENTUALLY(test, READ_ONCE(thread->task->__state) & TASK_FREEZABLE);
	thaw(test, jobs);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
}

static void wpool_freeze_tasks_are_cancelled(struct kunit *test)
{
	struct wpool *pool = frozen_pool(test, 4, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&jobs->job[0].task));
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[1].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
}

/*
 * In a frozen pool, calls that wait for queued tasks return after the thaw, wpool_group_exit() even
 * if its tasks were cancelled.
 */
static void wpool_freeze_waits_for_tasks_end_after_the_thaw(struct kunit *test)
{
	struct wpool *pool = frozen_pool(test, 4, NR_JOBS);
	struct wpool_group *group = wpk_group(test, pool, 2);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);
	struct st_strand *of = st_strand(test, pool, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_thread *threads[5];
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	st_submit(test, st_tasks(test, of, NULL, 1), 1);
	wpk_members_submit(test, members, 2);
	wpool_group_cancel(group);
	threads[0] = wpk_thread(test, wpk_do_flush, pool, NULL, NULL);
	threads[1] = wpk_thread(test, wpk_do_wait, NULL, &jobs->job[0].task, NULL);
	threads[2] = wpk_thread(test, wpk_do_strand_flush, NULL, NULL, &of->strand);
	threads[3] = wpk_thread(test, wpk_do_group_exit, NULL, NULL, group);
	wpk_forget(test, pool);
	threads[4] = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	let_time_pass(test);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		KUNIT_EXPECT_FALSE(test, wpk_ended(threads[i]));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started) + atomic_read(&of->started), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 2);
	KUNIT_EXPECT_EQ(test, set_frozen("0"), 0);
	wpk_join_all(test, threads, ARRAY_SIZE(threads));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished) + atomic_read(&of->returned), 2);
	KUNIT_EXPECT_EQ(test, members[1].status, -ECANCELED);
}

static void wpool_destroy_of_a_frozen_pool_without_tasks_does_not_wait(struct kunit *test)
{
	struct wpool *fresh = freezable_pool(test, 4, 4), *used = frozen_pool(test, 4, 4);

	wpk_destroy(test, used);
	wpk_destroy(test, fresh);
}

static void wpool_destroy_of_a_frozen_pool_after_a_release_that_cancels(struct kunit *test)
{
	struct wpool *pool = frozen_pool(test, 4, NR_JOBS);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_JOBS, NULL);

	wpk_jobs_submit(test, pool, jobs, 0, NR_JOBS);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

static void wpool_destroy_of_a_frozen_pool_whose_tasks_were_cancelled(struct kunit *test)
{
	struct wpool *pool = frozen_pool(test, 4, NR_JOBS);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_JOBS, NULL);
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, NR_JOBS);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	/* the workers that the release woke park again */
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == wpk_stat(pool, workers));
	for (i = 0; i < NR_JOBS; i++)
		KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[i].task), -ECANCELED);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/*
 * A frozen pool that is released with a cancel can be destroyed, even if a running task then comes
 * back into the queue, and a strand continues with its next task.
 */
static void wpool_destroy_of_a_frozen_pool_whose_tasks_come_back(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct st_strand *of = st_strand(test, pool, 2);
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct st *st = st_tasks(test, of, jobs->gate, 2);
	struct wpk_thread *thread;

	st_submit(test, st, 2);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	thread = begin_freeze(test);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	let_time_pass(test);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->gate, thread), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->started), 1);
}

/* A freeze also waits for a task that is queued again while a running task waits for it. */
static void wpool_freeze_waits_for_a_task_that_is_queued_again(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *inner = wpk_jobs(test, 1, gate);
	struct wpk_jobs *outer = wpk_jobs_of(test, 1, wpk_wait_for_arg, &inner->job[0].task);
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct wpk_thread *thread;

	wpk_jobs_hold(test, pool, inner, 0, 1);
	wpk_jobs_submit(test, pool, outer, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 2);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &inner->job[0].task), 0);
	thread = begin_freeze(test);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
	KUNIT_EXPECT_EQ(test, outer->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner->finished), 2);
	stays_queued(test, pool);
}

static void wpool_create_while_others_are_frozen_is_frozen_as_well(struct kunit *test)
{
	struct wpool *pool;

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	pool = wpk_pool_with(test, 4, 4, attrs.freezable = true, attrs.prealloc = true);
	thaw(test, stays_queued(test, pool));
}

/* A thaw comes after the tune has set the attribute, but before the tune asks for a freeze. */
static void wpool_tune_freezable_that_meets_a_thaw_leaves_no_task(struct kunit *test)
{
	struct wpool *pool = frozen_pool(test, 4, 4);
	struct wpk_jobs *jobs = stays_queued(test, pool);

	WRITE_ONCE(pool->freezable, false);
	KUNIT_EXPECT_EQ(test, set_frozen("0"), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, FREEZABLE, freezable, false), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
}

static void wpool_tune_freezable_of_a_frozen_pool_thaws_it(struct kunit *test)
{
	struct wpool *pool = freezable_pool(test, 4, 4);
	struct wpk_jobs *jobs;

	KUNIT_ASSERT_EQ(test, set_frozen("1"), 0);
	jobs = stays_queued(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, FREEZABLE, freezable, false), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	/* make the pool freezable again, while its workers are idle */
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == wpk_stat(pool, workers));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, FREEZABLE, freezable, true), 0);
	thaw(test, stays_queued(test, pool));
}

WPK_SUITE_INIT_EXIT(freeze, freeze_init, freeze_exit,
		    KUNIT_CASE(wpool_freeze_nothing_starts_before_the_thaw),
		    KUNIT_CASE(wpool_freeze_makes_no_worker),
		    KUNIT_CASE(wpool_freeze_armed_events_run_after_the_thaw),
		    KUNIT_CASE(wpool_freeze_waits_for_tasks_that_run),
		    KUNIT_CASE(wpool_freeze_that_is_called_off_thaws),
		    KUNIT_CASE(wpool_freeze_waits_for_an_abort_function_and_calls_no_other),
		    KUNIT_CASE(wpool_freeze_waits_for_the_start_of_the_reserve),
		    KUNIT_CASE(wpool_freeze_waits_for_what_its_tasks_wait_for),
		    KUNIT_CASE(wpool_freeze_is_not_lifted_by_a_wait_for_a_task_that_runs),
		    KUNIT_CASE(wpool_freeze_blocked_submitters_are_served_after_the_thaw),
		    KUNIT_CASE(wpool_freeze_tasks_are_cancelled),
		    KUNIT_CASE(wpool_freeze_waits_for_tasks_end_after_the_thaw),
		    KUNIT_CASE(wpool_destroy_of_a_frozen_pool_without_tasks_does_not_wait),
		    KUNIT_CASE(wpool_destroy_of_a_frozen_pool_after_a_release_that_cancels),
		    KUNIT_CASE(wpool_destroy_of_a_frozen_pool_whose_tasks_were_cancelled),
		    KUNIT_CASE(wpool_destroy_of_a_frozen_pool_whose_tasks_come_back),
		    KUNIT_CASE(wpool_freeze_waits_for_a_task_that_is_queued_again),
		    KUNIT_CASE(wpool_create_while_others_are_frozen_is_frozen_as_well),
		    KUNIT_CASE(wpool_tune_freezable_that_meets_a_thaw_leaves_no_task),
		    KUNIT_CASE(wpool_tune_freezable_of_a_frozen_pool_thaws_it));
