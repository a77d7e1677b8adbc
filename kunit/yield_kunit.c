// SPDX-License-Identifier: GPL-2.0
/* On kernels without preemption, a loop over many tasks lets other threads of its CPU run. */
#include <linux/preempt.h>

#include "fixture.h"

/* A real-time thread, which gets the first CPU as soon as the thread there yields. */
struct urgent {
	struct completion ready;
	struct completion go;
	bool ran;
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

/* Start the thread on the first CPU, and move the case there. The thread then waits for @go. */
static struct wpk_thread *urgent_thread(struct kunit *test, struct urgent **urgent)
{
	struct wpk_thread *thread;

	if (!preempt_model_none() && !preempt_model_voluntary())
		kunit_skip(test, "the kernel preempts its threads");
	*urgent = wpk_alloc(test, sizeof(**urgent));
	init_completion(&(*urgent)->ready);
	init_completion(&(*urgent)->go);
	wpk_move_to(wpk_cpu(0));
	thread = wpk_thread(test, run_when_told, NULL, NULL, *urgent);
	wait_for_completion(&(*urgent)->ready);
	return thread;
}

/* More tasks than wpool_submit_batch() accepts before it lets other threads run. */
#define NR_TASKS	1100

static void wpool_submit_batch_lets_others_run_in_between(struct kunit *test)
{
	struct wpool_task **tasks = wpk_alloc(test, NR_TASKS * sizeof(*tasks));
	struct wpool_task *task = wpk_alloc(test, NR_TASKS * sizeof(*task));
	struct wpk_thread *thread;
	struct urgent *urgent;
	struct wpool *pool;
	int i, accepted;
	bool in_time;

	for (i = 0; i < NR_TASKS; i++) {
		wpool_task_init(&task[i], wpk_empty);
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
}

WPK_SUITE(yield,
	  KUNIT_CASE(wpool_submit_batch_lets_others_run_in_between));
