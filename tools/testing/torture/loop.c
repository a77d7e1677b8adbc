// SPDX-License-Identifier: GPL-2.0
/*
 * Phase loop: loops that run on several CPUs. Threads and tasks of the pool begin loops in pools
 * that are small, full of other tasks, tuned, closed and opened.
 *
 * A loop must do each index once, or return an error, and not return before its last chunk ends.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_parallel.h>

#include "torture.h"

#define MAX_INDICES	2000

struct stage;

/* A pool and its loops. */
struct stage {
	struct stage_base base;
	atomic64_t runs;
};

struct loop {
	struct stage *stage;
	unsigned long size;	/* how many indices */
	atomic_long_t sum;	/* number of indices in chunks that have ended */
	atomic_t inside;	/* chunks that are running */
	unsigned long fails_at;	/* the chunk with this index fails */
	u64 seed;
	u32 depth;	/* number of loops around this one */
};

static void run_loop(struct stage *stage, struct rnd *rnd, u32 depth);

static int loop_fn(unsigned long from, unsigned long to, void *arg)
{
	struct loop *loop = arg;
	struct rnd rnd;
	int ret = 0;

	atomic_inc(&loop->inside);
	atomic64_inc(&loop->stage->runs);
	torture_check(from < to && to <= loop->size, "a chunk from %lu to %lu of %lu", from, to,
		      loop->size);
	rnd_init(&rnd, loop->seed + from);
	if (rnd_one_in(&rnd, 50))
		usleep_range(10, 300);
	else if (rnd_one_in(&rnd, 4))
		udelay(rnd_below(&rnd, 20));
	if (!loop->depth && rnd_one_in(&rnd, 40))
		run_loop(loop->stage, &rnd, 1);
	if (loop->fails_at - from < to - from)
		ret = -ENXIO;
	atomic_long_add(to - from, &loop->sum);
	atomic_dec(&loop->inside);
	return ret;
}

static void run_loop(struct stage *stage, struct rnd *rnd, u32 depth)
{
	struct loop loop = {
		.stage = stage,
		.size = rnd_below(rnd, depth ? 50 : MAX_INDICES),
		.fails_at = ULONG_MAX,
		.seed = rnd_u64(rnd),
		.depth = depth,
	};
	unsigned long grain = rnd_one_in(rnd, 2) ? 0 : rnd_from_to(rnd, 1, 100);
	bool fails = loop.size && rnd_one_in(rnd, 8);
	int err;

	if (fails)
		loop.fails_at = rnd_below(rnd, loop.size);
	err = wpool_parallel_for(stage->base.sp->pool, 0, loop.size, grain, loop_fn, &loop);
	torture_check(err == (fails ? -ENXIO : 0), "stage %u: a loop: %d", stage->base.nr, err);
	torture_check(!atomic_read(&loop.inside), "stage %u: a chunk is under way", stage->base.nr);
	torture_check(atomic_long_read(&loop.sum) <= loop.size &&
		      (fails || atomic_long_read(&loop.sum) == loop.size),
		      "stage %u: %ld of %lu indices", stage->base.nr, atomic_long_read(&loop.sum),
		      loop.size);
}

/* A task of the pool that begins a loop. It may be aborted. */
struct looper {
	struct wpool_task task;
	struct stage *stage;
	u64 seed;
};

static void looper_fn(struct wpool_task *task)
{
	struct looper *looper = container_of(task, struct looper, task);
	struct rnd rnd;

	rnd_init(&rnd, looper->seed);
	run_loop(looper->stage, &rnd, 0);
	kfree(looper);
}

static void looper_abort(struct wpool_task *task, int status)
{
	kfree(container_of(task, struct looper, task));
}

static void submit_looper(struct stage *stage, struct rnd *rnd)
{
	struct looper *looper = kmalloc(sizeof(*looper), GFP_KERNEL);
	int err;

	if (!looper)
		return;
	wpool_task_init_abortable(&looper->task, looper_fn, looper_abort, THIS_MODULE);
	looper->stage = stage;
	looper->seed = rnd_u64(rnd);
	err = wpool_try_submit(stage->base.sp->pool, &looper->task);
	torture_check(!err || err == -EAGAIN || err == -ESHUTDOWN, "a task: %d", err);
	if (err)
		kfree(looper);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	switch (rnd_below(rnd, 64)) {
	case 0 ... 15:
		submit_looper(stage, rnd);
		break;
	default:
		run_loop(stage, rnd, 0);
	}
}

static void settle(void *data)
{
	struct stage *stage = data;

	torture_count_tasks(atomic64_read(&stage->runs));
}

const struct stage_kind loop_stage = {
	.name = "loop",
	.size = sizeof(struct stage),
	.hands = 3,
	.rnd = RND_LOOP,
	.round = one_round,
	.settle = settle,
};
