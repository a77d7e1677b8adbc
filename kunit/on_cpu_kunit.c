// SPDX-License-Identifier: GPL-2.0
/* wpool_submit_on(): a task that prefers a CPU. */
#include <linux/smp.h>

#include "one_cpu.h"

/*
 * A pool on two CPUs, where no task is a hog, and other attributes as wpk_pool_with(). Moves the
 * case to the first CPU.
 */
#define two_cpu_pool(test, capacity, ...)						\
({											\
	struct kunit *__test = test;							\
	const struct cpumask *mask = wpk_first_cpus(__test, 2);				\
											\
	wpk_move_to(wpk_cpu(0));							\
	wpk_pool_with(__test, capacity, 8, attrs.cpumask = mask,				\
		      attrs.hog_ms = WPOOL_MAX_HOG_MS, ##__VA_ARGS__);			\
})

/* A pool with an idle worker on each of two CPUs. No worker expires. */
static struct wpool *idle_pair(struct kunit *test)
{
	return wpk_pair(test, two_cpu_pool(test, 2, attrs.prealloc = true));
}

/* Submit a job once, with @cpu. Returns true if the job ran there. */
static bool runs_on(struct kunit *test, struct wpool *pool, struct wpk_job *job, int cpu)
{
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, cpu, &job->task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&job->task), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	return job->cpu == cpu;
}

#define NR_IN_A_ROW	10

/*
 * A task for a CPU with an idle worker runs there. If the worker waits too long for its CPU, the
 * other worker takes the task, but not every time.
 */
static void wpool_submit_on_idle_cpu_runs_there(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = idle_pair(test);
	int i;

	for (i = 0; i < 2; i++)
		WPK_IN_A_ROW(test, NR_IN_A_ROW, runs_on(test, pool, &jobs->job[i], wpk_cpu(i)));
}

/*
 * An idle worker expires if another CPU gets a worker, so that there are more than min_workers.
 * When the first one became idle, it was the only one.
 */
static void wpool_submit_on_cpu_without_worker_the_idle_one_expires(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = two_cpu_pool(test, 2, attrs.min_workers = 1, attrs.expiry_ms = 20);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	jobs->job[1].gate = gate;
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(1), &jobs->job[1].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
}

/* If the worker of the preferred CPU sleeps in its task, another worker runs the next task. */
static void wpool_submit_on_blocked_cpu_runs_elsewhere(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate);
	struct wpool *pool = idle_pair(test);
	struct wpool_cpu_stats before[2], after[2];
	int i;

	for (i = 0; i < 2; i++)
		wpool_get_cpu_stats(pool, wpk_cpu(i), &before[i]);
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(1), &jobs->job[0].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(1), &jobs->job[1].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 2));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	/* tasks are counted on the CPU of the submit, wpk_cpu(0) */
	for (i = 0; i < 2; i++)
		wpool_get_cpu_stats(pool, wpk_cpu(i), &after[i]);
	KUNIT_EXPECT_EQ(test, after[0].submitted - before[0].submitted, 2);
	KUNIT_EXPECT_EQ(test, after[1].submitted - before[1].submitted, 0);
	wpk_jobs_ran_once(test, jobs);
}

/* Submit a job for the other CPU, and keep this CPU as a real-time thread until the job has run. */
static int submit_and_keep_cpu(struct wpk_thread *thread)
{
	struct wpk_job *job = thread->arg;
	int err;

	wpk_move_to(wpk_cpu(0));
	sched_set_fifo(current);
	err = wpool_submit_on(thread->pool, wpk_cpu(1), &job->task);
	if (!err && !wpk_run_until(atomic_read(&job->runs)))
		err = -ETIME;
	sched_set_normal(current, 0);
	return err;
}

/* The worker of each CPU sleeps in its task. Returns the CPU of the third worker. */
static int cpu_of_third_worker(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 3);
	struct wpool *pool = two_cpu_pool(test, 3);
	struct wpk_thread *thread;
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(i), &jobs->job[i].task), 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, i + 1));
		KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(i)), 1);
	}
	jobs->job[2].gate = NULL;
	thread = wpk_thread(test, submit_and_keep_cpu, pool, NULL, &jobs->job[2]);
	KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
	wpk_gate_open(jobs->gate);
	KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
	wpk_destroy(test, pool);
	return jobs->job[2].cpu;
}

#define NR_TRIES	10

/*
 * A worker that is made for the task of a real-time thread does not get the CPU of that thread.
 * On a slow machine the monitor also asks for a worker, which then may get any CPU.
 */
static void wpool_submit_on_from_a_real_time_thread_avoids_its_cpu(struct kunit *test)
{
	int try = 0;

	while (cpu_of_third_worker(test) != wpk_cpu(1) && ++try < NR_TRIES)
		;
	KUNIT_EXPECT_LT(test, try, NR_TRIES);
}

/* A task runs although the preferred CPU has no worker, is not in the mask, or is offline. */
static void wpool_submit_on_cpu_without_worker_runs_elsewhere(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, nr_cpu_ids, NULL);
	int cpu;
	struct wpool *pool = wpk_pool_with(test, 2, WPOOL_UNLIMITED,
					   attrs.cpumask = cpumask_of(wpk_cpu(0)));

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, wpool_try_submit_on(pool, cpu, &jobs->job[cpu].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[cpu].runs), 1);
}

/* A thread submits @nr jobs, from job @from on: 16 for one CPU, 16 for the other, and so on. */
struct crossing {
	struct wpk_jobs *jobs;
	u32 from;
	u32 nr;
};

static int submit_across(struct wpk_thread *thread)
{
	struct crossing *of = thread->arg;
	u32 i;
	int err;

	for (i = of->from; i < of->from + of->nr; i++) {
		err = wpool_submit_on(thread->pool, wpk_cpu((i >> 4) % 2),
				      &of->jobs->job[i].task);
		if (err)
			return err;
	}
	return 0;
}

static void wpool_submit_on_many_each_runs_once(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2 * WPK_LIMIT_TASKS, NULL);
	struct wpk_thread *thread[2];
	struct crossing of[2];
	struct wpool *pool;
	u32 i;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 3, 500, attrs.spin_us = 0);
	for (i = 0; i < 2; i++) {
		of[i] = (struct crossing){ jobs, i * WPK_LIMIT_TASKS, WPK_LIMIT_TASKS };
		thread[i] = wpk_thread(test, submit_across, pool, NULL, &of[i]);
	}
	wpk_join_all(test, thread, 2);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	wpk_jobs_ran_once(test, jobs);
}

WPK_SUITE(on_cpu,
	  KUNIT_CASE(wpool_submit_on_idle_cpu_runs_there),
	  KUNIT_CASE(wpool_submit_on_cpu_without_worker_the_idle_one_expires),
	  KUNIT_CASE(wpool_submit_on_blocked_cpu_runs_elsewhere),
	  KUNIT_CASE(wpool_submit_on_from_a_real_time_thread_avoids_its_cpu),
	  KUNIT_CASE(wpool_submit_on_cpu_without_worker_runs_elsewhere),
	  KUNIT_CASE(wpool_submit_on_many_each_runs_once));
