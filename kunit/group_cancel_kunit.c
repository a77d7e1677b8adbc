// SPDX-License-Identifier: GPL-2.0
/* Groups: a cancel, which stops all tasks that have not started. */
#include "group.h"

static void cancel_it(void *data)
{
	wpool_group_cancel(data);
}

static void ask(struct wpk_member *member)
{
	member->status = wpool_group_task_is_cancelled(&member->task);
}

static void wpool_group_cancel_tasks_do_not_start(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 20);
	struct wpool_group *group = wpk_group(test, pool, 11);
	struct wpool_group *other = wpk_group(test, pool, 11);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 13);
	struct wpk_member *others = wpk_members(test, other, members->gate, 1);
	struct wpk_thread *threads[2];
	int i;

	members[0].body = ask;
	wpk_members_submit_behind_first(test, members, 11);
	wpk_members_submit(test, others, 1);
	threads[0] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[11]);
	threads[1] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[12]);
	wpk_in_hardirq(cancel_it, group);
	/* submitters that wait for room are refused at once */
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 11);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(&members[1]), -EALREADY);
	wpk_gate_open(members->gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].aborts), 0);
	/* The task that ran could see the cancel. */
	KUNIT_EXPECT_TRUE(test, members[0].status);
	for (i = 1; i < 13; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&members[i].runs), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&members[i].aborts), i < 11);
		KUNIT_EXPECT_EQ(test, members[i].status, i < 11 ? -ECANCELED : 0);
	}
	KUNIT_EXPECT_EQ(test, wpool_group_wait(other), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&others->runs), 1);
}

static void wpool_group_cancel_later_tasks_run(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 1, 8), 8);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 3);

	wpk_members_submit_behind_first(test, members, 2);
	wpool_group_cancel(group);
	members[2].body = ask;
	members[2].status = -1;
	wpk_members_submit(test, &members[2], 1);
	wpk_gate_open(members->gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[2].runs), 1);
	KUNIT_EXPECT_EQ(test, members[2].status, 0);
	/* A cancelled task may be submitted again, too. */
	wpk_members_submit(test, &members[1], 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

WPK_SUITE(group_cancel,
	  KUNIT_CASE(wpool_group_cancel_tasks_do_not_start),
	  KUNIT_CASE(wpool_group_cancel_later_tasks_run));
