// SPDX-License-Identifier: GPL-2.0
/* The scheduler, see sched.h. wake.c decides which worker to wake, and explains the barriers. */
#include "core/sched.h"

#include <linux/ktime.h>
#include <linux/sched/stat.h>
#include <linux/time.h>

#include "core/counts.h"
#include "core/runqs.h"
#include "core/trace.h"

#define STEAL_ROUNDS	4

/*
 * A searching worker reads the offered run queues once in this time: each read fetches cache lines
 * that workers and submitters of other CPUs write.
 */
#define POLL_NS	(1 * NSEC_PER_USEC)

/* ---- tasks that move between queues ---- */

/* Tasks on their way between two queues; used with interrupts off. */
static DEFINE_PER_CPU(struct wpool_task *, in_transit[WPOOL_RING_SIZE]);

/*
 * Move all tasks of a ring to the end of the backlog, which is the older part of the same queue.
 * Interrupts are off. Returns how many were moved.
 */
static u32 transit_spill(struct wpool_runq *rq)
{
	struct wpool_task **tasks = this_cpu_ptr(in_transit);
	u32 nr = wpool_ring_grab_all(&rq->ring, tasks);

	if (nr)
		wpool_fifo_push(&rq->backlog, tasks, nr);
	return nr;
}

/*
 * Take up to *@nr tasks from a list. Returns the first one, or NULL. The others go to the end of
 * this CPU's ring, which has room for them. *@nr becomes the number of all tasks taken. Interrupts
 * are off.
 */
static struct wpool_task *transit_fill(struct wpool_runq *rq, struct wpool_fifo *from, u32 *nr)
{
	struct wpool_task **tasks = this_cpu_ptr(in_transit);
	u32 i;

	*nr = wpool_fifo_pop(from, tasks, *nr);
	for (i = 1; i < *nr; i++)
		wpool_ring_put(&rq->ring, tasks + i, 1, tasks[i]->jiffy);
	if (*nr > 1) {
		/* transit_fill:A: the other tasks were in no queue for a moment */
		smp_mb();
	}
	return *nr ? tasks[0] : NULL;
}

/* ---- push ---- */

/*
 * Tasks of a run queue have moved to another list, or are left to workers of other CPUs: make sure
 * that a worker comes for them.
 */
static void wake_for_moved(struct wpool *pool, struct wpool_runq *rq)
{
	/* wake_for_moved:A: the tasks were in no queue for a moment, or are left; see wake.c */
	smp_mb();
	wpool_runq_offer(rq);
	wpool_wake_for_rest(pool, wpool_this_runq(pool));
}

/* Put tasks that this CPU queues into the global queue. */
static void push_shared(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr)
{
	u64 from = rq->sample.ns ? ktime_get_mono_fast_ns() : 0;

	rq->shared_end = wpool_fifo_push(&pool->globq, tasks, nr);
	rq->shared_jiffy = jiffies;
	WRITE_ONCE(rq->estimate.ring_max, 0);
	/* leave the push out of the sample: waiting for the lock makes short tasks look long */
	if (from)
		rq->sample.ns += ktime_get_mono_fast_ns() - from;
}

/* Is the last task that this CPU put into the global queue still there, and of @jiffy or later? */
static bool has_shared(const struct wpool *pool, const struct wpool_runq *rq, u32 jiffy)
{
	return !time_before32(rq->shared_jiffy, jiffy) &&
	       time_before32(READ_ONCE(pool->globq.popped), rq->shared_end);
}

/* Push tasks that are not urgent, to the ring if it is served and its tasks are short. */
static void push_others(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr)
{
	/*
	 * Use the pool's estimate: without an estimate, all pushes would take the lock of the
	 * global queue until this CPU has timed a task.
	 */
	wpool_length_adopt(rq);
	/*
	 * Of the tasks that this CPU queues in one tick, those in the ring must be older than those
	 * in the global queue. So once this CPU has put a task into the global queue, its later
	 * tasks of that tick go there, too. Tasks of other CPUs have no such effect: otherwise,
	 * under load, the tasks of all CPUs would go to the global queue.
	 */
	if (!wpool_runq_is_served(rq) || !wpool_runq_has_short_tasks(rq) ||
	    has_shared(pool, rq, jiffies)) {
		push_shared(pool, rq, tasks, nr);
		return;
	}
	WRITE_ONCE(rq->estimate.ring_max, WPOOL_RING_SIZE);
	if (nr > wpool_ring_room(&rq->ring))
		transit_spill(rq);
	wpool_ring_put(&rq->ring, tasks, nr, jiffies);
}

/* Push neighbouring tasks of equal urgency together. After its push, a task may be freed. */
void __wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr)
{
	u32 i, end;
	bool urgent;

	for (i = 0; i < nr; i = end) {
		urgent = wpool_task_is_urgent(tasks[i]);
		end = i + 1;
		while (end < nr && wpool_task_is_urgent(tasks[end]) == urgent)
			end++;
		if (urgent)
			wpool_fifo_push(&pool->urgent, tasks + i, end - i);
		else
			push_others(pool, rq, tasks + i, end - i);
	}
}

void __wpool_sched_push_one(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	__wpool_sched_push(pool, rq, &task, 1);
}

void wpool_sched_push_on(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	bool spawns = wpool_wake_may_spawn_at(pool, rq);

	if (unlikely(wpool_task_is_urgent(task))) {
		wpool_sched_push(pool, wpool_this_runq(pool), &task, 1, WPOOL_TASK_URGENT);
		return;
	}
	/* the run queue holds a task before its first worker comes */
	if (spawns)
		wpool_runq_activate(rq);
	if (wpool_runq_is_served(rq) || spawns) {
		/* only its own CPU fills a ring: use the backlog, behind the ring's older tasks */
		if (transit_spill(rq))
			wake_for_moved(pool, rq);
		wpool_fifo_push(&rq->backlog, &task, 1);
	} else {
		push_shared(pool, wpool_this_runq(pool), &task, 1);
	}
	/* wpool_sched_push_on:A, see wake.c */
	smp_mb();
	wpool_wake_for_push_on(pool, rq);
}

/* ---- this CPU's queue, and those of all CPUs ---- */

/*
 * Take the first task of the global queue. @several: this CPU's queue is empty, so take several
 * tasks if they are short: this CPU's share of them.
 */
static struct wpool_task *take_shared(struct wpool *pool, struct wpool_runq *rq, bool several)
{
	u32 nr = 1;

	if (several && wpool_runq_has_short_tasks(rq)) {
		nr += wpool_fifo_len(&pool->globq) /
		      max(min(READ_ONCE(pool->nr_cpus), READ_ONCE(pool->nr_workers)), 1U);
		nr = min3(nr, WPOOL_RING_HALF, wpool_ring_room(&rq->ring) + 1);
		/* tasks moved here are older than those that stay: end the global queue's turn */
		rq->turn_end = READ_ONCE(pool->globq.popped);
	}
	return transit_fill(rq, &pool->globq, &nr);
}

/* Take the first task of a run queue of any CPU; the one in the next slot comes last. */
static struct wpool_task *take_first(struct wpool_runq *rq)
{
	return wpool_runq_pop(rq) ?: wpool_runq_take_next(rq);
}

/*
 * Take the first task of the run queue named in pool->left, if the caller has found no task or only
 * younger ones. @found: the caller has found a task, queued at @jiffy. If that run queue has only a
 * task in its next slot, whose age is not known, take it; but leave @own's slot to take_others().
 */
static struct wpool_task *take_left(struct wpool *pool, struct wpool_runq *own, bool found,
				    u32 jiffy)
{
	u32 left = READ_ONCE(pool->left), first;
	struct wpool_runq *rq;

	if (likely(!left))
		return NULL;
	rq = wpool_active(pool, left - 1);
	if (wpool_runq_first(rq, &first))
		return found && !time_before32(first, jiffy) ? NULL : wpool_runq_pop(rq);
	/* another run queue may be named by now */
	cmpxchg(&pool->left, left, 0);
	return rq == own ? NULL : wpool_runq_take_next(rq);
}

/*
 * Does the first task of the global queue come before the first one here? If both were queued in
 * the same tick, the two queues take turns. Once the global queue's turn is over, first the tasks
 * queued here by then have a turn, and next those in the global queue by then: tasks that come
 * later are younger. A task that this CPU put into the global queue is younger than those in its
 * ring.
 */
static bool is_shared_first(struct wpool *pool, struct wpool_runq *rq, u32 shared, u32 own)
{
	u32 popped = READ_ONCE(pool->globq.popped);

	if (shared != own)
		return time_before32(shared, own);
	if (!time_before32(popped, rq->turn_end)) {
		rq->turn_end = popped + wpool_fifo_len(&pool->globq);
		rq->turn_tick = rq->tick + wpool_runq_len(rq);
	}
	return !time_before32(rq->tick, rq->turn_tick) && !has_shared(pool, rq, own);
}

/* Take the oldest task of this CPU's queue, the global queue and the run queue in pool->left. */
static struct wpool_task *take_oldest(struct wpool *pool, struct wpool_runq *rq)
{
	u32 own = 0, shared;
	bool has_own = wpool_runq_first(rq, &own);
	bool from_shared = wpool_fifo_first(&pool->globq, &shared) &&
			   (!has_own || is_shared_first(pool, rq, shared, own));
	struct wpool_task *task;

	task = take_left(pool, rq, has_own || from_shared, from_shared ? shared : own);
	if (!task && from_shared)
		task = take_shared(pool, rq, !has_own);
	return task ?: wpool_runq_pop(rq);
}

/* ---- urgent tasks ---- */

/* Take an urgent task; rq->tick counts this look already. */
static struct wpool_task *take_urgent(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_task *task = wpool_fifo_pop_first(&pool->urgent);

	if (!task)
		return NULL;
	if (rq->tick - rq->urgent_tick != 1)
		rq->urgent_streak = 0;
	/* keep the streak at its limit: the next task that is not urgent comes first */
	rq->urgent_streak = min(rq->urgent_streak + 1, WPOOL_URGENT_STREAK);
	rq->urgent_tick = rq->tick;
	return task;
}

/* ---- what this CPU serves ---- */

/* Take the task in the next slot, at most 16 in a row; else the oldest, but no urgent task. */
static struct wpool_task *take_others(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_task *task = NULL;

	if (rq->next_streak++ < WPOOL_NEXT_STREAK)
		task = wpool_runq_take_next(rq);
	if (task)
		return task;
	rq->next_streak = 0;
	return take_oldest(pool, rq) ?: wpool_runq_take_next(rq);
}

/* Take a task from the queues that this CPU serves. */
static struct wpool_task *take_here(struct wpool *pool, struct wpool_runq *rq)
{
	bool urgent = wpool_fifo_len(&pool->urgent);
	struct wpool_task *task = NULL;

	WRITE_ONCE(rq->tick, rq->tick + 1);
	if (unlikely(rq->sample.ns))
		wpool_length_end(rq);
	/* if the limit of urgent tasks in a row is reached, another task comes first */
	if (unlikely(urgent) &&
	    (rq->tick - rq->urgent_tick != 1 || rq->urgent_streak < WPOOL_URGENT_STREAK))
		task = take_urgent(pool, rq);
	if (likely(!task))
		task = take_others(pool, rq);
	if (unlikely(!task) && urgent)
		task = take_urgent(pool, rq);
	return task;
}

/* ---- after a task was taken ---- */

/*
 * Let other CPUs take from this queue, too, while its first task is older than a tick: tasks queued
 * here before they were known to be long are older than those in the global queue.
 */
static void name_left(struct wpool *pool, struct wpool_runq *rq)
{
	u32 name = rq->index + 1, first;
	bool late = wpool_runq_first(rq, &first) && time_before32(first + 1, jiffies);

	/* while a queue is named, each look of all CPUs is a full one */
	if (READ_ONCE(pool->left) == (late ? 0 : name))
		cmpxchg(&pool->left, late ? 0 : name, late ? name : 0);
}

/*
 * Called by a worker that has taken a task. If tasks are still queued, wake an idle worker for them
 * if that helps. Time the task that was taken, unless the next slot had it: once a tick, and in
 * each look if tasks are not known to be short.
 */
static __always_inline void wake_to_help(struct wpool *pool, struct wpool_runq *rq)
{
	u32 now = jiffies;

	if (unlikely(wpool_runq_has_long_tasks(rq)))
		name_left(pool, rq);

	if (unlikely(rq->call_jiffy != now ||
		     (!wpool_runq_has_short_tasks(rq) && !rq->sample.ns)) && !rq->next_streak) {
		WRITE_ONCE(rq->call_jiffy, now);
		wpool_length_start(rq, false);
	}
	if (unlikely(!wpool_wake_is_needless(pool, rq)) && wpool_queues_wait_here(pool, rq))
		wpool_wake_for_push(pool, rq);
}

/* ---- stealing from the run queues of other CPUs ---- */

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
	task = n ? transit_fill(rq, &victim->backlog, nr) : NULL;
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

/*
 * Visit each offered run queue (wpool_runq_offer()), the nearest first, until one has a task. Other
 * tasks of that run queue may move to this CPU's ring. @rq: this CPU's run queue, which is active;
 * @last: take the task in a next slot even if a worker is running, waking or idle there. Interrupts
 * are on, preemption is off. Returns a task, not claimed, or NULL.
 */
static noinline struct wpool_task *steal_round(struct wpool *pool, struct wpool_runq *rq, bool last)
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
				wake_to_help(pool, rq);
			local_irq_enable();
			if (task)
				return task;
		}
	}
	return NULL;
}

/* ---- find ---- */

/* May one more worker search? At most one for every two CPUs that have no idle worker. */
static bool may_search(struct wpool *pool)
{
	u32 nr = atomic_read(&pool->nr_searching), busy = wpool_nr_active(pool), i;

	/* one worker may always search */
	if (!nr)
		return true;
	for (i = 0; i < BITS_TO_LONGS(wpool_nr_active(pool)); i++)
		busy -= hweight_long(READ_ONCE(pool->idle_mask[i]));
	/* signed: idle_mask may have a bit of a run queue that has just become active */
	return (s32)(2 * nr - busy) < 0;
}

/* A searcher has found a task. If tasks are left, and no other worker searches, wake a worker. */
static void stop_searching(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	w->searching = false;
	/* stop_searching:A, fully ordered, see wake.c */
	atomic_dec_return(&pool->nr_searching);
	local_irq_disable();
	wpool_wake_for_rest(pool, wpool_this_runq(pool));
	local_irq_enable();
}

static inline struct wpool_task *take(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_task *task;
	struct wpool_runq *rq;

	local_irq_disable();
	rq = wpool_runq_activate(wpool_this_runq(pool));
	task = take_here(pool, rq);
	if (task)
		wake_to_help(pool, rq);
	else
		rq->sample.ns = 0;
	local_irq_enable();
	return task;
}

static bool may_spin(struct wpool *pool)
{
	return READ_ONCE(pool->spin_us) && !wpool_is_closed(pool) && !need_resched() &&
	       single_task_running();
}

/* Look at the queues for a while, unless another thread wants the CPU. */
static struct wpool_task *search_for_task(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *rq = wpool_this_runq(pool);
	struct wpool_task *task = NULL;
	u32 nr = wpool_nr_active(pool);
	u64 now, next, end = 0;
	int round;

	if (!w->searching) {
		/* the worker will park and then look once more: it need not count as searching */
		if (!may_spin(pool) && wpool_next_bit(pool->offers, nr, 0) == nr)
			return NULL;
		if (!may_search(pool))
			return NULL;
		wpool_searching_enter(w);
	}

	/* the worker counts as searching, so it may end offers: see end_offer:A in wake.c */
	do {
		for (round = 1; round <= STEAL_ROUNDS && !task && wpool_queues_find_work(pool, rq);
		     round++)
			task = steal_round(pool, rq, round == STEAL_ROUNDS);
		if (!task)
			task = take(w);
		if (task)
			break;
		now = ktime_get_mono_fast_ns();
		if (!end)
			end = now + READ_ONCE(pool->spin_us) * (u64)NSEC_PER_USEC;
		next = now;
		/* between two rounds only read, unless an offer is outdated */
		do {
			if (now >= next) {
				if (wpool_queues_find_work(pool, rq))
					break;
				next = now + POLL_NS;
			}
			cpu_relax();
			now = ktime_get_mono_fast_ns();
			if (!may_spin(pool) || now >= end)
				return NULL;
		} while (!wpool_queues_wait_here(pool, rq));
		/* other workers may take all tasks seen: then give up, park_join() looks again */
	} while (now <= end && !need_resched());

	return task;
}

struct wpool_task *wpool_sched_find(struct wpool_worker *w)
{
	struct wpool_task *task = take(w);

	if (!task)
		task = search_for_task(w);
	if (task && w->searching)
		stop_searching(w);
	return task;
}

/* ---- taking tasks out ---- */

void wpool_sched_put_first(struct wpool *pool, struct wpool_task *const *tasks, u32 nr)
{
	wpool_fifo_push_first(&pool->globq, tasks, nr);
	wake_for_moved(pool, wpool_this_runq(pool));
}

void wpool_sched_spill(struct wpool_runq *rq)
{
	struct wpool_task *next;
	unsigned long flags;

	local_irq_save(flags);
	transit_spill(rq);
	next = wpool_runq_take_next(rq);
	if (next)
		wpool_fifo_push(&rq->backlog, &next, 1);
	wake_for_moved(rq->pool, rq);
	local_irq_restore(flags);
}

/* Take a task out of a run queue, but not out of its backlog. */
static bool unqueue_from(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	bool found;

	/* the memory of @task is valid, so an equal address is that of @task */
	if (READ_ONCE(rq->next) == task && cmpxchg(&rq->next, task, NULL) == task)
		return true;
	/* in most cases @task is the first task of the ring */
	if (wpool_ring_pop_if(&rq->ring, task))
		return true;
	if (!wpool_ring_holds(&rq->ring, task))
		return false;
	/* a task can be taken out of the middle of a list, but not of a ring */
	transit_spill(rq);
	found = wpool_fifo_remove(pool, task);
	wake_for_moved(pool, rq);
	return found;
}

bool wpool_sched_unqueue(struct wpool *pool, struct wpool_task *task)
{
	u32 nr = wpool_nr_active(pool), start, i;
	struct wpool_runq *rq;
	unsigned long flags;
	bool found;

	local_irq_save(flags);
	/* first this CPU, if it was online before the end of the pool: @task may be new here */
	rq = wpool_this_runq(pool) ?: wpool_active(pool, 0);
	found = unqueue_from(pool, rq, task) || wpool_fifo_remove(pool, task);
	local_irq_restore(flags);
	/* then the CPU where @task was submitted, which a detached task does not store */
	if (!(task->flags & WPOOL_TASK_DETACHED))
		rq = wpool_runq(pool, READ_ONCE(task->cpu)) ?: rq;
	start = READ_ONCE(rq->index);
	/* then the others, which may have stolen @task; interrupts are on in between */
	for (i = 0; i < nr && !found; i++) {
		local_irq_save(flags);
		found = unqueue_from(pool, wpool_active(pool, (start + i) % nr), task);
		local_irq_restore(flags);
	}
	return found;
}

struct wpool_task *wpool_sched_take_oldest(struct wpool *pool)
{
	struct wpool_runq *own = wpool_this_runq(pool);
	u32 mine, shared, nr = wpool_nr_active(pool), i;
	struct wpool_task *task = NULL;

	if (wpool_fifo_first(&pool->globq, &shared) &&
	    (!wpool_runq_first(own, &mine) || time_before32(shared, mine)))
		task = wpool_fifo_pop_first(&pool->globq);
	/* another CPU may have taken the task that was first */
	if (!task)
		task = take_first(own) ?: wpool_fifo_pop_first(&pool->globq);
	/* start at this CPU: otherwise all submitters would drop the first run queues' tasks */
	for (i = 0; i < nr && !task; i++)
		task = take_first(wpool_active(pool, (own->index + i) % nr));
	return task;
}

struct wpool_task *wpool_sched_take_any(struct wpool *pool)
{
	struct wpool_task *task;
	u32 i;

	/* this CPU may have come online after the pool was destroyed: then it has no run queue */
	local_irq_disable();
	task = wpool_fifo_pop_first(&pool->urgent) ?: wpool_fifo_pop_first(&pool->globq);
	for (i = 0; i < wpool_nr_active(pool) && !task; i++)
		task = take_first(wpool_active(pool, i));
	local_irq_enable();
	return task;
}

void wpool_sched_leave(struct wpool_runq *rq)
{
	if (!wpool_runq_len(rq))
		return;
	local_irq_disable();
	WRITE_ONCE(rq->pool->left, rq->index + 1);
	wake_for_moved(rq->pool, rq);
	local_irq_enable();
}
