// SPDX-License-Identifier: GPL-2.0
/* Groups: the tasks of one client of a pool, see struct wpool_group. */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "full_pool.h"
#include "group.h"
#include "probe.h"

/* Submit a member whose function returns @ret. Returns the result of a wait for its group. */
static int run_one(struct kunit *test, struct wpk_member *member, int ret)
{
	member->ret = ret;
	wpk_members_submit(test, member, 1);
	return wpool_group_wait(member->group);
}

static void submit_next(struct wpk_member *member)
{
	wpk_member_try(member->arg);
}

static void wpool_group_wait_waits_for_tasks_of_tasks(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 2, 8), WPOOL_UNLIMITED);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 2);
	struct wpk_thread *waiters[2];

	members[0].body = submit_next;
	members[0].arg = &members[1];
	wpk_members_submit(test, members, 1);
	waiters[0] = wpk_sleeper(test, wpk_do_group_wait, NULL, NULL, group);
	waiters[1] = wpk_sleeper(test, wpk_do_group_wait, NULL, NULL, group);
	wpk_gate_let(members->gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(members->gate, 2));
	KUNIT_EXPECT_FALSE(test, wpk_ended(waiters[0]) || wpk_ended(waiters[1]));
	wpk_gate_open(members->gate);
	wpk_join_all(test, waiters, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

#define NR_SLEEPERS	20
/* WAKE_BATCH of module/client/group.c */
#define NR_WOKEN	16

struct wakes {
	struct task_struct *threads[NR_SLEEPERS];
	struct task_struct *worker;	/* runs the last task of the group */
	atomic_t nr;	/* how often @worker woke one of @threads */
};

static void note_worker(struct wpk_member *member)
{
	struct wakes *wakes = member->arg;

	WRITE_ONCE(wakes->worker, current);
}

static void note_wake(void *data, struct task_struct *thread)
{
	struct wakes *wakes = data;
	int i;

	for (i = 0; i < NR_SLEEPERS && READ_ONCE(wakes->worker) == current; i++)
		if (wakes->threads[i] == thread)
			atomic_inc(&wakes->nr);
}

/* The last task of a group wakes some of the threads that wait, and these wake the others. */
static void wpool_group_wait_wakes_the_next_ones_that_wait(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 1, 8), 1);
	struct wpk_member *member = wpk_members(test, group, wpk_gate(test), 1);
	struct wakes *wakes = wpk_alloc(test, sizeof(*wakes));
	struct wpk_thread *threads[NR_SLEEPERS];
	int i;

	member->body = note_worker;
	member->arg = wakes;
	wpk_members_submit(test, member, 1);
	for (i = 0; i < NR_SLEEPERS; i++) {
		threads[i] = wpk_sleeper(test, wpk_do_group_wait, NULL, NULL, group);
		wakes->threads[i] = threads[i]->task;
	}
	wpk_probe(test, "sched_waking", note_wake, wakes);
	wpk_gate_open(member->gate);
	wpk_join_all(test, threads, NR_SLEEPERS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wakes->nr), NR_WOKEN);
}

static void wpool_group_wait_returns_the_first_error(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 8);
	struct wpool_group *group = wpk_group(test, pool, 8);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);

	KUNIT_EXPECT_EQ(test, run_one(test, members, -EDOM), -EDOM);
	KUNIT_EXPECT_EQ(test, run_one(test, members, 0), -EDOM);
	KUNIT_EXPECT_EQ(test, run_one(test, members, -ENOSPC), -EDOM);
	/* after wpool_group_exit() and a new init, the group has no error */
	KUNIT_EXPECT_EQ(test, wpool_group_exit(group), 0);
	KUNIT_ASSERT_EQ(test, wpool_group_init(group, pool, 8, NULL), 0);
	KUNIT_EXPECT_EQ(test, run_one(test, members, 0), 0);
	/* -ECANCELED is kept until a task has failed with another error */
	members[0].gate = gate;
	wpk_members_submit_behind_first(test, members, 2);
	wpool_group_cancel(group);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, run_one(test, members, -ENOSPC), -ENOSPC);
	KUNIT_EXPECT_EQ(test, run_one(test, members, -EDOM), -ENOSPC);
}

/* Before a wait returns, each error of a task that ran is counted, not only the first. */
static void wpool_group_errors_are_counted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 8);
	struct wpool_group *group = wpk_group(test, pool, 8);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, NULL, 3);

	run_one(test, members, 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, errors), 0);
	run_one(test, members, -EDOM);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, errors), 1);
	run_one(test, members, -ENOSPC);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, errors), 2);
	/* One task fails after its group was cancelled, and two never run. */
	members[0].gate = gate;
	wpk_members_submit_behind_first(test, members, 3);
	wpool_group_cancel(group);
	wpk_gate_open(gate);
	wpool_group_wait(group);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, errors), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 1);
	/* a refused submit does not count as an error */
	wpool_release(pool, 0);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(members), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, errors), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 0);
}

static void note_order(struct wpk_member *member)
{
	member->status = atomic_inc_return(member->arg);
}

static void wpool_group_submit_waiters_are_served_in_order(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 4, 4), 1);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 7);
	struct wpk_thread *threads[7];
	atomic_t *order = wpk_alloc(test, sizeof(*order));
	int i;

	for (i = 0; i < 7; i++) {
		members[i].body = note_order;
		members[i].arg = order;
	}
	wpk_members_submit(test, members, 1);
	for (i = 1; i < 7; i++)
		threads[i] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[i]);
	/* A waiting submitter that is killed leaves no trace. */
	wpk_kill(threads[1]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), -EINTR);
	wpk_kill(threads[4]);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[4]), -EINTR);
	/* While submitters wait, a newcomer does not get the free place. */
	wpk_gate_let(members->gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(members->gate, 2));
	KUNIT_EXPECT_EQ(test, wpk_member_try(&members[1]), -EAGAIN);
	wpk_gate_open(members->gate);
	for (i = 2; i < 7; i++)
		if (i != 4)
			KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, members[0].status, 1);
	KUNIT_EXPECT_EQ(test, members[2].status, 2);
	KUNIT_EXPECT_EQ(test, members[3].status, 3);
	KUNIT_EXPECT_EQ(test, members[5].status, 4);
	KUNIT_EXPECT_EQ(test, members[6].status, 5);
	/* tasks whose submitters were killed can be submitted again */
	wpk_members_submit(test, &members[1], 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
}

/*
 * max_blocking sends away no submitter that has waited in its group, also if as many others wait in
 * the pool when it comes there.
 */
static void wpool_group_submit_after_a_wait_max_blocking_does_not_count(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test), *first = wpk_gate(test);
	struct wpool *pool = wpk_pool_with(test, 2, 0, attrs.max_blocking = 2);
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, gate);
	struct wpk_thread *threads[3];
	int i;

	members[0].gate = first;
	KUNIT_ASSERT_EQ(test, wpool_group_submit(group, &members[0].task), 0);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	for (i = 0; i < 2; i++)
		threads[i] = wpk_thread(test, wpk_do_submit, pool, &jobs->job[i + 1].task, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 2);
	threads[2] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[1]);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, MAX_BLOCKING, max_blocking, 1), 0);
	/* one of the two submitters gets the room, and then the group's comes beside the other */
	wpk_gate_open(first);
	WPK_EVENTUALLY(test, atomic_read(&jobs->started) == 2);
	WPK_EVENTUALLY(test, wpk_stat(pool, waiting) == 2);
	wpk_gate_open(gate);
	wpk_join_all(test, threads, 3);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

/*
 * No other thread gets the place in a group for which a waiting submitter was woken. The submitter
 * cannot take the place at once: the case keeps its CPU busy.
 */
static void wpool_group_try_submit_does_not_overtake_those_in_line(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members;
	struct wpk_thread *thread;
	struct wpool *pool;
	int err;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 4, 4, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	members = wpk_members(test, wpk_group(test, pool, 1), gate, 3);
	wpk_members_submit(test, members, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[1]);
	set_cpus_allowed_ptr(thread->task, cpumask_of(wpk_cpu(0)));
	wpk_move_to(wpk_cpu(0));
	preempt_disable();
	wpk_gate_let(gate, 1);
	/* less than what the kernel takes for a lockup */
	err = wpk_spin(3, !wpool_group_outstanding(members->group)) ?
	      wpk_member_try(&members[2]) : -EBUSY;
	preempt_enable();
	wpk_move_to(-1);
	KUNIT_EXPECT_EQ(test, err, -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(members->group), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
}

/* A submit that the pool refuses leaves no trace in the group. */
static void wpool_group_submit_full_pool_takes_no_place(struct kunit *test)
{
	struct wpk_thread *thread;
	struct wpk_full full = wpk_full_pool(test);
	struct wpool_group *group = wpk_group(test, full.pool, 1);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);

	KUNIT_EXPECT_EQ(test, wpk_member_try(members), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 0);
	thread = wpk_thread(test, wpk_do_group_submit, NULL, NULL, members);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	/* the task has its place in the group, and waits for one in the pool */
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 1);
	wpk_kill(thread);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -EINTR);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 0);
	thread = wpk_thread(test, wpk_do_group_submit, NULL, NULL, members);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, full.gate, thread), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_DRAIN), 0);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(members), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_member_try(members), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
}

static void wpool_group_exit_waits_and_sends_submitters_away(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 2, 2), 2);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 4);
	struct wpk_thread *threads[2], *ender;

	wpk_members_submit(test, members, 2);
	threads[0] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[2]);
	threads[1] = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[3]);
	ender = wpk_thread(test, wpk_do_group_exit, NULL, NULL, group);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[0]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_join(test, threads[1]), -ESHUTDOWN);
	/* until its last task has ended, the group refuses other tasks */
	KUNIT_EXPECT_EQ(test, wpk_member_try(&members[2]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(&members[3]), -ESHUTDOWN);
	wpk_gate_let(members->gate, 1);
	WPK_EVENTUALLY(test, wpool_group_outstanding(group) == 1);
	wpk_waits_for(test, ender, members->gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_group_exit(group), 0);
	KUNIT_EXPECT_EQ(test, wpk_member_submit(members), -EINVAL);
}

static void wpool_group_init_pins_the_module_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 10);
	struct wpool_group *group = wpk_group(test, pool, 10);
	struct wpk_member *members = wpk_members(test, group, wpk_gate(test), 4);
	int refs = module_refcount(THIS_MODULE);

	wpool_group_exit(group);
	KUNIT_ASSERT_EQ(test, wpool_group_init(group, pool, 10, THIS_MODULE), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 1);
	wpk_members_submit(test, members, 4);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 1);
	wpk_gate_open(members->gate);
	KUNIT_EXPECT_EQ(test, wpool_group_exit(group), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
}

/* ---- memory --------------------------------------------------------------- */

#define NR_SHORT	4	/* members of a group that is soon ended */

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

WPK_SUITE(group,
	  KUNIT_CASE(wpool_group_submit_after_a_wait_max_blocking_does_not_count),
	  KUNIT_CASE(wpool_group_wait_waits_for_tasks_of_tasks),
	  KUNIT_CASE(wpool_group_wait_wakes_the_next_ones_that_wait),
	  KUNIT_CASE(wpool_group_wait_returns_the_first_error),
	  KUNIT_CASE(wpool_group_errors_are_counted),
	  KUNIT_CASE(wpool_group_submit_waiters_are_served_in_order),
	  KUNIT_CASE(wpool_group_try_submit_does_not_overtake_those_in_line),
	  KUNIT_CASE(wpool_group_submit_full_pool_takes_no_place),
	  KUNIT_CASE(wpool_group_exit_waits_and_sends_submitters_away),
	  KUNIT_CASE(wpool_group_init_pins_the_module_once),
	  KUNIT_CASE_SLOW(wpool_group_exit_memory_may_be_freed),
	  KUNIT_CASE_SLOW(wpool_group_task_may_free_itself));
