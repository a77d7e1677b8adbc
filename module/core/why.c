// SPDX-License-Identifier: GPL-2.0
/*
 * Why tasks of a pool wait, and the monitor's messages about it, see why.h.
 *
 * In a jam tasks are queued, or submitters wait, and no worker of the pool looks for a task. Each
 * search counts in the tick of a run queue, so in a jam the sum of all ticks does not change. A
 * busy pool has no jam, however long its queue is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "core/why.h"

#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>

#include "core/counts.h"
#include "core/freeze.h"
#include "core/handoff.h"
#include "core/notify.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/state.h"

/* Find a hog. @cpu: the worker's CPU, or -1 for any. Returns the worker, or NULL. Under RCU. */
static struct wpool_worker *find_hog(struct wpool *pool, int cpu)
{
	struct wpool_worker *w;

	list_for_each_entry_rcu(w, &pool->workers.list, node)
		if (READ_ONCE(w->task) && wpool_worker_is_hog(w) &&
		    (cpu < 0 || task_cpu(w->thread) == cpu))
			return w;
	return NULL;
}

u32 wpool_workers_in(struct wpool *pool, void *func)
{
	struct wpool_worker *w;
	u32 nr = 0;

	list_for_each_entry_rcu(w, &pool->workers.list, node)
		nr += READ_ONCE(w->task) && (!func || READ_ONCE(w->func) == func);
	return nr;
}

/* The function in which more than half of the workers are, or else any of their functions. */
static void *common_func(struct wpool *pool)
{
	struct wpool_worker *w;
	void *func = NULL;
	u32 votes = 0;

	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (!READ_ONCE(w->task))
			continue;
		if (!votes)
			func = READ_ONCE(w->func);
		votes += READ_ONCE(w->func) == func ? 1 : -1;
	}
	return func;
}

enum wpool_why wpool_why(struct wpool *pool, char *text, size_t size)
{
	u32 workers = READ_ONCE(pool->nr_workers), in_tasks = wpool_workers_in(pool, NULL);
	struct wpool_worker *hog = find_hog(pool, -1);
	bool all_busy = in_tasks >= workers;
	void *func = common_func(pool);

	if (!wpool_queues_len(pool) && !READ_ONCE(pool->admission.nr_waiting)) {
		scnprintf(text, size, "nothing waits");
	} else if (wpool_is_frozen(pool)) {
		scnprintf(text, size, "the pool is frozen");
	} else if (all_busy && workers >= READ_ONCE(pool->capacity)) {
		scnprintf(text, size, "capacity is used up: %u of %u workers in %ps",
			  wpool_workers_in(pool, func), workers, func);
		return WPOOL_WHY_EXHAUSTED;
	} else if (READ_ONCE(pool->spawn.failing)) {
		scnprintf(text, size, "no worker can be made, error %d",
			  READ_ONCE(pool->spawn.error));
	} else if (all_busy && !wpool_workers_room()) {
		scnprintf(text, size, "max_workers = %u is reached: this pool has %u workers",
			  wpool_max_workers, workers);
		return WPOOL_WHY_EXHAUSTED;
	} else if (hog) {
		scnprintf(text, size, "hogs keep the CPUs: %ps on CPU %d without sleep",
			  READ_ONCE(hog->func), task_cpu(hog->thread));
		return WPOOL_WHY_HOGS;
	} else if (atomic_read(&pool->nr_coming) || atomic_read(&pool->nr_searching)) {
		scnprintf(text, size, "a worker is on its way, or needs a CPU");
	} else {
		scnprintf(text, size, "%u of %u workers are in tasks, none has looked yet",
			  in_tasks, workers);
	}
	return WPOOL_WHY_OTHER;
}

/* ---- messages ---- */

#define JAM_NS			NSEC_PER_SEC

static unsigned int panic_on_stall_ms;
module_param(panic_on_stall_ms, uint, 0644);
MODULE_PARM_DESC(panic_on_stall_ms, "panic when tasks of a pool that was not made through /dev/wpool wait and no worker has looked for a task for this time (default: 0, never)");

void (*wpool_stall_dump)(struct wpool *pool, struct seq_file *seq) __ro_after_init;

void wpool_report_stall(struct wpool *pool, struct wpool_seen *watch, int cpu, u64 ns)
{
	/* pools of users have one of their own: they must not use up the messages of the others */
	static struct ratelimit_state limits[] = {
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, 2),
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, 2),
	};

	/* a queue behind a hog is no stall: wpool_report_jam() names hogs */
	if (watch->reported || find_hog(pool, cpu))
		return;
	wpool_notify_tell(pool);
	if (!__ratelimit(&limits[wpool_is_users(pool)]))
		return;
	watch->reported = true;
	if (cpu < 0)
		pr_warn("%s: global queue stalled for %llu ms, %u tasks queued\n",
			pool->name, ns / NSEC_PER_MSEC, wpool_queues_len(pool));
	else
		pr_warn("%s: CPU %d: queue stalled for %llu ms, %u tasks queued\n",
			pool->name, cpu, ns / NSEC_PER_MSEC, wpool_queues_len(pool));
	/* users can cause stalls as often as they like, and a dump is long */
	if (!wpool_is_users(pool))
		wpool_stall_dump(pool, NULL);
}

/* Log why no task starts. Returns false if the monitor must try again in a second. */
static bool explain_stall(struct wpool *pool, u64 ns)
{
	/* as in wpool_report_stall() */
	static struct ratelimit_state limits[] = {
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST),
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST),
	};
	struct wpool_monitor *monitor = &pool->monitor;
	char text[WPOOL_WHY_BYTES];
	enum wpool_why why = wpool_why(pool, text, sizeof(text));

	/* the reason is not known, or may soon be over: try again while tasks are queued */
	if (why == WPOOL_WHY_OTHER)
		return !wpool_queues_len(pool);
	if (why == WPOOL_WHY_EXHAUSTED && !monitor->jam_counted) {
		monitor->jam_counted = true;
		WRITE_ONCE(monitor->exhausted, monitor->exhausted + 1);
	}
	if (!__ratelimit(&limits[wpool_is_users(pool)]))
		return false;
	pr_warn("%s: %s, no task taken for %llu s, %u tasks queued, %u submitters waiting\n",
		pool->name, text, ns / NSEC_PER_SEC, wpool_queues_len(pool),
		READ_ONCE(pool->admission.nr_waiting));
	return true;
}

bool wpool_report_jam(struct wpool *pool, u64 now)
{
	struct wpool_monitor *monitor = &pool->monitor;
	u64 limit = (u64)READ_ONCE(panic_on_stall_ms) * NSEC_PER_MSEC;
	u32 ticks = wpool_sum_active(pool, READ_ONCE(rq->tick));
	u64 ns = wpool_standing_ns(&monitor->watch.ticks, ticks, now);

	/* users may keep the workers of their pools in tasks for as long as they like */
	if (wpool_is_users(pool))
		limit = 0;
	if (limit && ns >= limit)
		panic("wpool: %s: no worker has looked for a task for %llu ms, %u tasks queued, %u submitters waiting\n",
		      pool->name, ns / NSEC_PER_MSEC, wpool_queues_len(pool),
		      READ_ONCE(pool->admission.nr_waiting));
	if (monitor->jam_reported)
		return limit;
	/* a worker has looked since the last try */
	if (ns < monitor->tried_ns)
		monitor->tried_ns = 0;
	if (ns - monitor->tried_ns >= JAM_NS) {
		monitor->jam_reported = explain_stall(pool, ns);
		monitor->tried_ns = ns;
	}
	return true;
}

void wpool_report_no_jam(struct wpool *pool)
{
	pool->monitor.watch.ticks.since_ns = 0;
	pool->monitor.jam_reported = false;
	pool->monitor.jam_counted = false;
}
