/* SPDX-License-Identifier: GPL-2.0 */
/* Members: tasks of a group that record their runs, for the suites of struct wpool_group. */
#ifndef WPOOL_KUNIT_GROUP_H
#define WPOOL_KUNIT_GROUP_H

#include <linux/wpool_group.h>

#include "fixture.h"

/**
 * struct wpk_member - a task of a group that records its runs
 * @task: the task
 * @group: its group
 * @gate: where its function waits, or NULL
 * @body: what its function does after the gate, or NULL
 * @arg: for @body
 * @ret: what its function returns
 * @runs: how often its function started
 * @aborts: how often its abort function was called
 * @status: the status that the abort function got, or a result of @body
 */
struct wpk_member {
	struct wpool_group_task task;
	struct wpool_group *group;
	struct wpk_gate *gate;
	void (*body)(struct wpk_member *member);
	void *arg;
	int ret;
	atomic_t runs;
	atomic_t aborts;
	int status;
};

static inline int wpk_member_fn(struct wpool_group_task *task)
{
	struct wpk_member *member = container_of(task, struct wpk_member, task);
	int ret;

	atomic_inc(&member->runs);
	if (member->gate)
		wpk_gate_pass(member->gate);
	ret = member->ret;
	/* @body may free the member: touch nothing of it afterwards */
	if (member->body)
		member->body(member);
	return ret;
}

static inline void wpk_member_abort(struct wpool_group_task *task, int status)
{
	struct wpk_member *member = container_of(task, struct wpk_member, task);

	member->status = status;
	atomic_inc(&member->aborts);
}

/* End a group that a case has not ended; the group's pool may be destroyed by then. */
static inline void wpk_group_exit(void *group)
{
	wpool_group_exit(group);
}

static inline struct wpool_group *wpk_group(struct kunit *test, struct wpool *pool, u32 max)
{
	struct wpool_group *group = wpk_alloc(test, sizeof(*group));

	KUNIT_ASSERT_EQ(test, wpool_group_init(group, pool, max, NULL), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, wpk_group_exit, group), 0);
	return group;
}

static inline struct wpk_member *wpk_members(struct kunit *test, struct wpool_group *group,
					     struct wpk_gate *gate, int nr)
{
	struct wpk_member *members = wpk_alloc(test, nr * sizeof(*members));
	int i;

	for (i = 0; i < nr; i++) {
		wpool_group_task_init(&members[i].task, wpk_member_fn, wpk_member_abort);
		members[i].group = group;
		members[i].gate = gate;
	}
	return members;
}

static inline int wpk_member_submit(struct wpk_member *member)
{
	return wpool_group_submit(member->group, &member->task);
}

static inline int wpk_member_try(struct wpk_member *member)
{
	return wpool_group_try_submit(member->group, &member->task);
}

/* Functions for wpk_thread(), whose argument is a member or a group. */
static inline int wpk_do_group_submit(struct wpk_thread *thread)
{
	return wpk_member_submit(thread->arg);
}

static inline int wpk_do_group_wait(struct wpk_thread *thread)
{
	return wpool_group_wait(thread->arg);
}

static inline int wpk_do_group_exit(struct wpk_thread *thread)
{
	return wpool_group_exit(thread->arg);
}

/* Submit members; all must be accepted. */
static inline void wpk_members_submit(struct kunit *test, struct wpk_member *members, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, wpk_member_submit(&members[i]), 0);
}

/*
 * Submit the other members when the first one is at its gate in a worker. Otherwise another member
 * could start first, since this thread may change its CPU between two submits.
 */
static inline void wpk_members_submit_behind_first(struct kunit *test,
						   struct wpk_member *members, int nr)
{
	wpk_members_submit(test, members, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(members->gate, 1));
	wpk_members_submit(test, &members[1], nr - 1);
}

#endif /* WPOOL_KUNIT_GROUP_H */
