// SPDX-License-Identifier: GPL-2.0
/* Queues: their runners, their flushes, how they begin and end; see queue.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "wq/queue.h"

#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "inject.h"

/* Runners that a queue has from the start; more are made when works need them. */
#define FIRST_RUNNERS		4U

/* The most threads that flush or drain a queue at a time. */
#define MAX_FLUSHERS		16

/* A thread that waits for many turns; on the stack of that thread. */
struct flusher {
	struct list_head node;
	unsigned long epoch;	/* last epoch of the turns to wait for */
	unsigned long nr;	/* number of turns up to @epoch that have not ended */
	bool drain;		/* wait for all turns instead, also those that begin later */
	struct completion done;
};

/* All queues by number. A number is given again only when all others have been given. */
static DEFINE_XARRAY_ALLOC1(queues);
/* with KUnit, start near the highest number, so that numbers soon begin again */
static u32 last_id = IS_ENABLED(CONFIG_KUNIT) ? INT_MAX - 5 : 0;

struct wpool_wq *wpool_wq_by(u32 where)
{
	return xa_load(&queues, where >> 1);
}

/* ---- turns ---- */

static void run_work(struct wpool_event *event);

/* The runner that this thread is, of any queue, or NULL. */
static struct wpool_wq_runner *runner_here(void)
{
	struct wpool_event *event = wpool_event_current();

	if (!event || event->func != run_work)
		return NULL;
	return container_of(event, struct wpool_wq_runner, event);
}

struct wpool_work *wpool_current_work(void)
{
	struct wpool_wq_runner *runner = runner_here();

	/* only this thread changes the field */
	return runner ? runner->work : NULL;
}
EXPORT_SYMBOL_GPL(wpool_current_work);

bool __wpool_wq_add(struct wpool_wq *wq, struct wpool_work *work, int cpu)
	__must_hold(&wq->lock)
{
	struct wpool_wq_runner *runner;

	lockdep_assert_held(&wq->lock);
	if (unlikely(wq->nr_drains)) {
		runner = runner_here();
		if (!runner || runner->wq != wq)
			return false;
	}
	work->epoch = wq->epoch;
	/* a work that was prepared again may still run in this queue */
	WRITE_ONCE(work->from, work->where ?: wpool_wq_left(wq));
	WRITE_ONCE(work->where, wpool_wq_here(wq));
	list_add_tail(&work->entry, &wq->pending);
	wq->nr_turns++;

	/* if no runner is idle, do nothing: each looks at the list before it becomes idle */
	runner = list_first_entry_or_null(&wq->idle, struct wpool_wq_runner, idle);
	if (runner) {
		list_del(&runner->idle);
		/* a queue at rest starts its work here: that takes no interrupt elsewhere */
		if (wq->nr_turns == 1 || wq->flags & WQ_UNBOUND)
			cpu = -1;
		wpool_event_fire_on(&runner->event, cpu);
	}
	return true;
}

/* After this call the flusher is gone. */
static void end_flush(struct wpool_wq *wq, struct flusher *flusher)
	__must_hold(&wq->lock)
{
	up(&wq->may_flush);
	complete(&flusher->done);
}

/* A turn has ended: complete its waiters, and the flushers for which it was the last turn. */
static void end_turn(struct wpool_wq *wq, unsigned long epoch, struct hlist_head *waiters)
	__must_hold(&wq->lock)
{
	struct flusher *flusher, *tmp;
	struct wpool_wq_waiter *waiter;
	struct hlist_node *next;

	lockdep_assert_held(&wq->lock);
	hlist_for_each_entry_safe(waiter, next, waiters, node) {
		hlist_del_init(&waiter->node);
		/* after this call the waiter is gone */
		complete(waiter->done);
	}
	wq->nr_turns--;
	list_for_each_entry_safe(flusher, tmp, &wq->flushers, node) {
		if (flusher->drain ? wq->nr_turns :
		    (long)(flusher->epoch - epoch) < 0 || --flusher->nr)
			continue;
		list_del(&flusher->node);
		end_flush(wq, flusher);
	}
}

void __wpool_wq_remove(struct wpool_wq *wq, struct wpool_work *work)
	__must_hold(&wq->lock)
{
	lockdep_assert_held(&wq->lock);
	list_del_init(&work->entry);
	/* the work may still run in the queue that work->from names */
	WRITE_ONCE(work->where, work->from);
	end_turn(wq, work->epoch, &work->waiters);
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

/* The next work for this runner, or NULL. A work that runs now goes to the runner that runs it. */
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

/*
 * If @await, register the waiter: it is completed when the work's run in the queue @from ends. Else
 * unregister the waiter. Returns false if the work does not run there: then no thread touches the
 * waiter any more.
 */
static bool await_run(u32 from, const void *work, wpool_work_fn func,
		      struct wpool_wq_waiter *waiter, bool await)
{
	struct wpool_wq_runner *other = NULL;
	struct wpool_wq *last;

	rcu_read_lock();
	last = wpool_wq_by(from);
	if (last) {
		raw_spin_lock_irq(&last->lock);
		other = __wpool_wq_find(last, work, func);
		if (other && await)
			hlist_add_head(&waiter->node, &other->waiters);
		else
			hlist_del_init(&waiter->node);
		raw_spin_unlock_irq(&last->lock);
	}
	rcu_read_unlock();
	return other;
}

/*
 * The next work was queued elsewhere before, and may still run there: wait until that run has
 * ended, or a cancel takes the work off the list. Meanwhile the work is in runner->scheduled, which
 * only this runner serves, and where a cancel finds the work. If the work is still there
 * afterwards, no cancel took it off, and it cannot have begun to run elsewhere.
 */
static void wait_elsewhere(struct wpool_wq_runner *runner, struct wpool_work *work)
	__must_hold(&runner->wq->lock)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct wpool_wq_waiter run = { .done = &done }, turn = { .done = &done };
	struct wpool_wq *wq = runner->wq;
	wpool_work_fn func = work->func;
	u32 from = work->from;

	list_move(&work->entry, &runner->scheduled);
	hlist_add_head(&turn.node, &work->waiters);
	raw_spin_unlock_irq(&wq->lock);
	if (await_run(from, work, func, &run, true)) {
		wait_for_completion(&done);
		await_run(from, work, func, &run, false);
	}
	raw_spin_lock_irq(&wq->lock);
	if (list_first_entry_or_null(&runner->scheduled, struct wpool_work, entry) == work) {
		hlist_del_init(&turn.node);
		WRITE_ONCE(work->from, wpool_wq_left(wq));
	}
}

/*
 * If no runner is idle, let the kernel worker create more. If no turn is left, as after a cancel,
 * create none: the queue may be about to be freed.
 */
static void want_runners(struct wpool_wq *wq)
	__must_hold(&wq->lock)
{
	if (wq->nr_turns && list_empty(&wq->idle) && wq->nr_runners < wq->max_runners)
		queue_delayed_work(wpool_wq_grower, &wq->grow, 0);
}

/* After the call the work may be queued again, or be freed by its function. */
static void start_turn(struct wpool_wq_runner *runner, struct wpool_work *work)
	__must_hold(&runner->wq->lock)
{
	struct wpool_wq *wq = runner->wq;

	runner->work = work;
	runner->func = work->func;
	runner->epoch = work->epoch;
	hlist_move_list(&work->waiters, &runner->waiters);
	hash_add(wq->busy, &runner->busy, (unsigned long)work);
	list_del_init(&work->entry);
	WRITE_ONCE(work->where, wpool_wq_left(wq));
	/* queue:A, see queue.h */
	test_and_clear_bit(WPOOL_WORK_PENDING_BIT, &work->flags);
}

static void finish_turn(struct wpool_wq_runner *runner)
	__must_hold(&runner->wq->lock)
{
	hash_del(&runner->busy);
	runner->work = NULL;
	end_turn(runner->wq, runner->epoch, &runner->waiters);
}

/*
 * Fire the runner for the next work, as a new task; without a work make the runner idle. If the
 * pool is closed, fire nothing: see run_failed().
 */
static void go_on(struct wpool_wq_runner *runner)
	__must_hold(&runner->wq->lock)
{
	if (list_empty(&runner->scheduled) && list_empty(&runner->wq->pending))
		list_add(&runner->idle, &runner->wq->idle);
	else if (runner->wq->max_runners)
		wpool_event_fire(&runner->event);
}

/*
 * The function of a runner runs one work. So the pool counts each work, finds hogs among them, and
 * repairs what a work has left unbalanced before the next work starts.
 */
static void run_work(struct wpool_event *event)
{
	struct wpool_wq_runner *runner = container_of(event, struct wpool_wq_runner, event);
	struct wpool_wq *wq = runner->wq;
	struct wpool_work *work;
	unsigned long flags;
	wpool_work_fn func;

	raw_spin_lock_irq(&wq->lock);
	/* first: this runner may wait for a run elsewhere, and the next work must not wait */
	want_runners(wq);
	while ((work = next_work(runner)) && work->from != wpool_wq_left(wq))
		wait_elsewhere(runner, work);
	if (!work) {
		go_on(runner);
		raw_spin_unlock_irq(&wq->lock);
		return;
	}
	start_turn(runner, work);
	func = runner->func;
	raw_spin_unlock_irq(&wq->lock);

	wpool_worker_set_func(func);
	if (wq->flags & WPOOL_WQ_FLAG_BH)
		local_bh_disable();
	func(work);
	if (wq->flags & WPOOL_WQ_FLAG_BH)
		local_bh_enable();

	/* the work may have left interrupts off: leave that for the pool to repair */
	raw_spin_lock_irqsave(&wq->lock, flags);
	finish_turn(runner);
	go_on(runner);
	raw_spin_unlock_irqrestore(&wq->lock, flags);
}

/*
 * -EIO: the worker died in a work; -ETIME: the pool was given a max_wait_ms, and no worker came in
 * time. Either way the runner continues with the next work. -ESHUTDOWN comes if a module was
 * unloaded without destroying its queue: then the works of that module are gone, and the pool is
 * freed after this call. From here on no runner is made or fired. As long as a work is pending, a
 * runner runs, or is fired and will be refused. So this call comes before the pool is freed.
 */
static void run_failed(struct wpool_event *event, int status)
{
	struct wpool_wq_runner *runner = container_of(event, struct wpool_wq_runner, event);
	struct wpool_wq *wq = runner->wq;

	raw_spin_lock_irq(&wq->lock);
	if (status == -ESHUTDOWN)
		WRITE_ONCE(wq->max_runners, 0);
	if (runner->work)
		finish_turn(runner);
	go_on(runner);
	raw_spin_unlock_irq(&wq->lock);
}

/* ---- flush and drain ---- */

/*
 * Wait for the turns that have begun. @drain: from now on only a running work of the queue may
 * queue works on it; wait until the queue is empty.
 */
static void await_turns(struct wpool_wq *wq, bool drain)
{
	struct flusher flusher = { .drain = drain };

	init_completion(&flusher.done);
	/* the end of a turn visits all flushers; those beyond the limit begin later */
	down(&wq->may_flush);
	raw_spin_lock_irq(&wq->lock);
	wq->nr_drains += drain;
	flusher.nr = wq->nr_turns;
	/* turns that begin from here on are not counted */
	flusher.epoch = wq->epoch++;
	if (flusher.nr)
		list_add_tail(&flusher.node, &wq->flushers);
	else
		end_flush(wq, &flusher);
	raw_spin_unlock_irq(&wq->lock);
	wait_for_completion(&flusher.done);
}

void wpool_wq_flush(struct wpool_wq *wq)
{
	might_sleep();
	if (wq)
		await_turns(wq, false);
}
EXPORT_SYMBOL_GPL(wpool_wq_flush);

void wpool_wq_drain(struct wpool_wq *wq)
{
	might_sleep();
	if (!wq)
		return;
	await_turns(wq, true);
	raw_spin_lock_irq(&wq->lock);
	wq->nr_drains--;
	raw_spin_unlock_irq(&wq->lock);
}
EXPORT_SYMBOL_GPL(wpool_wq_drain);

/* ---- create and destroy ---- */

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

static bool is_taken(const char *name)
{
	struct wpool *pool = wpool_find(name);

	wpool_put(pool);
	return pool;
}

/* Two queues may have one name, as workqueues may, but two pools may not. */
static struct wpool *create_queue_pool(struct wpool_attrs *attrs, const char *base,
				       struct module *owner)
{
	char name[WPOOL_NAME_LEN];
	struct wpool *pool;
	u32 nr = 1;

	attrs->name = base;
	for (;;) {
		/* check first, because a creation that fails writes to the log */
		pool = is_taken(attrs->name) ? ERR_PTR(-EEXIST) : __wpool_create(attrs, owner);
		if (PTR_ERR_OR_ZERO(pool) != -EEXIST)
			return pool;
		/* a name of 31 characters keeps its first 20 */
		snprintf(name, sizeof(name), "%.20s-%u", base, ++nr);
		attrs->name = name;
	}
}

static bool add_runner(struct wpool_wq *wq, gfp_t gfp)
{
	struct wpool_wq_runner *runner = kzalloc(sizeof(*runner), gfp);

	if (!runner)
		return false;
	runner->wq = wq;
	INIT_LIST_HEAD(&runner->scheduled);
	wpool_event_init(&runner->event, wq->pool, run_work, run_failed);
	raw_spin_lock_irq(&wq->lock);
	list_add_tail(&runner->node, &wq->runners);
	wq->nr_runners++;
	go_on(runner);
	raw_spin_unlock_irq(&wq->lock);
	return true;
}

/*
 * Double the number of runners. Without memory the existing ones do the work, as in workqueues. Do
 * not wait for memory: the end of the queue waits for this, and memory may depend on that end.
 */
static void grow_runners(struct work_struct *work)
{
	struct wpool_wq *wq = container_of(to_delayed_work(work), struct wpool_wq, grow);
	u32 nr = min(READ_ONCE(wq->max_runners), 2 * wq->nr_runners);

	while (wq->nr_runners < nr)
		if (!add_runner(wq, GFP_NOWAIT | __GFP_NOWARN)) {
			queue_delayed_work(wpool_wq_grower, &wq->grow, HZ / 10);
			break;
		}
}

static void free_runners(struct wpool_wq *wq)
{
	struct wpool_wq_runner *runner, *tmp;

	list_for_each_entry_safe(runner, tmp, &wq->runners, node)
		kfree(runner);
}

/* max_active counts for each CPU, unless the queue is unbound. */
static u32 max_runners(unsigned int flags, int max_active)
{
	u32 max = clamp(max_active ?: WPOOL_WQ_DFL_ACTIVE, 1, WPOOL_WQ_MAX_ACTIVE);

	return flags & WQ_UNBOUND ? max : min(max * num_possible_cpus(), WPOOL_WQ_MAX_ACTIVE);
}

static struct wpool_wq *alloc_queue(unsigned int flags, int max_active)
{
	struct wpool_wq *wq = kzalloc(sizeof(*wq), GFP_KERNEL);

	if (!wq)
		return NULL;
	wq->flags = flags;
	wq->max_runners = max_runners(flags, max_active);
	raw_spin_lock_init(&wq->lock);
	INIT_LIST_HEAD(&wq->pending);
	INIT_LIST_HEAD(&wq->runners);
	INIT_LIST_HEAD(&wq->idle);
	INIT_LIST_HEAD(&wq->flushers);
	sema_init(&wq->may_flush, MAX_FLUSHERS);
	wq->epoch = (s32)wpool_counter_start();
	INIT_DELAYED_WORK(&wq->grow, grow_runners);
	return wq;
}

struct wpool_wq *wpool_wq_create(struct module *owner, unsigned int flags, int max_active,
				 const char *fmt, ...)
{
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	struct wpool_wq *wq;
	va_list args;

	if (!fmt)
		return NULL;
	va_start(args, fmt);
	name_of(name, sizeof(name), fmt, args);
	va_end(args);
	wq = alloc_queue(flags, max_active);
	if (!wq)
		return NULL;

	wpool_attrs_init(&attrs);
	attrs.capacity = wq->max_runners;
	attrs.queue_depth = WPOOL_UNLIMITED;
	attrs.reclaim = flags & WQ_MEM_RECLAIM;
	/* an idle queue has no worker, unless memory reclaim may depend on it */
	attrs.min_workers = attrs.reclaim ? 1 : 0;
	attrs.freezable = flags & WQ_FREEZABLE;
	attrs.nice = flags & (WQ_HIGHPRI | WPOOL_WQ_FLAG_BH) ? MIN_NICE : 0;
	wq->pool = create_queue_pool(&attrs, name, owner);
	if (IS_ERR(wq->pool))
		goto err_wq;
	while (wq->nr_runners < min(wq->max_runners, FIRST_RUNNERS))
		if (!add_runner(wq, GFP_KERNEL))
			goto err_pool;
	/* no thread has the queue's number before the caller queues a work */
	if (xa_alloc_cyclic(&queues, &wq->id, wq, xa_limit_31b, &last_id, GFP_KERNEL) < 0)
		goto err_pool;
	return wq;

err_pool:
	wpool_destroy(wq->pool);
	free_runners(wq);
err_wq:
	kfree(wq);
	return NULL;
}
EXPORT_SYMBOL_GPL(wpool_wq_create);

void wpool_wq_set_max_active(struct wpool_wq *wq, int max_active)
{
	u32 mask = WPOOL_TUNE_CAPACITY;
	struct wpool_attrs attrs;

	might_sleep();
	if (wq->flags & __WQ_ORDERED)
		return;
	wpool_get_attrs(wq->pool, &attrs, NULL);
	/* 0 means a default only when a queue is created */
	attrs.capacity = max_runners(wq->flags, max(max_active, 1));
	/* the administrator may have set min_workers: the driver's limit is more important */
	if (attrs.min_workers > attrs.capacity) {
		attrs.min_workers = attrs.capacity;
		mask |= WPOOL_TUNE_MIN_WORKERS;
	}
	if (wpool_tune(wq->pool, &attrs, mask))
		return;
	raw_spin_lock_irq(&wq->lock);
	WRITE_ONCE(wq->max_runners, attrs.capacity);
	want_runners(wq);
	raw_spin_unlock_irq(&wq->lock);
}
EXPORT_SYMBOL_GPL(wpool_wq_set_max_active);

void wpool_wq_destroy(struct wpool_wq *wq)
{
	struct wpool_wq_runner *runner;

	might_sleep();
	if (!wq)
		return;
	/* afterwards every turn has ended, and no other begins */
	await_turns(wq, true);
	cancel_delayed_work_sync(&wq->grow);
	/* a runner may still be about to return from its last turn */
	list_for_each_entry(runner, &wq->runners, node)
		wpool_event_cancel_sync(&runner->event);
	wpool_destroy(wq->pool);
	free_runners(wq);
	/* a flush of a work that ran here finds no queue, or an empty queue until that is freed */
	xa_erase(&queues, wq->id);
	kfree_rcu(wq, rcu);
}
EXPORT_SYMBOL_GPL(wpool_wq_destroy);
