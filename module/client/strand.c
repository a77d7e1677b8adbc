// SPDX-License-Identifier: GPL-2.0
/*
 * Strands: tasks that run one after the other.
 *
 * A strand is a queue under a lock. Its first task, the head, is out: in the line, in the
 * queues of the pool, or running. The others wait here. The thread that ends the turn of
 * the head sends the next one. So at most one is out, which is all that keeps tasks from
 * running at the same time, and their order is that of the queue.
 *
 * What a task carries through the pool is a detached task with a function in here, its
 * vehicle. It stands in the line as that of an event does, without a thread
 * (wpool_waiters_join()), and nothing of the paths of a task knows about strands, but for
 * one thing: a closed pool lets it in rather than refuse it, since the strand has accepted
 * it. The task that runs before it is counted out after that, so that nobody finds the pool
 * empty in between.
 *
 * All is decided under strand->lock: flags, head, queue, and the state of each task:
 *
 *                 full               room                  its turn
 *       IDLE ----------> WAITING ---------> QUEUED ----------------------> OUT
 *        ^ ^               |                  |                             |  |
 *        | |  cancel       |                  |                 its vehicle |  | cancel
 *        | +---------------+------------------+                     arrives |  v
 *        +------------------------------------------------------------------+- CANCELLED
 *
 *   WAITING    its submitter sleeps until there is room, and task->waiter is it
 *   QUEUED     in strand->queue
 *   OUT        it is the head, and its vehicle is on the way
 *   CANCELLED  as OUT, but nothing happens when the vehicle arrives
 *   IDLE       none of these. While its function runs, it is IDLE and the head, and the
 *              strand is RUNNING: the task belongs to its function, which may free it or
 *              submit it again.
 *
 * A strand without a head is empty: its queue is, too, and nobody waits, for the limit is
 * at least 1, but submitters that a close of the pool has sent away and that have yet to
 * go. Where a task ends its turn, next_turn() makes the next one the head, with the
 * lock held, and the caller sends it when it has dropped the lock: interrupts stay off, so
 * that a close of the pool, which waits for a grace period, finds it. From then on the
 * strand may be gone, if the caller was not one whose task it is.
 *
 * A flush puts a mark into the queue, a task without a function. next_turn() takes it out and
 * completes it. As it does so with the lock held, a thread that has waited for a mark takes
 * the lock once before it returns, and then the strand may be freed. A task that frees its
 * own strand says so in *task->gone, on the stack of the thread that called its function.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/wait_bit.h>
#include <linux/wpool.h>
#include <linux/wpool_strand.h>

#include "core/current.h"
#include "core/freeze.h"
#include "core/sched.h"
#include "core/state.h"
#include "task/finish.h"
#include "task/state.h"
#include "task/submit.h"
#include "task/tokens.h"
#include "task/waiters.h"

/* strand_task.state */
#define IDLE		0
#define WAITING		1
#define QUEUED		2
#define OUT		3
#define CANCELLED	4

/* strand->flags */
#define RUNNING		BIT(0)	/* the function of the head, or its abort function, runs */
#define AWAITED		BIT(1)	/* RUNNING: a thread sleeps until it has returned */
#define CLOSED		BIT(2)	/* accepts no tasks */
#define WAITED		BIT(3)	/* submitters have waited for room */

/* How many submitters of a strand that ends are woken in one hold of its lock. */
#define REFUSED_AT_ONCE	32

/* A submitter that waits for room, on its own stack. */
struct room_waiter {
	struct wpool_waiter waiter;
	struct wpool_guest guest;
};

/* A mark in the queue, of a thread that flushes. */
struct mark {
	struct wpool_strand_task place;
	struct completion reached;
};

/* ---- the queue ---- */

static struct wpool_strand_task *strand_task_of(struct wpool_task *task)
{
	return container_of(task, struct wpool_strand_task, task);
}

/* Accept a task; true if it is the head, and the caller must send it. */
static bool accept_task(struct wpool_strand *strand, struct wpool_strand_task *task)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	strand->nr++;
	if (!strand->head) {
		WRITE_ONCE(strand->head, task);
		task->state = OUT;
		return true;
	}
	task->state = QUEUED;
	list_add_tail(&task->task.node, &strand->queue);
	return false;
}

static void leave_room_waiters(struct wpool_strand *strand, struct wpool_waiter *waiter)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	list_del(&waiter->place.node);
	wpool_guest_leave(strand->pool, &container_of(waiter, struct room_waiter, waiter)->guest);
}

/* A submitter need not wait any longer: its task was accepted, or @error. */
static void end_wait(struct wpool_strand *strand, struct wpool_waiter *waiter, int error)
	__must_hold(&strand->lock)
{
	struct task_struct *thread = waiter->thread;

	leave_room_waiters(strand, waiter);
	waiter->error = error;
	/* pairs with submit_and_wait(), strand_abandon_wait(); the waiter may be gone then */
	smp_store_release(&waiter->done, true);
	/* interrupts are off: the thread cannot be freed yet */
	wake_up_process(thread);
}

/*
 * The strand ends: refuse those that wait for room, some in one hold of the lock. Returns
 * false if there are more, and then the lock must be dropped before the next call.
 */
static bool refuse_some(struct wpool_strand *strand)
	__must_hold(&strand->lock)
{
	struct wpool_waiter *waiter;
	unsigned int nr;

	lockdep_assert_held(&strand->lock);
	for (nr = 0; nr < REFUSED_AT_ONCE; nr++) {
		waiter = list_first_entry_or_null(&strand->waiters, struct wpool_waiter,
						  place.node);
		if (!waiter)
			return true;
		strand_task_of(waiter->tasks[0])->state = IDLE;
		end_wait(strand, waiter, -ESHUTDOWN);
	}
	return list_empty(&strand->waiters);
}

/*
 * There may be room: accept the tasks of those that wait for it. Returns a new head, which the
 * caller must send, if the strand had none, or NULL.
 */
static struct wpool_strand_task *serve_room(struct wpool_strand *strand)
	__must_hold(&strand->lock)
{
	struct wpool_strand_task *head = NULL, *task;
	struct room_waiter *room;

	lockdep_assert_held(&strand->lock);
	while (strand->nr < strand->limit && !list_empty(&strand->waiters)) {
		room = list_first_entry(&strand->waiters, struct room_waiter, waiter.place.node);
		/* it goes and comes here then; unless it was told already, the pool exists */
		if (strand->flags & CLOSED || wpool_guest_is_sent_away(&room->guest) ||
		    wpool_is_closed(strand->pool))
			break;
		task = strand_task_of(room->waiter.tasks[0]);
		if (accept_task(strand, task))
			head = task;
		end_wait(strand, &room->waiter, 0);
	}
	return head;
}

/* The turn of the head is over. Returns the next one, which the caller must send, or NULL. */
static struct wpool_strand_task *next_turn(struct wpool_strand *strand)
	__must_hold(&strand->lock)
{
	struct wpool_strand_task *next = NULL;

	lockdep_assert_held(&strand->lock);
	strand->nr--;
	/* the old head is still there: none of these is the next one */
	serve_room(strand);
	while (!list_empty(&strand->queue)) {
		next = list_first_entry(&strand->queue, struct wpool_strand_task, task.node);
		list_del(&next->task.node);
		if (next->func) {
			next->state = OUT;
			break;
		}
		complete(&container_of(next, struct mark, place)->reached);
		next = NULL;
	}
	WRITE_ONCE(strand->head, next);
	return next;
}

/* Send a head that is OUT on its way; it may be gone afterwards. Interrupts are off. */
static void send_head(struct wpool_strand_task *head)
{
	struct wpool_task *task = &head->task;

	atomic_set(&task->state, WPOOL_ST_PENDING);
	wpool_debug_activate(task);
	wpool_submit_event(head->strand->pool, task);
}

/* ---- taking back ---- */

/*
 * If a CANCELLED task is in the line of the pool, it leaves. Returns the next head, which
 * the caller must send, or NULL.
 */
static struct wpool_strand_task *strand_leave_waiters(struct wpool_strand *strand,
						      struct wpool_strand_task *task)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	if (task->state != CANCELLED || !wpool_waiters_leave(&task->task))
		return NULL;
	wpool_debug_deactivate(&task->task);
	task->state = IDLE;
	return next_turn(strand);
}

/*
 * Take back a submit whose function has not started; false if there is none. *next is a
 * head that the caller must send, or NULL.
 */
static bool strand_take_back(struct wpool_strand *strand, struct wpool_strand_task *task,
			     struct wpool_strand_task **next)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	*next = NULL;
	switch (task->state) {
	case WAITING:
		task->state = IDLE;
		end_wait(strand, task->task.waiter, -ECANCELED);
		return true;
	case QUEUED:
		list_del(&task->task.node);
		task->state = IDLE;
		strand->nr--;
		serve_room(strand);
		return true;
	case OUT:
		task->state = CANCELLED;
		*next = strand_leave_waiters(strand, task);
		return true;
	default:
		return false;
	}
}

/* ---- the function ---- */

/* The calling thread is about to call a function of the head. */
static void begin_strand_turn(struct wpool_strand *strand)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	strand->flags |= RUNNING;
	strand->runner = task_pid_nr(current);
}

/* The vehicle has arrived; false if the task was cancelled. */
static bool vehicle_start(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&strand->lock, flags);
	ret = task->state == OUT;
	task->state = IDLE;
	if (ret)
		begin_strand_turn(strand);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	return ret;
}

/* The turn of the head is over; it may be gone, and so may the strand afterwards. */
static void end_strand_turn(struct wpool_strand *strand)
{
	struct wpool_strand_task *next;
	unsigned long flags;
	bool awaited;

	local_irq_save(flags);
	raw_spin_lock(&strand->lock);
	awaited = strand->flags & AWAITED;
	strand->flags &= ~(RUNNING | AWAITED);
	strand->runner = 0;
	next = next_turn(strand);
	raw_spin_unlock(&strand->lock);
	if (next)
		send_head(next);
	local_irq_restore(flags);
	/* only the address is used */
	if (awaited)
		wake_up_var(strand);
}

/* The function of the vehicle. */
static void vehicle_run(struct wpool_task *vehicle)
{
	struct wpool_strand_task *task = strand_task_of(vehicle);
	struct wpool_strand *strand = task->strand;
	bool gone = false;

	if (vehicle_start(task)) {
		task->gone = &gone;
		/* for who looks at the worker: not the function of ours that calls it */
		WRITE_ONCE(wpool_worker_self()->func, task->func);
		task->func(task);
	}
	if (!gone)
		end_strand_turn(strand);
}

/* Its abort function: no worker will run it, or one has died in the function. */
static void vehicle_end(struct wpool_task *vehicle, int status)
{
	struct wpool_strand_task *task = strand_task_of(vehicle);
	struct wpool_strand *strand = task->strand;
	bool died = status == -EIO, gone = false;
	struct wpool_strand_task *next;
	unsigned long flags;

	if (died) {
		raw_spin_lock_irqsave(&strand->lock, flags);
		begin_strand_turn(strand);
		/* the abort function has the last word; what is taken back is not in the pool */
		strand_take_back(strand, task, &next);
		raw_spin_unlock_irqrestore(&strand->lock, flags);
	}
	if ((died || vehicle_start(task)) && task->abort) {
		task->gone = &gone;
		task->abort(task, status);
	}
	if (!gone)
		end_strand_turn(strand);
}

bool wpool_strand_finish(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	struct wpool_worker *w = wpool_worker_current();
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&strand->lock, flags);
	ret = strand->runner == task_pid_nr(current) && strand->head == task &&
	      strand->nr == 1 && list_empty(&strand->queue) && list_empty(&strand->waiters);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	if (!ret)
		return false;
	/* if the worker dies from here on, nobody touches the task */
	if (w && w->task == &task->task)
		w->abort = NULL;
	*task->gone = true;
	/* a submitter that was killed may be about to take the lock */
	if (strand->flags & WAITED)
		synchronize_rcu();
	return true;
}
EXPORT_SYMBOL_GPL(wpool_strand_finish);

/* ---- submit ---- */

/* May the task be submitted? Returns 0, -EAGAIN if the strand is full, or why not. */
static int check_submit(struct wpool_strand *strand, struct wpool_strand_task *task)
	__must_hold(&strand->lock)
{
	lockdep_assert_held(&strand->lock);
	if (task->state == CANCELLED || task->nr_ending)
		return -ECANCELED;
	if (task->state != IDLE)
		return -EALREADY;
	if (strand->flags & CLOSED || wpool_refuses(strand->pool))
		return -ESHUTDOWN;
	if (strand->nr >= strand->limit || !list_empty(&strand->waiters))
		return -EAGAIN;
	return 0;
}

/* Accept the task. If the strand is full, @waiter begins to wait, or there is none. */
static int submit_to_strand(struct wpool_strand_task *task, struct room_waiter *waiter)
{
	struct wpool_strand *strand = task->strand;
	unsigned long flags;
	bool is_head = false;
	int err;

	if (!strand || !strand->pool || !strand->limit || !task->func || in_nmi())
		return -EINVAL;
	local_irq_save(flags);
	raw_spin_lock(&strand->lock);
	err = check_submit(strand, task);
	if (!err) {
		is_head = accept_task(strand, task);
	} else if (err == -EAGAIN && waiter) {
		task->state = WAITING;
		task->task.waiter = &waiter->waiter;
		list_add_tail(&waiter->waiter.place.node, &strand->waiters);
		wpool_guest_enter(strand->pool, &waiter->guest);
		strand->flags |= WAITED;
	}
	raw_spin_unlock(&strand->lock);
	if (is_head)
		send_head(task);
	local_irq_restore(flags);
	return err;
}

/*
 * Stop waiting, unless the task was accepted meanwhile, and may be gone. Returns how the
 * wait ended.
 */
static int strand_abandon_wait(struct wpool_strand *strand, struct wpool_strand_task *task,
			       struct room_waiter *room)
{
	struct wpool_waiter *waiter = &room->waiter;
	struct wpool_strand_task *next = NULL;
	unsigned long flags;

	/* unless @done, wpool_strand_destroy() waits for the end of this section */
	local_irq_save(flags);
	/* pairs with end_wait() */
	if (!smp_load_acquire(&waiter->done)) {
		raw_spin_lock(&strand->lock);
		if (!waiter->done) {
			task->state = IDLE;
			leave_room_waiters(strand, waiter);
			waiter->error = room->guest.is_sent_away ? -ESHUTDOWN : -EINTR;
			/* those that came after it was sent away, if the pool is open again */
			next = serve_room(strand);
		}
		raw_spin_unlock(&strand->lock);
		if (next)
			send_head(next);
	}
	local_irq_restore(flags);
	return waiter->error;
}

int wpool_strand_try_submit(struct wpool_strand_task *task)
{
	return submit_to_strand(task, NULL);
}
EXPORT_SYMBOL_GPL(wpool_strand_try_submit);

/* Submit a task to a strand that was full, and sleep as long as it still is. */
static int submit_and_wait(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	struct wpool_task *vehicle = &task->task;
	struct room_waiter room = { .waiter = { .thread = current, .tasks = &vehicle } };
	unsigned int state = wpool_freeze_state(strand->pool, TASK_KILLABLE);
	int err = submit_to_strand(task, &room);

	if (err != -EAGAIN)
		return err;
	for (;;) {
		set_current_state(state);
		/* pairs with end_wait(): after it the strand may be gone */
		if (smp_load_acquire(&room.waiter.done) ||
		    wpool_guest_is_sent_away(&room.guest) || fatal_signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return strand_abandon_wait(strand, task, &room);
}

int wpool_strand_submit(struct wpool_strand_task *task)
{
	struct wpool_worker *w;
	struct wpool *pool;
	int err;

	might_sleep();
	err = submit_to_strand(task, NULL);
	if (err != -EAGAIN)
		return err;
	pool = task->strand->pool;
	if (READ_ONCE(pool->policy) == WPOOL_FAIL)
		return err;
	w = wpool_worker_current();
	if (w && w->pool == pool)
		return -EDEADLK;
	wpool_lockdep_wait(pool);
	return submit_and_wait(task);
}
EXPORT_SYMBOL_GPL(wpool_strand_submit);

/* ---- cancel ---- */

bool wpool_strand_cancel(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	struct wpool_strand_task *next;
	unsigned long flags;
	bool ret;

	if (!strand || in_nmi())
		return false;
	local_irq_save(flags);
	raw_spin_lock(&strand->lock);
	ret = strand_take_back(strand, task, &next);
	raw_spin_unlock(&strand->lock);
	if (next)
		send_head(next);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_strand_cancel);

/* Is the caller in a function of a task of the strand? */
static bool is_own(struct wpool_strand *strand)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&strand->lock, flags);
	ret = strand->runner == task_pid_nr(current);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	return ret;
}

/* Tell lockdep of the wait in advance, even if it turns out that there is none. */
static void strand_lockdep_wait(struct wpool_strand *strand)
{
#ifdef CONFIG_LOCKDEP
	struct wpool_worker *w = wpool_worker_current();
	struct wpool *pool = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&strand->lock, flags);
	/* the pool is there as long as the strand is not empty, and interrupts are off */
	if (strand->head && !(w && w->pool == strand->pool))
		pool = wpool_get(strand->pool);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	if (pool) {
		wpool_lockdep_wait(pool);
		wpool_put(pool);
	}
#endif
}

/* Does its function run? If it does, mark the strand: its waiters are to be woken. */
static bool is_running(struct wpool_strand *strand, struct wpool_strand_task *task)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&strand->lock, flags);
	ret = strand->flags & RUNNING && strand->head == task;
	if (ret)
		strand->flags |= AWAITED;
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	return ret;
}

/* Take a cancelled task off the line of the pool; false if it is not there. */
static bool strand_take_off(struct wpool_strand *strand, struct wpool_strand_task *task)
{
	struct wpool_strand_task *next;
	unsigned long flags;
	bool ret;

	/* keeps the pool */
	local_irq_save(flags);
	raw_spin_lock(&strand->lock);
	next = strand_leave_waiters(strand, task);
	ret = task->state != CANCELLED;
	raw_spin_unlock(&strand->lock);
	if (next)
		send_head(next);
	local_irq_restore(flags);
	return ret;
}

/* Refuse submits of the task, or one thread less does. */
static void set_ending(struct wpool_strand_task *task, int n)
{
	struct wpool_strand *strand = task->strand;
	unsigned long flags;

	raw_spin_lock_irqsave(&strand->lock, flags);
	task->nr_ending += n;
	raw_spin_unlock_irqrestore(&strand->lock, flags);
}

int wpool_strand_cancel_sync(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	u32 tries = 0;
	bool ret;

	might_sleep();
	if (!strand)
		return 0;
	/* as long as the caller runs, its own task is the head */
	if (is_own(strand) && READ_ONCE(strand->head) == task)
		return -EDEADLK;
	strand_lockdep_wait(strand);
	set_ending(task, 1);
	ret = wpool_strand_cancel(task);
	/* nobody submits it: it is CANCELLED, or IDLE, in its function or not */
	while (READ_ONCE(task->state) == CANCELLED)
		if (!strand_take_off(strand, task) && !wpool_finish_take_out(&task->task))
			wpool_task_await_hands(&tries);
	wait_var_event(strand, !is_running(strand, task));
	set_ending(task, -1);
	return ret ? -ECANCELED : 0;
}
EXPORT_SYMBOL_GPL(wpool_strand_cancel_sync);

/* ---- flush and destroy ---- */

/* Wait until all tasks that are queued now have ended; -EINTR if killed in @state. */
static int flush_in_state(struct wpool_strand *strand, unsigned int state)
{
	struct mark mark = { .place.func = NULL };
	unsigned long flags;
	bool wait;
	int err;

	init_completion(&mark.reached);
	raw_spin_lock_irqsave(&strand->lock, flags);
	wait = strand->head;
	if (wait)
		list_add_tail(&mark.place.task.node, &strand->queue);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	if (!wait)
		return 0;

	err = wait_for_completion_state(&mark.reached, state);
	/* the thread that has reached the mark is about to drop the lock */
	raw_spin_lock_irqsave(&strand->lock, flags);
	if (err && !completion_done(&mark.reached))
		list_del(&mark.place.task.node);
	else
		err = 0;
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	return err ? -EINTR : 0;
}

int wpool_strand_flush(struct wpool_strand *strand)
{
	might_sleep();
	if (is_own(strand))
		return -EDEADLK;
	strand_lockdep_wait(strand);
	return flush_in_state(strand, TASK_KILLABLE);
}
EXPORT_SYMBOL_GPL(wpool_strand_flush);

int wpool_strand_destroy(struct wpool_strand *strand)
{
	unsigned long flags;
	bool waited;

	might_sleep();
	if (is_own(strand))
		return -EDEADLK;
	strand_lockdep_wait(strand);
	raw_spin_lock_irqsave(&strand->lock, flags);
	strand->flags |= CLOSED;
	while (!refuse_some(strand)) {
		raw_spin_unlock_irqrestore(&strand->lock, flags);
		raw_spin_lock_irqsave(&strand->lock, flags);
	}
	waited = strand->flags & WAITED;
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	flush_in_state(strand, TASK_UNINTERRUPTIBLE);
	/* a submitter that was killed while it waited may be about to take the lock */
	if (waited)
		synchronize_rcu();
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_strand_destroy);

/* ---- init ---- */

void wpool_strand_init(struct wpool_strand *strand, struct wpool *pool, u32 limit)
{
	strand->pool = IS_ERR_OR_NULL(pool) ? NULL : pool;
	INIT_LIST_HEAD(&strand->queue);
	INIT_LIST_HEAD(&strand->waiters);
	strand->head = NULL;
	strand->limit = limit;
	strand->nr = 0;
	strand->flags = 0;
	strand->runner = 0;
	raw_spin_lock_init(&strand->lock);
}
EXPORT_SYMBOL_GPL(wpool_strand_init);

void wpool_strand_task_init(struct wpool_strand_task *task, struct wpool_strand *strand,
			    wpool_strand_fn func, wpool_strand_abort_fn abort)
{
	wpool_task_init_detached(&task->task, vehicle_run, NULL);
	task->task.abort = vehicle_end;
	task->task.flags |= WPOOL_TASK_EVENT | WPOOL_TASK_STRAND;
	task->task.pool = strand->pool;
	task->func = func;
	task->abort = abort;
	task->strand = strand;
	task->state = IDLE;
	task->nr_ending = 0;
}
EXPORT_SYMBOL_GPL(wpool_strand_task_init);
