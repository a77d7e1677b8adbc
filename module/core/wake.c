// SPDX-License-Identifier: GPL-2.0
/* Which worker to wake, see wake.h, and the argument that no wake-up is lost. */
#include "core/wake.h"

#include <linux/jiffies.h>
#include <linux/sched/rt.h>
#include <linux/smp.h>

#include "core/counts.h"
#include "core/freeze.h"
#include "core/idle.h"
#include "core/length.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/spawn_queue.h"

/**
 * DOC: the protocol: who comes for this task
 *
 * Submitters and workers read each other's state without a common lock. The protocol makes
 * sure that no task stays in a queue while no worker is certain to look there.
 *
 * States of a worker, and where other threads see them:
 *
 *   waking     picked, created, or taken out of the reserve for a run queue, and not on its CPU
 *              yet: rq->waking. It already counts as running
 *   coming     woken to search, but not searching yet: pool->nr_coming. A worker woken for tasks
 *              of any CPU is waking and coming; a worker woken for the tasks of its own
 *              CPU, or of the global queue, is only waking; a worker woken to move to another
 *              CPU is only coming
 *   searching  awake, and looks for a task of any CPU: pool->nr_searching
 *   running    will look for work again before it sleeps: rq->nr_running of its home.
 *              A searching worker counts here, too
 *   blocked    in a task, but counted out of nr_running: asleep, a hog, or back from a sleep
 *              and on another CPU than its home, or free to leave it
 *   parked     in rq->idle: rq->nr_idle, and a bit in pool->idle_mask, which may stay set longer
 *   leaving    counted out of pool->nr_workers
 *
 * A thread that queues a task wakes no worker if it can rely on one of these:
 *
 *   searching  looks at the queues before it parks, and after it has stopped searching
 *   coming     becomes a searching worker
 *   waking, running
 *              looks at its home's run queue and at the global queue when its task has
 *              ended, or hands them over when the task blocks
 *
 * "The global queue" means the urgent tasks, too: each check for queued tasks reads the
 * lengths of both (wpool_shared_len()).
 *
 * "To look at the queues" means: at the global queue, at the run queue of this CPU, and at those
 * that are offered (pool->offers).
 *
 * A run queue is stranded if it holds tasks that its own workers are not expected to run soon: any
 * tasks, unless they are short and a worker is waking or running there. A thread that relies on a
 * worker of another CPU for its tasks must offer them first. Such a thread is a submitter here, a
 * thread that looks here after a worker was counted out, or the monitor, if a task has been queued
 * for 10 ms. A thread that wakes a worker for offered tasks, and a worker that searches, end
 * outdated offers (wpool_queues_find_work()).
 *
 * Each side makes its own change visible, executes a full barrier, and then reads what
 * the other side changes. So at least one of the two sees the other.
 *
 * A task is queued; then the counts of searching, running, coming and idle workers are
 * read, here in wpool_wake_for_push(), wake_one() and wpool_wake_for_rest():
 *
 *   wpool_sched_push:A           tasks were put into the ring, its backlog, the global queue or the
 *                                queue of the urgent ones
 *   wpool_sched_push_next:A      a task was put into the next slot
 *   wpool_sched_push_on:A        a task was put into the backlog of any CPU, or into the global
 *                                queue
 *   wake_for_moved:A             tasks of a ring were moved to its backlog, tasks that were taken
 *                                out were put back, or workers of other CPUs shall take the tasks
 *                                of a run queue
 *   transit_fill:A               tasks of another backlog or of the global queue were moved to
 *                                a ring; the taker runs here, and reads the counts when
 *                                its own state changes
 *   wpool_runq_offer:A           the run queue was offered; a worker that was relied on before
 *                                may have missed the offer, so the counts are read again
 *
 * A worker can no longer be relied on; then the queues are read. If its task blocks, only the run
 * queues of its home and of this CPU and the global queue are read, and the run queue of this CPU
 * is offered if no worker could come:
 *
 *   park_join:A                  parked: idle, not searching, not running
 *   stop_searching:A             not searching
 *   wpool_running_left:A         not running: it blocks, or the monitor counts it out,
 *                                or it moves to another CPU (wpool_worker_rehome:A)
 *   wpool_module_count_out:A     left: not counted in the pool and the module
 *   wpool_affinity_set:A         not relied on, but the pool may use a CPU more, which has room
 *
 * Each barrier of the first list pairs with each of the second: either the thread that queues
 * the task sees that no worker will look, and wakes one or asks the spawner; or the
 * worker sees the task.
 *
 * A submitter that finds a worker running or waking here executes no barrier at all
 * (wpool_wake_is_needless()). It has interrupts off, and that worker counts itself out, and
 * looks for work, on this very CPU. Either the worker was counted out before, and the submitter
 * sees that; or the worker looks later, and sees the task: a CPU sees its own stores. Another
 * CPU may count the worker out: the worker itself if it is not on its home CPU, the monitor, or
 * tidy.c. Then wpool_running_left:B makes this CPU look at the queues, in an interrupt, which
 * comes after the submitter's section. A CPU that is offline has no submitters.
 *
 * Other pairs:
 *
 *   wpool_runq_is_stranded:A
 *                       a ring was seen to hold a task; then its workers are counted, and the task
 *                       need not be offered. Pairs with wpool_running_left:A: a worker that is
 *                       still counted looks at the ring afterwards, and sees the task. A worker
 *                       that had counted itself out before the task was queued is not counted.
 *   end_offer:A         the offer of a run queue that is not stranded was ended; then the queue is
 *                       read again. Pairs with wpool_sched_push:A and wpool_running_left:A: a
 *                       thread that finds the offer there, and does not repeat it, has changed the
 *                       run queue before. If it is stranded, the offer is made again
 *                       (end_offer:B). The thread that makes it also makes sure that a worker
 *                       comes: a searching worker may have missed the offer meanwhile. If the
 *                       thread is itself such a worker, it looks again: stop_searching:A,
 *                       park_join:A, wpool_module_count_out:A.
 *   is_searched:A       the offer is there; then pool->nr_searching is read again. A worker
 *                       that still counts looks at the offers when it stops searching:
 *                       stop_searching:A, park_join:A.
 *   spawn_worker:A      pool->spawn.work not pending; then the queues are read. Pairs with the
 *                       first list: a thread that queues a task later asks again. Pairs also with
 *                       is_empty() in flush.c, see workers/spawner.c.
 *   wpool_rescuer_wait:A
 *                       the worker in reserve can be taken; then the queues are read. Pairs
 *                       with the first list: a thread that queues a task later takes the worker.
 *   wake_one:A, wpool_need_worker:C
 *                       pool->unserved set; then the search for a worker is repeated. The mark says
 *                       that a search found no worker to wake, and that none will be made: no CPU
 *                       with an idle worker has room, and either no CPU has room, or no new worker
 *                       can be made. Pairs with park_join:A, wpool_running_left:A and
 *                       wpool_affinity_set:A: either a thread that makes room sees the mark, or
 *                       its room is seen. A worker that parks on a CPU without room does not look:
 *                       the monitor does.
 *   wpool_wake_if_work:A
 *                       pool->unserved cleared; then the queues are read. Pairs with
 *                       wake_one:A: a mark that is set later is not lost.
 *   wpool_coming_leave:A
 *                       counted as searching and running; then not as coming. A thread
 *                       that reads nr_coming first and nr_searching next does not miss
 *                       the worker: pairs with wpool_need_worker:A. A thread that reads
 *                       them in the other order may wake one worker too many.
 *   spawn_worker:B      the pool counts as starved; then room and idle workers are read. Pairs
 *                       with park_join:A and wpool_module_count_out:A: a worker that parks
 *                       or leaves then checks for starved pools.
 *   wpool_idle_wake_runq:A
 *                       a state of the pool is changed; then the idle lists are read. Pairs with
 *                       park_join:A: a worker that parks then checks the state. The same for
 *                       the CPUs of a worker, in workers/affinity.c.
 *   set_limits:A        the capacity is changed; then the queues are read. Pairs with the first
 *                       list: a thread that found the pool at its old capacity, and so asked for no
 *                       worker, has queued its task before.
 *   wpool_expire_timer:A the expiry timer is not pending; then the idle lists are read.
 *                       Pairs with park_join:A: a worker that parks then arms
 *                       the timer if it is not pending. A thread that makes a worker
 *                       counts it, wakes it, which is a full barrier, and then does the same.
 */

/* Wake the next idle worker of a CPU (idle.h), if the CPU has room for one more. */
static bool wake_own(struct wpool_runq *rq, bool helps)
{
	return READ_ONCE(rq->nr_idle) && wpool_runq_has_room(rq) && wpool_idle_wake(rq, helps);
}

/* May a worker of @rq be woken for tasks of @own? @alone: only if no worker of @rq is running. */
static bool may_help(const struct wpool_runq *rq, const struct wpool_runq *own, bool alone)
{
	return rq != own && !READ_ONCE(rq->waking) && wpool_runq_has_room(rq) &&
	       !(alone && READ_ONCE(rq->nr_running));
}

/*
 * Wake the nearest idle worker of another CPU: first of CPUs where no worker runs, then of CPUs
 * with room beside a running worker. Each round reads only run queues at its own distance.
 */
static bool wake_other(struct wpool *pool, const struct wpool_runq *own)
{
	u32 nr = wpool_nr_active(pool), i;
	enum wpool_distance at, next, distance;
	struct wpool_runq *rq;
	int alone;

	for (alone = 1; alone >= (READ_ONCE(pool->concurrency) == 1); alone--)
		for (at = WPOOL_NEAREST; at < WPOOL_NR_DISTANCES; at = next) {
			next = WPOOL_NR_DISTANCES;
			wpool_for_each_bit_wrap(i, pool->idle_mask, nr, own->index) {
				distance = wpool_distance(&pool->sites[pool->active[i]],
							  &pool->sites[own->cpu], true);
				if (distance > at)
					next = min(next, distance);
				if (distance != at)
					continue;
				rq = wpool_active(pool, i);
				/* without an idle worker, the call clears the bit */
				if ((!READ_ONCE(rq->nr_idle) || may_help(rq, own, alone)) &&
				    wpool_idle_wake(rq, true))
					return true;
			}
		}
	return false;
}

/* How many workers will soon search; 0 if the first was woken over a tick ago: it may lack a CPU */
static u32 count_coming(struct wpool *pool)
{
	int nr = atomic_read(&pool->nr_coming);

	return nr > 0 && (u32)jiffies - READ_ONCE(pool->coming_jiffy) <= 1 ? nr : 0;
}

/* Is there a CPU with room for a worker, and without an idle one? Then a new worker would help. */
static bool has_vacancy(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 usable = 0, i;

	wpool_for_each_active(pool, rq, i) {
		if (wpool_runq_has_room(rq) && !READ_ONCE(rq->nr_idle))
			return true;
		usable += !READ_ONCE(rq->redirect);
	}
	/* true if there is a CPU where no worker has been yet */
	return usable < READ_ONCE(pool->nr_cpus);
}

/*
 * Ask for a new worker, if the pool may have one. Which CPU it gets, if several have equally few
 * workers: usually that of @rq. @beside: another one, because a worker might not get that CPU. If a
 * real-time thread asks without @beside: not this CPU, because the thread keeps it, and may delay
 * the monitor's timer.
 */
static bool ask_for_worker(struct wpool *pool, struct wpool_runq *rq, bool beside)
{
	int cpu = beside ? WPOOL_BESIDE(rq->cpu) :
		  rt_task(current) ? WPOOL_BESIDE(raw_smp_processor_id()) : rq->cpu;

	if (READ_ONCE(pool->nr_workers) >= READ_ONCE(pool->capacity) ||
	    (!wpool_runq_has_room(rq) && !has_vacancy(pool)))
		return false;
	wpool_spawn_ask(pool, cpu);
	return true;
}

/* Did the spawner fail to make a worker, so that it tries again on its own? */
static bool is_spawner_failing(const struct wpool *pool)
{
	return READ_ONCE(pool->spawn.refused) || READ_ONCE(pool->spawn.failing);
}

/* Does an idle worker move here? A worker that has not come after a second is given up. */
static bool is_expecting(const struct wpool_runq *rq)
{
	u32 jiffy = READ_ONCE(rq->expect_jiffy);

	/* unsigned: @jiffy may be a tick ahead, and a mark stays if its worker has died */
	return jiffy && (u32)jiffies + 1 - jiffy <= HZ;
}

/*
 * No new worker can be made, and no CPU with an idle worker has room: move an idle worker to the
 * nearest CPU with room to which none is moving. That worker must first get its old CPU, so it may
 * be late. @beside, and a real-time thread: as in ask_for_worker().
 */
static bool move_idle(struct wpool *pool, const struct wpool_runq *own, bool beside)
{
	u32 away, nearest = U32_MAX;
	struct wpool_runq *rq, *best = NULL;
	int cpu;

	if (!wpool_idle_any(pool))
		return false;
	wpool_for_each_runq(pool, rq, cpu) {
		if (READ_ONCE(rq->nr_idle) || !wpool_runq_has_room(rq) || is_expecting(rq))
			continue;
		away = 1 + wpool_distance(&pool->sites[cpu], &pool->sites[own->cpu], true);
		if (rq == own)
			away = beside || rt_task(current) ? U32_MAX - 1 : 0;
		if (away < nearest) {
			nearest = away;
			best = rq;
		}
	}
	return best && wpool_idle_move(pool, best);
}

/* Is a worker waking here? False if both call_jiffy and wake_jiffy are over a tick old. */
static bool is_awaited(const struct wpool_runq *rq)
{
	return READ_ONCE(rq->waking) && __wpool_runq_is_fresh(rq);
}

/*
 * Wake, move or ask for a worker, and return true. If there is none to wake, set the monitor's
 * timer: the monitor ends tasks that wait for too long, and logs the reason. The caller has
 * executed a full barrier.
 *
 * @helps: the tasks may be on any CPU, or need several workers; otherwise they are few, and in @rq
 * or the global queue; @beside: a worker might not get this CPU, so try to wake a worker of another
 * CPU first.
 */
static bool wake_one(struct wpool *pool, struct wpool_runq *rq, bool helps, bool beside)
{
	struct wpool_runq *here = wpool_this_runq(pool);
	u32 now = jiffies;
	bool asked;
	int i;

	/* wpool_freeze_lift() will wake workers */
	if (wpool_is_frozen(pool))
		return false;
	/* try twice: the second try sees room made before @unserved was set, see wake_one:A */
	for (i = 0; ; i++) {
		if (!beside && wake_own(rq, helps))
			return true;
		/* the worker that is waking here, perhaps on a CPU with room for more, is enough */
		if (!beside && !helps && is_awaited(rq))
			return false;
		wpool_monitor_timer_set(pool);
		/* offer @rq: a worker that comes, or makes room, must see what is queued there */
		wpool_runq_offer(rq);
		if (count_coming(pool))
			return false;
		/* this CPU has looked for a worker in this tick, and none has made room since */
		if (!i && here->help_jiffy == now && READ_ONCE(pool->unserved))
			return wake_own(rq, helps);
		if (wake_other(pool, rq))
			return true;
		/* if @beside, the first try asks only once a tick: a new worker may be late */
		asked = (i || !beside || here->help_jiffy != now) &&
			ask_for_worker(pool, rq, beside);
		here->help_jiffy = now;
		if (wake_own(rq, helps) || (asked && !is_spawner_failing(pool)))
			return true;
		if (i || READ_ONCE(pool->unserved))
			return move_idle(pool, rq, beside) || asked;
		WRITE_ONCE(pool->unserved, true);
		/* wake_one:A */
		smp_mb();
	}
}

/* Does a worker search, and will it see the tasks of this CPU? */
static bool is_searched(struct wpool *pool, struct wpool_runq *rq)
{
	if (!atomic_read(&pool->nr_searching))
		return false;
	wpool_runq_offer(rq);
	/* is_searched:A, a worker that still searches will see the offer */
	smp_rmb();
	return atomic_read(&pool->nr_searching);
}

bool wpool_wake_for_rest(struct wpool *pool, struct wpool_runq *rq)
{
	/* a searching worker will find the tasks of a stranded run queue, which are offered */
	return !is_searched(pool, rq) && wpool_queues_find_work(pool, rq) &&
	       wake_one(pool, rq, true, false);
}

bool wpool_wake_if_work(struct wpool *pool, struct wpool_runq *rq)
{
	if (READ_ONCE(pool->unserved)) {
		WRITE_ONCE(pool->unserved, false);
		/* wpool_wake_if_work:A; a thread that sets @unserved from here on looks again */
		smp_mb();
	}
	return wpool_wake_for_rest(pool, rq);
}

/*
 * A worker of this CPU comes for the tasks. Wake a worker of another CPU, too, if the queued tasks
 * take longer than the wake-up; for long tasks, as soon as one waits behind another.
 */
static void wake_helper(struct wpool *pool, struct wpool_runq *rq)
{
	u32 nr = wpool_runq_len(rq) + wpool_shared_len(pool);
	/* a worker that has not looked lately may be in a long task, or wait for its CPU */
	bool is_short = wpool_runq_has_short_tasks(rq) && __wpool_runq_is_fresh(rq);
	u32 now = jiffies;

	/* a waking worker is free for a task */
	if (nr + (READ_ONCE(rq->nr_running) > is_awaited(rq)) < 2 || wpool_runq_is_short(rq, nr))
		return;
	wpool_monitor_timer_set(pool);
	wpool_runq_offer(rq);
	/* for short tasks once a tick is enough */
	if (is_short && rq->help_jiffy == now)
		return;
	wake_one(pool, rq, true, false);
	if (is_short)
		rq->help_jiffy = now;
}

/*
 * Is this CPU kept from one more worker? Not if the current thread has slept since its last submit
 * here, and has run for less than WPOOL_HELP_NS for each sleep. A worker that runs here, and a
 * real-time thread, keep it, and an interrupt most likely hits a thread that does.
 */
static bool is_cpu_kept(struct wpool_runq *rq)
{
	struct wpool_submitter last = rq->submitter, now = {
		current, READ_ONCE(current->se.sum_exec_runtime), current->nvcsw,
	};

	rq->submitter = now;
	return READ_ONCE(rq->nr_running) || !in_task() || rt_task(current) ||
	       last.thread != current ||
	       now.ran_ns - last.ran_ns >= WPOOL_HELP_NS * (now.slept - last.slept);
}

void wpool_wake_for_push(struct wpool *pool, struct wpool_runq *rq)
{
	bool helps, beside;

	/* without hand-off a worker may sleep in a task, and only the monitor helps */
	if (!READ_ONCE(pool->handoff))
		wpool_monitor_timer_set(pool);
	/* a searching worker will see what was queued: stop_searching:A */
	if (is_searched(pool, rq)) {
		if (wpool_runq_has_short_tasks(rq))
			rq->help_jiffy = jiffies;
		return;
	}

	/* a worker that is waking or running here will look at the queues: wpool_running_left:A */
	if (!wpool_runq_has_room(rq) && !READ_ONCE(rq->redirect)) {
		wake_helper(pool, rq);
		return;
	}
	wpool_length_adopt(rq);
	helps = wpool_runq_len(rq) + wpool_shared_len(pool) >=
		max(READ_ONCE(rq->estimate.help_len), 2U);
	/* long tasks may go to another CPU; others wait for this one, whose cache has their data */
	beside = wpool_runq_has_long_tasks(rq) && !is_idle_task(current) &&
		 (helps || is_cpu_kept(rq));
	wake_one(pool, rq, helps, beside);
}

bool wpool_wake_may_spawn_at(struct wpool *pool, struct wpool_runq *rq)
{
	return !READ_ONCE(rq->nr_workers) && !READ_ONCE(rq->redirect) &&
	       READ_ONCE(pool->nr_workers) < READ_ONCE(pool->capacity);
}

void wpool_wake_for_push_on(struct wpool *pool, struct wpool_runq *rq)
{
	if (wpool_wake_may_spawn_at(pool, rq) && !wpool_is_frozen(pool)) {
		wpool_monitor_timer_set(pool);
		/* a worker that searches or becomes free may be faster than the new one */
		wpool_runq_offer(rq);
		wpool_spawn_ask(pool, rq->cpu);
		return;
	}
	if (wpool_runq_has_room(rq) || READ_ONCE(rq->redirect)) {
		wake_one(pool, rq, false, false);
		return;
	}
	/* without hand-off, a worker that sleeps in its task keeps the run queue */
	if (!READ_ONCE(pool->handoff))
		wake_one(pool, rq, true, true);
	else
		wpool_monitor_timer_set(pool);
}

bool wpool_wake_rescue(struct wpool_runq *rq)
{
	struct wpool *pool = rq->pool;
	unsigned long flags;
	bool woken, asked;

	local_irq_save(flags);
	wpool_runq_offer(rq);
	/* if a hog holds the CPU of @rq, a worker of that CPU would wait with the queue */
	woken = wake_other(pool, rq) || wake_own(rq, true);
	if (!woken) {
		asked = ask_for_worker(pool, rq, true);
		woken = (asked && !is_spawner_failing(pool)) || move_idle(pool, rq, true) || asked;
	}
	local_irq_restore(flags);
	return woken;
}

bool wpool_need_worker(struct wpool *pool)
{
	u32 coming = count_coming(pool);

	if (wpool_is_frozen(pool))
		return false;
	/*
	 * wpool_need_worker:A, pairs with wpool_coming_leave:A. A worker is first coming, then
	 * searching, and then has a task: these reads follow that order, to miss none.
	 */
	smp_rmb();
	if (atomic_read(&pool->nr_searching))
		return false;
	/* wpool_need_worker:B, pairs with stop_searching:A */
	smp_rmb();
	/* a coming worker takes one task, and asks for a worker if more tasks are queued */
	if (wpool_queues_len(pool) <= coming)
		return false;
	if (has_vacancy(pool))
		return true;
	/* no new worker would help: the next worker that makes room must look for tasks */
	WRITE_ONCE(pool->unserved, true);
	/* wpool_need_worker:C, as wake_one:A */
	smp_mb();
	return has_vacancy(pool);
}

struct wpool_runq *wpool_need_worker_at(struct wpool *pool)
{
	u32 nr = wpool_nr_active(pool), i;
	struct wpool_runq *rq;

	/* for wpool_submit_on(): @prefer holds only one of several CPUs that need a worker */
	wpool_for_each_bit(i, pool->offers, nr) {
		rq = wpool_active(pool, i);
		if (!READ_ONCE(rq->nr_workers) && !READ_ONCE(rq->redirect) && wpool_runq_len(rq))
			return rq;
	}
	return wpool_home_choose(pool, READ_ONCE(pool->spawn.prefer));
}
