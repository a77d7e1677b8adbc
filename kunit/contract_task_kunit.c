// SPDX-License-Identifier: GPL-2.0
/* The contract of waits, cancels, free places, workers' data and loops: see contract.h. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/wpool_parallel.h>

#include "contract.h"

/* ---- waiting -------------------------------------------------------------- */

CALL(wpool_task_wait, wpool_task_wait(w->task))

ENTRIES(task_wait,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "the function returned, or the task was never submitted" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "Otherwise it sleeps until another worker has run the task." },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0, { .waits = true, .runs = 2 },
	  "The first four results are the task's status after its last submit that was accepted" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 },
	  "queued tasks run to their end" },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 },
	  "every accepted task run to its end" },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { },
	  "the function returned, or the task was never submitted" },
	{ IN_THREAD, CANCELS, QUEUED, -ECANCELED, { .status = -ECANCELED },
	  "queued tasks end with -ECANCELED" },
	{ IN_THREAD, CANCELS, AGAIN, -ECANCELED,
	  { .waits = true, .cancelled = 1, .runs = 1, .status = -ECANCELED },
	  "and the second submit of a running task, end with -ECANCELED" },
	{ IN_THREAD, WITH_ROOM, DISABLED, 0, { },
	  "the function returned, or the task was never submitted" },
	{ KILLED, WITH_ROOM, INSIDE, -EINTR, { .runs = 1 }, "the caller was killed" },
	{ KILLED, WITH_ROOM, QUEUED, -EINTR, { .runs = 1 } },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 },
	  "the task would wait for itself, or all workers up to the capacity wait like this" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "the caller runs the task itself while enough stack is left" },
	{ IN_OWN_TASK, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 },
	  "Otherwise it sleeps until another worker has run the task." },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true, .submitted = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, 0, { .waits = true, .runs = 1 } },
	{ IN_OWN_TASK, WITH_ROOM, INSIDE_ELSEWHERE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, DETACHED, -EINVAL, { }, "the task is detached, %NULL or ERR_PTR" },
	{ IN_THREAD, WITH_ROOM, QUEUED_DETACHED, -EINVAL, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { } },
	{ IN_THREAD, WITH_ROOM, ERR, -EINVAL, { } });

/* ---- taking back ---------------------------------------------------------- */

CALL(wpool_task_cancel, wpool_task_cancel(w->task))

#define TAKEN_BACK { .cancelled = 1, .status = -ECANCELED }

ENTRIES(task_cancel,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, { }, "false if the task was not pending" },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, { .runs = 1 } },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, false, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { } },
	{ IN_THREAD, WITH_ROOM, NONE, false, { }, "the task; %NULL and ERR_PTR are allowed" },
	{ IN_THREAD, WITH_ROOM, ERR, false, { } },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, TAKEN_BACK,
	  "true if a submit was taken back, so that the function does not run for it" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, true, TAKEN_BACK },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, true, TAKEN_BACK },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, true, TAKEN_BACK },
	{ IN_THREAD, DRAINS, QUEUED, true, TAKEN_BACK },
	{ IN_THREAD, DESTROYING, QUEUED, true, TAKEN_BACK },
	{ IN_THREAD, CANCELS, QUEUED, false, { .status = -ECANCELED },
	  "false if the task was not pending" },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, false, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, DETACHED, false, { } },
	{ IN_THREAD, DESTROYED, UNUSED, false, { } },
	{ IN_THREAD, WITH_ROOM, QUEUED_DETACHED, true, { .cancelled = 1 },
	  "true if a submit was taken back, so that the function does not run for it" },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, { .cancelled = 1, .runs = 1, .status = -ECANCELED } },
	{ IN_HARDIRQ, WITH_ROOM, AGAIN, true,
	  { .cancelled = 1, .runs = 1, .status = -ECANCELED } },
	{ IN_THREAD, FOR_OWN, QUEUED, true, TAKEN_BACK },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, true, { .status = -ECANCELED } },
	{ IN_THREAD, FULL, WAITING, true, { .status = -ECANCELED },
	  "If the submitter still waits for room, its submit returns with -ECANCELED" },
	{ IN_HARDIRQ, FULL, WAITING, true, { .status = -ECANCELED } });

CALL(wpool_task_cancel_sync, wpool_task_cancel_sync(w->task))

/* Check that a submit is refused after 0 or -ECANCELED, and is accepted after -EDEADLK. */
static long call_wpool_task_disable_sync(struct wpk_world *w)
{
	long ret = wpool_task_disable_sync(w->task);

	if (ret == 0 || ret == -ECANCELED) {
		KUNIT_EXPECT_EQ(w->test, wpool_try_submit(w->other ?: w->real, w->task),
				-ECANCELED);
		KUNIT_EXPECT_EQ(w->test, wpool_task_enable(w->task), w->row->object != DISABLED);
	} else if (ret == -EDEADLK) {
		KUNIT_EXPECT_EQ(w->test, wpool_try_submit(w->real, w->task), 0);
		KUNIT_EXPECT_TRUE(w->test, wpool_task_cancel(w->task));
	}
	return ret;
}

ENTRIES(cancel_sync,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { },
	  "the function returned, or the task was never submitted" },
	{ IN_THREAD, WITH_ROOM, DISABLED, 0, { } },
	{ IN_THREAD, WITH_ROOM, QUEUED, -ECANCELED, TAKEN_BACK,
	  "the last submit was taken back, even if the task ran meanwhile" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -ECANCELED, TAKEN_BACK },
	{ KILLED, WITH_ROOM, QUEUED, -ECANCELED, TAKEN_BACK,
	  "sleeps, killable, only if the task is running, another thread is ending it" },
	{ IN_THREAD, DRAINS, QUEUED, -ECANCELED, TAKEN_BACK,
	  "the last submit was taken back, even if the task ran meanwhile" },
	{ IN_THREAD, DESTROYING, QUEUED, -ECANCELED, TAKEN_BACK },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 },
	  "the function returned, or the task was never submitted" },
	{ IN_OWN_TASK, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, WITH_ROOM, AGAIN, -ECANCELED,
	  { .waits = true, .cancelled = 1, .runs = 1, .status = -ECANCELED },
	  "the last submit was taken back, even if the task ran meanwhile" },
	{ IN_THREAD, FOR_OWN, QUEUED, -ECANCELED, TAKEN_BACK },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, -ECANCELED, { .status = -ECANCELED } },
	{ KILLED, WITH_ROOM, INSIDE, -EINTR, { .runs = 1 }, "the caller was killed" },
	{ KILLED, WITH_ROOM, AGAIN, -EINTR, { .cancelled = 1, .runs = 1, .status = -ECANCELED } },
	{ IN_THREAD, FULL, WAITING, -ECANCELED, { .status = -ECANCELED },
	  "or back from a submitter that waits for room" },
	{ IN_THREAD, WITH_ROOM, DETACHED, -EINVAL, { }, "the task is detached, %NULL or ERR_PTR" },
	{ IN_THREAD, WITH_ROOM, QUEUED_DETACHED, -EINVAL, { .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, NONE, -EINVAL, { } },
	{ IN_THREAD, WITH_ROOM, ERR, -EINVAL, { } },
	{ IN_THREAD, CANCELS, QUEUED, -ECANCELED, { .status = -ECANCELED },
	  "queued tasks end with -ECANCELED" });

ENTRIES(cancel_sync_of_itself,
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK, { .runs = 1 },
	  "the task would cancel itself, or no worker is left to run it" });

ENTRIES(disable_sync_of_itself,
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, -EDEADLK,
	  { .submitted = 1, .cancelled = 1, .runs = 1, .status = -ECANCELED },
	  "after -EINTR, -EDEADLK and -EINVAL the task is not disabled" });

CALL(wpool_task_enable, wpool_task_enable(w->task))

static long call_wpool_task_enable_one_of_two(struct wpk_world *w)
{
	KUNIT_EXPECT_EQ(w->test, wpool_task_disable_sync(w->task), 0);
	return wpool_task_enable(w->task);
}

ENTRIES(task_enable,
	{ IN_THREAD, WITH_ROOM, DISABLED, true, { },
	  "true if the task can be submitted from now on" },
	{ IN_HARDIRQ, WITH_ROOM, DISABLED, true, { } },
	{ IN_SOFTIRQ, WITH_ROOM, DISABLED, true, { } },
	{ IN_OWN_TASK, WITH_ROOM, DISABLED, true, { } });

ENTRIES(task_enable_one_of_two,
	{ IN_THREAD, WITH_ROOM, DISABLED, false, { },
	  "false if it still is disabled by another call" });

/* ---- room ----------------------------------------------------------------- */

CALL(wpool_nr_free, wpool_nr_free(w->pool))

ENTRIES(nr_free,
	{ IN_THREAD, WITH_ROOM, UNUSED, 8, { }, "and all of them near the limit" },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, 7, { .runs = 1 } },
	{ IN_THREAD, FULL, UNUSED, 0, { }, "never more than there are" },
	{ IN_OWN_TASK, FULL, UNUSED, 0, { } },
	{ IN_SOFTIRQ, FULL, UNUSED, 0, { } },
	{ IN_HARDIRQ, FULL, UNUSED, 0, { } },
	{ IN_THREAD, FULL, UNUSED, 0, { }, "never more than there are", WPOOL_DROP_OLDEST },
	{ IN_THREAD, FULL, WAITING, 0, { .later = 1, .runs = 1 }, "or submitters wait" },
	{ IN_THREAD, DRAINS, UNUSED, 0, { }, "0 if the pool refuses the caller" },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, FOR_OWN, UNUSED, 0, { } },
	{ IN_THREAD, CANCELS, UNUSED, 0, { } },
	{ IN_THREAD, DESTROYING, UNUSED, 0, { } },
	{ IN_OWN_TASK, FOR_OWN, UNUSED, 8, { },
	  "its tasks may submit more tasks to end the connections" },
	{ IN_THREAD, NO_POOL, UNUSED, 0, { }, "the pool; for %NULL and ERR_PTR 0" },
	{ IN_THREAD, ERR_POOL, UNUSED, 0, { } },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, WPOOL_UNLIMITED, { },
	  "%WPOOL_UNLIMITED if there is no limit" });

/* ---- the calling worker --------------------------------------------------- */

CALL(wpool_worker_own, !!wpool_worker_own(w->pool))

ENTRIES(worker_own,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, { },
	  "%NULL if the caller is not in a task of @pool" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, false, { } },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, false, { },
	  "what &wpool_attrs.worker_start set in this thread" },
	{ IN_OWN_TASK, DRAINS, UNUSED, false, { } },
	{ IN_THREAD, NO_POOL, UNUSED, false, { },
	  "%NULL if the caller is not in a task of @pool" },
	{ IN_THREAD, DESTROYED, UNUSED, false, { } },
	{ IN_THREAD, ERR_POOL, UNUSED, false, { } });

static long call_wpool_worker_set_func(struct wpk_world *w)
{
	wpool_worker_set_func(wpk_contract);
	return 0;
}

ENTRIES(worker_set_func,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { }, "does nothing in any other context" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, 0, { } },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, 0, { } },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { }, "the function of a task" });

/* ---- loops ---------------------------------------------------------------- */

static int note_range(unsigned long from, unsigned long to, void *arg)
{
	struct wpk_job *job = arg;

	atomic_add(to - from, &job->runs);
	return 0;
}

static long call_wpool_parallel_for(struct wpk_world *w)
{
	struct wpk_job *job = w->object;

	return wpool_parallel_for(w->pool, 0, 3, 3,
				  w->row->object == WITHOUT_FUNC ? NULL : note_range, job);
}

ENTRIES(parallel_for,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .runs = 3 }, "the loop is done" },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, 0, { .runs = 3 } },
	{ IN_OWN_TASK, FULL, UNUSED, 0, { .runs = 3 },
	  "and a task of the same pool may call it, even at capacity 1" },
	{ IN_THREAD, FULL, UNUSED, 0, { .runs = 3 },
	  "it works with a pool that is full or closed" },
	{ IN_THREAD, FULL, UNUSED, 0, { .runs = 3 },
	  "it works with a pool that is full or closed", WPOOL_RUN },
	{ IN_THREAD, DRAINS, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, CANCELS, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, FOR_OWN, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, DESTROYING, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "no pool or function" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, -EINVAL, { } });

/* Three chunks: the caller asks for help. */
CALL(wpool_parallel_for_in_chunks, wpool_parallel_for(w->pool, 0, 3, 1, note_range, w->object))

ENTRIES(parallel_for_in_chunks,
	{ IN_THREAD, FULL, UNUSED, 0, { .runs = 3 },
	  "it works with a pool that is full or closed" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, DRAINS, UNUSED, 0, { .runs = 3 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { .runs = 3 } });

CALL(wpool_parallel_for_backwards, wpool_parallel_for(w->pool, 1, 0, 0, note_range, w->object))

ENTRIES(parallel_for_backwards,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { },
	  "no pool or function, or @from is greater than @to" });

NO_CONTRACT(wpool_task_init, "it cannot fail, and the scene of each row begins with it");
NO_CONTRACT(wpool_task_destroy_on_stack, "it reports a bug of the caller: object_kunit.c");
NO_CONTRACT(wpool_inject_set_delay, "only tests call it: between_kunit.c");
NO_CONTRACT(wpool_inject_start, "it is a variable: wrap_kunit.c");

NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, task_wait, cancel_sync, parallel_for);
NO_ROWS("they do not sleep, or no signal ends it", KILLED, task_cancel, task_enable, nr_free,
	parallel_for);
NO_ROWS("it concerns a disabled task alone", UNUSED, QUEUED, INSIDE, AGAIN, WAITING, ITSELF, NONE,
	ERR, DETACHED, QUEUED_DETACHED, ELSEWHERE, INSIDE_ELSEWHERE, FULL, DRAINS, CANCELS,
	FOR_OWN, DESTROYING, DESTROYED, task_enable);
NO_ROWS("a task that runs takes room as a queued one does", INSIDE, AGAIN, nr_free);

#define TASK(function, table) CONTRACT(function, table, &wpk_task_noun)
#define POOL(function, table) CONTRACT(function, table, &wpk_task_noun)
#define LOOP(function, table) CONTRACT(function, table, &wpk_task_noun)
#define ANY(function, table) CONTRACT(function, table, &wpk_task_noun)
#define ALONE(function, table) CONTRACT(function, table, &wpk_task_noun)

WPK_SUITE(contract_task,
	  TASK(wpool_task_wait, task_wait),
	  TASK(wpool_task_cancel, task_cancel),
	  TASK(wpool_task_cancel_sync, cancel_sync),
	  TASK(wpool_task_cancel_sync, cancel_sync_of_itself),
	  TASK(wpool_task_disable_sync, cancel_sync),
	  TASK(wpool_task_disable_sync, disable_sync_of_itself),
	  TASK(wpool_task_enable, task_enable),
	  TASK(wpool_task_enable_one_of_two, task_enable_one_of_two),
	  POOL(wpool_nr_free, nr_free),
	  ANY(wpool_worker_own, worker_own),
	  ALONE(wpool_worker_set_func, worker_set_func),
	  LOOP(wpool_parallel_for, parallel_for),
	  LOOP(wpool_parallel_for_in_chunks, parallel_for_in_chunks),
	  LOOP(wpool_parallel_for_backwards, parallel_for_backwards));
