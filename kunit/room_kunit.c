// SPDX-License-Identifier: GPL-2.0
/*
 * A pool is closed while submitters wait for room in a group, or with a batch. They are refused or
 * accepted in the same way as submitters that wait for room in the pool.
 */
#include "full_pool.h"
#include "group.h"

#define NR_BATCH	100

/* A group with one place, which the first of four members has; the next two wait for room. */
static struct wpk_member *full_group(struct kunit *test, struct wpool *pool,
				     struct wpk_thread *waiters[2])
{
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 4);

	wpk_members_submit(test, members, 1);
	waiters[0] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[1]);
	waiters[1] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[2]);
	return members;
}

WPK_PARAM_BOOL(own, "WPOOL_RELEASE_OWN: %d");

/* Only WPOOL_RELEASE_OWN lets in those that wait. No other submitter may begin to wait. */
static void wpool_release_decides_on_those_who_wait_for_a_group(struct kunit *test)
{
	bool own = wpk_is_on(test);
	struct wpool *pool = wpk_pool(test, 2, 2);
	struct wpk_thread *waiters[2];
	struct wpk_member *members = full_group(test, pool, waiters);
	int i;

	KUNIT_EXPECT_EQ(test, wpool_release(pool, own ? WPOOL_RELEASE_OWN : WPOOL_RELEASE_DRAIN),
			0);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(&members[3]), -ESHUTDOWN);
	for (i = 0; i < 2 && !own; i++)
		WPK_EVENTUALLY(test, wpk_ended(waiters[i]));
	wpk_gate_open(members->gate);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, waiters[i]), own ? 0 : -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(members->group), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), own);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[2].runs), own);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[3].runs), 0);
}

/*
 * After WPOOL_RELEASE_OWN a submitter that waits for room in a group, and then for room in the
 * pool, is accepted.
 */
static void wpool_release_own_lets_a_group_task_into_the_line(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, wpk_gate(test));
	struct wpk_thread *waiter, *other;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_members_submit(test, members, 1);
	waiter = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[1]);
	/* @other takes the place in the pool that the first member leaves */
	other = wpk_nth_waiter(test, pool, &jobs->job[1], 1);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, members->gate, other), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->job[0].gate, waiter), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

static void wpool_release_own_lets_in_all_of_a_batch_that_waits(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, NR_BATCH, NULL);
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit_batch, full.pool, NULL, jobs);

	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, thread), NR_BATCH);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	wpk_jobs_ran_once(test, jobs);
}

/* A batch waits; one of its last tasks still runs at a gate: it is accepted to run again. */
static void wpool_release_own_lets_in_a_running_task_of_a_batch_that_waits(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, NR_BATCH, NULL);
	struct wpk_full full = wpk_fill(test, wpk_pool(test, 2, 0));
	struct wpk_job *running = &jobs->job[NR_BATCH - 40];
	struct wpk_thread *thread;

	running->gate = wpk_gate(test);
	KUNIT_ASSERT_EQ(test, wpool_submit(full.pool, &running->task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(running->gate, 1));
	thread = wpk_thread(test, wpk_do_submit_batch, full.pool, NULL, jobs);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_OWN), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, thread), NR_BATCH);
	wpk_gate_open(running->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&running->runs), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), NR_BATCH + 1);
}

WPK_SUITE(room,
	  KUNIT_CASE_PARAM(wpool_release_decides_on_those_who_wait_for_a_group, own_gen_params),
	  KUNIT_CASE(wpool_release_own_lets_a_group_task_into_the_line),
	  KUNIT_CASE(wpool_release_own_lets_in_all_of_a_batch_that_waits),
	  KUNIT_CASE(wpool_release_own_lets_in_a_running_task_of_a_batch_that_waits));
