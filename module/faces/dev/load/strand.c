// SPDX-License-Identifier: GPL-2.0
/* Tasks that run one after the other, see strand.h. A cancelled task keeps its turn. */
#include "faces/dev/load/strand.h"

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/wpool_strand.h>

struct wpool_devstrand {
	struct wpool_strand strand;
	/* the turn for which a function was called last; only valid in that function */
	struct wpool_devturn *last;
};

/* A task of the file's strand, in place of a task of the file. I: set before the start. */
struct wpool_devturn {
	struct wpool_strand_task turn;	/* the task of the strand */
	struct wpool_devstrand *of;
	struct wpool_task *task;	/* I: task whose functions are called; never submitted */
};

/* The functions of the task may free the strand: turn->of is not used afterwards. */
static void turn_end(struct wpool_devturn *turn, int status)
{
	turn->of->last = turn;
	if (status)
		turn->task->abort(turn->task, status);
	else
		turn->task->func(turn->task);
	kfree(turn);
}

static void turn_run(struct wpool_strand_task *task)
{
	turn_end(container_of(task, struct wpool_devturn, turn), 0);
}

static void turn_abort(struct wpool_strand_task *task, int status)
{
	turn_end(container_of(task, struct wpool_devturn, turn), status);
}

struct wpool_devstrand *wpool_devstrand_create(struct wpool *pool)
{
	struct wpool_devstrand *strand = kmalloc(sizeof(*strand), GFP_KERNEL_ACCOUNT);

	if (strand)
		/* no limit here: the file limits its tasks */
		wpool_strand_init(&strand->strand, pool, WPOOL_UNLIMITED);
	return strand;
}

void wpool_devstrand_free(struct wpool_devstrand *strand)
{
	/* wait for the function of the last turn; if the caller is in it, finish the strand */
	if (strand && wpool_strand_destroy(&strand->strand) == -EDEADLK)
		WARN_ON_ONCE(!wpool_strand_finish(&strand->last->turn));
	kfree(strand);
}

struct wpool_devturn *wpool_devturn_create(struct wpool_devstrand *strand,
					   struct wpool_task *task, bool urgent)
{
	struct wpool_devturn *turn = kmalloc(sizeof(*turn), GFP_KERNEL_ACCOUNT);

	if (!turn)
		return NULL;
	wpool_strand_task_init(&turn->turn, &strand->strand, turn_run, turn_abort);
	wpool_strand_task_set_urgent(&turn->turn, urgent);
	turn->of = strand;
	turn->task = task;
	return turn;
}

size_t wpool_devturn_bytes(void)
{
	return sizeof(struct wpool_devturn);
}

void wpool_devturn_free(struct wpool_devturn *turn)
{
	kfree(turn);
}

int wpool_devturn_start(struct wpool_devturn *turn)
{
	return wpool_strand_try_submit(&turn->turn);
}
