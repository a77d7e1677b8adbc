// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor, see monitor.h.
 *
 * Its timer is on until a round finds no queued task, no running worker and no pressure: a module
 * whose pools are quiet has no timer. In a pool without hand-off, running workers do not count. A
 * round acts on:
 *
 *   a hog     a task has kept its worker from looking for work for hog_ms. The worker is
 *             counted out, and its queue gets another worker, of another CPU if possible.
 *             Until the task has ended, the scheduler may move the hog to another CPU. If a
 *             worker was woken and does not get its CPU, another one is woken.
 *   a stall   the same task has been at the head of the queue for 10 ms, although the pool has an
 *             idle worker or may create one. A worker is woken, moved to a CPU with room, or
 *             created. If the queue does not move for a second, the log says so once, for a
 *             module's pool with the stacks of some of the workers: why.c.
 *
 *             Such a queue is named in pool->left. Workers of other CPUs take its oldest
 *             task first, if that is older than what they find themselves.
 *
 *   overdue   the first task of a queue has waited for max_wait_ms, if that is set. A task that was
 *             submitted before max_wait_ms was set counts, too, because it hides how long the tasks
 *             behind it have waited. A list and a ring store the tick in which their first task
 *             was queued; of a task in a next slot, only how long it has been there is known. The
 *             pool's work (tidy.c) then ends all tasks that are overdue by their submit time:
 *             finish.c.
 *
 *   cpuset    the CPUs of the cpuset of the pool's cgroup have changed. A work of the pool lets
 *             its workers follow.
 *
 *   pressure  a task has been queued for over 10 ms, or a submitter waits: pressure.h. A task in a
 *             next slot counts if it has been there while no worker looked for a task. The queue is
 *             offered, and an idle worker is woken.
 *
 * A queue that waits because the capacity is used up does not stall. If a queue stalls because its
 * worker is in a task that is no hog yet, the log does not say so.
 */
#include "core/monitor.h"

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rculist.h>
#include <linux/time.h>

#include "compat.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/housekeeping.h"
#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/notify.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "core/wake.h"
#include "core/why.h"

#define PERIOD_NS	(10 * NSEC_PER_MSEC)
#define STALL_NS	PERIOD_NS
/* The age of a task, counted in ticks, is up to a tick too long: above this, PERIOD_NS are over. */
#define OLD_NS		(PERIOD_NS + TICK_NSEC / 2)
#define STALL_LOG_NS	NSEC_PER_SEC
#define AWAY_NS		NSEC_PER_SEC

/*
 * Where no notifier tells that a worker blocks, the monitor looks often as long as it finds blocked
 * workers. The monitor takes a hundredth of a CPU at most, unless a round takes longer than 100 us.
 */
#define PERIOD_MIN_NS	(20 * NSEC_PER_USEC)
#define PERIOD_PER_ROUND	100

/* The monitor's last round counted a worker out. */
static bool has_acted;

/*
 * No round for AWAY_NS: the timer was off, or a host has stopped the machine, but not its clock.
 * Forget what was measured.
 */
static bool was_away;

/* In this check of a pool, a rescue has found no worker: another one would find none, either. */
static bool is_in_vain;

static bool rescue_queue(struct wpool_runq *rq)
{
	if (!is_in_vain)
		is_in_vain = !wpool_wake_rescue(rq);
	return !is_in_vain;
}

/* ---- hogs, and workers that blocked unnoticed ---- */

/*
 * Choose workers for retake_chosen(): if no worker here has looked for work for hog_ms, all that
 * are in tasks; otherwise, if tasks wait, those that are blocked. Returns false if none is chosen.
 */
static bool watch_workers(struct wpool *pool, struct wpool_runq *rq, u64 now)
{
	u64 hog_ns = READ_ONCE(pool->hog_ms) * (u64)NSEC_PER_MSEC;
	u64 ns = wpool_standing_ns(&rq->watch.ticks, READ_ONCE(rq->tick), now);

	rq->retake = WPOOL_RETAKE_NONE;
	if (ns >= hog_ns) {
		rq->watch.ticks.since_ns = 0;
		rq->retake = WPOOL_RETAKE_ALL;
	} else if (ns && wpool_queues_are_waiting(pool, rq)) {
		/* preempt notifiers do not tell of a sleep that began while handoff was 0 */
		rq->retake = WPOOL_RETAKE_BLOCKED;
	}
	return rq->retake != WPOOL_RETAKE_NONE;
}

/* Count out the chosen workers of all run queues, in one walk over the workers. */
static void retake_chosen(struct wpool *pool)
{
	struct wpool_worker *w;
	struct wpool_runq *rq;
	bool blocked;

	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		rq = READ_ONCE(w->running_on);
		if (!rq || rq->retake == WPOOL_RETAKE_NONE)
			continue;
		blocked = compat_is_blocked(w->thread);
		/* a worker that has looked for a task since the choice is no hog */
		if (!blocked && (rq->retake != WPOOL_RETAKE_ALL ||
				 READ_ONCE(rq->tick) != rq->watch.ticks.what ||
				 !READ_ONCE(w->task)))
			continue;
		if (!wpool_running_leave(w))
			continue;
		has_acted = true;
		if (blocked) {
			WRITE_ONCE(pool->monitor.handoffs, pool->monitor.handoffs + 1);
			trace_wpool_runq_handed_over(pool->name, rq->cpu);
		} else {
			WRITE_ONCE(w->may_roam, true);
			wpool_tidy_sweep(&pool->tidy_joinable);
			WRITE_ONCE(pool->monitor.hogs, pool->monitor.hogs + 1);
			trace_wpool_task_hogged(pool->name, rq->cpu, w->thread->pid,
						READ_ONCE(w->task), READ_ONCE(w->func));
		}
	}
}

/* ---- stalls ---- */

/* Note the head of a queue. Returns for how long it has not changed; 0 if too short for a stall. */
static u64 stall_ns(struct wpool_seen *watch, u64 head, u64 now)
{
	u64 ns = wpool_standing_ns(&watch->head, head, now);

	if (!ns)
		watch->reported = false;
	return ns < STALL_NS ? 0 : ns;
}

/*
 * True if no worker is idle or in reserve, and none can be created: then the next worker that
 * becomes free looks at the offers. A pool without any worker must still ask the spawner: other
 * pools then make room.
 */
static bool is_exhausted(struct wpool *pool)
{
	u32 workers = READ_ONCE(pool->nr_workers);

	return !wpool_idle_any(pool) &&
	       (workers >= READ_ONCE(pool->capacity) ||
		(workers && !wpool_workers_room() && !READ_ONCE(pool->reserve.rescuer)));
}

/* Is one of the workers that count as running here in a task? Such a worker has got its CPU. */
static bool is_at_work(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_worker *w;

	list_for_each_entry_rcu(w, &pool->workers.list, node)
		if (READ_ONCE(w->running_on) == rq && READ_ONCE(w->task))
			return true;
	return false;
}

/* @rq is stalled: name it in pool->left, unless the queue named there has an older task. */
static void note_left(struct wpool *pool, struct wpool_runq *rq)
{
	u32 left = READ_ONCE(pool->left), first, other;

	if (!left || !wpool_runq_first(wpool_active(pool, left - 1), &other) ||
	    (wpool_runq_first(rq, &first) && time_before32(first, other)))
		WRITE_ONCE(pool->left, rq->index + 1);
}

static void watch_queue(struct wpool *pool, struct wpool_runq *rq, u64 now)
{
	u64 taken = wpool_ring_head(&rq->ring) + READ_ONCE(rq->backlog.popped);
	u64 head = (unsigned long)READ_ONCE(rq->next) ^ taken << 32;
	u64 ns;

	/* if only @next holds a task, the same task may be submitted again: the tick shows that */
	if (wpool_runq_len(rq) == 1 && READ_ONCE(rq->next))
		head ^= (u64)READ_ONCE(rq->tick) << 32;
	ns = stall_ns(&rq->watch, head, now);
	if (!ns) {
		if (READ_ONCE(pool->left) == rq->index + 1 && wpool_runq_is_served(rq) &&
		    !wpool_runq_has_long_tasks(rq))
			WRITE_ONCE(pool->left, 0);
		return;
	}
	note_left(pool, rq);
	if (is_exhausted(pool))
		return;
	rescue_queue(rq);
	if (ns >= STALL_LOG_NS && !rq->watch.reported && !is_at_work(pool, rq))
		wpool_report_stall(pool, &rq->watch, rq->cpu, ns);
}

/* Watch the global queue and the urgent tasks as one queue: the same workers take from both. */
static void watch_shared(struct wpool *pool, u64 now)
{
	u64 head = READ_ONCE(pool->globq.popped) | (u64)READ_ONCE(pool->urgent.popped) << 32;
	u64 ns = stall_ns(&pool->monitor.watch, head, now);
	bool coming;

	if (!ns)
		return;
	coming = (!is_exhausted(pool) && rescue_queue(raw_cpu_read(*pool->rq))) ||
		 atomic_read(&pool->nr_coming);
	/* if no worker was woken or is coming, all workers that may run are in their tasks */
	if (ns >= STALL_LOG_NS && coming)
		wpool_report_stall(pool, &pool->monitor.watch, -1, ns);
}

/* ---- tasks that have waited for too long ---- */

/* Was a task queued at @jiffy over @ns ago? The answer may be a tick off. */
static bool is_older(u32 jiffy, u64 ns)
{
	/* signed: @jiffy may be one tick later than jiffies were */
	return (s64)(s32)((u32)jiffies - jiffy) * TICK_NSEC > (s64)ns;
}

/* Has the first task of a list waited for over @ns? A cancelled task may still count. */
static bool fifo_waits(const struct wpool_fifo *fifo, u64 ns)
{
	u32 jiffy;

	/* read the length first: an empty list keeps an outdated time */
	return wpool_fifo_len(fifo) && wpool_fifo_first(fifo, &jiffy) && is_older(jiffy, ns);
}

/*
 * Has @what been there in each round for over @max_ns? Between two rounds it may have been away:
 * for max_wait_ms, wpool_finish_sweep() checks.
 */
static bool has_stood(struct wpool_standing *standing, u64 what, u64 now, u64 max_ns)
{
	return wpool_standing_ns(standing, what, now) > max_ns && what;
}

static bool is_overdue(struct wpool_runq *rq, u64 now, u64 max_ns)
{
	u32 jiffy;
	bool ring = wpool_ring_first(&rq->ring, &jiffy) && is_older(jiffy, max_ns);
	bool next = has_stood(&rq->seen_next, (unsigned long)READ_ONCE(rq->next), now, max_ns);

	if (!ring && !next)
		return fifo_waits(&rq->backlog, max_ns);
	/* no worker takes these tasks: move all to the backlog, which is swept */
	wpool_sched_spill(rq);
	/* the slot may get the same task again: count its time from now on */
	rq->seen_next.since_ns = 0;
	return true;
}

static void watch_waits(struct wpool *pool, u64 now)
{
	u64 from, max_ns = wpool_max_wait_ns(pool, &from);
	struct wpool_runq *rq;
	bool overdue;
	u32 i;

	/* max_wait_ms was set too recently: no task to which it applies is overdue yet */
	if (!max_ns || now - max_ns < from)
		return;
	overdue = fifo_waits(&pool->globq, max_ns) || fifo_waits(&pool->urgent, max_ns);
	wpool_for_each_active(pool, rq, i)
		overdue |= is_overdue(rq, now, max_ns);
	if (overdue)
		wpool_tidy_sweep(&pool->tidy);
}

/* ---- pressure ---- */

static bool runq_waits(struct wpool_runq *rq, u64 now)
{
	u64 next = (unsigned long)READ_ONCE(rq->next);
	/* the same task may have run, and been submitted again: then the tick has moved */
	bool stood = has_stood(&rq->seen_slot, next ^ (u64)READ_ONCE(rq->tick) << 32, now,
			       PERIOD_NS);
	u32 jiffy;

	return (next && stood) || fifo_waits(&rq->backlog, OLD_NS) ||
	       (wpool_ring_first(&rq->ring, &jiffy) && is_older(jiffy, OLD_NS));
}

/*
 * Does a submitter wait, or has a task been queued for over PERIOD_NS? Offer the queues of such
 * tasks: their worker may have had no look in which to do so, as it runs tasks for which one of its
 * tasks waits.
 */
static void sample_pressure(struct wpool *pool, u64 now)
{
	bool waits = READ_ONCE(pool->admission.nr_waiting) || fifo_waits(&pool->globq, OLD_NS) ||
		     fifo_waits(&pool->urgent, OLD_NS);
	struct wpool_runq *rq;
	u32 i;

	wpool_for_each_active(pool, rq, i) {
		if (!wpool_runq_len(rq) || !runq_waits(rq, now))
			continue;
		waits = true;
		wpool_runq_offer(rq);
	}
	if (wpool_pressure_set(&pool->pressure, now, waits))
		wpool_notify_tell(pool);
}

/* ---- looking ---- */

static void look_at_workers(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 i;

	retake_chosen(pool);
	/* the workers counted out have made room */
	is_in_vain = false;
	wpool_for_each_active(pool, rq, i) {
		/*
		 * The workers counted out here, or one that was woken and does not get this CPU,
		 * will not take the queued tasks: get another one.
		 */
		if (rq->retake != WPOOL_RETAKE_NONE && wpool_queues_are_waiting(pool, rq) &&
		    (wpool_runq_has_room(rq) ||
		     (READ_ONCE(rq->waking) && !__wpool_runq_is_fresh(rq))))
			rescue_queue(rq);
		rq->retake = WPOOL_RETAKE_NONE;
	}
}

/* Measure hogs, stalls and jams from the beginning again, and end the pressure. */
static void forget_waits(struct wpool *pool, u64 now)
{
	struct wpool_runq *rq;
	u32 i;

	wpool_for_each_active(pool, rq, i) {
		rq->watch.ticks.since_ns = 0;
		rq->watch.head.since_ns = 0;
	}
	pool->monitor.watch.head.since_ns = 0;
	wpool_report_no_jam(pool);
	wpool_pressure_set(&pool->pressure, now, false);
}

/*
 * Check a pool. Returns true if it is busy: a task is queued, a worker runs or a submitter waits.
 * Workers that sleep in a task do not count.
 */
static bool look_closely(struct wpool *pool, u64 now)
{
	bool busy = false, queued = false, suspects = false;
	struct wpool_runq *rq;
	unsigned long flags;
	u32 i;

	is_in_vain = false;
	if (was_away || wpool_is_frozen(pool))
		forget_waits(pool, now);
	if (wpool_is_frozen(pool))
		return false;
	wpool_for_each_active(pool, rq, i) {
		/* without hand-off nr_running includes workers that sleep in their tasks */
		if (READ_ONCE(pool->handoff) && READ_ONCE(rq->nr_running)) {
			suspects |= watch_workers(pool, rq, now);
			busy = true;
		} else {
			rq->watch.ticks.since_ns = 0;
		}
		if (wpool_runq_len(rq)) {
			watch_queue(pool, rq, now);
			queued = true;
		} else {
			rq->watch.head.since_ns = 0;
			rq->seen_slot.since_ns = 0;
			rq->seen_next.since_ns = 0;
		}
	}
	if (wpool_shared_len(pool)) {
		watch_shared(pool, now);
		queued = true;
	} else {
		pool->monitor.watch.head.since_ns = 0;
	}
	/* RCU keeps the pool, and free_pool() waits for the work */
	if (unlikely(READ_ONCE(pool->anchor)) &&
	    !wpool_housekeeping_cpuset_is(pool, pool->cpuset))
		queue_delayed_work(system_dfl_wq, &pool->follow_work, 0);
	if (suspects)
		look_at_workers(pool);
	sample_pressure(pool, now);
	if (queued) {
		/* a worker that parks on a full CPU does not look, but may help elsewhere */
		local_irq_save(flags);
		wpool_wake_if_work(pool, wpool_this_runq(pool));
		local_irq_restore(flags);
		watch_waits(pool, now);
	}
	if (!queued && !READ_ONCE(pool->admission.nr_waiting))
		wpool_report_no_jam(pool);
	else if (wpool_report_jam(pool, now))
		busy = true;
	/* continue while there is pressure, to notice its end */
	return busy || queued || pool->pressure.is_on;
}

/*
 * @now: the time of the round. It is the same for all pools: if the machine is stopped during a
 * round, the next one sets @was_away.
 */
static bool look_at(struct wpool *pool, u64 now)
{
	bool busy = look_closely(pool, now);

	wpool_notify_send(pool);
	return busy;
}

static void set_period(u64 round_ns)
{
	u64 next = PERIOD_NS;

	if (!IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS))
		next = has_acted ? PERIOD_MIN_NS : min(wpool_monitor_period_ns * 5 / 4, PERIOD_NS);
	has_acted = false;
	/* PERIOD_NS at most: one slow round must not postpone the next one for long */
	WRITE_ONCE(wpool_monitor_period_ns, min(max(next, PERIOD_PER_ROUND * round_ns), PERIOD_NS));
}

static bool look_at_pools(void)
{
	static u64 last_ns;
	u64 start = ktime_get_mono_fast_ns();
	bool busy;

	was_away = (s64)(start - last_ns) > AWAY_NS;
	last_ns = start;
	busy = wpool_watched_walk(look_at, start);
	wpool_housekeeping_check();
	set_period(ktime_get_mono_fast_ns() - start);
	return busy;
}

void wpool_monitor_init(void)
{
	wpool_monitor_period_ns = IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS) ? PERIOD_NS : PERIOD_MIN_NS;
	wpool_monitor_timer_init(look_at_pools);
}
