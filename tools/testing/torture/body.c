// SPDX-License-Identifier: GPL-2.0
/*
 * What tasks under torture do. No task waits for another pool: two pools could then wait for each
 * other. A task may wait for a task of its own pool, since the wait runs that task or returns
 * -EDEADLK if need be. Each task submits less than one other task on average, so the load dies out.
 */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "torture.h"

#define MAX_DEPTH	3
#define MAX_CHILDREN	3

static void spin(struct rnd *rnd)
{
	udelay(rnd_from_to(rnd, 1, 100));
}

static void doze(struct rnd *rnd)
{
	u32 us = rnd_from_to(rnd, 10, 1000);

	usleep_range(us, us + 100);
}

static void give_way(struct rnd *rnd)
{
	u32 i, nr = rnd_from_to(rnd, 1, 5);

	for (i = 0; i < nr; i++)
		schedule();
}

/*
 * Submit a running item again. The pool returns -EALREADY to a second such submit, and -ECANCELED
 * while a thread waits in wpool_task_cancel_sync().
 */
static void resubmit(struct tpool *tp, struct titem *item, struct rnd *rnd)
{
	enum titem_how how = rnd_below(rnd, NR_HOW);
	u32 accepted;
	int err;

	if (!item || item->kind != TITEM_JOINABLE || atomic_read(&item->runs) > 4)
		return;
	err = titem_submit(tp, &item, 1, how, &accepted);
	torture_check(!err || err == -EALREADY || err == -ECANCELED || err == -ESHUTDOWN,
		      "%s: a running task submitted itself: %d", tp->name, err);
}

static void spawn(struct tpool *tp, struct rnd *rnd, bool in_worker)
{
	enum titem_how how = rnd_below(rnd, NR_HOW);
	u64 item_seed = rnd_u64(rnd);

	/* an item that frees itself has no @caller, so its submitter must not run it */
	if (tp->by_run)
		how = BY_TRY;
	/* an actor that runs this task must not wait for room: the task would not end */
	if (!in_worker && how != BY_TRY)
		how = BY_BATCH_TRY;
	titem_submit_freeing(tp, item_seed, how, in_worker);
}

/* Submit to another pool. Does not wait for room. */
static void spawn_elsewhere(struct rnd *rnd)
{
	struct tpool *tp = tpool_from_slot(rnd_below(rnd, TPOOL_SLOTS));

	if (!tp)
		return;
	titem_submit_freeing(tp, rnd_u64(rnd), BY_TRY, false);
	tpool_put(tp);
}

static void fork_and_join(struct tpool *tp, struct rnd *rnd, u32 depth, bool in_worker)
{
	u32 nr = rnd_from_to(rnd, 1, MAX_CHILDREN), i;
	enum titem_how how = rnd_below(rnd, NR_HOW);
	struct titem *children;
	u32 in_flight = 0;

	children = kcalloc(nr, sizeof(*children), GFP_KERNEL);
	if (!children)
		return;
	for (i = 0; i < nr; i++) {
		titem_prepare(&children[i], tp, rnd_u64(rnd), depth + 1);
		if (!titem_submit_one(tp, &children[i], how, in_worker))
			in_flight |= BIT(i);
		else
			titem_drop(&children[i]);
	}
	while (in_flight) {
		i = rnd_below(rnd, nr);
		if (!(in_flight & BIT(i)))
			i = __ffs(in_flight);
		in_flight &= ~BIT(i);
		if (rnd_one_in(rnd, 4))
			titem_cancel_sync(&children[i]);
		else
			titem_wait(&children[i]);
	}
	kfree(children);
}

static void cancel_some(struct rnd *rnd)
{
	struct titem *item = actor_pin_any(rnd);

	if (!item)
		return;
	titem_cancel(item);
	titem_unpin(item);
}

/* In a task, make a call that would wait for this task: the call must return -EDEADLK. */
static void try_deadlock(struct tpool *tp, struct titem *item, struct rnd *rnd)
{
	int err = -EDEADLK;

	/* if the submitter runs the task, the pool cannot see that the task waits for itself */
	if (!item || item->kind != TITEM_JOINABLE || READ_ONCE(item->caller) == current)
		return;
	switch (rnd_below(rnd, 6)) {
	case 0:
		err = wpool_flush(tp->pool);
		break;
	case 1:
		err = wpool_destroy(tp->pool);
		break;
	case 2:
		err = wpool_reboot(tp->pool);
		break;
	case 3:
		err = wpool_release_timeout(tp->pool, 0, 1);
		break;
	case 4:
		err = wpool_task_wait(&item->task);
		break;
	case 5:
		err = wpool_task_cancel_sync(&item->task);
		break;
	}
	torture_check(err == -EDEADLK, "%s: a task waits for itself: %d", tp->name, err);
}

void tbody_run(struct tpool *tp, struct titem *item, u64 body_seed, u32 depth)
{
	/* false if an actor runs the task in its submit */
	bool in_worker = !actor_is_current();
	struct rnd rnd;

	rnd_init(&rnd, body_seed);
	switch (rnd_below(&rnd, 100)) {
	case 0 ... 9:
		spin(&rnd);
		break;
	case 10 ... 19:
		doze(&rnd);
		break;
	case 20 ... 22:
		give_way(&rnd);
		break;
	case 23 ... 28:
		resubmit(tp, item, &rnd);
		break;
	case 29 ... 37:
		spawn(tp, &rnd, in_worker);
		break;
	case 38 ... 41:
		spawn_elsewhere(&rnd);
		break;
	case 42 ... 49:
		if (depth < MAX_DEPTH)
			fork_and_join(tp, &rnd, depth, in_worker);
		break;
	case 50 ... 54:
		cancel_some(&rnd);
		break;
	case 55 ... 56:
		if (in_worker)
			try_deadlock(tp, item, &rnd);
		break;
	case 57:
		tpool_check(tp);
		break;
	default:
		break;
	}
}
