// SPDX-License-Identifier: GPL-2.0
/* Tasks that move between queues, see steal.h. */
#include "core/steal.h"

#include "core/length.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/wake.h"

/* Tasks on their way between two queues; used with interrupts off. */
static DEFINE_PER_CPU(struct wpool_task *, in_transit[WPOOL_RING_SIZE]);

u32 wpool_transit_spill(struct wpool_runq *rq)
{
	struct wpool_task **tasks = this_cpu_ptr(in_transit);
	u32 nr = wpool_ring_grab_all(&rq->ring, tasks);

	if (nr)
		wpool_fifo_push(&rq->backlog, tasks, nr);
	return nr;
}

struct wpool_task *wpool_transit_fill(struct wpool_runq *rq, struct wpool_fifo *from, u32 *nr)
{
	struct wpool_task **tasks = this_cpu_ptr(in_transit);
	u32 i;

	*nr = wpool_fifo_pop(from, tasks, *nr);
	for (i = 1; i < *nr; i++)
		wpool_ring_put(&rq->ring, tasks + i, 1, tasks[i]->jiffy);
	if (*nr > 1) {
		/* wpool_transit_fill:A: the other tasks were in no queue for a moment */
		smp_mb();
	}
	return *nr ? tasks[0] : NULL;
}

/*
 * Take half of the backlog of @victim or, if that is empty, of its ring, whose tasks are younger.
 * If tasks of @victim may be long, take only the first task: others would wait behind it here.
 */
static struct wpool_task *rob_half(struct wpool_runq *rq, struct wpool_runq *victim, u32 *nr)
{
	u32 n = wpool_fifo_len(&victim->backlog);
	struct wpool_task *task;

	if (!wpool_runq_has_short_tasks(victim)) {
		task = wpool_runq_pop(victim);
		*nr = !!task;
		return task;
	}
	*nr = min(n - n / 2, WPOOL_RING_HALF);
	task = n ? wpool_transit_fill(rq, &victim->backlog, nr) : NULL;
	return task ?: wpool_ring_steal_half(&rq->ring, &victim->ring, nr);
}

static struct wpool_task *steal_from(struct wpool *pool, struct wpool_runq *rq,
				     struct wpool_runq *victim, bool last)
{
	struct wpool_task *task;
	u32 n;

	if (victim == rq || !wpool_runq_is_stranded(victim))
		return NULL;
	/* an interrupt may have filled this CPU's ring meanwhile */
	if (wpool_ring_len(&rq->ring) || wpool_fifo_len(&rq->backlog))
		return wpool_runq_pop(rq);
	task = rob_half(rq, victim, &n);
	if (!task && (last || !wpool_runq_is_served(victim))) {
		task = wpool_runq_take_next(victim);
		n = !!task;
	}
	WRITE_ONCE(rq->stolen, rq->stolen + n);
	if (n)
		trace_wpool_tasks_stolen(pool->name, rq->cpu, victim->cpu, n);
	return task;
}

struct wpool_task *wpool_steal_round(struct wpool *pool, struct wpool_runq *rq, bool last)
{
	struct wpool_task *task = NULL;
	u32 nr = wpool_nr_active(pool), start = rq->index, i;
	enum wpool_distance at, next, distance;

	at = READ_ONCE(pool->sites[rq->cpu].core) ? WPOOL_NEAREST : WPOOL_SAME_CACHE;
	for (; at < WPOOL_NR_DISTANCES; at = next) {
		next = WPOOL_NR_DISTANCES;
		wpool_for_each_bit_wrap(i, pool->offers, nr, start) {
			distance = wpool_distance(&pool->sites[pool->active[i]],
						  &pool->sites[rq->cpu], false);
			if (distance > at)
				next = min(next, distance);
			if (distance != at)
				continue;
			local_irq_disable();
			task = steal_from(pool, rq, wpool_active(pool, i), last);
			if (task)
				wpool_wake_to_help(pool, rq);
			local_irq_enable();
			if (task)
				return task;
		}
	}
	return NULL;
}
