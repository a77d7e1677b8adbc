// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for a task, and helping it along, see wait.h.
 *
 * Waiters sleep on the kernel's hashed wait queues and set WAITED in the task's state, so that a
 * task without waiters pays nothing. A worker that waits for a queued task of its own pool takes it
 * out of the queue and runs it itself, so fork-join works at capacity 1.
 *
 * A wait writes nothing to an IDLE task.
 */
#include "task/wait.h"

#include <linux/err.h>
#include <linux/export.h>
#include <linux/rculist.h>
#include <linux/wait_bit.h>

#include "core/current.h"
#include "core/freeze.h"
#include "core/registry.h"
#include "core/sched.h"
#include "core/state.h"
#include "task/run.h"
#include "task/state.h"

/* The most workers that a wait checks with interrupts off. */
#define WORKERS_A_LOOK	64

bool wpool_wait_done(struct wpool_task *task)
{
	int old = atomic_read_acquire(&task->state);

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_IDLE)
			return true;
		if (old & WPOOL_ST_WAITED)
			return false;
	} while (!wpool_task_exchange(task, &old, old | WPOOL_ST_WAITED));

	return false;
}

/* Does this thread run the task, as a worker or as its submitter? */
static bool is_inside(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool_task *t;
	u32 i;

	if (atomic_read(&task->state) & WPOOL_ST_INSIDE && READ_ONCE(task->submitter) == current)
		return true;
	if (!w)
		return false;
	t = w->task;
	for (i = 0; i < w->nested; i++, t = t->outer)
		if (t == task)
			return true;
	/* a detached task may be gone, and its memory may be another task's */
	return t == task && !w->detached;
}

/* Is the task in a queue of the pool, or held by a thread that has taken it or will queue it? */
static bool is_at_hand(struct wpool *pool, struct wpool_task *task)
{
	int state = atomic_read(&task->state) & WPOOL_ST_MASK;

	if (state != WPOOL_ST_PENDING && state != WPOOL_ST_CANCELLED)
		return false;
	/* its submitter may be about to accept the task, in any pool */
	return READ_ONCE(task->queued) == WPOOL_QUEUED_NO ||
	       (READ_ONCE(task->queued) == WPOOL_QUEUED_POOL &&
		wpool_task_last_pool(task) == pool);
}

/* Run a queued task of the worker's own pool right here. Returns false if there was none. */
static bool help_with(struct wpool_worker *w, struct wpool_task *task)
{
	bool helped = false;
	u32 tries = 0;

	while (is_at_hand(w->pool, task)) {
		helped = true;
		if (wpool_task_pool(task) == w->pool && wpool_sched_unqueue(w->pool, task))
			wpool_run_inside(w, task);
		else
			wpool_task_await_hands(&tries);
	}
	return helped;
}

#ifdef CONFIG_LOCKDEP
static bool is_pool(struct wpool *pool, void *other)
{
	return pool == other;
}

void wpool_wait_tell_lockdep(struct wpool_task *task)
{
	struct wpool *pool;

	rcu_read_lock();
	/* the pool of a task that has ended may be gone, and another pool be at its address */
	pool = wpool_task_last_pool(task);
	if (pool && !wpool_in_own_task(pool) && wpool_pools_walk_rcu(is_pool, pool) &&
	    (s32)(READ_ONCE(task->jiffy) - pool->made_jiffy) > 0)
		wpool_lockdep_wait(pool);
	rcu_read_unlock();
}
#endif

/*
 * A worker of the pool sleeps for a task. Does that task itself depend on other workers of the
 * pool, because it is queued or running there? If all workers sleep for such tasks at full
 * capacity, none of the tasks can end.
 */
static bool is_stuck(struct wpool *pool, const struct wpool_worker *w)
{
	struct wpool_task *task = w->awaits;
	int old = atomic_read(&task->state), state = old & WPOOL_ST_MASK;
	u8 queued = READ_ONCE(task->queued);

	/* if WAITED is clear, the waiter is being woken, and will check the task again */
	if (!(old & WPOOL_ST_WAITED) || !queued || wpool_task_last_pool(task) != pool)
		return false;
	/* if it has been accepted meanwhile, the waiter itself runs it within a tick */
	return state == WPOOL_ST_RUNNING ||
	       (state == WPOOL_ST_PENDING && (w->deep || queued != WPOOL_QUEUED_POOL));
}

static void forget_locked(struct wpool_worker *w)
	__must_hold(&w->pool->workers.lock)
{
	struct wpool_workers *workers = &w->pool->workers;

	lockdep_assert_held(&workers->lock);
	w->awaits = NULL;
	workers->nr_awaiting--;
	WRITE_ONCE(workers->nr_lifting, workers->nr_lifting - w->lifts);
	/* pairs with count_busy:C */
	smp_store_release(&workers->nr_lifted, workers->nr_lifted + w->lifts);
	w->lifts = false;
}

void wpool_wait_forget(struct wpool_worker *w)
{
	if (!w->awaits)
		return;
	raw_spin_lock_irq(&w->pool->workers.lock);
	forget_locked(w);
	raw_spin_unlock_irq(&w->pool->workers.lock);
}

/* Does the worker sleep for a queued task? It could cancel that task, but not a running one. */
static bool can_act(const struct wpool_worker *w)
{
	return w->awaits &&
	       (atomic_read(&w->awaits->state) & WPOOL_ST_MASK) == WPOOL_ST_PENDING;
}

/*
 * Are all workers of the pool stuck, so that this worker's wait must fail? Not if it waits for a
 * running task, and another worker waits for a queued task, which that worker could cancel: that
 * worker looks again within a tick, and its wait fails, or it can run the task.
 *
 * Releases the lock now and then, with RCU's lock held. If a wait begins or ends meanwhile, no wait
 * fails: a worker that begins to wait comes here itself.
 */
static bool must_give_up(struct wpool_worker *self)
	__must_hold(&self->pool->workers.lock)
{
	struct wpool *pool = self->pool;
	struct wpool_workers *workers = &pool->workers;
	u32 nr = workers->nr_awaiting, nr_waits = workers->nr_waits, stuck = 0;
	bool acts = can_act(self);
	struct wpool_worker *w;

	lockdep_assert_held(&workers->lock);
	if (nr < pool->nr_workers || nr < READ_ONCE(pool->capacity))
		return false;
	list_for_each_entry_rcu(w, &workers->list, node) {
		/* the task of a worker that awaits may be done: the worker has not woken up yet */
		if (!w->awaits)
			continue;
		if (!is_stuck(pool, w) || (!acts && can_act(w)))
			return false;
		if (!(++stuck % WORKERS_A_LOOK)) {
			raw_spin_unlock_irq(&workers->lock);
			raw_spin_lock_irq(&workers->lock);
		}
	}
	/* all workers have been found stuck, this one again now */
	return stuck == nr && workers->nr_awaiting == nr && workers->nr_waits == nr_waits &&
	       is_stuck(pool, self);
}

/*
 * A worker is about to sleep for a task. @deep: too little stack is left to run it here; @again:
 * this wait has begun before, and only looks again. Returns false if that is a deadlock; then the
 * worker no longer counts, so no other wait fails for it.
 */
static bool await_begin(struct wpool_worker *w, struct wpool_task *task, bool deep, bool again)
{
	struct wpool *pool = w->pool;
	bool gives_up;

	/* a submitter may be about to queue the task in any pool */
	if (READ_ONCE(task->queued) != WPOOL_QUEUED_NO && wpool_task_last_pool(task) != pool)
		return true;
	rcu_read_lock();
	raw_spin_lock_irq(&pool->workers.lock);
	w->awaits = task;
	w->deep = deep;
	pool->workers.nr_awaiting++;
	pool->workers.nr_waits += !again;
	/* a queued task needs another worker, so the pool must not stay frozen */
	w->lifts = can_act(w);
	WRITE_ONCE(pool->workers.nr_lifting, pool->workers.nr_lifting + w->lifts);
	gives_up = must_give_up(w);
	if (gives_up)
		forget_locked(w);
	raw_spin_unlock_irq(&pool->workers.lock);
	rcu_read_unlock();
	/* await_begin:A, see freeze.h */
	smp_mb();
	if (unlikely(READ_ONCE(wpool_freeze_is_on)) && READ_ONCE(pool->freezable) && w->lifts)
		wpool_freeze_lift(pool);
	return !gives_up;
}

/*
 * The worker runs the task itself if it can, and sleeps otherwise. After each wake-up it starts
 * over: a task that was submitted again while it ran wakes its waiters when it is queued again.
 *
 * While the task has not started, the worker also looks once a tick: the pool may have accepted the
 * task of a waiting submitter, so that this worker can run it; or all other workers that could run
 * it may wait, or have left.
 */
static int help_and_sleep(struct wpool_worker *w, struct wpool_task *task)
{
	struct wait_queue_head *head = __var_waitqueue(task);
	/* once: is_stuck() must know whether help_with() will be called */
	const bool deep = wpool_stack_is_short();
	struct wait_bit_queue_entry wait;
	bool again = false;
	int err;

	init_wait_var_entry(&wait, task, 0);
	do {
		if (!deep && help_with(w, task))
			again = false;
		if ((atomic_read_acquire(&task->state) & WPOOL_ST_MASK) == WPOOL_ST_IDLE)
			return 0;
		/* before wpool_wait_done() sets WAITED: no later wake-up is missed */
		err = prepare_to_wait_event(head, &wait.wq_entry, TASK_KILLABLE) ?
		      -EINTR : -EAGAIN;
		if (wpool_wait_done(task))
			err = 0;
		else if (err == -EAGAIN && !await_begin(w, task, deep, again))
			err = -EDEADLK;
		if (err == -EAGAIN && (deep || !is_at_hand(w->pool, task)))
			schedule_timeout(can_act(w) ? 1 : MAX_SCHEDULE_TIMEOUT);
		finish_wait(head, &wait.wq_entry);
		again = w->awaits;
		wpool_wait_forget(w);
	} while (err == -EAGAIN);
	return err;
}

int wpool_wait_begin(struct wpool_task *task)
{
	might_sleep();
	if (IS_ERR_OR_NULL(task) || wpool_task_is_detached(task))
		return -EINVAL;
	if (is_inside(wpool_worker_current(), task))
		return -EDEADLK;
	wpool_wait_tell_lockdep(task);
	return 0;
}

int wpool_wait_end(struct wpool_task *task)
{
	struct wpool_worker *w = wpool_worker_current();
	int err = 0;

	if (w)
		err = help_and_sleep(w, task);
	else if (!wpool_wait_done(task) && wait_var_event_killable(task, wpool_wait_done(task)))
		err = -EINTR;
	if (err)
		return err;
	wpool_finish_sync(task);
	return task->status;
}

int wpool_task_wait(struct wpool_task *task)
{
	return wpool_wait_begin(task) ?: wpool_wait_end(task);
}
EXPORT_SYMBOL_GPL(wpool_task_wait);
