// SPDX-License-Identifier: GPL-2.0
/* Batches: the pool takes tasks in order; the call returns how many it took. */
#include "full_pool.h"
#include "one_cpu.h"

/* Pointers to the tasks of @jobs, as wpool_submit_batch() takes them. */
static struct wpool_task **pointers(struct kunit *test, struct wpk_jobs *jobs)
{
	struct wpool_task **tasks = wpk_alloc(test, jobs->nr * sizeof(*tasks));
	unsigned int i;

	for (i = 0; i < jobs->nr; i++)
		tasks[i] = &jobs->job[i].task;
	return tasks;
}

static void wpool_submit_batch_runs_all_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	/* More jobs than a ring holds. */
	struct wpk_jobs *jobs = wpk_jobs(test, 700, NULL);
	struct wpool_task **tasks = pointers(test, jobs);

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
	struct wpool_task **tasks = pointers(test, jobs);

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
	struct wpool_task **tasks = pointers(test, jobs);

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

struct batch {
	struct wpool_task **tasks;
	unsigned int nr;
	unsigned int flags;
};

static int do_batch(struct wpk_thread *thread)
{
	struct batch *batch = thread->arg;

	return wpool_submit_batch(thread->pool, batch->tasks, batch->nr, batch->flags);
}

static struct wpk_thread *batch_thread(struct kunit *test, struct wpool *pool,
				       struct wpool_task **tasks,
				       unsigned int nr, unsigned int flags)
{
	struct batch *batch = wpk_alloc(test, sizeof(*batch));

	batch->tasks = tasks;
	batch->nr = nr;
	batch->flags = flags;
	return wpk_thread(test, do_batch, pool, NULL, batch);
}

static void wpool_submit_batch_full_pool_blocks_until_all_are_in(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 7);
	struct wpool_task **tasks = pointers(test, jobs);
	int i;
	struct wpk_thread *thread = batch_thread(test, pool, tasks, 7, 0);

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

/* A killed submitter gets the number of its accepted tasks, or -EINTR if there are none. */
static void wpool_submit_batch_killed_returns_how_many_are_in(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 8);
	struct wpool_task **tasks = pointers(test, jobs);
	struct wpk_thread *first, *second;

	first = batch_thread(test, pool, tasks, 4, 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	second = batch_thread(test, pool, tasks + 4, 4, 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 2);
	wpk_kill(first);
	KUNIT_EXPECT_EQ(test, wpk_join(test, first), 2);
	wpk_kill(second);
	KUNIT_EXPECT_EQ(test, wpk_join(test, second), -EINTR);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 2);
}

static void wpool_submit_batch_waiting_when_the_pool_closes(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 6);
	struct wpool_task **tasks = pointers(test, jobs);
	struct wpk_thread *first, *second;

	first = batch_thread(test, pool, tasks, 3, 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	second = batch_thread(test, pool, tasks + 3, 3, 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 2);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, first), 2);
	KUNIT_EXPECT_EQ(test, wpk_join(test, second), -ESHUTDOWN);
}

/* All tasks of a batch that waits are served before the submitter behind it. */
static void wpool_submit_batch_keeps_its_place_in_line(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 5, NULL);
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_thread *threads[3];
	int i;

	threads[0] = wpk_nth_waiter(test, full.pool, &jobs->job[0], 1);
	threads[1] = batch_thread(test, full.pool, pointers(test, jobs) + 1, 3, 0);
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
	struct wpool_task *tasks[2] = { &(job + 1)->task, &(job + 2)->task };

	job->ret = wpool_submit_batch(job->arg, tasks, 2, 0);
	(job + 1)->ret = wpool_submit_batch(job->arg, tasks + 1, 1, 0);
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
	struct wpool_task **tasks = pointers(test, jobs);
	int i;

	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 4, 0), 4);
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
	return wpool_submit_batch(thread->pool, thread->arg, TWO_GOES, 0);
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
	struct wpool_task **tasks = pointers(test, jobs);
	struct wpk_jobs *first = wpk_gated(test, 1);
	struct wpk_thread *submitter, *other;
	struct wpool_attrs attrs;
	struct wpool *pool;
	bool early;

	wpk_need_cpus(test, 2);
	wpk_need_to_keep_cpu(test);
	wpk_attrs(&attrs, 1, 0);
	attrs.cpumask = cpumask_of(wpk_cpu(0));
	attrs.hog_ms = WPOOL_MAX_HOG_MS;
	attrs.name = wpk_name(test);
	wpk_move_to(wpk_cpu(0));
	/* wpk_pool() would keep a reference to the pool */
	pool = wpool_create(&attrs);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &first->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(first->gate, 1));
	submitter = wpk_thread(test, submit_two_goes, pool, NULL, tasks);
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
	  KUNIT_CASE(wpool_submit_batch_killed_returns_how_many_are_in),
	  KUNIT_CASE(wpool_submit_batch_waiting_when_the_pool_closes),
	  KUNIT_CASE(wpool_submit_batch_keeps_its_place_in_line),
	  KUNIT_CASE(wpool_submit_batch_own_full_pool_takes_what_fits),
	  KUNIT_CASE(wpool_submit_batch_policy_run_runs_the_rest_here),
	  KUNIT_CASE(wpool_submit_batch_destroyed_before_it_goes_on));
