// SPDX-License-Identifier: GPL-2.0
/* Batches: the pool takes tasks in order; the call returns how many it took. */
#include "full_pool.h"
#include "one_cpu.h"

static void wpool_submit_batch_runs_all_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	/* More jobs than a ring holds. */
	struct wpk_jobs *jobs = wpk_jobs(test, 700, NULL);
	struct wpool_task **tasks = jobs->tasks;

	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 1, 0), 1);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 1, 99, WPOOL_BATCH_TRY), 99);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 100, 600, 0), 600);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 700);
}

static void wpool_submit_batch_stops_before_a_task_that_is_refused(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_held(test, pool, 8, 1);
	struct wpool_task **tasks = jobs->tasks;

	/* a batch stops before a pending task, even if the batch itself has submitted that task */
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, tasks[3]), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 1, 5, 0), 2);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 3, 3, 0), -EALREADY);
	tasks[5] = tasks[4];
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 4, 2, WPOOL_BATCH_TRY), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 5);
	/* and before a pointer that is NULL: it takes job 6, but not job 7 */
	tasks[5] = tasks[6];
	tasks[6] = NULL;
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks + 5, 3, 0), 1);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 6);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[5].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[7].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 6);
}

static void wpool_submit_batch_full_pool_takes_what_fits(struct kunit *test)
{
	struct wpool *fail = wpk_pool_policy(test, 2, 3, WPOOL_FAIL);
	struct wpool *block = wpk_pool_policy(test, 2, 3, WPOOL_BLOCK);
	struct wpk_jobs *jobs = wpk_gated(test, 16);
	struct wpool_task **tasks = jobs->tasks;

	KUNIT_EXPECT_EQ(test, wpool_submit_batch(fail, tasks, 8, 0), 5);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(fail, tasks + 5, 3, 0), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(fail, tasks + 5, 3, WPOOL_BATCH_TRY), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(block, tasks + 8, 8, WPOOL_BATCH_TRY), 5);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(block, tasks + 13, 3, WPOOL_BATCH_TRY), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_stat(fail, outstanding), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(block, outstanding), 5);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, fail);
	wpk_destroy(test, block);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 10);
	/* A task that was not accepted still belongs to the caller. */
	KUNIT_EXPECT_EQ(test, wpool_task_wait(tasks[5]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[5].runs), 0);
}

static void wpool_submit_batch_full_pool_blocks_until_all_are_in(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 7);
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit_batch, pool, NULL, jobs);
	int i;

	for (i = 2; i < 7; i++) {
		KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, i));
		WPK_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
		KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
		wpk_gate_let(jobs->gate, 1);
	}
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 7);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	wpk_finish(test, pool, jobs);
	KUNIT_EXPECT_LE(test, atomic_read(&jobs->peak), 2);
}

WPK_PARAM_BOOL(closes, "the pool closes: %d");

/* A submitter that is killed, or whose pool closes, gets the number of its accepted tasks. */
static void wpool_submit_batch_cut_short_returns_how_many_are_in(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs[] = { wpk_gated(test, 4), wpk_jobs(test, 4, NULL) };
	struct wpk_thread *threads[2];
	int i;

	for (i = 0; i < 2; i++) {
		threads[i] = wpk_thread(test, wpk_do_submit_batch, pool, NULL, jobs[i]);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == i + 1);
	}
	if (wpk_is_on(test))
		KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	for (i = 0; i < 2; i++) {
		if (!wpk_is_on(test))
			wpk_kill(threads[i]);
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]),
				!i ? 2 : wpk_is_on(test) ? -ESHUTDOWN : -EINTR);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	wpk_gate_open(jobs[0]->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs[0]->finished), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs[1]->started), 0);
}

static int submit_middle(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;

	return wpool_submit_batch(thread->pool, jobs->tasks + 1, 3, 0);
}

/* All tasks of a batch that waits are served before the submitter behind it. */
static void wpool_submit_batch_keeps_its_place_in_line(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 5, NULL);
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_thread *threads[3];
	int i;

	threads[0] = wpk_nth_waiter(test, full.pool, &jobs->job[0], 1);
	threads[1] = wpk_thread(test, submit_middle, full.pool, NULL, jobs);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 2);
	threads[2] = wpk_nth_waiter(test, full.pool, &jobs->job[4], 3);
	wpk_gate_open(full.gate);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), i == 1 ? 3 : 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 5));
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, jobs->job[i].seq, i + 1);
}

static void batch_from_inside(struct wpk_job *job)
{
	struct wpool_task **tasks = job->jobs->tasks;

	job->ret = wpool_submit_batch(job->arg, tasks + 1, 2, 0);
	(job + 1)->ret = wpool_submit_batch(job->arg, tasks + 2, 1, 0);
}

static void wpool_submit_batch_own_full_pool_takes_what_fits(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	wpk_job_body(&jobs->job[0], batch_from_inside, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 1);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, -EDEADLK);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[2].runs), 0);
}

static void wpool_submit_batch_policy_run_runs_the_rest_here(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 1, WPOOL_RUN);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	int i;

	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, jobs->tasks, 4, 0), 4);
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, jobs->job[i].pid, current->pid);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 0);
	wpk_gate_open(first->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_NE(test, jobs->job[0].pid, current->pid);
	wpk_jobs_ran_once(test, jobs);
}

/* The pool accepts at most ONE_GO tasks of a batch in one step; TWO_GOES tasks take two steps. */
#define ONE_GO	16
#define TWO_GOES (ONE_GO + 1)

static int submit_two_goes(struct wpk_thread *thread)
{
	wpk_move_to(wpk_cpu(1));
	return wpk_do_submit_batch(thread);
}

struct crowd {
	bool on;
	bool over;
};

/* Keep the second CPU until @over is set. After 0.95 s the scheduler lets others run, too. */
static int crowd_out(struct wpk_thread *thread)
{
	struct crowd *crowd = thread->arg;
	bool ok;

	wpk_move_to(wpk_cpu(1));
	sched_set_fifo(current);
	WRITE_ONCE(crowd->on, true);
	ok = wpk_run_until(READ_ONCE(crowd->over));
	sched_set_normal(current, 0);
	return ok ? 0 : -ETIME;
}

/*
 * If a pool is destroyed before the submitter of a waiting batch gets a CPU, the submitter does not
 * touch the pool any more. The pool has run ONE_GO tasks of the batch by then. KASAN would report
 * the access.
 */
static void wpool_submit_batch_destroyed_before_it_goes_on(struct kunit *test)
{
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));
	struct wpk_jobs *jobs = wpk_jobs(test, TWO_GOES, NULL);
	struct wpk_jobs *first = wpk_gated(test, 1);
	struct wpk_thread *submitter, *other;
	struct wpool *pool;
	bool early;

	wpk_need_cpus(test, 2);
	wpk_need_to_keep_cpu(test);
	wpk_move_to(wpk_cpu(0));
	/* wpk_pool() would keep a reference to the pool */
	pool = wpk_create_with(test, 1, 0, attrs.cpumask = cpumask_of(wpk_cpu(0)),
			       attrs.hog_ms = WPOOL_MAX_HOG_MS);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &first->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(first->gate, 1));
	submitter = wpk_thread(test, submit_two_goes, pool, NULL, jobs);
	WPK_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(submitter));
	other = wpk_thread(test, crowd_out, NULL, NULL, crowd);
	WPK_EVENTUALLY(test, READ_ONCE(crowd->on));
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, ONE_GO));
	KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
	early = wpk_ended(submitter);
	WRITE_ONCE(crowd->over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, other), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), ONE_GO);
	wpk_move_to(-1);
	wpk_need(test, !early, "the submitter got the CPU before the pool was gone");
}

WPK_SUITE(batch,
	  KUNIT_CASE_SLOW(wpool_submit_batch_runs_all_once),
	  KUNIT_CASE(wpool_submit_batch_stops_before_a_task_that_is_refused),
	  KUNIT_CASE(wpool_submit_batch_full_pool_takes_what_fits),
	  KUNIT_CASE(wpool_submit_batch_full_pool_blocks_until_all_are_in),
	  KUNIT_CASE_PARAM(wpool_submit_batch_cut_short_returns_how_many_are_in, closes_gen_params),
	  KUNIT_CASE(wpool_submit_batch_keeps_its_place_in_line),
	  KUNIT_CASE(wpool_submit_batch_own_full_pool_takes_what_fits),
	  KUNIT_CASE(wpool_submit_batch_policy_run_runs_the_rest_here),
	  KUNIT_CASE(wpool_submit_batch_destroyed_before_it_goes_on));
