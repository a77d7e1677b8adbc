// SPDX-License-Identifier: GPL-2.0
/*
 * Disable and enable: between the two, no submit of a task is accepted and no fire of an
 * event counts, whoever tries, and the function does not run.
 */
#include <linux/semaphore.h>
#include <linux/wpool_event.h>

#include "event.h"
#include "fixture.h"
#include "probe.h"

#define NR_SUBMITTERS	2
#define NR_ROUNDS	WPK_ROUNDS(200)
/* Failed tries of a submitter before the task is enabled. */
#define NR_TRIES	20

/* ---- tasks ---------------------------------------------------------------- */

static void wpool_task_disable_sync_submits_are_refused(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool_task *task = &jobs->job[0].task, *tasks[] = { &jobs->job[1].task, task };

	KUNIT_EXPECT_EQ(test, wpool_task_disable_sync(task), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, 0, task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, &task, 1, 0), -ECANCELED);
	/* of several, those before it are accepted */
	KUNIT_EXPECT_EQ(test, wpool_submit_batch(pool, tasks, 2, 0), 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(tasks[0]), 0);
	/* one that is disabled counts as finished */
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	wpk_destroy(test, pool);
	wpk_jobs_ran_once(test, jobs);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 2);
}

static void wpool_task_disable_sync_twice_is_enabled_twice(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;

	KUNIT_EXPECT_EQ(test, wpool_task_disable_sync(task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_disable_sync(task), 0);
	KUNIT_EXPECT_FALSE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
}

static void wpool_task_disable_sync_of_a_queued_task_takes_it_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate);
	struct wpool_task *task = &jobs->job[1].task;

	/* which of the two would be the first is not promised */
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_disable_sync(task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

static int do_disable_sync(struct wpk_thread *thread)
{
	return wpool_task_disable_sync(thread->work);
}

/* Also one that always submits itself again. */
static void resubmit(struct wpk_job *job)
{
	job->ret = wpool_try_submit(job->arg, &job->task);
}

static void wpool_task_disable_sync_of_a_running_task_waits_for_it(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpk_job *job = &jobs->job[0];
	struct wpk_thread *thread;

	wpk_jobs_body(jobs, resubmit, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	thread = wpk_thread(test, do_disable_sync, pool, &job->task, NULL);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(thread));
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, job->ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &job->task), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_task_enable(&job->task));
}

/* What threads do that know nothing of each other, and what came of it. */
struct try {
	struct wpk_jobs *jobs;
	struct wpk_ev *ev;
	atomic_t accepted;
	atomic_t tries;
};

static int submit_always(struct wpk_thread *thread)
{
	struct try *try = thread->arg;
	int err;

	while (!wpk_stopped(thread->test)) {
		err = wpool_try_submit(thread->pool, thread->work);
		if (!err)
			atomic_inc(&try->accepted);
		else if (err != -EALREADY && err != -EAGAIN && err != -ECANCELED)
			return err;
		atomic_inc(&try->tries);
		cond_resched();
	}
	return 0;
}

static void wpool_task_disable_sync_against_submitters_it_does_not_run(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_job *job = &jobs->job[0];
	struct wpk_thread *threads[NR_SUBMITTERS];
	struct try *try = kunit_kzalloc(test, sizeof(*try), GFP_KERNEL);
	int i, ret, runs, tries;

	KUNIT_ASSERT_NOT_NULL(test, try);
	for (i = 0; i < NR_SUBMITTERS; i++)
		threads[i] = wpk_thread(test, submit_always, pool, &job->task, try);
	for (i = 0; i < NR_ROUNDS; i++) {
		ret = wpool_task_disable_sync(&job->task);
		KUNIT_ASSERT_TRUE(test, !ret || ret == -ECANCELED);
		/* of the last submit, also if that came just now */
		KUNIT_ASSERT_EQ(test, wpool_task_wait(&job->task), ret);
		runs = atomic_read(&job->runs);
		tries = atomic_read(&try->tries);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&try->tries) - tries > NR_TRIES);
		KUNIT_ASSERT_EQ(test, atomic_read(&job->runs), runs);
		KUNIT_ASSERT_EQ(test, atomic_read(&job->inside), 0);
		/* a run before the last one may still be about to be counted out */
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, outstanding) == 0);
		KUNIT_ASSERT_TRUE(test, wpool_task_enable(&job->task));
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&job->runs) > runs);
	}
	wpk_stop(test);
	for (i = 0; i < NR_SUBMITTERS; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_FALSE(test, job->twice);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), atomic_read(&try->accepted));
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs) + wpk_stat(pool, cancelled),
			atomic_read(&try->accepted));
}

/*
 * A task that wants a lock, one that is disabled, and a lot of submits of both. The lock is one of
 * which lockdep knows nothing: it takes each wait for a task as one for all tasks of its pool.
 */
struct behind {
	/* only for two threads that want it */
	struct semaphore lock;
	struct wpk_jobs *jobs;
	int (*take_back)(struct wpool_task *task);
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

static int take_back_with_lock(struct wpk_thread *thread)
{
	struct behind *behind = thread->arg;
	struct wpool_task *task = &behind->jobs->job[1].task;
	int i, ret = 0;

	for (i = 0; i < NR_ROUNDS && (!ret || ret == -ECANCELED); i++) {
		if (down_killable(&behind->lock))
			return -EINTR;
		ret = behind->take_back(task);
		up(&behind->lock);
		if (behind->take_back == wpool_task_disable_sync && (!ret || ret == -ECANCELED))
			wpool_task_enable(task);
		cond_resched();
	}
	return ret == -ECANCELED ? 0 : ret;
}

/* The other task gets the lock when the call has returned, so the call must not wait for it. */
static void behind_another(struct kunit *test, int (*take_back)(struct wpool_task *task))
{
	struct behind *behind = kunit_kzalloc(test, sizeof(*behind), GFP_KERNEL);
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *submitter, *thread;

	KUNIT_ASSERT_NOT_NULL(test, behind);
	sema_init(&behind->lock, 1);
	behind->jobs = jobs;
	behind->take_back = take_back;
	jobs->job[0].arg = behind;
	jobs->job[0].body = take_lock;
	submitter = wpk_thread(test, submit_both, pool, NULL, behind);
	thread = wpk_thread(test, take_back_with_lock, pool, NULL, behind);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	wpk_destroy(test, pool);
}

static void wpool_task_disable_sync_does_not_wait_behind_another_task(struct kunit *test)
{
	behind_another(test, wpool_task_disable_sync);
}

static void wpool_task_cancel_sync_does_not_wait_behind_another_task(struct kunit *test)
{
	behind_another(test, wpool_task_cancel_sync);
}

/* Submits a task in the moment in which it has been taken back, or has ended. */
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
	struct moment *moment = kunit_kzalloc(test, sizeof(*moment), GFP_KERNEL);
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate);
	struct wpk_thread *thread;

	KUNIT_ASSERT_NOT_NULL(test, moment);
	moment->pool = pool;
	moment->task = &jobs->job[1].task;
	wpk_probe(test, "wpool_task_dropped", submit_at_its_end, moment);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	thread = wpk_thread(test, wpk_do_cancel_sync, NULL, moment->task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, moment->ret, -ECANCELED);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

/* A count does not depend on the state in which it finds the task. */
static void wpool_task_disable_sync_twice_while_it_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, gate);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_thread *threads[2];
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	for (i = 0; i < 2; i++) {
		threads[i] = wpk_thread(test, do_disable_sync, pool, task, NULL);
		KUNIT_EXPECT_TRUE(test, wpk_sleeps(threads[i]));
	}
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	/* one of the two counts: it still refuses */
	KUNIT_EXPECT_FALSE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	wpk_gate_open(gate);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_task_enable(task));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
}

/* ---- events --------------------------------------------------------------- */

static void wpool_event_disable_fires_and_times_do_not_count(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	struct wpk_ev *hr = wpk_evs_kind(test, pool, NULL, 1, true);

	KUNIT_EXPECT_FALSE(test, wpool_event_disable(wpk_event(ev)));
	KUNIT_EXPECT_EQ(test, wpool_event_disable_sync(wpk_event(hr)), 0);
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(hr)));
	KUNIT_EXPECT_FALSE(test, wpool_event_arm(wpk_event(ev), 0));
	KUNIT_EXPECT_FALSE(test, wpool_event_mod(wpk_event(ev), 0));
	KUNIT_EXPECT_FALSE(test, wpool_hrevent_arm(&hr->hr, 0));
	/* nothing is armed: nothing is taken back */
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(hr)), 0);
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_event_enable(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_event_enable(wpk_event(hr)));
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs) + atomic_read(&hr->runs), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_hrevent_arm(&hr->hr, 0));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1 && atomic_read(&hr->returns) == 1);
}

static void wpool_event_disable_twice_is_enabled_twice(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 1, 0), NULL, 1);

	KUNIT_EXPECT_FALSE(test, wpool_event_disable(wpk_event(ev)));
	KUNIT_EXPECT_EQ(test, wpool_event_disable_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_FALSE(test, wpool_event_enable(wpk_event(ev)));
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_event_enable(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
}

static void disable(void *data)
{
	struct wpk_ev *ev = data;

	ev->ret = wpool_event_disable(wpk_event(ev));
}

static void wpool_event_disable_in_interrupts_takes_back_what_is_armed(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 1, 0), NULL, 3);
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, wpool_event_arm(wpk_event(&ev[i]), WPK_FAR));
	wpk_in_hardirq(disable, &ev[0]);
	wpk_in_irq(disable, &ev[1]);
	wpk_in_softirq(disable, &ev[2]);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, ev[i].ret);
		KUNIT_EXPECT_FALSE(test, wpool_event_arm(wpk_event(&ev[i]), 0));
		KUNIT_EXPECT_TRUE(test, wpool_event_enable(wpk_event(&ev[i])));
		KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(&ev[i])), 0);
	}
}

static int do_disable_event(struct wpk_thread *thread)
{
	return wpool_event_disable_sync(thread->arg);
}

/* It arms itself, and it was fired meanwhile: neither comes to anything. */
static void arm(struct wpk_ev *ev)
{
	ev->ret = wpool_event_arm(wpk_event(ev), 0);
}

static void wpool_event_disable_sync_waits_for_the_function(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 1, 0), gate, 1);
	struct wpk_thread *thread;

	ev->body = arm;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(wpk_event(ev)));
	thread = wpk_thread(test, do_disable_event, NULL, NULL, wpk_event(ev));
	/* the fire was taken back: from then on it waits */
	WPK_EVENTUALLY(test, READ_ONCE(thread->task->__state) & TASK_UNINTERRUPTIBLE);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->returns), 1);
	KUNIT_EXPECT_FALSE(test, ev->ret);
	KUNIT_EXPECT_FALSE(test, wpool_event_fire(wpk_event(ev)));
	KUNIT_EXPECT_TRUE(test, wpool_event_enable(wpk_event(ev)));
}

static int fire_always(struct wpk_thread *thread)
{
	struct try *try = thread->arg;

	while (!wpk_stopped(thread->test)) {
		if (wpool_event_fire(wpk_event(try->ev)))
			atomic_inc(&try->accepted);
		atomic_inc(&try->tries);
		cond_resched();
	}
	return 0;
}

static void wpool_event_disable_sync_against_fires_it_does_not_run(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	struct wpk_thread *threads[NR_SUBMITTERS];
	struct try *try = kunit_kzalloc(test, sizeof(*try), GFP_KERNEL);
	int i, ret, runs, tries, taken_back = 0;

	KUNIT_ASSERT_NOT_NULL(test, try);
	try->ev = ev;
	for (i = 0; i < NR_SUBMITTERS; i++)
		threads[i] = wpk_thread(test, fire_always, NULL, NULL, try);
	for (i = 0; i < NR_ROUNDS; i++) {
		ret = wpool_event_disable_sync(wpk_event(ev));
		KUNIT_ASSERT_TRUE(test, !ret || ret == -ECANCELED);
		taken_back += !!ret;
		runs = atomic_read(&ev->runs);
		tries = atomic_read(&try->tries);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&try->tries) - tries > NR_TRIES);
		KUNIT_ASSERT_EQ(test, atomic_read(&ev->runs), runs);
		KUNIT_ASSERT_EQ(test, atomic_read(&ev->inside), 0);
		KUNIT_ASSERT_TRUE(test, wpool_event_enable(wpk_event(ev)));
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&ev->runs) > runs);
	}
	wpk_stop(test);
	for (i = 0; i < NR_SUBMITTERS; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), 0);
	ret = wpool_event_cancel_sync(wpk_event(ev));
	taken_back += !!ret;
	KUNIT_EXPECT_FALSE(test, ev->twice);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs) + taken_back, atomic_read(&try->accepted));
}

static struct kunit_case disable_cases[] = {
	KUNIT_CASE(wpool_task_disable_sync_submits_are_refused),
	KUNIT_CASE(wpool_task_disable_sync_twice_is_enabled_twice),
	KUNIT_CASE(wpool_task_disable_sync_of_a_queued_task_takes_it_back),
	KUNIT_CASE(wpool_task_disable_sync_of_a_running_task_waits_for_it),
	KUNIT_CASE_SLOW(wpool_task_disable_sync_against_submitters_it_does_not_run),
	KUNIT_CASE_SLOW(wpool_task_disable_sync_does_not_wait_behind_another_task),
	KUNIT_CASE_SLOW(wpool_task_cancel_sync_does_not_wait_behind_another_task),
	KUNIT_CASE(wpool_task_cancel_sync_submit_at_its_end_is_refused),
	KUNIT_CASE(wpool_task_disable_sync_twice_while_it_runs),
	KUNIT_CASE(wpool_event_disable_fires_and_times_do_not_count),
	KUNIT_CASE(wpool_event_disable_twice_is_enabled_twice),
	KUNIT_CASE(wpool_event_disable_in_interrupts_takes_back_what_is_armed),
	KUNIT_CASE(wpool_event_disable_sync_waits_for_the_function),
	KUNIT_CASE_SLOW(wpool_event_disable_sync_against_fires_it_does_not_run),
	{}
};

static struct kunit_suite disable_suite = {
	.name = "wpool_disable",
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = disable_cases,
};

kunit_test_suite(disable_suite);
