// SPDX-License-Identifier: GPL-2.0
/*
 * Fairness: a queued task does not wait much longer than it would in one queue
 * that is first in, first out, wherever it is queued.
 *
 * The unit of the waits is a start of another task, not a time.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "one_cpu.h"

/* ---- helping ---------------------------------------------------------------- */

#define HOG_MS		400U
#define CHILD_MS	40U
#define NR_CHILDREN	30
#define NR_TRIES	20

/* @slowest_ms: the longest time between two starts: the machine's doing, not ours */
struct family {
	struct wpool *pool;
	struct wpk_jobs *children;
	ktime_t last;
	s64 slowest_ms;
};

static void take_time(struct family *family)
{
	ktime_t now = ktime_get();

	family->slowest_ms = max(family->slowest_ms, ktime_ms_delta(now, family->last));
	family->last = now;
}

static void run_a_bit(struct wpk_job *job)
{
	struct family *family = job->arg;

	take_time(family);
	while (ktime_ms_delta(ktime_get(), family->last) < CHILD_MS) {
		cpu_relax();
		cond_resched();
	}
}

static void wait_for_children(struct wpk_job *job)
{
	struct family *family = job->arg;
	int i;

	family->last = ktime_get();
	for (i = 0; i < NR_CHILDREN; i++)
		job->ret = wpool_submit(family->pool, &family->children->job[i].task) ?:
			   job->ret;
	for (i = 0; i < NR_CHILDREN; i++)
		job->ret = wpool_task_wait(&family->children->job[i].task) ?: job->ret;
	take_time(family);
}

/*
 * A worker that runs the tasks for which it waits, one after the other, is at
 * work. Where the machine itself stood still for too long nothing is expected.
 */
static void wpool_task_wait_helping_is_no_hogging(struct kunit *test)
{
	struct family *family = kunit_kzalloc(test, sizeof(*family), GFP_KERNEL);
	struct wpk_jobs *parent;
	struct wpool_attrs attrs;
	int try;

	KUNIT_ASSERT_NOT_NULL(test, family);
	for (try = 0; try < NR_TRIES; try++) {
		wpk_one_cpu_attrs(&attrs, 32, 1, true);
		attrs.hog_ms = HOG_MS;
		family->pool = wpk_pool_attrs(test, &attrs);
		family->children = wpk_jobs(test, NR_CHILDREN, NULL);
		family->slowest_ms = 0;
		wpk_jobs_body(family->children, run_a_bit, family);
		parent = wpk_jobs(test, 1, NULL);
		wpk_jobs_body(parent, wait_for_children, family);
		wpk_jobs_submit(test, family->pool, parent, 0, 1);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(parent, 1));
		wpk_no_errors(test, parent);
		if (family->slowest_ms < HOG_MS / 2)
			break;
		wpk_destroy(test, family->pool);
	}
	if (try == NR_TRIES)
		kunit_skip(test, "the machine stands still for %lld ms", family->slowest_ms);
	KUNIT_EXPECT_EQ(test, wpk_stat(family->pool, hogs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(family->pool, spawned), 1);
}

static struct kunit_case fair_cases[] = {
	KUNIT_CASE_SLOW(wpool_task_wait_helping_is_no_hogging),
	{}
};

static struct kunit_suite fair_suite = {
	.name = "wpool_fair",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = fair_cases,
};

kunit_test_suite(fair_suite);
