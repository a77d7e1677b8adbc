// SPDX-License-Identifier: GPL-2.0
/*
 * Submitting: the path of a task from its owner into the queues, with interrupts off:
 *
 *   claim and token, here -> accept (state.h) -> ring and wake-up (sched.h)
 *
 * As long as the ring has room, a worker is awake and tokens are not scarce, submit_fast() takes no
 * lock, reads no clock and writes no line that CPUs share. The locked instructions of that path,
 * all on the task's or this CPU's lines:
 *
 *   1. the claim, in claim_fast(); an item needs none
 *   2. the token, in take_tokens_fast(), if the pool has a limit; one for a whole chunk
 *   3. the full barrier before the check for workers awake, wpool_sched_push:A, unless
 *      wpool_wake_is_needless(); one for a whole chunk
 *
 * The claim comes first, because a task may turn out to need no token. If such a task held a token,
 * even for a moment, another submitter could be refused. Everything out of the ordinary goes to
 * submit_slow(), with the tasks claimed so far. apply_overload() decides what happens to tasks that
 * found no token.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "task/submit.h"

#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/printk.h>

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

/*
 * might_sleep() without its preemption point: a submitter that has just woken a
 * worker of this CPU must not be preempted on every submit.
 */
static inline void assert_may_sleep(void)
{
#ifdef CONFIG_DEBUG_ATOMIC_SLEEP
	__might_sleep(__FILE__, __LINE__);
#endif
}

/* The most tasks claimed and queued in one section with interrupts off. */
#define CHUNK	WPOOL_WAITER_TASKS

/* Chunks of a batch after which the submitter gives others the chance to run. */
#define RESCHED_CHUNKS	64

static bool is_valid(const struct wpool *pool, const struct wpool_task *task)
{
	if (!pool || !task || !task->func || in_nmi())
		return false;
	if (likely(!(task->flags & WPOOL_TASK_INNER)))
		return true;
	pr_warn_ratelimited("%s: refused the task inside an event, or inside a task of a strand or a group, of %ps\n",
			    pool->name, wpool_trace_func(task));
	return false;
}

/* Claim an ordinary IDLE task for its submitter; false for others: use wpool_task_claim(). */
static inline bool claim_fast(struct wpool_task *task)
{
	int old = WPOOL_ST_IDLE;

	wpool_debug_assert_init(task);
	/* a locked instruction, on the task's cache line */
	if (unlikely(task->flags & (WPOOL_TASK_INNER | WPOOL_TASK_OWNED)) ||
	    unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		return false;
	wpool_debug_activate(task);
	return true;
}

/* Take up to @want tokens that need no search; take_tokens() may find more. */
static inline u32 take_tokens_fast(struct wpool *pool, struct wpool_runq *rq, u32 want)
{
	u32 attention = READ_ONCE(pool->attention);

	if (unlikely(attention & WPOOL_ATT_TAKE))
		return 0;
	if (READ_ONCE(pool->token_batch) == WPOOL_NO_TOKENS) {
		__local64_add(want, &rq->share.tokenless);
		return want;
	}
	/* a locked instruction, on this CPU's cache line or, near the limit, on the pool's */
	return wpool_tokens_take_from(attention & WPOOL_ATT_SCARCE ? &pool->admission.tokens :
								     &rq->share.tokens, want);
}

/* Accept claimed tasks, as far as tokens need no search; returns how many, a prefix. */
static __always_inline u32 hand_over_claimed(struct wpool *pool, struct wpool_task *const *tasks,
					     u32 nr)
{
	struct wpool_runq *rq = wpool_this_runq(pool);
	u32 n = take_tokens_fast(pool, rq, nr);

	if (likely(n))
		wpool_accept_claimed(pool, rq, tasks, n, NULL);
	return n;
}

/*
 * Accept tasks that are easy to claim, as far as tokens need no search. Returns the
 * number of accepted tasks, a prefix; *claimed is the number of claimed tasks.
 */
static __always_inline u32 submit_fast(struct wpool *pool,
				       struct wpool_task *const *tasks, u32 nr,
				       u32 *claimed)
{
	unsigned long flags;
	u32 i, n = 0;

	local_irq_save(flags);
	for (i = 0; i < nr && likely(tasks[i]) && likely(tasks[i]->func) &&
	     likely(claim_fast(tasks[i])); i++)
		;
	if (likely(i))
		n = hand_over_claimed(pool, tasks, i);
	local_irq_restore(flags);
	*claimed = i;
	return n;
}

/* ---- the pool is full ---- */

/*
 * What a submitter without a token does. If the submitter waits, it waits in task state @state, for
 * at most @timeout jiffies; @waited is that of struct wpool_waiter. @quiet: whatever the policy is,
 * refuse the task, and do not count that.
 */
struct overload {
	enum wpool_policy policy;
	unsigned int state;
	long timeout;
	bool waited;
	bool quiet;
};

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

/* Wait for room for claimed tasks; *@accepted: out: the number of accepted tasks */
static int wait_for_room(struct wpool *pool, struct wpool_task *const *tasks, u32 nr,
			 struct overload *how, u32 *accepted)
{
	struct wpool_waiter waiter = { .tasks = tasks, .nr = nr, .waited = how->waited };
	int err;

	if (!how->timeout)
		return -ETIME;
	if (wpool_in_own_task(pool))
		return -EDEADLK;
	err = wpool_waiters_wait(pool, &waiter, how->state, how->timeout);
	how->waited |= !err;
	*accepted = waiter.accepted;
	return err;
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
		wpool_accept_claimed(pool, wpool_this_runq(pool), &task, 1, NULL);
		/* false if @oldest is cancelled already; it is dequeued, so finish it either way */
		wpool_task_mark_cancelled(oldest);
	}
	local_irq_restore(flags);
	/* the unfinished task keeps the pool */
	if (oldest)
		wpool_finish_or_tidy(pool, oldest);
	return oldest ? 0 : err ?: -EAGAIN;
}

/*
 * Claimed tasks found no token: apply the overload policy. @refused: the pool was closed at that
 * time; it may have been reopened since. Returns the number of accepted tasks, a prefix; the others
 * are unclaimed, and *err says why; 0: to be submitted one by one. May sleep if the policy is to
 * block or run.
 */
static u32 apply_overload(struct wpool *pool, struct wpool_task *const *tasks, u32 nr,
			  struct overload *how, bool refused, int *err)
{
	enum wpool_policy policy = how->policy;
	u32 n = 0, i;

	*err = 0;
	refused |= wpool_refuses(pool);
	/* a submitter that began to wait before the pool was closed to others may still wait */
	if (refused && how->waited)
		policy = WPOOL_BLOCK;
	if (refused && !how->waited) {
		*err = -ESHUTDOWN;
	} else if (how->quiet) {
		*err = -EAGAIN;
	} else {
		trace_wpool_pool_overloaded(pool->name, nr, policy);
		wpool_notify_tell(pool);
		switch (policy) {
		case WPOOL_BLOCK:
			*err = wait_for_room(pool, tasks, nr, how, &n);
			break;
		case WPOOL_RUN:
			/* one task here; other threads may submit the rest meanwhile */
			while (nr > 1)
				wpool_task_unclaim(tasks[--nr]);
			*err = wpool_run_in_submitter(pool, tasks[0]);
			n = !*err;
			break;
		case WPOOL_DROP_OLDEST:
			while (n < nr && !*err) {
				*err = replace_oldest(pool, tasks[n]);
				n += !*err;
			}
			break;
		default:
			*err = -EAGAIN;
		}
		if (*err == -EAGAIN || *err == -EDEADLK)
			count_refused(pool);
	}

	for (i = n; i < nr; i++)
		wpool_task_unclaim(tasks[i]);
	return n;
}

/* ---- submit ---- */

/*
 * Take up to @want tokens, at least 1, from wherever they are. Returns how many; 0 if there is
 * none, or other submitters already wait; -ESHUTDOWN if the pool refuses the caller. Interrupts are
 * off.
 */
static int take_tokens(struct wpool *pool, struct wpool_runq *rq, u32 want)
{
	u32 n = take_tokens_fast(pool, rq, want);
	int more;

	if (likely(n == want))
		return n;
	if (unlikely(wpool_refuses(pool)))
		return n ?: -ESHUTDOWN;
	/* too few in this CPU's cache: search all; a CPU that collects tokens holds the lock */
	raw_spin_lock(&pool->admission.lock);
	more = __wpool_tokens_take(pool, rq, want - n);
	raw_spin_unlock(&pool->admission.lock);
	return more > 0 ? n + more : n ?: more;
}

/*
 * Submit up to CHUNK tasks, of which the first @claimed are claimed already. @on: where to queue a
 * single task, or NULL; @how: what to do without room. Returns the number of accepted tasks, a
 * prefix. If not all were accepted, *err says why; 0: call again for the rest.
 */
static int submit_slow(struct wpool *pool, struct wpool_task *const *tasks, u32 nr, u32 claimed,
		       struct wpool_runq *on, struct overload *how, int *err)
{
	struct wpool_runq *rq;
	unsigned long flags;
	int n = 0, full_err;
	bool refused;

	*err = 0;
	local_irq_save(flags);
	while (claimed < nr) {
		*err = wpool_task_claim(pool, tasks[claimed], !claimed, how->waited);
		if (*err)
			break;
		claimed++;
	}
	if (likely(claimed)) {
		rq = wpool_this_runq(pool);
		n = take_tokens(pool, rq, claimed);
		if (likely(n > 0))
			wpool_accept_claimed(pool, rq, tasks, n, on);
	}
	local_irq_restore(flags);

	refused = n < 0;
	n = max(n, 0);
	if (unlikely(n < claimed)) {
		n += apply_overload(pool, tasks + n, claimed - n, how, refused, &full_err);
		if (n < claimed) {
			*err = full_err;
			return n;
		}
	}
	if (*err == 1) {
		/* the next task is running: its second submit needs no token */
		n++;
		*err = 0;
	} else if (*err == -EAGAIN) {
		/* the next task is not IDLE: it must be claimed alone */
		*err = 0;
	}
	return n;
}

/*
 * A submit without the fast path, or the rest of one that the fast path could not complete. @on:
 * where to queue the task, or NULL; @state: task state to wait in; 0: if there is no room, unclaim
 * the task, and count no refusal.
 */
static noinline int submit_one_slow(struct wpool *pool, struct wpool_task *task, u32 claimed,
				    enum wpool_policy policy, unsigned int state, long timeout,
				    struct wpool_runq *on)
{
	struct overload how = {
		.policy = policy,
		.state = state,
		.timeout = timeout,
		.quiet = !state,
	};
	int err;

	/* submit_fast() has checked a task that it has claimed */
	if (!claimed && !is_valid(pool, task))
		return -EINVAL;
	return submit_slow(pool, &task, 1, claimed, on, &how, &err) == 1 ? 0 : err;
}

static __always_inline bool submit_one_fast(struct wpool *pool, struct wpool_task *task,
					    u32 *claimed)
{
	*claimed = 0;
	return likely(pool) && likely(!in_nmi()) &&
	       likely(submit_fast(pool, &task, 1, claimed));
}

static enum wpool_policy policy_of(struct wpool *pool, bool may_sleep)
{
	enum wpool_policy policy = pool ? READ_ONCE(pool->policy) : WPOOL_FAIL;

	return may_sleep || policy == WPOOL_DROP_OLDEST ? policy : WPOOL_FAIL;
}

int wpool_submit(struct wpool *pool, struct wpool_task *task)
{
	u32 claimed;

	assert_may_sleep();
	if (submit_one_fast(pool, task, &claimed))
		return 0;
	return submit_one_slow(pool, task, claimed, policy_of(pool, true), TASK_KILLABLE,
			       MAX_SCHEDULE_TIMEOUT, NULL);
}
EXPORT_SYMBOL_GPL(wpool_submit);

int wpool_try_submit(struct wpool *pool, struct wpool_task *task)
{
	u32 claimed;

	if (submit_one_fast(pool, task, &claimed))
		return 0;
	return submit_one_slow(pool, task, claimed, policy_of(pool, false), TASK_KILLABLE, 0, NULL);
}
EXPORT_SYMBOL_GPL(wpool_try_submit);

int wpool_submit_timeout(struct wpool *pool, struct wpool_task *task,
			 long timeout)
{
	enum wpool_policy policy;
	u32 claimed;

	assert_may_sleep();
	if (!pool || timeout < 0)
		return -EINVAL;
	if (submit_one_fast(pool, task, &claimed))
		return 0;
	/* the caller wants to wait: run nothing here, and drop nothing */
	policy = READ_ONCE(pool->policy) == WPOOL_FAIL ? WPOOL_FAIL : WPOOL_BLOCK;
	return submit_one_slow(pool, task, claimed, policy, TASK_KILLABLE, timeout, NULL);
}
EXPORT_SYMBOL_GPL(wpool_submit_timeout);

static int submit_on_cpu(struct wpool *pool, int cpu, struct wpool_task *task,
			 enum wpool_policy policy, unsigned int state)
{
	if (!pool || cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	return submit_one_slow(pool, task, 0, policy, state, MAX_SCHEDULE_TIMEOUT,
			       wpool_runq(pool, cpu));
}

int wpool_submit_on_state(struct wpool *pool, int cpu, struct wpool_task *task, unsigned int state)
{
	if (state)
		assert_may_sleep();
	return submit_on_cpu(pool, cpu, task, policy_of(pool, true), state);
}

int wpool_submit_on(struct wpool *pool, int cpu, struct wpool_task *task)
{
	return wpool_submit_on_state(pool, cpu, task, TASK_KILLABLE);
}
EXPORT_SYMBOL_GPL(wpool_submit_on);

int wpool_try_submit_on(struct wpool *pool, int cpu, struct wpool_task *task)
{
	return submit_on_cpu(pool, cpu, task, policy_of(pool, false), TASK_KILLABLE);
}
EXPORT_SYMBOL_GPL(wpool_try_submit_on);

int wpool_submit_claimed(struct wpool *pool, struct wpool_task *task, unsigned int state,
			 bool waited)
{
	struct overload how = {
		.state = state,
		.timeout = state ? MAX_SCHEDULE_TIMEOUT : 0,
		.waited = waited,
	};
	unsigned long flags;
	int err;
	u32 n;

	if (state)
		assert_may_sleep();
	local_irq_save(flags);
	n = hand_over_claimed(pool, &task, 1);
	local_irq_restore(flags);
	if (likely(n))
		return 0;
	how.policy = policy_of(pool, state);
	return submit_slow(pool, &task, 1, 1, NULL, &how, &err) == 1 ? 0 : err;
}

void wpool_submit_event(struct wpool *pool, struct wpool_task *task, int cpu)
{
	struct wpool_runq *rq = wpool_this_runq(pool);
	/* a CPU that was never online has no run queue */
	struct wpool_runq *on = cpu < 0 ? NULL : wpool_runq(pool, cpu);

	wpool_debug_activate(task);
	if (unlikely(!take_tokens_fast(pool, rq, 1)) && !wpool_waiters_join(pool, task))
		return;
	wpool_accept_claimed(pool, rq, &task, 1, on == rq ? NULL : on);
}

int wpool_submit_batch(struct wpool *pool, struct wpool_task *const *tasks,
		       unsigned int nr, unsigned int flags)
{
	struct overload how = {
		.policy = policy_of(pool, !(flags & WPOOL_BATCH_TRY)),
		.state = TASK_KILLABLE,
		.timeout = MAX_SCHEDULE_TIMEOUT,
	};
	unsigned int done = 0, chunks = 0, chunk, n, claimed;
	struct wpool *held = NULL;
	int err = 0;

	if (!pool || !tasks || !nr || nr > INT_MAX || in_nmi() ||
	    flags & ~(WPOOL_BATCH_TRY | WPOOL_BATCH_INTERRUPTIBLE))
		return -EINVAL;
	if (!(flags & WPOOL_BATCH_TRY))
		assert_may_sleep();
	if (flags & WPOOL_BATCH_INTERRUPTIBLE)
		how.state = TASK_INTERRUPTIBLE | TASK_FREEZABLE;

	while (done < nr && !err) {
		if (unlikely(!(++chunks % RESCHED_CHUNKS)) && !(flags & WPOOL_BATCH_TRY))
			cond_resched();
		chunk = min(nr - done, CHUNK);
		n = submit_fast(pool, tasks + done, chunk, &claimed);
		done += n;
		claimed -= n;
		if (likely(n == chunk))
			continue;
		for (n = 0; done + n < nr && n < CHUNK && is_valid(pool, tasks[done + n]); n++)
			;
		/* destroy does not wait for submitters that sleep: keep the pool's memory */
		if (!held && !(flags & WPOOL_BATCH_TRY) && nr - done > 1)
			held = wpool_get(pool);
		if (n)
			done += submit_slow(pool, tasks + done, n, claimed, NULL, &how, &err);
		else
			err = -EINVAL;
	}
	wpool_put(held);
	return done ?: err;
}
EXPORT_SYMBOL_GPL(wpool_submit_batch);
