// SPDX-License-Identifier: GPL-2.0
/* How tasks of strands are cancelled. */
#include <linux/wpool_strand.h>

#include "strand_tasks.h"

#define NR_RESUBMITS	200

/* ---- cancel --------------------------------------------------------------- */

static void wpool_strand_cancel_waiting_task_does_not_run(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 3);
	struct st *st = st_tasks(test, of, gate, 4);

	KUNIT_EXPECT_FALSE(test, wpool_strand_cancel(&st[1].task));
	st_submit(test, st, 3);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_FALSE(test, wpool_strand_cancel(&st[0].task));
	KUNIT_EXPECT_TRUE(test, wpool_strand_cancel(&st[1].task));
	KUNIT_EXPECT_FALSE(test, wpool_strand_cancel(&st[1].task));
	/* its room is free, and it is the caller's again */
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[3].task), -EAGAIN);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st[0].seq, 1);
	KUNIT_EXPECT_EQ(test, st[2].seq, 2);
	KUNIT_EXPECT_EQ(test, st[1].seq, 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 0);
}

static void cancel(void *data)
{
	struct st *st = data;

	st->ret = wpool_strand_cancel(&st->task);
}

/* The next one gets its place in the line. */
static void wpool_strand_cancel_in_line_leaves_it(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = st_full_pool(test, 0, gate);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 2);

	st_submit(test, st, 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 1);
	wpk_in_hardirq(cancel, &st[0]);
	KUNIT_EXPECT_EQ(test, st[0].ret, 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 1);
	wpk_in_hardirq(cancel, &st[1]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	st_submit(test, &st[1], 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
}

/* It keeps its place until its turn comes, where the next one goes on. */
static void wpool_strand_cancel_queued_in_the_pool_does_not_run(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = st_full_pool(test, 4, gate);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 2);

	st_submit(test, st, 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
	KUNIT_EXPECT_TRUE(test, wpool_strand_cancel(&st[0].task));
	KUNIT_EXPECT_FALSE(test, wpool_strand_cancel(&st[0].task));
	KUNIT_EXPECT_EQ(test, wpool_strand_submit(&st[0].task), -ECANCELED);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0].runs), 0);
	KUNIT_EXPECT_EQ(test, st[1].seq, 1);
	/* now it is the caller's */
	st_submit(test, st, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0].runs), 1);
}

static void wpool_strand_cancel_sends_the_submitter_away(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 1);
	struct st *st = st_tasks(test, of, gate, 2);
	struct wpk_thread *thread;

	st_submit(test, st, 1);
	thread = st_waiter(test, &st[1]);
	KUNIT_EXPECT_TRUE(test, wpool_strand_cancel(&st[1].task));
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_FALSE(test, wpool_strand_cancel(&st[1].task));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 0);
}

/* The room of the one that is taken back is for those that wait, at once. */
static void wpool_strand_cancel_queued_task_lets_a_submitter_in(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 2);
	struct st *st = st_tasks(test, of, gate, 4);
	struct wpk_thread *threads[2];
	int i;

	st_submit(test, st, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < 2; i++)
		threads[i] = st_waiter(test, &st[2 + i]);
	KUNIT_EXPECT_TRUE(test, wpool_strand_cancel(&st[1].task));
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), 0);
	/* it is full again */
	KUNIT_EXPECT_FALSE(test, wpk_ended(threads[1]));
	KUNIT_EXPECT_EQ(test, of->strand.nr, 2);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 0);
	KUNIT_EXPECT_EQ(test, st[2].seq, 2);
	KUNIT_EXPECT_EQ(test, st[3].seq, 3);
}

/* A closed pool gives that room to nobody. */
static void wpool_strand_cancel_after_release_refuses_submitters(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct st_strand *of = st_strand(test, pool, 2);
	struct st *st = st_tasks(test, of, gate, 3);
	struct wpk_thread *thread;

	st_submit(test, st, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = st_waiter(test, &st[2]);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_TRUE(test, wpool_strand_cancel(&st[1].task));
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ESHUTDOWN);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 1);
}

static int do_cancel_sync(struct wpk_thread *thread)
{
	struct st *st = thread->arg;

	return wpool_strand_cancel_sync(&st->task);
}

/* Not behind the task that holds the worker. */
static void wpool_strand_cancel_sync_queued_task_does_not_wait(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = st_full_pool(test, 1, gate);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 2);

	KUNIT_EXPECT_EQ(test, wpool_strand_cancel_sync(&st[0].task), 0);
	st_submit(test, st, 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
	KUNIT_EXPECT_EQ(test, wpool_strand_cancel_sync(&st[0].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 1);
	/* the next one is in the pool */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_cancel_sync(&st[1].task), 0);
}

static void wpool_strand_cancel_sync_waits_for_the_function(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 8);
	struct st *st = st_tasks(test, of, gate, 2);
	struct wpk_thread *thread;

	st_submit(test, st, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = wpk_thread(test, do_cancel_sync, NULL, NULL, &st[0]);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(st[0].task.nr_ending));
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[0].task), -ECANCELED);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_let(gate, 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	/* not for the one behind it */
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 1);
	wpk_gate_open(gate);
}

static void body_always_comes_back(struct st *st)
{
	st->ret = wpool_strand_try_submit(&st->task);
}

static void wpool_strand_cancel_sync_ends_one_that_always_comes_back(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 2, 0), 8);
	struct st *st = st_tasks(test, of, NULL, 1);
	int i, err, runs;

	st->body = body_always_comes_back;
	for (i = 0; i < NR_RESUBMITS; i++) {
		runs = atomic_read(&st->runs);
		st_submit(test, st, 1);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&st->runs) > runs);
		err = wpool_strand_cancel_sync(&st->task);
		KUNIT_ASSERT_TRUE(test, err == 0 || err == -ECANCELED);
		KUNIT_ASSERT_EQ(test, atomic_read(&of->inside), 0);
	}
	runs = atomic_read(&st->runs);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->runs), runs);
}

static void body_ends_itself(struct st *st)
{
	int *ret = st->arg;

	ret[0] = wpool_strand_cancel_sync(&st->task);
	ret[1] = wpool_strand_destroy(&st->of->strand);
}

static void wpool_strand_ended_by_its_own_task_is_edeadlk(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 8);
	struct st *st = st_tasks(test, of, NULL, 1);
	int *ret = kunit_kcalloc(test, 2, sizeof(*ret), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ret);
	st->body = body_ends_itself;
	st->arg = ret;
	st_submit(test, st, 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, ret[0], -EDEADLK);
	KUNIT_EXPECT_EQ(test, ret[1], -EDEADLK);
	/* and nothing was done */
	st->body = NULL;
	st_submit(test, st, 1);
}

static void body_cancels_arg(struct st *st)
{
	struct st *other = st->arg;

	st->ret = wpool_strand_cancel_sync(&other->task);
}

static void wpool_strand_cancel_sync_by_a_task_of_the_strand(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of = st_strand(test, wpk_pool(test, 1, 0), 8);
	struct st *st = st_tasks(test, of, gate, 3);

	st[0].body = body_cancels_arg;
	st[0].arg = &st[1];
	st_submit(test, st, 3);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st[0].ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].runs), 0);
	KUNIT_EXPECT_EQ(test, st[2].seq, 2);
}

static struct kunit_case strand_cancel_cases[] = {
	KUNIT_CASE(wpool_strand_cancel_waiting_task_does_not_run),
	KUNIT_CASE(wpool_strand_cancel_in_line_leaves_it),
	KUNIT_CASE(wpool_strand_cancel_queued_in_the_pool_does_not_run),
	KUNIT_CASE(wpool_strand_cancel_sends_the_submitter_away),
	KUNIT_CASE(wpool_strand_cancel_queued_task_lets_a_submitter_in),
	KUNIT_CASE(wpool_strand_cancel_after_release_refuses_submitters),
	KUNIT_CASE(wpool_strand_cancel_sync_queued_task_does_not_wait),
	KUNIT_CASE(wpool_strand_cancel_sync_waits_for_the_function),
	KUNIT_CASE_SLOW(wpool_strand_cancel_sync_ends_one_that_always_comes_back),
	KUNIT_CASE(wpool_strand_cancel_sync_by_a_task_of_the_strand),
	KUNIT_CASE(wpool_strand_ended_by_its_own_task_is_edeadlk),
	{}
};

static struct kunit_suite strand_cancel_suite = {
	.name = "wpool_strand_cancel",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = strand_cancel_cases,
};

kunit_test_suite(strand_cancel_suite);
