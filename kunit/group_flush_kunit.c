// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: flush, which waits for what was before it, and cancel, which the tasks see
 * that have not started.
 */
#include <linux/slab.h>
#include <linux/wpool_group.h>

#include "group.h"

/* ---- flush ---------------------------------------------------------------- */

static void wpool_group_flush_waits_for_what_was_before(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 3, 0), WPOOL_UNLIMITED);
	struct wpk_member *members = wpk_members(test, group, NULL, 3);
	struct wpk_thread *flushers[3], *killed;
	int i;

	KUNIT_EXPECT_EQ(test, wpool_group_flush(group), 0);
	for (i = 0; i < 3; i++) {
		members[i].gate = wpk_gate(test);
		wpk_members_submit(test, &members[i], 1);
		killed = wpk_sleeper(test, wpk_do_group_flush, group);
		wpk_kill(killed);
		KUNIT_EXPECT_EQ(test, wpk_join(test, killed), -EINTR);
		flushers[i] = wpk_sleeper(test, wpk_do_group_flush, group);
	}
	/* The last ones first: not to be mistaken for the others. */
	for (i = 2; i > 0; i--) {
		wpk_gate_open(members[i].gate);
		WPK_EVENTUALLY(test, wpool_group_outstanding(group) == i);
	}
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, wpk_ended(flushers[i]));
	wpk_gate_open(members[0].gate);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, flushers[i]), 0);
}

static void wpool_group_flush_does_not_wait_for_later_tasks(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 2, 0), WPOOL_UNLIMITED);
	struct wpk_gate *before = wpk_gate(test), *after = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, before, 2);
	struct wpk_thread *flusher;

	members[1].gate = after;
	wpk_members_submit(test, members, 1);
	flusher = wpk_sleeper(test, wpk_do_group_flush, group);
	wpk_members_submit(test, &members[1], 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(after, 1));
	KUNIT_EXPECT_FALSE(test, wpk_ended(flusher));
	wpk_gate_open(before);
	KUNIT_EXPECT_EQ(test, wpk_join(test, flusher), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 1);
}

struct chain {
	struct wpk_member *members;
	struct kunit *test;
	atomic_t submitted;
	atomic_t started;
};

/* Two tasks that submit each other: the group is never empty. */
static void submit_the_other(struct wpk_member *member)
{
	struct chain *chain = member->arg;
	struct wpk_member *other = &chain->members[member == chain->members];

	atomic_inc(&chain->started);
	if (wpk_stopped(chain->test))
		return;
	other->status = wpk_member_try(other);
	atomic_inc(&chain->submitted);
}

static void wpool_group_flush_ends_while_tasks_submit_each_other(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 2, 2), WPOOL_UNLIMITED);
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);
	int i, submitted;

	KUNIT_ASSERT_NOT_NULL(test, chain);
	chain->test = test;
	chain->members = wpk_members(test, group, NULL, 2);
	for (i = 0; i < 2; i++) {
		chain->members[i].body = submit_the_other;
		chain->members[i].arg = chain;
	}
	wpk_members_submit(test, chain->members, 1);
	atomic_inc(&chain->submitted);
	for (i = 0; i < 20; i++) {
		submitted = atomic_read(&chain->submitted);
		KUNIT_ASSERT_EQ(test, wpool_group_flush(group), 0);
		KUNIT_EXPECT_GE(test, atomic_read(&chain->started), submitted);
	}
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, chain->members[0].status, 0);
	KUNIT_EXPECT_EQ(test, chain->members[1].status, 0);
}

/* ---- cancel --------------------------------------------------------------- */

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
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, gate, 13);
	struct wpk_member *others = wpk_members(test, other, gate, 1);
	struct wpk_thread *threads[2];
	int i;

	members[0].body = ask;
	wpk_members_submit_behind_first(test, members, 11);
	wpk_members_submit(test, others, 1);
	threads[0] = wpk_sleeper(test, wpk_do_group_submit, &members[11]);
	threads[1] = wpk_sleeper(test, wpk_do_group_submit, &members[12]);
	wpk_in_hardirq(cancel_it, group);
	/* Those that wait for room are sent away before there is any. */
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 11);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(&members[1]), -EALREADY);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].aborts), 0);
	/* The one that ran could ask. */
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
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, gate, 3);

	wpk_members_submit_behind_first(test, members, 2);
	wpool_group_cancel(group);
	members[2].body = ask;
	members[2].status = -1;
	wpk_members_submit(test, &members[2], 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[2].runs), 1);
	KUNIT_EXPECT_EQ(test, members[2].status, 0);
	/* One that was cancelled, too. */
	wpk_members_submit(test, &members[1], 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

static void wpool_release_cancel_aborts_tasks_of_a_group(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 8);
	struct wpool_group *group = wpk_group(test, pool, 8);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, gate, 4);
	int i;

	wpk_members_submit_behind_first(test, members, 4);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	WPK_EVENTUALLY(test, wpool_group_outstanding(group) == 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&members[i].runs), !i);
		KUNIT_EXPECT_EQ(test, atomic_read(&members[i].aborts), !!i);
	}
}

static struct kunit_case group_flush_cases[] = {
	KUNIT_CASE(wpool_group_flush_waits_for_what_was_before),
	KUNIT_CASE(wpool_group_flush_does_not_wait_for_later_tasks),
	KUNIT_CASE(wpool_group_flush_ends_while_tasks_submit_each_other),
	KUNIT_CASE(wpool_group_cancel_tasks_do_not_start),
	KUNIT_CASE(wpool_group_cancel_later_tasks_run),
	KUNIT_CASE(wpool_release_cancel_aborts_tasks_of_a_group),
	{}
};

static struct kunit_suite group_flush_suite = {
	.name = "wpool_group_flush",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = group_flush_cases,
};

kunit_test_suite(group_flush_suite);
