// SPDX-License-Identifier: GPL-2.0
/*
 * Loops over many tasks on kernels without preemption: others of the CPU get their
 * turn before such a loop has come to its end.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fixture.h"

/* A thread that has a CPU as soon as whoever runs there lets go of it. */
struct urgent {
	struct completion ready;
	struct completion go;
	bool ran;
	bool in_time;
	atomic_t aborted;
};

static int run_when_told(struct wpk_thread *thread)
{
	struct urgent *urgent = thread->arg;

	wpk_move_to(wpk_cpu(0));
	sched_set_fifo(current);
	complete(&urgent->ready);
	wait_for_completion(&urgent->go);
	WRITE_ONCE(urgent->ran, true);
	return 0;
}

/*
 * The case goes to that CPU, too. When it is back from here, the thread sleeps: it went
 * before the case, which woke up behind it.
 */
static struct wpk_thread *urgent_thread(struct kunit *test, struct urgent **urgent)
{
	struct wpk_thread *thread;

	if (!preempt_model_none() && !preempt_model_voluntary())
		kunit_skip(test, "a kernel that preempts the loop anyway");
	*urgent = kunit_kzalloc(test, sizeof(**urgent), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *urgent);
	init_completion(&(*urgent)->ready);
	init_completion(&(*urgent)->go);
	wpk_move_to(wpk_cpu(0));
	thread = wpk_thread(test, run_when_told, NULL, NULL, *urgent);
	wait_for_completion(&(*urgent)->ready);
	return thread;
}

/* Some more than it hands over in one go. */
#define NR_TASKS	1100

static void do_nothing(struct wpool_task *task)
{
}

static void wpool_submit_batch_lets_others_run_in_between(struct kunit *test)
{
	struct wpool_task *task, **tasks;
	struct wpk_thread *thread;
	struct urgent *urgent;
	struct wpool *pool;
	int i, accepted;
	bool in_time;

	task = kunit_kcalloc(test, NR_TASKS, sizeof(*task), GFP_KERNEL);
	tasks = kunit_kcalloc(test, NR_TASKS, sizeof(*tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	for (i = 0; i < NR_TASKS; i++) {
		wpool_task_init(&task[i], do_nothing);
		tasks[i] = &task[i];
	}
	pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	thread = urgent_thread(test, &urgent);
	complete(&urgent->go);
	accepted = wpool_submit_batch(pool, tasks, NR_TASKS, 0);
	in_time = READ_ONCE(urgent->ran);

	KUNIT_EXPECT_EQ(test, accepted, NR_TASKS);
	KUNIT_EXPECT_TRUE(test, in_time);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_destroy(test, pool);
}

/* The first one wakes the thread, which has to run before the last one. */
static void tell_or_look(void *arg, int status)
{
	struct urgent *urgent = arg;

	urgent->in_time = READ_ONCE(urgent->ran);
	if (atomic_inc_return(&urgent->aborted) == 1)
		complete(&urgent->go);
}

static void never(void *arg)
{
}

#define NR_DROPPED	5

static void wpool_release_cancel_lets_others_run_in_between(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, NR_DROPPED);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpk_thread *thread;
	struct urgent *urgent;
	int i;

	thread = urgent_thread(test, &urgent);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < NR_DROPPED; i++)
		KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(pool, never, tell_or_look, urgent,
								THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&urgent->aborted), NR_DROPPED);
	KUNIT_EXPECT_TRUE(test, urgent->in_time);
	/* if it was never told, it is now */
	complete(&urgent->go);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
}

static struct kunit_case yield_cases[] = {
	KUNIT_CASE(wpool_submit_batch_lets_others_run_in_between),
	KUNIT_CASE(wpool_release_cancel_lets_others_run_in_between),
	{}
};

static struct kunit_suite yield_suite = {
	.name = "wpool_yield",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = yield_cases,
};

kunit_test_suite(yield_suite);
