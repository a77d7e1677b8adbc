// SPDX-License-Identifier: GPL-2.0
/* Queues: their runners, their flushes, their beginning and their end; see wq.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "wq/queue.h"

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "compat.h"

/* WQ_BH of kernels that have it; it stands for nothing in the others. */
#define BH_FLAG			BIT(0)

/* A thread that waits for many turns; on its stack. */
struct flusher {
	struct list_head node;
	unsigned long epoch;	/* turns up to this one */
	unsigned long nr;	/* of these that have not ended */
	bool drain;		/* wait for all turns instead, also those that begin meanwhile */
	struct completion done;
};

/* All queues by number; one that is used up comes again only when all others were. */
static DEFINE_XARRAY_ALLOC1(queues);
static u32 last_id;

struct wpool_wq *wpool_wq_of(const struct wpool_work *work)
{
	return xa_load(&queues, READ_ONCE(work->where) >> 1);
}

/* ---- turns ---- */

static bool in_runner(struct wpool_wq *wq)
	__must_hold(&wq->lock)
{
	u32 i;

	if (!in_task())
		return false;
	for (i = 0; i < wq->nr_runners; i++)
		if (wq->runner[i].thread == current)
			return true;
	return false;
}

bool __wpool_wq_add(struct wpool_wq *wq, struct wpool_work *work)
	__must_hold(&wq->lock)
{
	struct wpool_wq_runner *runner;

	lockdep_assert_held(&wq->lock);
	if (unlikely(wq->nr_drains) && !in_runner(wq))
		return false;
	work->waiters = NULL;
	work->epoch = wq->epoch;
	WRITE_ONCE(work->where, wpool_wq_here(wq));
	list_add_tail(&work->entry, &wq->pending);
	wq->nr_turns++;

	/* Without an idle one, each runner looks at the list before it becomes idle. */
	runner = list_first_entry_or_null(&wq->idle, struct wpool_wq_runner, idle);
	if (runner) {
		list_del_init(&runner->idle);
		wpool_event_fire(&runner->event);
	}
	return true;
}

/* A turn has ended. */
static void end_turn(struct wpool_wq *wq, unsigned long epoch, struct wpool_wq_waiter *waiter)
	__must_hold(&wq->lock)
{
	struct wpool_wq_waiter *next;
	struct flusher *flusher, *tmp;

	lockdep_assert_held(&wq->lock);
	for (; waiter; waiter = next) {
		/* after complete() it is gone */
		next = waiter->next;
		complete(&waiter->done);
	}
	wq->nr_turns--;
	list_for_each_entry_safe(flusher, tmp, &wq->flushers, node) {
		if (flusher->drain ? wq->nr_turns :
		    (long)(flusher->epoch - epoch) < 0 || --flusher->nr)
			continue;
		list_del(&flusher->node);
		complete(&flusher->done);
	}
}

void __wpool_wq_remove(struct wpool_wq *wq, struct wpool_work *work)
	__must_hold(&wq->lock)
{
	lockdep_assert_held(&wq->lock);
	list_del_init(&work->entry);
	WRITE_ONCE(work->where, wpool_wq_left(wq));
	end_turn(wq, work->epoch, work->waiters);
}

struct wpool_wq_runner *__wpool_wq_find(struct wpool_wq *wq, const void *work, wpool_work_fn func)
	__must_hold(&wq->lock)
{
	struct wpool_wq_runner *runner;

	lockdep_assert_held(&wq->lock);
	hash_for_each_possible(wq->busy, runner, busy, (unsigned long)work)
		if (runner->work == work && runner->func == func)
			return runner;
	return NULL;
}

/* ---- runners ---- */

/* The next work for this runner, or NULL. */
static struct wpool_work *next_work(struct wpool_wq_runner *runner)
	__must_hold(&runner->wq->lock)
{
	struct wpool_wq *wq = runner->wq;
	struct wpool_wq_runner *other;
	struct wpool_work *work;

	work = list_first_entry_or_null(&runner->scheduled, struct wpool_work, entry);
	while (!work) {
		work = list_first_entry_or_null(&wq->pending, struct wpool_work, entry);
		if (!work)
			break;
		other = __wpool_wq_find(wq, work, work->func);
		if (other) {
			list_move_tail(&work->entry, &other->scheduled);
			work = NULL;
		}
	}
	return work;
}

/* After this the work may be queued again, or be freed by its function. */
static void start_turn(struct wpool_wq_runner *runner, struct wpool_work *work)
	__must_hold(&runner->wq->lock)
{
	struct wpool_wq *wq = runner->wq;

	runner->work = work;
	runner->func = work->func;
	runner->epoch = work->epoch;
	runner->waiters = work->waiters;
	hash_add(wq->busy, &runner->busy, (unsigned long)work);
	list_del_init(&work->entry);
	WRITE_ONCE(work->where, wpool_wq_left(wq));
	/* queue:A */
	test_and_clear_bit(WPOOL_WORK_PENDING_BIT, &work->flags);
}

static void finish_turn(struct wpool_wq_runner *runner)
	__must_hold(&runner->wq->lock)
{
	struct wpool_wq_waiter *waiters = runner->waiters;

	hash_del(&runner->busy);
	runner->work = NULL;
	runner->waiters = NULL;
	end_turn(runner->wq, runner->epoch, waiters);
}

/* Go on with the next work, if there is one: as a task of its own. */
static void go_on(struct wpool_wq_runner *runner)
	__must_hold(&runner->wq->lock)
{
	if (list_empty(&runner->scheduled) && list_empty(&runner->wq->pending))
		list_add(&runner->idle, &runner->wq->idle);
	else
		wpool_event_fire(&runner->event);
}

/*
 * The function of a runner: one work. So the pool counts each, finds the hogs among them, and
 * repairs what one has left unbalanced before the next one starts.
 */
static void run(struct wpool_event *event)
{
	struct wpool_wq_runner *runner = container_of(event, struct wpool_wq_runner, event);
	struct wpool_wq *wq = runner->wq;
	struct wpool_work *work;
	unsigned long flags;
	wpool_work_fn func;

	raw_spin_lock_irqsave(&wq->lock, flags);
	work = next_work(runner);
	if (work) {
		start_turn(runner, work);
		func = runner->func;
		runner->thread = current;
		raw_spin_unlock_irqrestore(&wq->lock, flags);

		wpool_worker_set_func(func);
		func(work);

		/* with interrupts as the work has left them */
		raw_spin_lock_irqsave(&wq->lock, flags);
		runner->thread = NULL;
		finish_turn(runner);
	}
	go_on(runner);
	raw_spin_unlock_irqrestore(&wq->lock, flags);
}

/*
 * The worker died in a work, and the runner goes on with the next one. -ETIME is not possible,
 * since the pool has no max_wait_ms, and nobody but its module may give it one. -ESHUTDOWN is
 * that of a module which was unloaded without destroying its queue: its works are gone.
 */
static void run_failed(struct wpool_event *event, int status)
{
	struct wpool_wq_runner *runner = container_of(event, struct wpool_wq_runner, event);
	struct wpool_wq *wq = runner->wq;

	if (status != -EIO)
		return;
	raw_spin_lock_irq(&wq->lock);
	runner->thread = NULL;
	if (runner->work)
		finish_turn(runner);
	go_on(runner);
	raw_spin_unlock_irq(&wq->lock);
}

/* ---- flush and drain ---- */

void wpool_wq_flush(struct wpool_wq *wq)
{
	struct flusher flusher = {};
	bool wait;

	might_sleep();
	if (!wq)
		return;
	init_completion(&flusher.done);
	raw_spin_lock_irq(&wq->lock);
	flusher.nr = wq->nr_turns;
	flusher.epoch = wq->epoch;
	wait = flusher.nr;
	if (wait) {
		/* those that begin from here on are not counted */
		wq->epoch++;
		list_add_tail(&flusher.node, &wq->flushers);
	}
	raw_spin_unlock_irq(&wq->lock);
	if (wait)
		wait_for_completion(&flusher.done);
}
EXPORT_SYMBOL_GPL(wpool_wq_flush);

/* Wait until the queue is empty; from then on nothing but its own works may queue. */
static void start_drain(struct wpool_wq *wq)
{
	struct flusher flusher = { .drain = true };
	bool wait;

	init_completion(&flusher.done);
	raw_spin_lock_irq(&wq->lock);
	wq->nr_drains++;
	wait = wq->nr_turns;
	if (wait)
		list_add_tail(&flusher.node, &wq->flushers);
	raw_spin_unlock_irq(&wq->lock);
	if (wait)
		wait_for_completion(&flusher.done);
}

void wpool_wq_drain(struct wpool_wq *wq)
{
	might_sleep();
	if (!wq)
		return;
	start_drain(wq);
	raw_spin_lock_irq(&wq->lock);
	wq->nr_drains--;
	raw_spin_unlock_irq(&wq->lock);
}
EXPORT_SYMBOL_GPL(wpool_wq_drain);

/* ---- life ---- */

/* A name that a pool may have. */
static __printf(3, 0) void name_of(char *name, size_t size, const char *fmt, va_list args)
{
	char *c;

	vscnprintf(name, size, fmt, args);
	for (c = name; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && !strchr("_.-", *c)))
			*c = '_';
	if (name[0] == '.')
		name[0] = '_';
	if (!name[0])
		strscpy(name, "wq", size);
}

/* Two queues may have one name, as workqueues may, but two pools may not. */
static struct wpool *create_pool(struct wpool_attrs *attrs, const char *base,
				 struct module *owner)
{
	char name[WPOOL_NAME_LEN];
	struct wpool *pool;
	u32 nr = 1;

	attrs->name = base;
	pool = wpool_create(attrs, owner);
	attrs->name = name;
	while (PTR_ERR_OR_ZERO(pool) == -EEXIST) {
		/* a name of 31 characters keeps its first 20 */
		snprintf(name, sizeof(name), "%.20s-%u", base, ++nr);
		pool = wpool_create(attrs, owner);
	}
	return pool;
}

static struct wpool_wq *alloc_queue(u32 nr_runners)
{
	struct wpool_wq_runner *runner;
	struct wpool_wq *wq;
	u32 i;

	wq = kvzalloc(struct_size(wq, runner, nr_runners), GFP_KERNEL);
	if (!wq)
		return NULL;
	wq->nr_runners = nr_runners;
	raw_spin_lock_init(&wq->lock);
	INIT_LIST_HEAD(&wq->pending);
	INIT_LIST_HEAD(&wq->idle);
	INIT_LIST_HEAD(&wq->flushers);
	hash_init(wq->busy);
	for (i = 0; i < nr_runners; i++) {
		runner = &wq->runner[i];
		runner->wq = wq;
		INIT_LIST_HEAD(&runner->scheduled);
		list_add_tail(&runner->idle, &wq->idle);
	}
	return wq;
}

struct wpool_wq *wpool_wq_create(struct module *owner, unsigned int flags, int max_active,
				 const char *fmt, ...)
{
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	struct wpool_wq *wq;
	va_list args;
	u32 i;

	if (!fmt || flags & BH_FLAG)
		return NULL;
	va_start(args, fmt);
	name_of(name, sizeof(name), fmt, args);
	va_end(args);
	wq = alloc_queue(clamp(max_active ?: WPOOL_WQ_DFL_ACTIVE, 1, WPOOL_WQ_MAX_ACTIVE));
	if (!wq)
		return NULL;

	wpool_attrs_init(&attrs);
	attrs.capacity = wq->nr_runners;
	attrs.queue_depth = WPOOL_UNLIMITED;
	attrs.reclaim = flags & WQ_MEM_RECLAIM;
	/* an idle queue costs no thread, unless memory may depend on it */
	attrs.min_workers = attrs.reclaim ? 1 : 0;
	attrs.freezable = flags & WQ_FREEZABLE;
	attrs.nice = flags & WQ_HIGHPRI ? MIN_NICE : 0;
	wq->pool = create_pool(&attrs, name, owner);
	if (IS_ERR(wq->pool))
		goto err_wq;
	for (i = 0; i < wq->nr_runners; i++)
		wpool_event_init(&wq->runner[i].event, wq->pool, run, run_failed);
	/* nobody has the queue's number before the caller queues a work */
	if (xa_alloc_cyclic(&queues, &wq->id, wq, xa_limit_31b, &last_id, GFP_KERNEL) < 0)
		goto err_pool;
	return wq;

err_pool:
	wpool_destroy(wq->pool);
err_wq:
	kvfree(wq);
	return NULL;
}
EXPORT_SYMBOL_GPL(wpool_wq_create);

void wpool_wq_destroy(struct wpool_wq *wq)
{
	u32 i;

	might_sleep();
	if (!wq)
		return;
	/* every turn has ended, and no other begins */
	start_drain(wq);
	/* a runner may still be on its way out of its last turn */
	for (i = 0; i < wq->nr_runners; i++)
		wpool_event_cancel_sync(&wq->runner[i].event);
	wpool_destroy(wq->pool);
	/* a flush of a work that ran here finds no queue, or finds it empty until it is freed */
	xa_erase(&queues, wq->id);
	kvfree_rcu(wq, rcu);
}
EXPORT_SYMBOL_GPL(wpool_wq_destroy);
