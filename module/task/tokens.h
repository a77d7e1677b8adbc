/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Admission: a pool with a limit accepts a task if the task gets a token, or owes one (tokens.c).
 *
 *   tokens held by unfinished tasks + pool->admission.tokens + all runq->share.tokens
 *	= capacity + queue_depth, always.
 *
 * Away from the limit, tokens move between a task and the cache of the current CPU. Before a
 * submitter is refused or put to sleep, the caches of all CPUs are emptied. From then on tokens are
 * scarce: they move between a task and pool->admission.tokens, until there are plenty again. So
 * only the first refusal visits all CPUs. While submitters wait, tokens that come free go to them,
 * in order.
 */
#ifndef WPOOL_TASK_TOKENS_H
#define WPOOL_TASK_TOKENS_H

#include <linux/list.h>

#include "core/current.h"
#include "core/state.h"

/*
 * Does the pool refuse the caller's tasks, whatever room it has? True if the pool is closed, or
 * closed to all but its own tasks and the caller is none of these. If this returns false with
 * interrupts off, the caller may submit until it turns interrupts on: a release waits for that,
 * with a grace period.
 */
static inline bool wpool_refuses(struct wpool *pool)
{
	u32 attention = READ_ONCE(pool->attention);

	return attention & WPOOL_ATT_CLOSED ||
	       (attention & WPOOL_ATT_OWN && !wpool_in_own_task(pool));
}

/*
 * Take up to @want tokens, at least 1, from wherever they are. Returns how many; 0 if there is
 * none, or other submitters already wait; -ESHUTDOWN if the pool is closed to all.
 */
int __wpool_tokens_take(struct wpool *pool, struct wpool_runq *rq, u32 want)
	__must_hold(&pool->admission.lock);

/** wpool_tokens_take_from() - take up to @want tokens from one counter, in any context */
static inline u32 wpool_tokens_take_from(atomic_t *tokens, u32 want)
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

/** __wpool_tokens_make_scarce() - let no CPU cache tokens; cached tokens go to the pool */
void __wpool_tokens_make_scarce(struct wpool *pool)
	__must_hold(&pool->admission.lock);

/* The caller accepts a task without a token: a debt for the next finish; interrupts off. */
static inline void wpool_tokens_owe(struct wpool *pool, struct wpool_runq *rq)
{
	if (READ_ONCE(pool->token_batch) == WPOOL_NO_TOKENS)
		__local64_add(1, &rq->share.tokenless);
	else
		atomic_dec(&pool->admission.tokens);
}

/** wpool_tokens_spill() - move the tokens of a CPU's cache to the pool */
void wpool_tokens_spill(struct wpool *pool, struct wpool_runq *rq);

/** wpool_tokens_relax() - let the CPUs cache tokens, if there are plenty */
void wpool_tokens_relax(struct wpool *pool);

/*
 * Adapt the tokens to the limits, and the caches to the CPUs that are online; a new pool has no
 * tokens before. Tokens are scarce afterwards if the limit is smaller than before, or too small for
 * caches. The caller has tune_mutex, and must serve the waiters, see wpool_waiters_resize().
 */
void wpool_tokens_resize(struct wpool *pool);

/** __wpool_attention_set() - set or clear bits of pool->attention */
void __wpool_attention_set(struct wpool *pool, u32 bits, bool on)
	__must_hold(&pool->admission.lock);

/** wpool_tokens_total() - number of tokens for a capacity and a queue_depth */
int wpool_tokens_total(u32 capacity, u32 queue_depth);

#endif /* WPOOL_TASK_TOKENS_H */
