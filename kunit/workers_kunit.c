// SPDX-License-Identifier: GPL-2.0
/*
 * Workers: how many there are, which one is reused, when they leave, and what a task sees of its
 * worker.
 *
 * A case may measure that a worker does not expire too early. How late a worker expires depends on
 * the machine, and is not measured.
 */
#include <linux/rcupdate.h>

#include "fixture.h"

static void rest_a_little(struct wpk_job *job)
{
	if ((job - job->jobs->job) % 3)
		usleep_range(10, 60);
}

static const u32 capacities[] = { 1, 5 };

WPK_PARAM(capacity, capacities, "capacity %u");

static void wpool_capacity_tasks_run_at_once_and_no_more(struct kunit *test)
{
	int capacity = *(const u32 *)test->param_value, i;
	struct wpool *pool = wpk_pool(test, capacity, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_gated(test, 400);

	wpk_jobs_body(jobs, rest_a_little, NULL);
	for (i = 0; i < 400; i++) {
		wpk_move_to(wpk_cpu(i % num_online_cpus()));
		wpk_jobs_submit(test, pool, jobs, i, 1);
	}
	wpk_move_to(-1);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, capacity));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), capacity);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->peak), capacity);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), capacity);
}

/* This task starts after the tune to capacity 1: @ret is 1 if another task runs. */
static void look_for_others(struct wpk_job *job)
{
	struct wpk_jobs *old = job->arg;

	if (atomic_read(&old->running) || atomic_read(&job->jobs->running) > 1)
		job->ret = 1;
	rest_a_little(job);
}

/* Idle workers beyond a smaller capacity leave at once: no worker of this pool expires. */
static void wpool_tune_down_idle_workers_leave(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, 0);
	struct wpk_jobs *jobs = wpk_held(test, pool, 4, 4);

	KUNIT_ASSERT_EQ(test, wpk_tune(pool, EXPIRY_MS, expiry_ms, 0), 0);
	wpk_gate_open(jobs->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 4);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 1), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
}

static void wpool_tune_down_never_runs_more_than_the_new_capacity(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	struct wpk_jobs *idle = wpk_held(test, pool, 4, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 60, NULL), *old;
	int i, bad = 0;

	/* there are four workers: after the tune, three of them must take no task */
	wpk_jobs_let(test, idle, 4);
	old = wpk_held(test, pool, 4, 2);
	wpk_jobs_body(jobs, look_for_others, old);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 1), 0);
	wpk_jobs_submit(test, pool, jobs, 0, 60);
	for (i = 1; i <= 2; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
		wpk_gate_let(old->gate, 1);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(old, i));
	}
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 60));
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
	wpk_destroy(test, pool);
	for (i = 0; i < 60; i++)
		bad += jobs->job[i].ret;
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->peak), 1);
	wpk_jobs_ran_once(test, jobs);
}

/*
 * No worker is made while one is idle. The pool does not rely on a worker that waits long for its
 * CPU, and makes another: on a busy machine this may happen in some rounds, but not in all. The
 * count begins after the first task, before which no worker is idle.
 */
static void wpool_workers_are_made_only_when_nobody_is_idle(struct kunit *test)
{
	u64 least = U64_MAX, first = 0;
	struct wpool *pool;
	struct wpk_jobs *jobs;
	int i, try;

	for (try = 0; try < 10 && least; try++) {
		pool = wpk_pool(test, 8, 0);
		jobs = wpk_jobs(test, 30, NULL);
		for (i = 0; i < 30; i++) {
			wpk_job_run(test, pool, &jobs->job[i]);
			WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) ==
					      wpk_stat(pool, workers));
			if (!i)
				first = wpk_stat(pool, spawned);
		}
		least = min(least, wpk_stat(pool, spawned) - first);
	}
	KUNIT_EXPECT_EQ(test, least, 0);
}

/* ---- which worker is reused ----------------------------------------------- */

#define NR_IDLE 3

/* A pool on one CPU, so that all workers are in one idle list. */
static struct wpool *one_cpu_pool(struct kunit *test, enum wpool_order order, bool prealloc)
{
	wpk_move_to(wpk_cpu(0));
	return wpk_pool_with(test, NR_IDLE, 0, attrs.cpumask = cpumask_of(wpk_cpu(0)),
			     attrs.order = order, attrs.prealloc = prealloc, attrs.spin_us = 0,
			     attrs.expiry_ms = 0);
}

/* Let the pool's workers become idle one after the other, and note their pids in this order. */
static void idle_in_turn(struct kunit *test, struct wpool *pool, pid_t *pids)
{
	struct wpk_jobs *jobs = wpk_jobs(test, NR_IDLE, NULL);
	int i;

	for (i = 0; i < NR_IDLE; i++) {
		jobs->job[i].gate = wpk_gate(test);
		wpk_jobs_submit(test, pool, jobs, i, 1);
	}
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, NR_IDLE));
	for (i = 0; i < NR_IDLE; i++) {
		wpk_gate_open(jobs->job[i].gate);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == i + 1);
		pids[i] = jobs->job[i].pid;
	}
}

/* Returns the pid of the worker that takes the next task. All workers are idle before and after. */
static pid_t next_pid(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_job_run(test, pool, &jobs->job[0]);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == NR_IDLE);
	return jobs->job[0].pid;
}

static const struct reuse {
	enum wpool_order order;
	bool prealloc;
	const char *desc;
} reuses[] = {
	{ WPOOL_LIFO, false, "LIFO: the worker that was last busy" },
	{ WPOOL_FIFO, false, "FIFO: the worker that was idle longest" },
	{ WPOOL_LIFO, true, "prealloc is FIFO" },
};

KUNIT_ARRAY_PARAM_DESC(reuse, reuses, desc);

static bool is_reused(struct kunit *test, const struct reuse *reuse)
{
	struct wpool *pool = one_cpu_pool(test, reuse->order, reuse->prealloc);
	bool fifo = reuse->order == WPOOL_FIFO || reuse->prealloc, ret = true;
	struct wpool_attrs attrs;
	pid_t pids[NR_IDLE];
	int i;

	idle_in_turn(test, pool, pids);
	wpool_get_attrs(pool, &attrs, NULL);
	KUNIT_EXPECT_EQ(test, attrs.order == WPOOL_FIFO, fifo);
	KUNIT_EXPECT_EQ(test, attrs.prealloc, reuse->prealloc);
	for (i = 0; i < 2 * NR_IDLE; i++)
		ret &= next_pid(test, pool) == pids[fifo ? i % NR_IDLE : NR_IDLE - 1];
	return ret;
}

/* Try again if the order is wrong: another worker may help one that waits long for its CPU. */
static void wpool_order_says_which_worker_is_reused(struct kunit *test)
{
	int try = 1;

	while (!is_reused(test, test->param_value) && try < 10)
		try++;
	KUNIT_EXPECT_LT(test, try, 10);
}

/* ---- when they leave ------------------------------------------------------ */

/* Make @nr workers. When this returns, each has run one task, and becomes idle. */
static void make_idle(struct kunit *test, struct wpool *pool, int nr)
{
	struct wpk_jobs *jobs = wpk_held(test, pool, nr, nr);

	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), nr);
	wpk_jobs_let(test, jobs, nr);
}

static struct wpool *expiring_pool(struct kunit *test, u32 capacity, u32 expiry_ms, u32 min_workers)
{
	return wpk_pool_with(test, capacity, 0, attrs.expiry_ms = expiry_ms,
			     attrs.min_workers = min_workers);
}

static const u32 mins[] = { 0, 1, 3 };

WPK_PARAM(min, mins, "min_workers %u");

static void wpool_expiry_leaves_min_workers(struct kunit *test)
{
	const u32 min_workers = *(const u32 *)test->param_value;
	struct wpool *pool = expiring_pool(test, 8, 100, min_workers);
	struct wpk_jobs *jobs = wpk_held(test, pool, 8, 8);
	u64 before, made = U64_MAX;
	int try;
	unsigned long start = jiffies;

	wpk_gate_open(jobs->gate);
	WPK_EVENTUALLY(test, wpk_stat(pool, expired) > 0);
	/* no worker leaves too early; jiffies are the clock of the timers */
	KUNIT_EXPECT_GE(test, jiffies - start, msecs_to_jiffies(100));
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == min_workers);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, expired), 8 - min_workers);
	/* the remaining workers stay, for longer than any worker was idle so far */
	msleep(200);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), min_workers);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == min_workers);
	/* the next task makes a worker if none is left; on a busy machine it may make another */
	for (try = 0; try < 10 && made != !min_workers; try++) {
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, workers) == min_workers);
		before = wpk_stat(pool, spawned);
		wpk_job_run(test, pool, &jobs->job[0]);
		made = wpk_stat(pool, spawned) - before;
		KUNIT_ASSERT_GE(test, made, !min_workers);
	}
	KUNIT_EXPECT_EQ(test, made, !min_workers);
}

static void wpool_expiry_0_keeps_idle_workers(struct kunit *test)
{
	struct wpool *pool = expiring_pool(test, 6, 0, 1);

	make_idle(test, pool, 6);
	/* time for an error to show */
	msleep(100);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 6);
	/* the tune of expiry_ms starts the timer for workers that are idle already */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, EXPIRY_MS, expiry_ms, 50), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, expired), 5);
}

static void wpool_expiry_tuned_shorter_counts_for_idle_workers(struct kunit *test)
{
	struct wpool *pool = expiring_pool(test, 4, 60000, 1);

	make_idle(test, pool, 4);
	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_EXPIRY_MS | WPOOL_TUNE_MIN_WORKERS,
					    attrs.expiry_ms = 20, attrs.min_workers = 2), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 2);
	/* fewer workers must stay now, so the timer must start again */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 0), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 0);
}

/* The workers that were idle for longest leave. The worker that became idle last stays. */
static void wpool_expiry_takes_the_coldest_first(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = one_cpu_pool(test, WPOOL_LIFO, false);
	pid_t pids[NR_IDLE];

	idle_in_turn(test, pool, pids);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, EXPIRY_MS, expiry_ms, 100), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
	/* at capacity 1 no other worker takes the task if this worker waits for its CPU */
	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_EXPIRY_MS | WPOOL_TUNE_CAPACITY,
					    attrs.expiry_ms = 0, attrs.capacity = 1), 0);
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].pid, pids[NR_IDLE - 1]);
}

static void wpool_prealloc_makes_all_workers_once_and_keeps_them(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 200, NULL);
	struct wpool *pool = wpk_pool_with(test, 6, 300, attrs.prealloc = true,
					   attrs.expiry_ms = 20);

	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 6);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 6);
	wpk_jobs_submit(test, pool, jobs, 0, 200);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* far longer than expiry_ms */
	msleep(200);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 6);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 6);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, expired), 0);
	wpk_jobs_ran_once(test, jobs);
}

/* ---- nice and CPUs -------------------------------------------------------- */

struct class {
	u32 sched;
	unsigned int policy;
	unsigned int rt_priority;
	const char *desc;
};

static const struct class classes[] = {
	{ WPOOL_SCHED_NORMAL, SCHED_NORMAL, 0, "normal" },
	{ WPOOL_SCHED_FIFO_LOW, SCHED_FIFO, 1, "fifo_low" },
	{ WPOOL_SCHED_FIFO, SCHED_FIFO, MAX_RT_PRIO / 2, "fifo" },
	{ 2, SCHED_FIFO, 2, "fifo_2" },
	{ WPOOL_MAX_PRIORITY, SCHED_FIFO, MAX_RT_PRIO - 1, "fifo_99" },
};

KUNIT_ARRAY_PARAM_DESC(class, classes, desc);

static void expect_class(struct kunit *test, const struct wpk_jobs *jobs, u32 from, u32 nr,
			 const struct class *class, int nice)
{
	u32 i;

	for (i = from; i < from + nr; i++) {
		KUNIT_EXPECT_EQ(test, jobs->job[i].policy, class->policy);
		KUNIT_EXPECT_EQ(test, jobs->job[i].rt_priority, class->rt_priority);
		KUNIT_EXPECT_EQ(test, jobs->job[i].nice, nice);
	}
}

/* Run four jobs from @from on, and expect their class. Returns the number of the next job. */
static u32 run_four(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, u32 from,
		    const struct class *class, int nice)
{
	wpk_jobs_submit(test, pool, jobs, from, 4);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, from + 4));
	expect_class(test, jobs, from, 4, class, nice);
	return from + 4;
}

/* From the first task on, and after each change, all workers run tasks in the set class. */
static void wpool_sched_is_the_tasks_class(struct kunit *test)
{
	const struct class *class = test->param_value, *other;
	struct wpk_jobs *busy;
	struct wpk_jobs *jobs = wpk_jobs(test, 4 * (ARRAY_SIZE(classes) + 3), NULL);
	u32 i, nr;
	struct wpool *pool = wpk_pool_with(test, 3, 8, attrs.sched = class->sched, attrs.nice = 4);

	nr = run_four(test, pool, jobs, 0, class, 4);
	busy = wpk_held(test, pool, 1, 1);
	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		other = &classes[i];
		KUNIT_EXPECT_EQ(test, wpk_tune(pool, SCHED, sched, other->sched), 0);
		nr = run_four(test, pool, jobs, nr, other, 4);
	}
	/* the nice value has no effect while the class is not normal */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, NICE, nice, -2), 0);
	nr = run_four(test, pool, jobs, nr, other, -2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, SCHED, sched, WPOOL_SCHED_NORMAL), 0);
	wpk_jobs_let(test, busy, 1);
	run_four(test, pool, jobs, nr, &classes[0], -2);
	wpk_finish(test, pool, jobs);
}

/* Workers made before the first task have the class, too: preallocated ones, and the reserve. */
static void wpool_sched_is_the_class_of_workers_made_ahead(struct kunit *test)
{
	const struct class *class = test->param_value;
	struct wpk_jobs *more = wpk_jobs(test, 4, NULL), *jobs;
	struct wpool *pool = wpk_pool_with(test, 2, 8, attrs.prealloc = true,
					   attrs.sched = class->sched);

	wpk_jobs_run(test, pool, more, 4);
	expect_class(test, more, 0, 4, class, 0);

	pool = wpk_pool_with(test, 2, 8, attrs.reclaim = true, attrs.min_workers = 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, SCHED, sched, class->sched), 0);
	/* the rescuer runs one job, and a new worker runs the other */
	jobs = wpk_held(test, pool, 2, 2);
	wpk_jobs_let(test, jobs, 2);
	expect_class(test, jobs, 0, 2, class, 0);
}

/*
 * A submitter still runs on a CPU that it shares with real-time workers, which preempt it. They
 * also search for tasks, and hand-off wakes further ones.
 */
static void wpool_sched_fifo_shares_its_cpu_with_the_submitter(struct kunit *test)
{
	const struct class *class = test->param_value;
	struct wpk_jobs *jobs = wpk_jobs(test, 400, NULL);
	u32 i;
	struct wpool *pool = wpk_pool_with(test, 8, 400, attrs.cpumask = cpumask_of(wpk_cpu(0)),
					   attrs.sched = class->sched,
					   attrs.spin_us = WPOOL_MAX_SPIN_US);

	for (i = 0; i < 400; i += 2)
		jobs->job[i].body = wpk_sleep_a_little;
	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < 400; i++)
		wpk_jobs_submit(test, pool, jobs, i, 1);
	wpk_move_to(-1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 400));
	wpk_finish(test, pool, jobs);
	expect_class(test, jobs, 0, 400, class, 0);
}

static void wpool_cpumask_is_where_tasks_run(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 60, NULL), *busy = NULL;
	struct wpool *pool;
	int i, cpu;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 4, 100, attrs.cpumask = cpumask_of(wpk_cpu(0)));
	for (i = 0; i < 60; i++) {
		if (i == 29)
			busy = wpk_held(test, pool, 1, 1);
		if (i == 30) {
			/* one worker is in a task, the other workers are idle */
			KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 30));
			KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask,
						       cpumask_of(wpk_cpu(1))), 0);
		}
		if (i == 45)
			wpk_gate_open(busy->gate);
		wpk_move_to(wpk_cpu(i % 2));
		wpk_jobs_submit(test, pool, jobs, i, 1);
	}
	wpk_move_to(-1);
	wpk_finish(test, pool, jobs);
	for (i = 0; i < 60; i++) {
		cpu = wpk_cpu(i < 30 ? 0 : 1);
		KUNIT_EXPECT_EQ_MSG(test, jobs->job[i].cpu, cpu, "task %d", i);
	}
}

static int wait_for_rcu_tasks(struct wpk_thread *thread)
{
	synchronize_rcu_tasks();
	return 0;
}

/* A worker that always has a task does not hold up a thread that detaches a tracer. */
static void wpool_worker_under_load_ends_a_grace_period_of_rcu_tasks(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, wpk_submit_itself, NULL);
	struct wpk_thread *thread;

	wpk_need(test, IS_ENABLED(CONFIG_TASKS_RCU), "no RCU Tasks");
	wpk_jobs_submit(test, wpk_pool(test, 1, 1), jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 100));
	thread = wpk_thread(test, wait_for_rcu_tasks, NULL, NULL, NULL);
	WPK_EVENTUALLY(test, wpk_ended(thread));
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
}

WPK_SUITE(workers,
	  KUNIT_CASE_PARAM(wpool_capacity_tasks_run_at_once_and_no_more, capacity_gen_params),
	  KUNIT_CASE(wpool_tune_down_idle_workers_leave),
	  KUNIT_CASE(wpool_tune_down_never_runs_more_than_the_new_capacity),
	  KUNIT_CASE(wpool_workers_are_made_only_when_nobody_is_idle),
	  KUNIT_CASE_PARAM(wpool_order_says_which_worker_is_reused, reuse_gen_params),
	  KUNIT_CASE_PARAM_ATTR(wpool_expiry_leaves_min_workers, min_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE(wpool_expiry_0_keeps_idle_workers),
	  KUNIT_CASE(wpool_expiry_tuned_shorter_counts_for_idle_workers),
	  KUNIT_CASE(wpool_expiry_takes_the_coldest_first),
	  KUNIT_CASE(wpool_prealloc_makes_all_workers_once_and_keeps_them),
	  KUNIT_CASE_PARAM(wpool_sched_is_the_tasks_class, class_gen_params),
	  KUNIT_CASE_PARAM(wpool_sched_is_the_class_of_workers_made_ahead, class_gen_params),
	  KUNIT_CASE_PARAM(wpool_sched_fifo_shares_its_cpu_with_the_submitter, class_gen_params),
	  KUNIT_CASE(wpool_cpumask_is_where_tasks_run),
	  KUNIT_CASE_SLOW(wpool_worker_under_load_ends_a_grace_period_of_rcu_tasks));
