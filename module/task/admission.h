/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Admission: a task is accepted if and only if it gets a token.
 *
 *   tokens held by unfinished tasks + pool->tokens + all runq->tokens
 *	= capacity + queue_depth, always.
 *
 * Away from the limit, tokens move between a task and the cache of the current CPU.
 * Before a submitter is refused or put to sleep, the caches of all CPUs are emptied, and
 * tokens are scarce from then on: they move between a task and pool->tokens, until there
 * are plenty again. So only the first refusal visits all CPUs. While submitters wait,
 * tokens that come free go to them, in order.
 */
#ifndef WPOOL_ADMISSION_H
#define WPOOL_ADMISSION_H

#include <linux/list.h>
#include <linux/minmax.h>

#include "core/state.h"

struct task_struct;

/* A submitter waits with so many tasks at most. */
#define WPOOL_WAITER_TASKS	32U

/**
 * struct wpool_waiter - a submitter that waits in line, on its own stack
 * @place: stands in the line, pool->waiters, beside the tasks of events, which stand
 *	there themselves; no task, of which only the node and the flags, 0, are used
 * @thread: thread to wake
 * @tasks: claimed tasks to be accepted, in order
 * @nr: number of tasks
 * @accepted: number of tasks accepted; under admission_lock until @done
 * @error: why the wait ended; 0 if all were accepted
 * @done: set last, by the side that takes the waiter off the line. After that
 *	nobody touches the waiter, and the submitter does not touch the pool.
 */
struct wpool_waiter {
	struct wpool_task place;
	struct task_struct *thread;
	struct wpool_task *const *tasks;
	u32 nr;
	u32 accepted;
	int error;
	bool done;
};

/** wpool_admission_init() - set up the tokens of a new, open pool; no CPU caches any yet */
void wpool_admission_init(struct wpool *pool);

/** wpool_admission_scale() - adapt the caches to the CPUs that are online; tune_mutex held */
void wpool_admission_scale(struct wpool *pool);

/**
 * wpool_admission_take() - take up to @want tokens
 * @pool: the pool
 * @rq: this CPU's run queue
 * @want: at least 1
 *
 * Context: any; interrupts off.
 * Return: 1 to @want tokens; 0 if there is none, or other submitters already wait;
 * -ESHUTDOWN if the pool is closed.
 */
int wpool_admission_take(struct wpool *pool, struct wpool_runq *rq, u32 want);

/* Take up to @want tokens from one counter. */
static inline u32 wpool_tokens_take(atomic_t *tokens, u32 want)
{
	int old = atomic_read(tokens);
	int n;

	do {
		if (old <= 0)
			return 0;
		n = min_t(int, old, want);
	} while (!atomic_try_cmpxchg(tokens, &old, old - n));

	return n;
}

/**
 * wpool_admission_take_fast() - take up to @want tokens if they are at hand
 * @pool: the pool
 * @rq: this CPU's run queue
 * @want: at least 1
 *
 * Context: any; interrupts off.
 * Return: 0 to @want tokens; if fewer, wpool_admission_take() may find more.
 */
static inline u32 wpool_admission_take_fast(struct wpool *pool,
					    struct wpool_runq *rq, u32 want)
{
	u32 attention = READ_ONCE(pool->attention);

	if (unlikely(attention & WPOOL_ATT_TAKE))
		return 0;
	if (READ_ONCE(pool->token_batch) == WPOOL_NO_TOKENS) {
		WRITE_ONCE(rq->untaken, rq->untaken + want);
		return want;
	}
	/* locked instruction: this CPU's line, or the pool's near the limit */
	return wpool_tokens_take(attention & WPOOL_ATT_SCARCE ? &pool->tokens : &rq->tokens,
				 want);
}

/** wpool_admission_spill() - move the tokens of a cache to the pool, or to the waiters */
void wpool_admission_spill(struct wpool *pool, struct wpool_runq *rq);

/** wpool_admission_relax() - let the CPUs cache tokens, if there are plenty */
void wpool_admission_relax(struct wpool *pool);

/**
 * wpool_admission_serve() - hand some free tokens to the waiters, in order
 * @pool: the pool
 *
 * Hands out at most %SERVE_BATCH tokens, so that it may be called with interrupts
 * off. A caller that gave back one token needs no second pass, see the serve rule in
 * admission.c.
 *
 * Context: any.
 * Return: true if tokens and waiters may be left.
 */
bool wpool_admission_serve(struct wpool *pool);

/**
 * wpool_admission_give() - give the token of a finished task to the first waiter, or back
 * @pool: the pool
 * @rq: this CPU's run queue
 *
 * Context: any; preemption off.
 * Return: true, and it was a full barrier; false, it was none: there is no limit.
 */
static inline bool wpool_admission_give(struct wpool *pool, struct wpool_runq *rq)
{
	u32 batch = READ_ONCE(pool->token_batch);

	if (batch == WPOOL_NO_TOKENS) {
		/* no submitter waits for it: without a limit there are tokens enough */
		local64_inc(&rq->ungiven);
		return false;
	}
	if (likely(!(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))) {
		/* give:A; locked instruction: this CPU's line */
		if (unlikely(atomic_inc_return(&rq->tokens) >= 2 * (int)batch) ||
		    unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))
			wpool_admission_spill(pool, rq);
		return true;
	}
	/* give:A */
	if (unlikely(atomic_inc_return(&pool->tokens) >= READ_ONCE(pool->token_plenty)))
		wpool_admission_relax(pool);
	if (unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_WAITERS))
		wpool_admission_serve(pool);
	return true;
}

/**
 * wpool_admission_wait() - wait in line until tasks are accepted
 * @pool: the pool
 * @waiter: tasks and nr are filled in
 * @state: task state to sleep in
 * @timeout: in jiffies
 *
 * The caller must unclaim the tasks beyond waiter->accepted.
 *
 * Context: process context; sleeps.
 * Return: 0 if all were accepted; -EAGAIN if max_blocking submitters already wait;
 * -ECANCELED if one of the tasks was cancelled; -ESHUTDOWN; -ETIME; -EINTR.
 */
int wpool_admission_wait(struct wpool *pool, struct wpool_waiter *waiter,
			 unsigned int state, long timeout);

/**
 * wpool_admission_join() - let the task of an event wait in line, without a thread
 * @pool: the pool
 * @task: the task, for which there was no token at hand
 *
 * If the pool is closed, the reaper calls the task's abort function with -ESHUTDOWN; but
 * the task of a strand, whose submit looked whether the pool was open, is let in.
 *
 * Context: any; interrupts off.
 * Return: true if there was a token after all, and the caller must accept the task;
 * false: the caller must not touch it any more.
 */
bool wpool_admission_join(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_admission_leave() - take the task of an event off the line
 * @task: the task
 *
 * Context: any; interrupts off.
 * Return: true if it was in line.
 */
bool wpool_admission_leave(struct wpool_task *task);

/**
 * wpool_admission_withdraw() - send away the submitter that waits with a task
 * @task: a task marked as cancelled
 *
 * All tasks that the submitter waits with are refused.
 *
 * Context: any; interrupts off.
 * Return: true if the submitter was in line.
 */
bool wpool_admission_withdraw(struct wpool_task *task);

/**
 * wpool_admission_close() - accept no more tasks, send the waiters away
 * @pool: the pool, tune_mutex held
 *
 * A submit that checked before may still be accepted until an RCU grace period
 * has passed.
 */
void wpool_admission_close(struct wpool *pool);

/** wpool_admission_open() - accept again; tune_mutex held */
void wpool_admission_open(struct wpool *pool);

/**
 * wpool_admission_resize() - adapt the tokens to a new capacity or queue_depth
 * @pool: the pool, tune_mutex held, the new values in place
 * @old: wpool_admission_total() before the change
 */
void wpool_admission_resize(struct wpool *pool, int old);

/** wpool_admission_total() - number of tokens for a capacity and a queue_depth */
int wpool_admission_total(u32 capacity, u32 queue_depth);

/**
 * wpool_admission_drainer() - announce that a thread waits for tasks to finish
 * @pool: the pool
 * @on: true for one thread more, false for one less
 *
 * Context: process context.
 */
void wpool_admission_drainer(struct wpool *pool, bool on);

#endif /* WPOOL_ADMISSION_H */
