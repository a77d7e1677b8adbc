// SPDX-License-Identifier: GPL-2.0
/* Tasks of strands with a parallel part: the parts run side by side, the turns in order. */
#include "strand_tasks.h"

#define NR_TASKS	5

static void part_fn(struct wpool_strand_task *task)
{
	struct st *st = st_of(task);

	if (st->part_gate)
		wpk_gate_pass(st->part_gate);
	atomic_inc(&st->parts);
}

static struct st *part_tasks(struct kunit *test, struct st_strand *of, int nr)
{
	struct st *st = st_tasks(test, of, NULL, nr);
	int i;

	for (i = 0; i < nr; i++)
		wpool_strand_task_set_parallel(&st[i].task, part_fn);
	return st;
}

static void expect_parts(struct kunit *test, struct st *st, int nr, int parts)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].parts), parts);
}

/*
 * The parallel parts of all tasks run at once, and the turns come in order, even if the last task
 * is the first to end its part.
 */
static void wpool_strand_parts_run_side_by_side_and_turns_in_order(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, NR_TASKS, 0);
	struct st_strand *of = st_strand(test, pool, NR_TASKS);
	struct st *st = part_tasks(test, of, NR_TASKS);
	struct wpk_gate *gates[NR_TASKS];
	int i;

	for (i = 0; i < NR_TASKS; i++) {
		gates[i] = wpk_gate(test);
		st[i].part_gate = gates[i];
	}
	st_submit(test, st, NR_TASKS);
	for (i = 0; i < NR_TASKS; i++)
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gates[i], 1));
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[0].task), -EALREADY);
	for (i = NR_TASKS - 1; i > 0; i--) {
		wpk_gate_open(gates[i]);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&st[i].parts) == 1);
		/* the task gives back its place in the pool, but not its place in the strand */
		WPK_EVENTUALLY(test, wpk_stat(pool, outstanding) == i);
		KUNIT_EXPECT_EQ(test, READ_ONCE(of->strand.nr), NR_TASKS);
		KUNIT_EXPECT_EQ(test, atomic_read(&of->started), 0);
	}
	wpk_gate_open(gates[0]);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_ran_in_order(test, st, NR_TASKS);
	expect_parts(test, st, NR_TASKS, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
}

/* Tasks with and without a parallel part keep their order. They alternate, in one worker. */
static void wpool_strand_parts_among_plain_tasks_keep_the_order(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), NR_TASKS);
	struct st *st = part_tasks(test, of, NR_TASKS);
	int i;

	st[0].part_gate = gate;
	for (i = 1; i < NR_TASKS; i += 2)
		wpool_strand_task_set_parallel(&st[i].task, NULL);
	st_submit(test, st, NR_TASKS);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_ran_in_order(test, st, NR_TASKS);
	for (i = 0; i < NR_TASKS; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].parts), !(i & 1));
}

static void body_resubmits(struct st *st)
{
	st->ret = wpool_strand_try_submit(&st->task);
}

/* A task in its turn refuses a submit, because its part could start at once beside the turn. */
static void wpool_strand_try_submit_in_the_own_turn_is_ealready(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 2, 0), NR_TASKS);
	struct st *st = part_tasks(test, of, 1);

	st->body = body_resubmits;
	st_submit(test, st, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st->ret, -EALREADY);
	st_submit(test, st, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->parts), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->runs), 2);
}

/* In the first turn, submit a new task at this address; wait for its part. */
static void body_submits_anew(struct st *st)
{
	if (atomic_read(&st->runs) > 1)
		return;
	wpool_strand_task_init(&st->task, &st->of->strand, st_fn, st_abort);
	wpool_strand_task_set_parallel(&st->task, part_fn);
	st->ret = wpool_strand_try_submit(&st->task);
	/* the part of the new task ends before this turn does */
	if (!st->ret && !wpk_eventually(atomic_read(&st->parts) == 2))
		st->ret = -ETIMEDOUT;
}

static void wpool_strand_try_submit_of_a_new_task_at_the_same_address(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 2, 0), NR_TASKS);
	struct st *st = part_tasks(test, of, 1);

	st->body = body_submits_anew;
	st_submit(test, st, 1);
	WPK_EVENTUALLY(test, st->ret || atomic_read(&st->runs) == 2);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st->ret, 0);
	KUNIT_EXPECT_FALSE(test, of->twice);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->parts), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->runs), 2);
	KUNIT_EXPECT_EQ(test, of->strand.nr, 0);
}

static u64 runs_of(struct wpool_cost *costs, int nr, void *func)
{
	while (nr--)
		if (costs[nr].func == func)
			return costs[nr].runs;
	return 0;
}

/* A part counts as a run of its function, and a turn as a run of the turn's function. */
static void wpool_get_costs_of_parts_and_turns(struct kunit *test)
{
	struct wpool_cost costs[4];
	int nr;
	struct wpool *pool = wpk_pool_with(test, 2, 8, attrs.latency = true);
	struct st_strand *of = st_strand(test, pool, NR_TASKS);
	struct st *st = part_tasks(test, of, NR_TASKS);

	st_submit(test, st, NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	nr = wpool_get_costs(pool, costs, ARRAY_SIZE(costs));
	KUNIT_ASSERT_GT(test, nr, 0);
	KUNIT_EXPECT_EQ(test, runs_of(costs, nr, part_fn), NR_TASKS);
	KUNIT_EXPECT_EQ(test, runs_of(costs, nr, st_fn), NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2 * NR_TASKS);
}

/*
 * After a release that cancels, each task with a parallel part has a turn: a call of its function
 * or of its abort function. At the release, one task is in its part, two have ended their parts,
 * one is queued in the pool, and one waits for room.
 */
static void wpool_release_cancel_aborts_parts_in_their_turns(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 1);
	struct st_strand *of = st_strand(test, pool, NR_TASKS);
	struct wpk_gate *gate = wpk_gate(test), *last = wpk_gate(test);
	struct st *st = part_tasks(test, of, NR_TASKS);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, last);
	int i;

	st[0].part_gate = gate;
	st_submit(test, st, 3);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&st[2].parts) == 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, outstanding) == 1);
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	st_submit(test, &st[3], 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 1);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[3].aborts) + atomic_read(&st[4].aborts), 0);
	wpk_gate_open(gate);
	wpk_gate_open(last);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_FALSE(test, of->twice);
	for (i = 0; i < NR_TASKS; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].parts), i < 3);
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].runs) + atomic_read(&st[i].aborts), 1);
		KUNIT_EXPECT_EQ(test, st[i].status, atomic_read(&st[i].runs) ? 0 : -ECANCELED);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&st[3].aborts) + atomic_read(&st[4].aborts), 2);
	KUNIT_EXPECT_EQ(test, of->strand.nr, 0);
	/* no place in the pool or in the strand was lost */
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	st_submit(test, st, NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
}

WPK_SUITE(strand_parallel,
	  KUNIT_CASE(wpool_strand_parts_run_side_by_side_and_turns_in_order),
	  KUNIT_CASE(wpool_strand_parts_among_plain_tasks_keep_the_order),
	  KUNIT_CASE(wpool_strand_try_submit_in_the_own_turn_is_ealready),
	  KUNIT_CASE(wpool_strand_try_submit_of_a_new_task_at_the_same_address),
	  KUNIT_CASE(wpool_get_costs_of_parts_and_turns),
	  KUNIT_CASE(wpool_release_cancel_aborts_parts_in_their_turns));
