/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The line: who waits for a token, first in, first out: submitters, and events and strands,
 * which stand there without a thread. Tokens that come free go to the head of the line.
 */
#ifndef WPOOL_TASK_WAITERS_H
#define WPOOL_TASK_WAITERS_H

#include <linux/list.h>

#include "core/state.h"
#include "task/tokens.h"

struct task_struct;

/* A submitter waits with so many tasks at most. */
#define WPOOL_WAITER_TASKS	32U

/* A submitter that waits in line, on its own stack. */
struct wpool_waiter {
	/*
	 * stands in the line, pool->admission.waiters, beside the tasks of events, which stand
	 * there themselves; no task, of which only the node and the flags, 0, are used
	 */
	struct wpool_task place;
	struct task_struct *thread;	/* thread to wake */
	struct wpool_task *const *tasks;	/* claimed tasks to be accepted, in order */
	u32 nr;	/* number of tasks */
	u32 accepted;	/* number of tasks accepted; under admission.lock until @done */
	int error;	/* why the wait ended; 0 if all were accepted */
	/*
	 * it has waited before, for others of its tasks or in a group: a pool that was closed to
	 * others since then lets it in
	 */
	bool waited;
	/*
	 * set last, by the side that takes the waiter off the line. After that nobody touches the
	 * waiter, and the submitter does not touch the pool.
	 */
	bool done;
};

/*
 * Hand at most SERVE_BATCH free tokens to the waiters, in order, so that interrupts may be off.
 * True if tokens and waiters may be left; a caller that gave one token need not care, see
 * waiters.c.
 */
bool wpool_waiters_serve(struct wpool *pool);

/** wpool_waiters_spill() - move the tokens of a cache to the pool, or to the waiters */
void wpool_waiters_spill(struct wpool *pool, struct wpool_runq *rq);

/* Give the token of a finished task to the first waiter, or back; preemption is off. */
static inline void wpool_waiters_give(struct wpool *pool, struct wpool_runq *rq)
{
	u32 batch = READ_ONCE(pool->token_batch);

	if (batch == WPOOL_NO_TOKENS) {
		/* no submitter waits for it: without a limit there are tokens enough */
		local64_inc(&rq->share.ungiven);
		return;
	}
	if (likely(!(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))) {
		/* give:A; locked instruction: this CPU's line */
		if (unlikely(atomic_inc_return(&rq->share.tokens) >= 2 * (int)batch) ||
		    unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_SCARCE))
			wpool_waiters_spill(pool, rq);
		return;
	}
	/* give:A */
	if (unlikely(atomic_inc_return(&pool->admission.tokens) >=
		     READ_ONCE(pool->admission.plenty)))
		wpool_tokens_relax(pool);
	if (unlikely(READ_ONCE(pool->attention) & WPOOL_ATT_WAITERS))
		wpool_waiters_serve(pool);
}

/*
 * Wait in line until the waiter's tasks are accepted; those beyond waiter->accepted the caller must
 * unclaim. Returns 0 if all were; -EAGAIN if max_blocking submitters already wait; -ECANCELED if
 * one of the tasks was cancelled; -ESHUTDOWN; -ETIME; -EINTR.
 */
int wpool_waiters_wait(struct wpool *pool, struct wpool_waiter *waiter,
		       unsigned int state, long timeout);

/*
 * Let the task of an event, for which there was no token at hand, wait in line without a thread.
 * True if there was a token after all, and the caller must accept the task; otherwise it must not
 * touch it any more. If the pool is closed, workers/tidy.c calls the abort function with
 * -ESHUTDOWN; but the task of a strand, whose submit looked before, is let in. Interrupts are off.
 */
bool wpool_waiters_join(struct wpool *pool, struct wpool_task *task);

/* Take the task of an event off the line; true if it was there. Interrupts are off. */
bool wpool_waiters_leave(struct wpool_task *task);

/*
 * Send the submitter away that waits with a task marked as cancelled, and with it all that it waits
 * with; true if it was in line. Interrupts are off.
 */
bool wpool_waiters_withdraw(struct wpool_task *task);

/*
 * Accept no more tasks, and send the waiters away; @drops: tasks that have not started end with
 * -ECANCELED. What a submit or a start has checked before holds for another RCU grace period.
 */
void wpool_waiters_close(struct wpool *pool, bool drops);

/*
 * How often was the pool closed? A thread that waits for room in a group stands in
 * pool->admission.guests and has read this before it saw the pool open: it is sent away when the
 * number is another one.
 */
static inline u32 wpool_nr_closes(const struct wpool *pool)
{
	/* pairs with close:A */
	return smp_load_acquire(&pool->admission.nr_closes);
}

/** wpool_waiters_close_to_others() - accept but events and own tasks no more; tune_mutex held */
void wpool_waiters_close_to_others(struct wpool *pool);

/** wpool_waiters_open() - accept again; tune_mutex held */
void wpool_waiters_open(struct wpool *pool);

/* Adapt to new limits, as wpool_tokens_resize(), and serve the line. */
void wpool_waiters_resize(struct wpool *pool, int old);

#endif /* WPOOL_TASK_WAITERS_H */
