// SPDX-License-Identifier: GPL-2.0
/*
 * Phase strand: tasks of strands, submitted at random by threads, by each other and in hard
 * interrupts, in pools that are full, tuned, closed and opened.
 *
 * No two tasks of a strand run at once. The results of the calls are counted for each strand. In
 * the end
 *
 *   accepted = runs + aborts
 *
 * Numbered tasks, which one thread submits to a strand, have their turns in the order of the
 * numbers, each once, and free themselves. Half of all tasks have a parallel part, which must run
 * once for each submit and end before the task's turn.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_strand.h>

#include "torture.h"

#define NR_STRANDS	4
#define NR_THINGS	8	/* tasks of a strand */

/* How far the parallel part of a submitted task is. */
enum part {
	PART_NONE,
	PART_RUNS,
	PART_ENDED,
};

struct stage;
struct line;

/* A task that may be submitted many times. */
struct thing {
	struct wpool_strand_task task;
	struct line *line;
	atomic64_t seed;
	enum part part;
};

/* A task that frees itself. */
struct numbered {
	struct wpool_strand_task task;
	struct line *line;
	u64 number;
	enum part part;
};

/* A strand with its accounts. */
struct line {
	struct wpool_strand strand;
	struct stage *stage;
	u32 nr;
	struct thing things[NR_THINGS];
	atomic_t inside;	/* functions that are running */
	atomic_t parts;	/* parallel parts that are running */
	atomic64_t accepted;
	atomic64_t runs;	/* functions that started */
	atomic64_t aborts;
	u64 given;	/* the last number given; only the stage's thread uses it */
	u64 seen;	/* the number that had its turn last; only turns use it */
	atomic_t numbered;	/* tasks with a number that have not freed themselves */
};

/* A pool and its strands. */
struct stage {
	struct stage_base base;
	struct line lines[NR_STRANDS];
};

static void check_submit(struct line *line, int err)
{
	stage_check(line, !err || err == -EALREADY || err == -EAGAIN || err == -ESHUTDOWN,
		    "%d", err);
}

/* May be called in any context. */
static void submit(struct thing *thing)
{
	struct line *line = thing->line;
	int err = wpool_strand_try_submit(&thing->task);

	atomic64_add(!err, &line->accepted);
	check_submit(line, err);
}

static void enter(struct line *line)
{
	stage_check(line, atomic_inc_return(&line->inside) == 1, "two at once");
}

static void run_part(struct line *line, enum part *part, u64 part_seed)
{
	struct rnd rnd;

	stage_check(line, *part == PART_NONE, "a parallel part runs twice");
	*part = PART_RUNS;
	if (atomic_inc_return(&line->parts) > 1)
		torture_saw(SAW_OVERLAPS, 1);
	rnd_init(&rnd, part_seed);
	if (rnd_one_in(&rnd, 2))
		usleep_range(10, 500);
	atomic_dec(&line->parts);
	*part = PART_ENDED;
}

/* Called in a turn (@ran) or an abort. Before a turn, the parallel part, if any, has ended. */
static void check_part(struct line *line, const struct wpool_strand_task *task, enum part *part,
		       bool ran)
{
	bool whole = *part == (task->parallel ? PART_ENDED : PART_NONE);

	stage_check(line, whole || (!ran && *part == PART_NONE),
		    "a turn before the parallel part has ended");
	*part = PART_NONE;
}

static void leave(struct line *line)
{
	atomic_dec(&line->inside);
}

static struct thing *any_thing(struct stage *stage, struct rnd *rnd)
{
	struct line *line = &stage->lines[rnd_below(rnd, NR_STRANDS)];

	return &line->things[rnd_below(rnd, NR_THINGS)];
}

static void thing_part(struct wpool_strand_task *task)
{
	struct thing *thing = container_of(task, struct thing, task);

	run_part(thing->line, &thing->part, atomic64_inc_return(&thing->seed));
}

static void thing_fn(struct wpool_strand_task *task)
{
	struct thing *thing = container_of(task, struct thing, task);
	struct line *line = thing->line;
	struct rnd rnd;

	enter(line);
	check_part(line, task, &thing->part, true);
	atomic64_inc(&line->runs);
	rnd_init(&rnd, atomic64_inc_return(&thing->seed));
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 500);
	if (rnd_one_in(&rnd, 2))
		submit(thing);
	if (rnd_one_in(&rnd, 4))
		submit(any_thing(line->stage, &rnd));
	leave(line);
}

static void thing_abort(struct wpool_strand_task *task, int status)
{
	struct thing *thing = container_of(task, struct thing, task);
	struct line *line = thing->line;

	enter(line);
	check_part(line, task, &thing->part, false);
	atomic64_inc(&line->aborts);
	stage_check(line, status == -ECANCELED, "aborted with %d", status);
	leave(line);
}

static void numbered_part(struct wpool_strand_task *task)
{
	struct numbered *numbered = container_of(task, struct numbered, task);

	run_part(numbered->line, &numbered->part, numbered->number);
}

static void numbered_end(struct numbered *numbered, bool ran)
{
	struct line *line = numbered->line;

	enter(line);
	check_part(line, &numbered->task, &numbered->part, ran);
	stage_check(line, numbered->number == line->seen + 1, "%llu after %llu", numbered->number,
		    line->seen);
	line->seen = numbered->number;
	leave(line);
	memset(numbered, 0xa5, sizeof(*numbered));
	kfree(numbered);
	atomic_dec(&line->numbered);
}

static void numbered_fn(struct wpool_strand_task *task)
{
	numbered_end(container_of(task, struct numbered, task), true);
}

static void numbered_abort(struct wpool_strand_task *task, int status)
{
	numbered_end(container_of(task, struct numbered, task), false);
}

/* Submit a task with the next number; false if it was refused. */
static bool give_number(struct line *line, struct wpool_strand *strand)
{
	struct numbered *numbered = kmalloc(sizeof(*numbered), GFP_KERNEL);
	int err;

	if (!numbered)
		return false;
	wpool_strand_task_init(&numbered->task, strand, numbered_fn, numbered_abort);
	wpool_task_set_urgent(&numbered->task.task, line->given & 1);
	wpool_strand_task_set_parallel(&numbered->task, line->given & 2 ? numbered_part : NULL);
	numbered->line = line;
	numbered->number = line->given + 1;
	numbered->part = PART_NONE;
	atomic_inc(&line->numbered);
	err = wpool_strand_try_submit(&numbered->task);
	check_submit(line, err);
	if (err) {
		kfree(numbered);
		atomic_dec(&line->numbered);
		return false;
	}
	line->given++;
	return true;
}

/* Use a strand for at most three tasks, and free it. */
static void short_life(struct stage *stage, struct rnd *rnd)
{
	struct wpool_strand *strand = kmalloc(sizeof(*strand), GFP_KERNEL);
	struct line *line = kzalloc(sizeof(*line), GFP_KERNEL);
	u32 nr = rnd_below(rnd, 4), i;
	int err;

	if (strand && line) {
		line->stage = stage;
		line->nr = NR_STRANDS;
		wpool_strand_init(strand, stage->base.sp->pool, rnd_from_to(rnd, 1, 4));
		for (i = 0; i < nr; i++)
			give_number(line, strand);
		err = wpool_strand_destroy(strand);
		torture_check(!err, "destroy: %d", err);
		memset(strand, 0xa5, sizeof(*strand));
		torture_check(line->seen == line->given && !atomic_read(&line->numbered),
			      "%llu of %llu are done", line->seen, line->given);
	}
	kfree(line);
	kfree(strand);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	submit(any_thing(stage, rnd));
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct line *line;
	int err;

	line = &stage->lines[rnd_below(rnd, NR_STRANDS)];
	switch (rnd_below(rnd, 256)) {
	case 0 ... 3:
		err = wpool_strand_flush(&line->strand);
		torture_check(!err, "stage %u: flush: %d", stage->base.nr, err);
		break;
	case 4 ... 75:
		give_number(line, &line->strand);
		break;
	case 76 ... 79:
		short_life(stage, rnd);
		break;
	default:
		submit(any_thing(stage, rnd));
	}
}

static bool start(void *data)
{
	struct stage *stage = data;
	struct stage_pool *sp = stage->base.sp;
	struct line *line;
	u32 i, j;

	for (i = 0; i < NR_STRANDS; i++) {
		line = &stage->lines[i];
		line->stage = stage;
		line->nr = i;
		wpool_strand_init(&line->strand, sp->pool, i ? 3 * i : WPOOL_UNLIMITED);
		for (j = 0; j < NR_THINGS; j++) {
			line->things[j].line = line;
			atomic64_set(&line->things[j].seed,
				     seed + (stage->base.nr * 10 + i) * 10 + j);
			wpool_strand_task_init(&line->things[j].task, &line->strand, thing_fn,
					       thing_abort);
			wpool_task_set_urgent(&line->things[j].task.task, j & 1);
			if (j & 2)
				wpool_strand_task_set_parallel(&line->things[j].task, thing_part);
		}
	}
	return true;
}

/* Called when the pool is closed and empty: until then the tasks submit each other. */
static void settle(void *data)
{
	struct stage *stage = data;
	u64 accepted, ended;
	struct line *line;
	u32 i;
	int err;

	for (i = 0; i < NR_STRANDS; i++) {
		line = &stage->lines[i];
		err = wpool_strand_destroy(&line->strand);
		torture_check(!err, "strand %u: destroy: %d", stage->base.nr, err);
		accepted = atomic64_read(&line->accepted);
		ended = atomic64_read(&line->runs) + atomic64_read(&line->aborts);
		stage_check(line, accepted == ended, "%llu accepted, %lld runs, %lld aborts",
			    accepted, atomic64_read(&line->runs), atomic64_read(&line->aborts));
		stage_check(line, line->seen == line->given && !atomic_read(&line->numbered),
			    "%llu of %llu are done", line->seen, line->given);
		torture_count_tasks(atomic64_read(&line->runs) + line->seen);
	}
}

const struct stage_kind strand_stage = {
	.name = "strand",
	.size = sizeof(struct stage),
	.hands = 1,
	.rnd = RND_STRAND,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.settle = settle,
};
