// SPDX-License-Identifier: GPL-2.0
/*
 * Whom to wake, see wake.h.
 *
 * No wake-up is lost. There are sides that can lose one, and each does its
 * part, a full barrier, and a look at the other's part:
 *
 *   push:A     queue a task, barrier (sched.h), look who looks, who runs and who
 *              is idle (here)
 *   park:A     join the idle list, be counted out of those who search and who
 *              run, barrier, look at all queues
 *              (workers/park.c)
 *   stop:A     stop searching, barrier, look at all queues (sched.c)
 *   handoff:A  block in a task, be counted out of those who run, barrier, look
 *              at the queues (census.c, handoff.c)
 *   leave:A    be counted out of the pool, barrier, look at all queues, ask the
 *              spawner (census.c)
 *   start:A    become searching and running, barrier, give up the place of one
 *              who is on the way (census.c)
 *   serve:A    mark the pool as unserved, barrier, look again for somebody to
 *              wake (here)
 *
 * push:A pairs with park:A, stop:A, handoff:A and leave:A: either the pusher
 * sees that nobody will look, and wakes or asks for somebody; or the other side
 * sees the task. start:A keeps a worker visible all the time, to who looks at
 * nr_waking first and then at nr_searching; who looks the other way round may
 * wake one too many. serve:A pairs with handoff:A and
 * park:A: where nobody could be woken, because there is an idle worker where
 * others run and none where nobody does, whoever makes room sees the mark.
 *
 * Who is relied on, when nobody is woken:
 *   a searcher        looks at all queues before it parks or after it stopped
 *   one on the way    becomes a searcher
 *   one who runs at   looks at this queue and the global one when its task has
 *   home here         ended, or hands them over when the task blocks
 */
#include "core/wake.h"

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/topology.h>

#include "core/census.h"
#include "core/idle.h"
#include "core/queues.h"
#include "core/spawn_queue.h"
#include "core/state.h"

/* The hot one of a CPU. */
static bool wake_own(struct wpool_runq *rq)
{
	return READ_ONCE(rq->nr_idle) && wpool_runq_has_room(rq) &&
	       wpool_idle_wake(rq);
}

/* The idle worker where the fewest run; near before far. */
static bool wake_other(struct wpool *pool, const struct wpool_runq *own)
{
	int node = cpu_to_node(own->cpu);
	struct wpool_runq *rq, *best;
	u32 cost, least;
	int cpu;

	do {
		best = NULL;
		least = U32_MAX;
		/* a marked look at a bit that others change */
		for_each_possible_cpu(cpu) {
			if (!cpumask_test_cpu(cpu, pool->idle_mask))
				continue;
			rq = wpool_runq(pool, cpu);
			if (rq == own || READ_ONCE(rq->waking) ||
			    !wpool_runq_has_room(rq))
				continue;
			cost = 2 * atomic_read(&rq->nr_running) +
			       (cpu_to_node(cpu) != node);
			if (cost < least) {
				least = cost;
				best = rq;
			}
		}
		if (!best)
			return false;
	} while (!wpool_idle_wake(best));

	return true;
}

/*
 * One that has been on the way for longer than a tick may wait for a CPU that
 * another thread holds: do not rely on that worker.
 */
u32 wpool_wake_nr_coming(struct wpool *pool)
{
	int nr = atomic_read(&pool->nr_waking);

	return nr > 0 && (u32)jiffies - READ_ONCE(pool->wake_jiffy) <= 1 ? nr : 0;
}

bool wpool_wake_has_vacancy(struct wpool *pool)
{
	struct wpool_runq *rq;
	int cpu;

	for_each_possible_cpu(cpu) {
		rq = wpool_runq(pool, cpu);
		if (wpool_runq_has_room(rq) && !READ_ONCE(rq->nr_idle))
			return true;
	}
	return false;
}

static bool ask_spawner(struct wpool *pool)
{
	if (READ_ONCE(pool->nr_workers) >= READ_ONCE(pool->capacity))
		return false;
	wpool_spawn_ask(pool);
	return true;
}

bool wpool_wake_one(struct wpool *pool, struct wpool_runq *rq)
{
	for (;;) {
		if (wake_own(rq))
			return true;
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
		/* serve:A */
		smp_mb();
	}
}

bool wpool_wake_if_work(struct wpool *pool, struct wpool_runq *rq)
{
	if (READ_ONCE(pool->unserved)) {
		WRITE_ONCE(pool->unserved, false);
		/* who marks it from here on looks again by itself: serve:A */
		smp_mb();
	}
	/* they will see what is left, unless they may not take it */
	if (atomic_read(&pool->nr_searching) && READ_ONCE(pool->steal))
		return false;
	return wpool_queues_have_work(pool, rq) && wpool_wake_one(pool, rq);
}

/*
 * Is help from another CPU worth its price, although this one has its worker?
 * He may also be on the way here, and wait for the very CPU that this runs on.
 */
static void wake_helper(struct wpool *pool, struct wpool_runq *rq)
{
	u32 now = jiffies;

	if (wpool_ring_len(&rq->ring) + wpool_globq_len(&pool->globq) < 2 ||
	    wpool_wake_nr_coming(pool) > READ_ONCE(rq->waking))
		return;
	/* all CPUs have to be looked at: not each time; who makes room looks, too */
	if (rq->help_jiffy == now)
		return;
	if (atomic_read(&pool->nr_idle) && wake_other(pool, rq))
		return;
	rq->help_jiffy = now;
	if (wpool_wake_has_vacancy(pool))
		ask_spawner(pool);
}

void __wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq)
{
	/* without balancing no searcher of another CPU may take from here */
	if (unlikely(!READ_ONCE(pool->steal)) && wake_own(rq))
		return;

	/* somebody is awake and looks: it will see what was queued (stop:A) */
	if (atomic_read(&pool->nr_searching))
		return;

	/* somebody will be back here (handoff:A), or is on the way */
	if (!wpool_runq_has_room(rq) && !READ_ONCE(rq->redirect))
		wake_helper(pool, rq);
	else
		wpool_wake_one(pool, rq);
}

bool wpool_wake_rescue(struct wpool_runq *rq)
{
	struct wpool *pool = rq->pool;

	/* without balancing nobody else may take what its own worker could */
	if (!READ_ONCE(pool->steal) && wake_own(rq))
		return true;
	/* under a hog the own CPU's worker would wait with the queue */
	if (wake_other(pool, rq) || wake_own(rq))
		return true;
	if (wpool_wake_has_vacancy(pool) && ask_spawner(pool))
		return true;
	/* all that are idle are idle where others run */
	return wpool_runq_has_room(rq) && wpool_idle_move(pool, rq);
}
