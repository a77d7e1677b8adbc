// SPDX-License-Identifier: GPL-2.0
/* Tune a pool while tasks run and submitters wait: a tune is all or nothing. */
#include "attr_values.h"
#include "full_pool.h"
#include "knob.h"

/* Start the submitters of jobs @from..., one by one, so that they wait in this order. */
static void start_waiters(struct kunit *test, struct wpool *pool,
			  struct wpk_jobs *jobs, unsigned int from,
			  unsigned int nr, struct wpk_thread **threads)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		threads[i] = wpk_nth_waiter(test, pool, &jobs->job[from + i], i + 1);
}

static void wpool_tune_sets_what_the_mask_names_and_no_more(struct kunit *test)
{
	static const u32 masks[] = {
		WPOOL_TUNE_QUEUE_DEPTH | WPOOL_TUNE_NICE, WPOOL_TUNE_ALL & ~WPOOL_TUNE_CPUMASK,
	};
	struct wpool_attrs attrs, now;
	struct wpool *pool;
	int i;

	wpool_attrs_init(&attrs);
	pool = wpk_pool_attrs(test, &attrs);
	wpk_set_others(&attrs);
	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, masks[i]), 0);
		wpool_get_attrs(pool, &now, NULL);
		wpk_expect_values(test, &now, masks[i]);
	}
}

static void wpool_tune_bad_value_changes_nothing(struct kunit *test)
{
	const struct wpk_bad *bad = test->param_value;
	struct wpool *pool = wpk_pool(test, 256, 3);
	struct wpool_attrs attrs, before, after;
	/* the bad value must prevent this valid change, too */
	u32 mask = bad->mask | WPOOL_TUNE_LATENCY;

	wpool_get_attrs(pool, &before, NULL);
	wpool_attrs_init(&attrs);
	attrs.latency = true;
	*(u32 *)((char *)&attrs + bad->at) = bad->value;
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, mask), bad->ret);
	wpool_get_attrs(pool, &after, NULL);
	before.cpumask = NULL;
	after.cpumask = NULL;
	KUNIT_EXPECT_MEMEQ(test, &before, &after, sizeof(before));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 259);
}

static void wpool_tune_to_what_cannot_work_is_einval(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 8, 0, attrs.min_workers = 4);

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_none_mask), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 4), 0);
	/* two attributes in one call are checked together */
	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_MIN_WORKERS,
					    attrs.capacity = 2, attrs.min_workers = 2), 0);
	pool = wpk_pool_policy(test, 1, 0, WPOOL_RUN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, POLICY, policy, WPOOL_BLOCK), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, POLICY, policy, WPOOL_FAIL), -EINVAL);
	pool = wpk_pool_with(test, 2, 0, attrs.prealloc = true);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, WPOOL_UNLIMITED), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, 4), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 6);
}

static void wpool_tune_up_lets_as_many_waiters_on_as_fit(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 7);
	struct wpk_thread *threads[6];

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	start_waiters(test, pool, jobs, 1, 6, threads);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 3), 0);
	wpk_join_all(test, threads, 2);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 3));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 3);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, 1), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[2]), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 3);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, WPOOL_UNLIMITED), 0);
	wpk_join_all(test, &threads[3], 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 7);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), 3);
	wpk_finish(test, pool, jobs);
}

static void wpool_tune_down_debt_is_repaid_first(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 4, 2, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 8);
	struct wpool_task *late = &jobs->job[6].task;
	int left;

	wpk_jobs_submit(test, pool, jobs, 0, 6);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 4));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, 0), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 2), 0);
	/* the pool keeps all six tasks, although its limit is two now */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 6);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
	for (left = 6; left >= 2; left--) {
		WPK_EVENTUALLY(test, wpk_stat(pool, outstanding) == left);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
		KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, late), -EAGAIN);
		wpk_gate_let(jobs->gate, 1);
	}
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, late), 0);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[7].task), -EAGAIN);
}

static void wpool_tune_down_waiters_go_on_after_the_debt(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 4);
	struct wpk_thread *thread;
	int left;

	wpk_jobs_submit(test, pool, jobs, 0, 3);
	start_waiters(test, pool, jobs, 3, 1, &thread);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 3));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 1), 0);
	for (left = 3; left >= 1; left--) {
		WPK_EVENTUALLY(test, wpk_stat(pool, outstanding) == left);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 1);
		KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
		wpk_gate_let(jobs->gate, 1);
	}
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_finish(test, pool, jobs);
}

static void wpool_tune_down_and_up_again_keeps_the_sum(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 2, 6, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 9);
	static const u32 depths[] = { 0, 3, 1, WPOOL_UNLIMITED, 2, 6 };
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 5);
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		u32 depth = depths[i];

		KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, depth), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, free),
				depth == WPOOL_UNLIMITED ? WPOOL_UNLIMITED :
				depth + 2 < 5 ? 0 : depth + 2 - 5);
	}
	wpk_jobs_submit(test, pool, jobs, 5, 3);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[8].task), -EAGAIN);
	wpk_gate_open(jobs->gate);
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 8);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
}

static void wpool_tune_unlimited_capacity_to_finite_and_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, WPOOL_UNLIMITED, 0, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 6);

	wpk_jobs_submit(test, pool, jobs, 0, 5);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 4), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[5].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, WPOOL_UNLIMITED), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), WPOOL_UNLIMITED);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[5].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_started(jobs, 6));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 7), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	wpk_finish(test, pool, jobs);
}

WPK_PARAM_BOOL(policy, "of the policy: %d");

/* After a tune of the policy or of max_blocking, submitters that wait continue to wait. */
static void wpool_tune_for_later_submitters_sends_no_waiter_away(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 5);
	struct wpk_thread *threads[3];

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	start_waiters(test, pool, jobs, 1, 3, threads);
	KUNIT_EXPECT_EQ(test, wpk_is_on(test) ? wpk_tune(pool, POLICY, policy, WPOOL_FAIL) :
			wpk_tune(pool, MAX_BLOCKING, max_blocking, 1), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[4].task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 3);
	wpk_gate_open(jobs->gate);
	wpk_join_all(test, threads, 3);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 4);
}

/* @dir: "kunit/", a cgroup that scripts/guest/kunit.sh makes, or "", the root. */
static int enter_cgroup(const char *dir)
{
	char path[32];

	snprintf(path, sizeof(path), "%scgroup.procs", dir);
	return wpk_fs_write("cgroup2", path, "0");
}

/* Returns a pointer that is the same for two threads in the same cgroups. */
static void *cgroups_of(struct task_struct *thread)
{
#ifdef CONFIG_CGROUPS
	return rcu_access_pointer(thread->cgroups);
#else
	return NULL;
#endif
}

static void note_cgroups(struct wpk_job *job)
{
	job->arg = cgroups_of(current);
}

static void wpool_set_cgroup_moves_an_idle_worker_there_and_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 3);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 3, note_cgroups, NULL);
	void *root = cgroups_of(current), *own;
	int i;

	wpk_need(test, !enter_cgroup("kunit/"), "no cgroups");
	own = cgroups_of(current);
	KUNIT_EXPECT_PTR_NE(test, own, root);
	for (i = 0; i < 3; i++) {
		if (i)
			KUNIT_EXPECT_EQ(test, wpool_set_cgroup(pool, i == 1), 0);
		wpk_jobs_next(test, pool, jobs, i);
		/* a worker that is not yet idle may run the next task in its old cgroups: wait */
		WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	}
	KUNIT_EXPECT_EQ(test, enter_cgroup(""), 0);
	KUNIT_EXPECT_PTR_EQ(test, jobs->job[0].arg, root);
	KUNIT_EXPECT_PTR_EQ(test, jobs->job[1].arg, own);
	KUNIT_EXPECT_PTR_EQ(test, jobs->job[2].arg, root);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
}

static void note_worker(struct wpk_job *job)
{
	WRITE_ONCE(job->arg, current);
}

/* If the cgroup of a pool changes while a worker searches, the worker sleeps in the new cgroup. */
static void wpool_set_cgroup_searching_worker_does_not_sleep_where_it_was(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_job *job = &jobs->job[0];
	int i, j;

	wpk_need(test, !enter_cgroup("kunit/"), "no cgroups");
	wpk_need_cpus(test, 2);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, SPIN_US, spin_us, WPOOL_MAX_SPIN_US), 0);
	wpk_jobs_body(jobs, note_worker, NULL);
	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < WPK_ROUNDS(40); i++) {
		KUNIT_ASSERT_EQ(test, enter_cgroup("kunit/"), 0);
		KUNIT_EXPECT_EQ(test, wpool_set_cgroup(pool, true), 0);
		KUNIT_ASSERT_EQ(test, enter_cgroup(""), 0);
		job->arg = NULL;
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(1), &job->task), 0);
		while (!READ_ONCE(job->arg))
			cond_resched();
		for (j = 0; j < 20; j++)
			udelay(5);
		KUNIT_EXPECT_EQ(test, wpool_set_cgroup(pool, false), 0);
		KUNIT_ASSERT_EQ(test, wpool_task_wait(&job->task), 0);
		WPK_ASSERT_EVENTUALLY(test, cgroups_of(job->arg) == cgroups_of(current));
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
}

/* A kernel without cgroups refuses to put workers into one. */
static void wpool_set_cgroup_without_cgroups_is_refused(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);

	wpk_need(test, !IS_ENABLED(CONFIG_CGROUPS), "the kernel has cgroups");
	KUNIT_EXPECT_EQ(test, wpool_set_cgroup(pool, true), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, wpool_set_cgroup(pool, false), 0);
}

WPK_SUITE(tune,
	  KUNIT_CASE(wpool_tune_sets_what_the_mask_names_and_no_more),
	  KUNIT_CASE_PARAM(wpool_tune_bad_value_changes_nothing, wpk_bad_gen_params),
	  KUNIT_CASE(wpool_tune_to_what_cannot_work_is_einval),
	  KUNIT_CASE(wpool_tune_up_lets_as_many_waiters_on_as_fit),
	  KUNIT_CASE(wpool_tune_down_debt_is_repaid_first),
	  KUNIT_CASE(wpool_tune_down_waiters_go_on_after_the_debt),
	  KUNIT_CASE(wpool_tune_down_and_up_again_keeps_the_sum),
	  KUNIT_CASE(wpool_tune_unlimited_capacity_to_finite_and_back),
	  KUNIT_CASE_PARAM(wpool_tune_for_later_submitters_sends_no_waiter_away, policy_gen_params),
	  KUNIT_CASE(wpool_set_cgroup_moves_an_idle_worker_there_and_back),
	  KUNIT_CASE(wpool_set_cgroup_searching_worker_does_not_sleep_where_it_was),
	  KUNIT_CASE(wpool_set_cgroup_without_cgroups_is_refused));
