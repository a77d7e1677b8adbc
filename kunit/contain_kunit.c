// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that leave their worker in a bad state: it is reported and repaired,
 * and the next task sees nothing of it.
 *
 * These cases make the kernel's log complain, so they only run when asked for:
 * contain=1 for a task that does not give back what it took, fault=1 for one
 * that dies. The latter ends lockdep until the next boot: run it last.
 */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "fixture.h"

static bool contain;
module_param(contain, bool, 0444);
MODULE_PARM_DESC(contain, "run the cases whose tasks leave preemption or interrupts off");

static bool fault;
module_param(fault, bool, 0444);
MODULE_PARM_DESC(fault, "run the cases whose tasks die");

static int contain_init(struct kunit *test)
{
	if (!contain)
		kunit_skip(test, "only with contain=1: it makes the log complain");
	return wpk_init(test);
}

static int fault_init(struct kunit *test)
{
	if (!fault)
		kunit_skip(test, "only with fault=1: it kills workers");
	return wpk_init(test);
}

/* ---- what a task did not give back ---------------------------------------- */

static void leave_preemption_off(struct wpk_job *job)
{
	preempt_disable();
}

static void leave_interrupts_off(struct wpk_job *job)
{
	local_irq_disable();
}

static void leave_rcu_locked(struct wpk_job *job)
	__acquires(RCU)
{
	rcu_read_lock();
}

struct state {
	bool irqs_off;
	int preempt;
	int rcu;
};

static void look_around(struct wpk_job *job)
{
	struct state *state = job->arg;

	state->irqs_off = irqs_disabled();
	state->preempt = preempt_count();
	state->rcu = rcu_preempt_depth();
	/* And it can sleep. */
	usleep_range(10, 20);
}

struct leak {
	void (*body)(struct wpk_job *job);
	const char *desc;
};

static const struct leak leaks[] = {
	{ leave_preemption_off, "preemption" },
	{ leave_interrupts_off, "interrupts" },
	{ leave_rcu_locked, "RCU read lock" },
};

KUNIT_ARRAY_PARAM_DESC(leak, leaks, desc);

static void wpool_task_leaves_its_worker_unbalanced_is_repaired(struct kunit *test)
{
	const struct leak *leak = test->param_value;
	struct wpool *pool = wpk_pool(test, 1, 5);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, state);
	jobs->job[0].last = leak->body;
	jobs->job[1].body = look_around;
	jobs->job[1].arg = state;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_FALSE(test, state->irqs_off);
	KUNIT_EXPECT_EQ(test, state->preempt, 0);
	KUNIT_EXPECT_EQ(test, state->rcu, 0);
	/* It is the same worker: it did not have to die for it. */
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
}

/* ---- a task that dies ----------------------------------------------------- */

static void die(struct wpk_job *job)
{
	/* The log's judge counts. */
	pr_info("wpool-expect: oops 1\n");
	WRITE_ONCE(*(int *)8, 1);
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

static void wpool_task_dies_is_eio_and_the_pool_lives(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 6, NULL);
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	report = kunit_kzalloc(test, sizeof(*report), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, report);
	wpk_attrs(&attrs, 1, 10);
	attrs.fault = note_fault;
	attrs.fault_data = report;
	pool = wpk_pool_attrs(test, &attrs);
	jobs->job[0].body = die;
	wpk_jobs_submit(test, pool, jobs, 0, 6);
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

static void die_too(void *arg)
{
	pr_info("wpool-expect: oops 1\n");
	WRITE_ONCE(*(int *)8, 1);
}

/* It is the function that its author knows, not the one of ours that calls it. */
static void wpool_submit_fn_dies_its_function_is_reported(struct kunit *test)
{
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	report = kunit_kzalloc(test, sizeof(*report), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, report);
	wpk_attrs(&attrs, 1, 0);
	attrs.fault = note_fault;
	attrs.fault_data = report;
	pool = wpk_pool_attrs(test, &attrs);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, die_too, NULL,
					      THIS_MODULE, GFP_KERNEL), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)die_too);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	wpk_destroy(test, pool);
}

/* Nobody is told, nobody waits: the place and the worker come back anyway. */
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

static struct kunit_case contain_cases[] = {
	KUNIT_CASE_PARAM(wpool_task_leaves_its_worker_unbalanced_is_repaired,
			 leak_gen_params),
	{}
};

static struct kunit_suite contain_suite = {
	.name = "wpool_contain",
	.init = contain_init,
	.exit = wpk_exit,
	.test_cases = contain_cases,
};

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(wpool_task_dies_is_eio_and_the_pool_lives),
	KUNIT_CASE(wpool_submit_fn_dies_its_function_is_reported),
	KUNIT_CASE(wpool_task_dies_without_a_fault_handler_the_pool_lives),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "wpool_fault",
	.init = fault_init,
	.exit = wpk_exit,
	.test_cases = fault_cases,
};

kunit_test_suites(&contain_suite, &fault_suite);
