// SPDX-License-Identifier: GPL-2.0
/* Submits from all contexts: threads, interrupts, and tasks of this pool or of another pool. */
#include <linux/smp.h>

#include "fixture.h"

struct submit_call {
	struct wpool *pool;
	struct wpool_task *task;
	int ret;
};

static void try_once(void *arg)
{
	struct submit_call *call = arg;

	call->ret = wpool_try_submit(call->pool, call->task);
}

enum context { IN_PROCESS, IN_SOFTIRQ, IN_HARDIRQ, IN_IPI, IRQS_OFF, NR_CONTEXTS };

static void in_context(enum context context, void (*fn)(void *arg), void *arg)
{
	unsigned long flags;

	switch (context) {
	case IN_PROCESS:
		fn(arg);
		break;
	case IN_SOFTIRQ:
		wpk_in_softirq(fn, arg);
		break;
	case IN_HARDIRQ:
		wpk_in_hardirq(fn, arg);
		break;
	case IN_IPI:
		/* the last CPU may be asleep */
		smp_call_function_single(cpumask_last(cpu_online_mask), fn, arg, true);
		break;
	default:
		local_irq_save(flags);
		fn(arg);
		local_irq_restore(flags);
	}
}

/* The first submit makes the worker; the second submit wakes the parked worker. */
static void wpool_try_submit_in_any_context_wakes_a_worker(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2 * NR_CONTEXTS, NULL);
	struct submit_call call;
	int i, n = 0;

	for (i = 0; i < NR_CONTEXTS; i++) {
		call.pool = wpk_pool(test, 1, 1);
		call.task = &jobs->job[n].task;
		in_context(i, try_once, &call);
		KUNIT_EXPECT_EQ(test, call.ret, 0);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, ++n));
		WPK_EVENTUALLY(test, wpk_stat(call.pool, idle) == 1);
		call.task = &jobs->job[n].task;
		in_context(i, try_once, &call);
		KUNIT_EXPECT_EQ(test, call.ret, 0);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, ++n));
	}
}

struct fn_call {
	struct wpool *pool;
	atomic_t *ran;
	int ret;
};

static void submit_fn_atomic(void *arg)
{
	struct fn_call *call = arg;

	call->ret = wpool_submit_fn(call->pool, wpk_count, call->ran, NULL, GFP_ATOMIC);
}

/* Make the call in all contexts that can allocate: not in a hard interrupt on PREEMPT_RT. */
static void wpool_submit_fn_atomic_works_where_it_can_allocate(struct kunit *test)
{
	atomic_t *ran = wpk_alloc(test, sizeof(*ran));
	struct fn_call call = { .ran = ran };

	call.pool = wpk_pool(test, 1, 3);
	submit_fn_atomic(&call);
	KUNIT_EXPECT_EQ(test, call.ret, 0);
	wpk_in_softirq(submit_fn_atomic, &call);
	KUNIT_EXPECT_EQ(test, call.ret, 0);
	wpk_in_irq(submit_fn_atomic, &call);
	KUNIT_EXPECT_EQ(test, call.ret, 0);
	wpk_destroy(test, call.pool);
	KUNIT_EXPECT_EQ(test, atomic_read(ran), 3);
}

/* ---- from a task ---------------------------------------------------------- */

static void submit_from_irq_over_a_worker(struct wpk_job *job)
{
	struct submit_call call = {
		.pool = job->arg,
		.task = &(job + 1)->task,
	};

	wpk_in_hardirq(try_once, &call);
	job->ret = call.ret;
	call.task = &(job + 2)->task;
	wpk_in_softirq(try_once, &call);
	job->ret = job->ret ?: call.ret;
}

/* A submit in an interrupt is not by a task, even if the interrupt hits a worker. */
static void wpool_try_submit_from_an_interrupt_over_a_worker(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpool *full = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_jobs *refused = wpk_jobs(test, 3, NULL);

	jobs->job[0].body = submit_from_irq_over_a_worker;
	jobs->job[0].arg = pool;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);

	refused->job[0].body = submit_from_irq_over_a_worker;
	refused->job[0].arg = full;
	wpk_job_run(test, full, &refused->job[0]);
	KUNIT_EXPECT_EQ(test, refused->job[0].ret, -EAGAIN);
}

static void submit_to_arg(struct wpk_job *job)
{
	job->ret = wpool_submit(job->arg, &(job + 1)->task);
}

static void wpool_submit_from_another_pools_task_may_block(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpool *other = wpk_pool(test, 1, 0);
	struct wpk_jobs *first = wpk_gated(test, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	wpk_jobs_submit(test, pool, first, 0, 1);
	jobs->job[0].body = submit_to_arg;
	jobs->job[0].arg = pool;
	wpk_jobs_submit(test, other, jobs, 0, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->finished), 0);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	wpk_jobs_ran_once(test, jobs);
}

WPK_SUITE(submit,
	  KUNIT_CASE(wpool_try_submit_in_any_context_wakes_a_worker),
	  KUNIT_CASE(wpool_submit_fn_atomic_works_where_it_can_allocate),
	  KUNIT_CASE(wpool_try_submit_from_an_interrupt_over_a_worker),
	  KUNIT_CASE(wpool_submit_from_another_pools_task_may_block));
