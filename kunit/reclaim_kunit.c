// SPDX-License-Identifier: GPL-2.0
/*
 * Pools with the attribute reclaim: tasks continue while no thread can be created. When a worker is
 * needed, the rescuer becomes a worker, and the pool creates another rescuer as soon as the system
 * has a free thread.
 */
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/spawn_queue.h"
#include "knob.h"
#include "one_cpu.h"

#define DROP_CACHES	"sys/vm/drop_caches"

/* As wpk_pool_with(). */
#define reclaim_pool_with(test, capacity, least, ...)					\
	wpk_pool_with(test, capacity, WPOOL_UNLIMITED, attrs.reclaim = true,		\
		      attrs.min_workers = least, attrs.expiry_ms = 0, ##__VA_ARGS__)

/* True if the rescuer sleeps in reserve, and has looked whether the pool needs it. */
static bool rescuer_waits(struct wpool *pool)
{
	struct wpool_worker *w;
	bool ret;

	rcu_read_lock();
	w = READ_ONCE(pool->reserve.rescuer);
	ret = w && READ_ONCE(w->in_reserve) && READ_ONCE(w->thread->__state) == TASK_IDLE;
	rcu_read_unlock();
	return ret;
}

static struct wpool *reclaim_pool(struct kunit *test, u32 capacity, u32 min_workers)
{
	struct wpool *pool = reclaim_pool_with(test, capacity, min_workers);

	WPK_EVENTUALLY(test, rescuer_waits(pool));
	return pool;
}

static bool has_rescuer(struct wpool *pool)
{
	return READ_ONCE(pool->reserve.rescuer);
}

/*
 * A pool with its only worker at the gate, and the rescuer in reserve. On a slow machine, skips the
 * case.
 */
static struct wpool *blocked_pool(struct kunit *test, u32 capacity, struct wpk_gate *gate)
{
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int try;

	for (try = 0; try < 10; try++) {
		pool = reclaim_pool(test, capacity, 1);
		jobs = wpk_jobs(test, 1, gate);
		wpk_jobs_submit(test, pool, jobs, 0, 1);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 1));
		if (wpk_stat(pool, workers) == 1 && has_rescuer(pool))
			return pool;
	}
	kunit_skip(test, "each time a task has waited for its worker for 10 ms");
}

static void wpool_create_reclaim_has_its_workers_and_the_rescuer(struct kunit *test)
{
	u64 rescued = 1;
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int try;

	/* if a task waits for 10 ms, the rescuer becomes a worker, too: try again */
	for (try = 0; try < 10 && rescued; try++) {
		pool = reclaim_pool(test, 4, 3);
		jobs = wpk_jobs(test, 50, NULL);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 4);
		KUNIT_EXPECT_TRUE(test, has_rescuer(pool));
		WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 3);
		wpk_jobs_run(test, pool, jobs, 50);
		rescued = wpk_stat(pool, rescued);
		wpk_finish(test, pool, jobs);
	}
	KUNIT_EXPECT_EQ(test, rescued, 0);
}

/* The rescuer becomes a worker, and another rescuer is created. */
static void wpool_create_reclaim_without_min_workers_has_the_rescuer(struct kunit *test)
{
	struct wpool *pool = wpk_unwatched(test, reclaim_pool(test, 4, 0));
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
	wpk_jobs_run(test, pool, jobs, 1);
	/* the pool makes one worker more if the rescuer had to wait for a CPU */
	WPK_EVENTUALLY(test, has_rescuer(pool) &&
		       wpk_stat(pool, spawned) == wpk_stat(pool, workers) + 1);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, workers), 1);
}

static void wpool_create_reclaim_no_threads_left_is_an_error(struct kunit *test)
{
	struct wpool *pool;

	wpk_no_threads(test);
	pool = wpk_create_with(test, 4, WPOOL_UNLIMITED, attrs.reclaim = true);
	wpk_threads_again(test);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(pool), -EAGAIN);
	pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.reclaim = true);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 1);
}

/* Tasks of a pool with reclaim run although its only worker sleeps, and no other can be created. */
static void wpool_submit_reclaim_no_threads_left_it_runs(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpool *pool = blocked_pool(test, 4, gate);
	int i;

	wpk_no_threads(test);
	for (i = 0; i < 20; i++)
		wpk_jobs_next(test, pool, jobs, i);
	WPK_EVENTUALLY(test, wpk_stat(pool, rescued) == 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, spawn_failed) >= 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, rescued), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
	KUNIT_EXPECT_FALSE(test, has_rescuer(pool));

	wpk_threads_again(test);
	WPK_EVENTUALLY(test, has_rescuer(pool));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, rescued), 1);
	wpk_gate_open(gate);
	wpk_finish(test, pool, jobs);
}

/* A hog that waits for its child without a sleep. */
static void be_a_hog(struct wpk_job *job)
{
	struct wpk_jobs *child = job->arg;

	job->ret = wpool_submit(job->task.pool, &child->job[0].task);
	if (!job->ret && !wpk_spin(2, atomic_read(&child->finished)))
		job->ret = -ETIME;
}

static void wpool_hog_reclaim_no_threads_left_the_rescuer_is_not_behind_it(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_jobs *child = wpk_jobs(test, 1, NULL);
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = reclaim_pool_with(test, 4, 1, attrs.hog_ms = 10);
	WPK_EVENTUALLY(test, rescuer_waits(pool));
	wpk_jobs_body(jobs, be_a_hog, child);
	wpk_no_threads(test);
	wpk_jobs_run(test, pool, jobs, 1);
	wpk_threads_again(test);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_NE(test, child->job[0].cpu, jobs->job[0].cpu);
}

/* The rescuer runs the queued tasks if all workers wait until these tasks have ended. */
static void wpool_submit_reclaim_no_threads_left_tasks_wait_for_a_task(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL), *first;
	struct wpool *pool = reclaim_pool(test, 8, 3);

	wpk_no_threads(test);
	first = wpk_held(test, pool, 3, 3);
	wpk_jobs_run(test, pool, jobs, 3);
	wpk_jobs_let(test, first, 3);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, workers), 4);
	wpk_threads_again(test);
}

/* When the rescuer expires, it returns to the reserve. So one thread is enough for all tasks. */
static void wpool_worker_reclaim_expires_into_the_reserve(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpool *pool = reclaim_pool_with(test, 4, 0, attrs.expiry_ms = 1);
	int i;

	wpk_no_threads(test);
	for (i = 0; i < 20; i++) {
		wpk_jobs_next(test, pool, jobs, i);
		WPK_EVENTUALLY(test, has_rescuer(pool));
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	wpk_threads_again(test);
	wpk_finish(test, pool, jobs);
}

static void wpool_tune_reclaim_capacity_is_kept(struct kunit *test)
{
	struct wpool *pool = reclaim_pool(test, 4, 1);
	struct wpk_jobs *first = wpk_held(test, pool, 4, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 100, NULL);

	wpk_jobs_submit(test, pool, jobs, 0, 100);
	/* the tune wakes the spawner, which must not use the rescuer for the queued tasks */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 2), 0);
	/* time for an error to show */
	msleep(50);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 100));
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 2);
	KUNIT_EXPECT_LE(test, atomic_read(&jobs->peak), 2);
	WPK_EVENTUALLY(test, has_rescuer(pool));
	wpk_finish(test, pool, jobs);
}

/* ---- spawners that do not come back ------------------------------------------ */

/* Make the spawner of each pool wait, as if it waited for memory. */
static void hold_spawners(struct wpool *pools[WPOOL_NR_SPAWNERS])
{
	int i;

	for (i = 0; i < WPOOL_NR_SPAWNERS; i++)
		mutex_lock_nested(&pools[i]->workers.mutex, i);
}

static void let_spawners_go(struct wpool *pools[WPOOL_NR_SPAWNERS])
{
	int i;

	for (i = WPOOL_NR_SPAWNERS; i--; )
		mutex_unlock(&pools[i]->workers.mutex);
}

static void wpool_submit_reclaim_all_spawners_wait_it_runs(struct kunit *test)
{
	struct wpk_jobs *others = wpk_jobs(test, WPOOL_NR_SPAWNERS, NULL);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = blocked_pool(test, 2, gate);
	struct wpool *pools[WPOOL_NR_SPAWNERS];
	bool busy = true, ran, none, slow;
	int i;

	wpk_need(test, num_online_nodes() <= 1, "another node has spawners of its own");
	for (i = 0; i < WPOOL_NR_SPAWNERS; i++)
		pools[i] = wpk_pool(test, 1, 0);

	/* no assertions as long as the spawners are held */
	hold_spawners(pools);
	for (i = 0; i < WPOOL_NR_SPAWNERS; i++)
		wpk_jobs_submit(test, pools[i], others, i, 1);
	/* wait for all spawners: a free one could serve @pool */
	for (i = 0; i < WPOOL_NR_SPAWNERS; i++)
		busy &= wpk_eventually(work_busy(&pools[i]->spawn.work.work) & WORK_BUSY_RUNNING);
	/* the rescuer becomes the second worker of @pool, since no spawner is free */
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	ran = wpk_jobs_finished(jobs, 2);
	none = !atomic_read(&others->started);
	/* no other rescuer is created, neither at once nor within 30 ms */
	slow = !has_rescuer(pool);
	msleep(30);
	slow &= !has_rescuer(pool);
	let_spawners_go(pools);

	KUNIT_EXPECT_TRUE(test, busy);
	KUNIT_EXPECT_TRUE(test, ran);
	KUNIT_EXPECT_TRUE(test, none);
	KUNIT_EXPECT_TRUE(test, slow);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(others, WPOOL_NR_SPAWNERS));
	WPK_EVENTUALLY(test, wpk_stat(pool, rescued) == 1);
	WPK_EVENTUALLY(test, has_rescuer(pool));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawn_failed), 0);
}

/* ---- tune, reboot, destroy ----------------------------------------------------- */

static void wpool_tune_reclaim_comes_and_goes(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL), *first;
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);

	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, true), 0);
	KUNIT_EXPECT_TRUE(test, has_rescuer(pool));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, true), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 3), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 4);

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, false), 0);
	KUNIT_EXPECT_FALSE(test, has_rescuer(pool));
	WPK_EVENTUALLY(test, atomic_read(&pool->workers.nr_threads) == 3);
	/* the pool runs a task without reclaim, and then gets reclaim back */
	first = wpk_held(test, pool, 1, 1);
	wpk_jobs_run(test, pool, jobs, 1);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, true), 0);
	wpk_jobs_next(test, pool, jobs, 1);
	wpk_jobs_let(test, first, 1);
}

/* When the tune returns, all min_workers exist, even if the same tune has raised the capacity. */
static void wpool_tune_reclaim_makes_min_workers_of_the_new_capacity(struct kunit *test)
{
	struct wpool *pool = reclaim_pool(test, 2, 0);
	struct wpool_attrs now;

	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_MIN_WORKERS,
					    attrs.capacity = 5, attrs.min_workers = 5), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 5);
	/* if no worker can be made, the capacity is unchanged, too */
	wpk_no_threads(test);
	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_MIN_WORKERS,
					    attrs.capacity = 9, attrs.min_workers = 9), -EAGAIN);
	wpool_get_attrs(pool, &now, NULL);
	KUNIT_EXPECT_EQ(test, now.capacity, 5);
	KUNIT_EXPECT_EQ(test, now.min_workers, 5);
	wpk_threads_again(test);
}

static int start_slowly(struct wpool *pool, void *data, void **own)
{
	msleep(50);
	return 0;
}

/*
 * Workers that a tune makes for min_workers do not expire, even if the first is idle for longer
 * than expiry_ms before the last is made.
 */
static void wpool_tune_reclaim_makes_min_workers_that_do_not_expire(struct kunit *test)
{
	struct wpool *pool = reclaim_pool_with(test, 8, 0, attrs.expiry_ms = 1,
					       attrs.worker_start = start_slowly);

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 6), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 6);
	/* six workers and the rescuer: no more were made */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 7);
}

static bool may_run_on(struct task_struct *thread, const struct cpumask *mask)
{
	/* the pool's work may be changing the mask */
	return data_race(cpumask_equal(thread->cpus_ptr, mask));
}

/* While the rescuer is in reserve, it may run on all CPUs of the pool, and on no other CPU. */
static void wpool_tune_reclaim_rescuer_moves_with_the_pool(struct kunit *test)
{
	struct wpool *pool = reclaim_pool(test, 4, 0);
	struct task_struct *thread = pool->reserve.rescuer->thread;
	int first = cpumask_first(cpu_online_mask);

	WPK_EVENTUALLY(test, may_run_on(thread, pool->cpumask));
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(first)), 0);
	WPK_EVENTUALLY(test, may_run_on(thread, cpumask_of(first)));
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, NULL), 0);
	WPK_EVENTUALLY(test, may_run_on(thread, pool->cpumask));
	KUNIT_EXPECT_PTR_EQ(test, pool->reserve.rescuer->thread, thread);
}

static void wpool_tune_reclaim_no_threads_left_is_an_error(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_attrs attrs;

	wpk_no_threads(test);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, true), -EAGAIN);
	wpk_threads_again(test);
	wpool_get_attrs(pool, &attrs, NULL);
	KUNIT_EXPECT_FALSE(test, attrs.reclaim);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	wpk_jobs_run(test, pool, jobs, 1);
	KUNIT_EXPECT_FALSE(test, has_rescuer(pool));
}

static void wpool_reboot_reclaim_has_its_workers(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 10, NULL);
	struct wpool *pool = reclaim_pool(test, 4, 2);
	int i;

	for (i = 0; i < 10; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
		KUNIT_EXPECT_TRUE(test, has_rescuer(pool));
		KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 2);
	}
	KUNIT_EXPECT_TRUE(test, has_rescuer(pool));
	wpk_finish(test, pool, jobs);
}

static void wpool_reboot_reclaim_no_threads_left_is_an_error(struct kunit *test)
{
	struct wpool *pool = reclaim_pool(test, 4, 2);

	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	wpk_no_threads(test);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), -EAGAIN);
	KUNIT_EXPECT_EQ(test, READ_ONCE(pool->state), WPOOL_CLOSED);
	wpk_threads_again(test);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 2);
}

static void wpool_destroy_reclaim_no_threads_left_queued_tasks_run(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpool *pool = reclaim_pool(test, 4, 0);

	wpk_no_threads(test);
	wpk_jobs_submit(test, pool, jobs, 0, 20);
	wpk_forget(test, pool);
	KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
	wpk_threads_again(test);
	wpk_jobs_ran_once(test, jobs);
}

#define NR_LOAD WPK_ROUNDS(2000)

/* While reclaim is switched on and off, each sleeping task runs once, within the capacity. */
static void wpool_tune_reclaim_under_load(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, NR_LOAD, wpk_sleep_a_little, NULL);
	struct wpool *pool = reclaim_pool_with(test, 3, 1, attrs.expiry_ms = 1);
	unsigned int i;

	for (i = 0; i < NR_LOAD; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		if (i % 50 == 0)
			KUNIT_EXPECT_EQ(test, wpk_tune(pool, RECLAIM, reclaim, i / 50 % 2), 0);
		if (i % 200 == 0)
			KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, i));
	}
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, NR_LOAD));
	KUNIT_EXPECT_LE(test, atomic_read(&jobs->peak), 3);
	wpk_finish(test, pool, jobs);
}

/*
 * A pool can be destroyed while its rescuer becomes a worker, or is being replaced: its tasks run.
 */
static void wpool_destroy_reclaim_at_any_time(struct kunit *test)
{
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int i;

	for (i = 0; i < WPK_ROUNDS(200); i++) {
		pool = reclaim_pool(test, 4, i % 2);
		jobs = wpk_jobs_of(test, 3, wpk_sleep_a_little, NULL);
		wpk_jobs_submit(test, pool, jobs, 0, i % 4);
		wpk_destroy(test, pool);
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), i % 4);
	}
}

/* ---- waiting for another pool --------------------------------------------------- */

static void flush_other(struct wpk_job *job)
{
	job->ret = wpool_flush(job->arg);
}

/* With lockdep, the log says if a task of a pool with reclaim flushes a pool without reclaim. */
static void wpool_flush_reclaim_waits_for_a_pool_without_it_is_reported(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_jobs *fine = wpk_jobs(test, 1, NULL);
	struct wpool *other = wpk_pool(test, 1, 0);
	struct wpool *same = reclaim_pool(test, 1, 0);
	struct wpool *pool = reclaim_pool_with(test, 1, 1);
	const char *name = wpk_name_of(pool);

	wpk_need(test, IS_ENABLED(CONFIG_LOCKDEP), "no lockdep");
	wpk_jobs_body(fine, flush_other, same);
	wpk_jobs_run(test, pool, fine, 1);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "waits for pool"), 0);

	wpk_jobs_body(jobs, flush_other, other);
	wpk_jobs_run(test, pool, jobs, 2);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "waits for pool"), 1);
}

/* ---- the shrinker ----------------------------------------------------------------- */

/* Workers that would stay for an hour leave when memory is short; min_workers stay. */
static void wpool_worker_memory_is_short_idle_workers_leave(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED,
					   attrs.expiry_ms = 60 * 60 * 1000, attrs.min_workers = 1);

	wpk_warm(test, pool, 4);
	wpk_need(test, !wpk_fs_write("proc", DROP_CACHES, "2\n"), "no /proc/" DROP_CACHES);
	WPK_EVENTUALLY(test, !wpk_fs_write("proc", DROP_CACHES, "2\n") &&
		       wpk_stat(pool, workers) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, expired), 3);
	wpk_fs_write("proc", DROP_CACHES, "2\n");
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 1);
}

WPK_SUITE(reclaim,
	  KUNIT_CASE(wpool_create_reclaim_has_its_workers_and_the_rescuer),
	  KUNIT_CASE(wpool_create_reclaim_without_min_workers_has_the_rescuer),
	  KUNIT_CASE(wpool_create_reclaim_no_threads_left_is_an_error),
	  KUNIT_CASE(wpool_submit_reclaim_no_threads_left_it_runs),
	  KUNIT_CASE(wpool_hog_reclaim_no_threads_left_the_rescuer_is_not_behind_it),
	  KUNIT_CASE(wpool_submit_reclaim_no_threads_left_tasks_wait_for_a_task),
	  KUNIT_CASE(wpool_worker_reclaim_expires_into_the_reserve),
	  KUNIT_CASE(wpool_tune_reclaim_capacity_is_kept),
	  KUNIT_CASE(wpool_submit_reclaim_all_spawners_wait_it_runs),
	  KUNIT_CASE(wpool_tune_reclaim_comes_and_goes),
	  KUNIT_CASE(wpool_tune_reclaim_makes_min_workers_of_the_new_capacity),
	  KUNIT_CASE(wpool_tune_reclaim_makes_min_workers_that_do_not_expire),
	  KUNIT_CASE(wpool_tune_reclaim_rescuer_moves_with_the_pool),
	  KUNIT_CASE(wpool_tune_reclaim_no_threads_left_is_an_error),
	  KUNIT_CASE(wpool_reboot_reclaim_has_its_workers),
	  KUNIT_CASE(wpool_reboot_reclaim_no_threads_left_is_an_error),
	  KUNIT_CASE(wpool_destroy_reclaim_no_threads_left_queued_tasks_run),
	  KUNIT_CASE(wpool_tune_reclaim_under_load),
	  KUNIT_CASE(wpool_destroy_reclaim_at_any_time),
	  KUNIT_CASE(wpool_flush_reclaim_waits_for_a_pool_without_it_is_reported),
	  KUNIT_CASE(wpool_worker_memory_is_short_idle_workers_leave));
