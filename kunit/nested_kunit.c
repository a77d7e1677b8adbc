// SPDX-License-Identifier: GPL-2.0
/* A worker that waits for tasks of its pool runs them itself, one inside the other. */
#include <linux/debug_locks.h>
#include <linux/lockdep.h>

#include "one_cpu.h"

static void wait_deeper(struct wpk_job *job)
{
	wpk_run_next(job);
	/* no worker can run the next task: cancel it, so that the pool becomes empty */
	if (job->ret == -EDEADLK)
		wpool_task_cancel_sync(&job[1].task);
}

/* Without stack left, a waiting worker sleeps, and another worker continues the chain. */
static void wpool_task_wait_chain_deeper_than_a_stack(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 100, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 300, wpk_run_next, NULL);

	wpk_job_run(test, pool, &jobs->job[0]);
	wpk_no_errors(test, jobs);
	wpk_jobs_ran_once(test, jobs);
}

static const u32 capacities[] = { 1, 2 };

WPK_PARAM(capacity, capacities, "capacity %u");

/* With no stack left, a worker that waits for a task that no worker can run gets -EDEADLK. */
static void wpool_task_wait_nested_too_deep_is_edeadlk(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, *(const u32 *)test->param_value, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1000, wait_deeper, NULL);
	unsigned int i, told = 0, ran = 0;
	struct wpk_thread *waiter;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	waiter = wpk_thread(test, wpk_do_wait, pool, &jobs->job[0].task, NULL);
	KUNIT_ASSERT_EQ(test, wpk_join(test, waiter), 0);
	for (i = 0; i < jobs->nr; i++) {
		told += jobs->job[i].ret == -EDEADLK;
		ran += atomic_read(&jobs->job[i].runs);
	}
	/* all tasks ran, or one got -EDEADLK and the tasks after it did not run */
	KUNIT_EXPECT_EQ(test, ran == jobs->nr, told == 0);
	KUNIT_EXPECT_GT(test, ran, 8);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	wpk_job_run(test, pool, &jobs->job[jobs->nr - 1]);
}

/*
 * In a deadlock, a worker that waits for a queued task gets -EDEADLK, since only it can cancel the
 * task. Here the first of two workers waits for such a task, deep in its stack. The second waits
 * for a task of the first, whichever of the two waits last.
 */
static void wpool_task_wait_deadlock_is_told_to_the_one_that_can_act(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *last = wpk_jobs(test, 1, gate);
	struct wpk_jobs *chain = wpk_jobs_of(test, 1000, wait_deeper, NULL);
	unsigned int i, told = 0;

	wpk_jobs_body(last, wpk_wait_for_arg, &chain->job[0].task);
	wpk_jobs_hold(test, pool, last, 0, 1);
	wpk_jobs_submit(test, pool, chain, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(pool->workers.nr_awaiting) == 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&last->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, last->job[0].ret, 0);
	for (i = 0; i < chain->nr; i++)
		told += chain->job[i].ret == -EDEADLK;
	KUNIT_EXPECT_EQ(test, told, 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

#define NR_LEVELS 4

static void wait_and_count_locks(struct wpk_job *job)
{
	int level = job - job->jobs->job;

#ifdef CONFIG_LOCKDEP
	((int *)job->arg)[level] = lockdep_depth(current);
#endif
	if (level + 1 < NR_LEVELS)
		wpk_run_next(job);
}

/* Lockdep tracks 48 held locks of a thread, and tasks may nest deeper: nesting must add no lock. */
static void wpool_task_wait_nested_holds_no_more_locks(struct kunit *test)
{
	int *locks = wpk_alloc(test, NR_LEVELS * sizeof(*locks)), i;
	struct wpk_jobs *jobs = wpk_jobs_of(test, NR_LEVELS, wait_and_count_locks, locks);

	wpk_need(test, IS_ENABLED(CONFIG_LOCKDEP) && debug_locks, "no lockdep");
	wpk_job_run(test, wpk_pool(test, 1, NR_LEVELS), &jobs->job[0]);
	wpk_jobs_ran_once(test, jobs);
	KUNIT_EXPECT_GE(test, locks[0], 1);
	for (i = 1; i < NR_LEVELS; i++) {
		KUNIT_EXPECT_EQ(test, jobs->job[i].pid, jobs->job[0].pid);
		KUNIT_EXPECT_EQ(test, locks[i], locks[0]);
	}
}

/*
 * A worker that waits for a running task, which was submitted again, runs the second submit itself
 * once that is queued. The queued task is behind another one that lasts.
 */
static void wpool_task_wait_runs_a_task_that_is_queued_again(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test), *later = wpk_gate(test);
	struct wpk_jobs *inner = wpk_jobs(test, 1, gate), *outer = wpk_jobs(test, 1, NULL);
	struct wpk_jobs *between = wpk_jobs(test, 1, later);
	struct wpool *pool = wpk_pool(test, 2, 4);

	wpk_jobs_hold(test, pool, inner, 0, 1);
	wpk_jobs_body(outer, wpk_wait_for_arg, &inner->job[0].task);
	wpk_jobs_submit(test, pool, outer, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 2);
	wpk_jobs_submit(test, pool, between, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &inner->job[0].task), 0);
	wpk_gate_open(gate);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(later, 1));
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(outer, 1));
	KUNIT_EXPECT_EQ(test, outer->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner->finished), 2);
}

struct again {
	struct wpool_task task;
	struct wpool *pool;
	int runs;
	int ret;
};

static void submit_once_more(struct wpool_task *task)
{
	struct again *again = container_of(task, struct again, task);

	if (!again->runs++)
		again->ret = wpool_try_submit(again->pool, task);
}

/* @job->arg: the task to wait for; NULL: a task on the stack of the waiter */
static void wait_for_again(struct wpk_job *job)
{
	struct again on_stack = { .pool = job->task.pool }, *again = job->arg ?: &on_stack;

	wpool_task_init(&again->task, submit_once_more);
	job->ret = wpool_submit(again->pool, &again->task) ?: wpool_task_wait(&again->task);
	wpool_task_destroy_on_stack(&again->task);
	if (!job->ret)
		job->ret = again->ret ?: again->runs;
}

/*
 * A nested task that lies on its waiter's stack accepts no submit while it runs: if the worker
 * died, no thread could find that submit. Any other running task accepts one, and runs twice.
 */
static void wpool_try_submit_of_a_nested_task_on_its_stack_is_ealready(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, wait_for_again, NULL);
	struct again *again = wpk_alloc(test, sizeof(*again));
	struct wpool *pool = wpk_pool(test, 1, 4);

	again->pool = pool;
	jobs->job[1].arg = again;
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	wpk_jobs_end(test, jobs, 0, 2, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EALREADY);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 2);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 5);
}

/* ---- a task whose submitter waits for room ---- */

/*
 * Two workers. The task @held holds the second one until its gate opens; then @next, which is
 * queued, waits there for @waiter. @waiter waits for @late, whose submitter waits for room.
 */
struct room {
	struct wpool *pool;
	struct wpk_job *late;
	struct completion waited;
};

static struct room *room_of(struct kunit *test, struct wpool *pool)
{
	struct room *room = wpk_alloc(test, sizeof(*room));

	room->pool = pool;
	room->late = &wpk_jobs(test, 1, NULL)->job[0];
	init_completion(&room->waited);
	return room;
}

static void wait_for_late(struct wpk_job *job)
{
	struct room *room = job->arg;

	job->ret = wpool_task_wait(&room->late->task);
	complete(&room->waited);
}

static void wait_for_waiter(struct wpk_job *job)
{
	struct room *room = job->arg;

	job->ret = !wpk_patiently(&room->waited, NULL);
}

/* A worker that waits for a task runs it itself, also if the task is accepted during the wait. */
static void wpool_task_wait_runs_a_task_that_is_accepted_meanwhile(struct kunit *test)
{
	struct room *room = room_of(test, wpk_pool(test, 2, 1));
	struct wpk_jobs *waiter = wpk_gated(test, 1), *held = wpk_held(test, room->pool, 1, 1);
	struct wpk_jobs *next = wpk_jobs(test, 1, NULL);
	struct wpk_thread *submitter;

	wpk_jobs_body(waiter, wait_for_late, room);
	wpk_jobs_body(next, wait_for_waiter, room);
	wpk_jobs_hold(test, room->pool, waiter, 0, 1);
	wpk_jobs_submit(test, room->pool, next, 0, 1);
	submitter = wpk_thread(test, wpk_do_submit, room->pool, &room->late->task, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(room->pool, waiting) == 1);
	wpk_gate_open(waiter->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(room->pool, blocked) == 2);
	/* so that @next is the older task, which the second worker takes */
	schedule_timeout_uninterruptible(2);
	wpk_gate_open(held->gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(waiter, 1));
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(next, 1));
	KUNIT_EXPECT_EQ(test, waiter->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, next->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, room->late->pid, waiter->job[0].pid);
}

/*
 * Two workers wait for tasks whose submitters wait for room. That is no deadlock if one of the
 * tasks has just been accepted: its waiter runs it, and then the other task gets the room.
 */
static void wpool_task_wait_is_no_deadlock_if_a_waiter_can_run_its_task(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 1);
	struct wpk_jobs *waiter = wpk_gated(test, 1), *held = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *next = wpk_jobs(test, 1, NULL);
	struct room *room[2] = { room_of(test, pool), room_of(test, pool) };
	struct wpk_thread *submitters[2];
	int i;

	wpk_jobs_body(waiter, wait_for_late, room[0]);
	wpk_jobs_body(next, wait_for_late, room[1]);
	wpk_jobs_hold(test, pool, waiter, 0, 1);
	wpk_jobs_submit(test, pool, next, 0, 1);
	for (i = 0; i < 2; i++) {
		submitters[i] = wpk_thread(test, wpk_do_submit, pool, &room[i]->late->task, NULL);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == i + 1);
	}
	wpk_gate_open(waiter->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 2);
	/* so that @next is the older task, which the second worker takes */
	schedule_timeout_uninterruptible(2);
	wpk_gate_open(held->gate);
	wpk_join_all(test, submitters, 2);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(waiter, 1));
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(next, 1));
	KUNIT_EXPECT_EQ(test, waiter->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, next->job[0].ret, 0);
}

/* If a smaller capacity completes a deadlock of workers that wait, one of them gets -EDEADLK. */
static void wpool_tune_down_completes_a_deadlock_is_edeadlk(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 0);
	struct wpk_jobs *waiters[2], *held = wpk_held(test, pool, 1, 1);
	struct room *room[2] = { room_of(test, pool), room_of(test, pool) };
	struct wpk_thread *submitters[2];
	int i;

	for (i = 0; i < 2; i++) {
		waiters[i] = wpk_gated(test, 1);
		wpk_jobs_body(waiters[i], wait_for_late, room[i]);
		wpk_jobs_hold(test, pool, waiters[i], 0, 1);
	}
	for (i = 0; i < 2; i++) {
		submitters[i] = wpk_thread(test, wpk_do_submit, pool, &room[i]->late->task, NULL);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == i + 1);
	}
	for (i = 0; i < 2; i++)
		wpk_gate_open(waiters[i]->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, blocked) == 3);
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CAPACITY, capacity, 2), 0);
	wpk_gate_open(held->gate);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(waiters[i], 1));
	/* the task that gets it ends, and its room lets the other's task in */
	KUNIT_EXPECT_EQ(test, (waiters[0]->job[0].ret == -EDEADLK) +
			      (waiters[1]->job[0].ret == -EDEADLK), 1);
	wpk_join_all(test, submitters, 2);
}

WPK_SUITE(nested,
	  KUNIT_CASE(wpool_task_wait_chain_deeper_than_a_stack),
	  KUNIT_CASE_PARAM(wpool_task_wait_nested_too_deep_is_edeadlk, capacity_gen_params),
	  KUNIT_CASE(wpool_task_wait_deadlock_is_told_to_the_one_that_can_act),
	  KUNIT_CASE(wpool_task_wait_nested_holds_no_more_locks),
	  KUNIT_CASE(wpool_task_wait_runs_a_task_that_is_queued_again),
	  KUNIT_CASE(wpool_try_submit_of_a_nested_task_on_its_stack_is_ealready),
	  KUNIT_CASE(wpool_task_wait_runs_a_task_that_is_accepted_meanwhile),
	  KUNIT_CASE(wpool_task_wait_is_no_deadlock_if_a_waiter_can_run_its_task),
	  KUNIT_CASE(wpool_tune_down_completes_a_deadlock_is_edeadlk));
