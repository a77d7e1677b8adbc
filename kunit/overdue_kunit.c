// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that have waited for longer than max_wait_ms: none of them runs, and each waiter, abort
 * function or group gets -ETIME, once.
 *
 * No case depends on how long a task waits. Either no worker serves the queue, so that a task
 * becomes overdue sooner or later. Or the limit is longer than any case, and the case may set a
 * task's time of submit back.
 */
#include <linux/sched/mm.h>

#include "event.h"
#include "full_pool.h"
#include "group.h"
#include "strand_tasks.h"

#define SHORT_MS	20
#define NR_MANY		1000U
/* the most tasks without a limit that may be ahead of an overdue one, see max_wait_ms */
#define NR_SPARED	255U

static void set_max_wait(struct kunit *test, struct wpool *pool, u32 ms)
{
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, MAX_WAIT_MS, max_wait_ms, ms), 0);
}

/* A pool whose only worker is at the gate, so that no worker serves the queue. */
static struct wpk_full unserved_pool(struct kunit *test)
{
	struct wpk_full full = wpk_fill(test, wpk_pool(test, 1, WPOOL_UNLIMITED));

	/* set the limit only now: the task at the gate must not become overdue */
	set_max_wait(test, full.pool, SHORT_MS);
	return full;
}

static void expect_overdue(struct kunit *test, struct wpool *pool, u64 nr)
{
	const struct wpool_stats *stats;

	WPK_EVENTUALLY(test, wpk_stat(pool, overdue) == nr);
	WPK_EVENTUALLY(test, wpk_stat(pool, outstanding) == 1);
	stats = wpk_snapshot(pool);
	KUNIT_EXPECT_EQ(test, stats->submitted, nr + 1);
	KUNIT_EXPECT_EQ(test, stats->completed + stats->failed + stats->cancelled, 0);
	KUNIT_EXPECT_EQ(test, stats->queued, 0);
}

/* ---- a queue that no worker serves ------------------------------------------ */

static void wpool_task_wait_for_an_overdue_task_is_etime(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_full full = unserved_pool(test);

	wpk_jobs_submit(test, full.pool, jobs, 0, 2);
	wpk_jobs_end(test, jobs, 0, 2, -ETIME);
	expect_overdue(test, full.pool, 2);
	/* the task is overdue before the cancel, so both calls return -ETIME */
	wpk_jobs_submit(test, full.pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[0].task), -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	set_max_wait(test, full.pool, 0);
	wpk_jobs_submit(test, full.pool, jobs, 0, 1);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, overdue), 3);
}

/* Overdue tasks end in the ring, in the backlog behind it, on other CPUs, and if urgent. */
static void wpool_overdue_tasks_of_all_queues_end(struct kunit *test)
{
	u32 nr = NR_MANY * num_online_cpus(), done = 0, i;
	struct wpk_jobs *jobs = wpk_jobs(test, nr, NULL);
	int cpu;
	struct wpk_full full = unserved_pool(test);

	for (i = 0; i < nr; i += 3)
		wpool_task_set_urgent(&jobs->job[i].task, true);
	for_each_online_cpu(cpu) {
		wpk_move_to(cpu);
		wpk_jobs_submit(test, full.pool, jobs, done, NR_MANY);
		done += NR_MANY;
	}
	wpk_move_to(-1);
	wpk_jobs_end(test, jobs, 0, nr, -ETIME);
	expect_overdue(test, full.pool, nr);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

WPK_PARAM_BOOL(handoff, "handoff %d");

/*
 * An overdue task ends even if its submit can wake no worker: the submit starts the monitor's
 * timer. The monitor has stopped the timer, because for a second no task was queued, and the only
 * worker slept in its task.
 */
static void wpool_overdue_task_ends_where_all_was_quiet(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_full full;

	wpk_move_to(wpk_cpu(0));
	full = wpk_fill(test, wpk_pool_with(test, 1, WPOOL_UNLIMITED,
					    attrs.handoff = wpk_is_on(test)));
	set_max_wait(test, full.pool, SHORT_MS);
	msleep(1100);
	/* the timer may have been on the other CPU */
	wpk_move_to(wpk_cpu(1));
	wpk_jobs_submit(test, full.pool, jobs, 0, 1);
	expect_overdue(test, full.pool, 1);
	wpk_move_to(-1);
}

/* Set the time of submit of a queued task back. No worker may take the task meanwhile. */
static void date_back(struct wpool_task *task)
{
	u64 ns = 2ULL * WPOOL_MAX_WAIT_MS * NSEC_PER_MSEC;

	WRITE_ONCE(task->jiffy, task->jiffy - (u32)nsecs_to_jiffies(ns));
	WRITE_ONCE(task->submit_ns, (task->submit_ns - (u32)ns) | 1);
}

/*
 * An overdue task ends even if a younger task is ahead of it in its queue, as after a move from one
 * queue to another.
 */
static void wpool_overdue_task_ends_behind_a_younger_one(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpk_full full;

	full = wpk_fill(test, wpk_pool_with(test, 1, WPOOL_UNLIMITED,
					    attrs.max_wait_ms = WPOOL_MAX_WAIT_MS));
	/* if the worker sleeps, tasks do not go to the ring, whose times date_back() cannot set */
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, blocked) == 1);
	wpk_jobs_submit(test, full.pool, jobs, 0, 3);
	date_back(&jobs->job[2].task);
	date_back(&jobs->job[0].task);
	/* one more push lets the queue read again since when its first task waits */
	wpk_jobs_submit(test, full.pool, jobs, 3, 1);
	WPK_EVENTUALLY(test, wpk_stat(full.pool, overdue) == 2);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[2].task), -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[3].task), 0);
}

/* ---- a time that is set while tasks are queued -------------------------------- */

struct earlier {
	const char *desc;
	bool latency;
	u32 ms;
	u32 nr;
};

/* The pool before the tune: its latency, its max_wait_ms, and the number of queued tasks. */
static const struct earlier earlier[] = {
	{ "no time of submit", false, 0, 1 },
	{ "latency", true, 0, 1 },
	{ "a longer time", false, WPOOL_MAX_WAIT_MS, 1 },
	{ "no time of submit, many", false, 0, NR_SPARED },
	{ "latency, many", true, 0, NR_SPARED },
};

KUNIT_ARRAY_PARAM_DESC(earlier, earlier, desc);

/* A new max_wait_ms holds for tasks that are accepted after the tune, and only for them. */
static void wpool_tune_max_wait_spares_earlier_tasks_only(struct kunit *test)
{
	const struct earlier *e = test->param_value;
	struct wpk_jobs *old = wpk_jobs(test, e->nr, NULL);
	struct wpk_jobs *new = wpk_jobs(test, 3, NULL);
	struct wpk_full full;

	full = wpk_fill(test, wpk_pool_with(test, 1, WPOOL_UNLIMITED, attrs.latency = e->latency,
					    attrs.max_wait_ms = e->ms));
	wpk_jobs_submit(test, full.pool, old, 0, e->nr);
	set_max_wait(test, full.pool, SHORT_MS);
	wpk_jobs_submit(test, full.pool, new, 0, 3);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, overdue) >= 3);
	wpk_jobs_end(test, new, 0, 3, -ETIME);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, overdue), 3);
	wpk_gate_open(full.gate);
	wpk_jobs_end(test, old, 0, e->nr, 0);
	wpk_jobs_ran_once(test, old);
}

/* ---- groups, events, strands ------------------------------------------------ */

struct late {
	atomic_t calls;
	int status;
};

static void late_arg_abort(void *arg, int status)
{
	struct late *late = arg;

	late->status = status;
	atomic_inc(&late->calls);
}

/* The argument of the job is a struct late. */
static void late_abort(struct wpool_task *task, int status)
{
	late_arg_abort(wpk_job_of(task)->arg, status);
}

static void wpool_abort_functions_of_overdue_tasks_get_etime(struct kunit *test)
{
	struct late *late = wpk_alloc(test, 2 * sizeof(*late));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, NULL, &late[0]);
	struct wpk_full full = unserved_pool(test);
	int i;

	wpool_task_init_abortable(&jobs->job[0].task, wpk_job_fn, late_abort, THIS_MODULE);
	wpk_jobs_submit(test, full.pool, jobs, 0, 1);
	KUNIT_ASSERT_EQ(test, wpool_submit_fn_abortable(full.pool, wpk_do_nothing, late_arg_abort,
							&late[1], THIS_MODULE, GFP_KERNEL), 0);
	expect_overdue(test, full.pool, 2);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&late[i].calls), 1);
		KUNIT_EXPECT_EQ(test, late[i].status, -ETIME);
	}
	/* the task may be submitted again */
	set_max_wait(test, full.pool, 0);
	wpk_jobs_submit(test, full.pool, jobs, 0, 1);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&late[0].calls), 1);
}

static void wpool_group_keeps_etime_of_an_overdue_task(struct kunit *test)
{
	struct wpk_full full = unserved_pool(test);
	struct wpool_group *group = wpk_group(test, full.pool, 2);
	struct wpk_member *member = wpk_members(test, group, NULL, 1);

	KUNIT_ASSERT_EQ(test, wpk_member_submit(member), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&member->aborts), 1);
	KUNIT_EXPECT_EQ(test, member->status, -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&member->runs), 0);
}

static void wpool_event_that_is_overdue_ends_with_etime(struct kunit *test)
{
	struct wpk_full full = unserved_pool(test);
	struct wpk_ev *ev = wpk_evs(test, full.pool, NULL, 1);

	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	expect_overdue(test, full.pool, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 1);
	KUNIT_EXPECT_EQ(test, ev->status, -ETIME);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), -ETIME);
	set_max_wait(test, full.pool, 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	wpk_gate_open(full.gate);
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->aborts), 1);
}

/*
 * A strand continues after an overdue task. The second task begins to wait when the first has
 * ended, so the two become overdue in turn.
 */
static void wpool_strand_goes_on_after_an_overdue_task(struct kunit *test)
{
	struct wpk_full full = unserved_pool(test);
	struct st_strand *of = st_strand(test, full.pool, 2);
	struct st *st = st_tasks(test, of, NULL, 2);
	int i;

	st_submit(test, st, 2);
	WPK_EVENTUALLY(test, atomic_read(&st[1].aborts) == 1);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].aborts), 1);
		KUNIT_EXPECT_EQ(test, st[i].status, -ETIME);
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].runs), 0);
	}
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	expect_overdue(test, full.pool, 2);
}

/* ---- a worker that takes an overdue task ------------------------------------- */

/* Submit the next job, as if it had waited in the pool for longer than max_wait_ms. */
static void submit_next_late(struct wpk_job *job)
{
	wpk_submit_next(job);
	if (!job->ret)
		date_back(&(job + 1)->task);
}

static void submit_next_late_and_help(struct wpk_job *job)
{
	submit_next_late(job);
	job->ret = job->ret ?: wpool_task_wait(&(job + 1)->task);
}

static struct wpool *patient_pool(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);

	set_max_wait(test, pool, WPOOL_MAX_WAIT_MS);
	return pool;
}

static void wpool_worker_does_not_run_an_overdue_task(struct kunit *test)
{
	struct wpool *pool = patient_pool(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = submit_next_late;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, overdue), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
}

static bool is_idle(const struct wpk_job *job)
{
	return !atomic_read(&job->task.state);
}

/*
 * The worker submits the same child again and again, and runs it in the wait. Each run counts as a
 * look for work, so the monitor sees no hog; but a wait runs no other task than the child.
 */
static void help_until_others_are_overdue(struct wpk_job *job)
{
	struct wpk_job *helped = job + 3;
	int i, ret;

	/* set the limit only now: otherwise this task might become overdue */
	job->ret = wpk_tune(job->arg, MAX_WAIT_MS, max_wait_ms, SHORT_MS);
	for (i = 1; i <= 2 && !job->ret; i++)
		job->ret = wpool_submit(job->arg, &(job + i)->task);
	while (!job->ret && !wpk_stopped(job->jobs->test) &&
	       !(is_idle(job + 1) && is_idle(job + 2))) {
		job->ret = wpool_submit(job->arg, &helped->task);
		/* the child may be overdue, too */
		ret = job->ret ?: wpool_task_wait(&helped->task);
		if (ret != -ETIME)
			job->ret = ret;
		cond_resched();
	}
}

static void wpool_overdue_tasks_behind_a_busy_worker_end(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool *pool = wpk_pool_with(test, 1, WPOOL_UNLIMITED,
					   attrs.hog_ms = WPOOL_MAX_HOG_MS);

	wpk_job_body(&jobs->job[0], help_until_others_are_overdue, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, is_idle(&jobs->job[0]));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	wpk_jobs_end(test, jobs, 1, 2, -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs) + atomic_read(&jobs->job[2].runs), 0);
}

static void late_abort_leaves_a_flag(struct wpool_task *task, int status)
{
	late_abort(task, status);
	memalloc_nofs_save();
}

static void find_the_flag(struct wpk_job *job)
{
	job->ret = current->flags & PF_MEMALLOC_NOFS;
}

static void submit_next_late_and_another(struct wpk_job *job)
{
	submit_next_late(job);
	job->ret = job->ret ?: wpool_submit(job->task.pool, &(job + 2)->task);
}

#define NR_SHORT	4000
#define NR_LEAVES	40

/*
 * What an abort function leaves behind in a worker does not reach the next task, also if the pool
 * knows that its tasks are short, so that the worker does not look in full between two of them.
 */
static void wpool_worker_undoes_what_an_abort_function_leaves(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *many = wpk_jobs(test, NR_SHORT, NULL), *jobs;
	struct late *late = wpk_alloc(test, sizeof(*late));
	int i;

	set_max_wait(test, pool, WPOOL_MAX_WAIT_MS);
	for (i = 0; i < NR_LEAVES; i++) {
		wpk_jobs_submit(test, pool, many, i * (NR_SHORT / NR_LEAVES), NR_SHORT / NR_LEAVES);
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
		jobs = wpk_jobs(test, 3, NULL);
		jobs->job[0].body = submit_next_late_and_another;
		wpool_task_init_abortable(&jobs->job[1].task, wpk_job_fn, late_abort_leaves_a_flag,
					  NULL);
		jobs->job[1].arg = late;
		jobs->job[2].body = find_the_flag;
		wpk_job_run(test, pool, &jobs->job[0]);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&late->calls), i + 1);
		KUNIT_EXPECT_EQ(test, late->status, -ETIME);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, overdue), i + 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[2].runs), 1);
		KUNIT_EXPECT_EQ(test, jobs->job[2].ret, 0);
	}
}

static void wpool_task_wait_does_not_help_an_overdue_task(struct kunit *test)
{
	struct wpool *pool = patient_pool(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = submit_next_late_and_help;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -ETIME);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, overdue), 1);
}

WPK_SUITE(overdue,
	  KUNIT_CASE(wpool_task_wait_for_an_overdue_task_is_etime),
	  KUNIT_CASE(wpool_overdue_tasks_of_all_queues_end),
	  KUNIT_CASE_PARAM_ATTR(wpool_overdue_task_ends_where_all_was_quiet, handoff_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE(wpool_overdue_task_ends_behind_a_younger_one),
	  KUNIT_CASE_PARAM(wpool_tune_max_wait_spares_earlier_tasks_only, earlier_gen_params),
	  KUNIT_CASE(wpool_abort_functions_of_overdue_tasks_get_etime),
	  KUNIT_CASE(wpool_group_keeps_etime_of_an_overdue_task),
	  KUNIT_CASE(wpool_event_that_is_overdue_ends_with_etime),
	  KUNIT_CASE(wpool_strand_goes_on_after_an_overdue_task),
	  KUNIT_CASE(wpool_worker_does_not_run_an_overdue_task),
	  KUNIT_CASE(wpool_worker_undoes_what_an_abort_function_leaves),
	  KUNIT_CASE(wpool_task_wait_does_not_help_an_overdue_task),
	  KUNIT_CASE(wpool_overdue_tasks_behind_a_busy_worker_end));
