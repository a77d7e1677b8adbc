// SPDX-License-Identifier: GPL-2.0
/*
 * A woken worker cannot run, because a task or another thread keeps its CPU for long. Other
 * workers, if there are any, run the tasks that wait for this worker. No needless worker is made.
 *
 * A thread holds a CPU, with preemption off, until the case has seen the expected event. If the
 * event needs the held CPU, WPK_PATIENCE / HOLD_PART ends the hold, and the case fails.
 */
#include <linux/preempt.h>
#include <linux/rculist.h>

#include "knob.h"
#include "one_cpu.h"

/* Of WPK_PATIENCE: less than the time limit of a lockup detector. */
#define HOLD_PART	3

/* As wpk_pool_with(). */
#define two_cpu_pool(test, capacity, ...)						\
({											\
	struct kunit *__test = test;							\
											\
	wpk_pool_with(__test, capacity, WPOOL_UNLIMITED,				\
		      attrs.cpumask = wpk_first_cpus(__test, 2), ##__VA_ARGS__);	\
})

static struct wpool *second_cpu_pool(struct kunit *test)
{
	wpk_need_cpus(test, 2);
	return wpk_pool_with(test, 2, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)));
}

/* ---- a CPU that a thread holds -------------------------------------------- */

/*
 * @cpu: the CPU that the holder keeps
 * @task: the holder submits it first; may be %NULL
 * @held: the holder keeps the CPU from now on
 * @over: the holder may release the CPU
 */
struct hold {
	struct wpool_task *task;
	int cpu;
	bool held;
	bool over;
};

static int hold_a_cpu(struct wpk_thread *thread)
{
	struct hold *hold = thread->arg;
	int ret = 0;

	wpk_move_to(hold->cpu);
	preempt_disable();
	if (hold->task)
		ret = wpool_try_submit(thread->pool, hold->task);
	WRITE_ONCE(hold->held, true);
	if (!ret && !wpk_spin(HOLD_PART, READ_ONCE(hold->over)))
		ret = -ETIME;
	preempt_enable();
	return ret;
}

/* Hold @cpu. The case moves to the other CPU, and must not leave it before hold_end(). */
static struct wpk_thread *hold_start(struct kunit *test, struct wpool *pool, int cpu,
				     struct wpool_task *task)
{
	struct hold *hold = wpk_alloc(test, sizeof(*hold));
	struct wpk_thread *thread;

	hold->cpu = cpu;
	hold->task = task;
	wpk_move_to(cpu == wpk_cpu(0) ? wpk_cpu(1) : wpk_cpu(0));
	thread = wpk_thread(test, hold_a_cpu, pool, NULL, hold);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(hold->held));
	return thread;
}

/* Let the holder release the CPU. Expects that the CPU was held until now. */
static void hold_end(struct kunit *test, struct wpk_thread *thread)
{
	struct hold *hold = thread->arg;

	WRITE_ONCE(hold->over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_move_to(-1);
}

/*
 * If the only worker does not get its CPU, neither submitters nor the monitor rely on the worker.
 */
static void wpool_submit_does_not_rely_on_a_worker_without_its_cpu(struct kunit *test)
{
	struct wpk_jobs *warm = wpk_jobs(test, 1, NULL);
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct wpk_thread *holder;
	struct wpool *pool;

	wpk_need_to_keep_cpu(test);
	pool = second_cpu_pool(test);
	wpk_jobs_run(test, pool, warm, 1);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(1)), 1);

	holder = hold_start(test, pool, wpk_cpu(1), NULL);
	wpk_jobs_run(test, pool, jobs, 20);
	hold_end(test, holder);
	wpk_finish(test, pool, jobs);
}

/* The pool does not wait for a worker that was just made for a held CPU, and has never run. */
static void wpool_submit_does_not_rely_on_a_new_worker_without_its_cpu(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = two_cpu_pool(test, 2);
	struct wpk_thread *holder;

	wpk_need_to_keep_cpu(test);
	/* the first worker of a pool is made on the CPU that submits */
	holder = hold_start(test, pool, wpk_cpu(0), &jobs->job[0].task);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	KUNIT_EXPECT_EQ(test, jobs->job[0].cpu, wpk_cpu(1));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
	hold_end(test, holder);
}

#define NR_TICKS 8

/*
 * For a CPU that another thread holds, one worker is made, which cannot run, and no further ones.
 */
static void wpool_submit_makes_one_worker_for_a_cpu_that_is_held(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, NR_TICKS, NULL);
	/* without hand-off a worker that sleeps counts as running */
	struct wpool *pool = two_cpu_pool(test, 20, attrs.handoff = false);
	struct wpk_jobs *first;
	struct wpk_thread *holder;
	int i;

	wpk_move_to(wpk_cpu(0));
	first = wpk_held(test, pool, 1, 1);
	KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(0)), 1);

	holder = hold_start(test, pool, wpk_cpu(1), NULL);
	for (i = 0; i < NR_TICKS; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		/* longer than a tick of the kernel, and than the monitor's period */
		msleep(20);
	}
	WPK_EVENTUALLY(test, wpk_stat(pool, spawned) >= 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
	hold_end(test, holder);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, NR_TICKS));
	wpk_finish(test, pool, jobs);
}

static bool is_in_reserve(struct wpool *pool)
{
	struct wpool_worker *w;
	bool ret;

	rcu_read_lock();
	w = READ_ONCE(pool->reserve.rescuer);
	ret = w && READ_ONCE(w->in_reserve);
	rcu_read_unlock();
	return ret;
}

/* An idle worker becomes the rescuer, and is ready although a thread keeps the worker's CPU. */
static void wpool_expire_reclaim_the_rescuer_does_not_wait_for_a_held_cpu(struct kunit *test)
{
	struct wpk_jobs *warm = wpk_jobs(test, 1, NULL);
	struct wpool *pool;
	bool ready;

	wpk_need_to_keep_cpu(test);
	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)),
			     attrs.min_workers = 0, attrs.expiry_ms = 0, attrs.reclaim = true);
	WPK_ASSERT_EVENTUALLY(test, is_in_reserve(pool));
	wpk_no_threads(test);
	wpk_jobs_run(test, pool, warm, 1);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);

	/* no other thread can be made: this one holds the CPU */
	wpk_move_to(wpk_cpu(1));
	KUNIT_EXPECT_FALSE(test, is_in_reserve(pool));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, EXPIRY_MS, expiry_ms, 1), 0);
	preempt_disable();
	/* if the event needs this CPU, it comes only afterwards, and the case fails */
	ready = wpk_spin(HOLD_PART, is_in_reserve(pool));
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, ready);
	wpk_move_to(-1);
	wpk_threads_again(test);
	wpk_finish(test, pool, warm);
}

/* ---- a CPU that is excluded ----------------------------------------------- */

/* May the pool's first worker run on the first CPU? */
static bool is_free(struct wpool *pool)
{
	struct wpool_worker *w;
	bool ret;

	rcu_read_lock();
	w = list_first_or_null_rcu(&pool->workers.list, struct wpool_worker, node);
	/* the pool's work may be changing the mask */
	ret = w && data_race(cpumask_test_cpu(wpk_cpu(0), w->thread->cpus_ptr));
	rcu_read_unlock();
	return ret;
}

/*
 * A task that sleeps, or waits for its CPU, continues on another CPU if its CPU is excluded and a
 * thread holds it.
 */
static void wpool_tune_cpumask_frees_a_task_of_a_held_cpu(struct kunit *test)
{
	int asleep;

	for (asleep = 0; asleep < 2; asleep++) {
		struct wpool *pool = second_cpu_pool(test);
		struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
		struct wpk_thread *holder = hold_start(test, pool, wpk_cpu(1), NULL);

		if (!asleep)
			wpk_gate_open(jobs->gate);
		KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(wpk_cpu(0))), 0);
		/* until then, the move of a thread that is being woken would need the held CPU */
		WPK_EVENTUALLY(test, is_free(pool));
		wpk_jobs_let(test, jobs, 1);
		hold_end(test, holder);
		wpk_finish(test, pool, jobs);
	}
}

/*
 * An idle worker whose home is excluded runs tasks on another CPU, although a thread holds its
 * home. It is the only worker that the pool may have.
 */
static void wpool_tune_cpumask_frees_an_idle_worker_of_a_held_cpu(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_thread *holder;
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 1, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	wpk_warm(test, pool, 1);
	holder = hold_start(test, pool, wpk_cpu(1), NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(wpk_cpu(0))), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	KUNIT_EXPECT_EQ(test, jobs->job[0].cpu, wpk_cpu(0));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
	hold_end(test, holder);
	wpk_finish(test, pool, jobs);
}

/* ---- a new worker on a held CPU ------------------------------------------- */

static int count_start(struct wpool *pool, void *data, void **own)
{
	atomic_inc(data);
	return 0;
}

/* worker_start runs on another CPU than the new worker's home if a thread holds the home. */
static void wpool_hooks_start_does_not_wait_for_a_held_cpu(struct kunit *test)
{
	atomic_t *started = wpk_alloc(test, sizeof(*started));
	struct wpool *pool = two_cpu_pool(test, 3, attrs.worker_start = count_start,
					  attrs.worker_data = started);
	struct wpk_thread *holder;
	struct wpk_jobs *jobs;

	wpk_need_to_keep_cpu(test);
	wpk_move_to(wpk_cpu(0));
	jobs = wpk_held(test, pool, 3, 1);
	holder = hold_start(test, pool, wpk_cpu(1), NULL);
	/* of the new workers, one is at home on the held CPU */
	wpk_jobs_submit(test, pool, jobs, 1, 2);
	WPK_EVENTUALLY(test, atomic_read(started) == 3);
	hold_end(test, holder);
	wpk_finish(test, pool, jobs);
}

/* The new rescuer is ready, although a thread keeps the CPU that has the fewest workers. */
static void wpool_submit_reclaim_the_rescuer_does_not_wait_for_a_held_cpu(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL), *first;
	struct wpool *pool = two_cpu_pool(test, 3, attrs.reclaim = true, attrs.min_workers = 0);
	struct wpk_thread *holder;

	wpk_need_to_keep_cpu(test);
	holder = hold_start(test, pool, wpk_cpu(1), NULL);
	first = wpk_held(test, pool, 1, 1);
	wpk_jobs_run(test, pool, jobs, 1);
	hold_end(test, holder);
	wpk_gate_open(first->gate);
	wpk_finish(test, pool, jobs);
}

#define NR_MOVES 100

/* May each worker of the pool run on one CPU of @mask, and on no other? */
static bool all_bound_to(struct wpool *pool, const struct cpumask *mask)
{
	struct wpool_worker *w;
	bool ret = true;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node)
		/* the worker, or the pool's work, may be changing the mask */
		ret = ret && data_race(w->thread->nr_cpus_allowed == 1 &&
				       cpumask_subset(w->thread->cpus_ptr, mask));
	rcu_read_unlock();
	return ret;
}

/* Idle workers go to the only CPU that is left, and do not keep the right to run on another. */
static void wpool_tune_cpumask_binds_idle_workers(struct kunit *test)
{
	struct wpool *pool = second_cpu_pool(test);
	struct wpk_jobs *warm = wpk_held(test, pool, 2, 2);
	int i, cpu;

	wpk_gate_open(warm->gate);
	for (i = 0; i < NR_MOVES; i++) {
		cpu = wpk_cpu(i % 2);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
		KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(cpu)), 0);
		WPK_ASSERT_EVENTUALLY(test, all_bound_to(pool, cpumask_of(cpu)));
	}
}

/* If several CPUs are left, each idle worker is bound to one of them. */
static void wpool_tune_cpumask_binds_idle_workers_to_one_of_two(struct kunit *test)
{
	static struct cpumask mask[2];
	const struct cpumask *to;
	struct wpk_jobs *warm;
	struct wpool *pool;
	int i;

	wpk_need_cpus(test, 3);
	for (i = 0; i < 2; i++) {
		cpumask_copy(&mask[i], cpumask_of(wpk_cpu(2 * i)));
		cpumask_set_cpu(wpk_cpu(1), &mask[i]);
	}
	pool = wpk_pool_with(test, 3, WPOOL_UNLIMITED, attrs.cpumask = &mask[1]);
	warm = wpk_held(test, pool, 3, 3);
	wpk_gate_open(warm->gate);
	for (i = 0; i < NR_MOVES; i++) {
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 3);
		to = &mask[i % 2];
		KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, to), 0);
		WPK_ASSERT_EVENTUALLY(test, all_bound_to(pool, to));
	}
}

/* ---- a CPU that is added -------------------------------------------------- */

/* At capacity, a new CPU gets one of two idle workers, no new one, even if no task is queued. */
static void wpool_tune_more_cpus_an_idle_worker_moves_there(struct kunit *test)
{
	struct wpool *pool = second_cpu_pool(test);
	struct wpk_jobs *warm = wpk_held(test, pool, 2, 2);

	wpk_gate_open(warm->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(1)), 2);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	WPK_EVENTUALLY(test, wpk_workers_at(pool, wpk_cpu(1)) == 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 2);
}

static void keep_the_cpu(struct wpk_job *job)
{
	struct hold *hold = job->arg;

	preempt_disable();
	WRITE_ONCE(hold->held, true);
	/* if the event needs this CPU, it comes only afterwards, and the case fails */
	if (!wpk_spin(HOLD_PART, READ_ONCE(hold->over)))
		job->ret = -ETIME;
	preempt_enable();
}

/* While an idle worker that moves to a CPU waits for its old CPU, no other one is sent after it. */
static void wpool_submit_moves_one_idle_worker_at_a_time(struct kunit *test)
{
	struct hold *hold = wpk_alloc(test, sizeof(*hold));
	struct wpk_jobs *busy = wpk_jobs_of(test, 1, keep_the_cpu, hold);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_TICKS, NULL);
	struct wpool *pool;
	int i;

	wpk_need_to_keep_cpu(test);
	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 5, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)),
			     attrs.prealloc = true, attrs.hog_ms = WPOOL_MAX_HOG_MS);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 5);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pool, busy, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(hold->held));
	/* moves one */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, wpk_first_cpus(test, 2)), 0);
	for (i = 0; i < NR_TICKS; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		/* longer than a tick of the kernel, and than the monitor's period */
		msleep(20);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, idle), 3);
	WRITE_ONCE(hold->over, true);
	wpk_move_to(-1);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, busy->job[0].ret, 0);
}

WPK_SUITE(rescue,
	  KUNIT_CASE(wpool_submit_does_not_rely_on_a_worker_without_its_cpu),
	  KUNIT_CASE(wpool_submit_does_not_rely_on_a_new_worker_without_its_cpu),
	  KUNIT_CASE(wpool_submit_makes_one_worker_for_a_cpu_that_is_held),
	  KUNIT_CASE(wpool_tune_cpumask_frees_a_task_of_a_held_cpu),
	  KUNIT_CASE(wpool_tune_cpumask_frees_an_idle_worker_of_a_held_cpu),
	  KUNIT_CASE(wpool_hooks_start_does_not_wait_for_a_held_cpu),
	  KUNIT_CASE(wpool_submit_reclaim_the_rescuer_does_not_wait_for_a_held_cpu),
	  KUNIT_CASE(wpool_expire_reclaim_the_rescuer_does_not_wait_for_a_held_cpu),
	  KUNIT_CASE(wpool_tune_cpumask_binds_idle_workers),
	  KUNIT_CASE(wpool_tune_cpumask_binds_idle_workers_to_one_of_two),
	  KUNIT_CASE(wpool_tune_more_cpus_an_idle_worker_moves_there),
	  KUNIT_CASE_SLOW(wpool_submit_moves_one_idle_worker_at_a_time));
