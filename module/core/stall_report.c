// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's messages, see stall_report.h.
 *
 * In a jam tasks are queued, or submitters wait, and no worker of the pool looks for a task. Each
 * look counts in the tick of a run queue, so in a jam the sum of all ticks does not change. A busy
 * pool has no jam, however long its queue is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "core/stall_report.h"

#include <linux/cache.h>
#include <linux/moduleparam.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "core/notify.h"
#include "core/queued.h"
#include "core/state.h"
#include "core/why.h"

#define JAM_NS			NSEC_PER_SEC

static unsigned int panic_on_stall_ms;
module_param(panic_on_stall_ms, uint, 0644);
MODULE_PARM_DESC(panic_on_stall_ms, "panic when tasks of a pool that was not made through /dev/wpool wait and no worker has looked for a task for this time (default: 0, never)");

void (*wpool_stall_dump)(struct wpool *pool, struct seq_file *seq) __ro_after_init;

void wpool_report_stall(struct wpool *pool, struct wpool_looked *watch, int cpu, u64 ns)
{
	/* one for users: they must not use up the messages about pools of modules */
	static struct ratelimit_state limits[] = {
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, 2),
		RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL, 2),
	};

	/* a queue behind a hog is no stall: wpool_report_jam() names hogs */
	if (watch->reported || wpool_find_hog(pool, cpu))
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
	struct wpool_looked *watch = &pool->monitor.watch;
	char text[WPOOL_WHY_BYTES];
	enum wpool_why why = wpool_why(pool, text, sizeof(text));

	/* the reason is not known, or may soon be over: try again while tasks are queued */
	if (why == WPOOL_WHY_OTHER)
		return !wpool_queues_len(pool);
	if (why == WPOOL_WHY_EXHAUSTED && !watch->jam_counted) {
		watch->jam_counted = true;
		WRITE_ONCE(pool->monitor.exhausted, pool->monitor.exhausted + 1);
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
	struct wpool_looked *watch = &pool->monitor.watch;
	u64 limit = (u64)READ_ONCE(panic_on_stall_ms) * NSEC_PER_MSEC;
	u32 looks = wpool_sum_active(pool, READ_ONCE(rq->tick));
	u64 ns = wpool_standing_ns(&watch->looks, looks, now);

	/* users may keep the workers of their pools in tasks for as long as they like */
	if (wpool_is_users(pool))
		limit = 0;
	if (limit && ns >= limit)
		panic("wpool: %s: no worker has looked for a task for %llu ms, %u tasks queued, %u submitters waiting\n",
		      pool->name, ns / NSEC_PER_MSEC, wpool_queues_len(pool),
		      READ_ONCE(pool->admission.nr_waiting));
	if (watch->jam_reported)
		return limit;
	/* a worker has looked since the last try */
	if (ns < watch->tried_ns)
		watch->tried_ns = 0;
	if (ns - watch->tried_ns >= JAM_NS) {
		watch->jam_reported = explain_stall(pool, ns);
		watch->tried_ns = ns;
	}
	return true;
}

void wpool_report_no_jam(struct wpool *pool)
{
	pool->monitor.watch.looks.since_ns = 0;
	pool->monitor.watch.jam_reported = false;
	pool->monitor.watch.jam_counted = false;
}
