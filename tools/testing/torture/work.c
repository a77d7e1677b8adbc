// SPDX-License-Identifier: GPL-2.0
/*
 * Phase work: works and delayed works of wpool_wq's workqueues. Threads, hard interrupts and the
 * works themselves queue, cancel, flush, change and disable works.
 *
 * The results of the calls are counted for each work. In the end, when no work is pending,
 *
 *   queued <= runs + taken_back   and   runs <= queued + changed
 *
 * No work runs twice at once, and no work of a queue runs while max_active others of the queue run.
 * A quiet work is only queued and flushed. When a flush returns, the work must have run, and each
 * run that had started before the flush has ended. When a cancel or a disable that waits returns,
 * the earlier runs of any work have ended.
 *
 * Some works wander: they are queued on one queue while they still run on another one.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#define WPOOL_WQ_NO_NAMES
#include <linux/wpool_wq.h>

#include "torture.h"

#define NR_THINGS	12
#define NR_OTHERS	2	/* queues among which works wander */

struct stage;

/* A work with its accounts. */
struct thing {
	struct wpool_delayed_work dwork;
	struct stage *stage;
	u32 nr;
	atomic64_t queued;	/* calls that returned true: they queued the work */
	atomic64_t changed;	/* calls that may have queued the work */
	atomic64_t taken_back;	/* calls that took the work back, or may have */
	atomic64_t runs;	/* functions that started */
	atomic64_t ends;
	atomic_t inside;	/* functions that are running */
	struct wpool_wq *last;	/* the queue that the work was queued on last */
	atomic64_t seed;
};

/* Queues and their works. */
struct stage {
	struct stage_base base;
	struct wpool_wq *wq;
	/* queues among which some works wander; these works are never on @wq */
	struct wpool_wq *others[NR_OTHERS];
	u32 max_active;
	struct thing things[NR_THINGS];
	atomic_t inside;	/* functions that are running on @wq */
};

static struct thing *any_thing(struct stage *stage, struct rnd *rnd)
{
	return &stage->things[rnd_below(rnd, NR_THINGS)];
}

static bool is_quiet(struct thing *thing)
{
	return thing->nr % 4 == 0;
}

static bool wanders(struct thing *thing)
{
	/* the works that wander include a quiet one */
	return thing->nr < NR_THINGS / 3;
}

static struct wpool_wq *any_queue(struct thing *thing, struct rnd *rnd)
{
	struct stage *stage = thing->stage;

	return wanders(thing) ? stage->others[rnd_below(rnd, NR_OTHERS)] : stage->wq;
}

static bool queue(struct thing *thing, struct rnd *rnd)
{
	struct wpool_wq *wq = any_queue(thing, rnd);
	bool ret = wpool_wq_queue(wq, &thing->dwork.work);

	atomic64_add(ret, &thing->queued);
	if (ret && xchg(&thing->last, wq) != wq)
		torture_saw(SAW_MOVES, 1);
	return ret;
}

/* An action that is allowed in any context. */
static void act(struct thing *thing, struct rnd *rnd)
{
	unsigned long delay = rnd_below(rnd, 4);
	struct stage *stage = thing->stage;
	struct wpool_wq *wq;
	bool ret;

	if (READ_ONCE(stage->base.stop))
		return;
	if (is_quiet(thing)) {
		queue(thing, rnd);
		return;
	}
	wq = any_queue(thing, rnd);
	switch (rnd_below(rnd, 8)) {
	case 0 ... 3:
		queue(thing, rnd);
		break;
	case 4:
		ret = wpool_wq_queue_delayed(WORK_CPU_UNBOUND, wq, &thing->dwork, delay);
		atomic64_add(ret, &thing->queued);
		break;
	case 5:
		/* count first: the work may run before the call returns */
		atomic64_inc(&thing->changed);
		ret = wpool_wq_mod_delayed(WORK_CPU_UNBOUND, wq, &thing->dwork, delay);
		atomic64_add(ret, &thing->taken_back);
		break;
	case 6:
		atomic64_add(wpool_delayed_work_cancel(&thing->dwork), &thing->taken_back);
		break;
	default:
		wpool_work_busy(&thing->dwork.work);
	}
}

static void thing_fn(struct wpool_work *work)
{
	struct thing *thing = container_of(work, struct thing, dwork.work);
	struct stage *stage = thing->stage;
	struct rnd rnd;

	stage_check(thing, atomic_inc_return(&thing->inside) == 1, "runs twice at once");
	if (!wanders(thing))
		torture_check(atomic_inc_return(&stage->inside) <= stage->max_active,
			      "more than %u works of a queue run", stage->max_active);
	atomic64_inc(&thing->runs);
	rnd_init(&rnd, atomic64_inc_return(&thing->seed));
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 500);
	if (rnd_one_in(&rnd, 4))
		act(thing, &rnd);
	if (rnd_one_in(&rnd, 4))
		act(any_thing(stage, &rnd), &rnd);
	/* give a thread time to queue the work on another queue meanwhile */
	if (wanders(thing) && rnd_one_in(&rnd, 4))
		usleep_range(10, 100);
	if (!wanders(thing))
		atomic_dec(&stage->inside);
	atomic_dec(&thing->inside);
	atomic64_inc(&thing->ends);
}

/* Check that all runs before a call that waits have ended. @started: @runs before the call. */
static void check_ended(struct thing *thing, s64 started, const char *call)
{
	stage_check(thing, atomic64_read(&thing->ends) >= started,
		    "a %s has returned, and run %lld has not", call, started);
}

/* Queue and flush a work. A quiet work must have run: no thread takes it back. */
static void queue_and_flush(struct thing *thing, struct rnd *rnd)
{
	s64 runs = atomic64_read(&thing->runs);
	bool ours = queue(thing, rnd);

	if (!is_quiet(thing)) {
		wpool_delayed_work_flush(&thing->dwork);
		return;
	}
	wpool_work_flush(&thing->dwork.work);
	check_ended(thing, runs, "flush");
	/* if another CPU was queueing the work, the flush may have missed it */
	stage_check(thing, !ours || atomic64_read(&thing->runs) != runs,
		    "flushed, and has not run");
}

/* Queue a quiet work that does not wander, and flush its queue: the work must have run. */
static void flush_queue(struct stage *stage, struct rnd *rnd)
{
	struct thing *thing = &stage->things[NR_THINGS - 4];
	s64 runs = atomic64_read(&thing->runs);
	bool ours = queue(thing, rnd);

	wpool_wq_flush(stage->wq);
	stage_check(thing, !ours || atomic64_read(&thing->ends) > runs,
		    "its queue was flushed, and it has not run");
	wpool_wq_flush(stage->others[rnd_below(rnd, NR_OTHERS)]);
}

static void cancel_sync(struct thing *thing)
{
	s64 started = atomic64_read(&thing->runs);

	atomic64_add(wpool_delayed_work_cancel_sync(&thing->dwork), &thing->taken_back);
	check_ended(thing, started, "cancel");
}

/* While the work is disabled, it must not run, whatever is queued. */
static void disable_and_enable(struct thing *thing, bool sync, struct rnd *rnd)
{
	struct wpool_work *work = &thing->dwork.work;
	s64 runs = atomic64_read(&thing->runs);

	atomic64_add(sync ? wpool_delayed_work_disable_sync(&thing->dwork) :
			    wpool_delayed_work_disable(&thing->dwork), &thing->taken_back);
	if (sync)
		check_ended(thing, runs, "disable");
	runs = atomic64_read(&thing->runs);
	stage_check(thing, !wpool_wq_queue(any_queue(thing, rnd), work), "queued while disabled");
	usleep_range(1, 50);
	stage_check(thing, !sync || atomic64_read(&thing->runs) == runs, "has run while disabled");
	stage_check(thing, wpool_work_enable(work), "still disabled");
}

/* A work that lives on a stack. */
struct visitor {
	struct wpool_delayed_work dwork;
	u32 runs;
};

static void visitor_fn(struct wpool_work *work)
{
	container_of(work, struct visitor, dwork.work)->runs++;
}

static void visit(struct stage *stage, struct rnd *rnd)
{
	struct visitor visitor = { };
	bool cancelled = false;

	wpool_delayed_work_init_onstack(&visitor.dwork, visitor_fn, 0);
	torture_check(wpool_wq_queue_delayed(WORK_CPU_UNBOUND, stage->wq, &visitor.dwork,
					     rnd_below(rnd, 2)), "a visitor was not queued");
	if (rnd_one_in(rnd, 2))
		cancelled = wpool_delayed_work_cancel_sync(&visitor.dwork);
	else
		wpool_delayed_work_flush(&visitor.dwork);
	torture_check(visitor.runs == !cancelled, "a visitor has run %u times, cancelled: %d",
		      visitor.runs, cancelled);
	wpool_delayed_work_destroy_on_stack(&visitor.dwork);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	act(any_thing(stage, rnd), rnd);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct thing *thing;

	thing = any_thing(stage, rnd);
	switch (rnd_below(rnd, 256)) {
	case 0 ... 15:
		flush_queue(stage, rnd);
		break;
	case 16 ... 35:
		queue_and_flush(thing, rnd);
		break;
	case 36 ... 67:
		if (!is_quiet(thing))
			cancel_sync(thing);
		break;
	case 68 ... 75:
		if (!is_quiet(thing))
			disable_and_enable(thing, rnd_one_in(rnd, 2), rnd);
		break;
	case 76 ... 91:
		visit(stage, rnd);
		break;
	default:
		act(thing, rnd);
	}
}

static struct wpool_wq *create(struct stage *stage, u32 max_active)
{
	return wpool_wq_create(THIS_MODULE,
			       WQ_UNBOUND | (stage->base.nr % 2 ? WQ_MEM_RECLAIM : WQ_FREEZABLE),
			       max_active, "work%u", stage->base.nr);
}

static bool start(void *data)
{
	static const u32 max_active[] = { 1, 3, 8 };
	struct stage *stage = data;
	u32 i;

	stage->max_active = max_active[stage->base.nr % ARRAY_SIZE(max_active)];
	stage->wq = create(stage, stage->max_active);
	if (!stage->wq)
		return false;
	for (i = 0; i < NR_OTHERS; i++) {
		stage->others[i] = create(stage, 1 + 3 * i);
		if (!stage->others[i])
			return false;
	}
	for (i = 0; i < NR_THINGS; i++) {
		struct thing *thing = &stage->things[i];

		thing->stage = stage;
		thing->nr = i;
		atomic64_set(&thing->seed, seed + stage->base.nr * NR_THINGS + i);
		wpool_delayed_work_init(&thing->dwork, thing_fn, 0);
	}
	return true;
}

/* The works queue each other until they see @stop. */
static void settle(void *data)
{
	struct stage *stage = data;
	u64 runs, queued, taken_back;
	struct thing *thing;
	u32 i, turn;

	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < NR_THINGS; i++)
			cancel_sync(&stage->things[i]);
		wpool_wq_flush(stage->wq);
		for (i = 0; i < NR_OTHERS; i++)
			wpool_wq_flush(stage->others[i]);
	}
	for (i = 0; i < NR_THINGS; i++) {
		thing = &stage->things[i];
		runs = atomic64_read(&thing->runs);
		queued = atomic64_read(&thing->queued);
		taken_back = atomic64_read(&thing->taken_back);
		stage_check(thing, runs + taken_back >= queued &&
			    runs <= queued + atomic64_read(&thing->changed),
			    "%llu queued, %lld changed, %llu taken back, %llu runs", queued,
			    atomic64_read(&thing->changed), taken_back, runs);
		stage_check(thing, !wpool_work_busy(&thing->dwork.work), "is busy");
		torture_count_tasks(runs);
	}
	for (i = 0; i < NR_OTHERS; i++)
		wpool_wq_destroy(stage->others[i]);
	wpool_wq_destroy(stage->wq);
}

const struct stage_kind work_stage = {
	.name = "work",
	.size = sizeof(struct stage),
	.hands = 1,
	.rnd = RND_WORK,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.settle = settle,
};
