// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: claim, run, finish. The states and their arrows are in task.h, those
 * who wait for a task or cancel it in wait.c.
 *
 * Barrier pairs:
 *
 *   accept:A  store-release of task->queued after task->pool
 *             <-> load-acquire in wpool_task_pool(): who sees the flag sees
 *             the pool.
 *   finish:A  finish_seq odd, then the change to IDLE (fully ordered), then
 *             the accounts, then finish_seq even (store-release)
 *             <-> wpool_task_finish_sync(): who has seen IDLE waits for an even number,
 *             and then sees the accounts and the token that came free.
 *
 * Two waits in one direction each: a waiter on the task returns only when the
 * accounts are right (finish:A), a flusher that reads the accounts returns only
 * after the last touch of the task (the accounts come after it).
 */
#include "task.h"

#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/wait_bit.h>

#include "admission.h"
#include "flush.h"
#include "sched.h"
#include "trace.h"
#include "worker.h"

/* Odd while a finish is under way on this CPU, with interrupts off. */
static DEFINE_PER_CPU(u32, finish_seq);

void wpool_task_init(struct wpool_task *task, wpool_task_fn func)
{
	memset(task, 0, sizeof(*task));
	task->func = func;
}
EXPORT_SYMBOL_GPL(wpool_task_init);

/* ---- claim ---- */

/*
 * A cancelled task that was not taken out yet is submitted again: one is
 * cancelled, one is accepted, with the same token. Both count with one colour,
 * so that it does not matter if the colour is history.
 */
static void count_revival(struct wpool *pool, u32 colour)
{
	struct wpool_runq *rq = wpool_this_runq(pool);

	WRITE_ONCE(rq->accepted[colour], rq->accepted[colour] + 1);
	WRITE_ONCE(rq->finished[colour], rq->finished[colour] + 1);
	WRITE_ONCE(rq->cancelled, rq->cancelled + 1);
}

/* Not IDLE: a task that runs, or one that was cancelled and is still queued. */
static int claim_slow(struct wpool *pool, struct wpool_task *task, int old)
{
	u32 colour = 0;
	int new;

	do {
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_IDLE:
			new = WPOOL_ST_PENDING;
			break;
		case WPOOL_ST_RUNNING:
			if (old & WPOOL_ST_AGAIN || READ_ONCE(task->pool) != pool)
				return -EALREADY;
			new = old | WPOOL_ST_AGAIN;
			if (READ_ONCE(pool->colour))
				new |= WPOOL_ST_AGAIN_COLOUR;
			break;
		case WPOOL_ST_CANCELLED:
			/* it stands in a queue, not in a submitter's hands */
			if (wpool_task_pool(task) != pool)
				return -EALREADY;
			colour = task->colour;
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_PENDING;
			break;
		default:
			return -EALREADY;
		}
		if (wpool_is_closed(pool))
			return -ESHUTDOWN;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	if (!(old & WPOOL_ST_MASK))
		return 0;
	if ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED)
		count_revival(pool, colour);
	return 1;
}

int wpool_task_claim(struct wpool *pool, struct wpool_task *task)
{
	int old = WPOOL_ST_IDLE;
	int ret = 0;

	/* locked instruction: the task's line */
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		ret = claim_slow(pool, task, old);

	if (!ret && task->owner && !try_module_get(task->owner)) {
		atomic_set(&task->state, WPOOL_ST_IDLE);
		ret = -ENOENT;
	}
	return ret;
}

/* The claim, and all that others added to it meanwhile, is taken back. */
void wpool_task_unclaim(struct wpool_task *task)
{
	struct module *owner = task->owner;

	if (atomic_xchg(&task->state, WPOOL_ST_IDLE) & WPOOL_ST_WAITED)
		wake_up_var(task);
	module_put(owner);
}

/* The taker's claim. False: it was cancelled. */
static bool claim_to_run(struct wpool_task *task, int running)
{
	int old = WPOOL_ST_PENDING;
	int new;

	do {
		if ((old & WPOOL_ST_MASK) != WPOOL_ST_PENDING)
			return false;
		new = running == WPOOL_ST_IDLE ? running :
			running | (old & WPOOL_ST_WAITED);
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return true;
}

/* ---- finish ---- */

static inline void count_finish(struct wpool *pool, struct wpool_runq *rq,
				u32 colour, int status)
{
	WRITE_ONCE(rq->finished[colour], rq->finished[colour] + 1);
	/* pairs with the first smp_rmb() in count_tasks(), stats.c */
	smp_wmb();
	if (status == -ECANCELED)
		WRITE_ONCE(rq->cancelled, rq->cancelled + 1);
	else if (status)
		WRITE_ONCE(rq->failed, rq->failed + 1);
}

/*
 * The end of a finish, with interrupts off since the first half of finish:A; on
 * again afterwards.
 */
static __always_inline void settle(struct wpool *pool, struct wpool_runq *rq,
				   u32 colour, int status)
{
	count_finish(pool, rq, colour, status);
	wpool_admission_give(pool, rq);
	/* finish:A, pairs with wpool_task_finish_sync() */
	smp_wmb();
	this_cpu_inc(finish_seq);
	if (likely(!wpool_flush_is_awaited(pool))) {
		local_irq_enable();
		return;
	}
	/* keeps the pool */
	rcu_read_lock();
	local_irq_enable();
	wpool_flush_finished(pool, colour);
	rcu_read_unlock();
}

/* A task whose memory is not ours any more: only the accounts. */
static void finish_detached(struct wpool *pool, u32 colour, int status)
{
	local_irq_disable();
	this_cpu_inc(finish_seq);
	/* finish:A, pairs with wpool_task_finish_sync() */
	smp_wmb();
	settle(pool, wpool_this_runq(pool), colour, status);
}

/* A joinable task has returned, and nobody asks for more: else false. */
static __always_inline bool finish_fast(struct wpool *pool, struct wpool_task *task)
{
	u32 colour = task->colour;
	int old = WPOOL_ST_RUNNING;

	local_irq_disable();
	this_cpu_inc(finish_seq);
	/* finish:A, pairs with wpool_task_finish_sync() */
	smp_wmb();
	WRITE_ONCE(task->queued, 0);
	task->status = 0;
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE))) {
		/* finish_joinable() puts right what was written */
		this_cpu_inc(finish_seq);
		local_irq_enable();
		return false;
	}
	settle(pool, wpool_this_runq(pool), colour, 0);
	return true;
}

/*
 * End a joinable task that is @from (RUNNING or CANCELLED). False: it was
 * CANCELLED and has been submitted again, nothing is changed.
 */
static bool finish_joinable(struct wpool *pool, struct wpool_task *task,
			    int from, int status)
{
	u32 colour = task->colour;
	struct wpool_runq *rq;
	bool again;
	int old = from, new;

	/* keeps the pool for wpool_flush_finished() */
	rcu_read_lock();
	local_irq_disable();
	rq = wpool_this_runq(pool);

	this_cpu_inc(finish_seq);
	/* finish:A, pairs with wpool_task_finish_sync() */
	smp_wmb();

	do {
		if ((old & WPOOL_ST_MASK) != from) {
			WRITE_ONCE(task->queued, 1);
			this_cpu_inc(finish_seq);
			local_irq_enable();
			rcu_read_unlock();
			return false;
		}
		again = (old & WPOOL_ST_AGAIN) && !status;
		if (again) {
			task->colour = !!(old & WPOOL_ST_AGAIN_COLOUR);
			/* an earlier turn of this loop may have cleared it */
			WRITE_ONCE(task->queued, 1);
			new = WPOOL_ST_PENDING | (old & WPOOL_ST_WAITED);
		} else {
			WRITE_ONCE(task->queued, 0);
			task->status = status;
			new = WPOOL_ST_IDLE;
		}
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	if (unlikely(again)) {
		/* same token; counted in before it is counted out */
		new = !!(old & WPOOL_ST_AGAIN_COLOUR);
		WRITE_ONCE(rq->accepted[new], rq->accepted[new] + 1);
		if (trace_wpool_task_submitted_enabled())
			wpool_trace_submitted(pool, rq, task);
		/* pairs with the smp_mb() in wpool_flush_outstanding() */
		smp_wmb();
		count_finish(pool, rq, colour, status);
		wpool_sched_push(pool, rq, &task, 1);
	} else {
		count_finish(pool, rq, colour, status);
		wpool_admission_give(pool, rq);
	}

	/* finish:A, pairs with wpool_task_finish_sync() */
	smp_wmb();
	this_cpu_inc(finish_seq);
	local_irq_enable();

	if (unlikely(!again && (old & WPOOL_ST_WAITED)))
		wake_up_var(task);
	wpool_flush_finished(pool, colour);
	rcu_read_unlock();
	return true;
}

void wpool_task_finish_sync(void)
{
	int cpu;
	u32 seq;

	/* orders the look at the task's state before those at the numbers */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		seq = READ_ONCE(per_cpu(finish_seq, cpu));
		while (seq & 1 && READ_ONCE(per_cpu(finish_seq, cpu)) == seq)
			cpu_relax();
	}
	/* and the numbers before the accounts; pairs with finish:A */
	smp_rmb();
}

/* ---- drop and fail ---- */

bool wpool_task_mark_cancelled(struct wpool_task *task)
{
	int old = atomic_read(&task->state);
	int new;

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_PENDING)
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_CANCELLED;
		else if (old & WPOOL_ST_AGAIN)
			new = old & ~(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR);
		else
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return true;
}

bool wpool_task_end_cancelled(struct wpool *pool, struct wpool_task *task)
{
	wpool_abort_fn abort;
	struct module *owner;
	u32 colour;
	int old;

	if (!wpool_task_is_detached(task))
		return finish_joinable(pool, task, WPOOL_ST_CANCELLED, -ECANCELED);

	abort = task->abort;
	owner = task->owner;
	colour = task->colour;
	old = WPOOL_ST_CANCELLED;
	if (!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE))
		return false;
	if (abort)
		abort(task, -ECANCELED);
	module_put(owner);
	finish_detached(pool, colour, -ECANCELED);
	return true;
}

void wpool_task_put_down(struct wpool *pool, struct wpool_task *task)
{
	if (wpool_task_end_cancelled(pool, task))
		return;
	local_irq_disable();
	wpool_sched_push(pool, wpool_this_runq(pool), &task, 1);
	local_irq_enable();
}

void wpool_task_drop(struct wpool *pool, struct wpool_task *task)
{
	do {
		wpool_task_mark_cancelled(task);
	} while (!wpool_task_end_cancelled(pool, task));
}

void wpool_task_fail(struct wpool_worker *w)
{
	struct wpool_task *task = w->task, *outer;

	for (; w->depth > 1; w->depth--) {
		outer = task->outer;
		finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
		task = outer;
	}
	if (w->detached) {
		if (w->abort)
			w->abort(task, -EIO);
		module_put(w->task_owner);
		finish_detached(w->pool, w->colour, -EIO);
	} else {
		finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -EIO);
	}
	w->depth = 0;
	WRITE_ONCE(w->task, NULL);
}

/* ---- run ---- */

/* What a task must leave as it found it. */
struct context {
	int preempt;
	int rcu;
	int locks;
};

static void context_save(struct context *context)
{
	context->preempt = preempt_count();
	context->rcu = rcu_preempt_depth();
	context->locks = lockdep_depth(current);
}

static void context_repair(const struct context *was, void *func)
{
	pr_err_ratelimited("wpool: %ps left preempt count %x (was %x), irqs %s, rcu depth %d (was %d), locks %d (was %d)\n",
			   func, preempt_count(), was->preempt,
			   irqs_disabled() ? "off" : "on",
			   rcu_preempt_depth(), was->rcu,
			   lockdep_depth(current), was->locks);
	if (irqs_disabled())
		local_irq_enable();
	while (rcu_preempt_depth() > was->rcu) {
		/* by the task, which sparse cannot know */
		__acquire(RCU);
		rcu_read_unlock();
	}
	preempt_count_set(was->preempt);
}

static bool context_is(const struct context *was)
{
	return preempt_count() == was->preempt && !irqs_disabled() &&
	       rcu_preempt_depth() == was->rcu &&
	       lockdep_depth(current) == was->locks;
}

static void count_latency(struct wpool *pool, u64 submit_ns)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 ns = now > submit_ns ? now - submit_ns : 0;
	u32 bucket = min_t(u32, ns ? __fls(ns) : 0, WPOOL_HIST_BUCKETS - 1);
	struct wpool_runq *rq;
	unsigned long flags;

	/* the stamp may be there for a tracepoint only */
	if (!READ_ONCE(pool->latency))
		return;
	local_irq_save(flags);
	rq = wpool_this_runq(pool);
	WRITE_ONCE(rq->latency[bucket], rq->latency[bucket] + 1);
	local_irq_restore(flags);
}

static void call(struct wpool *pool, struct wpool_task *task, wpool_task_fn func)
{
	struct context context;

	context_save(&context);
#ifdef CONFIG_LOCKDEP
	/* recursive: a worker that helps is inside two tasks */
	lock_map_acquire_read(&pool->lockdep_map);
#endif
	func(task);
#ifdef CONFIG_LOCKDEP
	lock_map_release(&pool->lockdep_map);
#endif
	if (unlikely(!context_is(&context)))
		context_repair(&context, func);
}

/* As call(), while that is traced; a detached task may be gone afterwards. */
static noinline void call_traced(struct wpool_worker *w, struct wpool_task *task,
				 wpool_task_fn func, u64 submit_ns)
{
	u64 start_ns = wpool_trace_started(w, task, func, submit_ns);

	call(w->pool, task, func);
	wpool_trace_finished(w, task, func, start_ns);
}

/* The worker's claim; a detached task is out of its hands with it. */
static bool claim_for_worker(struct wpool_task *task, bool detached)
{
	if (!detached)
		return claim_to_run(task, WPOOL_ST_RUNNING);

	WRITE_ONCE(task->queued, 0);
	if (claim_to_run(task, WPOOL_ST_IDLE))
		return true;
	WRITE_ONCE(task->queued, 1);
	return false;
}

/* A detached task is its function's once it is claimed: what is needed later. */
static void note_detached(struct wpool_worker *w, struct wpool_task *task)
{
	w->colour = task->colour;
	w->abort = task->abort;
	w->task_owner = task->owner;
}

void wpool_task_run(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool *pool = w->pool;
	wpool_task_fn func = task->func;
	bool detached = wpool_task_is_detached(task);
	u64 submit_ns = task->submit_ns;
	u32 colour = task->colour;
	int old = WPOOL_ST_PENDING;

	if (unlikely(submit_ns)) {
		count_latency(pool, submit_ns);
		task->submit_ns = 0;
	}
	w->detached = detached;
	if (unlikely(detached))
		note_detached(w, task);
	if (unlikely(detached) ||
	    unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_RUNNING)))
		while (!claim_for_worker(task, detached))
			if (wpool_task_end_cancelled(pool, task))
				return;

	w->depth = 1;
	WRITE_ONCE(w->func, func);
	WRITE_ONCE(w->task, task);
	if (likely(!wpool_trace_is_running()))
		call(pool, task, func);
	else
		call_traced(w, task, func, submit_ns);
	WRITE_ONCE(w->task, NULL);
	w->depth = 0;

	if (unlikely(detached)) {
		module_put(w->task_owner);
		finish_detached(pool, colour, 0);
	} else if (unlikely(!finish_fast(pool, task))) {
		finish_joinable(pool, task, WPOOL_ST_RUNNING, 0);
	}
}

void wpool_task_help(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool *pool = w->pool;
	struct wpool_task *outer = w->task;
	void *outer_func = w->func;
	wpool_task_fn func = task->func;
	u64 submit_ns = task->submit_ns;

	if (unlikely(submit_ns)) {
		count_latency(pool, submit_ns);
		task->submit_ns = 0;
	}
	while (!claim_to_run(task, WPOOL_ST_RUNNING))
		if (wpool_task_end_cancelled(pool, task))
			return;

	task->outer = outer;
	w->depth++;
	WRITE_ONCE(w->func, func);
	WRITE_ONCE(w->task, task);
	if (likely(!wpool_trace_is_running()))
		call(pool, task, func);
	else
		call_traced(w, task, func, submit_ns);
	WRITE_ONCE(w->task, outer);
	WRITE_ONCE(w->func, outer_func);
	w->depth--;
	finish_joinable(pool, task, WPOOL_ST_RUNNING, 0);
}

int wpool_task_run_here(struct wpool *pool, struct wpool_task *task)
{
	struct module *owner = task->owner;
	int old;

	if (wpool_stack_is_short())
		return -EAGAIN;

	if (wpool_task_is_detached(task)) {
		wpool_abort_fn abort = task->abort;
		wpool_task_fn func = task->func;

		if (claim_to_run(task, WPOOL_ST_IDLE)) {
			func(task);
		} else {
			atomic_set(&task->state, WPOOL_ST_IDLE);
			if (abort)
				abort(task, -ECANCELED);
		}
		module_put(owner);
		return 0;
	}

	/* a submit to the same pool while it runs is a submit to this caller */
	WRITE_ONCE(task->pool, pool);
	if (!claim_to_run(task, WPOOL_ST_RUNNING)) {
		task->status = -ECANCELED;
		wpool_task_unclaim(task);
		return 0;
	}
	do {
		task->func(task);
		task->status = 0;
		old = atomic_fetch_andnot(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR,
					  &task->state);
	} while (old & WPOOL_ST_AGAIN);
	wpool_task_unclaim(task);
	return 0;
}
