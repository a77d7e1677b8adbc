// SPDX-License-Identifier: GPL-2.0
/*
 * The waiters for tokens, see waiters.h.
 *
 * Barrier pairs: wait:A is that of tokens.c.
 *
 * wait:A has a second partner, because a task may be cancelled while its submitter joins the
 * waiters. The submitter marks the task as waiting, full barrier, and checks whether the task is
 * cancelled <-> a cancel marks the task as cancelled (fully ordered) and checks whether the task
 * waits. At least one of the two threads ends the submitter's wait. An event waits without a
 * submitter: event.c says how a cancel ends its wait.
 *
 * seen:A is for a thread that reads in the statistics that a submitter waits, and then submits: it
 * must not take that submitter's token. WAITERS is set, release, nr_waiting grows <->
 * wpool_get_stats() reads nr_waiting, acquire, and then the submit reads attention.
 *
 * The serve rule: no submitter waits while a token is free. A pass of wpool_waiters_serve() hands
 * out at most SERVE_BATCH tokens, so that interrupts are never off for long. Three things bring
 * tokens or waiters, and each takes passes until the rule holds again:
 *
 *   give    adds one token and takes one pass. A pass that finds tokens and waiters hands out at
 *           least one token. So while submitters wait, the free tokens are never more than the
 *           passes still to come, of all three kinds.
 *   wait    adds a waiter, or an event, and takes one pass under the same hold of the lock. This
 *           pass can serve all that was added. So if the new entry was the first and still
 *           waits, no token was free then, and each token that comes free later brings its own
 *           pass. If the new entry was not the first, the rule held before.
 *   resize  adds many tokens, and takes passes until one finds no token or no waiter.
 *           It runs in a thread, and enables interrupts between two passes.
 */
#include "task/waiters.h"

#include <linux/sched/signal.h>

#include "core/current.h"
#include "core/freeze.h"
#include "core/monitor_timer.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/tidy_queue.h"
#include "task/state.h"
#include "task/tokens.h"

/* The most waiters served, and tasks accepted, in one hold of the lock */
#define SERVE_BATCH	WPOOL_WAITER_TASKS

/* waiter->error during the wait */
#define WAITING		1

/* Mark a task as waiting for a token, or as no longer waiting. */
static void mark_waiting(struct wpool *pool, struct wpool_task *task, bool on)
	__must_hold(&pool->admission.lock)
{
	lockdep_assert_held(&pool->admission.lock);
	wpool_task_set_pool(task, (struct wpool *)((unsigned long)pool |
						   (on ? WPOOL_TASK_WAITS : 0)));
	/* pairs with wpool_waiters_leave(), which follows task->pool */
	smp_store_release(&task->queued, on ? WPOOL_QUEUED_WAITS : WPOOL_QUEUED_NO);
}

/* Add a waiter, or the task of an event or a strand, to the waiters. */
static void add_waiter(struct wpool *pool, struct wpool_task *entry)
	__must_hold(&pool->admission.lock)
{
	lockdep_assert_held(&pool->admission.lock);
	list_add_tail(&entry->node, &pool->admission.waiters);
	pool->admission.nr_fired += wpool_task_is_event(entry);
	__wpool_tokens_make_scarce(pool);
	__wpool_attention_set(pool, WPOOL_ATT_WAITERS, true);
	/* seen:A */
	smp_store_release(&pool->admission.nr_waiting, pool->admission.nr_waiting + 1);
}

static void remove_waiter(struct wpool *pool, struct wpool_task *entry)
	__must_hold(&pool->admission.lock)
{
	lockdep_assert_held(&pool->admission.lock);
	list_del(&entry->node);
	WRITE_ONCE(pool->admission.nr_waiting, pool->admission.nr_waiting - 1);
	pool->admission.nr_fired -= wpool_task_is_event(entry);
	__wpool_attention_set(pool, WPOOL_ATT_WAITERS, !list_empty(&pool->admission.waiters));
}

/* The waiter that has this entry; NULL for the task of an event or a strand. */
static struct wpool_waiter *waiter_at(struct wpool_task *entry)
{
	return wpool_task_is_event(entry) ? NULL : container_of(entry, struct wpool_waiter, entry);
}

/*
 * End a wait before all of its tasks were accepted, or, with @error 0, afterwards. Returns the
 * thread to wake; NULL for the task of an event or a strand.
 */
static struct task_struct *end_wait(struct wpool *pool, struct wpool_task *entry, int error)
	__must_hold(&pool->admission.lock)
{
	struct wpool_waiter *waiter = waiter_at(entry);
	struct task_struct *thread;
	u32 i;

	lockdep_assert_held(&pool->admission.lock);
	remove_waiter(pool, entry);
	if (!waiter) {
		mark_waiting(pool, entry, false);
		return NULL;
	}
	thread = waiter->thread;
	for (i = waiter->accepted; i < waiter->nr; i++)
		mark_waiting(pool, waiter->tasks[i], false);
	/* pairs with the acquires of waiter->error; the waiter's stack may be gone after this */
	smp_store_release(&waiter->error, error);
	return thread;
}

bool wpool_waiters_leave(struct wpool_task *task)
{
	struct task_struct *thread = NULL;
	bool is_event, waits;
	struct wpool *pool;

	/* pairs with mark_waiting(); the pool exists as long as interrupts are off */
	if (smp_load_acquire(&task->queued) != WPOOL_QUEUED_WAITS)
		return false;
	pool = wpool_task_last_pool(task);
	is_event = wpool_task_is_event(task);
	raw_spin_lock(&pool->admission.lock);
	/* under the lock a waiting task continues to wait, and a cancelled task stays cancelled */
	waits = (unsigned long)READ_ONCE(task->pool) ==
		((unsigned long)pool | WPOOL_TASK_WAITS) &&
		(is_event || wpool_task_is_cancelled(task));
	if (waits)
		thread = end_wait(pool, is_event ? task : &task->waiter->entry, -ECANCELED);
	raw_spin_unlock(&pool->admission.lock);
	/* interrupts are off since the lock was taken, so RCU does not free the thread yet */
	if (thread)
		wake_up_process(thread);
	return waits;
}

/* Was a task cancelled before it was marked as waiting? A later cancel ends the wait. */
static bool is_cancelled(const struct wpool_waiter *waiter)
{
	u32 i;

	for (i = 0; i < waiter->nr; i++)
		if (wpool_task_is_cancelled(waiter->tasks[i]))
			return true;
	return false;
}

/* ---- serving the waiters ---- */

/* Tasks and threads that were served under the lock; see_to() queues and wakes them without it. */
struct served {
	struct wpool_task *tasks[SERVE_BATCH];
	struct task_struct *threads[SERVE_BATCH];
	u32 nr_tasks;
	u8 flags;
	u32 nr_threads;
};

/* A pass: hand free tokens to the waiters, in order, and accept the tasks. */
static void serve_locked(struct wpool *pool, struct wpool_runq *rq, struct served *served)
	__must_hold(&pool->admission.lock)
{
	u32 colour = READ_ONCE(pool->colour);
	struct wpool_task *entry, *task;
	struct wpool_waiter *w;

	lockdep_assert_held(&pool->admission.lock);
	served->nr_tasks = 0;
	served->flags = 0;
	served->nr_threads = 0;
	while (served->nr_tasks < SERVE_BATCH) {
		entry = list_first_entry_or_null(&pool->admission.waiters, struct wpool_task, node);
		if (!entry || !wpool_tokens_take_from(&pool->admission.tokens, 1))
			break;
		w = waiter_at(entry);
		task = w ? w->tasks[w->accepted++] : entry;
		if (!w)
			remove_waiter(pool, entry);
		/* count first: a flush that begins after the accept must wait for the task */
		wpool_account_in(rq, colour, 1);
		wpool_task_accept(pool, rq, task, colour);
		served->tasks[served->nr_tasks++] = task;
		served->flags |= task->flags;
		if (w && w->accepted == w->nr)
			served->threads[served->nr_threads++] = end_wait(pool, entry, 0);
	}
}

/* Queue the accepted tasks, and wake the waiters whose tasks are all accepted. */
static void see_to(struct wpool *pool, struct wpool_runq *rq, const struct served *served)
{
	u32 i;

	if (served->nr_tasks)
		wpool_sched_push(pool, rq, served->tasks, served->nr_tasks, served->flags);
	/* interrupts are off since the lock was taken, so RCU does not free the threads yet */
	for (i = 0; i < served->nr_threads; i++)
		wake_up_process(served->threads[i]);
}

bool wpool_waiters_serve(struct wpool *pool)
{
	struct served served;
	struct wpool_runq *rq;
	unsigned long flags;

	local_irq_save(flags);
	rq = wpool_this_runq(pool);
	raw_spin_lock(&pool->admission.lock);
	serve_locked(pool, rq, &served);
	raw_spin_unlock(&pool->admission.lock);
	see_to(pool, rq, &served);
	local_irq_restore(flags);
	return served.nr_tasks == SERVE_BATCH;
}

/* End a wait with @error, and remove the waiter, unless another thread has ended it meanwhile. */
static void abandon_wait(struct wpool *pool, struct wpool_waiter *waiter, int error)
{
	unsigned long flags;

	/*
	 * Once the error is final, the pool may be freed. Until then it exists as long as
	 * interrupts are off, because a close ends all waits before its grace period.
	 */
	local_irq_save(flags);
	/* pairs with the release in end_wait() */
	if (smp_load_acquire(&waiter->error) == WAITING) {
		raw_spin_lock(&pool->admission.lock);
		if (waiter->error == WAITING)
			end_wait(pool, &waiter->entry, error);
		raw_spin_unlock(&pool->admission.lock);
	}
	local_irq_restore(flags);
}

int wpool_waiters_wait(struct wpool *pool, struct wpool_waiter *waiter,
		       unsigned int state, long timeout)
{
	u32 max = READ_ONCE(pool->max_blocking), i;
	struct wpool_runq *rq;
	struct served served;
	unsigned long flags;
	int err = 0;

	/* only without a timeout: a wait that times out cannot deadlock */
	if (timeout == MAX_SCHEDULE_TIMEOUT)
		wpool_lockdep_wait(pool);

	state = wpool_freeze_state(pool, state);
	waiter->thread = current;
	waiter->accepted = 0;
	waiter->error = WAITING;

	local_irq_save(flags);
	rq = wpool_this_runq(pool);
	raw_spin_lock(&pool->admission.lock);
	if (pool->attention & (WPOOL_ATT_CLOSED | (waiter->waited ? 0 : WPOOL_ATT_OWN))) {
		err = -ESHUTDOWN;
	} else if (max && !waiter->waited &&
		   pool->admission.nr_waiting - pool->admission.nr_fired >= max) {
		err = -EAGAIN;
	} else {
		add_waiter(pool, &waiter->entry);
		for (i = 0; i < waiter->nr; i++) {
			waiter->tasks[i]->waiter = waiter;
			mark_waiting(pool, waiter->tasks[i], true);
		}
		/* wait:A */
		smp_mb();
		if (is_cancelled(waiter))
			end_wait(pool, &waiter->entry, -ECANCELED);
		serve_locked(pool, rq, &served);
	}
	raw_spin_unlock(&pool->admission.lock);
	if (!err) {
		see_to(pool, rq, &served);
		/* after wait:A: the monitor counts the time of the wait, and logs why it is long */
		wpool_monitor_timer_set(pool);
	}
	local_irq_restore(flags);
	if (err)
		return err;
	/* once waiter->error is final, the pool may be freed */
	wpool_inject_delay(waiter->tasks[0]);

	for (;;) {
		set_current_state(state);
		/* pairs with the release in end_wait(): accepted is final, too */
		if (smp_load_acquire(&waiter->error) != WAITING)
			break;
		if (signal_pending_state(state, current)) {
			err = -EINTR;
			break;
		}
		if (!timeout) {
			err = -ETIME;
			break;
		}
		timeout = schedule_timeout(timeout);
	}
	__set_current_state(TASK_RUNNING);

	if (err)
		abandon_wait(pool, waiter, err);
	return waiter->error;
}

/*
 * The pool is closed. tidy.c calls the abort function of an event, and wpool_destroy() waits for
 * the call. But accept the task of a strand, which the strand took before the close, beyond the
 * limit if need be. The pool is not empty yet: either the strand's previous task is still counted
 * in, or the close waits for the caller.
 */
static void refuse_waiter(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_runq *rq = wpool_this_runq(pool);

	if (task->flags & WPOOL_TASK_STRAND) {
		wpool_tokens_owe(pool, rq);
		wpool_accept_claimed(pool, rq, &task, 1, NULL);
		return;
	}
	atomic_inc(&pool->nr_refused_events);
	wpool_inject_delay(task);
	wpool_tidy_task(pool, task);
}

bool wpool_waiters_join(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_runq *rq = wpool_this_runq(pool);
	struct served served;
	int n;

	raw_spin_lock(&pool->admission.lock);
	n = __wpool_tokens_take(pool, rq, 1);
	if (!n) {
		add_waiter(pool, task);
		mark_waiting(pool, task, true);
		/* wait:A */
		smp_mb();
		serve_locked(pool, rq, &served);
	}
	raw_spin_unlock(&pool->admission.lock);
	/* the task may be gone by now, if it joined the waiters */
	if (!n) {
		see_to(pool, rq, &served);
		/* after wait:A: the monitor counts the time in which the task waits */
		wpool_monitor_timer_set(pool);
	}
	if (n < 0)
		refuse_waiter(pool, task);
	return n > 0;
}

/* ---- close, open, resize ---- */

void wpool_waiters_close(struct wpool *pool, bool drops)
{
	struct list_head *waiters = &pool->admission.waiters;
	struct task_struct *thread;
	struct wpool_task *entry;
	unsigned long flags;

	lockdep_assert_held(&pool->tune_mutex);
	do {
		local_irq_save(flags);
		raw_spin_lock(&pool->admission.lock);
		__wpool_attention_set(pool, WPOOL_ATT_CLOSED | (drops ? WPOOL_ATT_DROPS : 0), true);
		/* from the last: tokens that come free meanwhile go to the first, as ever */
		entry = list_empty(waiters) ? NULL :
			list_last_entry(waiters, struct wpool_task, node);
		thread = entry ? end_wait(pool, entry, -ESHUTDOWN) : NULL;
		raw_spin_unlock(&pool->admission.lock);
		/* interrupts are off since the lock was taken: RCU does not free the thread yet */
		if (thread)
			wake_up_process(thread);
		else if (entry)
			refuse_waiter(pool, entry);
		local_irq_restore(flags);
		cond_resched();
	} while (entry);
	/* close:A, pairs with wpool_nr_closes() */
	smp_store_release(&pool->admission.nr_closes, pool->admission.nr_closes + 1);
	swake_up_all(&pool->admission.guests);
}

void wpool_waiters_tell(struct wpool *pool, u32 bits, bool on)
{
	unsigned long flags;

	lockdep_assert_held(&pool->tune_mutex);
	raw_spin_lock_irqsave(&pool->admission.lock, flags);
	__wpool_attention_set(pool, bits, on);
	raw_spin_unlock_irqrestore(&pool->admission.lock, flags);
}

void wpool_waiters_resize(struct wpool *pool)
{
	lockdep_assert_held(&pool->tune_mutex);
	wpool_tokens_resize(pool);
	/* keep the serve rule; the caller keeps the pool */
	while (wpool_waiters_serve(pool))
		cond_resched();
	wpool_tokens_relax(pool);
}
