// SPDX-License-Identifier: GPL-2.0
/*
 * Strands: tasks that run one after the other.
 *
 * A strand is a queue under a lock. Its first task, the head, has been sent to the pool: it waits
 * there for a token, is queued, or runs. The others wait in the strand. When the turn of the head
 * ends, the thread that ran it sends the next one. So at most one task of the strand is in the pool
 * for its turn, and the tasks have their turns in the order of the queue.
 *
 * In the pool a strand's task is represented by its vehicle, a detached task. The vehicle waits for
 * a token without a thread, like the task of an event (wpool_waiters_join()). A closed pool accepts
 * the vehicle, since the strand has accepted the task before, and counts the previous task out only
 * afterwards, so the pool never looks empty in between.
 *
 * The vehicle of a task with a parallel part is in the pool for that part, too: from the submit
 * until the part has ended. Then, if the task is the head, its vehicle is sent again, for its turn;
 * else the task waits in the strand like all others. If the turn comes before the part has ended,
 * the thread that ends the part finds that the task is the head, and sends the vehicle.
 *
 * A full strand refuses a task: no submitter waits for room in it. A task cannot be cancelled.
 * So a task has two states: it is pending, from its submit until its function starts, or it is not.
 * While the function runs, strand->runner is the thread, and the task belongs to its
 * function, which may free the task or submit it again. strand->lock protects these fields.
 *
 * When a task ends its turn, next_turn() makes the next one the head, under the lock, and the
 * caller sends it after the unlock. Interrupts stay off in between, so that a close of the pool,
 * which waits for a grace period, finds the task that is sent. After the send the strand may be
 * freed, unless the caller owns it. A strand without a head is empty.
 *
 * A flush puts a mark into the queue, a task without a function. next_turn() takes the mark out and
 * completes it under the lock. So a thread that has waited for a mark takes the lock once before it
 * returns, and then the strand may be freed.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/wpool_strand.h>

#include "core/current.h"
#include "core/state.h"
#include "task/state.h"
#include "task/submit.h"
#include "task/tokens.h"

struct strand_mark {
	struct wpool_strand_task task;
	struct completion reached;
};

static struct wpool_strand_task *strand_task_of(struct wpool_task *task)
{
	return container_of(task, struct wpool_strand_task, task);
}

/* ---- misuse ---- */

static void *strand_hint(void *addr)
{
	struct wpool_strand *strand = addr;
	unsigned long flags;
	void *func = NULL;

	/* the caller may hold the lock */
	if (raw_spin_trylock_irqsave(&strand->lock, flags)) {
		if (strand->head)
			func = strand->head->func;
		raw_spin_unlock_irqrestore(&strand->lock, flags);
	}
	return func;
}

static void debug_end_strand(void *strand)
{
	if (preemptible())
		wpool_strand_destroy(strand);
}

WPOOL_DEBUG_KIND(strand);

/* ---- turns ---- */

/*
 * The turn of the head is over. Returns the next task, which the caller must send; NULL if there is
 * none, or its parallel part has not ended.
 */
static struct wpool_strand_task *next_turn(struct wpool_strand *strand)
	__must_hold(&strand->lock)
{
	struct wpool_strand_task *next = NULL;

	lockdep_assert_held(&strand->lock);
	strand->nr--;
	while (!list_empty(&strand->queue)) {
		next = list_first_entry(&strand->queue, struct wpool_strand_task, node);
		list_del(&next->node);
		if (next->func)
			break;
		complete(&container_of(next, struct strand_mark, task)->reached);
		next = NULL;
	}
	strand->head = next;
	if (!next)
		debug_object_deactivate(strand, &strand_descr);
	return next && next->is_apart ? NULL : next;
}

/*
 * Unlock the strand, with @flags, and send the vehicle of @task, unless that is NULL. Afterwards
 * the task may be gone, and the strand, too. Interrupts stay off in between.
 */
static void unlock_and_send(struct wpool_strand *strand, struct wpool_strand_task *task,
			    unsigned long flags)
	__releases(&strand->lock)
{
	raw_spin_unlock(&strand->lock);
	if (task)
		wpool_submit_event(task->strand->pool, &task->task, -1);
	local_irq_restore(flags);
}

/*
 * The parallel part of a task has ended, with @status. If the task is the head, and no turn runs,
 * send its vehicle again, for its turn; else the thread that ends the previous turn sends it. While
 * a turn runs, strand->head may point to freed memory, and this task may be at the same address.
 */
static void end_parallel(struct wpool_strand_task *task, int status)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_strand *strand = task->strand;
	unsigned long flags;

	/* from here on the death of the worker must not touch the task */
	if (w && w->task == &task->task)
		w->abort = NULL;
	raw_spin_lock_irqsave(&strand->lock, flags);
	task->is_apart = false;
	task->status = status;
	unlock_and_send(strand, strand->head == task && !strand->runner ? task : NULL, flags);
}

/*
 * The calling thread is about to call a function of the head. @died: the worker died in the task's
 * function, and the abort function is called. If the function has submitted the task again, take
 * that submit back: the abort function ends the task.
 */
static void begin_strand_turn(struct wpool_strand_task *task, bool died)
{
	struct wpool_strand *strand = task->strand;
	unsigned long flags;

	raw_spin_lock_irqsave(&strand->lock, flags);
	if (died && task->is_pending) {
		list_del(&task->node);
		strand->nr--;
	}
	task->is_pending = false;
	/* with a parallel part, a submit during the turn fails */
	task->has_begun = true;
	WRITE_ONCE(strand->runner, current);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
}

/* The turn of the head is over: the head may be gone. Afterwards the strand may be gone, too. */
static void end_strand_turn(struct wpool_strand *strand)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&strand->lock, flags);
	WRITE_ONCE(strand->runner, NULL);
	unlock_and_send(strand, next_turn(strand), flags);
}

/*
 * Run the turn of a task: call its function, or its abort function if @status is not 0. debugfs
 * shows that function rather than vehicle_run(). @died: a worker died in the task's function.
 */
static void run_strand_turn(struct wpool_strand_task *task, int status, bool died)
{
	struct wpool_strand *strand = task->strand;

	begin_strand_turn(task, died);
	if (likely(!status)) {
		wpool_worker_set_func(task->func);
		task->func(task);
	} else if (task->abort) {
		wpool_worker_set_func(task->abort);
		task->abort(task, status);
	}
	end_strand_turn(strand);
}

static void vehicle_run(struct wpool_task *vehicle)
{
	struct wpool_strand_task *task = strand_task_of(vehicle);

	if (task->is_apart) {
		wpool_worker_set_func(task->parallel);
		task->parallel(task);
		end_parallel(task, 0);
	} else {
		run_strand_turn(task, task->status, false);
	}
}

/* The abort function of the vehicle: no worker will run the vehicle, or a worker died in it. */
static void vehicle_end(struct wpool_task *vehicle, int status)
{
	struct wpool_strand_task *task = strand_task_of(vehicle);

	if (task->is_apart)
		end_parallel(task, status);
	else if (status == -EIO && task->status)
		/* the worker died in the abort function, which is not called twice */
		end_strand_turn(task->strand);
	else
		run_strand_turn(task, task->status ?: status, status == -EIO);
}

/* ---- submit ---- */

int wpool_strand_try_submit(struct wpool_strand_task *task)
{
	struct wpool_strand *strand = task->strand;
	unsigned long flags;
	bool goes = false;
	int err = 0;

	if (!strand || !strand->pool || !strand->limit || !task->func || in_nmi())
		return -EINVAL;
	raw_spin_lock_irqsave(&strand->lock, flags);
	if (task->is_pending || (task->parallel && strand->head == task && task->has_begun)) {
		err = -EALREADY;
	} else if (strand->is_closed || wpool_refuses(strand->pool)) {
		err = -ESHUTDOWN;
	} else if (strand->nr >= strand->limit) {
		err = -EAGAIN;
	} else {
		strand->nr++;
		task->is_pending = true;
		task->is_apart = task->parallel;
		task->status = 0;
		goes = !strand->head || task->parallel;
		if (!strand->head) {
			strand->head = task;
			debug_object_activate(strand, &strand_descr);
		} else {
			list_add_tail(&task->node, &strand->queue);
		}
	}
	unlock_and_send(strand, goes ? task : NULL, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wpool_strand_try_submit);

/* ---- flush and destroy ---- */

/*
 * Wait in task state @state until all tasks that are queued now have ended. @closes: accept no more
 * tasks. Returns 0, -EDEADLK or -EINTR.
 */
static int flush_in_state(struct wpool_strand *strand, unsigned int state, bool closes)
{
	struct strand_mark mark = { .task.func = NULL };
	unsigned long flags;
	bool wait;
	int err;

	might_sleep();
	/* without the lock: only this thread stores itself; a dead one stays until its turn ends */
	if (READ_ONCE(strand->runner) == current)
		return -EDEADLK;
	init_completion(&mark.reached);
	/* the pool exists while the strand is not empty, and is freed a grace period later */
	rcu_read_lock();
	raw_spin_lock_irqsave(&strand->lock, flags);
	strand->is_closed |= closes;
	wait = strand->head;
	if (wait)
		list_add_tail(&mark.task.node, &strand->queue);
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	if (wait && !wpool_in_own_task(strand->pool))
		wpool_lockdep_wait(strand->pool);
	rcu_read_unlock();
	if (!wait)
		return 0;

	err = wait_for_completion_state(&mark.reached, state);
	/* wait until the thread that has completed the mark has released the lock */
	raw_spin_lock_irqsave(&strand->lock, flags);
	if (err && !completion_done(&mark.reached))
		list_del(&mark.task.node);
	else
		err = 0;
	raw_spin_unlock_irqrestore(&strand->lock, flags);
	return err ? -EINTR : 0;
}

int wpool_strand_flush(struct wpool_strand *strand)
{
	return flush_in_state(strand, TASK_KILLABLE, false);
}
EXPORT_SYMBOL_GPL(wpool_strand_flush);

int wpool_strand_destroy(struct wpool_strand *strand)
{
	int err = flush_in_state(strand, TASK_UNINTERRUPTIBLE, true);

	if (!err)
		debug_object_free(strand, &strand_descr);
	return err;
}
EXPORT_SYMBOL_GPL(wpool_strand_destroy);

void wpool_strand_init(struct wpool_strand *strand, struct wpool *pool, u32 limit)
{
	wpool_debug_init_object(strand, &strand_descr);
	strand->pool = IS_ERR_OR_NULL(pool) ? NULL : pool;
	INIT_LIST_HEAD(&strand->queue);
	strand->head = NULL;
	strand->limit = limit;
	strand->nr = 0;
	strand->runner = NULL;
	strand->is_closed = false;
	raw_spin_lock_init(&strand->lock);
}
EXPORT_SYMBOL_GPL(wpool_strand_init);

void wpool_strand_task_init(struct wpool_strand_task *task, struct wpool_strand *strand,
			    wpool_strand_fn func, wpool_strand_abort_fn abort)
{
	wpool_task_init_abortable(&task->task, vehicle_run, vehicle_end, NULL);
	task->task.flags |= WPOOL_TASK_EVENT | WPOOL_TASK_STRAND;
	task->func = func;
	task->abort = abort;
	task->parallel = NULL;
	task->strand = strand;
	task->has_begun = false;
	task->is_pending = false;
	task->is_apart = false;
}
EXPORT_SYMBOL_GPL(wpool_strand_task_init);
