// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: the tasks of one client of a pool.
 *
 * A task of a group is a detached task. Its function and abort function are in this file, as for
 * the task of an event (event.c), so the path of a task does not know about groups. A group counts
 * its tasks itself: a task takes a place in the group before it is submitted to the pool, and gives
 * the place back when its function has returned, before the pool counts the task out.
 *
 * group->lock protects all of a group:
 *
 *   nr        tasks that have a place; at most max
 *   epoch     how often the group was cancelled. A task with an older epoch is not run, so
 *             a cancel takes the same time for any number of tasks.
 *   waiters   submitters that wait for a place. The first one takes the place itself when it is
 *             woken, and wakes the next one if there is room for both. A new submitter waits behind
 *             the others.
 *   sleepers  threads in wait and exit. The first ones are woken when there is no task, and each
 *             wakes the next ones.
 *   error     the first error. Any other error replaces -ECANCELED, because a task that
 *             fails may cancel its group before its own error is stored.
 *
 * A finish wakes waiters under the lock, which they take before they continue. So the unlock in
 * leave_group() is the last access of a finish to the group, and when exit has returned, the group
 * may be freed. A submitter touches neither the group nor the task after the pool has accepted the
 * task. A submitter whose wait ends with an error leaves the waiters under the lock, and does not
 * touch the group afterwards; exit waits until there is no waiter.
 *
 * group->behalf, of a group that acts for another thread (behalf.c), does not change while a task
 * has a place, so tasks that run read it without the lock.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/swait.h>
#include <linux/wpool_group.h>

#include "core/current.h"
#include "core/freeze.h"
#include "core/runqs.h"
#include "core/state.h"
#include "core/trace.h"
#include "inject.h"
#include "task/behalf.h"
#include "task/state.h"
#include "task/submit.h"
#include "task/waiters.h"

/* How many sleepers one thread wakes with interrupts off. */
#define WAKE_BATCH	16U

/* A waiting thread; on the stack of that thread. */
struct waiter {
	struct list_head node;	/* in group->waiters or group->sleepers */
	struct task_struct *thread;	/* thread to wake */
	u32 epoch;	/* of a submitter: the group's epoch when the wait began */
	u32 nr_closes;	/* of a submitter: wpool_nr_closes() when the wait began */
};

/* ---- waiting ---- */

/* Sleep until @may_go() or a signal, with the lock released; returns with the lock held. */
static int sleep_in(struct list_head *list, struct wpool_group *group, struct waiter *waiter,
		    bool (*may_go)(struct wpool_group *group, struct waiter *waiter),
		    unsigned int state)
	__must_hold(&group->lock)
{
	DECLARE_SWAITQUEUE(guest);
	int err = 0;

	lockdep_assert_held(&group->lock);
	waiter->thread = current;
	list_add_tail(&waiter->node, list);
	for (;;) {
		/* join, then check: a close of the pool wakes these waiters without the lock */
		prepare_to_swait_exclusive(&group->pool->admission.guests, &guest, state);
		if (may_go(group, waiter))
			break;
		if (signal_pending_state(state, current)) {
			err = -EINTR;
			break;
		}
		raw_spin_unlock_irq(&group->lock);
		wpool_lockdep_wait(group->pool);
		schedule();
		raw_spin_lock_irq(&group->lock);
	}
	finish_swait(&group->pool->admission.guests, &guest);
	list_del(&waiter->node);
	return err;
}

/* Is there no task, and, for wpool_group_exit(), no submitter either? */
static bool is_idle(struct wpool_group *group, struct waiter *waiter)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	return !group->nr && (!group->closed || list_empty(&group->waiters));
}

/* ---- waiting submitters ---- */

static bool has_room(const struct wpool_group *group)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	return group->nr < group->max;
}

/* The error that ends the wait, or 0. An error ends the waits of all waiters ahead, too. */
static int sent_away(const struct wpool_group *group, const struct waiter *waiter)
{
	if (group->closed || wpool_nr_closes(group->pool) != waiter->nr_closes)
		return -ESHUTDOWN;
	return group->epoch == waiter->epoch ? 0 : -ECANCELED;
}

static bool may_proceed(struct wpool_group *group, struct waiter *waiter)
	__must_hold(&group->lock)
{
	return sent_away(group, waiter) ||
	       (list_is_first(&waiter->node, &group->waiters) && has_room(group));
}

/*
 * A place was given back, or a waiter or a sleeper has left: wake the first waiter if it may
 * proceed, and the first sleepers if there is no task.
 */
static void wake_first(struct wpool_group *group)
	__must_hold(&group->lock)
{
	struct waiter *first;
	u32 nr = WAKE_BATCH;

	lockdep_assert_held(&group->lock);
	first = list_first_entry_or_null(&group->waiters, struct waiter, node);
	if (unlikely(first) && may_proceed(group, first))
		wake_up_process(first->thread);
	list_for_each_entry(first, &group->sleepers, node) {
		if (!is_idle(group, first) || !nr--)
			break;
		wake_up_process(first->thread);
	}
}

static int group_wait_for_room(struct wpool_group *group, u32 nr_closes, unsigned int state)
	__must_hold(&group->lock)
{
	struct waiter waiter = { .epoch = group->epoch, .nr_closes = nr_closes };
	int err;

	lockdep_assert_held(&group->lock);
	err = sleep_in(&group->waiters, group, &waiter, may_proceed,
		       wpool_freeze_state(group->pool, state));
	return sent_away(group, &waiter) ?: err;
}

/* ---- places ---- */

/* Wait for a place. @state: task state; 0: do not sleep. *@waited: the caller has slept. */
static int find_room(struct wpool_group *group, unsigned int state, bool *waited)
	__must_hold(&group->lock)
{
	u32 nr_closes;

	lockdep_assert_held(&group->lock);
	if (unlikely(group->closed))
		return -ESHUTDOWN;
	if (likely(list_empty(&group->waiters) && has_room(group)))
		return 0;
	nr_closes = wpool_nr_closes(group->pool);
	if (wpool_refuses(group->pool))
		return -ESHUTDOWN;
	if (!state)
		return -EAGAIN;
	if (wpool_in_own_task(group->pool))
		return -EDEADLK;
	*waited = true;
	return group_wait_for_room(group, nr_closes, state);
}

static int enter_group(struct wpool_group *group, struct wpool_group_task *task,
		       unsigned int state, bool *waited)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&group->lock, flags);
	err = find_room(group, state, waited);
	if (!err) {
		task->group = group;
		task->epoch = group->epoch;
		WRITE_ONCE(group->nr, group->nr + 1);
	}
	wake_first(group);
	raw_spin_unlock_irqrestore(&group->lock, flags);
	return err;
}

static void group_keep_error(struct wpool_group *group, int error)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	if (error && (!group->error || group->error == -ECANCELED))
		WRITE_ONCE(group->error, error);
}

/* The function of a task has returned an error; the task's memory may be gone. */
static noinline void count_error(struct wpool *pool, void *func, int error)
{
	struct wpool_runq *rq;

	preempt_disable();
	rq = wpool_this_runq(pool);
	/* a task in its submitter may outlive the pool; a CPU that came later has no run queue */
	if (likely(rq))
		local64_inc(&rq->share.errors);
	preempt_enable();
	trace_wpool_group_task_failed(pool->name, func, error);
}

/* Give the place of a task back; the task's memory may be gone. */
static void leave_group(struct wpool_group *group, int error)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&group->lock, flags);
	group_keep_error(group, error);
	WRITE_ONCE(group->nr, group->nr - 1);
	wake_first(group);
	/* the last touch of the group */
	raw_spin_unlock_irqrestore(&group->lock, flags);
}

/* ---- run a task ---- */

static struct wpool_group_task *group_task(struct wpool_task *task)
{
	return container_of(task, struct wpool_group_task, task);
}

/* The abort function of a task that was not run, or in which its worker has died. */
static void group_task_end(struct wpool_task *task, int status)
{
	struct wpool_group_task *gtask = group_task(task);
	struct wpool_group *group = gtask->group;

	if (gtask->abort)
		gtask->abort(gtask, status);
	leave_group(group, status);
}

/* The worker died in gtask->abort(), which is not called twice. */
static void group_task_leave(struct wpool_task *task, int status)
{
	leave_group(group_task(task)->group, status);
}

static void group_task_run(struct wpool_task *task)
{
	struct wpool_group_task *gtask = group_task(task);
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_group *group = gtask->group;
	wpool_group_fn func = gtask->func;
	int error = 0, err = 0;

	/* debugfs shows w->func; under policy "run", @w may be in another task */
	if (likely(w && w->task == task))
		WRITE_ONCE(w->func, func);
	if (unlikely(wpool_group_task_is_cancelled(gtask)))
		err = -ECANCELED;
	else if (unlikely(group->behalf))
		err = wpool_behalf_call(group->behalf, func, gtask, &error);
	else
		error = func(gtask);
	if (unlikely(err)) {
		if (w && w->task == task)
			w->abort = group_task_leave;
		group_task_end(task, err);
		return;
	}
	/* first: a thread that has waited for the group must see the error counted */
	if (unlikely(error))
		count_error(group->pool, func, error);
	leave_group(group, error);
}

void wpool_group_task_init(struct wpool_group_task *task, wpool_group_fn func,
			   wpool_group_abort_fn abort)
{
	wpool_task_init_abortable(&task->task, group_task_run, group_task_end, NULL);
	task->task.flags |= WPOOL_TASK_GROUP;
	task->func = func;
	task->abort = abort;
}
EXPORT_SYMBOL_GPL(wpool_group_task_init);

/* ---- submit ---- */

/* @state: task state of the waits for room; 0: do not sleep */
static int submit_member(struct wpool_group *group, struct wpool_group_task *task,
			 unsigned int state)
{
	unsigned long flags;
	struct wpool *pool;
	bool waited = false;
	int err;

	if (!group || !group->pool || !task || !task->func || in_nmi())
		return -EINVAL;
	pool = group->pool;
	/* claim first: a pending task must not be written to */
	local_irq_save(flags);
	err = wpool_task_claim(pool, &task->task, true, false);
	local_irq_restore(flags);
	if (err)
		return err;

	err = enter_group(group, task, state, &waited);
	if (err) {
		wpool_task_unclaim(&task->task);
		return err;
	}
	err = wpool_submit_claimed(pool, &task->task, state, waited);
	/* after 0 task and group may be gone; after an error the task's place keeps the group */
	if (err)
		leave_group(group, 0);
	return err;
}

int wpool_group_submit(struct wpool_group *group, struct wpool_group_task *task)
{
	return submit_member(group, task, TASK_KILLABLE);
}
EXPORT_SYMBOL_GPL(wpool_group_submit);

int wpool_group_submit_interruptible(struct wpool_group *group, struct wpool_group_task *task)
{
	return submit_member(group, task, TASK_INTERRUPTIBLE | TASK_FREEZABLE);
}
EXPORT_SYMBOL_GPL(wpool_group_submit_interruptible);

int wpool_group_try_submit(struct wpool_group *group, struct wpool_group_task *task)
{
	return submit_member(group, task, 0);
}
EXPORT_SYMBOL_GPL(wpool_group_try_submit);

/* ---- wait, cancel ---- */

static int wait_for_idle(struct wpool_group *group, unsigned int state)
{
	struct waiter waiter;
	int err;

	wpool_lockdep_wait(group->pool);
	raw_spin_lock_irq(&group->lock);
	err = sleep_in(&group->sleepers, group, &waiter, is_idle, state);
	wake_first(group);
	raw_spin_unlock_irq(&group->lock);
	return err;
}

static int check_wait(const struct wpool_group *group)
{
	if (IS_ERR_OR_NULL(group) || !group->pool)
		return -EINVAL;
	return wpool_in_own_task(group->pool) ? -EDEADLK : 0;
}

int wpool_group_wait(struct wpool_group *group)
{
	int err = check_wait(group);

	might_sleep();
	return err ?: wait_for_idle(group, TASK_KILLABLE) ?: READ_ONCE(group->error);
}
EXPORT_SYMBOL_GPL(wpool_group_wait);

void wpool_group_cancel(struct wpool_group *group)
{
	unsigned long flags;

	if (IS_ERR_OR_NULL(group) || !group->pool || in_nmi())
		return;
	raw_spin_lock_irqsave(&group->lock, flags);
	WRITE_ONCE(group->epoch, group->epoch + 1);
	wake_first(group);
	raw_spin_unlock_irqrestore(&group->lock, flags);
}
EXPORT_SYMBOL_GPL(wpool_group_cancel);

/* ---- init and exit ---- */

static void *group_hint(void *group)
{
	return ((struct wpool_group *)group)->made_by;
}

static void debug_end_group(void *group)
{
	wpool_group_cancel(group);
	if (preemptible())
		wpool_group_exit(group);
}

WPOOL_DEBUG_KIND(group);

int wpool_group_init(struct wpool_group *group, struct wpool *pool, u32 max_outstanding,
		     struct module *owner)
{
	wpool_debug_init_object(group, &group_descr);
	memset(group, 0, sizeof(*group));
	if (IS_ERR_OR_NULL(pool) || !max_outstanding)
		return -EINVAL;
	if (!try_module_get(owner))
		return -ENOENT;
	raw_spin_lock_init(&group->lock);
	INIT_LIST_HEAD(&group->waiters);
	INIT_LIST_HEAD(&group->sleepers);
	group->max = max_outstanding;
	group->epoch = wpool_counter_start();
	group->owner = owner;
	group->pool = wpool_get(pool);
	group->made_by = __builtin_return_address(0);
	debug_object_activate(group, &group_descr);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_group_init);

int wpool_group_act_for_me(struct wpool_group *group, unsigned int what)
{
	struct wpool_behalf *behalf;
	bool busy;

	might_sleep();
	if (IS_ERR_OR_NULL(group) || !group->pool)
		return -EINVAL;
	behalf = wpool_behalf_take(what);
	if (IS_ERR(behalf))
		return PTR_ERR(behalf);
	raw_spin_lock_irq(&group->lock);
	busy = group->nr || group->behalf;
	if (!busy)
		group->behalf = behalf;
	raw_spin_unlock_irq(&group->lock);
	if (busy)
		wpool_behalf_drop(behalf);
	return busy ? -EBUSY : 0;
}
EXPORT_SYMBOL_GPL(wpool_group_act_for_me);

int wpool_group_exit(struct wpool_group *group)
{
	struct wpool *pool;
	int err = check_wait(group);

	might_sleep();
	if (err)
		return err == -EINVAL ? 0 : err;
	raw_spin_lock_irq(&group->lock);
	/* no submit enters from here on */
	group->closed = true;
	wake_first(group);
	raw_spin_unlock_irq(&group->lock);
	/* afterwards neither a task nor a submitter is left */
	wait_for_idle(group, TASK_UNINTERRUPTIBLE);
	pool = group->pool;
	group->pool = NULL;
	wpool_behalf_drop(group->behalf);
	debug_object_deactivate(group, &group_descr);
	debug_object_free(group, &group_descr);
	wpool_put(pool);
	module_put(group->owner);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_group_exit);
