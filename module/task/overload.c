// SPDX-License-Identifier: GPL-2.0
/* The pool is full: the submitter waits, runs its task, drops the oldest one, or is refused. */
#include "task/overload.h"

#include <linux/errno.h>
#include <linux/irqflags.h>

#include "core/current.h"
#include "core/notify.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/trace.h"
#include "task/finish.h"
#include "task/run.h"
#include "task/state.h"
#include "task/tokens.h"
#include "task/waiters.h"

static void count_refused(struct wpool *pool)
{
	struct wpool_runq *rq;
	unsigned long flags;

	local_irq_save(flags);
	rq = wpool_this_runq(pool);
	/* if the pool was destroyed, a CPU that came up afterwards has no run queue */
	if (likely(rq))
		WRITE_ONCE(rq->share.refused, rq->share.refused + 1);
	local_irq_restore(flags);
}

/* Wait for room for claimed tasks; returns the number of accepted tasks, or -errno. */
static int wait_for_room(struct wpool *pool, struct wpool_task *const *tasks,
			 u32 nr, struct wpool_overload *how)
{
	struct wpool_waiter waiter = { .tasks = tasks, .nr = nr, .waited = how->waited };
	int err;

	if (!how->timeout)
		err = -ETIME;
	else if (wpool_in_own_task(pool))
		err = -EDEADLK;
	else
		err = wpool_waiters_wait(pool, &waiter, how->state, how->timeout);
	how->waited |= !err;

	if (err == -EDEADLK || err == -EAGAIN)
		count_refused(pool);
	return waiter.accepted ?: err;
}

/* A drop gives up after this many tasks of events and strands in a row: such tasks must stay. */
#define MAX_KEPT	8

/* The most tasks that may wait in tidy.c for their end: otherwise dropped ones could pile up. */
#define MAX_DROPPED	1024

/* Take the oldest droppable task out of its queue, or return NULL. */
static struct wpool_task *take_droppable(struct wpool *pool)
{
	struct wpool_task *kept[MAX_KEPT], *task;
	u32 nr = 0;

	while ((task = wpool_sched_take_oldest(pool)) && wpool_task_is_event(task)) {
		kept[nr++] = task;
		task = NULL;
		if (nr == MAX_KEPT)
			break;
	}
	if (unlikely(nr))
		wpool_sched_put_first(pool, kept, nr);
	return task;
}

/*
 * Accept a claimed task in place of the oldest droppable one, which has a token until it is
 * finished, here or in workers/tidy.c; that token then repays the debt of the new task.
 */
static int replace_oldest(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_task *oldest = NULL;
	unsigned long flags;
	int err = 0;

	local_irq_save(flags);
	/* interrupts are off: if this thread sees the pool open, a close waits for it */
	if (wpool_refuses(pool))
		err = -ESHUTDOWN;
	else if (READ_ONCE(pool->tidy.nr) + READ_ONCE(pool->tidy_joinable.nr) < MAX_DROPPED)
		oldest = take_droppable(pool);
	if (oldest) {
		wpool_tokens_owe(pool, wpool_this_runq(pool));
		wpool_accept_claimed(pool, wpool_this_runq(pool), &task, 1);
		/* false if @oldest is cancelled already; it is dequeued, so finish it either way */
		wpool_task_mark_cancelled(oldest);
	}
	local_irq_restore(flags);
	/* the unfinished task keeps the pool */
	if (oldest)
		wpool_finish_or_tidy(pool, oldest);
	return oldest ? 0 : err ?: -EAGAIN;
}

/* Returns the number of accepted tasks, a prefix, or -errno. */
static int drop_oldest(struct wpool *pool, struct wpool_task *const *tasks, u32 nr)
{
	int err = 0;
	u32 n = 0;

	while (n < nr && !err) {
		err = replace_oldest(pool, tasks[n]);
		n += !err;
	}
	if (err == -EAGAIN)
		count_refused(pool);
	return n ?: err;
}

int wpool_overload_apply(struct wpool *pool, struct wpool_task *const *tasks, u32 nr,
			 struct wpool_overload *how, bool refused)
{
	enum wpool_policy policy = how->policy;
	int n, i;

	refused |= wpool_refuses(pool);
	/* a submitter that began to wait before the pool was closed to others may still wait */
	if (refused && how->waited)
		policy = WPOOL_BLOCK;
	if (refused && !how->waited) {
		n = -ESHUTDOWN;
	} else {
		trace_wpool_pool_overloaded(pool->name, nr, policy);
		wpool_notify_tell(pool);
		switch (policy) {
		case WPOOL_BLOCK:
			n = wait_for_room(pool, tasks, nr, how);
			break;
		case WPOOL_RUN:
			/* run one task here; unclaim the rest, which other threads may submit */
			for (i = 1; i < nr; i++)
				wpool_task_unclaim(tasks[i]);
			nr = 1;
			n = wpool_run_in_submitter(pool, tasks[0]) ?: 1;
			if (n == -EAGAIN)
				count_refused(pool);
			break;
		case WPOOL_DROP_OLDEST:
			n = drop_oldest(pool, tasks, nr);
			break;
		default:
			count_refused(pool);
			n = -EAGAIN;
		}
	}

	for (i = max(n, 0); i < nr; i++)
		wpool_task_unclaim(tasks[i]);
	return n;
}
