// SPDX-License-Identifier: GPL-2.0
/* The contract of pools: see contract.h. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "contract.h"

CALL(wpool_flush, wpool_flush(w->pool))

ENTRIES(flush,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { .waits = true },
	  "wait for all tasks that were accepted before the call" },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0, { .waits = true, .runs = 2 } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true, .submitted = 1, .runs = 1 } },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .waits = true, .status = -ECANCELED } },
	{ KILLED, WITH_ROOM, QUEUED, -EINTR, { .runs = 1 }, "-EINTR if the caller was killed" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, -EDEADLK, { },
	  "-EDEADLK if called from one of the pool's own tasks" },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "-EINVAL if there is no pool" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

CALL(wpool_release, wpool_release(w->pool, WPOOL_RELEASE_DRAIN))
CALL(wpool_release_cancel, wpool_release(w->pool, WPOOL_RELEASE_CANCEL))
CALL(wpool_release_own, wpool_release(w->pool, WPOOL_RELEASE_OWN))

static long call_wpool_release_unknown(struct wpk_world *w)
{
	long ret = wpool_release(w->pool, BIT(2));

	return wpool_release(w->pool, ~0U) == ret ? ret : 0;
}

CALL(wpool_release_two, wpool_release(w->pool, WPOOL_RELEASE_CANCEL | WPOOL_RELEASE_OWN))

ENTRIES(every_release,
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { },
	  "-EINVAL if there is no pool, a flag is unknown, or there are two" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, -EBUSY, { }, "-EBUSY for the default pool" });

ENTRIES(release,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "Running tasks are left alone and not waited for." },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) } },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0, { .runs = 2, .state = IS_NOW(WPOOL_CLOSED) },
	  "queued tasks run to their end" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "From then on every submit gets -ESHUTDOWN" },
	{ IN_THREAD, FULL, WAITING, 0, { .state = IS_NOW(WPOOL_CLOSED) },
	  "and so does every submitter that waits for room, in the pool or in a group" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .runs = 1 }, "Idempotent" },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "or closes it completely with another release" },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .runs = 1 }, "Idempotent" },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED } });

ENTRIES(release_cancel,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0,
	  { .cancelled = 1, .status = -ECANCELED, .state = IS_NOW(WPOOL_CLOSED) },
	  "queued tasks end with -ECANCELED" },
	{ IN_THREAD, WITH_ROOM, QUEUED_DETACHED, 0,
	  { .cancelled = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "A cancelled detached task is dropped silently" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "Running tasks are left alone and not waited for." },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0,
	  { .cancelled_later = 1, .runs = 1, .status = -ECANCELED,
	    .state = IS_NOW(WPOOL_CLOSED) },
	  "and the second submit of a running task, end with -ECANCELED" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0,
	  { .cancelled = 1, .status = -ECANCELED, .state = IS_NOW(WPOOL_CLOSED) },
	  "queued tasks end with -ECANCELED" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .cancelled = 1, .status = -ECANCELED },
	  "%WPOOL_RELEASE_CANCEL cancels the tasks that are still queued" },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .cancelled = 1, .status = -ECANCELED } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED }, "Idempotent" });

ENTRIES(release_own,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .runs = 1, .state = IS_NOW(WPOOL_CLOSING) },
	  "closes the pool to all except its own tasks and events" },
	{ IN_THREAD, FULL, WAITING, 0,
	  { .later = 1, .runs = 1, .state = IS_NOW(WPOOL_CLOSING) },
	  "or with a batch, are accepted as room comes" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .runs = 1 }, "Does nothing to a pool that is closed." },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .runs = 1 } });

ENTRIES(release_wrong,
	{ IN_THREAD, WITH_ROOM, QUEUED, -EINVAL, { .runs = 1 },
	  "-EINVAL if there is no pool, a flag is unknown, or there are two" });

static long call_wpool_release_timeout(struct wpk_world *w)
{
	return wpool_release_timeout(w->pool, WPOOL_RELEASE_DRAIN, MAX_SCHEDULE_TIMEOUT);
}

CALL(wpool_release_timeout_0, wpool_release_timeout(w->pool, WPOOL_RELEASE_DRAIN, 0))

static long call_wpool_release_timeout_cancel(struct wpk_world *w)
{
	return wpool_release_timeout(w->pool, WPOOL_RELEASE_CANCEL, MAX_SCHEDULE_TIMEOUT);
}

CALL(wpool_release_timeout_own, wpool_release_timeout(w->pool, WPOOL_RELEASE_OWN, 0))

static long call_wpool_release_timeout_unknown(struct wpk_world *w)
{
	long ret = wpool_release_timeout(w->pool, BIT(2), HZ);

	return wpool_release_timeout(w->pool, BIT(31), 0) == ret ? ret : 0;
}

static long call_wpool_release_timeout_negative(struct wpk_world *w)
{
	long ret = wpool_release_timeout(w->pool, WPOOL_RELEASE_DRAIN, -1);

	return wpool_release_timeout(w->pool, WPOOL_RELEASE_DRAIN, LONG_MIN) == ret ? ret : 0;
}

ENTRIES(release_timeout,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 }, "0 - the pool is empty" },
	{ IN_THREAD, DRAINS, AGAIN, 0, { .waits = true, .runs = 2 },
	  "May be called again until it returns 0." },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { }, "0 - the pool is empty" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .waits = true, .status = -ECANCELED } },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ KILLED, WITH_ROOM, QUEUED, -EINTR, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "-EINTR - the caller was killed" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EDEADLK, { .runs = 1 },
	  "After -EDEADLK, -EINVAL and -EBUSY the pool is unchanged." },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, -EBUSY, { }, "-EBUSY - the default pool" },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "no pool, a flag that is unknown" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true },
	  "and so does every submitter that waits for room, in the pool or in a group" });

ENTRIES(release_timeout_0,
	{ IN_THREAD, WITH_ROOM, QUEUED, -ETIME, { .runs = 1, .state = IS_NOW(WPOOL_CLOSED) },
	  "-ETIME - timed out" },
	{ IN_THREAD, DRAINS, QUEUED, -ETIME, { .runs = 1 } });

ENTRIES(release_timeout_cancel,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0,
	  { .waits = true, .cancelled = 1, .status = -ECANCELED },
	  "queued tasks end with -ECANCELED" });

ENTRIES(release_timeout_wrong,
	{ IN_THREAD, WITH_ROOM, QUEUED, -EINVAL, { .runs = 1 },
	  "a flag that is unknown or %WPOOL_RELEASE_OWN, or a negative @timeout" });

CALL(wpool_reboot, wpool_reboot(w->pool))

ENTRIES(reboot,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .runs = 1 }, "Does nothing to an open pool." },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .runs = 1, .state = IS_NOW(WPOOL_OPEN) },
	  "only closed to others (%WPOOL_RELEASE_OWN) opens at once." },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 },
	  "Waits until every accepted task has finished, and the old workers are gone." },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .waits = true, .status = -ECANCELED } },
	{ IN_THREAD, DRAINS, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, DRAINS, AGAIN, 0, { .waits = true, .runs = 2 } },
	{ KILLED, DRAINS, QUEUED, -EINTR, { .runs = 1 }, "-EINTR if the caller was killed" },
	{ IN_OWN_TASK, DRAINS, UNUSED, -EDEADLK, { },
	  "-EDEADLK if called from one of the pool's own tasks" },
	{ IN_THREAD, DESTROYING, QUEUED, -ESHUTDOWN, { .runs = 1 },
	  "-ESHUTDOWN if it was destroyed" },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, 0, { }, "Does nothing to an open pool." },
	{ IN_THREAD, FULL, WAITING, 0, { .later = 1, .runs = 1 } },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "-EINVAL if there is no pool" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

static long call_wpool_destroy(struct wpk_world *w)
{
	bool ours = w->pool == w->real && !w->gone;
	int ret;

	if (ours)
		wpk_forget(w->test, w->real);
	ret = wpool_destroy(w->pool);
	w->gone |= ours && !ret;
	return ret;
}

ENTRIES(destroy,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "lets every accepted task run to its end, and waits until the workers are gone" },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0, { .waits = true, .runs = 2 } },
	{ IN_THREAD, FULL, WAITING, 0, { .waits = true },
	  "Closes the pool, ends the wait of every submitter with -ESHUTDOWN" },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .waits = true, .runs = 1 },
	  "lets every accepted task run to its end, and waits until the workers are gone" },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, { .waits = true, .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .waits = true, .runs = 1 } },
	{ KILLED, WITH_ROOM, QUEUED, 0, { .waits = true, .runs = 1 },
	  "process context; sleeps, uninterruptibly" },
	{ IN_THREAD, DESTROYING, QUEUED, 0, { .waits = true, .runs = 1 },
	  "already destroying the pool, the call returns when the pool is gone" },
	{ IN_THREAD, DESTROYED, UNUSED, 0, { },
	  "A call for a pool that is already gone only logs that." },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, -EDEADLK, { .runs = 1 },
	  "-EDEADLK if called from one of the pool's own tasks" },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, -EBUSY, { },
	  "-EBUSY for the default pool, which all modules share" },
	{ IN_OWN_TASK, DEFAULT_POOL, UNUSED, -EBUSY, { } },
	{ IN_THREAD, NO_POOL, UNUSED, 0, { }, "%NULL and ERR_PTR are allowed and ignored" },
	{ IN_THREAD, ERR_POOL, UNUSED, 0, { } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .waits = true, .status = -ECANCELED },
	  "waits until the workers are gone" });

static long tune(struct wpk_world *w, u32 capacity, enum wpool_policy policy, u32 mask)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, capacity, 0);
	attrs.policy = policy;
	return wpool_tune(w->pool, &attrs, mask);
}

CALL(wpool_tune, tune(w, 2, WPOOL_BLOCK, WPOOL_TUNE_CAPACITY))
CALL(wpool_tune_to_0, tune(w, 0, WPOOL_BLOCK, WPOOL_TUNE_CAPACITY))
CALL(wpool_tune_to_run, tune(w, 2, WPOOL_RUN, WPOOL_TUNE_POLICY))

static long call_wpool_tune_unknown(struct wpk_world *w)
{
	long ret = tune(w, 2, WPOOL_BLOCK, BIT(13));

	return tune(w, 2, WPOOL_BLOCK, BIT(31)) == ret ? ret : 0;
}

CALL(wpool_tune_too_far, tune(w, WPOOL_MAX_CAPACITY + 1, WPOOL_BLOCK, WPOOL_TUNE_CAPACITY))

ENTRIES(tunes,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .runs = 1 }, "all attributes in @mask were changed" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0, { .runs = 1 } },
	{ IN_THREAD, FULL, WAITING, 0, { .submitted = 1, .runs = 1 },
	  "If a limit grows, waiting submitters that now fit continue." },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .runs = 1 }, "all attributes in @mask were changed" },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .runs = 1 } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, DESTROYING, QUEUED, -ESHUTDOWN, { .runs = 1 }, "the pool was destroyed" },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, -EBUSY, { },
	  "the default pool, which only the administrator tunes" },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "no pool, a bad value, capacity 0" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

ENTRIES(tune_wrong,
	{ IN_THREAD, WITH_ROOM, QUEUED, -EINVAL, { .runs = 1 },
	  "capacity 0, an unknown bit, capacity of a preallocated pool, policy from or to" });

ENTRIES(tune_range,
	{ IN_THREAD, WITH_ROOM, QUEUED, -ERANGE, { .runs = 1 }, "a number is out of its range" });

static long call_wpool_set_cgroup(struct wpk_world *w)
{
	return wpool_set_cgroup(w->pool, IS_ENABLED(CONFIG_CGROUPS));
}

static long call_wpool_set_cgroup_of_none(struct wpk_world *w)
{
	return wpool_set_cgroup(w->pool, false);
}

ENTRIES(cgroups,
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, { .runs = 1 },
	  "put the workers of a pool into cgroups" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, 0, { .runs = 1 } },
	{ IN_THREAD, DRAINS, QUEUED, 0, { .runs = 1 } },
	{ IN_THREAD, FOR_OWN, QUEUED, 0, { .runs = 1 } },
	{ IN_THREAD, CANCELS, QUEUED, 0, { .status = -ECANCELED } },
	{ IN_THREAD, DESTROYING, QUEUED, -ESHUTDOWN, { .runs = 1 },
	  "the pool is being destroyed" },
	{ IN_THREAD, DESTROYED, UNUSED, -ESHUTDOWN, { } },
	{ IN_THREAD, DEFAULT_POOL, UNUSED, -EBUSY, { }, "the default pool" },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "there is no pool" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

/* ---- attributes and statistics -------------------------------------------- */

/* Returns 1 if the capacity or the name is set, otherwise 0. */
static long call_wpool_get_attrs(struct wpk_world *w)
{
	struct wpool_attrs attrs;

	memset(&attrs, 0xff, sizeof(attrs));
	wpool_get_attrs(w->pool, &attrs, NULL);
	return attrs.capacity || attrs.name;
}

static long call_wpool_get_stats(struct wpk_world *w)
{
	struct wpool_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	wpool_get_stats(w->pool, &stats);
	return stats.state != WPOOL_DESTROYED || stats.submitted;
}

static long call_wpool_get_cpu_stats(struct wpk_world *w)
{
	struct wpool_cpu_stats stats;
	long submitted = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		memset(&stats, 0xff, sizeof(stats));
		wpool_get_cpu_stats(w->pool, cpu, &stats);
		submitted += stats.submitted;
	}
	return submitted != 0;
}

CALL(wpool_owner, wpool_owner(w->pool) == THIS_MODULE)

ENTRIES(looks,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { }, "filled in" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { } },
	{ IN_THREAD, DRAINS, UNUSED, true, { } },
	{ IN_THREAD, DESTROYED, UNUSED, true, { } },
	{ IN_THREAD, NO_POOL, UNUSED, false, { }, "An error path may hold %NULL" },
	{ IN_THREAD, ERR_POOL, UNUSED, false, { },
	  "or does nothing if it has no error to return" });

ENTRIES(looks_in_irq,
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, true, { }, "filled in" });

static long call_wpool_get_latency(struct wpk_world *w)
{
	struct wpool_hist *hists = kzalloc(2 * sizeof(*hists), GFP_KERNEL);
	int ret = hists ? wpool_get_latency(w->pool, &hists[0], &hists[1]) : -ENOMEM;

	kfree(hists);
	return ret;
}

static long call_wpool_get_costs(struct wpk_world *w)
{
	struct wpool_cost cost;

	return wpool_get_costs(w->pool, &cost, 1);
}

ENTRIES(no_data,
	{ IN_THREAD, WITH_ROOM, UNUSED, -ENODATA, { }, "-ENODATA if latency was never on" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, -ENODATA, { } },
	{ IN_THREAD, DRAINS, UNUSED, -ENODATA, { } },
	{ IN_THREAD, DESTROYED, UNUSED, -ENODATA, { } },
	{ IN_THREAD, NO_POOL, UNUSED, -EINVAL, { }, "-EINVAL if there is no pool" },
	{ IN_THREAD, ERR_POOL, UNUSED, -EINVAL, { } });

/* ---- references ----------------------------------------------------------- */

static long call_wpool_get(struct wpk_world *w)
{
	struct wpool *pool = wpool_get(w->pool);

	wpool_put(pool);
	return pool == w->pool;
}

CALL(wpool_put, call_wpool_get(w))

static long call_wpool_find(struct wpk_world *w)
{
	struct wpool_attrs attrs;
	struct wpool *found;
	bool same;

	wpool_get_attrs(w->real, &attrs, NULL);
	found = wpool_find(w->pool ? attrs.name : "kunit-none");
	same = found == w->pool;
	wpool_put(found);
	return same;
}

static long call_wpool_default(struct wpk_world *w)
{
	struct wpool *found = wpool_find("default");

	wpool_put(found);
	return found == wpool_default();
}

ENTRIES(references,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { },
	  "a pool that the caller holds a reference to, %NULL or ERR_PTR" },
	{ IN_THREAD, DRAINS, UNUSED, true, { },
	  "A reference keeps the memory; it does not keep the pool open." },
	{ IN_THREAD, DESTROYED, UNUSED, true, { } },
	{ IN_THREAD, NO_POOL, UNUSED, true, { },
	  "a pool that the caller holds a reference to, %NULL or ERR_PTR" },
	{ IN_THREAD, ERR_POOL, UNUSED, true, { } },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { } });

ENTRIES(by_name,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { },
	  "the pool, with a reference that the caller must drop with wpool_put(), or %NULL" },
	{ IN_THREAD, DRAINS, UNUSED, true, { } },
	{ IN_THREAD, DESTROYED, UNUSED, false, { } },
	{ IN_THREAD, NO_POOL, UNUSED, true, { } },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { } });

ENTRIES(of_all,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, { },
	  "It is named \"default\" and has unlimited capacity." },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, { } });

static long created(struct wpool *pool)
{
	long ret = PTR_ERR_OR_ZERO(pool);

	if (!ret)
		wpool_destroy(pool);
	return ret;
}

CALL(wpool_create, created(wpk_create_with(w->test, 1, 0)))

static long create_func(struct wpk_world *w, wpool_arg_fn func)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, 1, 0);
	attrs.name = wpk_name(w->test);
	return created(wpool_create_func(&attrs, func));
}

CALL(wpool_create_func, create_func(w, wpk_do_nothing))

ENTRIES(create,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, { }, "create an open pool" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, 0, { } });

static long call_wpool_create_taken(struct wpk_world *w)
{
	return created(wpk_create_with(w->test, 1, 0, attrs.name = wpk_name_of(w->real)));
}

ENTRIES(create_taken,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EEXIST, { }, "-EEXIST - the name is taken" },
	{ IN_THREAD, DRAINS, UNUSED, -EEXIST, { } });

CALL(wpool_create_of_0, created(wpk_create_with(w->test, 0, 0, attrs.min_workers = 0)))
CALL(wpool_create_func_of_none, create_func(w, NULL))

ENTRIES(create_wrong,
	{ IN_THREAD, WITH_ROOM, UNUSED, -EINVAL, { },
	  "an attribute is missing or wrong, or capacity is 0" });

NO_CONTRACT(wpool_attrs_init, "it cannot fail: create_kunit.c has the defaults");
NO_CONTRACT(wpool_hist_from, "it takes neither pool nor task: hist_kunit.c");

NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, flush, every_release, release_timeout, reboot,
	destroy, tunes, cgroups, create);
NO_ROWS("the case looks for its name, and sleeps", IN_SOFTIRQ, IN_HARDIRQ, of_all);
NO_ROWS("no signal ends the sleep", KILLED, every_release, tunes, cgroups);
NO_ROWS("other cases may use it", DEFAULT_POOL, flush);
NO_ROWS("it concerns no single task", INSIDE, AGAIN, tunes, cgroups);
NO_ROWS("it concerns no task", FULL, WAITING, cgroups);
NO_ROWS("the argument is a name", ERR_POOL, by_name);

#define POOL(function, table) CONTRACT(function, table, &wpk_task_noun)
#define LOOK(function, table) CONTRACT(function, table, &wpk_task_noun)
#define ANY(function, table) CONTRACT(function, table, &wpk_task_noun)
#define ALONE(function, table) CONTRACT(function, table, &wpk_task_noun)

WPK_SUITE(contract_pool,
	  POOL(wpool_flush, flush),
	  POOL(wpool_release, every_release),
	  POOL(wpool_release, release),
	  POOL(wpool_release_cancel, every_release),
	  POOL(wpool_release_cancel, release_cancel),
	  POOL(wpool_release_own, every_release),
	  POOL(wpool_release_own, release_own),
	  POOL(wpool_release_unknown, release_wrong),
	  POOL(wpool_release_two, release_wrong),
	  POOL(wpool_release_timeout, release_timeout),
	  POOL(wpool_release_timeout_0, release_timeout_0),
	  POOL(wpool_release_timeout_cancel, release_timeout_cancel),
	  POOL(wpool_release_timeout_own, release_timeout_wrong),
	  POOL(wpool_release_timeout_unknown, release_timeout_wrong),
	  POOL(wpool_release_timeout_negative, release_timeout_wrong),
	  POOL(wpool_reboot, reboot),
	  POOL(wpool_destroy, destroy),
	  POOL(wpool_tune, tunes),
	  POOL(wpool_tune_to_0, tune_wrong),
	  POOL(wpool_tune_to_run, tune_wrong),
	  POOL(wpool_tune_unknown, tune_wrong),
	  POOL(wpool_tune_too_far, tune_range),
	  POOL(wpool_set_cgroup, cgroups),
	  POOL(wpool_set_cgroup_of_none, cgroups),
	  LOOK(wpool_get_attrs, looks),
	  LOOK(wpool_get_stats, looks),
	  ANY(wpool_get_cpu_stats, looks),
	  ANY(wpool_get_cpu_stats, looks_in_irq),
	  ANY(wpool_owner, looks),
	  ANY(wpool_owner, looks_in_irq),
	  LOOK(wpool_get_latency, no_data),
	  LOOK(wpool_get_costs, no_data),
	  LOOK(wpool_get, references),
	  LOOK(wpool_put, references),
	  LOOK(wpool_find, by_name),
	  ALONE(wpool_default, of_all),
	  ALONE(wpool_create, create),
	  ALONE(wpool_create_func, create),
	  POOL(wpool_create_taken, create_taken),
	  POOL(wpool_create_of_0, create_wrong),
	  POOL(wpool_create_func_of_none, create_wrong));
