// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that die: the pool lives, and those who wait are told.
 *
 * These cases only run when asked for: the kernel's log complains, and lockdep ends
 * until the next boot. They come after those of contain_kunit.c.
 */
#include <linux/anon_inodes.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_parallel.h>
#include <linux/wpool_strand.h>

#include "behalf.h"
#include "die.h"
#include "fixture.h"
#include "group.h"
#include "knob.h"
#include "strand_tasks.h"
#include "wq_items.h"

static bool fault;
module_param(fault, bool, 0444);
MODULE_PARM_DESC(fault, "run the cases whose tasks die");

static int fault_init(struct kunit *test)
{
	if (!fault)
		kunit_skip(test, "only with fault=1: it kills workers");
	return wpk_init(test);
}

static void die(struct wpk_job *job)
{
	wpk_die();
}

struct report {
	atomic_t nr;
	struct wpool_fault fault;
	char pool[WPOOL_NAME_LEN];
};

static void note_fault(const struct wpool_fault *fault, void *data)
{
	struct report *report = data;

	report->fault = *fault;
	strscpy(report->pool, fault->pool, sizeof(report->pool));
	atomic_inc(&report->nr);
}

/* Create a pool whose fault handler fills in @report. */
static struct wpool *reporting_pool(struct kunit *test, struct wpool_attrs *attrs,
				    struct report **report)
{
	*report = kunit_kzalloc(test, sizeof(**report), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *report);
	attrs->fault = note_fault;
	attrs->fault_data = *report;
	return wpk_pool_attrs(test, attrs);
}

static void wpool_task_dies_is_eio_and_the_pool_lives(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 6, NULL);
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	wpk_attrs(&attrs, 1, 10);
	pool = reporting_pool(test, &attrs, &report);
	jobs->job[0].body = die;
	wpk_jobs_begin_with_first(test, pool, jobs, 6);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[0].task), -EIO);
	/* What stood behind it runs on a new worker, though there is one only. */
	for (i = 1; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_NE(test, jobs->job[i].pid, jobs->job[0].pid);
	}
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 11);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_STREQ(test, report->pool, attrs.name);
	KUNIT_EXPECT_EQ(test, report->fault.task,
			(unsigned long)&jobs->job[0].task);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)wpk_job_fn);
	KUNIT_EXPECT_EQ(test, report->fault.cpu, jobs->job[0].cpu);
	wpk_destroy(test, pool);
}

static void wait_at_gate(const struct wpool_fault *fault, void *data)
{
	wpk_gate_pass(data);
}

/* Workers of other pools die meanwhile, and are mourned; others end in peace. */
static void wpool_fault_handler_that_sleeps_holds_up_no_other_pool(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool, *other;
	struct wpool_attrs attrs;
	struct report *report;

	wpk_attrs(&attrs, 1, 10);
	attrs.fault = wait_at_gate;
	attrs.fault_data = gate;
	pool = wpk_pool_attrs(test, &attrs);
	wpk_attrs(&attrs, 1, 10);
	other = reporting_pool(test, &attrs, &report);
	wpk_jobs_body(jobs, die, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));

	wpk_jobs_submit(test, other, jobs, 1, 1);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	wpk_destroy(test, other);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);

	wpk_gate_open(gate);
	wpk_destroy(test, pool);
}

/* ---- hooks ----------------------------------------------------------------- */

/* What the hooks of a pool do: each of them dies when its number comes. */
struct hooks {
	atomic_t starts;
	atomic_t ends;
	int dies_at_start;
	int dies_at_end;
};

static int dying_start(struct wpool *pool, void *data, void **own)
{
	struct hooks *hooks = data;

	if (atomic_inc_return(&hooks->starts) == hooks->dies_at_start)
		wpk_die();
	*own = hooks;
	return 0;
}

static void dying_end(struct wpool *pool, void *own, void *data)
{
	struct hooks *hooks = data;

	if (atomic_inc_return(&hooks->ends) == hooks->dies_at_end)
		wpk_die();
}

static struct hooks *hooks_attrs(struct kunit *test, struct wpool_attrs *attrs)
{
	struct hooks *hooks = kunit_kzalloc(test, sizeof(*hooks), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hooks);
	wpk_attrs(attrs, 1, 10);
	attrs->worker_start = dying_start;
	attrs->worker_end = dying_end;
	attrs->worker_data = hooks;
	return hooks;
}

/* Nobody can call worker_end for it: the fault handler has what it would undo. */
static void wpool_hooks_task_dies_the_fault_handler_has_its_own(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool_attrs attrs;
	struct hooks *hooks = hooks_attrs(test, &attrs);
	struct report *report;
	struct wpool *pool = reporting_pool(test, &attrs, &report);

	jobs->job[0].body = die;
	wpk_jobs_begin_with_first(test, pool, jobs, 4);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&report->nr), 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.own, (void *)hooks);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->ends), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->starts), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->ends), 1);
}

/* As a spawn that failed: another worker comes for the task. */
static void wpool_hooks_start_dies_is_a_failed_spawn(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool_attrs attrs;
	struct hooks *hooks = hooks_attrs(test, &attrs);
	struct report *report;
	struct wpool *pool = reporting_pool(test, &attrs, &report);

	hooks->dies_at_start = 1;
	wpk_jobs_submit(test, pool, jobs, 0, 4);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 4));
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_EQ(test, report->fault.task, 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)dying_start);
	KUNIT_EXPECT_NULL(test, report->fault.own);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawn_failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->ends), 1);
}

/* Destroy returns, and the log or the handler says what happened. */
static void wpool_hooks_end_dies_destroy_returns(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool_attrs attrs;
	struct hooks *hooks = hooks_attrs(test, &attrs);
	struct report *report;
	struct wpool *pool = reporting_pool(test, &attrs, &report);

	hooks->dies_at_end = 1;
	wpk_jobs_submit(test, pool, jobs, 0, 4);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 4));
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&report->nr), 1);
	KUNIT_EXPECT_EQ(test, report->fault.task, 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)dying_end);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.own, (void *)hooks);
}

/* The rescuer dies while no other thread can be created: there is one as soon as it can. */
static void wpool_task_dies_in_the_rescuer_the_pool_has_another(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *first = wpk_jobs(test, 1, gate);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool_attrs attrs;
	struct report *report;
	struct wpool *pool;

	wpk_attrs(&attrs, 4, WPOOL_UNLIMITED);
	attrs.reclaim = true;
	pool = reporting_pool(test, &attrs, &report);
	wpk_jobs_submit(test, pool, first, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_no_threads(test);
	jobs->job[0].body = die;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	wpk_threads_again(test);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(first, 1));
}

static void die_of_fn(void *arg)
{
	wpk_die();
}

/* The report names the submitted function, not the wrapper of the pool that calls it. */
static void wpool_submit_fn_dies_its_function_is_reported(struct kunit *test)
{
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, 1, 0);
	pool = reporting_pool(test, &attrs, &report);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, die_of_fn, NULL,
					      THIS_MODULE, GFP_KERNEL), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)die_of_fn);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	wpk_destroy(test, pool);
}

static void note_abort(void *arg, int status)
{
	atomic_t *aborted = arg;

	if (status == -EIO)
		atomic_inc(aborted);
}

/* A pool's function, which is not that of its submitted ones. */
static void die_of_invoke(void *arg)
{
	wpk_die();
}

/* The abort function gets the argument, once. */
static void wpool_invoke_and_submit_fn_die_their_abort_has_the_argument(struct kunit *test)
{
	atomic_t *aborted = kunit_kcalloc(test, 2, sizeof(*aborted), GFP_KERNEL);
	struct wpool_attrs attrs;
	struct wpool *pool;

	KUNIT_ASSERT_NOT_NULL(test, aborted);
	wpk_attrs(&attrs, 2, 0);
	attrs.abort = note_abort;
	pool = wpk_pool_func(test, &attrs, die_of_invoke);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &aborted[0]), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(pool, die_of_fn, note_abort, &aborted[1],
							THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[1]), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	wpk_destroy(test, pool);
}

/* What an event is that dies once. */
struct mortal {
	struct wpool_event event;
	atomic_t runs;
	atomic_t aborts;
	int status;
	bool finishes;
};

static void mortal_fn(struct wpool_event *event)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	if (atomic_inc_return(&mortal->runs) > 1)
		return;
	if (mortal->finishes) {
		wpool_event_finish(event);
		memset(event, 0x5a, sizeof(*event));
	} else {
		wpool_event_fire(event);
	}
	wpk_die();
}

static void mortal_abort(struct wpool_event *event, int status)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	mortal->status = status;
	atomic_inc(&mortal->aborts);
}

/* One that is fired in a pool that reports. */
static struct mortal *mortal_fire(struct kunit *test, bool finishes, struct wpool **pool,
				  struct report **report)
{
	struct mortal *mortal = kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);
	struct wpool_attrs attrs;

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	wpk_attrs(&attrs, 1, 0);
	*pool = reporting_pool(test, &attrs, report);
	wpool_event_init(&mortal->event, *pool, mortal_fn, mortal_abort);
	mortal->finishes = finishes;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	return mortal;
}

/* The fire that came before it died still counts. */
static void wpool_event_dies_is_aborted_and_runs_once_more(struct kunit *test)
{
	struct report *report;
	struct mortal *mortal;
	struct wpool *pool;

	mortal = mortal_fire(test, false, &pool, &report);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&mortal->runs) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(&mortal->event), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)mortal_fn);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 1);
	KUNIT_EXPECT_EQ(test, mortal->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	wpk_destroy(test, pool);
}

/* An event that begins to watch a file whose poll dies. */
struct mortal_watch {
	struct wpool_event event;
	struct wpool_watch watch;
	struct wait_queue_head head;
	struct file *file;
	atomic_t aborts;
};

static __poll_t mortal_poll(struct file *file, poll_table *table)
{
	struct mortal_watch *mortal = file->private_data;

	poll_wait(file, &mortal->head, table);
	wpk_die();
	return 0;
}

static const struct file_operations mortal_fops = {
	.owner = THIS_MODULE,
	.poll = mortal_poll,
};

static void mortal_watch_fn(struct wpool_event *event)
{
	struct mortal_watch *mortal = container_of(event, struct mortal_watch, event);

	wpool_watch_file(&mortal->watch, event, mortal->file, EPOLLIN);
}

static void mortal_watch_abort(struct wpool_event *event, int status)
{
	struct mortal_watch *mortal = container_of(event, struct mortal_watch, event);

	wpool_watch_end(&mortal->watch);
	atomic_inc(&mortal->aborts);
}

/* The watch has not begun, but its entry is in the queue. */
static void wpool_watch_file_dies_the_abort_function_ends_the_watch(struct kunit *test)
{
	struct mortal_watch *mortal = kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);
	struct wpool *pool = wpk_pool(test, 1, 0);

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	init_waitqueue_head(&mortal->head);
	mortal->file = anon_inode_getfile("[wpool_kunit]", &mortal_fops, mortal, O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mortal->file);
	wpool_event_init(&mortal->event, pool, mortal_watch_fn, mortal_watch_abort);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&mortal->aborts) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(&mortal->event), -EIO);
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&mortal->head));
	KUNIT_EXPECT_EQ(test, file_count(mortal->file), 1);
	fput(mortal->file);
	/* a thread of the kernel leaves the rest to somebody else */
	flush_delayed_fput();
	wpk_destroy(test, pool);
}

/* After wpool_event_finish() the memory of the event belongs to its function. */
static void wpool_event_dies_after_its_finish_is_not_touched(struct kunit *test)
{
	struct report *report;
	struct mortal *mortal;
	struct wpool *pool;

	mortal = mortal_fire(test, true, &pool, &report);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(&mortal->event, 0x5a, sizeof(mortal->event)), NULL);
	wpk_destroy(test, pool);
}

static void strand_task_dies(struct st *st)
{
	/* its turn is over, though it never returns */
	atomic_dec(&st->of->inside);
	wpk_die();
}

/* What it was submitted for once more goes with it. */
static void strand_task_dies_submitted(struct st *st)
{
	st->ret = wpool_strand_try_submit(&st->task);
	strand_task_dies(st);
}

/* In the same pool of one worker. */
static void wpool_strand_task_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpool_attrs attrs;
	struct report *report;
	struct st_strand *of;
	struct wpool *pool;
	struct st *st;

	wpk_attrs(&attrs, 1, 0);
	pool = reporting_pool(test, &attrs, &report);
	of = st_strand(test, pool, 8);
	st = st_tasks(test, of, NULL, 4);
	st[1].body = strand_task_dies;
	st[2].body = strand_task_dies_submitted;
	st_submit(test, st, 4);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_ran_in_order(test, st, 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, st[2].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].aborts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 2);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)st_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	wpk_destroy(test, pool);
}

static void strand_part_dies(struct wpool_strand_task *task)
{
	atomic_inc(&st_of(task)->parts);
	wpk_die();
}

static void strand_part_runs(struct wpool_strand_task *task)
{
	atomic_inc(&st_of(task)->parts);
}

/* It is aborted in its turn: the first is dead before the gate opens, the other has none before. */
static void wpool_strand_parallel_part_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct st_strand *of;
	struct wpool *pool;
	struct st *st;
	int i;

	pool = wpk_pool(test, 2, 4);
	of = st_strand(test, pool, 8);
	st = st_tasks(test, of, NULL, 4);
	st[0].gate = gate;
	for (i = 1; i < 4; i++)
		wpool_strand_task_set_parallel(&st[i].task,
					       i == 2 ? strand_part_runs : strand_part_dies);
	st_submit(test, st, 3);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1 && atomic_read(&st[2].parts));
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, st[2].seq, 2);
	st_submit(test, &st[3], 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st[3].status, -EIO);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].runs), !(i & 1));
	KUNIT_EXPECT_FALSE(test, of->twice);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 6);
	wpk_destroy(test, pool);
}

static void strand_abort_dies(struct wpool_strand_task *task, int status)
{
	st_of(task)->status = status;
	atomic_inc(&st_of(task)->aborts);
	wpk_die();
}

/* In a worker, as the part had died before: it is called once, and the next task has its turn. */
static void wpool_strand_abort_of_a_dead_part_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 2, 4);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 3);

	st[0].gate = gate;
	wpool_strand_task_init(&st[1].task, &of->strand, st_fn, strand_abort_dies);
	wpool_strand_task_set_parallel(&st[1].task, strand_part_dies);
	st_submit(test, st, 3);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	wpk_destroy(test, pool);
}

static void strand_task_finishes_and_dies(struct st *st)
{
	st->ret = wpool_strand_finish(&st->task);
	memset(&st->of->strand, 0x5a, sizeof(st->of->strand));
	memset(&st->task, 0x5a, sizeof(st->task));
	wpk_die();
}

static void wpool_strand_dies_after_its_finish_is_not_touched(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 1);

	st->body = strand_task_finishes_and_dies;
	st_submit(test, st, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, st->ret, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&st->aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(&st->task, 0x5a, sizeof(st->task)), NULL);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(&of->strand, 0x5a, sizeof(of->strand)), NULL);
	wpk_destroy(test, pool);
}

static void die_in_group(struct wpk_member *member)
{
	wpk_die();
}

/* The dead task is counted out of its group, and a submitter that waits for room gets its place. */
static void wpool_group_task_dies_is_eio_and_the_group_lives(struct kunit *test)
{
	struct wpk_member *members;
	struct wpool_group *group;
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, 1, 1);
	pool = reporting_pool(test, &attrs, &report);
	group = wpk_group(test, pool, 1);
	members = wpk_members(test, group, NULL, 2);
	members[0].body = die_in_group;
	wpk_members_submit(test, members, 2);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].aborts), 1);
	KUNIT_EXPECT_EQ(test, members[0].status, -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)wpk_member_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	wpk_destroy(test, pool);
}

/* More than the CPUs that may have the mm while they are idle. */
static void wpool_group_task_dies_on_behalf_keeps_nothing(struct kunit *test)
{
	int i, nr = num_online_cpus() + 2;
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_member *members = wpk_members(test, group, NULL, nr + 1);
	struct wpk_client *client = wpk_client(test);

	KUNIT_ASSERT_EQ(test, wpk_client_act(client, group), 0);
	for (i = 0; i < nr; i++)
		members[i].body = die_in_group;
	members[nr].body = wpk_client_count;
	members[nr].arg = client;
	wpk_members_submit(test, members, nr + 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, members[i].status, -EIO);
	KUNIT_EXPECT_EQ(test, wpk_client_counted(test, client), 1);
	wpk_destroy(test, pool);
	/* the thread drops its credentials after a grace period of RCU */
	WPK_EVENTUALLY(test, atomic_long_read(&client->cred->usage) == client->usage + 1);
	wpk_client_expect_refs(test, client, 1);
}

/* A member runs a task inside, which dies. */
struct fatal {
	struct wpool *pool;
	struct wpk_job *job;
};

static void wait_for_fatal(struct wpk_member *member)
{
	struct fatal *fatal = member->arg;

	if (!wpool_submit(fatal->pool, &fatal->job->task))
		wpool_task_wait(&fatal->job->task);
}

/* The member has its memory off meanwhile, and its group gives that back. */
static void wpool_task_dies_inside_one_that_acts_keeps_nothing(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *member = wpk_members(test, group, NULL, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_client *client = wpk_client(test);
	struct fatal fatal = { .pool = pool, .job = jobs->job };

	KUNIT_ASSERT_EQ(test, wpk_client_act(client, group), 0);
	jobs->job[0].body = die;
	member->body = wait_for_fatal;
	member->arg = &fatal;
	wpk_members_submit(test, member, 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	KUNIT_EXPECT_EQ(test, member->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	kunit_release_action(test, wpk_group_exit, group);
	wpk_destroy(test, pool);
	/* the thread drops its credentials after a grace period of RCU */
	WPK_EVENTUALLY(test, atomic_long_read(&client->cred->usage) == client->usage);
	wpk_client_expect_refs(test, client, 0);
}

struct mortal_loop {
	struct task_struct *caller;
	atomic_t dead;
	atomic_t done;
};

/* The first helper dies, and the caller continues only then. */
static int loop_with_a_death(unsigned long from, unsigned long to, void *arg)
{
	struct mortal_loop *loop = arg;

	if (current != loop->caller) {
		if (!atomic_xchg(&loop->dead, 1))
			wpk_die();
	} else if (!wpk_eventually(atomic_read(&loop->dead))) {
		return -ETIME;
	}
	atomic_add(to - from, &loop->done);
	return 0;
}

/* The chunk of the dead helper is lost: the caller returns -EIO, and does not hang. */
static void wpool_parallel_for_helper_dies_is_eio(struct kunit *test)
{
	struct mortal_loop loop = { .caller = current };
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "needs two CPUs");
	wpk_attrs(&attrs, 4, 0);
	pool = reporting_pool(test, &attrs, &report);
	KUNIT_EXPECT_EQ(test, wpool_parallel_for(pool, 0, 1000, 1, loop_with_a_death, &loop),
			-EIO);
	KUNIT_EXPECT_LT(test, atomic_read(&loop.done), 1000);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)loop_with_a_death);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 4);
	wpk_destroy(test, pool);
}

/* No thread waits, and there is no handler: the place and the worker come back anyway. */
#ifdef CONFIG_SMP
static void die_pinned(struct wpk_job *job)
{
	job->arg = get_task_struct(current);
	migrate_disable();
	migrate_disable();
	wpk_die();
}

/* A CPU whose pinned threads never end cannot go offline. */
static void wpool_task_dies_with_migration_disabled_its_cpu_is_free(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct task_struct *thread;

	wpk_jobs_body(jobs, die_pinned, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	thread = jobs->job[0].arg;
	KUNIT_EXPECT_EQ(test, thread->migration_disabled, 0);
	put_task_struct(thread);
}
#endif

static void wpool_task_dies_without_a_fault_handler_the_pool_lives(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	jobs->job[0].body = die;
	wpool_task_init_detached(&jobs->job[0].task, wpk_job_fn, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 3);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	WPK_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
}

static void die_submitted_again(struct wpk_job *job)
{
	job->ret = wpool_try_submit(job->arg, &job->task);
	die(job);
}

/* Both submits were accepted, so both have failed; there was one place. */
static void wpool_task_dies_submitted_again_both_submits_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_jobs_body(jobs, die_submitted_again, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	wpk_destroy(test, pool);
}

struct child {
	struct wpool_task task;
	struct wpk_job *parent;
};

static void die_as_a_child(struct wpool_task *task)
{
	struct wpk_job *parent = container_of(task, struct child, task)->parent;

	parent->ret = wpool_try_submit(parent->arg, task);
	die(NULL);
}

/* The child lies on the stack that the worker loses. */
static void die_while_helping(struct wpk_job *job)
{
	struct child child = { .parent = job };

	wpool_task_init(&child.task, die_as_a_child);
	job->ret = wpool_submit(job->arg, &child.task);
	if (!job->ret)
		job->ret = wpool_task_wait(&child.task);
	wpool_task_destroy_on_stack(&child.task);
}

/* No submit of the child is left that nobody could end. */
static void wpool_task_dies_in_a_child_on_its_stack_both_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = die_while_helping;
	jobs->job[0].arg = pool;
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EALREADY);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	wpk_destroy(test, pool);
}

/* Submits the job behind its own and waits for it: by doing it itself. */
static void help_the_next(struct wpk_job *job)
{
	struct wpk_job *next = job + 1;

	next->ret = wpool_submit(job->arg, &next->task);
	if (!next->ret)
		next->ret = wpool_task_wait(&next->task);
}

static void wpool_task_dies_while_helping_all_around_it_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	int i;

	wpk_jobs_body(jobs, help_the_next, pool);
	/* the third dies in a child that lies on its stack */
	jobs->job[2].body = die_while_helping;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
	wpk_destroy(test, pool);
}

/* ---- in its submitter ------------------------------------------------------ */

static struct wpool *lost_pool;
static int lost_ret;

static void die_in_submitter(struct wpool_task *task)
{
	lost_ret = wpool_try_submit(lost_pool, task);
	wpk_die();
}

static int submit_and_die(void *task)
{
	return wpool_submit(lost_pool, task);
}

/* The submitter dies with it: no submit of it is left in the pool that nobody could end. */
static void wpool_task_dies_in_its_submitter_the_pool_empties(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_RUN);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *holder = wpk_jobs(test, 1, gate);
	struct wpool_task *lost = kzalloc(sizeof(*lost), GFP_KERNEL);
	struct task_struct *thread;

	/* no thread ends it, so it is never freed */
	KUNIT_ASSERT_NOT_NULL(test, lost);
	kmemleak_not_leak(lost);
	wpool_task_init(lost, die_in_submitter);
	wpk_jobs_submit(test, pool, holder, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	lost_pool = pool;
	thread = kthread_create(submit_and_die, lost, "wpk");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	WPK_EVENTUALLY(test, READ_ONCE(thread->exit_state));
	put_task_struct(thread);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, lost_ret, -EALREADY);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 1);
}

/* ---- workqueues ------------------------------------------------------------- */

static void die_once(struct wpk_item *item)
{
	if (item->left && item->left--)
		wpk_die();
}

/* At max_active 1, so that its runner is the one that continues. */
static void queue_work_dies_its_flush_ends_and_the_queue_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *flushes[2];

	items[0].gate = gate;
	items[0].body = die_once;
	items[0].left = 1;
	queue_work(wq, wpk_work(&items[0]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	flushes[0] = wpk_thread(test, wpk_do_flush_work, NULL, NULL, &items[0]);
	KUNIT_ASSERT_TRUE(test, wpk_waits(flushes[0]));
	/* once more, behind the run that dies */
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	flushes[1] = wpk_thread(test, wpk_do_flush_queue, NULL, NULL, wq);
	KUNIT_ASSERT_TRUE(test, wpk_waits(flushes[1]));
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(flushes[0]));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, flushes[0]), 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, flushes[1]), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 2);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 1);
	KUNIT_EXPECT_EQ(test, work_busy(wpk_work(&items[0])), 0);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 3);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(wpool_task_dies_is_eio_and_the_pool_lives),
	KUNIT_CASE(wpool_fault_handler_that_sleeps_holds_up_no_other_pool),
	KUNIT_CASE(wpool_task_dies_in_the_rescuer_the_pool_has_another),
	KUNIT_CASE(wpool_hooks_task_dies_the_fault_handler_has_its_own),
	KUNIT_CASE(wpool_hooks_start_dies_is_a_failed_spawn),
	KUNIT_CASE(wpool_hooks_end_dies_destroy_returns),
	KUNIT_CASE(wpool_submit_fn_dies_its_function_is_reported),
	KUNIT_CASE(wpool_invoke_and_submit_fn_die_their_abort_has_the_argument),
	KUNIT_CASE(wpool_event_dies_is_aborted_and_runs_once_more),
	KUNIT_CASE(wpool_event_dies_after_its_finish_is_not_touched),
	KUNIT_CASE(wpool_watch_file_dies_the_abort_function_ends_the_watch),
	KUNIT_CASE(wpool_strand_task_dies_the_strand_goes_on),
	KUNIT_CASE(wpool_strand_parallel_part_dies_the_strand_goes_on),
	KUNIT_CASE(wpool_strand_abort_of_a_dead_part_dies_the_strand_goes_on),
	KUNIT_CASE(wpool_strand_dies_after_its_finish_is_not_touched),
	KUNIT_CASE(wpool_group_task_dies_is_eio_and_the_group_lives),
	KUNIT_CASE(wpool_group_task_dies_on_behalf_keeps_nothing),
	KUNIT_CASE(wpool_task_dies_inside_one_that_acts_keeps_nothing),
	KUNIT_CASE(wpool_parallel_for_helper_dies_is_eio),
	KUNIT_CASE(queue_work_dies_its_flush_ends_and_the_queue_goes_on),
#ifdef CONFIG_SMP
	KUNIT_CASE(wpool_task_dies_with_migration_disabled_its_cpu_is_free),
#endif
	KUNIT_CASE(wpool_task_dies_without_a_fault_handler_the_pool_lives),
	KUNIT_CASE(wpool_task_dies_submitted_again_both_submits_are_failed),
	KUNIT_CASE(wpool_task_dies_in_a_child_on_its_stack_both_are_failed),
	KUNIT_CASE(wpool_task_dies_while_helping_all_around_it_are_failed),
	KUNIT_CASE(wpool_task_dies_in_its_submitter_the_pool_empties),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "wpool_fault",
	.init = fault_init,
	.exit = wpk_exit,
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
