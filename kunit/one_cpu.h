/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pools on the first CPUs. If the workers and queues of a pool are all on one CPU, only hand-off
 * and concurrency decide whether a task can start before another one has ended.
 */
#ifndef WPOOL_KUNIT_ONE_CPU_H
#define WPOOL_KUNIT_ONE_CPU_H

#include <linux/cpumask.h>

#include "core/state.h"
#include "fixture.h"

/* The first @nr CPUs that are online. If there are fewer, the case is skipped. */
static inline struct cpumask *wpk_first_cpus(struct kunit *test, unsigned int nr)
{
	struct cpumask *mask = wpk_alloc(test, cpumask_size());
	unsigned int i;

	wpk_need_cpus(test, nr);
	for (i = 0; i < nr; i++)
		cpumask_set_cpu(wpk_cpu(i), mask);
	return mask;
}

/* Make @nr workers, and wait until all are idle. Each has its home CPU: it has run a task. */
static inline void wpk_warm(struct kunit *test, struct wpool *pool, unsigned int nr)
{
	wpk_gate_open(wpk_held(test, pool, nr, nr)->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == nr);
}

/* @pool has two CPUs: make an idle worker on each of them. */
static inline struct wpool *wpk_pair(struct kunit *test, struct wpool *pool)
{
	int i;

	wpk_warm(test, pool, 2);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(i)), 1);
	return pool;
}

/*
 * From now on the monitor does not visit the pool, which is quiet: the pool looks as if it were in
 * the monitor's list. So what happens in the pool happens without the monitor, however late.
 */
static inline struct wpool *wpk_unwatched(struct kunit *test, struct wpool *pool)
{
	WPK_ASSERT_EVENTUALLY(test, !xchg(&pool->is_watched, true));
	return pool;
}

/*
 * As wpk_pool_with(). hog_ms is so long that no task of a case is a hog. The case moves to the
 * pool's CPU, too, so it submits its tasks on that CPU.
 */
#define wpk_one_cpu_pool_with(test, nr_tasks, nr_running, hands_over, ...)		\
({											\
	wpk_move_to(wpk_cpu(0));							\
	wpk_pool_with(test, nr_tasks, WPOOL_UNLIMITED,					\
		      attrs.cpumask = cpumask_of(wpk_cpu(0)),				\
		      attrs.concurrency = nr_running, attrs.handoff = hands_over,	\
		      attrs.hog_ms = WPOOL_MAX_HOG_MS, ##__VA_ARGS__);			\
})

static inline struct wpool *wpk_one_cpu_pool(struct kunit *test, u32 capacity,
					     u32 concurrency, bool handoff)
{
	return wpk_one_cpu_pool_with(test, capacity, concurrency, handoff);
}

/* Submit @jobs as a batch. On the pool's CPU, up to 32 jobs are queued before the first starts. */
static inline void wpk_submit_together(struct kunit *test, struct wpool *pool,
				       struct wpk_jobs *jobs)
{
	KUNIT_ASSERT_EQ(test, wpool_submit_batch(pool, jobs->tasks, jobs->nr, 0), (int)jobs->nr);
}

/* Keep the CPU busy, but let others run, until @condition; false if that takes too long. */
#define wpk_run_until(condition)	wpk_poll(2, condition, ({ cpu_relax(); cond_resched(); }))

static inline void wpk_no_errors(struct kunit *test, struct wpk_jobs *jobs)
{
	unsigned int i, bad = 0;

	for (i = 0; i < jobs->nr; i++)
		bad += !!jobs->job[i].ret;
	KUNIT_EXPECT_EQ_MSG(test, bad, 0, "of %u jobs", jobs->nr);
}

static inline const struct wpool_stats *wpk_figures_agree(struct kunit *test, struct wpool *pool)
{
	const struct wpool_stats *stats = wpk_snapshot(pool);

	KUNIT_EXPECT_EQ(test, stats->workers, stats->idle + stats->searching + stats->busy);
	KUNIT_EXPECT_LE(test, stats->blocked, stats->busy);
	KUNIT_EXPECT_EQ(test, stats->submitted,
			stats->completed + stats->failed + stats->cancelled + stats->overdue +
			stats->outstanding);
	return stats;
}

#endif /* WPOOL_KUNIT_ONE_CPU_H */
