// SPDX-License-Identifier: GPL-2.0
/* Strands: tasks that run one after the other, see struct wpool_strand. */
#include <linux/slab.h>

#include "strand_tasks.h"

#define NR_TASKS	200
#define NR_MANY		1000000U

/* ---- order and exclusion -------------------------------------------------- */

static void body_sleeps(struct st *st)
{
	usleep_range(10, 50);
}

/* The worker of a sleeping task hands its run queue to another worker, but not the strand. */
static void wpool_strand_tasks_that_sleep_run_one_at_a_time(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 8, 8), WPOOL_UNLIMITED);
	struct st *st = st_tasks(test, of, NULL, NR_TASKS);
	int i;

	for (i = 0; i < NR_TASKS; i++)
		st[i].body = body_sleeps;
	st_submit(test, st, NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_ran_in_order(test, st, NR_TASKS);
}

static void wpool_strands_run_side_by_side(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, 4);
	struct wpk_gate *gate = wpk_gate(test);
	int i;

	/* the first tasks of all four strands are at the gate together */
	for (i = 0; i < 4; i++)
		st_submit(test, st_tasks(test, st_strand(test, pool, 4), gate, 2), 2);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 4));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 4);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 8));
}

static void body_resubmits(struct st *st)
{
	if (atomic_read(&st->runs) < 3)
		st->ret |= wpool_strand_try_submit(&st->task);
}

static void wpool_strand_try_submit_by_its_own_task_goes_behind_the_others(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 8);
	struct st *st = st_tasks(test, of, wpk_gate(test), 2);

	st[0].body = body_resubmits;
	st_submit(test, st, 2);
	wpk_gate_open(st->gate);
	WPK_EVENTUALLY(test, atomic_read(&of->returned) == 4);
	KUNIT_EXPECT_EQ(test, st[0].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0].runs), 3);
	KUNIT_EXPECT_EQ(test, st[1].seq, 2);
	KUNIT_EXPECT_EQ(test, st[0].seq, 4);
	KUNIT_EXPECT_FALSE(test, of->twice);
}

static void wpool_strand_try_submit_bad_arguments_is_einval(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct st_strand *strands[] = {
		st_strand(test, NULL, 8), st_strand(test, ERR_PTR(-ENOMEM), 8),
		st_strand(test, pool, 0), st_strand(test, pool, 8),
	};
	struct wpool_strand_task task = {};
	struct st *st;
	int i;

	for (i = 0; i < ARRAY_SIZE(strands); i++) {
		st = st_tasks(test, strands[i], NULL, 1);
		if (i == 3)
			st->task.func = NULL;
		KUNIT_EXPECT_EQ_MSG(test, wpool_strand_try_submit(&st->task), -EINVAL, "%d", i);
	}
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&task), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&strands[0]->strand), 0);
}

/* ---- in the pool ---------------------------------------------------------- */

static void wpool_strand_takes_one_place_in_its_pool(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct st_strand *of = st_strand(test, pool, WPOOL_UNLIMITED);
	struct st *st = st_tasks(test, of, wpk_gate(test), NR_TASKS);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, st->gate);

	st_submit(test, st, NR_TASKS);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(st->gate, 1));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(st->gate, 2));
	wpk_gate_open(st->gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), NR_TASKS + 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), NR_TASKS + 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
}

/* In a full pool the first task of the strand waits for room: no task of a strand is refused. */
static void wpool_strand_try_submit_to_a_full_pool_stands_in_line(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct st_strand *of[2] = { st_strand(test, pool, 8), st_strand(test, pool, 8) };
	struct st *st[2] = { st_tasks(test, of[0], NULL, 3), st_tasks(test, of[1], NULL, 3) };

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	st_submit(test, st[0], 3);
	st_submit(test, st[1], 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of[0]->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of[1]->strand), 0);
	st_ran_in_order(test, st[0], 3);
	st_ran_in_order(test, st[1], 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, refused), 0);
}

/* The task submits itself until the strand is destroyed. */
static void body_forever(struct st *st)
{
	st->ret = wpool_strand_try_submit(&st->task);
}

/* At capacity 1, a strand that never ends leaves the worker to others between its tasks. */
static void wpool_strand_busy_for_ever_lets_others_run(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 2);
	int i;

	for (i = 0; i < 2; i++)
		st[i].body = body_forever;
	st_submit(test, st, 2);
	wpk_jobs_run(test, pool, jobs, 20);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st[0].ret, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, st[1].ret, -ESHUTDOWN);
}

/* ---- flush ---------------------------------------------------------------- */

static void wpool_strand_flush_ends_under_continuous_submission(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 4, 4), 8);
	struct st *st = st_tasks(test, of, wpk_gate(test), 3);
	struct wpk_thread *thread;

	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_submit(test, st, 2);
	thread = wpk_sleeper(test, wpk_do_strand_flush, NULL, NULL, &of->strand);
	/* the flush does not wait for a task that is submitted after its call */
	st_submit(test, &st[2], 1);
	wpk_gate_let(st->gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(st->gate, 2));
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_let(st->gate, 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 2);
	wpk_gate_open(st->gate);
	/* the task behind the mark of the flush runs */
	WPK_EVENTUALLY(test, atomic_read(&of->returned) == 3);
}

static void body_flushes_arg(struct st *st)
{
	st->ret = wpool_strand_flush(st->arg);
}

static void wpool_strand_flush_by_a_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, 4);
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *own = st_strand(test, pool, 8), *other = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, own, NULL, 2), *theirs = st_tasks(test, other, gate, 1);

	st[0].body = body_flushes_arg;
	st[0].arg = &own->strand;
	st[0].ret = 1;
	st[1].body = body_flushes_arg;
	st[1].arg = &other->strand;
	st[1].ret = 1;
	st_submit(test, theirs, 1);
	st_submit(test, st, 2);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&own->started) == 2);
	KUNIT_EXPECT_EQ(test, st[0].ret, -EDEADLK);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&own->strand), 0);
	KUNIT_EXPECT_EQ(test, st[1].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&theirs->runs), 1);
}

/* ---- many ----------------------------------------------------------------- */

/* An empty strand takes nothing but its own memory. */
static void wpool_strand_a_million_take_64_bytes_each(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpool_strand *strands;
	struct st_strand *of = st_strand(test, pool, 1);
	struct st *tasks = st_tasks(test, of, NULL, 2);
	u32 i, nr = NR_MANY;

	if (sizeof(raw_spinlock_t) == sizeof(u32))
		KUNIT_EXPECT_LE(test, sizeof(*strands), 64);
	else
		nr /= 100;
	strands = kvcalloc(nr, sizeof(*strands), GFP_KERNEL);
	wpk_need(test, strands, "no memory for a million of them");
	for (i = 0; i < nr; i++)
		wpool_strand_init(&strands[i], pool, 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), 0);
	for (i = 0; i < nr; i += nr / 2) {
		struct st *st = &tasks[i / (nr / 2)];

		wpool_strand_task_init(&st->task, &strands[i], st_fn, NULL);
		KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st->task), 0);
		KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&strands[i]), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 2);
	kvfree(strands);
}

WPK_SUITE(strand,
	  KUNIT_CASE(wpool_strand_tasks_that_sleep_run_one_at_a_time),
	  KUNIT_CASE(wpool_strands_run_side_by_side),
	  KUNIT_CASE(wpool_strand_try_submit_by_its_own_task_goes_behind_the_others),
	  KUNIT_CASE(wpool_strand_try_submit_bad_arguments_is_einval),
	  KUNIT_CASE(wpool_strand_takes_one_place_in_its_pool),
	  KUNIT_CASE(wpool_strand_try_submit_to_a_full_pool_stands_in_line),
	  KUNIT_CASE(wpool_strand_busy_for_ever_lets_others_run),
	  KUNIT_CASE(wpool_strand_flush_ends_under_continuous_submission),
	  KUNIT_CASE(wpool_strand_flush_by_a_task),
	  KUNIT_CASE_SLOW(wpool_strand_a_million_take_64_bytes_each));
