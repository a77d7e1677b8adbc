// SPDX-License-Identifier: GPL-2.0
/*
 * What wpool.h says beside the main road: no pool and no task, a pool that is
 * everybody's, and which errno comes first.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "fixture.h"

/* ---- no pool, no task ----------------------------------------------------- */

/* What a failed wpool_create() and an object that was never made leave behind. */
static void * const nothings[] = { NULL, (void *)-ENOMEM, (void *)-EEXIST };

static void wpool_calls_without_a_pool_do_nothing(struct kunit *test)
{
	struct wpool_cpu_stats cpu_stats;
	struct wpool_stats *stats;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	stats = kunit_kzalloc(test, sizeof(*stats), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, stats);
	for (i = 0; i < ARRAY_SIZE(nothings); i++) {
		pool = nothings[i];
		wpk_attrs(&attrs, 1, 0);
		KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
		KUNIT_EXPECT_PTR_EQ(test, wpool_get(pool), pool);
		wpool_put(pool);
		KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), -EINVAL);
		KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, HZ), -EINVAL);
		KUNIT_EXPECT_EQ(test, wpool_reboot(pool), -EINVAL);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), -EINVAL);
		KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY), -EINVAL);
		KUNIT_EXPECT_NULL(test, wpool_owner(pool));
		memset(stats, 0xff, sizeof(*stats));
		wpool_get_stats(pool, stats);
		KUNIT_EXPECT_EQ(test, (int)stats->state, WPOOL_DESTROYED);
		KUNIT_EXPECT_EQ(test, stats->submitted, 0);
		memset(&cpu_stats, 0xff, sizeof(cpu_stats));
		wpool_get_cpu_stats(pool, 0, &cpu_stats);
		KUNIT_EXPECT_EQ(test, cpu_stats.submitted, 0);
		wpool_get_attrs(pool, &attrs, NULL);
		KUNIT_EXPECT_EQ(test, attrs.capacity, 0);
		KUNIT_EXPECT_NULL(test, attrs.name);
	}
}

static void wpool_task_calls_without_a_task_do_nothing(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nothings); i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(nothings[i]), -EINVAL);
		KUNIT_EXPECT_FALSE(test, wpool_task_cancel(nothings[i]));
		KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(nothings[i]), -EINVAL);
	}
}

/* ---- everybody's pool ----------------------------------------------------- */

static void destroy_default(struct wpk_job *job)
{
	job->ret = wpool_destroy(wpool_default());
}

static void wpool_default_is_not_to_be_destroyed_released_or_tuned(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpool_default();
	struct wpool_attrs before, attrs;

	wpool_get_attrs(pool, &before, NULL);
	wpk_attrs(&attrs, 1, 0);
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_ALL), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_ASSERT_EQ(test, wpool_destroy(pool), -EBUSY);

	/* Nothing happened: it is there, open, and as it was. */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_OPEN);
	wpool_get_attrs(pool, &attrs, NULL);
	KUNIT_EXPECT_EQ(test, attrs.capacity, before.capacity);
	jobs->job[0].body = destroy_default;
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EDEADLK);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

/* ---- which errno ---------------------------------------------------------- */

static void wpool_capacity_0_is_einval_and_not_erange(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, 0, 0);
	attrs.name = wpk_name(test);
	attrs.min_workers = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wpool_create(&attrs, THIS_MODULE)), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY), -EINVAL);
}

static void wpool_release_timeout_negative_is_einval_and_closes_nothing(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);

	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, LONG_MIN), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, state), WPOOL_OPEN);
}

static void wpool_release_cancel_after_drain_cancels_what_is_left(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 3);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, gate);
	int i;

	/* which of four would be the first is not promised */
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 3);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 3);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, cancelled) == 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 0);
	wpk_gate_open(gate);
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), -ECANCELED);
}

static void wpool_destroy_state_is_destroyed_while_the_last_task_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool_attrs attrs;
	struct wpk_thread *destroyer;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_forget(test, pool);
	destroyer = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, state) == WPOOL_DESTROYED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	KUNIT_EXPECT_FALSE(test, wpk_ended(destroyer));
	/* It is closed for good, and still answers. */
	wpk_attrs(&attrs, 2, 0);
	KUNIT_EXPECT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CAPACITY), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), -ESHUTDOWN);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, destroyer), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
}

struct answers {
	struct wpool *pool;
	int ret[4];
};

static void submit_to_own_pool(struct wpk_job *job)
{
	struct wpool_task *next = &(job + 1)->task;
	struct answers *answers = job->arg;

	answers->ret[0] = wpool_submit(answers->pool, next);
	answers->ret[1] = wpool_submit_timeout(answers->pool, next, 0);
	answers->ret[2] = wpool_submit_timeout(answers->pool, next, HZ);
	answers->ret[3] = wpool_try_submit(answers->pool, next);
}

/* A task of a full pool is not put to sleep: what it is told depends on the policy. */
static void wpool_submit_in_an_own_task_of_a_full_pool_by_policy(struct kunit *test)
{
	static const int expected[][4] = {
		[WPOOL_BLOCK] = { -EDEADLK, -ETIME, -EDEADLK, -EAGAIN },
		[WPOOL_FAIL] = { -EAGAIN, -EAGAIN, -EAGAIN, -EAGAIN },
	};
	struct wpk_jobs *jobs;
	struct answers *answers;
	int policy, i;

	for (policy = WPOOL_BLOCK; policy <= WPOOL_FAIL; policy++) {
		answers = kunit_kzalloc(test, sizeof(*answers), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, answers);
		answers->pool = wpk_pool_policy(test, 1, 0, policy);
		jobs = wpk_jobs(test, 2, NULL);
		jobs->job[0].body = submit_to_own_pool;
		jobs->job[0].arg = answers;
		wpk_jobs_submit(test, answers->pool, jobs, 0, 1);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
		for (i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, answers->ret[i], expected[policy][i]);
	}
}

static struct kunit_case api_cases[] = {
	KUNIT_CASE(wpool_calls_without_a_pool_do_nothing),
	KUNIT_CASE(wpool_task_calls_without_a_task_do_nothing),
	KUNIT_CASE(wpool_default_is_not_to_be_destroyed_released_or_tuned),
	KUNIT_CASE(wpool_capacity_0_is_einval_and_not_erange),
	KUNIT_CASE(wpool_release_timeout_negative_is_einval_and_closes_nothing),
	KUNIT_CASE(wpool_release_cancel_after_drain_cancels_what_is_left),
	KUNIT_CASE(wpool_destroy_state_is_destroyed_while_the_last_task_runs),
	KUNIT_CASE(wpool_submit_in_an_own_task_of_a_full_pool_by_policy),
	{}
};

static struct kunit_suite api_suite = {
	.name = "wpool_api",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = api_cases,
};

kunit_test_suite(api_suite);
