// SPDX-License-Identifier: GPL-2.0
/* A flush waits for all tasks that were accepted before it, and ends while others are submitted. */
#include "core/state.h"
#include "fixture.h"

static void wpool_flush_does_not_wait_for_later_tasks(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_gate *before = wpk_gate(test), *after = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, before);
	struct wpk_thread *flusher;

	jobs->job[1].gate = after;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	flusher = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	wpk_jobs_hold(test, pool, jobs, 1, 1);
	wpk_waits_for(test, flusher, before);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 1);
}

/*
 * Of two flushes that overlap, each waits for the tasks before it, and the first does not wait for
 * the second. The second may also wait for tasks that were submitted during the first, since the
 * pool has only two colours for tasks.
 */
static void wpool_flush_overlapping_flushes_end_in_turn(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *flushers[2];
	int i;

	for (i = 0; i < 2; i++) {
		jobs->job[i].gate = wpk_gate(test);
		wpk_jobs_submit(test, pool, jobs, i, 1);
		flushers[i] = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	}
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->job[0].gate, flushers[0]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 1);
	wpk_waits_for(test, flushers[1], jobs->job[1].gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 2);
}

/*
 * Two flushes that wait for a third one share the next flush, and do not wait for tasks that are
 * accepted after it has begun.
 */
static void wpool_flush_two_in_line_share_one_flush(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_thread *flushers[3];
	u32 colour = pool->colour;
	int i;

	for (i = 0; i < 3; i++)
		jobs->job[i].gate = wpk_gate(test);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	for (i = 0; i < 3; i++)
		flushers[i] = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->job[0].gate, flushers[0]), 0);
	/* the next flush has begun: a later task has the other colour */
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(pool->colour) == colour);
	wpk_jobs_submit(test, pool, jobs, 2, 1);
	wpk_gate_open(jobs->job[1].gate);
	for (i = 1; i < 3; i++)
		WPK_EVENTUALLY(test, wpk_ended(flushers[i]));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 2);
	wpk_gate_open(jobs->job[2].gate);
	wpk_join_all(test, flushers + 1, 2);
}

/* A flush waits for the tasks that were submitted before it, even if later tasks finish first. */
static void wpool_flush_earlier_task_last_to_finish(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_thread *flushers[2];
	int i;

	for (i = 0; i < 3; i++)
		jobs->job[i].gate = wpk_gate(test);
	for (i = 0; i < 2; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		flushers[i] = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	}
	wpk_jobs_submit(test, pool, jobs, 2, 1);
	for (i = 2; i > 0; i--) {
		wpk_gate_open(jobs->job[i].gate);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_FALSE(test, wpk_ended(flushers[0]));
		KUNIT_EXPECT_FALSE(test, wpk_ended(flushers[1]));
	}
	wpk_gate_open(jobs->job[0].gate);
	wpk_join_all(test, flushers, 2);
}

static void wpool_flush_does_not_wait_for_a_cancelled_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 2);
	struct wpk_jobs *jobs = wpk_gated(test, 3);
	struct wpk_thread *flusher;

	jobs->job[0].gate = wpk_gate(test);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 1));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->job[0].gate, 1));
	wpk_jobs_submit(test, pool, jobs, 2, 1);
	flusher = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	/* both workers are in tasks, so this task is queued */
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&jobs->job[2].task));
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	wpk_waits_for(test, flusher, jobs->job[0].gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[2].runs), 0);
}

static void wpool_flush_killed_is_eintr_and_the_next_one_works(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 2);
	struct wpk_thread *killed, *patient;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	killed = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	patient = wpk_sleeper(test, wpk_do_flush, pool, NULL, NULL);
	wpk_kill(killed);
	KUNIT_EXPECT_EQ(test, wpk_join(test, killed), -EINTR);
	wpk_waits_for(test, patient, jobs->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 2);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

/* ---- wake-ups ---------------------------------------------------------------- */

static int count_wake_up(struct wait_queue_entry *wait, unsigned int mode, int flags, void *key)
{
	atomic_inc(wait->private);
	return 0;
}

/* Wait as a flush does, but only count the wake-ups. Returns their number. */
static atomic_t *count_wake_ups(struct kunit *test, struct wpool *pool)
{
	struct wait_queue_entry *wait = wpk_alloc(test, sizeof(*wait));
	atomic_t *nr = wpk_alloc(test, sizeof(*nr));

	init_waitqueue_func_entry(wait, count_wake_up);
	wait->private = nr;
	add_wait_queue(&pool->drain_wq, wait);
	return nr;
}

/*
 * A pool whose workers finish their tasks on their own CPUs: none is a hog, which may move. So the
 * worker that ends the wait is the one that wakes the flush.
 */
static struct wpool *pool_without_hogs(struct kunit *test, u32 capacity)
{
	return wpk_pool_with(test, capacity, 0, attrs.hog_ms = WPOOL_MAX_HOG_MS);
}

/* A worker that parks after a later task does not wake the flush: that task cannot end the wait. */
static void wpool_flush_is_not_woken_by_later_tasks(struct kunit *test)
{
	struct wpool *pool = pool_without_hogs(test, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	atomic_t *nr = count_wake_ups(test, pool);
	int i;

	for (i = 0; i < 3; i++) {
		wpk_job_run(test, pool, &jobs->job[0]);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(nr), 0);
}

static void wpool_flush_is_woken_by_its_last_task_beside_a_busy_cpu(struct kunit *test)
{
	struct wpool *pool = pool_without_hogs(test, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	atomic_t *nr = count_wake_ups(test, pool);
	int i;

	wpk_need_cpus(test, 2);
	for (i = 0; i < 2; i++) {
		jobs->job[i].gate = wpk_gate(test);
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(i), &jobs->job[i].task), 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->job[i].gate, 1));
		/* as a flush: the second job is a later one */
		WRITE_ONCE(pool->colour, 1);
	}
	wpk_gate_open(jobs->job[0].gate);
	WPK_EVENTUALLY(test, atomic_read(nr) == 1);
	wpk_gate_open(jobs->job[1].gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_EXPECT_EQ(test, atomic_read(nr), 1);
}

/*
 * Each of several flushes is woken when its last task has finished, also if as many tasks of each
 * colour finish on the CPU of the one worker.
 */
static void wpool_flush_each_of_several_is_woken(struct kunit *test)
{
	struct wpool *pool = pool_without_hogs(test, 1);
	atomic_t *nr = count_wake_ups(test, pool);
	struct wpk_jobs *jobs;
	int i;

	for (i = 0; i < 4; i++) {
		jobs = wpk_held(test, pool, 1, 1);
		/* as a flush: tasks that come later have the other colour */
		WRITE_ONCE(pool->colour, !pool->colour);
		wpk_gate_open(jobs->gate);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(nr) == i + 1);
	}
}

WPK_SUITE(flush,
	  KUNIT_CASE(wpool_flush_does_not_wait_for_later_tasks),
	  KUNIT_CASE(wpool_flush_overlapping_flushes_end_in_turn),
	  KUNIT_CASE(wpool_flush_two_in_line_share_one_flush),
	  KUNIT_CASE(wpool_flush_earlier_task_last_to_finish),
	  KUNIT_CASE(wpool_flush_does_not_wait_for_a_cancelled_task),
	  KUNIT_CASE(wpool_flush_killed_is_eintr_and_the_next_one_works),
	  KUNIT_CASE(wpool_flush_is_not_woken_by_later_tasks),
	  KUNIT_CASE(wpool_flush_is_woken_by_its_last_task_beside_a_busy_cpu),
	  KUNIT_CASE(wpool_flush_each_of_several_is_woken));
