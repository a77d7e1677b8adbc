// SPDX-License-Identifier: GPL-2.0
/*
 * The policy drop_oldest: in a full pool, a new task takes the place of the oldest task in the
 * queue of its CPU and the global queue, or else of the first task of another CPU.
 */
#include "event.h"
#include "full_pool.h"
#include "group.h"

#define DEPTH	3

/* A pool with one task at the gate, and room for DEPTH behind it. The case stays on one CPU. */
static struct wpk_jobs *drop_pool(struct kunit *test, struct wpk_full *full, unsigned int nr)
{
	wpk_move_to(wpk_cpu(0));
	*full = wpk_fill(test, wpk_pool_with(test, 1, DEPTH, attrs.policy = WPOOL_DROP_OLDEST));
	return wpk_jobs(test, nr, NULL);
}

/* Expect that the jobs from @from on have run once each, and the jobs before never. */
static void ran_from(struct kunit *test, struct wpk_jobs *jobs, unsigned int from)
{
	unsigned int i;

	for (i = 0; i < jobs->nr; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task),
				i < from ? -ECANCELED : 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[i].runs), i >= from);
	}
}

static void wpool_submit_drop_oldest_takes_its_place(struct kunit *test)
{
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH + 5);
	int i;

	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, free), 0);
	for (i = DEPTH; i < DEPTH + 5; i++) {
		KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[i].task), 0);
		/* the submit has dropped the oldest task */
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i - DEPTH].task), -ECANCELED);
		KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, outstanding), 1 + DEPTH);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, refused), 0);
	wpk_gate_open(full.gate);
	ran_from(test, jobs, 5);
	WPK_EVENTUALLY(test, wpk_stat(full.pool, free) == 1 + DEPTH);
	/* the task that was dropped may be submitted again */
	wpk_job_run(test, full.pool, &jobs->job[0]);
}

static void wpool_try_submit_drops_in_any_context(struct kunit *test)
{
	static const wpk_context contexts[] = { wpk_in_hardirq, wpk_in_irq, wpk_in_softirq };
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH + ARRAY_SIZE(contexts));
	int i;

	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH);
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		KUNIT_EXPECT_EQ(test, wpk_try_in(contexts[i], full.pool,
						 &jobs->job[DEPTH + i].task), 0);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), -ECANCELED);
	}
	wpk_gate_open(full.gate);
	ran_from(test, jobs, ARRAY_SIZE(contexts));
	WPK_EVENTUALLY(test, wpk_stat(full.pool, free) == 1 + DEPTH);
}

static void wpool_submit_batch_drops_as_many_as_it_needs(struct kunit *test)
{
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH + 7);

	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH);
	/* a batch larger than the room drops its own first tasks, too */
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(full.pool, jobs->tasks + DEPTH, 7,
						 WPOOL_BATCH_TRY), 7);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 7);
	wpk_gate_open(full.gate);
	ran_from(test, jobs, 7);
}

/* A submit with a timeout waits, and drops no task. */
static void wpool_submit_timeout_drop_oldest_waits_for_room(struct kunit *test)
{
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH + 2);
	struct wpool_task *last = &jobs->job[DEPTH].task;

	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH);
	KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, last, 0), -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, last, 1), -ETIME);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	/* no place is free, although wpool_try_submit() drops a task and succeeds */
	KUNIT_EXPECT_EQ(test, wpool_nr_free(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(full.pool, &jobs->job[DEPTH + 1].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 1);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_submit_timeout(full.pool, last, MAX_SCHEDULE_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(last), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[DEPTH + 1].task), 0);
}

static void count_abort(void *arg, int status)
{
	atomic_add(status == -ECANCELED ? 1 : 1000, arg);
}

static void count_call(void *arg)
{
	atomic_inc((atomic_t *)arg + 1);
}

/* A dropped call of a function ends with the call of its abort function. */
static void wpool_submit_fn_drops_and_aborts(struct kunit *test)
{
	atomic_t *counts = wpk_alloc(test, 2 * sizeof(*counts));
	struct wpk_full full;
	int i;

	drop_pool(test, &full, 1);
	for (i = 0; i < 2 * DEPTH; i++)
		KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(full.pool, count_call,
								count_abort, counts,
								THIS_MODULE, GFP_KERNEL), 0);
	WPK_EVENTUALLY(test, wpk_stat(full.pool, cancelled) == DEPTH);
	KUNIT_EXPECT_EQ(test, atomic_read(&counts[0]), DEPTH);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&counts[1]), DEPTH);
	KUNIT_EXPECT_EQ(test, atomic_read(&counts[0]), DEPTH);
}

static void wait_in_abort(void *gate, int status)
{
	wpk_gate_pass(gate);
}

/* While no dropped task ends, the tasks that are accepted do not pile up without a bound. */
static void wpool_submit_drop_oldest_is_eagain_if_dropped_tasks_pile_up(struct kunit *test)
{
	/* the first dropped task is in its abort function, and 1,024 wait */
	unsigned int most = 1 + DEPTH + 1 + 1024, n = 0;
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_full full;
	int ret;

	drop_pool(test, &full, 1);
	do {
		ret = wpool_submit_fn_abortable(full.pool, wpk_do_nothing, wait_in_abort, gate,
						THIS_MODULE, GFP_KERNEL);
	} while (!ret && n++ < 10 * most);
	KUNIT_EXPECT_EQ(test, ret, -EAGAIN);
	KUNIT_EXPECT_LE(test, wpk_stat(full.pool, outstanding), most);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, refused), 1);
	wpk_gate_open(gate);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, free), 1 + DEPTH);
}

/* A task of a group may be dropped, and then has the status of a task that was cancelled. */
static void wpool_submit_drops_a_task_of_a_group(struct kunit *test)
{
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH);
	struct wpool_group *group = wpk_group(test, full.pool, 1);
	struct wpk_member *member = wpk_members(test, group, NULL, 1);

	wpk_members_submit(test, member, 1);
	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_group_outstanding(group), 0);
	KUNIT_EXPECT_EQ(test, member->status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&member->runs), 0);
	wpk_gate_open(full.gate);
	ran_from(test, jobs, 0);
}

/* A fired event is never dropped, although it is older than the tasks that are dropped. */
static void wpool_submit_drop_oldest_spares_events(struct kunit *test)
{
	struct wpk_full full;
	struct wpk_jobs *jobs = drop_pool(test, &full, DEPTH + 1);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 1);
	int i;

	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	wpk_jobs_submit(test, full.pool, jobs, 0, DEPTH - 1);
	for (i = DEPTH - 1; i < DEPTH + 1; i++)
		KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, &jobs->job[i].task), 0);
	wpk_gate_open(full.gate);
	ran_from(test, jobs, 2);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 2);
}

WPK_SUITE(drop,
	  KUNIT_CASE(wpool_submit_drop_oldest_takes_its_place),
	  KUNIT_CASE(wpool_try_submit_drops_in_any_context),
	  KUNIT_CASE(wpool_submit_batch_drops_as_many_as_it_needs),
	  KUNIT_CASE(wpool_submit_timeout_drop_oldest_waits_for_room),
	  KUNIT_CASE(wpool_submit_fn_drops_and_aborts),
	  KUNIT_CASE(wpool_submit_drop_oldest_is_eagain_if_dropped_tasks_pile_up),
	  KUNIT_CASE(wpool_submit_drops_a_task_of_a_group),
	  KUNIT_CASE(wpool_submit_drop_oldest_spares_events));
