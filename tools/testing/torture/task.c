// SPDX-License-Identifier: GPL-2.0
/*
 * Phase task: threads, hard interrupts and the tasks themselves submit the same tasks, while
 * threads and other tasks cancel, disable and enable them. Some tasks submit themselves again.
 *
 * When wpool_task_cancel_sync() or wpool_task_disable_sync() returns, each function that had
 * started before the call has ended. While a task is disabled, its function does not run, and each
 * submit of it is refused.
 *
 * For a pool with no other tasks, accepted == runs + cancelled in the end, where "cancelled" is the
 * pool's figure. The same holds for a single task that only submits itself: its status says whether
 * it was cancelled.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/wpool_stats.h>

#include "torture.h"

#define NR_THINGS	12

struct stage;

/* A task with its accounts. */
struct thing {
	struct wpool_task task;
	struct stage *stage;
	u32 nr;
	atomic64_t begun;	/* submits that have begun, less those that were refused */
	atomic64_t accepted;
	atomic64_t refused;	/* submits that were refused because of a cancel */
	/* cancels that took a submit back, even if that submit was then refused */
	atomic64_t cancels;
	atomic64_t runs;	/* functions that started */
	atomic64_t ends;
	atomic64_t seed;
};

/* A pool and its tasks. */
struct stage {
	struct stage_base base;
	struct thing things[NR_THINGS];
	atomic64_t visitors_accepted;	/* accepted submits of visitors */
	atomic64_t visitors_runs;	/* functions of visitors that started */
};

static struct thing *any_thing(struct stage *stage, struct rnd *rnd)
{
	return &stage->things[rnd_below(rnd, NR_THINGS)];
}

static int submit(struct thing *thing, bool may_block, struct rnd *rnd)
{
	struct wpool *pool = thing->stage->base.sp->pool;
	int err;

	atomic64_inc(&thing->begun);
	if (!may_block)
		err = wpool_try_submit(pool, &thing->task);
	else if (rnd_one_in(rnd, 2))
		err = wpool_submit_timeout(pool, &thing->task, rnd_below(rnd, 3));
	else
		err = wpool_submit(pool, &thing->task);
	if (!err) {
		atomic64_inc(&thing->accepted);
		return 0;
	}
	if (err == -ECANCELED)
		atomic64_inc(&thing->refused);
	atomic64_dec(&thing->begun);
	stage_check(thing, err == -EALREADY || err == -ECANCELED || err == -ESHUTDOWN ||
		    err == -EAGAIN || (may_block && (err == -ETIME || err == -EDEADLK)),
		    "not accepted: %d", err);
	return err;
}

/* An action that is allowed in any context. */
static void act(struct thing *thing, bool may_block, struct rnd *rnd)
{
	if (READ_ONCE(thing->stage->base.stop))
		return;
	if (rnd_below(rnd, 8))
		submit(thing, may_block, rnd);
	else
		atomic64_add(wpool_task_cancel(&thing->task), &thing->cancels);
}

/* Check that functions that started before the call have ended. @started: @runs at the call. */
static void check_synced(struct thing *thing, s64 started, int err)
{
	stage_check(thing, !err || err == -ECANCELED, "sync: %d", err);
	stage_check(thing, atomic64_read(&thing->ends) >= started,
		    "a sync has returned, and run %lld has not", started);
	torture_saw(SAW_SYNCS, 1);
}

static void cancel_sync(struct thing *thing, bool by_task)
{
	s64 started = atomic64_read(&thing->runs);
	int err = wpool_task_cancel_sync(&thing->task);

	/* -EDEADLK: no other worker of the calling task's pool is left to run @thing */
	if (!by_task || err != -EDEADLK)
		check_synced(thing, started, err);
}

/* While the task is disabled, its function must not run, and a submit must fail. */
static void disable_and_enable(struct thing *thing, struct rnd *rnd)
{
	s64 started = atomic64_read(&thing->runs), ended;
	int err;

	check_synced(thing, started, wpool_task_disable_sync(&thing->task));
	ended = atomic64_read(&thing->ends);
	err = submit(thing, rnd_one_in(rnd, 2), rnd);
	stage_check(thing, err, "accepted while disabled");
	usleep_range(1, 50);
	stage_check(thing, atomic64_read(&thing->ends) == ended &&
		    atomic64_read(&thing->runs) == ended,
		    "%lld ends, and while disabled %lld runs, %lld ends", ended,
		    atomic64_read(&thing->runs), atomic64_read(&thing->ends));
	wpool_task_enable(&thing->task);
}

static void thing_fn(struct wpool_task *task)
{
	struct thing *thing = container_of(task, struct thing, task);
	struct stage *stage = thing->stage;
	s64 runs = atomic64_inc_return(&thing->runs);
	struct thing *other;
	struct rnd rnd;

	stage_check(thing, runs == atomic64_read(&thing->ends) + 1, "runs twice at once");
	stage_check(thing, runs <= atomic64_read(&thing->begun), "%lld runs of %lld submits", runs,
		    atomic64_read(&thing->begun));
	rnd_init(&rnd, atomic64_inc_return(&thing->seed));
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 300);
	/* a third of the tasks nearly always submit themselves */
	if (thing->nr % 3 ? rnd_one_in(&rnd, 8) : rnd_below(&rnd, 8))
		act(thing, false, &rnd);
	other = any_thing(stage, &rnd);
	if (rnd_one_in(&rnd, 4))
		act(other, false, &rnd);
	/* wait only for a task of a higher number: tasks that wait in a cycle would never end */
	if (other->nr > thing->nr && rnd_one_in(&rnd, 16))
		cancel_sync(other, true);
	atomic64_inc(&thing->ends);
}

/* A task that lives on a stack, and submits itself. */
struct visitor {
	struct wpool_task task;
	struct stage *stage;
	atomic64_t accepted;
	atomic64_t runs;
	atomic64_t ends;
};

static int submit_visitor(struct visitor *visitor)
{
	int err;

	/* count the submit before the task can run; subtract it if the submit was refused */
	atomic64_inc(&visitor->accepted);
	err = wpool_try_submit(visitor->stage->base.sp->pool, &visitor->task);
	if (err)
		atomic64_dec(&visitor->accepted);
	return err;
}

static void visitor_fn(struct wpool_task *task)
{
	struct visitor *visitor = container_of(task, struct visitor, task);
	int err;

	atomic64_inc(&visitor->runs);
	err = submit_visitor(visitor);
	torture_check(!err || err == -ECANCELED || err == -ESHUTDOWN,
		      "a running task submitted itself: %d", err);
	atomic64_inc(&visitor->ends);
}

/* A visitor submits only itself: after a cancel it has ended, and its status is final. */
static void visit(struct stage *stage, struct rnd *rnd)
{
	struct visitor visitor = { .stage = stage };
	s64 accepted, runs;
	int err;

	wpool_task_init(&visitor.task, visitor_fn);
	wpool_task_set_urgent(&visitor.task, rnd_one_in(rnd, 4));
	err = submit_visitor(&visitor);
	torture_check(!err || err == -EAGAIN || err == -ESHUTDOWN, "a visitor's submit: %d", err);
	if (rnd_one_in(rnd, 2))
		usleep_range(1, 200);
	err = wpool_task_cancel_sync(&visitor.task);
	runs = atomic64_read(&visitor.runs);
	torture_check(atomic64_read(&visitor.ends) == runs, "a visitor was cancelled, and runs");
	if (rnd_one_in(rnd, 4))
		usleep_range(1, 50);
	accepted = atomic64_read(&visitor.accepted);
	torture_check(atomic64_read(&visitor.runs) == runs, "a visitor was cancelled, and ran");
	torture_check((!err || err == -ECANCELED) && accepted == runs + (err == -ECANCELED),
		      "a visitor: %lld submits, %lld runs, status %d", accepted, runs, err);
	atomic64_add(accepted, &stage->visitors_accepted);
	atomic64_add(runs, &stage->visitors_runs);
	torture_saw(SAW_SYNCS, 1);
	wpool_task_destroy_on_stack(&visitor.task);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	act(any_thing(stage, rnd), false, rnd);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct thing *thing = any_thing(stage, rnd);

	switch (rnd_below(rnd, 256)) {
	case 0 ... 31:
		cancel_sync(thing, false);
		break;
	case 32 ... 47:
		disable_and_enable(thing, rnd);
		break;
	case 48 ... 63:
		visit(stage, rnd);
		break;
	default:
		act(thing, true, rnd);
	}
}

static bool start(void *data)
{
	struct stage *stage = data;
	struct thing *thing;
	u32 i;

	for (i = 0; i < NR_THINGS; i++) {
		thing = &stage->things[i];
		thing->stage = stage;
		thing->nr = i;
		atomic64_set(&thing->seed, seed + stage->base.nr * NR_THINGS + i);
		wpool_task_init(&thing->task, thing_fn);
		wpool_task_set_urgent(&thing->task, i % 4 == 1);
	}
	return true;
}

static void settle(void *data)
{
	struct stage *stage = data;
	s64 accepted, runs, all_accepted, all_runs;
	struct wpool_stats stats;
	struct thing *thing;
	int err;
	u32 i;

	all_accepted = atomic64_read(&stage->visitors_accepted);
	all_runs = atomic64_read(&stage->visitors_runs);
	for (i = 0; i < NR_THINGS; i++) {
		thing = &stage->things[i];
		err = wpool_task_wait(&thing->task);
		stage_check(thing, !err || err == -ECANCELED, "wait: %d", err);
		accepted = atomic64_read(&thing->accepted);
		runs = atomic64_read(&thing->runs);
		stage_check(thing, atomic64_read(&thing->ends) == runs && runs <= accepted &&
			    atomic64_read(&thing->cancels) - atomic64_read(&thing->refused) <=
			    accepted - runs,
			    "%lld accepted, %lld runs, %lld ends, %lld cancels, of %lld refused perhaps",
			    accepted, runs, atomic64_read(&thing->ends),
			    atomic64_read(&thing->cancels), atomic64_read(&thing->refused));
		all_accepted += accepted;
		all_runs += runs;
	}
	torture_count_tasks(all_runs);
	if (!stage->base.alone)
		return;
	wpool_get_stats(stage->base.sp->pool, &stats);
	torture_check(stats.submitted == all_accepted && stats.completed == all_runs &&
		      stats.cancelled == all_accepted - all_runs,
		      "stage %u: %lld accepted, %lld runs; of the pool %llu submitted, %llu completed, %llu cancelled",
		      stage->base.nr, all_accepted, all_runs, stats.submitted, stats.completed,
		      stats.cancelled);
}

const struct stage_kind task_stage = {
	.name = "task",
	.size = sizeof(struct stage),
	.hands = 3,
	.rnd = RND_TASK,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.settle = settle,
};
