// SPDX-License-Identifier: GPL-2.0
/* The contract of the submits of tasks, see contract.h. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/module.h>

#include "contract.h"

static struct module going = { .name = "going", .state = MODULE_STATE_GOING };

static void call_in_task(struct wpk_job *job)
{
	wpk_contract_in_object(job->arg);
}

void wpk_make_task(struct wpk_world *w)
{
	struct wpk_jobs *jobs = wpk_jobs(w->test, 1, w->object_gate);
	struct wpool_task *task = &jobs->job[0].task;

	wpk_jobs_body(jobs, call_in_task, w);
	w->object = &jobs->job[0];
	w->task = task;
	switch (w->row->object) {
	case NONE:
		w->task = NULL;
		break;
	case ERR:
		w->task = ERR_PTR(-ENOMEM);
		break;
	case WITHOUT_FUNC:
		wpool_task_init(task, NULL);
		break;
	case DETACHED:
	case QUEUED_DETACHED:
		wpool_task_init_detached(task, wpk_job_fn, NULL);
		break;
	case GOING:
		wpool_task_init_detached(task, wpk_job_fn, &going);
		break;
	case DISABLED:
		KUNIT_ASSERT_EQ(w->test, wpool_task_disable_sync(task), 0);
		break;
	default:
		break;
	}
}

static int submit_task(struct wpk_world *w)
{
	struct wpk_job *job = w->object;

	return wpool_submit(w->real, &job->task);
}

int wpk_runs_of_task(struct wpk_world *w)
{
	struct wpk_job *job = w->object;

	KUNIT_EXPECT_FALSE(w->test, job->twice);
	return atomic_read(&job->runs);
}

static int status_of_task(struct wpk_world *w)
{
	struct wpk_job *job = w->object;

	return job->task.flags & WPOOL_TASK_DETACHED ? 0 : wpool_task_wait(&job->task);
}

const struct wpk_noun wpk_task_noun = {
	.make = wpk_make_task,
	.submit = submit_task,
	.runs = wpk_runs_of_task,
	.status = status_of_task,
};

CALL(wpool_submit, wpool_submit(w->pool, w->task))
CALL(wpool_submit_timeout, wpool_submit_timeout(w->pool, w->task, MAX_SCHEDULE_TIMEOUT))
CALL(wpool_submit_on, wpool_submit_on(w->pool, wpk_cpu(0), w->task))
CALL(wpool_try_submit, wpool_try_submit(w->pool, w->task))
CALL(wpool_try_submit_on, wpool_try_submit_on(w->pool, wpk_cpu(0), w->task))

/* A batch of one task: its result of 1 stands for the 0 of the other submits. */
static long submit_batch(struct wpk_world *w, unsigned int flags)
{
	int ret = wpool_submit_batch(w->pool, &w->task, 1, flags);

	return ret == 1 ? 0 : ret;
}

CALL(wpool_submit_batch, submit_batch(w, 0))
CALL(wpool_submit_batch_try, submit_batch(w, WPOOL_BATCH_TRY))
CALL(wpool_submit_batch_interruptible, submit_batch(w, WPOOL_BATCH_INTERRUPTIBLE))

/* ---- every submit --------------------------------------------------------- */

ENTRIES(every_submit,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "accepted, or run by the caller under %WPOOL_RUN" },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, 0, { .runs = 1 } },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "tasks that a task of the pool itself submits" },
	{ IN_THREAD, WITH_ROOM, DETACHED, 0, { .submitted = 1, .runs = 1 },
	  "Prepare it with wpool_task_init() (joinable) or wpool_task_init_detached()." },
	{ IN_THREAD, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 }, "the task is still pending" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 } },
	{ IN_THREAD, FULL, QUEUED, -EALREADY, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, QUEUED_DETACHED, -EALREADY, { .runs = 1 } },
	{ IN_THREAD, FULL, WAITING, -EALREADY, { .later = 1, .runs = 1 },
	  "is held by another submitter that may yet be refused" },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, -EALREADY, { .runs = 1 }, "the task is still pending" },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, -EALREADY, { .runs = 1 },
	  "is running in another pool" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .submitted = 1, .runs = 2 },
	  "it runs once more after its function has returned, never twice at once" },
	{ IN_THREAD, FULL, INSIDE, 0, { .submitted = 1, .runs = 2 },
	  "and the submit takes no further room in the pool" },
	{ IN_OWN_TASK, FULL, ITSELF, 0, { .submitted = 1, .runs = 2 },
	  "it runs once more after its function has returned, never twice at once" },
	{ IN_THREAD, WITH_ROOM, AGAIN, -EALREADY, { .runs = 2 }, "the task is still pending" },
	{ IN_THREAD, WITH_ROOM, DISABLED, -ECANCELED, { },
	  "each submit of the task gets -ECANCELED, also in a batch" },
	{ IN_OWN_TASK, WITH_ROOM, DISABLED, -ECANCELED, { } },
	{ IN_THREAD, WITH_ROOM, GOING, -ENOENT, { }, "the task's owner module is being unloaded" },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { },
	  "no pool, task or function; or the context is NMI" },
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { } },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, -EINVAL, { } },
	{ IN_OWN_TASK, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "under %WPOOL_FAIL it gets -EAGAIN like any caller", WPOOL_FAIL },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "the pool is full and the policy is %WPOOL_FAIL", WPOOL_FAIL },
	{ IN_THREAD, DRAINS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_OWN_TASK, DRAINS, UNUSED, -ESHUTDOWN, { },
	  "From then on every submit gets -ESHUTDOWN" },
	{ IN_THREAD, DRAINS, INSIDE, -ESHUTDOWN, { .runs = 1 } },
	{ IN_OWN_TASK, DRAINS, ITSELF, -ESHUTDOWN, { .runs = 1 } },
	{ IN_THREAD, CANCELS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_OWN_TASK, CANCELS, UNUSED, -ESHUTDOWN, { },
	  "From then on every submit gets -ESHUTDOWN" },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN" },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN", WPOOL_FAIL },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN", WPOOL_RUN },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { },
	  "clients get -ESHUTDOWN", WPOOL_DROP_OLDEST },
	{ IN_THREAD, FOR_OWN, INSIDE, -ESHUTDOWN, { .runs = 1 } },
	{ IN_OWN_TASK, FOR_OWN, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "released with %WPOOL_RELEASE_OWN; accepts its events and what its own tasks submit" },
	{ IN_OWN_TASK, FOR_OWN, ITSELF, 0, { .submitted = 1, .runs = 2 } },
	{ IN_THREAD, DESTROYING, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_OWN_TASK, DESTROYING, UNUSED, -ESHUTDOWN, { },
	  "From then on every submit gets -ESHUTDOWN" },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { }, "the pool is closed" });

/* ---- submits that may sleep ----------------------------------------------- */

ENTRIES(sleeping_submit,
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "it sleeps, killable, first-in-first-out, until the task fits" },
	{ IN_OWN_TASK, FULL, UNUSED, -EDEADLK, { .refused = 1 },
	  "the pool is full, and the caller is one of its own tasks and would have waited" });

ENTRIES(killed_submit,
	{ KILLED, FULL, UNUSED, -EINTR, { }, "the caller was killed while it waited" },
	{ SIGNALLED, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "it sleeps, killable, first-in-first-out, until the task fits" });

ENTRIES(interrupted_submit,
	{ KILLED, FULL, UNUSED, -EINTR, { }, "any signal ends the wait" },
	{ SIGNALLED, FULL, UNUSED, -EINTR, { } });

ENTRIES(submit_by_policy,
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .runs = 1 },
	  "it runs the task itself; can be chosen only at creation", WPOOL_RUN },
	{ IN_OWN_TASK, FULL, UNUSED, 0, { .waits = true, .runs = 1 },
	  "it runs the task itself; can be chosen only at creation", WPOOL_RUN },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "other task is queued, if eight events and tasks of strands come first,",
	  WPOOL_DROP_OLDEST });

/* ---- submits that never sleep --------------------------------------------- */

ENTRIES(trying_submit,
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "any except NMI, and not with scheduler locks held" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 } },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 }, "the task is still pending" },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, -EALREADY, { .runs = 1 } },
	{ IN_HARDIRQ, FULL, INSIDE, 0, { .submitted = 1, .runs = 2 },
	  "and the submit takes no further room in the pool" },
	{ IN_HARDIRQ, WITH_ROOM, DISABLED, -ECANCELED, { },
	  "each submit of the task gets -ECANCELED, also in a batch" },
	{ IN_SOFTIRQ, DRAINS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_HARDIRQ, DRAINS, UNUSED, -ESHUTDOWN, { } },
	{ IN_HARDIRQ, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN" },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "-EAGAIN if the pool is full or other submitters already wait" },
	{ IN_OWN_TASK, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_SOFTIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_HARDIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_SOFTIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "-EAGAIN if the pool is full or other submitters already wait", WPOOL_FAIL },
	{ IN_HARDIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "-EAGAIN if the pool is full or other submitters already wait", WPOOL_FAIL },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "-EAGAIN if the pool is full or other submitters already wait", WPOOL_DROP_OLDEST },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "Never sleeps and never runs the task in the caller.", WPOOL_RUN },
	{ IN_SOFTIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "Never sleeps and never runs the task in the caller.", WPOOL_RUN },
	{ IN_HARDIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "Never sleeps and never runs the task in the caller.", WPOOL_RUN });

/* ---- submits with a timeout, a CPU, a number ------------------------------ */

CALL(wpool_submit_timeout_0, wpool_submit_timeout(w->pool, w->task, 0))

static long call_wpool_submit_timeout_negative(struct wpk_world *w)
{
	long ret = wpool_submit_timeout(w->pool, w->task, -1);

	return wpool_submit_timeout(w->pool, w->task, LONG_MIN) == ret ? ret : 0;
}

ENTRIES(submit_timeout,
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "it neither runs the task nor drops one", WPOOL_RUN },
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "it neither runs the task nor drops one", WPOOL_DROP_OLDEST });

ENTRIES(submit_timeout_0,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "in jiffies; 0 does not wait" },
	{ IN_THREAD, FULL, UNUSED, -ETIME, { }, "With a @timeout of 0 it gives -ETIME at once" },
	{ IN_OWN_TASK, FULL, UNUSED, -ETIME, { },
	  "With a @timeout of 0 it gives -ETIME at once, also to one of the pool's own tasks." },
	{ IN_THREAD, FULL, UNUSED, -ETIME, { },
	  "it neither runs the task nor drops one", WPOOL_RUN },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "If the pool is full, %WPOOL_FAIL gives -EAGAIN.", WPOOL_FAIL });

static long call_wpool_submit_on_no_cpu(struct wpk_world *w)
{
	int ret = wpool_submit_on(w->pool, -1, w->task);

	ret = ret == -EINVAL ? wpool_submit_on(w->pool, nr_cpu_ids, w->task) : ret;
	return ret == -EINVAL ? wpool_submit_on(w->pool, INT_MAX, w->task) : ret;
}

static long call_wpool_try_submit_on_no_cpu(struct wpk_world *w)
{
	int ret = wpool_try_submit_on(w->pool, -1, w->task);

	ret = ret == -EINVAL ? wpool_try_submit_on(w->pool, nr_cpu_ids, w->task) : ret;
	return ret == -EINVAL ? wpool_try_submit_on(w->pool, INT_MAX, w->task) : ret;
}

CALL(wpool_submit_batch_of_none, wpool_submit_batch(w->pool, &w->task, 0, 0))
CALL(wpool_submit_batch_too_many, wpool_submit_batch(w->pool, &w->task, 1U + INT_MAX, 0))
CALL(wpool_submit_batch_unknown_flag, wpool_submit_batch(w->pool, &w->task, 1, BIT(2)))
CALL(wpool_submit_batch_no_tasks, wpool_submit_batch(w->pool, NULL, 1, 0))

ENTRIES(bad_timeout,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { }, "-EINVAL also if @timeout is negative" });

ENTRIES(bad_cpu,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { }, "-EINVAL also if @cpu is not possible" });

ENTRIES(bad_batch,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { }, "or -EINVAL for a bad @nr or @flags" });

NO_ROWS("no submit may be given an ERR_PTR", ERR_POOL, ERR, every_submit);
NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, sleeping_submit);
NO_ROWS("they do not sleep", KILLED, trying_submit);

#define SUBMIT(function, table) CONTRACT(function, table, &wpk_task_noun)

WPK_SUITE(contract_submit,
	  SUBMIT(wpool_submit, every_submit),
	  SUBMIT(wpool_submit, sleeping_submit),
	  SUBMIT(wpool_submit, killed_submit),
	  SUBMIT(wpool_submit, submit_by_policy),
	  SUBMIT(wpool_submit_timeout, every_submit),
	  SUBMIT(wpool_submit_timeout, sleeping_submit),
	  SUBMIT(wpool_submit_timeout, killed_submit),
	  SUBMIT(wpool_submit_timeout, submit_timeout),
	  SUBMIT(wpool_submit_timeout_0, submit_timeout_0),
	  SUBMIT(wpool_submit_timeout_negative, bad_timeout),
	  SUBMIT(wpool_submit_on, every_submit),
	  SUBMIT(wpool_submit_on, sleeping_submit),
	  SUBMIT(wpool_submit_on, killed_submit),
	  SUBMIT(wpool_submit_on, submit_by_policy),
	  SUBMIT(wpool_submit_on_no_cpu, bad_cpu),
	  SUBMIT(wpool_try_submit, every_submit),
	  SUBMIT(wpool_try_submit, trying_submit),
	  SUBMIT(wpool_try_submit_on, every_submit),
	  SUBMIT(wpool_try_submit_on, trying_submit),
	  SUBMIT(wpool_try_submit_on_no_cpu, bad_cpu),
	  SUBMIT(wpool_submit_batch, every_submit),
	  SUBMIT(wpool_submit_batch, sleeping_submit),
	  SUBMIT(wpool_submit_batch, killed_submit),
	  SUBMIT(wpool_submit_batch, submit_by_policy),
	  SUBMIT(wpool_submit_batch_interruptible, every_submit),
	  SUBMIT(wpool_submit_batch_interruptible, sleeping_submit),
	  SUBMIT(wpool_submit_batch_interruptible, interrupted_submit),
	  SUBMIT(wpool_submit_batch_interruptible, submit_by_policy),
	  SUBMIT(wpool_submit_batch_try, every_submit),
	  SUBMIT(wpool_submit_batch_try, trying_submit),
	  SUBMIT(wpool_submit_batch_of_none, bad_batch),
	  SUBMIT(wpool_submit_batch_too_many, bad_batch),
	  SUBMIT(wpool_submit_batch_unknown_flag, bad_batch),
	  SUBMIT(wpool_submit_batch_no_tasks, bad_batch));
