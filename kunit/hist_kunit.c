// SPDX-License-Identifier: GPL-2.0
/* Histograms: their buckets, and the times that a pool counts in them. */
#include "../module/core/hist.h"
#include "fixture.h"

static void wpool_hist_buckets_have_no_gap(struct kunit *test)
{
	u64 from, next;
	u32 i;

	for (i = 0; i < WPOOL_HIST_BUCKETS; i++) {
		from = wpool_hist_from(i);
		next = wpool_hist_from(i + 1);
		KUNIT_ASSERT_LT(test, from, next);
		KUNIT_EXPECT_EQ(test, wpool_hist_bucket(from), i);
		KUNIT_EXPECT_EQ(test, wpool_hist_bucket(next - 1), i);
		/* a bucket is at most 16 ns wide, or a sixteenth of its lower bound */
		KUNIT_EXPECT_LE(test, next - from, max_t(u64, from / 16, 16));
	}
	KUNIT_EXPECT_EQ(test, wpool_hist_bucket(0), 0);
	KUNIT_EXPECT_EQ(test, wpool_hist_from(WPOOL_HIST_BUCKETS), BIT_ULL(37));
	KUNIT_EXPECT_EQ(test, wpool_hist_bucket(BIT_ULL(37)), WPOOL_HIST_BUCKETS - 1);
	KUNIT_EXPECT_EQ(test, wpool_hist_bucket(U64_MAX), WPOOL_HIST_BUCKETS - 1);
}

/* Sum up the histograms of a pool. Returns 0, or an error of wpool_get_latency(). */
static int counted(struct kunit *test, struct wpool *pool, u64 *waited, u64 *ran)
{
	struct wpool_hist *hists = wpk_alloc(test, 2 * sizeof(*hists));
	int err, i;

	err = wpool_get_latency(pool, &hists[0], &hists[1]);
	*waited = 0;
	*ran = 0;
	for (i = 0; !err && i < WPOOL_HIST_BUCKETS; i++) {
		*waited += hists[0].nr[i];
		*ran += hists[1].nr[i];
	}
	kunit_kfree(test, hists);
	return err;
}

static void expect_counted(struct kunit *test, struct wpool *pool, u64 nr)
{
	u64 waited, ran;

	KUNIT_EXPECT_EQ(test, counted(test, pool, &waited, &ran), 0);
	KUNIT_EXPECT_EQ(test, waited, nr);
	KUNIT_EXPECT_EQ(test, ran, nr);
}

static void tune_latency(struct kunit *test, struct wpool *pool, bool latency)
{
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, LATENCY, latency, latency), 0);
}

static void submit_20(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, u32 first)
{
	wpk_jobs_submit(test, pool, jobs, first, 20);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

static void wpool_get_latency_counts_while_it_is_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 100);
	struct wpk_jobs *jobs = wpk_jobs(test, 100, NULL);
	u64 waited, ran;

	submit_20(test, pool, jobs, 0);
	KUNIT_EXPECT_EQ(test, counted(test, pool, &waited, &ran), -ENODATA);
	tune_latency(test, pool, true);
	expect_counted(test, pool, 0);
	submit_20(test, pool, jobs, 20);
	expect_counted(test, pool, 20);
	/* latency is on already: the counts do not restart */
	tune_latency(test, pool, true);
	submit_20(test, pool, jobs, 40);
	expect_counted(test, pool, 40);
	tune_latency(test, pool, false);
	submit_20(test, pool, jobs, 60);
	expect_counted(test, pool, 40);
	tune_latency(test, pool, true);
	expect_counted(test, pool, 0);
	submit_20(test, pool, jobs, 80);
	expect_counted(test, pool, 20);
}

/* While a task runs, only its wait is counted, also if wpool_submit_fn() made the task. */
static void wpool_get_latency_counts_the_run_when_it_ends(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 100);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	u64 waited, ran;

	tune_latency(test, pool, true);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, wpk_pass_gate, gate, THIS_MODULE, GFP_KERNEL),
			0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 2));
	counted(test, pool, &waited, &ran);
	KUNIT_EXPECT_EQ(test, waited, 2);
	KUNIT_EXPECT_EQ(test, ran, 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	expect_counted(test, pool, 2);
}

static void submit_again(struct wpk_job *job)
{
	if (atomic_read(&job->runs) == 1)
		job->ret = wpool_submit(job->arg, &job->task);
}

static void wpool_get_latency_counts_each_run_of_a_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 100);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, submit_again, pool);

	tune_latency(test, pool, true);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	expect_counted(test, pool, 2);
}

/* Neither a cancelled submit with latency on nor a submit with latency off is counted. */
static void wpool_get_latency_without_a_cancelled_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 100);
	struct wpk_jobs *jobs = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *late = wpk_jobs(test, 1, NULL);

	tune_latency(test, pool, true);
	wpk_jobs_submit(test, pool, late, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&late->job[0].task), -ECANCELED);
	tune_latency(test, pool, false);
	wpk_jobs_submit(test, pool, late, 0, 1);
	tune_latency(test, pool, true);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	wpk_jobs_ran_once(test, late);
	expect_counted(test, pool, 0);
}

WPK_SUITE(hist,
	  KUNIT_CASE(wpool_hist_buckets_have_no_gap),
	  KUNIT_CASE(wpool_get_latency_counts_while_it_is_on),
	  KUNIT_CASE(wpool_get_latency_counts_the_run_when_it_ends),
	  KUNIT_CASE(wpool_get_latency_counts_each_run_of_a_task),
	  KUNIT_CASE(wpool_get_latency_without_a_cancelled_task));
