// SPDX-License-Identifier: GPL-2.0
/*
 * What the scheduler guarantees: each queue is served in bounded time, and no task is lost, run
 * twice, or left behind a stuck worker.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>

#include "core/length.h"
#include "core/runqs.h"
#include "one_cpu.h"

/* ---- no task is starved --------------------------------------------------- */

#define MANY_STEPS 20000

/* A load that continues until the target starts: each job submits another job. */
struct load {
	struct wpool *pool;
	struct wpk_jobs *jobs;
	struct wpk_jobs *target;
	int steps_at_start;	/* starts of @jobs when the target started */
};

static bool load_goes_on(struct load *load)
{
	return !atomic_read(&load->target->started) &&
	       atomic_read(&load->jobs->started) < MANY_STEPS;
}

static void submit_follower(struct wpk_job *job)
{
	struct load *load = job->arg;
	unsigned int next = (job - job->jobs->job) + 1;

	if (load_goes_on(load))
		job->ret = wpool_submit(load->pool, &load->jobs->job[next].task);
}

static void submit_partner(struct wpk_job *job)
{
	struct load *load = job->arg;
	unsigned int partner = (job - job->jobs->job) ^ 1;
	int ret;

	if (load_goes_on(load)) {
		ret = wpool_submit(load->pool, &load->jobs->job[partner].task);
		if (ret && ret != -EALREADY)
			job->ret = ret;
	}
}

static void submit_again(struct wpk_job *job)
{
	struct load *load = job->arg;

	if (load_goes_on(load))
		job->ret = wpool_submit(load->pool, &job->task);
}

static void note_steps(struct wpk_job *job)
{
	struct load *load = job->arg;

	load->steps_at_start = atomic_read(&load->jobs->started);
}

static struct load *load_create(struct kunit *test, struct wpool *pool,
				unsigned int nr, void (*body)(struct wpk_job *job))
{
	struct load *load = wpk_alloc(test, sizeof(*load));

	load->pool = pool;
	load->jobs = wpk_jobs(test, nr, NULL);
	load->target = wpk_jobs(test, 1, NULL);
	wpk_jobs_body(load->jobs, body, load);
	wpk_jobs_body(load->target, note_steps, load);
	return load;
}

/* Load one CPU with @nr jobs, of which the first is queued. The target behind it starts soon. */
static struct load *target_starts_soon(struct kunit *test, unsigned int nr,
				       void (*body)(struct wpk_job *job))
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, nr, body);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);

	wpk_jobs_submit(test, pool, load->jobs, 0, 1);
	wpk_jobs_submit(test, pool, load->target, 0, 1);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_started(load->target, 1));
	KUNIT_EXPECT_LE(test, load->steps_at_start, 20);
	wpk_destroy(test, pool);
	wpk_no_errors(test, load->jobs);
	return load;
}

/* Tasks that a task submits run next, but at most 16 in a row while others are queued. */
static void wpool_submit_own_chain_does_not_starve_the_ring(struct kunit *test)
{
	target_starts_soon(test, MANY_STEPS + 1, submit_follower);
}

/* A task that always submits itself must go to the end of its queue. */
static void wpool_submit_by_itself_does_not_starve_the_ring(struct kunit *test)
{
	struct load *load = target_starts_soon(test, 1, submit_again);

	KUNIT_EXPECT_FALSE(test, load->jobs->job[0].twice);
}

/*
 * A task in the global queue starts although tasks that submit each other keep the ring filled. The
 * target is submitted from a CPU outside the pool's mask, so it goes to the global queue. That
 * queue and the ring take turns if their first tasks are of the same tick. The load continues
 * during the submit.
 */
static void wpool_submit_to_the_global_queue_is_not_starved(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, 6, submit_partner);
	int steps, ret, i;

	wpk_need_cpus(test, 2);
	for (i = 0; i < 6; i++) {
		ret = wpool_submit(load->pool, &load->jobs->job[i].task);
		/* -EALREADY: the job's partner has submitted the job */
		KUNIT_ASSERT_TRUE(test, !ret || ret == -EALREADY);
	}
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(load->jobs, 100));
	wpk_move_to(wpk_cpu(1));
	wpk_jobs_submit(test, load->pool, load->target, 0, 1);
	steps = atomic_read(&load->jobs->started);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->target, 1));
	KUNIT_EXPECT_LE(test, load->steps_at_start - steps, 3 * 61);
	wpk_destroy(test, load->pool);
	wpk_no_errors(test, load->jobs);
}

static void submit_again_until_then(struct wpk_job *job)
{
	struct load *load = job->arg;

	if (!atomic_read(&load->target->started) && !wpk_stopped(job->jobs->test))
		job->ret = wpool_submit(load->pool, &job->task);
}

#define NR_FLOOD 800U	/* more than all rings hold */

/* A task on a sleeper's CPU starts in its turn, although the global queue is never empty. */
static void wpool_submit_behind_a_sleeper_is_not_starved_by_the_global_queue(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
	struct load *load = load_create(test, pool, NR_FLOOD, submit_again_until_then);
	struct wpk_jobs *first;
	int steps, cpu;

	wpk_need_cpus(test, 2);
	first = wpk_held(test, pool, 3, 2);
	wpk_gate_let(first->gate, 2);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	wpk_jobs_hold(test, pool, first, 2, 1);
	cpu = first->job[2].cpu;

	wpk_move_to(cpu == wpk_cpu(0) ? wpk_cpu(1) : wpk_cpu(0));
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_FLOOD);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(load->jobs, 2 * NR_FLOOD));
	wpk_move_to(cpu);
	wpk_jobs_submit(test, pool, load->target, 0, 1);
	steps = atomic_read(&load->jobs->started);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->target, 1));
	/*
	 * As in one queue, each task of the load starts once before the target. The case allows ten
	 * times as many starts, since this thread may lose its CPU during the submit. A task that
	 * starves waits until the case ends.
	 */
	KUNIT_EXPECT_LE(test, load->steps_at_start - steps, 10 * (int)NR_FLOOD);
	wpk_gate_open(first->gate);
	wpk_destroy(test, pool);
	wpk_no_errors(test, load->jobs);
}

/* ---- spill ---------------------------------------------------------------- */

static void wpool_submit_far_beyond_the_ring_runs_each_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs(test, WPK_SPILL_TASKS, NULL);

	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pool, jobs, 0, WPK_SPILL_TASKS);
	wpk_move_to(-1);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), WPK_SPILL_TASKS);
}

/* ---- a stuck worker ------------------------------------------------------- */

#define NR_LEFT 50

struct stuck {
	struct wpool *pool;
	struct wpk_jobs *left;
	bool spin;
	bool all_ran;
};

/* Queue tasks on this CPU, and return only when all of them have run. */
static void submit_and_stay(struct wpk_job *job)
{
	struct stuck *stuck = job->arg;
	unsigned int i;

	/* as if the tasks were known to be short: long ones would go to the global queue */
	wpool_runq(stuck->pool, raw_smp_processor_id())->estimate.task_ns = 1;
	for (i = 0; i < NR_LEFT; i++)
		job->ret = wpool_submit(stuck->pool, &stuck->left->job[i].task) ?: job->ret;
	if (stuck->spin)
		wpk_spin(2, atomic_read(&stuck->left->finished) == NR_LEFT);
	else
		wpk_jobs_finished(stuck->left, NR_LEFT);
	stuck->all_ran = atomic_read(&stuck->left->finished) == NR_LEFT;
}

static struct stuck *stuck_create(struct kunit *test, struct wpool *pool, bool spin)
{
	struct stuck *stuck = wpk_alloc(test, sizeof(*stuck));

	stuck->pool = pool;
	stuck->left = wpk_jobs(test, NR_LEFT, NULL);
	stuck->spin = spin;
	return stuck;
}

/* If a worker is stuck in a task, the worker of another CPU takes the tasks of its queue. */
static void wpool_steal_takes_what_a_stuck_worker_left(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct stuck *stuck;
	int i, same = 0, spin;
	struct wpool *pool = wpk_pool_with(test, 2, WPOOL_UNLIMITED,
					   attrs.cpumask = wpk_first_cpus(test, 2),
					   attrs.expiry_ms = 0);

	/* a new worker is made on the CPU that has fewer workers */
	wpk_pair(test, pool);
	for (spin = 0; spin < 2; spin++) {
		stuck = stuck_create(test, pool, spin);
		wpk_job_body(&jobs->job[spin], submit_and_stay, stuck);
		wpk_job_run(test, pool, &jobs->job[spin]);
		KUNIT_EXPECT_TRUE(test, stuck->all_ran);
		KUNIT_EXPECT_EQ(test, jobs->job[spin].ret, 0);
		for (i = 0; i < NR_LEFT; i++)
			same += stuck->left->job[i].cpu == jobs->job[spin].cpu;
	}
	KUNIT_EXPECT_EQ(test, same, 0);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, stolen), 2);
}

static const u32 capacities[] = { 1, 2, 5 };

WPK_PARAM(capacity, capacities, "capacity %u");

static void wpool_submit_on_all_cpus_few_workers_run_all(struct kunit *test)
{
	u32 capacity = *(const u32 *)test->param_value;
	struct wpool *pool = wpk_pool(test, capacity, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs(test, 800, NULL);
	int i;

	for (i = 0; i < 800; i++) {
		if (i % 50 == 0)
			wpk_move_to(wpk_cpu(i / 50 % num_online_cpus()));
		wpk_jobs_submit(test, pool, jobs, i, 1);
		/* submit the last tasks one by one, to workers that sleep */
		if (i > 700)
			KUNIT_ASSERT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
	}
	wpk_move_to(-1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 800));
	wpk_finish(test, pool, jobs);
}

/* ---- searching ---------------------------------------------------------------- */

/*
 * Until the worker of @rq has parked, pretend that another worker searches, so that no thread looks
 * at the offers because the last worker has stopped to search. Returns true if the worker, while it
 * searched, ended the offer of its empty run queue; false also if it stopped to search before.
 */
static bool search_ends_offer(struct wpool *pool, struct wpool_runq *rq)
{
	bool ended = false;

	if (wpk_run_until(atomic_read(&pool->nr_searching) || READ_ONCE(rq->nr_idle)) &&
	    atomic_inc_return(&pool->nr_searching) == 2) {
		set_bit(rq->index, pool->offers);
		ended = wpk_run_until(READ_ONCE(rq->nr_idle)) && !test_bit(rq->index, pool->offers);
	}
	atomic_dec(&pool->nr_searching);
	return ended;
}

static void wpool_worker_that_searches_ends_outdated_offers(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool;
	bool ended = false;
	int try;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 1, 0, attrs.cpumask = cpumask_of(wpk_cpu(1)),
			     attrs.spin_us = WPOOL_MAX_SPIN_US);
	wpk_move_to(wpk_cpu(0));
	for (try = 1; wpk_has_time(test) && !ended; try++) {
		wpk_jobs_submit(test, pool, jobs, 0, 1);
		/* do not sleep: the worker searches for a millisecond only */
		wpk_run_until(atomic_read(&jobs->finished) == try);
		ended = search_ends_offer(pool, wpool_runq(pool, wpk_cpu(1)));
		KUNIT_ASSERT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	}
	KUNIT_EXPECT_TRUE(test, ended);
}

/* ---- a queue that needs workers of other CPUs ---------------------------------- */

static void note_left(struct wpk_job *job)
{
	u64 start = ktime_get_mono_fast_ns();
	struct wpool *pool = job->arg;

	job->ret = READ_ONCE(pool->left);
	/* the tasks are timed: keep them long */
	while (ktime_get_mono_fast_ns() - start < 2 * WPOOL_HELP_NS)
		cpu_relax();
}

/* While its first task is young, workers of other CPUs need not look at a queue of long tasks. */
static void wpool_submit_on_names_a_queue_only_if_its_first_task_is_old(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, false);
	struct wpool_runq *rq = wpool_runq(pool, wpk_cpu(0));
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	int i;

	jobs->job[0].gate = gate;
	wpk_jobs_body(jobs, note_left, pool);
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	for (i = 1; i < 4; i++)
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, rq->cpu, &jobs->job[i].task), 0);
	/* when job 1 starts, job 2 is the first task of the queue, and so on */
	jobs->job[2].task.jiffy = jiffies + 1000 * HZ;
	jobs->job[3].task.jiffy = jiffies - 1000 * HZ;
	WRITE_ONCE(rq->estimate.task_ns, 2 * WPOOL_HELP_NS);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 4));
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[2].ret, rq->index + 1);
}

WPK_SUITE(sched,
	  KUNIT_CASE(wpool_submit_own_chain_does_not_starve_the_ring),
	  KUNIT_CASE(wpool_submit_by_itself_does_not_starve_the_ring),
	  KUNIT_CASE(wpool_submit_to_the_global_queue_is_not_starved),
	  KUNIT_CASE(wpool_submit_behind_a_sleeper_is_not_starved_by_the_global_queue),
	  KUNIT_CASE_SLOW(wpool_submit_far_beyond_the_ring_runs_each_once),
	  KUNIT_CASE(wpool_steal_takes_what_a_stuck_worker_left),
	  KUNIT_CASE_PARAM(wpool_submit_on_all_cpus_few_workers_run_all, capacity_gen_params),
	  KUNIT_CASE(wpool_worker_that_searches_ends_outdated_offers),
	  KUNIT_CASE(wpool_submit_on_names_a_queue_only_if_its_first_task_is_old));
