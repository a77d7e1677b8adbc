// SPDX-License-Identifier: GPL-2.0
/*
 * The one admission rule: a task is accepted if and only if fewer than capacity + queue_depth tasks
 * are outstanding. Otherwise the policy decides.
 */
#include "fixture.h"

struct limit {
	u32 capacity;
	u32 queue_depth;
};

static const struct limit limits[] = {
	{ 1, 0 }, { 1, 1 }, { 2, 0 }, { 3, 4 }, { 4, 60 }, { 4, 124 },
	{ 16, 0 }, { 16, 240 }, { 2, 1000 }, { 1, 3000 },
};

static void limit_desc(const struct limit *limit, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "capacity %u, queue_depth %u",
		 limit->capacity, limit->queue_depth);
}

KUNIT_ARRAY_PARAM(limit, limits, limit_desc);

/* A submitter, and how many of its tasks the pool has accepted. */
struct share {
	struct wpk_jobs *jobs;
	unsigned int accepted;
	int cpu;
	int error;
};

static int submit_until_refused(struct wpk_thread *thread)
{
	struct share *share = thread->arg;
	struct wpk_jobs *jobs = share->jobs;
	int ret = 0;

	wpk_move_to(share->cpu);
	while (share->accepted < jobs->nr && !wpk_stopped(thread->test)) {
		ret = wpool_try_submit(thread->pool, &jobs->job[share->accepted].task);
		if (ret)
			break;
		share->accepted++;
	}
	if (ret && ret != -EAGAIN)
		share->error = ret;
	return 0;
}

#define NR_SUBMITTERS 3

/*
 * The pool accepts exactly as many tasks as its limit, although CPUs cache free places: submitters
 * fill it from several CPUs at once, then from one CPU after the other.
 */
static void wpool_try_submit_accepts_exactly_the_limit(struct kunit *test)
{
	const struct limit *limit = test->param_value;
	u32 max = limit->capacity + limit->queue_depth, sum, round;
	struct wpool *pool = wpk_pool_policy(test, limit->capacity, limit->queue_depth, WPOOL_FAIL);
	struct wpk_thread *threads[NR_SUBMITTERS];
	struct share *shares = wpk_alloc(test, NR_SUBMITTERS * sizeof(*shares));
	struct wpk_gate *gate;
	int i;

	for (round = 0; round < 2; round++) {
		gate = wpk_gate(test);
		for (i = 0; i < NR_SUBMITTERS; i++) {
			shares[i].jobs = wpk_jobs(test, max + 1, gate);
			shares[i].accepted = 0;
			shares[i].cpu = wpk_cpu(i % num_online_cpus());
		}
		for (i = 0; i < NR_SUBMITTERS; i++)
			threads[i] = wpk_thread(test, submit_until_refused, pool, NULL, &shares[i]);
		wpk_join_all(test, threads, NR_SUBMITTERS);
		/* A submitter that is alone gets every remaining place. */
		for (i = 0; i < NR_SUBMITTERS; i++) {
			threads[i] = wpk_thread(test, submit_until_refused, pool, NULL, &shares[i]);
			KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
		}
		for (i = 0, sum = 0; i < NR_SUBMITTERS; i++) {
			KUNIT_EXPECT_EQ(test, shares[i].error, 0);
			sum += shares[i].accepted;
		}
		KUNIT_EXPECT_EQ(test, sum, max);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), max);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
		KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, limit->capacity));
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), limit->capacity);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), limit->queue_depth);
		wpk_gate_open(gate);
		for (i = 0; i < NR_SUBMITTERS; i++)
			KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(shares[i].jobs,
								  shares[i].accepted));
		/* a finished task stops counting as outstanding before its place is free */
		WPK_EVENTUALLY(test, wpk_stat(pool, free) == max);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	}
}

/* A submitter that changes its CPU gets -EAGAIN if the pool is full, and only then. */
static void wpool_try_submit_alone_is_exact_at_every_step(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 5);
	struct wpk_jobs *jobs = wpk_jobs(test, 8, NULL);
	struct wpk_gate *gates[8];
	u32 outstanding = 0;
	int step, i;

	for (i = 0; i < 8; i++) {
		gates[i] = wpk_gate(test);
		jobs->job[i].gate = gates[i];
	}
	for (i = 0; i < 7; i++) {
		wpk_move_to(wpk_cpu(i % num_online_cpus()));
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 7 - outstanding);
		KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[i].task), 0);
		outstanding++;
	}
	for (step = 0; step < 20; step++) {
		/* The pool has its seven tasks, and refuses another one on every CPU. */
		for (i = 0; i < num_online_cpus(); i++) {
			wpk_move_to(wpk_cpu(i));
			KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[7].task), -EAGAIN);
		}
		/* After a cancel of a queued task, one submit is accepted, on any CPU. */
		i = step % 7;
		if (!wpool_task_cancel(&jobs->job[i].task))
			continue;
		KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[i].task), -ECANCELED);
		wpk_move_to(wpk_cpu(step % num_online_cpus()));
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
		KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[i].task), 0);
	}
	wpk_move_to(-1);
	for (i = 0; i < 8; i++)
		wpk_gate_open(gates[i]);
}

struct churn {
	atomic_t outstanding;
	atomic_t peak;
};

static void leave(struct wpk_job *job)
{
	struct churn *churn = job->arg;

	atomic_dec(&churn->outstanding);
}

static int churn_at_the_limit(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	struct churn *churn = jobs->job[0].arg;
	int now, peak, ret;
	unsigned int i = 0;

	while (i < jobs->nr && !wpk_stopped(thread->test)) {
		ret = wpool_try_submit(thread->pool, &jobs->job[i].task);
		if (ret == -EAGAIN) {
			cond_resched();
			continue;
		}
		if (ret)
			return ret;
		/*
		 * Tasks are added after they were accepted, and subtracted before their places are
		 * free, so @outstanding is never too high.
		 */
		now = atomic_inc_return(&churn->outstanding);
		peak = atomic_read(&churn->peak);
		while (now > peak && !atomic_try_cmpxchg(&churn->peak, &peak, now))
			;
		i++;
	}
	return 0;
}

static void wpool_try_submit_under_load_never_exceeds_the_limit(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 3, 2, WPOOL_FAIL);
	struct wpk_thread *threads[NR_SUBMITTERS];
	struct wpk_jobs *jobs[NR_SUBMITTERS];
	struct churn *churn = wpk_alloc(test, sizeof(*churn));
	int i;

	for (i = 0; i < NR_SUBMITTERS; i++) {
		jobs[i] = wpk_jobs(test, WPK_LIMIT_TASKS / 4, NULL);
		wpk_jobs_body(jobs[i], leave, churn);
	}
	for (i = 0; i < NR_SUBMITTERS; i++)
		threads[i] = wpk_thread(test, churn_at_the_limit, pool, NULL, jobs[i]);
	wpk_join_all(test, threads, NR_SUBMITTERS);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_LE(test, atomic_read(&churn->peak), 5);
	for (i = 0; i < NR_SUBMITTERS; i++)
		wpk_jobs_ran_once(test, jobs[i]);
}

/* While no task finishes, compare each wpool_nr_free() with the result of the next submit. */
static void fill_and_compare(struct kunit *test, struct wpool *pool, u32 max, bool exact)
{
	struct wpk_jobs *jobs = wpk_gated(test, max + 1);
	u32 nr_free, i;
	int err;

	for (i = 0; i <= max; i++) {
		/* both calls on one CPU: the result of wpool_nr_free() depends on the CPU */
		migrate_disable();
		nr_free = wpool_nr_free(pool);
		err = wpool_try_submit(pool, &jobs->job[i].task);
		migrate_enable();
		KUNIT_ASSERT_EQ(test, err, i == max ? -EAGAIN : 0);
		if (nr_free)
			KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_LE(test, nr_free, max - i);
		if (exact)
			KUNIT_EXPECT_EQ(test, nr_free, max - i);
	}
	/* the refused submit has taken the cached places from all CPUs */
	KUNIT_EXPECT_EQ(test, wpool_nr_free(pool), 0);
	wpk_gate_let(jobs->gate, 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 1);
	KUNIT_EXPECT_EQ(test, wpool_nr_free(pool), 1);
}

static void wpool_nr_free_of_a_small_pool_is_exact(struct kunit *test)
{
	fill_and_compare(test, wpk_pool_policy(test, 3, 4, WPOOL_FAIL), 7, true);
}

/* wpool_nr_free() never counts more places than submits find, even if all CPUs have cached some. */
static void wpool_nr_free_is_never_more_than_a_submit_finds(struct kunit *test)
{
	u32 max = 256 * num_online_cpus(), taken = 0, cpu;
	struct wpool *pool = wpk_pool_policy(test, 1, max - 1, WPOOL_FAIL);
	struct wpk_jobs *jobs;

	for_each_online_cpu(cpu) {
		jobs = wpk_jobs(test, 1, NULL);
		wpk_move_to(cpu);
		wpk_job_run(test, pool, &jobs->job[0]);
		taken++;
	}
	wpk_move_to(-1);
	KUNIT_ASSERT_EQ(test, wpk_stat(pool, completed), taken);
	fill_and_compare(test, pool, max, false);
}

/* Each task runs the next one inside its submit: a submit is refused before the stack is full. */
static void wpool_submit_policy_run_nested_too_deep_is_eagain(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_RUN);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1000, wpk_submit_next, NULL);
	int i, depth;

	wpk_job_run(test, pool, &jobs->job[0]);
	depth = atomic_read(&jobs->finished);
	KUNIT_EXPECT_GE(test, depth, 2);
	KUNIT_EXPECT_LT(test, depth, 1000);
	for (i = 0; i < depth; i++)
		KUNIT_EXPECT_EQ(test, jobs->job[i].ret, i == depth - 1 ? -EAGAIN : 0);
}

WPK_SUITE(admission,
	  KUNIT_CASE_PARAM(wpool_try_submit_accepts_exactly_the_limit, limit_gen_params),
	  KUNIT_CASE(wpool_try_submit_alone_is_exact_at_every_step),
	  KUNIT_CASE_SLOW(wpool_try_submit_under_load_never_exceeds_the_limit),
	  KUNIT_CASE(wpool_nr_free_of_a_small_pool_is_exact),
	  KUNIT_CASE(wpool_nr_free_is_never_more_than_a_submit_finds),
	  KUNIT_CASE(wpool_submit_policy_run_nested_too_deep_is_eagain));
