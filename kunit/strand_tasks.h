/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks of strands that record their runs, for the suites of strands. */
#ifndef WPOOL_KUNIT_STRAND_TASKS_H
#define WPOOL_KUNIT_STRAND_TASKS_H

#include <linux/wpool_strand.h>

#include "fixture.h"

struct st_strand;

/**
 * struct st - a task of a strand
 * @task: the task
 * @of: its strand
 * @gate: where its function waits, or NULL
 * @body: what its function does after the gate, or NULL
 * @arg: for @body
 * @part_gate: where its parallel part waits, or NULL
 * @parts: how often its parallel part returned
 * @runs: how often it started
 * @aborts: how often its abort function was called
 * @status: the status that the abort function got
 * @seq: number of its last start among all starts of the strand, from 1
 * @ret: result of @body, or of a call of the case
 */
struct st {
	struct wpool_strand_task task;
	struct st_strand *of;
	struct wpk_gate *gate;
	void (*body)(struct st *st);
	void *arg;
	struct wpk_gate *part_gate;
	atomic_t parts;
	atomic_t runs;
	atomic_t aborts;
	int status;
	int seq;
	int ret;
};

/**
 * struct st_strand - a strand that counts the runs of its tasks
 * @strand: the strand
 * @inside: how many of its tasks are running
 * @started: how many have started
 * @returned: how many have returned
 * @twice: two of its tasks were running at the same time
 */
struct st_strand {
	struct wpool_strand strand;
	atomic_t inside;
	atomic_t started;
	atomic_t returned;
	bool twice;
};

static inline struct st *st_of(struct wpool_strand_task *task)
{
	return container_of(task, struct st, task);
}

static inline void st_fn(struct wpool_strand_task *task)
{
	struct st *st = st_of(task);
	struct st_strand *of = st->of;

	if (atomic_inc_return(&of->inside) != 1)
		of->twice = true;
	st->seq = atomic_inc_return(&of->started);
	atomic_inc(&st->runs);
	if (st->gate)
		wpk_gate_pass(st->gate);
	if (st->body)
		st->body(st);
	atomic_dec(&of->inside);
	atomic_inc(&of->returned);
}

static inline void st_abort(struct wpool_strand_task *task, int status)
{
	struct st *st = st_of(task);

	if (atomic_inc_return(&st->of->inside) != 1)
		st->of->twice = true;
	st->status = status;
	atomic_inc(&st->aborts);
	atomic_dec(&st->of->inside);
}

/* Create a strand. Its tasks end with its pool. */
static inline struct st_strand *st_strand(struct kunit *test, struct wpool *pool, u32 limit)
{
	struct st_strand *of = wpk_alloc(test, sizeof(*of));

	wpool_strand_init(&of->strand, pool, limit);
	return of;
}

static inline struct st *st_tasks(struct kunit *test, struct st_strand *of,
				  struct wpk_gate *gate, int nr)
{
	struct st *st = wpk_alloc(test, nr * sizeof(*st));
	int i;

	for (i = 0; i < nr; i++) {
		st[i].of = of;
		st[i].gate = gate;
		wpool_strand_task_init(&st[i].task, &of->strand, st_fn, st_abort);
	}
	return st;
}

static inline void st_submit(struct kunit *test, struct st *st, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, wpool_strand_try_submit(&st[i].task), 0);
}

/* Expect that the first @nr tasks have run, in their order, one at a time. */
static inline void st_ran_in_order(struct kunit *test, struct st *st, int nr)
{
	int i;

	KUNIT_EXPECT_FALSE(test, st->of->twice);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].runs), 1);
		KUNIT_EXPECT_EQ(test, st[i].seq, i + 1);
	}
}

/* @arg: the strand */
static inline int wpk_do_strand_flush(struct wpk_thread *thread)
{
	return wpool_strand_flush(thread->arg);
}

#endif /* WPOOL_KUNIT_STRAND_TASKS_H */
