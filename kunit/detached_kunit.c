// SPDX-License-Identifier: GPL-2.0
/*
 * Detached tasks and wpool_submit_fn(): no thread waits for them, they may free themselves, and the
 * module that holds their text stays until they have returned.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "fixture.h"

/* A task that frees itself; its results are in other memory. */
struct loner {
	struct wpool_task task;
	atomic_t *ran;
	struct wpk_gate *gate;
};

static void free_oneself(struct wpool_task *task)
{
	struct loner *loner = container_of(task, struct loner, task);
	struct wpk_gate *gate = loner->gate;
	atomic_t *ran = loner->ran;

	/* from here on the pool must not touch the task */
	kfree(loner);
	if (gate)
		wpk_gate_pass(gate);
	atomic_inc(ran);
}

static struct loner *loner_create(struct kunit *test, atomic_t *ran,
				  struct wpk_gate *gate, struct module *owner)
{
	struct loner *loner = kzalloc(sizeof(*loner), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, loner);
	loner->ran = ran;
	loner->gate = gate;
	wpool_task_init_detached(&loner->task, free_oneself, owner);
	return loner;
}

static void wpool_submit_detached_task_may_free_itself(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 8);
	atomic_t *ran = wpk_alloc(test, sizeof(*ran));
	struct loner *loner;
	unsigned int i;

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		loner = loner_create(test, ran, NULL, NULL);
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &loner->task), 0);
	}
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(ran), WPK_LIFETIME_ROUNDS);
}

static void submit_from_inside(struct wpk_job *job)
{
	struct wpool *pool = job->arg;

	if (atomic_read(&job->runs) == 1)
		job->ret = wpool_try_submit(pool, &job->task);
}

/* When a detached task has started, it no longer belongs to the pool. */
static void wpool_try_submit_running_detached_task_is_a_new_task(struct kunit *test)
{
	struct wpool *full = wpk_pool(test, 1, 0);
	struct wpool *roomy = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, submit_from_inside, NULL);
	int i;

	jobs->job[0].arg = full;
	jobs->job[1].arg = roomy;
	for (i = 0; i < 2; i++)
		wpool_task_init_detached(&jobs->job[i].task, wpk_job_fn, NULL);
	wpk_jobs_submit(test, full, jobs, 0, 1);
	wpk_jobs_submit(test, roomy, jobs, 1, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	wpk_destroy(test, full);
	wpk_destroy(test, roomy);
	/* The second submit needs a place, too, and the pool is full. */
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 2);
}

static void submit_and_meet(struct wpk_job *job)
{
	if (atomic_read(&job->runs) > 1)
		return;
	job->ret = wpool_try_submit(job->arg, &job->task);
	if (!job->ret && !wpk_eventually(atomic_read(&job->runs) == 2))
		job->ret = -ETIME;
}

/* A detached task may run twice at once. A joinable task never does. */
static void wpool_try_submit_running_detached_task_runs_beside_itself(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = wpk_pool(test, 2, 0);

	wpk_jobs_body(jobs, submit_and_meet, pool);
	wpool_task_init_detached(&jobs->job[0].task, wpk_job_fn, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_TRUE(test, jobs->job[0].twice);
}

static void wpool_submit_detached_task_pins_its_owner_until_it_returned(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_gate *gate = wpk_gate(test);
	atomic_t *ran = wpk_alloc(test, sizeof(*ran));
	struct wpk_jobs *cancelled = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &cancelled->job[0].task;
	int refs = module_refcount(THIS_MODULE), i;
	struct loner *loner;

	for (i = 0; i < 2; i++) {
		loner = loner_create(test, ran, gate, THIS_MODULE);
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &loner->task), 0);
	}
	/* One task runs, and has freed itself; the others are queued. */
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpool_task_init_detached(task, wpk_job_fn, THIS_MODULE);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 3);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	WPK_EVENTUALLY(test, module_refcount(THIS_MODULE) == refs + 2);
	wpk_gate_let(gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 2));
	WPK_EVENTUALLY(test, module_refcount(THIS_MODULE) == refs + 1);
	wpk_gate_open(gate);
	WPK_EVENTUALLY(test, module_refcount(THIS_MODULE) == refs);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&cancelled->started), 0);
}

static void wpool_try_submit_refused_detached_task_does_not_pin(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_gated(test, 2);
	struct wpool_task *task = &jobs->job[1].task;
	int refs = module_refcount(THIS_MODULE);

	wpool_task_init_detached(task, wpk_job_fn, THIS_MODULE);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, task), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, NULL, NULL, THIS_MODULE, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
}

WPK_PARAM_BOOL(own, "into a pool of the owner: %d");

/*
 * A module that submits a function to its own pool is not pinned: it must destroy the pool before
 * it is unloaded. This module does not own the default pool.
 */
static void wpool_submit_fn_pins_the_owner_until_it_returned(struct kunit *test)
{
	struct wpool *pool = wpk_is_on(test) ? wpk_pool(test, 1, 1) : wpool_default();
	struct wpk_gate *gate = wpk_gate(test);
	int refs = module_refcount(THIS_MODULE), i;

	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, wpool_submit_fn(pool, wpk_pass_gate, gate, THIS_MODULE,
						      GFP_KERNEL), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), wpk_is_on(test) ? refs : refs + 2);
	wpk_gate_open(gate);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 2));
	WPK_EVENTUALLY(test, module_refcount(THIS_MODULE) == refs);
}

static int do_submit_pass_gate(struct wpk_thread *thread)
{
	return wpool_submit_fn(thread->pool, wpk_pass_gate, thread->arg, THIS_MODULE, GFP_KERNEL);
}

/*
 * The owner of the pool is pinned while a submitter runs the function itself: wpool_destroy() waits
 * for workers, but not for that submitter.
 */
static void wpool_submit_fn_under_policy_run_pins_the_owner_of_the_pool(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_RUN);
	struct wpk_gate *gate = wpk_gate(test);
	int refs = module_refcount(THIS_MODULE);
	struct wpk_thread *thread;

	KUNIT_ASSERT_EQ(test, wpool_submit_fn(pool, wpk_pass_gate, gate, THIS_MODULE, GFP_KERNEL),
			0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = wpk_thread(test, do_submit_pass_gate, pool, NULL, gate);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 2));
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
}

WPK_SUITE(detached,
	  KUNIT_CASE_SLOW(wpool_submit_detached_task_may_free_itself),
	  KUNIT_CASE(wpool_try_submit_running_detached_task_is_a_new_task),
	  KUNIT_CASE(wpool_try_submit_running_detached_task_runs_beside_itself),
	  KUNIT_CASE(wpool_submit_detached_task_pins_its_owner_until_it_returned),
	  KUNIT_CASE(wpool_try_submit_refused_detached_task_does_not_pin),
	  KUNIT_CASE_PARAM(wpool_submit_fn_pins_the_owner_until_it_returned, own_gen_params),
	  KUNIT_CASE(wpool_submit_fn_under_policy_run_pins_the_owner_of_the_pool));
