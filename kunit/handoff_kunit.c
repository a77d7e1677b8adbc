// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-off: a run queue does not wait for a worker that sleeps in its task.
 *
 * Where the kernel has preempt notifiers, these report a sleep. Elsewhere the monitor finds the
 * sleep, but later. The result is the same, so the same cases test both.
 */
#include "core/handoff.h"
#include "one_cpu.h"

/* In this time the monitor checks the queues several times. */
#define SLEEP_MS 60

static void sleep_a_while(struct wpk_job *job)
{
	msleep(SLEEP_MS);
}

/* Submit the first of @jobs. Returns the gate at which it sleeps. */
static struct wpk_gate *first_at_gate(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	struct wpk_gate *gate = wpk_gate(test);

	jobs->job[0].gate = gate;
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	return gate;
}

/* ---- on and off ----------------------------------------------------------- */

/*
 * Each worker that sleeps in its task hands its queue over to the next worker, up to the capacity.
 */
static void wpool_handoff_goes_on_up_to_the_capacity(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 8, 1, true);
	struct wpk_jobs *jobs = wpk_gated(test, 20);

	wpk_submit_together(test, pool, jobs);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 8));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 8);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 12);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, handoffs), 1);
	wpk_jobs_let(test, jobs, 20);
	KUNIT_EXPECT_LE(test, atomic_read(&jobs->peak), 8);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 8);
}

static void wpool_handoff_0_next_starts_when_the_first_returned(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, false);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 5, sleep_a_while, NULL);

	wpk_submit_together(test, pool, jobs);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 5));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->peak), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, hogs), 0);
	wpk_finish(test, pool, jobs);
}

static void wpool_handoff_0_concurrency_counts_sleeping_tasks(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 8, 3, false);
	struct wpk_jobs *jobs = wpk_gated(test, 12);

	wpk_submit_together(test, pool, jobs);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 3));
	/* no worker comes for the other tasks, however long the case waits */
	msleep(SLEEP_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), 0);
	wpk_jobs_let(test, jobs, 12);
	wpk_finish(test, pool, jobs);
}

WPK_PARAM_BOOL(queued, "queued before the tune: %d");

static void wpool_tune_handoff_on_frees_the_queue_of_a_sleeping_task(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 2, 1, false);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_gate *gate = first_at_gate(test, pool, jobs);

	if (wpk_is_on(test))
		wpk_jobs_submit(test, pool, jobs, 1, 1);
	/* no worker comes for the other task, or the monitor finds nothing to do, and stops */
	msleep(SLEEP_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 1);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, HANDOFF, handoff, true), 0);
	if (!wpk_is_on(test))
		wpk_jobs_submit(test, pool, jobs, 1, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 1);
	if (wpk_is_on(test))
		KUNIT_EXPECT_GE(test, wpk_stat(pool, handoffs), 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
}

static void wpool_tune_handoff_off_next_waits_again(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, true);
	struct wpk_jobs *on = wpk_gated(test, 4);
	struct wpk_jobs *off = wpk_jobs_of(test, 4, sleep_a_while, NULL);
	u64 handoffs;

	wpk_submit_together(test, pool, on);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(on->gate, 4));
	/* the workers return from their sleep after the tune */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, HANDOFF, handoff, false), 0);
	wpk_jobs_let(test, on, 4);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 4);
	handoffs = wpk_stat(pool, handoffs);
	wpk_submit_together(test, pool, off);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(off, 4));
	KUNIT_EXPECT_EQ(test, atomic_read(&off->peak), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), handoffs);
}

/* ---- what counts as waiting work ------------------------------------------ */

struct family {
	struct wpool *pool;
	struct wpk_jobs *children;
	struct wpk_gate *gate;	/* where the parent sleeps */
	atomic_t go_on;		/* the parent stays awake until this is set */
};

static void submit_children_and_sleep(struct wpk_job *job)
{
	struct family *family = job->arg;
	unsigned int i;

	for (i = 0; i < family->children->nr; i++)
		job->ret = wpool_submit(family->pool, &family->children->job[i].task) ?:
			   job->ret;
	wpk_gate_pass(family->gate);
}

static struct family *family_create(struct kunit *test, unsigned int nr)
{
	struct family *family = wpk_alloc(test, sizeof(*family));

	family->pool = wpk_one_cpu_pool(test, 2, 1, true);
	/* a parent that was slow would be counted out as a hog, before its sleep */
	KUNIT_ASSERT_EQ(test, wpk_tune(family->pool, HOG_MS, hog_ms, WPOOL_MAX_HOG_MS), 0);
	family->children = wpk_jobs(test, nr, NULL);
	family->gate = wpk_gate(test);
	return family;
}

/* The first child takes the next slot, the others go to the ring or to the global queue. */
static const unsigned int nr_children[] = { 1, 2, 300 };

WPK_PARAM(children, nr_children, "%u children");

static void wpool_submit_by_a_task_that_sleeps_afterwards_starts(struct kunit *test)
{
	unsigned int nr = *(const unsigned int *)test->param_value;
	struct family *family = family_create(test, nr);
	struct wpk_jobs *parent = wpk_jobs_of(test, 1, submit_children_and_sleep, family);

	wpk_jobs_submit(test, family->pool, parent, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(family->gate, 1));
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(family->children, nr));
	KUNIT_EXPECT_EQ(test, atomic_read(&parent->finished), 0);
	KUNIT_EXPECT_GE(test, wpk_stat(family->pool, handoffs), 1);
	wpk_gate_open(family->gate);
	wpk_destroy(test, family->pool);
	wpk_no_errors(test, parent);
	wpk_jobs_ran_once(test, family->children);
}

static void stay_awake_and_sleep(struct wpk_job *job)
{
	struct family *family = job->arg;

	if (!wpk_run_until(atomic_read(&family->go_on)))
		job->ret = -ETIME;
	wpk_gate_pass(family->gate);
}

/*
 * A worker that sleeps in its task is replaced also if tasks are only in the global queue. They
 * come from a CPU outside the pool's mask, and so go there.
 */
static void wpool_handoff_looks_at_the_global_queue(struct kunit *test)
{
	struct family *family = family_create(test, 5);
	struct wpk_jobs *parent = wpk_jobs_of(test, 1, stay_awake_and_sleep, family);

	wpk_need_cpus(test, 2);
	wpk_move_to(wpk_cpu(1));
	wpk_jobs_submit(test, family->pool, parent, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(parent, 1));
	wpk_jobs_submit(test, family->pool, family->children, 0, 5);
	atomic_set(&family->go_on, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(family->gate, 1));
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(family->children, 5));
	KUNIT_EXPECT_EQ(test, atomic_read(&parent->finished), 0);
	KUNIT_EXPECT_GE(test, wpk_stat(family->pool, handoffs), 1);
	wpk_gate_open(family->gate);
	wpk_destroy(test, family->pool);
	wpk_no_errors(test, parent);
}

static void wpool_submit_behind_a_task_that_sleeps_starts(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 2, 1, true);
	struct wpk_jobs *jobs = wpk_jobs(test, 50, NULL);
	struct wpk_gate *gate = first_at_gate(test, pool, jobs);
	int i;

	for (i = 1; i < 50; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, i));
	}
	wpk_gate_open(gate);
	wpk_finish(test, pool, jobs);
}

/* ---- workers that run again, or never slept ------------------------------- */

#define NR_SWITCHES 10

struct rivalry {
	bool yields;
	bool over;
};

struct told {
	struct wpk_gate *gate;
	bool go_on;
	bool inside[3];
	bool end[3];
};

static void run_until_told(struct wpk_job *job)
{
	struct told *told = job->arg;
	int i = job - job->jobs->job;

	WRITE_ONCE(told->inside[i], true);
	if (!wpk_run_until(READ_ONCE(told->end[i])))
		job->ret = -ETIME;
}

/*
 * The second job starts while the first sleeps at the gate. Then the first job runs again, and its
 * worker counts as running. So when the second job ends, its worker parks, and the third job waits.
 */
static void first_counts_again(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs,
			       struct told *told, struct wpk_gate *gate)
{
	unsigned long looked;

	wpk_jobs_submit(test, pool, jobs, 1, 1);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(told->inside[1]));
	wpk_jobs_submit(test, pool, jobs, 2, 1);
	wpk_gate_open(gate);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(told->inside[0]));
	/* a worker takes tasks without a full look until the next tick: wait for that tick */
	looked = jiffies;
	WPK_ASSERT_EVENTUALLY(test, time_after(jiffies, looked));
	WRITE_ONCE(told->end[1], true);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(told->inside[2]));
	WRITE_ONCE(told->end[0], true);
	WRITE_ONCE(told->end[2], true);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	wpk_no_errors(test, jobs);
}

static void wpool_handoff_back_from_its_sleep_it_counts_again(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 2, 1, true);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct told *told = wpk_alloc(test, sizeof(*told));
	struct wpk_gate *gate;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	wpk_jobs_body(jobs, run_until_told, told);
	gate = first_at_gate(test, pool, jobs);
	first_counts_again(test, pool, jobs, told, gate);
}

/* Move to the second CPU, sleep, and run there. */
static void go_away_and_run(struct wpk_job *job)
{
	unsigned long sleeps;

	job->ret = set_cpus_allowed_ptr(current, cpumask_of(wpk_cpu(1)));
	sleeps = READ_ONCE(current->nvcsw);
	/* on a slow machine the timer may expire before the thread has gone to sleep */
	while (READ_ONCE(current->nvcsw) == sleeps)
		usleep_range(1000, 2000);
	run_until_told(job);
}

/*
 * A worker that runs on another CPU after its sleep leaves its home CPU to other workers: the
 * second job does not wait for the first, which is no hog.
 */
static void wpool_handoff_back_on_another_cpu_it_leaves_its_home_free(struct kunit *test)
{
	struct told *told = wpk_alloc(test, sizeof(*told));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, run_until_told, told);
	struct wpool *pool;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	wpk_need_cpus(test, 2);
	pool = wpk_one_cpu_pool(test, 2, 1, true);
	jobs->job[0].body = go_away_and_run;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(told->inside[0]));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	WPK_EVENTUALLY(test, READ_ONCE(told->inside[1]));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, hogs), 0);
	WRITE_ONCE(told->end[0], true);
	WRITE_ONCE(told->end[1], true);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	wpk_no_errors(test, jobs);
}

/* Sleep again and again, until the worker may run elsewhere. */
static void sleep_until_let_off(struct wpk_job *job)
{
	unsigned long end = jiffies + WPK_PATIENCE;

	while (current->nr_cpus_allowed == 1 && time_before(jiffies, end))
		usleep_range(50, 100);
	if (current->nr_cpus_allowed == 1)
		job->ret = -ETIME;
}

static void look_for_bond(struct wpk_job *job)
{
	job->ret = current->nr_cpus_allowed == 1;
}

/*
 * A task that sleeps again and again may run on each CPU of the pool, as a driver's thread may.
 * The worker's next task finds the worker at home.
 */
static void wpool_handoff_a_task_that_sleeps_often_may_move(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, sleep_until_let_off, NULL);
	unsigned long end = jiffies + 2 * WPK_PATIENCE;
	struct wpool *pool;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	pool = wpk_pool_with(test, 1, WPOOL_UNLIMITED, attrs.cpumask = wpk_first_cpus(test, 2),
			     attrs.hog_ms = WPOOL_MAX_HOG_MS);
	jobs->job[1].body = look_for_bond;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	/* the worker may be let off once more while it goes home */
	while (!jobs->job[1].ret && time_before(jiffies, end))
		wpk_job_run(test, pool, &jobs->job[1]);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, hogs), 0);
}

/* Sleep until the worker may move, and then until it may not. */
static void sleep_until_bound_again(struct wpk_job *job)
{
	unsigned long end = jiffies + WPK_PATIENCE;

	sleep_until_let_off(job);
	wpk_gate_pass(job->arg);
	while (current->nr_cpus_allowed > 1 && time_before(jiffies, end))
		usleep_range(1000, 2000);
	if (current->nr_cpus_allowed > 1 || task_cpu(current) != wpk_cpu(0))
		job->ret = -ETIME;
}

/* A new mask of CPUs concerns a task that may move, too. */
static void wpool_tune_cpumask_moves_a_task_that_sleeps_often(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, sleep_until_bound_again, gate);
	struct wpool *pool;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	pool = wpk_pool_with(test, 1, WPOOL_UNLIMITED, attrs.cpumask = wpk_first_cpus(test, 2),
			     attrs.hog_ms = WPOOL_MAX_HOG_MS);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(wpk_cpu(0))), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
	wpk_no_errors(test, jobs);
}

/* Sleep more often than a task may that stays at home. */
static void sleep_often(struct wpk_job *job)
{
	struct wpool *pool = job->arg;
	struct wpool_worker *w = list_first_entry(&pool->workers.list, struct wpool_worker, node);
	int i;

	for (i = 0; i < 2 * WPOOL_MANY_SLEEPS; i++)
		usleep_range(50, 100);
	job->ret = READ_ONCE(w->running_on) ? 0 : -EINVAL;
}

/* In a pool of one CPU, a task that sleeps often cannot move, and its worker counts as running. */
static void wpool_handoff_a_task_that_sleeps_often_counts_on_one_cpu(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, sleep_often, pool);

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	wpk_jobs_run(test, pool, jobs, 1);
	wpk_no_errors(test, jobs);
}

static void hog_sleep_and_run(struct wpk_job *job)
{
	struct told *told = job->arg;

	if (!wpk_run_until(READ_ONCE(told->go_on)))
		job->ret = -ETIME;
	wpk_gate_pass(told->gate);
	run_until_told(job);
}

/*
 * A hog that runs again after a sleep counts as running, as if it had never been a hog. While it
 * hogged the CPU, its worker was not counted as running.
 */
static void wpool_handoff_a_hog_back_from_its_sleep_counts_again(struct kunit *test)
{
	struct told *told = wpk_alloc(test, sizeof(*told));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 3, run_until_told, told);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	jobs->job[0].body = hog_sleep_and_run;
	told->gate = gate;
	pool = wpk_one_cpu_pool_with(test, 2, 1, true, attrs.hog_ms = 1);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, hogs) == 1);
	/* from here on hog_ms is so long that no job is a hog */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, HOG_MS, hog_ms, WPOOL_MAX_HOG_MS), 0);
	WRITE_ONCE(told->go_on, true);
	/* the job has arrived at the gate: wait until it sleeps there */
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 1);
	first_counts_again(test, pool, jobs, told, gate);
	/* the monitor, even if it was delayed, must not count another worker as a hog */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, hogs), 1);
}

/* The worker is preempted again and again, but never sleeps. */
static void run_and_be_switched_out(struct wpk_job *job)
{
	struct rivalry *rivalry = job->arg;
	unsigned long before = READ_ONCE(current->nivcsw);
	unsigned long end = jiffies + WPK_PATIENCE / 2;

	while (READ_ONCE(current->nivcsw) - before < NR_SWITCHES && time_before(jiffies, end)) {
		if (rivalry->yields)
			schedule();
		cond_resched();
		cpu_relax();
	}
	if (READ_ONCE(current->nivcsw) - before < NR_SWITCHES)
		job->ret = -ETIME;
}

/* A thread that wants the worker's CPU all the time. */
static int be_a_rival(struct wpk_thread *thread)
{
	struct rivalry *rivalry = thread->arg;

	wpk_move_to(wpk_cpu(0));
	while (!READ_ONCE(rivalry->over) && !wpk_stopped(thread->test)) {
		cond_resched();
		cpu_relax();
	}
	return 0;
}

static const struct rivalry rivalries[] = { { false }, { true } };

static void rivalry_desc(const struct rivalry *rivalry, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", rivalry->yields ? "yields" : "is preempted");
}

KUNIT_ARRAY_PARAM(rivalry, rivalries, rivalry_desc);

static void wpool_handoff_does_not_happen_to_a_task_that_stays_awake(struct kunit *test)
{
	struct rivalry *rivalry = wpk_alloc(test, sizeof(*rivalry));
	struct wpool *pool = wpk_one_cpu_pool(test, 4, 1, true);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *rival;

	*rivalry = *(const struct rivalry *)test->param_value;
	rival = wpk_thread(test, be_a_rival, pool, NULL, rivalry);
	wpk_jobs_body(jobs, run_and_be_switched_out, rivalry);
	wpk_submit_together(test, pool, jobs);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	WRITE_ONCE(rivalry->over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, rival), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, hogs), 0);
	wpk_destroy(test, pool);
	wpk_no_errors(test, jobs);
	wpk_jobs_ran_once(test, jobs);
}

WPK_SUITE(handoff,
	  KUNIT_CASE(wpool_handoff_goes_on_up_to_the_capacity),
	  KUNIT_CASE(wpool_handoff_0_next_starts_when_the_first_returned),
	  KUNIT_CASE(wpool_handoff_0_concurrency_counts_sleeping_tasks),
	  KUNIT_CASE_PARAM(wpool_tune_handoff_on_frees_the_queue_of_a_sleeping_task,
			   queued_gen_params),
	  KUNIT_CASE(wpool_tune_handoff_off_next_waits_again),
	  KUNIT_CASE_PARAM(wpool_submit_by_a_task_that_sleeps_afterwards_starts,
			   children_gen_params),
	  KUNIT_CASE(wpool_handoff_back_from_its_sleep_it_counts_again),
	  KUNIT_CASE(wpool_handoff_a_hog_back_from_its_sleep_counts_again),
	  KUNIT_CASE(wpool_handoff_back_on_another_cpu_it_leaves_its_home_free),
	  KUNIT_CASE(wpool_handoff_a_task_that_sleeps_often_may_move),
	  KUNIT_CASE(wpool_handoff_a_task_that_sleeps_often_counts_on_one_cpu),
	  KUNIT_CASE(wpool_tune_cpumask_moves_a_task_that_sleeps_often),
	  KUNIT_CASE(wpool_handoff_looks_at_the_global_queue),
	  KUNIT_CASE(wpool_submit_behind_a_task_that_sleeps_starts),
	  KUNIT_CASE_PARAM(wpool_handoff_does_not_happen_to_a_task_that_stays_awake,
			   rivalry_gen_params));
