// SPDX-License-Identifier: GPL-2.0
/* A pool as a whole: names, references, figures that add up, and its end, also under load. */
#include <linux/mutex.h>

#include "one_cpu.h"

/* Modules must not find pools of /dev/wpool, where any user may cancel or drop all tasks. */
static void wpool_find_finds_no_pool_of_the_device(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0), *found;

	found = wpool_find(pool->name);
	KUNIT_EXPECT_PTR_EQ(test, found, pool);
	wpool_put(found);
	/* /dev/wpool sets this flag in its pools */
	pool->gfp |= __GFP_ACCOUNT;
	found = wpool_find(pool->name);
	KUNIT_EXPECT_NULL(test, found);
	wpool_put(found);
}

/* ---- figures -------------------------------------------------------------- */

static int submit_and_cancel(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	unsigned int i = 0;

	while (!wpk_stopped(thread->test)) {
		struct wpool_task *task = &jobs->job[i++ % jobs->nr].task;

		if (!wpool_try_submit(thread->pool, task) && i % 7 == 0)
			wpool_task_cancel(task);
	}
	return 0;
}

static void work_a_little(struct wpk_job *job)
{
	if (job - job->jobs->job > 20)
		usleep_range(10, 50);
}

static void wpool_get_stats_identities_hold_under_load(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 5, 30);
	const struct wpool_stats *stats;
	u64 outstanding = 0, finished = 0;
	struct wpk_thread *threads[3];
	struct wpk_jobs *jobs;
	int i;

	for (i = 0; i < 3; i++) {
		jobs = wpk_jobs(test, 40, NULL);
		wpk_jobs_body(jobs, work_a_little, NULL);
		threads[i] = wpk_thread(test, submit_and_cancel, pool, NULL, jobs);
	}
	for (i = 0; i < 400; i++) {
		stats = wpk_figures_agree(test, pool);
		KUNIT_EXPECT_LE(test, stats->busy, 5);
		KUNIT_EXPECT_LE(test, stats->workers, 5);
		/*
		 * The last snapshot may have counted tasks that came and went while it was taken:
		 * at most as many as have finished since. It may also have counted the task of each
		 * of the 5 workers twice, if the task was about to run once more.
		 */
		KUNIT_EXPECT_LE(test, outstanding,
				35 + 5 + stats->submitted - stats->outstanding - finished);
		outstanding = stats->outstanding;
		finished = stats->submitted - stats->outstanding;
		if (i % 20 == 0)
			usleep_range(100, 1000);
	}
	wpk_stop(test);
	/* first end the submitters: a flush leaves out tasks that are submitted while it waits */
	wpk_join_all(test, threads, 3);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	stats = wpk_figures_agree(test, pool);
	KUNIT_EXPECT_EQ(test, stats->outstanding, 0);
}

static void wpool_get_stats_tells_what_the_pool_does(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 2, 3, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 6);
	const struct wpool_stats *stats;
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 5);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[5].task), -EAGAIN);
	/* two of five tasks run, so at least one of these three can be cancelled */
	for (i = 2; i < 4 && !wpool_task_cancel(&jobs->job[i].task); i++)
		;
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[i].task), -ECANCELED);
	stats = wpk_figures_agree(test, pool);
	KUNIT_EXPECT_EQ(test, stats->workers, 2);
	KUNIT_EXPECT_EQ(test, stats->busy, 2);
	KUNIT_EXPECT_EQ(test, stats->idle, 0);
	KUNIT_EXPECT_EQ(test, stats->queued, 2);
	KUNIT_EXPECT_EQ(test, stats->free, 1);
	KUNIT_EXPECT_EQ(test, stats->outstanding, 4);
	KUNIT_EXPECT_EQ(test, stats->submitted, 5);
	KUNIT_EXPECT_EQ(test, stats->cancelled, 1);
	KUNIT_EXPECT_EQ(test, stats->refused, 1);
	KUNIT_EXPECT_EQ(test, stats->completed, 0);
	KUNIT_EXPECT_EQ(test, stats->spawned, 2);
	WPK_EVENTUALLY(test, wpk_stat(pool, blocked) == 2);
	wpk_gate_open(jobs->gate);
	/* a worker may be idle between two tasks, but not before its last task is counted out */
	WPK_EVENTUALLY(test, wpk_stat(pool, completed) == 4);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	stats = wpk_figures_agree(test, pool);
	KUNIT_EXPECT_EQ(test, stats->completed, 4);
	KUNIT_EXPECT_EQ(test, stats->outstanding, 0);
	KUNIT_EXPECT_EQ(test, stats->busy, 0);
	KUNIT_EXPECT_EQ(test, stats->blocked, 0);
	KUNIT_EXPECT_EQ(test, stats->queued, 0);
	KUNIT_EXPECT_EQ(test, stats->free, 5);
	KUNIT_EXPECT_EQ(test, stats->failed, 0);
	KUNIT_EXPECT_EQ(test, stats->faults, 0);
}

struct doze {
	bool begun;
	bool over;
};

/* Be about to sleep for some time, but do not sleep. */
static void doze(struct wpk_job *job)
{
	struct doze *doze = job->arg;

	set_current_state(TASK_UNINTERRUPTIBLE);
	WRITE_ONCE(doze->begun, true);
	if (!wpk_run_until(READ_ONCE(doze->over)))
		job->ret = -ETIME;
	__set_current_state(TASK_RUNNING);
}

/* A worker counts as blocked when it is asleep, not when it is about to sleep. */
static void wpool_get_stats_a_worker_about_to_sleep_is_not_blocked(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct doze *nap = wpk_alloc(test, sizeof(*nap));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, doze, nap);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_EVENTUALLY(test, READ_ONCE(nap->begun));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, blocked), 0);
	WRITE_ONCE(nap->over, true);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	wpk_no_errors(test, jobs);
}

static void wpool_get_cpu_stats_add_up(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 300);
	struct wpk_jobs *jobs = wpk_gated(test, 100);
	struct wpool_cpu_stats stats, sum;
	int cpu, round, i;

	for (i = 0; i < 100; i++) {
		wpk_move_to(wpk_cpu(i % num_online_cpus()));
		wpk_jobs_submit(test, pool, jobs, i, 1);
	}
	wpk_move_to(-1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 3));
	for (round = 0; round < 2; round++) {
		memset(&sum, 0, sizeof(sum));
		for_each_possible_cpu(cpu) {
			wpool_get_cpu_stats(pool, cpu, &stats);
			KUNIT_EXPECT_LE(test, stats.idle, stats.workers);
			sum.workers += stats.workers;
			sum.queued += stats.queued;
			sum.submitted += stats.submitted;
			sum.completed += stats.completed;
			sum.stolen += stats.stolen;
		}
		KUNIT_EXPECT_EQ(test, sum.workers, 3);
		/* other queued tasks may be in the global queue */
		KUNIT_EXPECT_LE(test, sum.queued, round ? 0 : 97);
		KUNIT_EXPECT_EQ(test, sum.submitted, 100);
		KUNIT_EXPECT_EQ(test, sum.completed, round ? 100 : 0);
		KUNIT_EXPECT_EQ(test, sum.stolen, wpk_stat(pool, stolen));
		wpk_gate_open(jobs->gate);
		WPK_EVENTUALLY(test, wpk_stat(pool, completed) == 100);
		WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 3);
	}
}

static int look_while_held(struct wpk_thread *thread)
{
	struct wpool_stats stats;

	wait_for_completion(thread->arg);
	wpool_get_stats(thread->pool, &stats);
	return stats.busy;
}

/* Every user may read sysfs, so a reader takes no lock of the threads that create workers. */
static void wpool_get_stats_does_not_wait_for_the_creator_of_a_worker(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 2);
	DECLARE_COMPLETION_ONSTACK(held);
	bool ended;
	struct wpk_thread *reader = wpk_thread(test, look_while_held, pool, NULL, &held);

	/* no assertions as long as the mutex is held */
	mutex_lock(&pool->workers.mutex);
	complete(&held);
	ended = wpk_eventually(wpk_ended(reader));
	mutex_unlock(&pool->workers.mutex);
	KUNIT_EXPECT_TRUE(test, ended);
	KUNIT_EXPECT_EQ(test, wpk_join(test, reader), 2);
	wpk_gate_open(jobs->gate);
}

/* ---- the end -------------------------------------------------------------- */

static void destroy_inside(struct wpk_job *job)
{
	job->ret = wpool_destroy(job->arg);
}

static void wpool_destroy_from_another_pools_task_works(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpool *other = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_job_body(&jobs->job[0], destroy_inside, pool);
	wpk_forget(test, pool);
	wpk_job_run(test, other, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_DESTROYED);
}

WPK_SUITE(pool,
	  KUNIT_CASE(wpool_find_finds_no_pool_of_the_device),
	  KUNIT_CASE_SLOW(wpool_get_stats_identities_hold_under_load),
	  KUNIT_CASE(wpool_get_stats_tells_what_the_pool_does),
	  KUNIT_CASE(wpool_get_stats_a_worker_about_to_sleep_is_not_blocked),
	  KUNIT_CASE(wpool_get_cpu_stats_add_up),
	  KUNIT_CASE(wpool_get_stats_does_not_wait_for_the_creator_of_a_worker),
	  KUNIT_CASE(wpool_destroy_from_another_pools_task_works));
