// SPDX-License-Identifier: GPL-2.0
/*
 * Disable: after a _sync call each submit is refused, and the function does not run. No such call
 * waits behind another task.
 */
#include <linux/semaphore.h>

#include "fixture.h"
#include "probe.h"

#define NR_ROUNDS	WPK_ROUNDS(200)

static int do_disable_sync(struct wpk_thread *thread)
{
	return wpool_task_disable_sync(thread->work);
}

/*
 * Two tasks that are submitted all the time: the first takes @lock, and a thread that has @lock
 * disables the second. For lockdep, a wait for one task is a wait for all tasks of the pool. So
 * @lock is a semaphore, which lockdep does not check.
 */
struct behind {
	struct semaphore lock;
	struct wpk_jobs *jobs;
};

static void take_lock(struct wpk_job *job)
{
	struct behind *behind = job->arg;

	if (down_killable(&behind->lock))
		return;
	up(&behind->lock);
}

static int submit_both(struct wpk_thread *thread)
{
	struct behind *behind = thread->arg;
	int i, err;

	while (!wpk_stopped(thread->test)) {
		for (i = 0; i < 2; i++) {
			err = wpool_try_submit(thread->pool, &behind->jobs->job[i].task);
			if (err && err != -EALREADY && err != -EAGAIN && err != -ECANCELED)
				return err;
		}
		cond_resched();
	}
	return 0;
}

static int disable_with_lock(struct wpk_thread *thread)
{
	struct behind *behind = thread->arg;
	struct wpool_task *task = &behind->jobs->job[1].task;
	int i, ret = 0;

	for (i = 0; i < NR_ROUNDS && (!ret || ret == -ECANCELED); i++) {
		if (down_killable(&behind->lock))
			return -EINTR;
		ret = wpool_task_disable_sync(task);
		up(&behind->lock);
		if (!ret || ret == -ECANCELED)
			wpool_task_enable(task);
		cond_resched();
	}
	return ret == -ECANCELED ? 0 : ret;
}

/*
 * wpool_task_disable_sync() does not wait for another task, here one that waits for a lock that the
 * caller has.
 */
static void wpool_task_disable_sync_does_not_wait_behind_another_task(struct kunit *test)
{
	struct behind *behind = wpk_alloc(test, sizeof(*behind));
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *submitter, *thread;

	sema_init(&behind->lock, 1);
	behind->jobs = jobs;
	wpk_job_body(&jobs->job[0], take_lock, behind);
	submitter = wpk_thread(test, submit_both, pool, NULL, behind);
	thread = wpk_thread(test, disable_with_lock, pool, NULL, behind);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
}

/* When a cancel of @task ends, a tracepoint calls submit_at_its_end(), which submits @task. */
struct moment {
	struct wpool *pool;
	struct wpool_task *task;
	int ret;
};

static void submit_at_its_end(void *data, const char *pool, int cpu,
			      const struct wpool_task *task, void *func, int status)
{
	struct moment *moment = data;

	if (task == moment->task)
		moment->ret = wpool_try_submit(moment->pool, moment->task);
}

static void wpool_task_cancel_sync_submit_at_its_end_is_refused(struct kunit *test)
{
	struct moment *moment = wpk_alloc(test, sizeof(*moment));
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 1);
	struct wpk_thread *thread;

	moment->pool = pool;
	moment->task = &jobs->job[1].task;
	wpk_probe(test, "wpool_task_dropped", submit_at_its_end, moment);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	thread = wpk_thread(test, wpk_do_cancel_sync, NULL, moment->task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, moment->ret, -ECANCELED);
	wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

/* Two disables of a running task both count. */
static void wpool_task_disable_sync_twice_while_it_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_held(test, pool, 2, 1);
	struct wpool_task *task = &jobs->job[0].task, *tasks[] = { &jobs->job[1].task, task };
	struct wpk_thread *threads[2];
	int i;

	for (i = 0; i < 2; i++)
		threads[i] = wpk_sleeper(test, do_disable_sync, pool, task, NULL);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	/* one disable is left: the task is still refused */
	KUNIT_EXPECT_FALSE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	wpk_gate_open(jobs->gate);
	wpk_join_all(test, threads, 2);
	/* a batch accepts the tasks before the disabled one */
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 2, 0), 1);
	KUNIT_EXPECT_TRUE(test, wpool_task_enable(task));
	wpk_task_run(test, pool, task);
}

WPK_SUITE(disable,
	  KUNIT_CASE_SLOW(wpool_task_disable_sync_does_not_wait_behind_another_task),
	  KUNIT_CASE(wpool_task_cancel_sync_submit_at_its_end_is_refused),
	  KUNIT_CASE(wpool_task_disable_sync_twice_while_it_runs));
