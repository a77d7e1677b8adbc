// SPDX-License-Identifier: GPL-2.0
/* How tasks of strands end with their strand or their pool. */
#include <linux/slab.h>

#include "strand_tasks.h"

/* ---- the end of a strand -------------------------------------------------- */

static int do_destroy_strand(struct wpk_thread *thread)
{
	return wpool_strand_destroy(thread->arg);
}

static void wpool_strand_destroy_waits_and_refuses(struct kunit *test)
{
	struct st_strand *of = st_strand(test, wpk_pool(test, 2, 0), 2);
	struct st *st = st_tasks(test, of, wpk_gate(test), 3);
	struct wpk_thread *thread;

	st_submit(test, st, 2);
	thread = wpk_thread(test, do_destroy_strand, NULL, NULL, &of->strand);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(of->strand.is_closed));
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[2].task), -ESHUTDOWN);
	wpk_waits_for(test, thread, st->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 2);
	st_ran_in_order(test, st, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 0);
	/* a destroyed strand may be initialised again */
	wpool_strand_init(&of->strand, of->strand.pool, 2);
	st_submit(test, &st[2], 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 1);
}

struct loner {
	struct wpool_strand_task task;
	atomic_t *freed;
};

static void loner_fn(struct wpool_strand_task *task)
{
	struct loner *loner = container_of(task, struct loner, task);
	atomic_t *freed = loner->freed;

	memset(loner, 0x5a, sizeof(*loner));
	kfree(loner);
	atomic_inc(freed);
}

static void wpool_strand_function_may_free_its_task(struct kunit *test)
{
	atomic_t *freed = wpk_alloc(test, sizeof(*freed));
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpool_strand *strand;
	struct loner *loner;
	int i, j;

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		strand = kmalloc(sizeof(*strand), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, strand);
		wpool_strand_init(strand, pool, 4);
		for (j = 0; j < 3; j++) {
			loner = kmalloc(sizeof(*loner), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, loner);
			loner->freed = freed;
			wpool_strand_task_init(&loner->task, strand, loner_fn, NULL);
			KUNIT_ASSERT_EQ(test, wpool_strand_try_submit(&loner->task), 0);
		}
		KUNIT_ASSERT_EQ(test, wpool_strand_destroy(strand), 0);
		memset(strand, 0x5a, sizeof(*strand));
		kfree(strand);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(freed), 3 * WPK_LIFETIME_ROUNDS);
}

/* ---- the end of the pool -------------------------------------------------- */

static void wpool_release_runs_what_strands_have_accepted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct st_strand *of[2] = { st_strand(test, pool, 8), st_strand(test, pool, 2) };
	struct st *st[2] = { st_tasks(test, of[0], NULL, 4), st_tasks(test, of[1], NULL, 2) };

	/* the first tasks of both strands wait for room */
	st_submit(test, st[0], 3);
	st_submit(test, st[1], 2);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_try_submit(&st[0][3].task), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	st_ran_in_order(test, st[0], 3);
	st_ran_in_order(test, st[1], 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0][3].runs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 6);
	/* the pool has lost no place */
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	st_submit(test, &st[0][3], 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of[0]->strand), 0);
	KUNIT_EXPECT_EQ(test, st[0][3].seq, 4);
}

static void wpool_release_unlimited_pool_runs_what_strands_have_accepted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, wpk_gate(test), 3);

	st_submit(test, st, 3);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	wpk_gate_open(st->gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	st_ran_in_order(test, st, 3);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	/* with a limit, the count of free places must be right */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 5), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
}

static void wpool_release_cancel_aborts_what_has_not_started(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct st_strand *of[2] = { st_strand(test, pool, 8), st_strand(test, pool, 8) };
	struct st *st[2] = { st_tasks(test, of[0], gate, 3), st_tasks(test, of[1], NULL, 3) };
	int i, j;

	/* the first task of st[0] runs, the first task of st[1] is queued */
	st_submit(test, st[0], 3);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	st_submit(test, st[1], 3);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0][0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[0][0].aborts), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, of[i]->twice);
		for (j = !i; j < 3; j++) {
			KUNIT_EXPECT_EQ(test, atomic_read(&st[i][j].runs), 0);
			KUNIT_EXPECT_EQ(test, atomic_read(&st[i][j].aborts), 1);
			KUNIT_EXPECT_EQ(test, st[i][j].status, -ECANCELED);
		}
	}
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	st_submit(test, st[1], 3);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of[1]->strand), 0);
	st_ran_in_order(test, st[1], 3);
	/* the place of the last turn may become free a moment later */
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 3);
}

static void wpool_destroy_waits_for_strands(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, wpk_gate(test), 3);
	struct wpk_thread *thread;

	st_submit(test, st, 3);
	thread = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, state) == WPOOL_DESTROYED);
	wpk_waits_for(test, thread, st->gate);
	wpk_forget(test, pool);
	st_ran_in_order(test, st, 3);
	/* these calls need no pool */
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
}

WPK_SUITE(strand_end,
	  KUNIT_CASE(wpool_strand_destroy_waits_and_refuses),
	  KUNIT_CASE_SLOW(wpool_strand_function_may_free_its_task),
	  KUNIT_CASE(wpool_release_runs_what_strands_have_accepted),
	  KUNIT_CASE(wpool_release_unlimited_pool_runs_what_strands_have_accepted),
	  KUNIT_CASE(wpool_release_cancel_aborts_what_has_not_started),
	  KUNIT_CASE(wpool_destroy_waits_for_strands));
