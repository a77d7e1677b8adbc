// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler, see sched.h: push, find, steal. wake.c decides which worker to wake,
 * and explains the barriers in here.
 */
#include "core/sched.h"

#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/stat.h>
#include <linux/time.h>
#include <linux/topology.h>

#include "core/census.h"
#include "core/length.h"
#include "core/queues.h"
#include "core/runqs.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/wake.h"

#define STEAL_ROUNDS	4

/*
 * Of long tasks a CPU takes so many at a time from the queues behind its ring: what it has
 * taken waits for its own workers, the rest for the first one of any CPU.
 */
#define TAKE_LONG	4

/* So many times half a ring are moved out of a backlog at once. */
#define DRAIN_PIECES	64

/*
 * A searching worker looks at the run queues that are offered once in so long: each look
 * fetches lines that their workers and submitters write.
 */
#define GLANCE_NS	(1 * NSEC_PER_USEC)

/*
 * Tasks that move between two queues; used with interrupts off. Room for all tasks of
 * a ring behind the most that the global queue gives at a time.
 */
struct transit {
	struct wpool_task *tasks[WPOOL_RING_HALF + WPOOL_RING_SIZE];
};

static DEFINE_PER_CPU(struct transit, in_transit);

/* ---- push ---- */

/*
 * Where tasks go for which there is no room in the ring. Long ones wait in one queue
 * for all CPUs, others for their own CPU, which has their lines.
 */
static struct wpool_fifo *queue_behind(struct wpool_runq *rq)
{
	return wpool_runq_has_long_tasks(rq) && !wpool_fifo_len(&rq->backlog) ?
	       &rq->pool->globq : &rq->backlog;
}

/*
 * The ring is full: its younger half and the new tasks go to the backlog. Moving many
 * tasks at a time makes it cheap. The older half has waited longer and stays.
 */
static void spill(struct wpool_runq *rq, struct wpool_task *const *tasks, u32 nr)
{
	struct wpool_task **all = this_cpu_ptr(&in_transit)->tasks;
	u32 n = wpool_ring_grab_all(&rq->ring, all);
	u32 keep = min(n, WPOOL_RING_HALF);

	wpool_ring_put(&rq->ring, all, keep);
	wpool_fifo_push(&rq->backlog, all + keep, n - keep);
	wpool_fifo_push(&rq->backlog, tasks, nr);
}

/* As spill(). Older tasks, of which it was not known, go first. */
static void push_long(struct wpool_runq *rq, struct wpool_task *const *tasks, u32 nr)
{
	struct wpool_fifo *globq = &rq->pool->globq;
	struct wpool_task **old = this_cpu_ptr(&in_transit)->tasks;
	u32 n = wpool_fifo_pop(&rq->backlog, old, WPOOL_RING_SIZE);

	if (n)
		wpool_fifo_push(globq, old, n);
	wpool_fifo_push(wpool_fifo_len(&rq->backlog) ? &rq->backlog : globq, tasks, nr);
}

static void ring_push(struct wpool_runq *rq, struct wpool_task *const *tasks, u32 nr)
{
	u32 n;

	if (wpool_runq_has_long_tasks(rq)) {
		push_long(rq, tasks, nr);
		return;
	}
	n = wpool_ring_push(&rq->ring, tasks, nr);
	if (unlikely(n < nr))
		spill(rq, tasks + n, nr - n);
}

void __wpool_sched_push(struct wpool *pool, struct wpool_runq *rq,
			struct wpool_task *const *tasks, u32 nr)
{
	if (wpool_runq_is_served(rq))
		ring_push(rq, tasks, nr);
	else
		wpool_fifo_push(&pool->globq, tasks, nr);
}

void __wpool_sched_push_one(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	__wpool_sched_push(pool, rq, &task, 1);
}

/*
 * Each run of them goes to its queue in one piece. Those that are not urgent may be taken, and
 * freed, as soon as they are queued: they are not looked at again.
 */
void wpool_sched_push_urgent(struct wpool *pool, struct wpool_runq *rq,
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
			__wpool_sched_push(pool, rq, tasks + i, end - i);
	}
	/* wpool_sched_push_urgent:A, see wake.c */
	smp_mb();
	wpool_wake_for_push(pool, rq);
}

void wpool_sched_push_urgent_one(struct wpool *pool, struct wpool_runq *rq,
				 struct wpool_task *task)
{
	wpool_sched_push_urgent(pool, rq, &task, 1);
}

void wpool_sched_push_on(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	if (unlikely(wpool_task_is_urgent(task))) {
		wpool_sched_push_urgent(pool, wpool_this_runq(pool), &task, 1);
		return;
	}
	/* a ring is filled by its own CPU only, a backlog by any */
	wpool_fifo_push(wpool_runq_is_served(rq) ? &rq->backlog : &pool->globq, &task, 1);
	/* wpool_sched_push_on:A, see wake.c */
	smp_mb();
	wpool_wake_for_push_on(pool, rq);
}

/* ---- the backlog and the global queue ---- */

/* So many tasks of the two queues behind the ring. */
struct behind {
	u32 backlog;
	u32 globq;
};

/* What this CPU has to take: its backlog, and as much of the global queue as other CPUs. */
static struct behind count_behind(struct wpool *pool, struct wpool_runq *rq)
{
	u32 n = wpool_fifo_len(&pool->globq);

	if (unlikely(n))
		n = n / max(min(READ_ONCE(pool->nr_cpus), READ_ONCE(pool->nr_workers)), 1U) + 1;
	return (struct behind){ wpool_fifo_len(&rq->backlog), n };
}

/*
 * Take the oldest tasks of both. One is returned, the others go before the tasks in the
 * ring. If the ring is too small for all, the youngest go behind it.
 */
static struct wpool_task *take_behind(struct wpool *pool, struct wpool_runq *rq,
				      struct behind nr)
{
	struct wpool_task **tasks = this_cpu_ptr(&in_transit)->tasks;
	u32 n = 0, fit;

	if (nr.globq)
		n = wpool_fifo_pop(&pool->globq, tasks, min(nr.globq, WPOOL_RING_HALF));
	if (nr.backlog)
		n += wpool_fifo_pop(&rq->backlog, tasks + n, min(nr.backlog, WPOOL_RING_HALF - n));
	if (!n)
		return NULL;
	if (n > 1) {
		n += wpool_ring_grab_all(&rq->ring, tasks + n);
		fit = wpool_ring_push(&rq->ring, tasks + 1, n - 1);
		if (fit < n - 1)
			wpool_fifo_push(queue_behind(rq), tasks + 1 + fit, n - 1 - fit);
		/* take_behind:A: the tasks were in no queue for a moment, see wake.c */
		smp_mb();
	}
	return tasks[0];
}

/* The ring is empty: take from both, in proportion to their lengths. */
static struct wpool_task *take_half(struct wpool *pool, struct wpool_runq *rq)
{
	u32 max = wpool_runq_has_long_tasks(rq) ? TAKE_LONG : WPOOL_RING_HALF;
	struct behind nr = count_behind(pool, rq);
	u32 all = nr.backlog + nr.globq;

	if (all > max) {
		nr.globq = div_u64((u64)nr.globq * max + all - 1, all);
		nr.backlog = max - nr.globq;
	}
	return take_behind(pool, rq, nr);
}

/* Bits of the fraction of a task that is due: one task among ten million counts. */
#define DUE_BITS	24

/* What is due of @nr tasks after @looks looks, if there are @all; the fraction stays. */
static u32 add_due(u32 *fraction, u64 nr, u32 looks, u64 all)
{
	u64 due = *fraction + div64_u64(nr * looks << DUE_BITS, all);

	*fraction = due & (BIT(DUE_BITS) - 1);
	return due >> DUE_BITS;
}

/*
 * The shares of this CPU's queues in the tasks that it takes: their lengths when a round
 * began. A round is as many looks as were tasks queued then, so that all queues take
 * equally long to empty. Were the shares to shrink with a queue that gets no new tasks,
 * its last ones would wait for several rounds.
 */
static void set_shares(struct wpool_runq *rq, struct wpool_shares nr)
{
	struct wpool_shares *old = &rq->shares;

	if (time_before32(rq->tick, rq->round_end)) {
		nr.ring = nr.ring ? max(nr.ring, old->ring) : 0;
		nr.backlog = nr.backlog ? max(nr.backlog, old->backlog) : 0;
		nr.globq = nr.globq ? max(nr.globq, old->globq) : 0;
	} else {
		rq->round_end = rq->tick + nr.ring + nr.backlog + nr.globq;
	}
	*old = nr;
}

/*
 * Take what is due to the queues behind the ring: of the tasks taken since the last turn
 * their shares. A task then waits about as long as it would in one queue. Fractions of a
 * task are carried over. The next turn comes when the next task is due; short tasks are
 * taken several at a time.
 */
static struct wpool_task *take_due(struct wpool *pool, struct wpool_runq *rq)
{
	u32 looks = min(rq->tick - rq->behind_tick, WPOOL_RING_HALF);
	struct behind nr = count_behind(pool, rq), due;
	struct wpool_shares *shares = &rq->shares;
	u32 next, least;
	u64 all;

	rq->behind_tick = rq->tick;
	rq->behind_turn = rq->tick + WPOOL_BEHIND_ROUND;
	if (likely(!(nr.backlog | nr.globq))) {
		rq->backlog_due = 0;
		rq->globq_due = 0;
		rq->round_end = rq->tick;
		return NULL;
	}
	set_shares(rq, (struct wpool_shares){
		.ring = wpool_ring_len(&rq->ring),
		.backlog = nr.backlog,
		.globq = nr.globq,
	});
	all = (u64)shares->ring + shares->backlog + shares->globq;
	due.backlog = add_due(&rq->backlog_due, shares->backlog, looks, all);
	due.globq = add_due(&rq->globq_due, shares->globq, looks, all);
	/* a task of the longer one is due once in so many looks; short ones several at once */
	next = div64_u64(all, max(shares->backlog, shares->globq));
	least = min3(4 * rq->help_len, nr.backlog + nr.globq, WPOOL_BEHIND_ROUND);
	rq->behind_turn = rq->tick + clamp(next, least, WPOOL_BEHIND_ROUND);
	return take_behind(pool, rq, due);
}

/* ---- urgent tasks ---- */

/* Have so many urgent tasks been taken in a row that one of the others comes first? */
static bool is_turn_of_others(const struct wpool_runq *rq)
{
	return rq->tick - rq->urgent_tick == 1 && rq->urgent_streak == WPOOL_URGENT_STREAK;
}

/* In a look that rq->tick counts. */
static struct wpool_task *take_urgent(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_task *task;

	if (!wpool_fifo_pop(&pool->urgent, &task, 1))
		return NULL;
	if (rq->tick - rq->urgent_tick != 1)
		rq->urgent_streak = 0;
	/* if there is none of the others, it stays their turn */
	rq->urgent_streak = min(rq->urgent_streak + 1, WPOOL_URGENT_STREAK);
	rq->urgent_tick = rq->tick;
	/* the other queues share the other looks */
	rq->behind_tick++;
	rq->behind_turn++;
	rq->round_end++;
	return task;
}

/* ---- what this CPU serves ---- */

/* In an order that starves none; of the tasks that are not urgent. */
static struct wpool_task *take_others(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_task *task;

	if (unlikely(!time_before32(rq->tick, rq->behind_turn)) ||
	    unlikely(rq->call_jiffy != (u32)jiffies)) {
		task = take_due(pool, rq);
		if (task)
			return task;
	}
	if (unlikely(READ_ONCE(rq->next)) && rq->next_streak < WPOOL_NEXT_STREAK) {
		task = wpool_sched_take_next(rq);
		if (task) {
			rq->next_streak++;
			return task;
		}
	}
	rq->next_streak = 0;
	task = wpool_ring_pop(&rq->ring);
	if (!task)
		task = take_half(pool, rq);
	if (!task)
		task = wpool_sched_take_next(rq);
	return task;
}

/* Take a task from the queues that this CPU serves. */
static struct wpool_task *take_here(struct wpool *pool, struct wpool_runq *rq)
{
	bool urgent = READ_ONCE(pool->has_urgent);
	struct wpool_task *task = NULL;

	WRITE_ONCE(rq->tick, rq->tick + 1);
	if (unlikely(rq->sample_ns))
		wpool_length_end(rq);
	if (unlikely(urgent) && !is_turn_of_others(rq))
		task = take_urgent(pool, rq);
	if (likely(!task))
		task = take_others(pool, rq);
	if (unlikely(!task) && urgent)
		task = take_urgent(pool, rq);
	return task;
}

/* Take half of what another CPU has: of the tasks behind its ring, if there are any. */
static struct wpool_task *rob(struct wpool_runq *rq, struct wpool_runq *victim, u32 *nr)
{
	struct wpool_task **tasks = this_cpu_ptr(&in_transit)->tasks;
	u32 n = wpool_fifo_len(&victim->backlog);

	n = n ? wpool_fifo_pop(&victim->backlog, tasks, min(n - n / 2, WPOOL_RING_HALF)) : 0;
	if (!n)
		return wpool_ring_steal_half(&rq->ring, &victim->ring, nr);
	/* the own ring is empty */
	wpool_ring_put(&rq->ring, tasks + 1, n - 1);
	*nr = n;
	return tasks[0];
}

static struct wpool_task *steal_from(struct wpool *pool, struct wpool_runq *rq,
				     struct wpool_runq *victim, bool last)
{
	struct wpool_task *task;
	u32 n;

	if (victim == rq || !wpool_runq_is_left(victim))
		return NULL;
	/* an interrupt may have filled the own ring meanwhile */
	if (wpool_ring_len(&rq->ring))
		return wpool_ring_pop(&rq->ring);
	task = rob(rq, victim, &n);
	if (!task && (last || !wpool_runq_is_served(victim))) {
		task = wpool_sched_take_next(victim);
		n = !!task;
	}
	WRITE_ONCE(rq->stolen, rq->stolen + n);
	if (n)
		trace_wpool_tasks_stolen(pool->name, rq->cpu, victim->cpu, n);
	return task;
}

/* This CPU's run queue, which the caller may fill; interrupts are off. */
static struct wpool_runq *own_runq(struct wpool *pool)
{
	struct wpool_runq *rq = wpool_this_runq(pool);

	/* a worker that was moved off its home may be the first one here */
	wpool_runq_activate(rq);
	return rq;
}

/* One round over all that are offered, those of this node first, from the next CPU on. */
static struct wpool_task *steal_round(struct wpool *pool, bool last)
{
	struct wpool_runq *rq, *victim;
	struct wpool_task *task = NULL;
	u32 nr = wpool_nr_active(pool), start = wpool_this_runq(pool)->index, i;
	unsigned long flags;
	int far;

	for (far = 0; far <= (nr_node_ids > 1); far++) {
		wpool_for_each_bit_wrap(i, pool->offers, nr, start) {
			victim = wpool_active(pool, i);
			local_irq_save(flags);
			rq = own_runq(pool);
			if ((cpu_to_node(victim->cpu) != cpu_to_node(rq->cpu)) == far)
				task = steal_from(pool, rq, victim, last);
			local_irq_restore(flags);
			if (task)
				return task;
		}
	}
	return NULL;
}

/* ---- find ---- */

/* There may be half as many searchers as CPUs without an idle worker. */
static bool may_search(struct wpool *pool)
{
	u32 nr = atomic_read(&pool->nr_searching), busy = wpool_nr_active(pool), i;

	/* the caller itself is not idle */
	if (!nr)
		return true;
	for (i = 0; i < BITS_TO_LONGS(wpool_nr_active(pool)); i++)
		busy -= hweight_long(READ_ONCE(pool->idle_mask[i]));
	/* a bit may have come for a run queue that was not active before */
	return (s32)(2 * nr - busy) < 0;
}

/* A searcher has found a task. If it was the last searcher, wake the next one. */
static void stop_searching(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	unsigned long flags;

	w->searching = false;
	/* stop_searching:A, fully ordered, see wake.c */
	atomic_dec_return(&pool->nr_searching);
	local_irq_save(flags);
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	local_irq_restore(flags);
}

/*
 * A worker leaves tasks in the queues while it runs one. It will come back for them, but
 * checks whether an idle worker would help. Once a tick it times a task.
 */
static inline void call_for_help(struct wpool *pool, struct wpool_runq *rq)
{
	u32 now = jiffies;

	if (unlikely(rq->call_jiffy != now)) {
		WRITE_ONCE(rq->call_jiffy, now);
		wpool_length_start(rq);
	}
	/* the next look comes through take_here(), and ends that */
	if (unlikely(wpool_length_is_single(rq)))
		rq->behind_turn = rq->tick + 1;
	if (unlikely(!wpool_wake_is_needless(pool, rq)) && wpool_queues_wait_here(pool, rq))
		wpool_wake_for_push(pool, rq);
}

static inline struct wpool_task *take(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_task *task;
	struct wpool_runq *rq;

	local_irq_disable();
	rq = own_runq(pool);
	task = take_here(pool, rq);
	if (task)
		call_for_help(pool, rq);
	else
		rq->sample_ns = 0;
	local_irq_enable();
	return task;
}

static bool have_work(struct wpool *pool)
{
	return wpool_queues_have_work(pool, wpool_this_runq(pool));
}

static bool may_spin(struct wpool *pool)
{
	return READ_ONCE(pool->spin_us) && !need_resched() && single_task_running();
}

/* Look at the queues for a while, unless another thread wants the CPU. */
static struct wpool_task *search(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_task *task = NULL;
	u64 now, next, end = 0;
	int round;

	if (!w->searching) {
		/* it parks, and looks once more then: no need to count in for that */
		if (!may_spin(pool) && !have_work(pool))
			return NULL;
		if (!may_search(pool))
			return NULL;
		wpool_searching_enter(w);
	}

	do {
		for (round = 1; round <= STEAL_ROUNDS && !task && have_work(pool); round++)
			task = steal_round(pool, round == STEAL_ROUNDS);
		if (!task)
			task = take(w);
		if (task)
			break;
		now = ktime_get_mono_fast_ns();
		if (!end)
			end = now + READ_ONCE(pool->spin_us) * (u64)NSEC_PER_USEC;
		next = now;
		/* between two rounds only read, without a locked instruction */
		do {
			if (now >= next) {
				if (have_work(pool))
					break;
				next = now + GLANCE_NS;
			}
			cpu_relax();
			now = ktime_get_mono_fast_ns();
			if (!may_spin(pool) || now >= end)
				return NULL;
		} while (!wpool_queues_wait_here(pool, raw_cpu_read(*pool->rq)));
	} while (true);

	return task;
}

struct wpool_task *wpool_sched_find(struct wpool_worker *w)
{
	struct wpool_task *task = take(w);

	if (!task)
		task = search(w);
	if (task && w->searching)
		stop_searching(w);
	return task;
}

/* ---- taking tasks out ---- */

void wpool_sched_put_first(struct wpool *pool, struct wpool_task **tasks, u32 nr)
{
	wpool_fifo_push_first(&pool->globq, tasks, nr);
	/* wpool_sched_put_first:A: these tasks were in no queue for a moment, see wake.c */
	smp_mb();
	wpool_wake_if_work(pool, wpool_this_runq(pool));
}

/* Take a task out of a run queue; tasks before it move to the global queue. */
static bool unqueue_from(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	struct wpool_task **tasks = this_cpu_ptr(&in_transit)->tasks;
	u32 n;

	/* only the address is compared: an equal one is the task */
	if (READ_ONCE(rq->next) == task && cmpxchg(&rq->next, task, NULL) == task)
		return true;
	n = wpool_ring_grab_through(&rq->ring, task, tasks);
	if (n > 1)
		wpool_sched_put_first(pool, tasks, n - 1);
	return n;
}

bool wpool_sched_unqueue(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_runq *own = wpool_this_runq(pool), *rq;
	u32 i;

	/* where a task is that this thread has just submitted */
	if (unqueue_from(pool, own, task))
		return true;
	if (wpool_fifo_remove(pool, task))
		return true;
	wpool_for_each_active(pool, rq, i)
		if (rq != own && unqueue_from(pool, rq, task))
			return true;
	return false;
}

struct wpool_task *wpool_sched_take_any(struct wpool *pool)
{
	struct wpool_task *task = NULL;
	struct wpool_runq *rq;
	unsigned long flags;
	u32 i;

	local_irq_save(flags);
	if (!wpool_fifo_pop(&pool->urgent, &task, 1) && !wpool_fifo_pop(&pool->globq, &task, 1)) {
		wpool_for_each_active(pool, rq, i) {
			task = wpool_ring_pop(&rq->ring);
			if (!task)
				task = wpool_sched_take_next(rq);
			if (task || wpool_fifo_pop(&rq->backlog, &task, 1))
				break;
		}
	}
	local_irq_restore(flags);
	return task;
}

/* The first task of a run queue; the next slot comes last, as in take_here(). */
static struct wpool_task *take_first(struct wpool_runq *rq, bool next)
{
	struct wpool_task *task = wpool_ring_pop(&rq->ring);

	if (!task && !wpool_fifo_pop(&rq->backlog, &task, 1) && next)
		task = wpool_sched_take_next(rq);
	return task;
}

struct wpool_task *wpool_sched_take_oldest(struct wpool *pool)
{
	struct wpool_runq *own = wpool_this_runq(pool), *rq;
	struct wpool_task *task = take_first(own, false);
	u32 i;

	if (!task && !wpool_fifo_pop(&pool->globq, &task, 1))
		task = wpool_sched_take_next(own);
	if (task)
		return task;
	wpool_for_each_active(pool, rq, i) {
		task = rq == own ? NULL : take_first(rq, true);
		if (task)
			return task;
	}
	return NULL;
}

void wpool_sched_drain(struct wpool_runq *rq, bool is_old)
{
	struct wpool *pool = rq->pool;
	struct wpool_task **tasks, *next;
	unsigned long flags;
	u32 n, i;

	local_irq_save(flags);
	tasks = this_cpu_ptr(&in_transit)->tasks;
	n = wpool_ring_grab_all(&rq->ring, tasks);
	next = wpool_sched_take_next(rq);
	if (next)
		tasks[n++] = next;
	if (is_old)
		wpool_fifo_push_first(&pool->globq, tasks, n);
	else
		wpool_fifo_push(&pool->globq, tasks, n);
	local_irq_restore(flags);

	/* with interrupts on between two pieces; a task may be in no queue for a moment */
	for (i = 0; i < DRAIN_PIECES && wpool_fifo_len(&rq->backlog); i++) {
		local_irq_save(flags);
		tasks = this_cpu_ptr(&in_transit)->tasks;
		n = wpool_fifo_pop(&rq->backlog, tasks, WPOOL_RING_HALF);
		wpool_fifo_push(&pool->globq, tasks, n);
		local_irq_restore(flags);
	}

	local_irq_save(flags);
	/* wpool_sched_drain:A, see wake.c */
	smp_mb();
	if (wpool_fifo_len(&pool->globq))
		wpool_wake_one(pool, wpool_this_runq(pool));
	local_irq_restore(flags);
}
