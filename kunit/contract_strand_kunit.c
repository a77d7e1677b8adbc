// SPDX-License-Identifier: GPL-2.0
/*
 * The contract of strands and of groups: see contract.h. FULL: the strand or the group has room for
 * one task, and has one, which is queued behind the holder.
 */
#include <linux/err.h>

#include "contract.h"
#include "group.h"
#include "strand_tasks.h"

/* ---- strands -------------------------------------------------------------- */

static void call_in_strand_task(struct st *st)
{
	wpk_contract_in_object(st->arg);
}

static void make_strand_task(struct wpk_world *w)
{
	struct st_strand *of = st_strand(w->test, w->real, w->row->pool == FULL ? 1 : 8);
	struct st *st = st_tasks(w->test, of, NULL, 2);

	st[0].gate = w->object_gate;
	st[0].body = call_in_strand_task;
	st[0].arg = w;
	w->object = &st[0];
	if (w->row->object == WITHOUT_FUNC)
		wpool_strand_task_init(&st[0].task, &of->strand, NULL, NULL);
	if (w->row->pool == FULL && w->row->object != QUEUED)
		KUNIT_ASSERT_EQ(w->test, wpool_strand_try_submit(&st[1].task), 0);
}

static struct wpool_strand_task *strand_task(struct wpk_world *w)
{
	struct st *st = w->object;

	return &st->task;
}

static struct wpool_strand *strand_of(struct wpk_world *w)
{
	struct st *st = w->object;

	return &st->of->strand;
}

static int submit_strand_task(struct wpk_world *w)
{
	return wpool_strand_try_submit(strand_task(w));
}

static int runs_of_strand_task(struct wpk_world *w)
{
	struct st *st = w->object;

	KUNIT_EXPECT_FALSE(w->test, st->of->twice);
	return atomic_read(&st->runs);
}

static int status_of_strand_task(struct wpk_world *w)
{
	struct st *st = w->object;

	return st->status;
}

static const struct wpk_noun strand_noun = {
	.has_limit = true,
	.make = make_strand_task,
	.submit = submit_strand_task,
	.runs = runs_of_strand_task,
	.status = status_of_strand_task,
};

CALL(wpool_strand_try_submit, wpool_strand_try_submit(strand_task(w)))

/* Rows for tasks of strands and for tasks of groups. */
ENTRIES(every_turn,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 }, "accepted" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 }, "the task is still" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, -EINVAL, { }, "no pool, task or function" },
	{ IN_THREAD, DRAINS, UNUSED, -ESHUTDOWN, { }, "-ESHUTDOWN - the pool is closed" },
	{ IN_OWN_TASK, DRAINS, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, CANCELS, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, DESTROYING, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN" },
	{ IN_OWN_TASK, FOR_OWN, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "its tasks may submit more tasks to end the connections" });

ENTRIES(sleeping_turn,
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "first-in-first-out" },
	{ KILLED, FULL, UNUSED, -EINTR, { }, "-EINTR - the caller was killed while it waited" },
	{ IN_OWN_TASK, FULL, UNUSED, -EDEADLK, { },
	  "and the caller is one of the pool's own tasks" });

ENTRIES(signalled_turn,
	{ SIGNALLED, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "-EINTR - the caller was killed while it waited" });

ENTRIES(interrupted_turn,
	{ SIGNALLED, FULL, UNUSED, -EINTR, { }, "but any signal ends the wait" });

ENTRIES(trying_turn,
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "any except NMI, and not with scheduler locks held" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 } },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 }, "the task is still" },
	{ IN_SOFTIRQ, DRAINS, UNUSED, -ESHUTDOWN, { }, "-ESHUTDOWN - the pool is closed" },
	{ IN_HARDIRQ, DRAINS, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { }, "or other submitters already wait" },
	{ IN_OWN_TASK, FULL, UNUSED, -EAGAIN, { } },
	{ IN_SOFTIRQ, FULL, UNUSED, -EAGAIN, { } },
	{ IN_HARDIRQ, FULL, UNUSED, -EAGAIN, { } });

ENTRIES(strand_submit,
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .later = 1, .runs = 2 },
	  "submit it again, to run last in the strand" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, 0, { .submitted = 1, .runs = 2 } },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { }, "the strand is full" },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { }, "the strand is full", WPOOL_RUN },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { }, "the strand is full", WPOOL_FAIL },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { }, "the strand is full", WPOOL_DROP_OLDEST },
	{ IN_THREAD, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 }, "the task is queued already" },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, -EINVAL, { },
	  "the strand has no pool or no limit, or the task no function" });

CALL(wpool_strand_flush, wpool_strand_flush(strand_of(w)))

ENTRIES(strand_flush,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "wait for all tasks that were accepted before the call" },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FULL, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 },
	  "Accepted tasks run to their end" },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ KILLED, WITH_ROOM, QUEUED, -EINTR, { .runs = 1 }, "-EINTR if the caller was killed" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 },
	  "-EDEADLK if called by a task of the strand" },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED },
	  "have not started are aborted with -ECANCELED" });

CALL(wpool_strand_destroy, wpool_strand_destroy(strand_of(w)))

ENTRIES(strand_destroy,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "accept no more tasks, and wait for those accepted" },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FULL, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ KILLED, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "process context; sleeps, uninterruptibly. Not in an abort function." },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { }, "Its pool may be gone already." },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 },
	  "-EDEADLK if called by a task of the strand in its turn, and nothing was done" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 },
	  "Accepted tasks run to their end" },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED },
	  "have not started are aborted with -ECANCELED" });

NO_CONTRACT(wpool_strand_init, "it cannot fail, and the scene of each row begins with it");
NO_CONTRACT(wpool_strand_task_init, "it cannot fail, and the scene of each row begins with it");

/* ---- groups --------------------------------------------------------------- */

static void call_in_member(struct wpk_member *member)
{
	wpk_contract_in_object(member->arg);
}

static void make_member(struct wpk_world *w)
{
	struct wpool_group *group = wpk_group(w->test, w->real, w->row->pool == FULL ? 1 : 8);
	struct wpk_member *members = wpk_members(w->test, group, NULL, 2);

	members[0].gate = w->object_gate;
	members[0].body = call_in_member;
	members[0].arg = w;
	w->object = &members[0];
	if (w->row->object == WITHOUT_FUNC)
		wpool_group_task_init(&members[0].task, NULL, NULL);
	if (w->row->pool == FULL && w->row->object != QUEUED)
		KUNIT_ASSERT_EQ(w->test, wpk_member_try(&members[1]), 0);
}

static struct wpool_group *group_of(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return w->row->object == NONE ? NULL : member->group;
}

static int submit_member(struct wpk_world *w)
{
	return wpk_member_submit(w->object);
}

static int runs_of_member(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return atomic_read(&member->runs);
}

static int status_of_member(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return member->status;
}

static const struct wpk_noun group_noun = {
	.has_limit = true,
	.make = make_member,
	.submit = submit_member,
	.runs = runs_of_member,
	.status = status_of_member,
};

static long call_wpool_group_submit(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return wpool_group_submit(group_of(w), &member->task);
}

static long call_wpool_group_submit_interruptible(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return wpool_group_submit_interruptible(group_of(w), &member->task);
}

static long call_wpool_group_try_submit(struct wpk_world *w)
{
	struct wpk_member *member = w->object;

	return wpool_group_try_submit(group_of(w), &member->task);
}

ENTRIES(group_submit,
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { }, "no pool, task or function" },
	{ IN_THREAD, FULL, WAITING, -EALREADY, { .later = 1, .runs = 1 }, "or held by another" },
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "If the group is full, the submitter waits, killable, first-in-first-out.", WPOOL_RUN },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .submitted = 1, .runs = 2 },
	  "the function may free the task, or hand it to another thread" });

ENTRIES(group_try,
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { }, "no pool, task or function" },
	{ IN_THREAD, FULL, WAITING, -EALREADY, { .later = 1, .runs = 1 }, "or held by another" },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { },
	  "Never sleeps and never runs the task in the caller.", WPOOL_RUN },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .submitted = 1, .runs = 2 },
	  "the function may free the task, or hand it to another thread" });

CALL(wpool_group_wait, wpool_group_wait(group_of(w)))

ENTRIES(group_wait,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { }, "0 - every task returned 0" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true, .submitted = 1, .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ KILLED, WITH_ROOM, QUEUED, -EINTR, { .runs = 1 }, "-EINTR - the caller was killed" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EDEADLK, { .runs = 1 },
	  "-EDEADLK - called from one of the pool's own tasks" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { }, "no group, or it has no pool" },
	{ IN_THREAD, CANCELS, QUEUED, -ECANCELED, { .status = -ECANCELED },
	  "or the pool was closed with %WPOOL_RELEASE_CANCEL" });

static long call_wpool_group_cancel(struct wpk_world *w)
{
	wpool_group_cancel(group_of(w));
	return 0;
}

ENTRIES(group_cancel,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .status = -ECANCELED },
	  "make sure that the tasks of a group that have not started do not run" },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .runs = 1 }, "Running tasks are not interrupted" },
	{ IN_THREAD, FULL, WAITING, 0, { },
	  "Submitters that wait for room in the group get -ECANCELED." },
	{ IN_THREAD, WITH_ROOM, NONE, 0, { }, "Takes the same time for any number of tasks." },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, 0, { .runs = 1 }, "Running tasks are not" });

CALL(wpool_group_exit, wpool_group_exit(group_of(w)))

ENTRIES(group_exit,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "Lets the tasks run to their end and waits for them" },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ KILLED, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "process context; sleeps, uninterruptibly" },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true },
	  "and so does every submitter that waits for room in the group" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EDEADLK, { .runs = 1 },
	  "-EDEADLK, with nothing done, if called from one of the pool's own tasks" },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, NONE, 0, { },
	  "the group; one that is all zeroes, or has ended, is allowed and ignored" },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED },
	  "or the pool was closed with %WPOOL_RELEASE_CANCEL" });

CALL(wpool_release_cancel, wpool_release(w->pool, WPOOL_RELEASE_CANCEL))

ENTRIES(release_cancel,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0,
	  { .cancelled = 1, .status = -ECANCELED, .state = IS_NOW(WPOOL_CLOSED) },
	  "or the pool was closed with %WPOOL_RELEASE_CANCEL" });

/* wpool_group_init() prepares a new group, not the group of the scene. */
static long call_wpool_group_init(struct wpk_world *w)
{
	struct wpool_group group;
	long ret = wpool_group_init(&group, w->pool, w->row->object == NONE ? 0 : 1, NULL);

	KUNIT_EXPECT_EQ(w->test, wpool_group_exit(&group), 0);
	return ret;
}

ENTRIES(group_init,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { }, "prepare a group" },
	{ IN_THREAD, DRAINS, UNUSED, 0, { } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { }, "or @max_outstanding is 0" },
	{ IN_OWN_TASK, WITH_ROOM, NONE, -EINVAL, { } },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "-EINVAL if there is no pool" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

NO_CONTRACT(wpool_group_act_for_me, "it takes its caller's mm and credentials: behalf_kunit.c");
NO_CONTRACT(wpool_group_task_init, "it cannot fail, and the scene of each row begins with it");

NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, strand_flush, strand_destroy, sleeping_turn,
	group_wait, group_exit);
NO_ROWS("they do not sleep", KILLED, trying_turn, group_cancel);
NO_ROWS("the case ends the group, and sleeps", IN_HARDIRQ, group_init);
NO_ROWS("the function must not submit its own task", ITSELF, group_submit, group_try);

#define STRAND(function, table) CONTRACT(function, table, &strand_noun)
#define GROUP(function, table) CONTRACT(function, table, &group_noun)
#define ANY(function, table) CONTRACT(function, table, &group_noun)

WPK_SUITE(contract_strand,
	  STRAND(wpool_strand_try_submit, every_turn),
	  STRAND(wpool_strand_try_submit, trying_turn),
	  STRAND(wpool_strand_try_submit, strand_submit),
	  STRAND(wpool_strand_flush, strand_flush),
	  STRAND(wpool_strand_destroy, strand_destroy),
	  ANY(wpool_group_init, group_init),
	  GROUP(wpool_group_submit, every_turn),
	  GROUP(wpool_group_submit, sleeping_turn),
	  GROUP(wpool_group_submit, signalled_turn),
	  GROUP(wpool_group_submit, group_submit),
	  GROUP(wpool_group_submit_interruptible, every_turn),
	  GROUP(wpool_group_submit_interruptible, sleeping_turn),
	  GROUP(wpool_group_submit_interruptible, interrupted_turn),
	  GROUP(wpool_group_submit_interruptible, group_submit),
	  GROUP(wpool_group_try_submit, every_turn),
	  GROUP(wpool_group_try_submit, trying_turn),
	  GROUP(wpool_group_try_submit, group_try),
	  GROUP(wpool_group_wait, group_wait),
	  GROUP(wpool_group_cancel, group_cancel),
	  GROUP(wpool_group_exit, group_exit),
	  GROUP(wpool_release_cancel, release_cancel));
