// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics snapshot. It takes no lock: every user may read sysfs, and a thread that
 * creates or ends workers must not wait for such a reader.
 *
 * Two identities hold in every snapshot, even while the pool is in use:
 *
 *   workers = idle + searching + busy: each worker is counted once
 *   submitted = completed + failed + cancelled + overdue + outstanding: the counts are
 *     read in the reverse of the order in which a task changes them
 */
#include "pool/stats.h"

#include <linux/err.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/rculist.h>

#include "compat.h"
#include "core/handoff.h"
#include "core/hist.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/state.h"

static void count_workers(struct wpool *pool, struct wpool_stats *stats)
{
	struct wpool_worker *w;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (READ_ONCE(w->leaving))
			continue;
		stats->workers++;
		if (READ_ONCE(w->task)) {
			stats->busy++;
			if (compat_is_blocked(w->thread))
				stats->blocked++;
		} else if (READ_ONCE(w->parked)) {
			stats->idle++;
		} else {
			stats->searching++;
		}
	}
	rcu_read_unlock();
}

static u64 accepted_on(struct wpool_runq *rq)
{
	return READ_ONCE(rq->share.accepted[0]) + READ_ONCE(rq->share.accepted[1]);
}

static u64 finished_on(struct wpool_runq *rq)
{
	return local64_read(&rq->share.finished[0]) + local64_read(&rq->share.finished[1]);
}

/* Read all counts again if a task finished meanwhile: else that task could count as outstanding. */
static void count_tasks(struct wpool *pool, struct wpool_stats *stats)
{
	u64 finished, incomplete;
	int tries = 32;

	do {
		finished = wpool_sum_runqs(pool, finished_on(rq));
		/* a task counts as failed, cancelled or overdue before it is counted out */
		smp_rmb();
		stats->failed = wpool_sum_runqs(pool, local64_read(&rq->share.failed));
		stats->cancelled = wpool_sum_runqs(pool, local64_read(&rq->share.cancelled));
		stats->overdue = wpool_sum_runqs(pool, local64_read(&rq->share.overdue));
		/* a task is counted in before it counts as failed, cancelled or overdue */
		smp_rmb();
		stats->submitted = wpool_sum_runqs(pool, accepted_on(rq));
		/* all counts are read before finished is read again */
		smp_rmb();
	} while (wpool_sum_runqs(pool, finished_on(rq)) != finished && --tries);
	incomplete = stats->failed + stats->cancelled + stats->overdue;
	stats->completed = finished - min(finished, incomplete);
	stats->outstanding = stats->submitted - stats->completed - incomplete;
}

static u32 count_free(struct wpool *pool)
{
	int n;

	if (READ_ONCE(pool->capacity) == WPOOL_UNLIMITED ||
	    READ_ONCE(pool->queue_depth) == WPOOL_UNLIMITED)
		return WPOOL_UNLIMITED;
	n = atomic_read(&pool->admission.tokens) +
	    wpool_sum_runqs(pool, atomic_read(&rq->share.tokens));
	return max(n, 0);
}

void wpool_get_stats(struct wpool *pool, struct wpool_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (IS_ERR_OR_NULL(pool)) {
		stats->state = WPOOL_DESTROYED;
		return;
	}
	stats->state = READ_ONCE(pool->state);
	count_workers(pool, stats);
	count_tasks(pool, stats);
	/* seen:A, see task/waiters.c */
	stats->waiting = smp_load_acquire(&pool->admission.nr_waiting);
	stats->queued = wpool_queues_len(pool);
	stats->free = count_free(pool);
	stats->spawn_error = READ_ONCE(pool->spawn.error);
#define WPOOL_FIGURE(...)
#define WPOOL_COUNT(_name, _NAME, _where, _title, _metric, _read, _about) stats->_name = _read;
#include "pool/figure_table.h"
}
EXPORT_SYMBOL_GPL(wpool_get_stats);

u64 wpool_hist_from(u32 bucket)
{
	u32 power = bucket >> WPOOL_HIST_SHIFT;
	u64 units = bucket;

	/* the inverse of wpool_hist_bucket() */
	if (power)
		units = (u64)(bucket - ((power - 1) << WPOOL_HIST_SHIFT)) << (power - 1);
	return units << WPOOL_HIST_UNIT_SHIFT;
}
EXPORT_SYMBOL_GPL(wpool_hist_from);

int wpool_get_latency(struct wpool *pool, struct wpool_hist *wait, struct wpool_hist *run)
{
	struct wpool_hists *hists;
	struct wpool_runq *rq;
	bool found = false;
	int cpu;

	if (IS_ERR_OR_NULL(pool))
		return -EINVAL;
	memset(wait, 0, sizeof(*wait));
	memset(run, 0, sizeof(*run));
	wpool_for_each_runq(pool, rq, cpu) {
		hists = READ_ONCE(rq->hists);
		if (!hists)
			continue;
		found = true;
		wpool_hist_add(wait, &hists->wait);
		wpool_hist_add(run, &hists->run);
	}
	return found ? 0 : -ENODATA;
}
EXPORT_SYMBOL_GPL(wpool_get_latency);

int wpool_get_costs(struct wpool *pool, struct wpool_cost *costs, u32 nr)
{
	struct wpool_hists *hists;
	struct wpool_runq *rq;
	bool found = false;
	u32 used = 0, i;
	int cpu;

	if (IS_ERR_OR_NULL(pool) || !nr)
		return -EINVAL;
	memset(costs, 0, array_size(nr, sizeof(*costs)));
	wpool_for_each_runq(pool, rq, cpu) {
		hists = READ_ONCE(rq->hists);
		if (!hists)
			continue;
		found = true;
		for (i = 0; i < WPOOL_NR_COSTS; i++) {
			struct wpool_cost *cost = &hists->costs[i];

			if (READ_ONCE(cost->runs))
				wpool_cost_add(wpool_cost_find(costs, nr, READ_ONCE(cost->func)),
					       cost);
		}
	}
	if (!found)
		return -ENODATA;
	for (i = 0; i < nr; i++)
		if (costs[i].runs)
			costs[used++] = costs[i];
	return used;
}
EXPORT_SYMBOL_GPL(wpool_get_costs);

void wpool_get_cpu_stats(struct wpool *pool, int cpu, struct wpool_cpu_stats *stats)
{
	struct wpool_runq *rq = IS_ERR_OR_NULL(pool) ? NULL : wpool_runq(pool, cpu);

	if (!rq) {
		*stats = (struct wpool_cpu_stats) { };
		return;
	}
	*stats = (struct wpool_cpu_stats) {
		.workers = READ_ONCE(rq->nr_workers),
		.idle = READ_ONCE(rq->nr_idle),
		.queued = wpool_runq_len(rq),
		.submitted = accepted_on(rq),
		.completed = finished_on(rq),
		.stolen = READ_ONCE(rq->stolen),
	};
}
EXPORT_SYMBOL_GPL(wpool_get_cpu_stats);

static const char *doing_of_busy(struct wpool *pool, struct wpool_worker *w)
{
	if (compat_is_blocked(w->thread))
		return "asleep";
	if (READ_ONCE(pool->handoff) && wpool_worker_is_hog(w))
		return "hog";
	return compat_has_cpu(w->thread) ? "running" : "waiting";
}

void wpool_worker_fill_info(struct wpool *pool, struct wpool_worker *w,
			    struct wpool_worker_info *info)
{
	info->pid = w->thread->pid;
	info->cpu = READ_ONCE(w->rq)->cpu;
	info->last_cpu = task_cpu(w->thread);
	info->since_ns = compat_got_cpu_ns(w->thread);
	info->task = READ_ONCE(w->task);
	info->func = info->task ? READ_ONCE(w->func) : NULL;
	if (READ_ONCE(pool->reserve.rescuer) == w)
		info->doing = "reserve";
	else if (info->task)
		info->doing = doing_of_busy(pool, w);
	else
		info->doing = READ_ONCE(w->parked) ? "idle" : "searching";
}

void wpool_get_pressure(struct wpool *pool, struct wpool_pressure_avgs *avgs)
{
	wpool_pressure_read(&pool->pressure, ktime_get_mono_fast_ns(), avgs);
}
