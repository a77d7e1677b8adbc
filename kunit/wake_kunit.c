// SPDX-License-Identifier: GPL-2.0
/*
 * Parking and waking: no wake-up is lost, even if a worker is about to sleep or to end. The workers
 * of a pool without tasks do not run.
 *
 * The stress cases submit one task at a time and wait until it has run, so that no later submit
 * hides a lost wake-up. The monitor would hide one, too, within some 20 ms. So another thread
 * checks whether a task is queued while all workers are idle.
 */
#include <kunit/resource.h>
#include <linux/random.h>
#include <linux/sched/task.h>

#include "fixture.h"

/**
 * struct watch - the watch of a pool to which tasks are submitted one by one
 * @pool: the pool
 * @submitting: threads in a submit, which may not have woken a worker yet
 * @over: the watcher shall end
 * @lost: how often tasks were queued and all workers idle for NR_LOOKS looks in a row
 */
struct watch {
	struct wpool *pool;
	atomic_t submitting;
	bool over;
	unsigned int lost;
};

#define NR_LOOKS 5

static bool nobody_comes(struct watch *watch, struct wpool_stats *stats)
{
	wpool_get_stats(watch->pool, stats);
	return stats->queued && stats->workers && stats->idle == stats->workers &&
	       !atomic_read(&watch->submitting);
}

/* NR_LOOKS looks take less time than the monitor's period, unless this thread loses its CPU. */
static int watch_fn(struct wpk_thread *thread)
{
	struct watch *watch = thread->arg;
	struct wpool_stats stats;
	u64 submitted = 0;
	int looks = 0;

	while (!READ_ONCE(watch->over) && !wpk_stopped(thread->test)) {
		usleep_range(500, 1000);
		if (!nobody_comes(watch, &stats)) {
			looks = 0;
		} else if (!looks || stats.submitted != submitted) {
			submitted = stats.submitted;
			looks = 1;
		} else if (++looks == NR_LOOKS) {
			watch->lost++;
		}
	}
	return 0;
}

static unsigned int count_lost(struct kunit *test, struct wpool *pool,
			       void (*rounds)(struct kunit *test, struct watch *watch))
{
	struct watch *watch = wpk_alloc(test, sizeof(*watch));
	struct wpk_thread *thread;

	watch->pool = pool;
	thread = wpk_thread(test, watch_fn, NULL, NULL, watch);
	rounds(test, watch);
	WRITE_ONCE(watch->over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	return watch->lost;
}

/*
 * Try again if a wake-up was lost: perhaps only the machine stopped a CPU, after the worker there
 * had gone to the idle list, and before that worker looked at the queues once more.
 */
static void lose_none(struct kunit *test, struct wpool *pool,
		      void (*rounds)(struct kunit *test, struct watch *watch))
{
	unsigned int lost;
	int try = 0;

	do {
		lost = count_lost(test, pool, rounds);
	} while (lost && ++try < 3);
	KUNIT_EXPECT_EQ(test, lost, 0);
}

static int submit_somehow(struct wpool *pool, struct wpool_task *task, u32 round)
{
	switch (round % 5) {
	case 0:
		return wpk_try_in(wpk_in_hardirq, pool, task);
	case 1:
		return wpk_try_in(wpk_in_softirq, pool, task);
	default:
		return wpool_submit(pool, task);
	}
}

/* Submit one job, from a context that depends on @round, and wait until the job has run. */
static int one_round(struct watch *watch, struct wpk_jobs *jobs, u32 round)
{
	struct wpool_task *task = &jobs->job[0].task;
	int before = atomic_read(&jobs->finished);
	int ret;

	if (round % 8 == 0)
		wpk_move_to(wpk_cpu(get_random_u32_below(num_online_cpus())));
	/* wait about as long as a worker takes to go to sleep */
	if (round % 4)
		udelay(get_random_u32_below(40));
	atomic_inc(&watch->submitting);
	ret = submit_somehow(watch->pool, task, round);
	atomic_dec(&watch->submitting);
	if (ret)
		return ret;
	if (!wpk_jobs_finished(jobs, before + 1))
		return -ETIME;
	return wpool_task_wait(task);
}

static const u32 spins[] = { 0, 20, 200 };

WPK_PARAM(spin, spins, "spin_us %u");

static struct wpool *spin_pool(struct kunit *test, u32 capacity, u32 spin_us)
{
	return wpk_pool_with(test, capacity, 10, attrs.spin_us = spin_us, attrs.expiry_ms = 0);
}

static void single_tasks(struct kunit *test, struct watch *watch)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	u32 round;

	for (round = 0; round < WPK_WAKE_ROUNDS / 3; round++)
		KUNIT_ASSERT_EQ(test, one_round(watch, jobs, round), 0);
	wpk_move_to(-1);
}

static void wpool_submit_single_tasks_lose_no_wake_up(struct kunit *test)
{
	lose_none(test, spin_pool(test, 2, *(const u32 *)test->param_value), single_tasks);
}

static void now_and_then(struct kunit *test, struct watch *watch)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	u32 round;

	for (round = 0; round < WPK_EXPIRE_ROUNDS; round++) {
		usleep_range(100, 100 + get_random_u32_below(8000));
		KUNIT_ASSERT_EQ(test, one_round(watch, jobs, round), 0);
	}
	wpk_move_to(-1);
}

static void wpool_submit_while_workers_expire_loses_no_wake_up(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 2, 10, attrs.expiry_ms = 1, attrs.min_workers = 0,
					   attrs.spin_us = 0);

	lose_none(test, pool, now_and_then);
	/* on a fast machine the last workers may leave only now */
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 0);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, expired), 1);
}

/* ---- from worker to worker ------------------------------------------------ */

struct rally {
	struct watch *watch;
	struct wpool *pools[2];
	struct wpk_jobs *jobs;
	int nr_hops;
};

static void hit_back(struct wpk_job *job)
{
	struct rally *rally = job->arg;
	int hop = atomic_read(&rally->jobs->started);

	if (hop >= rally->nr_hops)
		return;
	atomic_inc(&rally->watch->submitting);
	job->ret = wpool_submit(rally->pools[hop % 2], &rally->jobs->job[hop % 2].task) ?:
		   job->ret;
	atomic_dec(&rally->watch->submitting);
}

/* Two jobs submit each other, in turn to the watched pool and to another pool. */
static void play(struct kunit *test, struct watch *watch)
{
	struct rally *rally = wpk_alloc(test, sizeof(*rally));
	int i;

	rally->watch = watch;
	rally->nr_hops = WPK_WAKE_ROUNDS;
	rally->jobs = wpk_jobs(test, 2, NULL);
	wpk_jobs_body(rally->jobs, hit_back, rally);
	rally->pools[0] = watch->pool;
	rally->pools[1] = spin_pool(test, 1, 0);
	wpk_jobs_submit(test, rally->pools[0], rally->jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(rally->jobs, WPK_WAKE_ROUNDS));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, rally->jobs->job[i].ret, 0);
		KUNIT_EXPECT_FALSE(test, rally->jobs->job[i].twice);
	}
}

static void wpool_submit_from_pool_to_pool_loses_no_wake_up(struct kunit *test)
{
	lose_none(test, spin_pool(test, 1, 0), play);
}

/* ---- quiet ---------------------------------------------------------------- */

KUNIT_DEFINE_ACTION_WRAPPER(put_task, put_task_struct, struct task_struct *);

static void hold_worker(struct wpk_job *job)
{
	job->arg = get_task_struct(current);
}

static unsigned long switches_of(struct wpk_job *job)
{
	struct task_struct *task = job->arg;

	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

#define NR_QUIET 10

/* True if all workers are asleep and off their CPUs. The @arg of each job is a worker. */
static bool all_sleep(struct wpk_jobs *jobs)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < jobs->nr; i++) {
		task = jobs->job[i].arg;
		if (READ_ONCE(task->__state) == TASK_RUNNING || READ_ONCE(task->on_cpu))
			return false;
	}
	return true;
}

/* A pool whose workers are all parked. The @arg of each job is a worker. */
static struct wpool *quiet_pool(struct kunit *test, struct wpk_jobs **jobs)
{
	struct wpk_gate *gate = wpk_gate(test);
	int i;
	struct wpool *pool = wpk_pool_with(test, NR_QUIET, 0, attrs.expiry_ms = 600 * 1000);

	*jobs = wpk_jobs(test, NR_QUIET, gate);
	wpk_jobs_body(*jobs, hold_worker, NULL);
	wpk_jobs_hold(test, pool, *jobs, 0, NR_QUIET);
	wpk_gate_open(gate);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(*jobs, NR_QUIET));
	for (i = 0; i < NR_QUIET; i++)
		KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, put_task,
								(*jobs)->job[i].arg), 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == NR_QUIET);
	/* the last worker may still be leaving its CPU */
	WPK_ASSERT_EVENTUALLY(test, all_sleep(*jobs));
	return pool;
}

static void wpool_idle_workers_are_not_switched_to(struct kunit *test)
{
	unsigned long before[NR_QUIET];
	struct wpk_jobs *jobs;
	struct wpool *pool = quiet_pool(test, &jobs);
	int i;

	for (i = 0; i < NR_QUIET; i++) {
		before[i] = switches_of(&jobs->job[i]);
		KUNIT_EXPECT_GE(test, before[i], 1);
	}
	/* time has to pass, since the case checks that nothing happens */
	msleep(700);
	for (i = 0; i < NR_QUIET; i++)
		KUNIT_EXPECT_EQ(test, switches_of(&jobs->job[i]), before[i]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), NR_QUIET);
}

/*
 * One task needs one worker, which wakes another one only if tasks are left. A worker that waits
 * long for its CPU gets help; on a busy machine this may happen in some rounds.
 */
static void wpool_submit_one_task_wakes_no_herd(struct kunit *test)
{
	struct wpk_jobs *single = wpk_jobs(test, 10, NULL), *jobs;
	unsigned long before[NR_QUIET];
	struct wpool *pool = quiet_pool(test, &jobs);
	int round, i, woken, herds = 0;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < NR_QUIET; i++)
			before[i] = switches_of(&jobs->job[i]);
		wpk_jobs_next(test, pool, single, round);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == NR_QUIET);
		WPK_ASSERT_EVENTUALLY(test, all_sleep(jobs));
		for (i = 0, woken = 0; i < NR_QUIET; i++)
			woken += switches_of(&jobs->job[i]) != before[i];
		KUNIT_EXPECT_GE(test, woken, 1);
		herds += woken > 3;
	}
	KUNIT_EXPECT_LE(test, herds, 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), NR_QUIET);
}

WPK_SUITE(wake,
	  KUNIT_CASE_PARAM_ATTR(wpool_submit_single_tasks_lose_no_wake_up, spin_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE_SLOW(wpool_submit_while_workers_expire_loses_no_wake_up),
	  KUNIT_CASE_SLOW(wpool_submit_from_pool_to_pool_loses_no_wake_up),
	  KUNIT_CASE(wpool_idle_workers_are_not_switched_to),
	  KUNIT_CASE(wpool_submit_one_task_wakes_no_herd));
