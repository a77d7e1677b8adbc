// SPDX-License-Identifier: GPL-2.0
/* Which worker to wake, see wake.h, and the argument that no wake-up is lost. */
#include "core/wake.h"

#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/topology.h>

#include "core/census.h"
#include "core/idle.h"
#include "core/queues.h"
#include "core/spawn_queue.h"
#include "core/state.h"

/**
 * DOC: the protocol: who comes for this task
 *
 * Submitters and workers look at each other without a common lock. The protocol makes
 * sure that no task stays in a queue while no worker is bound to look there.
 *
 * States of a worker, and where other threads see them:
 *
 *   waking     picked or created for a run queue, and not on its CPU yet: rq->waking
 *   coming     on its way to become searching: pool->nr_coming. Who is woken for tasks of
 *              any CPU is waking and coming; who is woken for those of its own, or of
 *              the global queue, only waking
 *   searching  awake, and looks for a task on all CPUs: pool->nr_searching
 *   running    will look for work again before it sleeps: rq->nr_running of its home.
 *              A searching worker counts here, too
 *   blocked    in a task, but counted out of nr_running: asleep, or a hog
 *   parked     in rq->idle: rq->nr_idle, pool->idle_mask
 *   leaving    counted out of pool->nr_workers
 *
 * A thread that queues a task wakes no worker if it can rely on one of these:
 *
 *   searching  looks at all queues before it parks, and after it has stopped searching
 *   coming     becomes a searching worker
 *   waking, running
 *              looks at its home's run queue and at the global queue when its task has
 *              ended, or hands them over when the task blocks
 *
 * A searching worker, and one that parks, leaves short tasks of another CPU to a worker
 * that is waking or running there (length.h).
 *
 * Each side makes its own change visible, executes a full barrier, and then reads what
 * the other side changes. So at least one of the two sees the other.
 *
 * A task is queued; then the counts of searching, running, coming and idle workers are
 * read, here in wpool_wake_for_push(), wake_one() and wpool_wake_if_work():
 *
 *   wpool_sched_push:A           tasks were put into the ring, its backlog or the global
 *                                queue
 *   wpool_sched_push_next:A      a task was put into the next slot
 *   unqueue_from:A               tasks of a ring were moved to the global queue
 *   wpool_sched_drain:A          the same, of all tasks of a run queue
 *   take_behind:A                tasks of the backlog or the global queue were moved to
 *                                a ring; the taker runs here, and reads the counts when
 *                                its own state changes
 *
 * A worker can no longer be relied on; then all queues are read (the own and the global
 * one after wpool_running_leave:A):
 *
 *   wpool_park_join:A            parked: idle, not searching, not running
 *   stop_searching:A             not searching
 *   wpool_running_leave:A        not running: it blocks, or the monitor counts it out,
 *                                or it moves to another CPU (rehome:A)
 *   wpool_workers_leave_place:A  left: not counted in the pool and the module
 *
 * Each of the first list pairs with each of the second: either the thread that queues
 * the task sees that no worker will look, and wakes one or asks the spawner; or the
 * worker sees the task.
 *
 * A submitter that finds a worker running or waking here executes no barrier at all
 * (wpool_wake_is_needless()). It has interrupts off, and that worker starts to look, and
 * counts itself out, on this very CPU: it has done so before, and the submitter sees that;
 * or it does so later, and sees the task, because a CPU sees its own stores. If another CPU
 * takes the count or clears rq->waking - for a worker that is not on its home CPU, the
 * monitor, the reaper - wpool_running_leave:B, or the same in wpool_waking_disown(), makes
 * this CPU look at the queues, in an interrupt, which comes after the submitter's section.
 * A CPU that is offline has no submitters.
 *
 * Other pairs:
 *
 *   wpool_queues_have_work:A, steal_from:A
 *                       a ring was seen to hold a task; then its workers are counted, and
 *                       the task may be left to them. Pairs with wpool_running_leave:A:
 *                       a worker that is still counted looks at the ring afterwards, and
 *                       sees the task. One that had counted itself out before the task
 *                       was queued is not counted.
 *   spawn:A             pool->spawn_wanted cleared; then the queues are read. Pairs with
 *                       the first list: a thread that queues a task later finds the
 *                       flag clear and asks again. Pairs also with is_empty() in
 *                       flush.c, see workers/spawner.c.
 *   wake_one:A, is_short_handed:C
 *                       pool->unserved set; then the search for a worker is repeated.
 *                       The mark says that no worker could be woken: CPUs with an idle
 *                       worker are at their concurrency, CPUs with room have no idle
 *                       worker, and the pool is at its capacity. Pairs with
 *                       wpool_park_join:A and wpool_running_leave:A: either a worker
 *                       that makes room sees the mark, or its room is seen.
 *   wpool_wake_if_work:A
 *                       pool->unserved cleared; then the queues are read. Pairs with
 *                       wake_one:A: a mark that is set later is not lost.
 *   wpool_coming_leave:A
 *                       counted as searching and running; then not as coming. A thread
 *                       that reads nr_coming first and nr_searching next does not miss
 *                       the worker: pairs with is_short_handed:A. A thread that reads
 *                       them in the other order may wake one worker too many.
 *   spawn:B             the pool counts as starved; then places and idle workers are
 *                       read. Pairs with wpool_park_join:A and
 *                       wpool_workers_leave_place:A: a worker that parks or leaves
 *                       then checks for starved pools.
 *   wpool_idle_wake_runq:A
 *                       a state of the pool is changed; then the idle lists are read.
 *                       Pairs with wpool_park_join:A: a worker that parks then checks
 *                       the state.
 *   wpool_park_expire:A the expiry timer is not pending; then the idle lists are read.
 *                       Pairs with wpool_park_join:A: a worker that parks then arms
 *                       the timer if it is not pending.
 */

/* Wake the most recently parked worker of a CPU. */
static bool wake_own(struct wpool_runq *rq, bool helps)
{
	return READ_ONCE(rq->nr_idle) && wpool_runq_has_room(rq) &&
	       wpool_idle_wake(rq, helps);
}

/*
 * Wake an idle worker where the fewest workers run; among equals, on this node. The first
 * one found on this node, where none runs, is as good as any: of many idle CPUs few are
 * looked at.
 */
static bool wake_other(struct wpool *pool, const struct wpool_runq *own)
{
	u32 nr = wpool_nr_active(pool), cost, least, place, i;
	int node = cpu_to_node(own->cpu);
	struct wpool_runq *rq, *best;

	do {
		best = NULL;
		least = U32_MAX;
		for (i = 0; i < nr; i++) {
			place = (own->index + i) % nr;
			/* other CPUs change the bits: test_bit() reads them marked */
			if (!test_bit(place, pool->idle_mask))
				continue;
			rq = wpool_active(pool, place);
			if (rq == own || READ_ONCE(rq->waking) ||
			    !wpool_runq_has_room(rq))
				continue;
			cost = 2 * atomic_read(&rq->nr_running) +
			       (cpu_to_node(rq->cpu) != node);
			if (cost < least) {
				least = cost;
				best = rq;
			}
			if (!cost)
				break;
		}
		if (!best)
			return false;
	} while (!wpool_idle_wake(best, true));

	return true;
}

/*
 * A worker that has been on its way for longer than a tick may wait for its CPU: another
 * thread holds that CPU, so do not rely on this worker.
 */
u32 wpool_wake_nr_coming(struct wpool *pool)
{
	int nr = atomic_read(&pool->nr_coming);

	return nr > 0 && (u32)jiffies - READ_ONCE(pool->coming_jiffy) <= 1 ? nr : 0;
}

bool wpool_wake_has_vacancy(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 usable = 0, i;

	wpool_for_each_active(pool, rq, i) {
		if (wpool_runq_has_room(rq) && !READ_ONCE(rq->nr_idle))
			return true;
		usable += !READ_ONCE(rq->redirect);
	}
	/* a CPU where no worker has been yet */
	return usable < READ_ONCE(pool->nr_cpus);
}

static bool ask_spawner(struct wpool *pool)
{
	if (READ_ONCE(pool->nr_workers) >= READ_ONCE(pool->capacity))
		return false;
	wpool_spawn_ask(pool);
	return true;
}

/* @helps: the tasks may be on any CPU, or are many; otherwise few, in @rq or the global queue. */
static bool wake_one(struct wpool *pool, struct wpool_runq *rq, bool helps)
{
	for (;;) {
		if (wake_own(rq, helps))
			return true;
		/* with a concurrency beyond one it need not be the last that has room */
		if (!helps && READ_ONCE(rq->waking))
			return false;
		if (wpool_wake_nr_coming(pool))
			return false;
		if (wake_other(pool, rq))
			return true;
		if ((wpool_runq_has_room(rq) || wpool_wake_has_vacancy(pool)) &&
		    ask_spawner(pool))
			return true;
		if (READ_ONCE(pool->unserved))
			return false;
		WRITE_ONCE(pool->unserved, true);
		/* wake_one:A */
		smp_mb();
	}
}

bool wpool_wake_one(struct wpool *pool, struct wpool_runq *rq)
{
	return wake_one(pool, rq, true);
}

bool wpool_wake_if_work(struct wpool *pool, struct wpool_runq *rq)
{
	if (READ_ONCE(pool->unserved)) {
		WRITE_ONCE(pool->unserved, false);
		/* wpool_wake_if_work:A; a thread that sets it from here on looks again */
		smp_mb();
	}
	/* a searching worker will find what is left */
	if (atomic_read(&pool->nr_searching))
		return false;
	return wpool_queues_have_work(pool) && wake_one(pool, rq, true);
}

/*
 * This CPU has its worker. Wake one of another CPU if what is queued outlasts that, for
 * long tasks from the first one on that waits behind another.
 */
static void wake_helper(struct wpool *pool, struct wpool_runq *rq)
{
	u32 nr = wpool_runq_len(rq) + wpool_fifo_len(&pool->globq);
	u32 now = jiffies;

	if (nr + !!atomic_read(&rq->nr_running) < 2 || wpool_runq_is_short(rq, nr))
		return;
	if (rq->help_jiffy == now || wpool_wake_nr_coming(pool))
		return;
	/* for short tasks once a tick is enough */
	if (wpool_runq_has_short_tasks(rq))
		rq->help_jiffy = now;
	if (wake_other(pool, rq))
		return;
	/* this reads all CPUs: once a tick is enough, as a worker that makes room looks, too */
	rq->help_jiffy = now;
	if (wpool_wake_has_vacancy(pool))
		ask_spawner(pool);
}

void wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq)
{
	/* a searching worker will see what was queued: stop_searching:A */
	if (atomic_read(&pool->nr_searching)) {
		if (wpool_runq_has_short_tasks(rq))
			rq->help_jiffy = jiffies;
		return;
	}

	/* a worker is waking, or runs here and will come back: wpool_running_leave:A */
	if (!wpool_runq_has_room(rq) && !READ_ONCE(rq->redirect))
		wake_helper(pool, rq);
	else
		wake_one(pool, rq, wpool_runq_len(rq) >= max(READ_ONCE(rq->help_len), 2U));
}

bool wpool_wake_rescue(struct wpool_runq *rq)
{
	struct wpool *pool = rq->pool;

	/* if a hog holds this CPU, a worker of this CPU would wait with the queue */
	if (wake_other(pool, rq) || wake_own(rq, true))
		return true;
	if (wpool_wake_has_vacancy(pool) && ask_spawner(pool))
		return true;
	/* all idle workers are on CPUs that are at their concurrency */
	return wpool_runq_has_room(rq) && wpool_idle_move(pool, rq);
}
