// SPDX-License-Identifier: GPL-2.0
/* Submits from all contexts: threads, interrupts, and tasks of this pool or of another pool. */
#include <linux/smp.h>

#include "fixture.h"

static void in_process(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

/* The last CPU may be asleep. */
static void in_ipi(void (*fn)(void *arg), void *arg)
{
	smp_call_function_single(cpumask_last(cpu_online_mask), fn, arg, true);
}

static void with_irqs_off(void (*fn)(void *arg), void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	fn(arg);
	local_irq_restore(flags);
}

static const wpk_context contexts[] = {
	in_process, wpk_in_softirq, wpk_in_hardirq, in_ipi, with_irqs_off,
};

/* A submit in any context wakes a parked worker, or has one made. */
static void wpool_try_submit_in_any_context_wakes_a_worker(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2 * ARRAY_SIZE(contexts), NULL);
	struct wpool *pool = NULL;
	int i;

	for (i = 0; i < jobs->nr; i++) {
		if (i % 2)
			WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
		else
			pool = wpk_pool(test, 1, 1);
		KUNIT_EXPECT_EQ(test, wpk_try_in(contexts[i / 2], pool, &jobs->job[i].task), 0);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, i + 1));
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

/*
 * wpool_submit_fn() with GFP_ATOMIC works in all contexts that can allocate: not in a hard
 * interrupt on PREEMPT_RT.
 */
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
	int first = wpk_try_in(wpk_in_hardirq, job->arg, &(job + 1)->task);
	int second = wpk_try_in(wpk_in_softirq, job->arg, &(job + 2)->task);

	job->ret = first ?: second;
}

/* A submit in an interrupt is not by a task, even if the interrupt hits a worker. */
static void wpool_try_submit_from_an_interrupt_over_a_worker(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpool *full = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_jobs *refused = wpk_jobs(test, 3, NULL);

	wpk_job_body(&jobs->job[0], submit_from_irq_over_a_worker, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);

	wpk_job_body(&refused->job[0], submit_from_irq_over_a_worker, full);
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
	wpk_job_body(&jobs->job[0], submit_to_arg, pool);
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
