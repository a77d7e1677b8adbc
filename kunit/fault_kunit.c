// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that die: the pool survives, and waiting threads get -EIO. Without fault=1 the tasks only
 * end their thread, which the kernel does not report.
 */
#include <linux/kmemleak.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "die.h"
#include "knob.h"
#include "one_cpu.h"

static void wpool_task_dies_is_eio_and_the_pool_lives(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 6, NULL);
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	/* a hog could end on another CPU */
	struct wpool *pool = wpk_reporting_pool(test, 1, 10, report,
						attrs.hog_ms = WPOOL_MAX_HOG_MS);
	int i;

	jobs->job[0].body = wpk_die_in_job;
	wpk_jobs_begin_with_first(test, pool, jobs, 6);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[0].task), -EIO);
	/* even at capacity 1, a new worker runs the tasks behind the dead one */
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
	KUNIT_EXPECT_STREQ(test, report->pool, wpk_name_of(pool));
	KUNIT_EXPECT_EQ(test, report->fault.task, (unsigned long)&jobs->job[0].task);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)wpk_job_fn);
	KUNIT_EXPECT_EQ(test, report->fault.cpu, jobs->job[0].cpu);
}

/* What wait_and_submit() submits, and where. */
static struct wpk_job *fault_job;
static struct wpool *fault_pool;

static void wait_and_submit(const struct wpool_fault *fault, void *data)
{
	wpk_gate_pass(data);
	fault_job->ret = wpool_try_submit(fault_pool, &fault_job->task);
}

static void note_thread_and_die(struct wpk_job *job)
{
	WRITE_ONCE(job->arg, get_task_struct(current));
	wpk_die();
}

/*
 * While a fault handler sleeps, deaths in other pools are reported, and other workers end normally.
 * Only a second death in the same pool is not reported yet.
 */
static void wpool_fault_handler_that_sleeps_holds_up_no_other_pool(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *other = wpk_reporting_pool(test, 1, 10, report);
	struct wpool *pool = wpk_pool_with(test, 2, 10, attrs.fault = wait_and_submit,
					   attrs.fault_data = gate);
	struct task_struct *thread;

	fault_pool = pool;
	fault_job = &jobs->job[3];
	jobs->job[0].body = wpk_die_in_job;
	jobs->job[1].body = note_thread_and_die;
	jobs->job[2].body = wpk_die_in_job;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(jobs->job[1].arg));
	thread = jobs->job[1].arg;
	WPK_EVENTUALLY(test, READ_ONCE(thread->exit_state));
	put_task_struct(thread);

	/* the reaper handles this death after that of job 1 */
	wpk_jobs_submit(test, other, jobs, 2, 1);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	wpk_destroy(test, other);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&gate->arrived), 1);

	wpk_gate_let(gate, 1);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 2));
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_GE(test, atomic_read(&jobs->job[3].runs), 1);
}

static void wait_at_gate(const struct wpool_fault *fault, void *data)
{
	wpk_gate_pass(data);
}

/*
 * Without hand-off, and on one CPU, no other worker starts while one counts as running. A dead
 * worker does not, even while the fault handler sleeps.
 */
static void wpool_fault_handler_that_sleeps_holds_up_no_task_of_that_cpu(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_one_cpu_pool_with(test, 2, 1, false, attrs.fault = wait_at_gate,
						   attrs.fault_data = gate);

	jobs->job[0].body = wpk_die_in_job;
	wpk_jobs_begin_with_first(test, pool, jobs, 2);
	/* one job was queued before the death, and one comes after it */
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 1));
	wpk_job_run(test, pool, &jobs->job[2]);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
}

/* The hooks of a pool: worker_start dies in call @dies_at_start, worker_end in @dies_at_end. */
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

static struct wpool *hooks_pool(struct kunit *test, struct wpk_report *report, struct hooks *hooks)
{
	return wpk_reporting_pool(test, 1, 10, report, attrs.worker_start = dying_start,
				  attrs.worker_end = dying_end, attrs.worker_data = hooks);
}

/* A dead worker calls no worker_end: the fault handler gets the worker's own pointer. */
static void wpool_hooks_task_dies_the_fault_handler_has_its_own(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct hooks *hooks = wpk_alloc(test, sizeof(*hooks));
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = hooks_pool(test, report, hooks);

	jobs->job[0].body = wpk_die_in_job;
	wpk_jobs_begin_with_first(test, pool, jobs, 4);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&report->nr), 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.own, (void *)hooks);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->ends), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->starts), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks->ends), 1);
}

/* A death in worker_start counts as a failed spawn; another worker comes for the task. */
static void wpool_hooks_start_dies_is_a_failed_spawn(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct hooks *hooks = wpk_alloc(test, sizeof(*hooks));
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = hooks_pool(test, report, hooks);

	hooks->dies_at_start = 1;
	wpk_jobs_run(test, pool, jobs, 4);
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

/*
 * If a worker dies in worker_end, wpool_destroy() still returns, and the fault handler gets the
 * report.
 */
static void wpool_hooks_end_dies_destroy_returns(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct hooks *hooks = wpk_alloc(test, sizeof(*hooks));
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = hooks_pool(test, report, hooks);

	hooks->dies_at_end = 1;
	wpk_jobs_run(test, pool, jobs, 4);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&report->nr), 1);
	KUNIT_EXPECT_EQ(test, report->fault.task, 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)dying_end);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.own, (void *)hooks);
}

/* If the rescuer dies while no thread can be created, the pool later gets another worker. */
static void wpool_task_dies_in_the_rescuer_the_pool_has_another(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.reclaim = true);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1), *jobs = wpk_jobs(test, 2, NULL);

	wpk_no_threads(test);
	jobs->job[0].body = wpk_die_in_job;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) == 1);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	wpk_threads_again(test);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	wpk_jobs_let(test, first, 1);
}

static void die_of_fn(void *arg)
{
	wpk_die();
}

/* The report names the submitted function, not the pool's function that calls it. */
static void wpool_submit_fn_dies_its_function_is_reported(struct kunit *test)
{
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = wpk_reporting_pool(test, 1, 0, report);

	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, die_of_fn, NULL, THIS_MODULE, GFP_KERNEL), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)die_of_fn);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
}

static void note_abort(void *arg, int status)
{
	atomic_t *aborted = arg;

	if (status == -EIO)
		atomic_inc(aborted);
}

/* If the worker dies in a function, its abort function gets the argument, once. */
static void wpool_invoke_and_submit_fn_die_their_abort_has_the_argument(struct kunit *test)
{
	atomic_t *aborted = wpk_alloc(test, 2 * sizeof(*aborted));
	struct wpool *pool = wpk_pool_func_with(test, 2, 0, die_of_fn, attrs.abort = note_abort);

	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &aborted[0]), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(pool, die_of_fn, note_abort, &aborted[1],
							THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[1]), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
}

static void die_pinned(struct wpk_job *job)
{
	job->arg = get_task_struct(current);
	migrate_disable();
	migrate_disable();
	wpk_die();
}

/*
 * A worker that dies with migration off does not keep its CPU from going offline: the dead thread
 * may migrate.
 */
static void wpool_task_dies_with_migration_disabled_its_cpu_is_free(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, die_pinned, NULL);
	struct task_struct *thread;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	thread = jobs->job[0].arg;
#ifdef CONFIG_SMP
	/* on PREEMPT_RT each spinlock that the dead thread takes as it exits counts, too */
	WPK_EVENTUALLY(test, thread->migration_disabled == 0);
#endif
	put_task_struct(thread);
}

/* Even without a handler or a waiting thread the place becomes free, and a new worker comes. */
static void wpool_task_dies_without_a_fault_handler_the_pool_lives(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	jobs->job[0].body = wpk_die_in_job;
	wpool_task_init_detached(&jobs->job[0].task, wpk_job_fn, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 3);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	WPK_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	/* fault=1 is a second run: earlier deaths may have used up the limit of lines in 5 s */
	if (!wpk_fault)
		KUNIT_EXPECT_EQ(test, wpk_lines_about(wpk_name_of(pool),
						      "a worker died in wpk_job_fn"), 1);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
}

static void die_submitted_again(struct wpk_job *job)
{
	job->ret = wpool_try_submit(job->task.pool, &job->task);
	wpk_die();
}

/*
 * If the worker dies in a task that was submitted again, both submits count as failed, and their
 * one place becomes free.
 */
static void wpool_task_dies_submitted_again_both_submits_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, die_submitted_again, NULL);

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
}

struct child {
	struct wpool_task task;
	struct wpk_job *parent;
};

static void die_as_a_child(struct wpool_task *task)
{
	struct wpk_job *parent = container_of(task, struct child, task)->parent;

	parent->ret = wpool_try_submit(task->pool, task);
	wpk_die();
}

/* The child is on the stack of the job: both are lost with the worker. */
static void die_while_helping(struct wpk_job *job)
{
	struct child child = { .parent = job };

	wpool_task_init(&child.task, die_as_a_child);
	job->ret = wpool_submit(job->task.pool, &child.task) ?: wpool_task_wait(&child.task);
	wpool_task_destroy_on_stack(&child.task);
}

/*
 * Each job waits for the next one: the wait runs that job in the same thread. The third job dies in
 * a child on the stack of that job. The child's second submit is refused, since no thread could end
 * it after the death.
 */
static void wpool_task_dies_while_helping_all_around_it_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 4, wpk_run_next, NULL);

	jobs->job[2].body = die_while_helping;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_jobs_end(test, jobs, 0, 3, -EIO);
	KUNIT_EXPECT_EQ(test, jobs->job[2].ret, -EALREADY);
	jobs->job[3].body = NULL;
	wpk_job_run(test, pool, &jobs->job[3]);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
}

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

/* If a submitter dies in a task that it runs itself, the pool still becomes empty. */
static void wpool_task_dies_in_its_submitter_the_pool_empties(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_RUN);
	struct wpk_jobs *holder = wpk_held(test, pool, 1, 1);
	struct wpool_task *lost = kzalloc(sizeof(*lost), GFP_KERNEL);
	struct task_struct *thread;
	struct wpk_thread *waiter;

	/* no thread ends this task, so it is never freed */
	KUNIT_ASSERT_NOT_NULL(test, lost);
	kmemleak_not_leak(lost);
	wpool_task_init(lost, die_in_submitter);
	lost_pool = pool;
	thread = kthread_create(submit_and_die, lost, "wpk");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	WPK_EVENTUALLY(test, READ_ONCE(thread->exit_state));
	put_task_struct(thread);
	/* the task never ends */
	waiter = wpk_sleeper(test, wpk_do_wait, NULL, lost, NULL);
	wpk_kill(waiter);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -EINTR);
	wpk_gate_open(holder->gate);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
	KUNIT_EXPECT_EQ(test, lost_ret, -EALREADY);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 1);
}

WPK_SUITE(fault,
	  KUNIT_CASE(wpool_task_dies_is_eio_and_the_pool_lives),
	  KUNIT_CASE(wpool_fault_handler_that_sleeps_holds_up_no_other_pool),
	  KUNIT_CASE(wpool_fault_handler_that_sleeps_holds_up_no_task_of_that_cpu),
	  KUNIT_CASE(wpool_task_dies_in_the_rescuer_the_pool_has_another),
	  KUNIT_CASE(wpool_hooks_task_dies_the_fault_handler_has_its_own),
	  KUNIT_CASE(wpool_hooks_start_dies_is_a_failed_spawn),
	  KUNIT_CASE(wpool_hooks_end_dies_destroy_returns),
	  KUNIT_CASE(wpool_submit_fn_dies_its_function_is_reported),
	  KUNIT_CASE(wpool_invoke_and_submit_fn_die_their_abort_has_the_argument),
	  KUNIT_CASE(wpool_task_dies_with_migration_disabled_its_cpu_is_free),
	  KUNIT_CASE(wpool_task_dies_without_a_fault_handler_the_pool_lives),
	  KUNIT_CASE(wpool_task_dies_submitted_again_both_submits_are_failed),
	  KUNIT_CASE(wpool_task_dies_while_helping_all_around_it_are_failed),
	  KUNIT_CASE(wpool_task_dies_in_its_submitter_the_pool_empties));
