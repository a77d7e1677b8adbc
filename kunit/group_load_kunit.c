// SPDX-License-Identifier: GPL-2.0
/*
 * Groups under load: no task is lost, no memory is touched after it was freed, and the bound holds.
 */
#include <linux/slab.h>

#include "group.h"

#define NR_SHORT	4	/* members of a group that is soon ended */
#define NR_OWN		6	/* members of each submitter */
#define BOUND		3

struct life {
	struct wpool_group group;
	struct wpk_member members[NR_SHORT];
};

/* When wpool_group_exit() has returned, the memory of the group and its tasks may be freed. */
static void wpool_group_exit_memory_may_be_freed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 2);
	struct life *life;
	unsigned int i, n;

	for (i = 0; i < WPK_LIFETIME_ROUNDS && wpk_has_time(test); i++) {
		life = kzalloc(sizeof(*life), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, life);
		KUNIT_ASSERT_EQ(test, wpool_group_init(&life->group, pool, 1 + i % NR_SHORT,
						       NULL), 0);
		for (n = 0; n < NR_SHORT; n++) {
			wpool_group_task_init(&life->members[n].task, wpk_member_fn,
					      wpk_member_abort);
			KUNIT_EXPECT_EQ(test, wpool_group_submit(&life->group,
								 &life->members[n].task), 0);
		}
		if (i % 3 == 0)
			wpool_group_cancel(&life->group);
		if (i % 2)
			KUNIT_EXPECT_EQ(test, wpool_group_wait(&life->group), life->group.error);
		KUNIT_EXPECT_EQ(test, wpool_group_exit(&life->group), 0);
		for (n = 0; n < NR_SHORT; n++)
			KUNIT_EXPECT_EQ(test, atomic_read(&life->members[n].runs) +
					atomic_read(&life->members[n].aborts), 1);
		memset(life, 0x5a, sizeof(*life));
		kfree(life);
	}
}

/* A task that its function or its abort function frees. */
struct loner {
	struct wpool_group_task task;
	atomic_t *gone;
};

static int loner_fn(struct wpool_group_task *task)
{
	struct loner *loner = container_of(task, struct loner, task);
	atomic_t *gone = loner->gone;

	memset(loner, 0x5a, sizeof(*loner));
	kfree(loner);
	atomic_inc(gone);
	return 0;
}

static void loner_abort(struct wpool_group_task *task, int status)
{
	loner_fn(task);
}

static void wpool_group_task_may_free_itself(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 2, 6), 4);
	atomic_t *gone = wpk_alloc(test, sizeof(*gone));
	struct loner *loner;
	unsigned int i;

	for (i = 0; i < WPK_LIFETIME_ROUNDS && wpk_has_time(test); i++) {
		loner = kzalloc(sizeof(*loner), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, loner);
		wpool_group_task_init(&loner->task, loner_fn, loner_abort);
		loner->gone = gone;
		KUNIT_EXPECT_EQ(test, wpool_group_submit(group, &loner->task), 0);
		if (i % 8 == 7)
			wpool_group_cancel(group);
	}
	wpool_group_wait(group);
	KUNIT_EXPECT_EQ(test, atomic_read(gone), i);
}

/**
 * struct crowd - what the threads of a case share
 * @group: the group
 * @inside: functions that are running
 * @too_many: more functions were running than the bound allows
 * @accepted: submits that were accepted
 * @ended: functions and abort functions that have returned
 */
struct crowd {
	struct wpool_group *group;
	atomic_t inside;
	bool too_many;
	atomic_t accepted;
	atomic_t ended;
};

/* A member that is submitted again when it has ended. */
struct regular {
	struct wpool_group_task task;
	struct crowd *crowd;
	bool busy;
};

static void regular_end(struct regular *regular)
{
	atomic_inc(&regular->crowd->ended);
	/* the member may be submitted again; pairs with submit_lots() */
	smp_store_release(&regular->busy, false);
}

static int regular_fn(struct wpool_group_task *task)
{
	struct regular *regular = container_of(task, struct regular, task);
	struct crowd *crowd = regular->crowd;

	if (atomic_inc_return(&crowd->inside) > BOUND)
		crowd->too_many = true;
	cond_resched();
	atomic_dec(&crowd->inside);
	regular_end(regular);
	return 0;
}

static void regular_abort(struct wpool_group_task *task, int status)
{
	regular_end(container_of(task, struct regular, task));
}

static void try_regular(void *data)
{
	struct regular *regular = data;
	struct crowd *crowd = regular->crowd;

	if (wpool_group_try_submit(crowd->group, &regular->task))
		WRITE_ONCE(regular->busy, false);
	else
		atomic_inc(&crowd->accepted);
}

static void submit_regular(struct regular *regular)
{
	struct crowd *crowd = regular->crowd;

	if (wpool_group_submit(crowd->group, &regular->task))
		WRITE_ONCE(regular->busy, false);
	else
		atomic_inc(&crowd->accepted);
}

static int submit_lots(struct wpk_thread *thread)
{
	struct regular *regulars = thread->arg;
	unsigned int i;

	for (i = 0; i < WPK_LIMIT_TASKS && wpk_has_time(thread->test); i++) {
		struct regular *regular = &regulars[i % NR_OWN];

		/* pairs with regular_end() */
		while (smp_load_acquire(&regular->busy) && !wpk_stopped(thread->test))
			usleep_range(10, 50);
		regular->busy = true;
		if (i % 32 == 1)
			wpk_in_hardirq(try_regular, regular);
		else if (i % 4 == 1)
			try_regular(regular);
		else
			submit_regular(regular);
		if (i % 64 == 63)
			wpool_group_cancel(regular->crowd->group);
	}
	return 0;
}

static int wait_lots(struct wpk_thread *thread)
{
	struct crowd *crowd = thread->arg;
	int err = 0;

	while (!wpk_stopped(thread->test) && (!err || err == -ECANCELED))
		err = wpool_group_wait(crowd->group);
	return err;
}

static void wpool_group_under_load_loses_none(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, 4);
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));
	struct wpk_thread *threads[3], *waiter;
	struct regular *regulars;
	int i;

	crowd->group = wpk_group(test, pool, BOUND);
	regulars = wpk_alloc(test, ARRAY_SIZE(threads) * NR_OWN * sizeof(*regulars));
	for (i = 0; i < ARRAY_SIZE(threads) * NR_OWN; i++) {
		regulars[i].crowd = crowd;
		wpool_group_task_init(&regulars[i].task, regular_fn, regular_abort);
	}
	waiter = wpk_thread(test, wait_lots, NULL, NULL, crowd);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = wpk_thread(test, submit_lots, NULL, NULL, &regulars[i * NR_OWN]);
	wpk_join_all(test, threads, ARRAY_SIZE(threads));
	wpk_stop(test);
	i = wpk_join(test, waiter);
	KUNIT_EXPECT_TRUE(test, !i || i == -ECANCELED);
	i = wpool_group_wait(crowd->group);
	KUNIT_EXPECT_TRUE(test, !i || i == -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->ended), atomic_read(&crowd->accepted));
	KUNIT_EXPECT_FALSE(test, crowd->too_many);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 8);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), atomic_read(&crowd->accepted));
}

WPK_SUITE(group_load,
	  KUNIT_CASE_SLOW(wpool_group_exit_memory_may_be_freed),
	  KUNIT_CASE_SLOW(wpool_group_task_may_free_itself),
	  KUNIT_CASE_SLOW(wpool_group_under_load_loses_none));
