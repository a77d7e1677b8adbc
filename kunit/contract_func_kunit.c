// SPDX-License-Identifier: GPL-2.0
/* The contract of functions of one argument: see contract.h. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/module.h>

#include "contract.h"

static struct module going = { .name = "going", .state = MODULE_STATE_GOING };

/* The object is never submitted: the calls of this function count as its runs. */
static void note_run(void *arg)
{
	struct wpk_job *job = arg;

	atomic_inc(&job->runs);
}

static void note_abort(void *arg, int status)
{
	struct wpk_job *job = arg;

	atomic_add(100, &job->runs);
}

static int submit_invoked(struct wpk_world *w)
{
	return wpool_invoke(w->real, w->object);
}

static int status_of_invoked(struct wpk_world *w)
{
	return 0;
}

static struct wpk_noun invoked = {
	.func = note_run,
	.make = wpk_make_task,
	.submit = submit_invoked,
	.runs = wpk_runs_of_task,
	.status = status_of_invoked,
};

static long submit_fn(struct wpk_world *w, wpool_arg_abort_fn abort, gfp_t gfp)
{
	struct module *owner = w->row->object == GOING ? &going : NULL;
	wpool_arg_fn fn = w->row->object == WITHOUT_FUNC ? NULL : note_run;

	if (abort)
		return wpool_submit_fn_abortable(w->pool, fn, abort, w->object, owner, gfp);
	return wpool_submit_fn(w->pool, fn, w->object, owner, gfp);
}

CALL(wpool_submit_fn, submit_fn(w, NULL, GFP_KERNEL))
CALL(wpool_submit_fn_atomic, submit_fn(w, NULL, GFP_ATOMIC))
CALL(wpool_submit_fn_abortable, submit_fn(w, note_abort, GFP_KERNEL))
CALL(wpool_submit_fn_abortable_atomic, submit_fn(w, note_abort, GFP_ATOMIC))
CALL(wpool_invoke, wpool_invoke(w->pool, w->object))

ENTRIES(every_fn,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "either the function returns or &wpool_attrs.abort, if set, is called" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "tasks that a task of the pool itself submits" },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "the pool is full and the policy is %WPOOL_FAIL", WPOOL_FAIL },
	{ IN_OWN_TASK, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "under %WPOOL_FAIL it gets -EAGAIN like any caller", WPOOL_FAIL },
	{ IN_THREAD, DRAINS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_OWN_TASK, DRAINS, UNUSED, -ESHUTDOWN, { },
	  "From then on every submit gets -ESHUTDOWN" },
	{ IN_THREAD, CANCELS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_THREAD, FOR_OWN, UNUSED, -ESHUTDOWN, { }, "clients get -ESHUTDOWN" },
	{ IN_OWN_TASK, FOR_OWN, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "released with %WPOOL_RELEASE_OWN; accepts its events and what its own tasks submit" },
	{ IN_THREAD, DESTROYING, UNUSED, -ESHUTDOWN, { }, "the pool is closed" },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { },
	  "no pool, task or function; or the context is NMI" });

ENTRIES(own_fn,
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, -EINVAL, { },
	  "no pool, task or function; or the context is NMI" },
	{ IN_THREAD, WITH_ROOM, GOING, -ENOENT, { }, "the task's owner module is being unloaded" },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, 0, { .runs = 1 },
	  "either the function returns or &wpool_attrs.abort, if set, is called" });

ENTRIES(sleeping_fn,
	{ IN_THREAD, FULL, UNUSED, 0, { .waits = true, .submitted = 1, .runs = 1 },
	  "it sleeps, killable, first-in-first-out, until the task fits" },
	{ KILLED, FULL, UNUSED, -EINTR, { }, "the caller was killed while it waited" },
	{ IN_OWN_TASK, FULL, UNUSED, -EDEADLK, { .refused = 1 },
	  "the pool is full, and the caller is one of its own tasks and would have waited" },
	{ IN_THREAD, FULL, UNUSED, 0, { .runs = 1 },
	  "it runs the task itself; can be chosen only at creation", WPOOL_RUN });

ENTRIES(trying_fn,
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, 0, { .submitted = 1, .runs = 1 },
	  "Without __GFP_DIRECT_RECLAIM the call never sleeps and behaves as wpool_try_submit()" },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_OWN_TASK, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_SOFTIRQ, FULL, UNUSED, -EAGAIN, { .refused = 1 } },
	{ IN_THREAD, FULL, UNUSED, -EAGAIN, { .refused = 1 },
	  "Never sleeps and never runs the task in the caller.", WPOOL_RUN },
	{ IN_SOFTIRQ, DRAINS, UNUSED, -ESHUTDOWN, { }, "the pool is closed" });

ENTRIES(plain_pool,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { },
	  "-EINVAL if the pool is bound to no function" });

CALL(wpool_invoke_plain, wpool_invoke(w->pool, w->object))

NO_ROWS("no submit may be given an ERR_PTR", ERR_POOL, every_fn);
NO_ROWS("they sleep: with GFP_ATOMIC see trying_fn", IN_SOFTIRQ, IN_HARDIRQ, sleeping_fn);
NO_ROWS("the default pool has no function: see plain_pool", DEFAULT_POOL, wpool_invoke);

#define FN(function, table) CONTRACT(function, table, &wpk_task_noun)
#define INVOKE(function, table) CONTRACT(function, table, &invoked)

WPK_SUITE(contract_func,
	  FN(wpool_submit_fn, every_fn),
	  FN(wpool_submit_fn, own_fn),
	  FN(wpool_submit_fn, sleeping_fn),
	  FN(wpool_submit_fn_atomic, every_fn),
	  FN(wpool_submit_fn_atomic, own_fn),
	  FN(wpool_submit_fn_atomic, trying_fn),
	  FN(wpool_submit_fn_abortable, every_fn),
	  FN(wpool_submit_fn_abortable, own_fn),
	  FN(wpool_submit_fn_abortable, sleeping_fn),
	  FN(wpool_submit_fn_abortable_atomic, every_fn),
	  FN(wpool_submit_fn_abortable_atomic, trying_fn),
	  INVOKE(wpool_invoke, every_fn),
	  INVOKE(wpool_invoke, sleeping_fn),
	  FN(wpool_invoke_plain, plain_pool));
