// SPDX-License-Identifier: GPL-2.0
/*
 * Phase strand: tasks of strands that are submitted and cancelled at random, by threads,
 * by each other and in hard interrupts, in pools that are full, tuned, closed and opened
 * meanwhile.
 *
 * No two tasks of a strand run at once. What the calls say is counted for each strand, and
 * in the end
 *
 *   accepted <= runs + aborts + taken_back <= accepted + sent_away
 *
 * where those sent away are submitters that a cancel found waiting. The numbered tasks that
 * one thread submits to a strand have their turns in the order of the numbers, each once;
 * they free themselves.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_strand.h>

#include "torture.h"

#define NR_STRANDS	4
#define NR_THINGS	8	/* of a strand */

struct stage;
struct line;

/* A task of a strand that lasts. */
struct thing {
	struct wpool_strand_task task;
	struct line *line;
	atomic64_t seed;
};

/* A task that frees itself. */
struct numbered {
	struct wpool_strand_task task;
	struct line *line;
	u64 number;
};

/**
 * struct line - a strand with its accounts
 * @strand: the strand
 * @stage: where it is
 * @nr: of the strand
 * @things: its tasks
 * @inside: functions that are running
 * @accepted: submits that said so
 * @sent_away: submits that waited, or might have, and were cancelled
 * @taken_back: cancels that said so
 * @runs: functions that started
 * @aborts: abort functions that were called
 * @given: numbers given so far; the thread's of the stage
 * @seen: the last number that had its turn; the strand's
 * @numbered: tasks with a number that have not freed themselves
 */
struct line {
	struct wpool_strand strand;
	struct stage *stage;
	u32 nr;
	struct thing things[NR_THINGS];
	atomic_t inside;
	atomic64_t accepted;
	atomic64_t sent_away;
	atomic64_t taken_back;
	atomic64_t runs;
	atomic64_t aborts;
	u64 given;
	u64 seen;
	atomic_t numbered;
};

/**
 * struct stage - a pool and its strands
 * @base: the pool, and who acts on it
 * @lines: its strands
 */
struct stage {
	struct stage_base base;
	struct line lines[NR_STRANDS];
};

static void check_submit(struct line *line, int err)
{
	torture_check(!err || err == -EALREADY || err == -ECANCELED || err == -EAGAIN ||
		      err == -ESHUTDOWN || err == -EDEADLK, "strand %u.%u: %d",
		      line->stage->base.nr, line->nr, err);
}

/* What may be done in any context. */
static void act(struct thing *thing, struct rnd *rnd)
{
	struct line *line = thing->line;
	int err;

	if (rnd_one_in(rnd, 4)) {
		atomic64_add(wpool_strand_cancel(&thing->task), &line->taken_back);
		return;
	}
	err = wpool_strand_try_submit(&thing->task);
	atomic64_add(!err, &line->accepted);
	check_submit(line, err);
}

static void submit(struct thing *thing)
{
	struct line *line = thing->line;
	int err = wpool_strand_submit(&thing->task);

	atomic64_add(!err, &line->accepted);
	atomic64_add(err == -ECANCELED, &line->sent_away);
	check_submit(line, err);
}

static void cancel_sync(struct thing *thing)
{
	int err = wpool_strand_cancel_sync(&thing->task);

	atomic64_add(err == -ECANCELED, &thing->line->taken_back);
	torture_check(!err || err == -ECANCELED, "%d", err);
}

static void enter(struct line *line)
{
	torture_check(atomic_inc_return(&line->inside) == 1, "strand %u.%u: two at once",
		      line->stage->base.nr, line->nr);
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

static void thing_fn(struct wpool_strand_task *task)
{
	struct thing *thing = container_of(task, struct thing, task);
	struct line *line = thing->line;
	struct rnd rnd;

	enter(line);
	atomic64_inc(&line->runs);
	rnd_init(&rnd, atomic64_inc_return(&thing->seed));
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 500);
	if (rnd_one_in(&rnd, 2))
		act(thing, &rnd);
	if (rnd_one_in(&rnd, 4))
		act(any_thing(line->stage, &rnd), &rnd);
	/* from one of the pool's tasks it does not wait */
	if (rnd_one_in(&rnd, 8))
		submit(any_thing(line->stage, &rnd));
	leave(line);
}

static void thing_abort(struct wpool_strand_task *task, int status)
{
	struct line *line = container_of(task, struct thing, task)->line;

	enter(line);
	atomic64_inc(&line->aborts);
	torture_check(status == -ECANCELED, "strand %u.%u: aborted with %d", line->stage->base.nr,
		      line->nr, status);
	leave(line);
}

/* ---- tasks with a number ---- */

static void numbered_end(struct numbered *numbered)
{
	struct line *line = numbered->line;

	enter(line);
	torture_check(numbered->number == line->seen + 1, "strand %u.%u: %llu after %llu",
		      line->stage->base.nr, line->nr, numbered->number, line->seen);
	line->seen = numbered->number;
	leave(line);
	memset(numbered, 0xa5, sizeof(*numbered));
	kfree(numbered);
	atomic_dec(&line->numbered);
}

static void numbered_fn(struct wpool_strand_task *task)
{
	numbered_end(container_of(task, struct numbered, task));
}

static void numbered_abort(struct wpool_strand_task *task, int status)
{
	numbered_end(container_of(task, struct numbered, task));
}

/* Submit a task with the next number; false if it was refused. */
static bool give_number(struct line *line, struct wpool_strand *strand)
{
	struct numbered *numbered = kmalloc(sizeof(*numbered), GFP_KERNEL);
	int err;

	if (!numbered)
		return false;
	wpool_strand_task_init(&numbered->task, strand, numbered_fn, numbered_abort);
	wpool_strand_task_set_urgent(&numbered->task, line->given & 1);
	numbered->line = line;
	numbered->number = line->given + 1;
	atomic_inc(&line->numbered);
	err = wpool_strand_submit(&numbered->task);
	check_submit(line, err);
	if (err) {
		kfree(numbered);
		atomic_dec(&line->numbered);
		return false;
	}
	line->given++;
	return true;
}

/* A strand that lives for a few tasks. */
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

/* ---- the stage ---- */

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	act(any_thing(stage, rnd), rnd);
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
	case 4 ... 35:
		cancel_sync(any_thing(stage, rnd));
		break;
	case 36 ... 75:
		give_number(line, &line->strand);
		break;
	case 76 ... 79:
		short_life(stage, rnd);
		break;
	case 80 ... 131:
		submit(any_thing(stage, rnd));
		break;
	default:
		act(any_thing(stage, rnd), rnd);
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
			wpool_strand_task_set_urgent(&line->things[j].task, j & 1);
		}
	}
	return true;
}

/* The tasks submit each other: closed, the pool has stopped that. */
static void settle(void *data)
{
	struct stage *stage = data;
	u64 accepted, ended, sent_away;
	struct line *line;
	u32 i;
	int err;

	for (i = 0; i < NR_STRANDS; i++) {
		line = &stage->lines[i];
		err = wpool_strand_destroy(&line->strand);
		torture_check(!err, "strand %u: destroy: %d", stage->base.nr, err);
		accepted = atomic64_read(&line->accepted);
		sent_away = atomic64_read(&line->sent_away);
		ended = atomic64_read(&line->runs) + atomic64_read(&line->aborts) +
			atomic64_read(&line->taken_back);
		torture_check(accepted <= ended && ended <= accepted + sent_away,
			      "strand %u.%u: %llu accepted, %llu sent away, %lld runs, %lld aborts, %lld taken back",
			      stage->base.nr, i, accepted, sent_away, atomic64_read(&line->runs),
			      atomic64_read(&line->aborts), atomic64_read(&line->taken_back));
		torture_check(line->seen == line->given && !atomic_read(&line->numbered),
			      "strand %u.%u: %llu of %llu are done", stage->base.nr, i, line->seen,
			      line->given);
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
