// SPDX-License-Identifier: GPL-2.0
/*
 * Running tasks, see run.h. A worker executes run_one() for one task after the other: claim, call,
 * finish, and take the next task of this CPU, without a lock or a clock. The locked instructions on
 * this path, on the task's or this CPU's lines (3 on the pool's while tokens are scarce):
 *
 *   1. the claim: PENDING becomes RUNNING, or IDLE for a detached task; an item, an event and the
 *      task of a strand need none
 *   2. the token, in wpool_finish_settle(), if the pool has a limit
 *   3. the finish of a joinable task: RUNNING becomes IDLE
 *   4. the next task, in wpool_sched_next()
 *
 * Everything out of the ordinary is elsewhere: other states of the task in claim_to_run() and
 * wpool_finish_joinable(), a detached task in run_detached(), a full look for work in worker.c.
 * After %WPOOL_RELEASE_CANCEL, a thread that takes a task ends the task instead of running it: the
 * thread finds WPOOL_ATT_DROPS in pool->attention, on a cache line that each finish reads anyway.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "task/run.h"

#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include "core/current.h"
#include "core/hist.h"
#include "core/monitor_timer.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/trace.h"
#include "task/behalf.h"
#include "task/context.h"
#include "task/finish.h"
#include "task/item.h"
#include "task/state.h"
#include "task/tokens.h"
#include "task/waiters.h"

/*
 * While other threads want its CPU, a worker runs tasks in a row for about WPOOL_HELP_NS, the time
 * that a worker of another CPU takes to come: LEAST_IN_A_ROW tasks at least, MOST_IN_A_ROW at most.
 */
#define LEAST_IN_A_ROW	16U
#define MOST_IN_A_ROW	64U

/* ---- the call ---- */

/* Call a task's function. @was: for an inner task, the thread's state before it; otherwise NULL. */
static __always_inline void call_func(struct wpool_worker *w, struct wpool_task *task,
				      wpool_task_fn func, const struct wpool_context *was,
				      bool item)
{
#ifdef CONFIG_LOCKDEP
	/* only for the outermost task: lockdep allows 48 held locks, and tasks nest deeper */
	if (!w->nested)
		lock_map_acquire_read(&w->pool->lockdep_map);
#endif
	if (item)
		wpool_item_call(task);
	else
		func(task);
#ifdef CONFIG_LOCKDEP
	if (!w->nested)
		lock_map_release(&w->pool->lockdep_map);
#endif
	if (was)
		wpool_context_check(was, w);
	else if (unlikely(!wpool_context_is_clean(w)))
		wpool_context_repair(&w->base, w);
}

/* This CPU's histograms, or NULL if only a tracepoint needs the times. */
static struct wpool_hists *hists_here(struct wpool *pool)
{
	struct wpool_hists *hists = READ_ONCE(wpool_this_runq(pool)->hists);

	/* hists_here:A, pairs with tune_latency:A */
	return smp_load_acquire(&pool->latency) ? hists : NULL;
}

/* Count the wait of a task that is about to run, or, if @cost->runs is 1, the run that ended. */
static void count_times(struct wpool *pool, const struct wpool_cost *cost)
{
	struct wpool_hists *hists;
	unsigned long flags;

	local_irq_save(flags);
	hists = hists_here(pool);
	if (hists && !cost->runs) {
		wpool_hist_count(&hists->wait, cost->wait_ns);
	} else if (hists) {
		wpool_hist_count(&hists->run, cost->run_ns);
		wpool_cost_add(wpool_cost_find(hists->costs, WPOOL_NR_COSTS, cost->func), cost);
	}
	local_irq_restore(flags);
}

static unsigned long count_switches(void)
{
	return current->nvcsw + current->nivcsw;
}

/* call_func() of a task that is timed or traced; a detached task may be gone afterwards. */
static noinline void call_watched(struct wpool_worker *w, struct wpool_task *task,
				  wpool_task_fn func, const struct wpool_context *was,
				  bool item, u64 submit_ns)
{
	/* another CPU that wakes a thread here may update sum_exec_runtime */
	u64 start_ns = ktime_get_mono_fast_ns(), cpu_ns = READ_ONCE(current->se.sum_exec_runtime);
	unsigned long switches = count_switches();
	struct wpool_cost cost = {
		.func = wpool_trace_func(task),
		.wait_ns = submit_ns && start_ns > submit_ns ? start_ns - submit_ns : 0,
	};

	if (submit_ns)
		count_times(w->pool, &cost);
	trace_wpool_task_started(w->pool->name, w->rq->cpu, w->thread->pid, task, cost.func,
				 cost.wait_ns);
	call_func(w, task, func, was, item);
	/* the task may have called wpool_worker_set_func() */
	if (READ_ONCE(w->func) != func)
		cost.func = READ_ONCE(w->func);
	cost.runs = 1;
	cost.run_ns = ktime_get_mono_fast_ns() - start_ns;
	cost.worst_ns = cost.run_ns;
	cost.cpu_ns = cost.run_ns;
	/* sum_exec_runtime is exact only after a switch; without a switch the task had the CPU */
	if (switches != count_switches())
		cost.cpu_ns = min(cost.run_ns,
				  READ_ONCE(current->se.sum_exec_runtime) - cpu_ns);
	/* the event takes the address only: a detached task may be gone */
	trace_wpool_task_finished(w->pool->name, w->rq->cpu, w->thread->pid, task, cost.func,
				  cost.run_ns);
	if (submit_ns)
		count_times(w->pool, &cost);
}

static __always_inline void call_for_worker(struct wpool_worker *w, struct wpool_task *task,
					    wpool_task_fn func, const struct wpool_context *was,
					    bool item, u64 submit_ns)
{
	WRITE_ONCE(w->func, func);
	WRITE_ONCE(w->task, task);
	w->sleeps = 0;
	if (likely(!submit_ns) && likely(!wpool_trace_is_running()))
		call_func(w, task, func, was, item);
	else
		call_watched(w, task, func, was, item, submit_ns);
}

/* @submit_ns for call_for_worker(): 0 if only max_wait_ms needs the time. */
static u64 stamp_to_count(const struct wpool *pool, u64 submit_ns)
{
	return READ_ONCE(pool->latency) || wpool_trace_is_running() ? submit_ns : 0;
}

/*
 * call_for_worker() for a joinable task whose submit_ns is set. If the task has waited for longer
 * than max_wait_ms, finish it without a call, and return false.
 */
static noinline bool call_stamped(struct wpool_worker *w, struct wpool_task *task,
				  wpool_task_fn func)
{
	u64 submit_ns = wpool_task_submit_ns(task);

	if (unlikely(wpool_task_is_overdue(w->pool, submit_ns))) {
		wpool_finish_joinable(w->pool, task, WPOOL_ST_RUNNING, -ETIME);
		return false;
	}
	call_for_worker(w, task, func, NULL, false, stamp_to_count(w->pool, submit_ns));
	return true;
}

/* ---- the claim ---- */

/* Claim a task to run it; @inside: WPOOL_ST_INSIDE or 0. False if it was cancelled. */
static bool claim_to_run(struct wpool_task *task, int inside)
{
	int old = WPOOL_ST_PENDING;

	do {
		if ((old & WPOOL_ST_MASK) != WPOOL_ST_PENDING)
			return false;
	} while (!wpool_task_exchange(task, &old, WPOOL_ST_RUNNING | inside |
				     (old & (WPOOL_ST_WAITED | WPOOL_ST_DISABLED_MASK))));

	return true;
}

/*
 * Claim a detached task; false if it was cancelled. The claim is the last touch of the task. An
 * item needs no claim, see item.h, and an event, or the task of a strand, has states of its own.
 */
static __always_inline bool claim_detached(struct wpool_task *task, bool item)
{
	int old = WPOOL_ST_PENDING;

	wpool_debug_deactivate(task);
	if (item)
		return true;
	WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
	wpool_inject_delay_of_each(task);
	/* no thread waits for a detached task, so there is no WAITED to keep */
	return wpool_task_is_event(task) ||
	       atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE);
}

/* ---- a worker's tasks ---- */

/*
 * Returns the next task of this CPU for a worker that has just finished one, or NULL: also if the
 * worker no longer counts as running here, or the pool has more workers than its capacity.
 * Preemption is off for the same reason as in look_for_task() of worker.c. At least once a tick
 * wpool_sched_next() returns NULL, and look_for_task() checks the rest.
 *
 * Do not yield to other threads after each task. If each finish wakes a submitter that waits for a
 * token, worker and submitter would switch on every task.
 */
static __always_inline struct wpool_task *next_here(struct wpool_worker *w,
						    struct wpool *pool,
						    struct wpool_runq *rq)
{
	/* a full look clears a pending signal, so that the next task does not see it */
	if (unlikely(read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_SIGPENDING)) &&
	    (signal_pending(current) ||
	     ++w->in_a_row >= clamp(READ_ONCE(rq->estimate.help_len),
				    LEAST_IN_A_ROW, MOST_IN_A_ROW)))
		return NULL;
	if (unlikely(READ_ONCE(w->running_on) != rq) ||
	    unlikely(READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity)))
		return NULL;
	return wpool_sched_next(pool, rq);
}

/*
 * Preemption is off from the finish of a task to the claim of the next one; with @exact interrupts
 * are off as well. A close waits for these sections: after that wait, each thread that claims a
 * task has seen the close; tasks claimed earlier may still run.
 */
static __always_inline void section_begin(bool exact)
{
	if (exact)
		local_irq_disable();
	else
		preempt_disable();
}

static __always_inline void section_end(bool exact)
{
	if (exact)
		local_irq_enable();
	else
		preempt_enable();
}

/* The task does not run: end it. If its abort function leaves something, the log names it. */
static noinline void end_unrun(struct wpool_worker *w, struct wpool_task *task, int status)
{
	WRITE_ONCE(w->func, wpool_trace_func(task));
	wpool_finish_unrun(w->pool, task, status);
}

/*
 * Claim a detached task, end the section, and call its function; false if it was cancelled. Once
 * claimed, the task's memory belongs to the function: read beforehand what is needed later, here or
 * by wpool_finish_dead(). The memory of an item stays until wpool_item_end().
 */
static __always_inline bool run_detached(struct wpool_worker *w, struct wpool_task *task,
					 u64 submit_ns, bool exact)
{
	bool item = wpool_task_is_item(task), claimed;
	wpool_task_fn func = task->func;

	w->colour = task->colour;
	w->abort = task->abort;
	w->task_owner = task->owner;
	claimed = claim_detached(task, item);
	section_end(exact);
	if (unlikely(!claimed)) {
		end_unrun(w, task, -ECANCELED);
		return false;
	}

	w->detached = true;
	call_for_worker(w, task, func, NULL, item, submit_ns);
	WRITE_ONCE(w->task, NULL);
	w->detached = false;
	if (unlikely(w->task_owner))
		module_put(w->task_owner);
	if (item)
		wpool_item_end(task);
	return true;
}

/* run_detached() of a task whose submit_ns is set. */
static noinline bool run_detached_stamped(struct wpool_worker *w, struct wpool_task *task,
					  bool exact)
{
	u64 submit_ns = wpool_task_submit_ns(task);

	if (unlikely(wpool_task_is_overdue(w->pool, submit_ns))) {
		section_end(exact);
		end_unrun(w, task, -ETIME);
		return false;
	}
	return run_detached(w, task, stamp_to_count(w->pool, submit_ns), exact);
}

/* Run a task, after section_begin(). Returns the next task of this CPU, or NULL. */
static __always_inline struct wpool_task *run_one(struct wpool_worker *w, struct wpool *pool,
						  struct wpool_task *task, bool exact)
{
	wpool_task_fn func = task->func;
	int old = WPOOL_ST_PENDING;
	struct wpool_runq *rq;
	bool claimed;
	u32 colour;

	if (unlikely(wpool_drops(pool))) {
		section_end(exact);
		end_unrun(w, task, -ECANCELED);
		/* to see a freeze: a pool that drops no more tasks may be frozen */
		goto look_in_full;
	}
	if (unlikely(wpool_task_is_detached(task))) {
		if (!(unlikely(task->submit_ns) ? run_detached_stamped(w, task, exact) :
						  run_detached(w, task, 0, exact)))
			/* it undoes what the abort function left behind */
			goto look_in_full;
		colour = w->colour;
		section_begin(exact);
		wpool_finish_begin();
		goto settle;
	}
	wpool_inject_delay_of_each(task);
	claimed = likely(atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_RUNNING)) ||
		  claim_to_run(task, 0);
	section_end(exact);
	if (unlikely(!claimed)) {
		wpool_finish_unrun(pool, task, -ECANCELED);
		goto next;
	}

	if (likely(!task->submit_ns))
		call_for_worker(w, task, func, NULL, false, 0);
	else if (!call_stamped(w, task, func))
		goto next;
	WRITE_ONCE(w->task, NULL);
	/* if the task freed itself, fault in this read, before anything depends on the task */
	colour = task->colour;

	section_begin(exact);
	wpool_finish_begin();
	WRITE_ONCE(task->queued, WPOOL_QUEUED_NO);
	task->status = 0;
	WRITE_ONCE(task->cpu, smp_processor_id());
	wpool_debug_deactivate(task);
	old = WPOOL_ST_RUNNING;
	wpool_inject_delay_of_each(task);
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE))) {
		/* a thread waits for the task, has submitted it again or disabled it */
		wpool_finish_end();
		section_end(exact);
		wpool_finish_joinable(pool, task, WPOOL_ST_RUNNING, 0);
		goto next;
	}
	/* as long as the finish is announced, a thread that waits for the task does not free it */
	wpool_inject_delay_of_each(task);
settle:
	rq = wpool_this_runq(pool);
	/* if a submitter waits, accept its task, and wake the submitter */
	if (unlikely(wpool_finish_settle(pool, rq, colour, 0)))
		wpool_waiters_serve(pool);
	wpool_finish_end();
	return next_here(w, pool, rq);

next:
	section_begin(exact);
	return next_here(w, pool, wpool_this_runq(pool));

look_in_full:
	section_begin(exact);
	return NULL;
}

static __always_inline void run_all(struct wpool_worker *w, struct wpool *pool,
				    struct wpool_task *task, bool exact)
{
	section_begin(exact);
	do {
		task = run_one(w, pool, task, exact);
	} while (task);
	section_end(exact);
}

void wpool_run(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;

	w->in_a_row = 0;
	/* once: with hand-off, the monitor keeps its timer on while the worker counts as running */
	wpool_monitor_timer_set(pool);
	/* from now on a submit by a task of this worker uses rq->next */
	WRITE_ONCE(rq->runner, current);
	/*
	 * If the pool has no caches of tokens, an interrupt that sees a task IDLE must find its
	 * token free. So finish tasks with interrupts off.
	 */
	if (likely(READ_ONCE(pool->token_batch)))
		run_all(w, pool, task, false);
	else
		run_all(w, pool, task, true);
	if (READ_ONCE(rq->runner) == current)
		WRITE_ONCE(rq->runner, NULL);
}

/* ---- elsewhere ---- */

/* A worker that runs the tasks it waits for is no hog: advance the tick that the monitor reads. */
static void count_help(struct wpool_worker *w)
{
	struct wpool_runq *rq;

	preempt_disable();
	rq = wpool_this_runq(w->pool);
	if (READ_ONCE(w->running_on) == rq) {
		WRITE_ONCE(rq->tick, rq->tick + 1);
		/* the task is no look of its own: urgent tasks stay in a row */
		rq->urgent_tick++;
	}
	preempt_enable();
}

void wpool_run_inside(struct wpool_worker *w, struct wpool_task *task)
{
	struct wpool *pool = w->pool;
	struct wpool_task *outer = w->task;
	void *outer_func = w->func;
	wpool_task_fn func = task->func;
	struct wpool_task *held = w->held;
	bool on_stack = object_is_on_stack(task);
	struct wpool_context context;
	struct wpool_worn *worn;
	u64 submit_ns;
	bool claimed;
	u32 colour;

	/* as in section_begin() */
	preempt_disable();
	claimed = !wpool_drops(pool) && claim_to_run(task, on_stack ? WPOOL_ST_INSIDE : 0);
	preempt_enable();
	if (unlikely(!claimed)) {
		wpool_finish_unrun(pool, task, -ECANCELED);
		return;
	}
	submit_ns = wpool_task_submit_ns(task);
	if (wpool_task_is_overdue(pool, submit_ns)) {
		wpool_finish_joinable(pool, task, WPOOL_ST_RUNNING, -ETIME);
		return;
	}

	count_help(w);
	worn = wpool_behalf_off(w);
	wpool_context_save(&context, w);
	/* wpool_finish_dead() needs what follows */
	colour = task->colour;
	task->outer = outer;
	if (!w->nested++)
		w->outermost = outer;
	if (on_stack) {
		/* before the call: if the worker dies in it, the task cannot be found any more */
		wpool_debug_deactivate(task);
		w->on_stack[colour]++;
	} else {
		task->held = held;
		w->held = task;
	}
	call_for_worker(w, task, func, &context, false, stamp_to_count(pool, submit_ns));
	/* first: touching a task that freed itself may fault */
	WRITE_ONCE(w->task, outer);
	WRITE_ONCE(w->func, outer_func);
	w->held = held;
	w->on_stack[colour] -= on_stack;
	w->nested--;
	wpool_finish_joinable(pool, task, WPOOL_ST_RUNNING, 0);
	wpool_behalf_on(w, worn);
}

/* Claim a task in its submitter. A close waits for this section, too: see section_begin(). */
static int claim_here(struct wpool *pool, struct wpool_task *task, bool item)
{
	int err = -ESHUTDOWN;

	preempt_disable();
	if (!wpool_refuses(pool)) {
		/* a destroy does not wait for this call of an item's function: pin the owner */
		if (item && !try_module_get(pool->owner))
			err = -ENOENT;
		else
			err = (wpool_task_is_detached(task) ? claim_detached(task, item) :
			       claim_to_run(task, WPOOL_ST_INSIDE)) ? 0 : -ECANCELED;
	}
	preempt_enable();
	return err;
}

static int run_here(struct wpool *pool, struct wpool_task *task)
{
	struct module *owner = task->owner;
	wpool_task_fn func = task->func;
	bool item = wpool_task_is_item(task);
	/* claim_here() pins it */
	struct module *pool_owner = item ? pool->owner : NULL;
	int err;

	if (wpool_task_is_detached(task)) {
		err = claim_here(pool, task, item);
		if (err)
			return err;
		if (item) {
			wpool_item_call(task);
			wpool_item_end(task);
		} else {
			func(task);
		}
		module_put(owner);
		module_put(pool_owner);
		return 0;
	}

	wpool_task_set_pool(task, pool);
	WRITE_ONCE(task->submitter, current);
	err = claim_here(pool, task, false);
	if (err) {
		WRITE_ONCE(task->submitter, NULL);
		return err;
	}
	func(task);
	WRITE_ONCE(task->submitter, NULL);
	task->status = 0;
	/* the pool has not accepted the task: it has no token, and is not counted */
	wpool_task_unclaim(task);
	return 0;
}

int wpool_run_in_submitter(struct wpool *pool, struct wpool_task *task)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_context context;
	struct wpool_worn *worn;
	void *outer_func;
	int err;

	if (wpool_stack_is_short())
		return -EAGAIN;
	if (!w)
		return run_here(pool, task);
	outer_func = w->func;
	worn = wpool_behalf_off(w);
	if (worn)
		wpool_context_save(&context, w);
	err = run_here(pool, task);
	/* before wpool_behalf_on(): undo what the function has left */
	if (worn)
		wpool_context_check(&context, w);
	wpool_behalf_on(w, worn);
	/* the function may have called wpool_worker_set_func() */
	WRITE_ONCE(w->func, outer_func);
	return err;
}
