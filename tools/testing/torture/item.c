// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks under torture. Each submit adds a ticket to the item, a refused submit removes its ticket,
 * and each run needs a ticket. The owner of a joinable item checks the item after a wait: a ticket
 * without a run was taken back, and a submit that was taken back must not have run.
 *
 * settle() fills the task with a pattern, which no thread may change until the item is prepared
 * again.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "torture.h"

#define POISON	0x5a

static void titem_abort(struct wpool_task *task, int status);

static void reset(struct titem *item, struct tpool *tp, enum titem_kind kind,
		  u64 item_seed, u32 depth)
{
	item->tp = tp;
	item->kind = kind;
	item->depth = depth;
	item->by_caller = false;
	item->seed = item_seed;
	atomic_set(&item->tickets, 0);
	atomic_set(&item->accepted, 0);
	atomic_set(&item->runs, 0);
	atomic_set(&item->refused, 0);
	atomic_set(&item->cancels, 0);
	atomic_set(&item->inside, 0);
	WRITE_ONCE(item->waiter, NULL);
	WRITE_ONCE(item->caller, NULL);
}

/* A quarter of all tasks is urgent. */
static void set_urgent(struct titem *item, u64 item_seed)
{
	wpool_task_set_urgent(&item->task, !(item_seed >> 32 & 3));
}

void titem_prepare(struct titem *item, struct tpool *tp, u64 item_seed, u32 depth)
{
	/* a settled item has the pattern, a new one is zero */
	torture_check(!memchr_inv(&item->task, POISON, sizeof(item->task)) ||
		      !memchr_inv(&item->task, 0, sizeof(item->task)),
		      "%s: a task was written to after its end: %*ph",
		      tp->name, (int)sizeof(item->task), &item->task);
	reset(item, tpool_get(tp), TITEM_JOINABLE, item_seed, depth);
	wpool_task_init(&item->task, titem_fn);
	set_urgent(item, item_seed);
	/* from here on other threads may pin the item and cancel it */
	atomic_set_release(&item->pins, 1);
}

void titem_prepare_abortable(struct titem *item, struct tpool *tp, u64 item_seed)
{
	reset(item, tp, TITEM_ABORTABLE, item_seed, 0);
	wpool_task_init_abortable(&item->task, titem_fn, titem_abort, NULL);
	set_urgent(item, item_seed);
	WRITE_ONCE(item->busy, true);
}

/* Allocate an item that frees itself; NULL if there is no memory. */
static struct titem *alloc_freeing(struct tpool *tp, u64 item_seed)
{
	struct titem *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	reset(item, tpool_get(tp), TITEM_FREEING, item_seed, 0);
	wpool_task_init_abortable(&item->task, titem_fn, titem_abort,
				  item_seed & 1 ? THIS_MODULE : NULL);
	set_urgent(item, item_seed);
	return item;
}

/* The CPU that the task prefers, or -1. */
static int wanted_cpu(const struct titem *item)
{
	int cpu = (item->seed >> 8) % nr_cpu_ids;

	return item->seed & 2 && cpu_possible(cpu) ? cpu : -1;
}

static int call(struct tpool *tp, struct titem **items, u32 nr,
		enum titem_how how, u32 *accepted)
{
	int cpu = wanted_cpu(items[0]), ret;
	struct wpool_task *tasks[8];
	u32 i;

	*accepted = 0;
	switch (how) {
	case BY_SUBMIT:
		ret = cpu < 0 ? wpool_submit(tp->pool, &items[0]->task) :
				wpool_submit_on(tp->pool, cpu, &items[0]->task);
		break;
	case BY_ANY_SIGNAL:
		tasks[0] = &items[0]->task;
		ret = wpool_submit_batch(tp->pool, tasks, 1, WPOOL_BATCH_INTERRUPTIBLE);
		ret = min(ret, 0);
		break;
	case BY_TRY:
		ret = cpu < 0 ? wpool_try_submit(tp->pool, &items[0]->task) :
				wpool_try_submit_on(tp->pool, cpu, &items[0]->task);
		break;
	case BY_TIMEOUT:
		ret = wpool_submit_timeout(tp->pool, &items[0]->task,
					   items[0]->seed % 4);
		break;
	default:
		for (i = 0; i < nr; i++)
			tasks[i] = &items[i]->task;
		ret = wpool_submit_batch(tp->pool, tasks, nr,
					 how == BY_BATCH_TRY ? WPOOL_BATCH_TRY : 0);
		if (ret < 0)
			return ret;
		torture_check(ret && ret <= nr, "%s: %d of a batch of %u",
			      tp->name, ret, nr);
		*accepted = ret;
		return 0;
	}
	if (!ret)
		*accepted = 1;
	else
		torture_check(ret < 0, "%s: a submit returned %d", tp->name, ret);
	return ret;
}

/* All items are of one kind. After this call, an accepted detached item may have been freed. */
int titem_submit(struct tpool *tp, struct titem **items, u32 nr,
		 enum titem_how how, u32 *accepted)
{
	bool joinable = items[0]->kind == TITEM_JOINABLE;
	/* titem_fn() recognises an actor by actor_is_current(), and other submitters by @caller */
	bool may_run_here = joinable && tp->by_run && !actor_is_current();
	u32 in_flight = 0, i;
	int ret;

	if (how != BY_BATCH && how != BY_BATCH_TRY)
		nr = 1;
	for (i = 0; i < nr; i++) {
		if (atomic_fetch_inc(&items[i]->tickets))
			in_flight |= BIT(i);
		else if (may_run_here)
			WRITE_ONCE(items[i]->caller, current);
	}
	tpool_begin(tp, nr);
	ret = call(tp, items, nr, how, accepted);
	atomic64_add(hweight32(in_flight & (BIT(*accepted) - 1)), &tp->again);
	for (i = 0; i < nr; i++) {
		if (may_run_here && !(in_flight & BIT(i)))
			WRITE_ONCE(items[i]->caller, NULL);
		if (i >= *accepted) {
			atomic_inc(&items[i]->refused);
			atomic_dec(&items[i]->tickets);
		} else if (joinable) {
			atomic_inc(&items[i]->accepted);
		}
	}
	tpool_end(tp, nr, *accepted);
	return ret;
}

void titem_check_error(struct tpool *tp, enum titem_how how, int err, bool in_worker)
{
	bool may_sleep = how != BY_TRY && how != BY_BATCH_TRY;
	bool ok;

	switch (err) {
	case 0:
	case -ESHUTDOWN:
	case -EALREADY:
	case -EAGAIN:
	case -ECANCELED:
		ok = true;
		break;
	case -ETIME:
		ok = how == BY_TIMEOUT;
		break;
	case -EDEADLK:
		ok = may_sleep && in_worker;
		break;
	default:
		ok = false;
	}
	torture_check(ok, "%s: submit of kind %d %s: %d", tp->name, how,
		      in_worker ? "by a worker" : "", err);
}

void titem_fn(struct wpool_task *task)
{
	struct titem *item = container_of(task, struct titem, task);
	enum titem_kind kind = item->kind;
	struct tpool *tp = item->tp;
	u64 body_seed = item->seed;
	u32 depth = item->depth;
	bool in_caller, nested;
	int runs;

	runs = atomic_inc_return(&item->runs);
	torture_check(runs <= atomic_read(&item->tickets),
		      "%s: run number %d of %d submits, %d refused, %d cancelled", tp->name,
		      runs, atomic_read(&item->tickets), atomic_read(&item->refused),
		      atomic_read(&item->cancels));
	torture_check(!atomic_xchg(&item->inside, 1), "%s: a task runs twice at once",
		      tp->name);
	in_caller = actor_is_current() || READ_ONCE(item->caller) == current;
	nested = READ_ONCE(item->waiter) == current;
	if (in_caller) {
		torture_check(tp->by_run, "%s: a task runs in its submitter", tp->name);
		atomic64_inc(&tp->in_caller);
	}
	atomic64_inc(&tp->runs);
	if (!in_caller && !nested)
		tpool_enter(tp);

	/* an item that frees itself is freed before its body or after it */
	if (kind == TITEM_FREEING && body_seed & 2) {
		kfree(item);
		item = NULL;
	}
	tbody_run(tp, item, body_seed, depth);

	if (!in_caller && !nested)
		tpool_leave(tp);
	atomic64_inc(&tp->ends);
	if (item)
		atomic_set(&item->inside, 0);
	if (kind == TITEM_FREEING) {
		kfree(item);
		tpool_put(tp);
	} else if (kind == TITEM_ABORTABLE) {
		/* pairs with the acquire in shoot() */
		smp_store_release(&item->busy, false);
	}
}

static void titem_abort(struct wpool_task *task, int status)
{
	struct titem *item = container_of(task, struct titem, task);
	struct tpool *tp = item->tp;

	torture_check(status == -ECANCELED, "%s: aborted with %d", tp->name, status);
	torture_check(!atomic_read(&item->runs), "%s: aborted, but it ran", tp->name);
	torture_check(READ_ONCE(item->by_caller) || READ_ONCE(tp->may_drop),
		      "%s: aborted, and nobody cancelled it", tp->name);
	atomic64_inc(&tp->taken_back);
	if (item->kind == TITEM_FREEING) {
		kfree(item);
		tpool_put(tp);
	} else {
		/* pairs with the acquire in shoot() */
		smp_store_release(&item->busy, false);
	}
}

void titem_arg_fn(void *arg)
{
	struct tpool *tp = arg;
	bool in_caller = actor_is_current();

	atomic64_inc(&tp->fn_runs);
	if (in_caller)
		atomic64_inc(&tp->in_caller);
	else
		tpool_enter(tp);
	atomic64_inc(&tp->runs);
	if (in_caller)
		torture_check(tp->by_run, "%s: a function runs in its submitter", tp->name);
	else
		tpool_leave(tp);
	atomic64_inc(&tp->ends);
}

static void settle(struct titem *item, int status)
{
	struct tpool *tp = item->tp;
	int tickets, runs, refused, cancels, missing;

	/* no new pins from here; wait for threads that have pinned the item, and may cancel it */
	atomic_dec(&item->pins);
	while (atomic_read_acquire(&item->pins))
		usleep_range(20, 100);

	tickets = atomic_read(&item->tickets);
	runs = atomic_read(&item->runs);
	refused = atomic_read(&item->refused);
	cancels = atomic_read(&item->cancels);
	missing = tickets - runs;
	torture_check(status == 0 || status == -ECANCELED, "%s: status %d", tp->name, status);
	torture_check(missing >= 0, "%s: %d submits, %d runs", tp->name, tickets, runs);
	torture_check(!missing || cancels || item->by_caller || READ_ONCE(tp->may_drop),
		      "%s: lost: %d submits, %d runs, status %d, %d refused",
		      tp->name, tickets, runs, status, refused);
	/* @cancels also counts cancels that hit a submit that was refused */
	torture_check(cancels - refused <= missing,
		      "%s: ran after a cancel: %d submits, %d runs, %d cancels, %d refused",
		      tp->name, tickets, runs, cancels, refused);
	torture_check(status != -ECANCELED || missing || refused,
		      "%s: cancelled, but all of %d ran", tp->name, tickets);
	torture_check(!atomic_read(&item->inside), "%s: ended, but somebody is inside",
		      tp->name);
	atomic64_add(max(missing, 0), &tp->taken_back);
	memset(&item->task, POISON, sizeof(item->task));
	tpool_put(tp);
}

void titem_cancel_sync(struct titem *item)
{
	int status, runs;

	item->by_caller = true;
	/* -EDEADLK: all workers wait, even that of the item; retry until one of them gives up */
	while ((status = wpool_task_disable_sync(&item->task)) == -EDEADLK)
		schedule_timeout_uninterruptible(1);
	runs = atomic_read(&item->runs);
	torture_check(!atomic_read(&item->inside), "%s: disabled, but somebody is inside",
		      item->tp->name);
	cond_resched();
	/* a run that a submit had asked for during the last run must not take place, either */
	torture_check(atomic_read(&item->runs) == runs, "%s: it ran while disabled",
		      item->tp->name);
	torture_check(wpool_task_enable(&item->task), "%s: disabled by somebody else",
		      item->tp->name);
	settle(item, status);
}

int titem_submit_one(struct tpool *tp, struct titem *item, enum titem_how how, bool in_worker)
{
	u32 accepted;
	int err = titem_submit(tp, &item, 1, how, &accepted);

	titem_check_error(tp, how, err, in_worker);
	return err;
}

void titem_submit_freeing(struct tpool *tp, u64 item_seed, enum titem_how how, bool in_worker)
{
	struct titem *item = alloc_freeing(tp, item_seed);

	if (item && titem_submit_one(tp, item, how, in_worker)) {
		kfree(item);
		tpool_put(tp);
	}
}

void titem_wait(struct titem *item)
{
	int status;

	WRITE_ONCE(item->waiter, current);
	status = wpool_task_wait(&item->task);
	WRITE_ONCE(item->waiter, NULL);
	if (status == -EDEADLK) {
		/* no worker can run the item: all wait */
		titem_cancel_sync(item);
		return;
	}
	settle(item, status);
}

void titem_drop(struct titem *item)
{
	settle(item, 0);
}

/*
 * Each of the @accepted submits has run or was taken back. A thread that takes a submit back keeps
 * the item pinned until it has counted the cancel.
 */
void titem_check_flushed(struct titem *item, int accepted)
{
	struct tpool *tp = item->tp;
	int done, pins;

	for (;;) {
		pins = atomic_read_acquire(&item->pins);
		done = atomic_read(&item->runs) + atomic_read(&item->cancels);
		if (done >= accepted || pins == 1)
			break;
		usleep_range(20, 100);
	}
	torture_check(done >= accepted || READ_ONCE(tp->may_drop),
		      "%s: flushed, but of %d submits only %d ran or were cancelled",
		      tp->name, accepted, done);
}

bool titem_cancel(struct titem *item)
{
	bool ret;

	if (item->kind != TITEM_JOINABLE)
		/* the abort function may run before this call has returned */
		WRITE_ONCE(item->by_caller, true);
	ret = wpool_task_cancel(&item->task);
	if (ret)
		atomic_inc(&item->cancels);
	return ret;
}

bool titem_pin(struct titem *item)
{
	return atomic_inc_not_zero(&item->pins);
}

void titem_unpin(struct titem *item)
{
	atomic_dec_return_release(&item->pins);
}
