// SPDX-License-Identifier: GPL-2.0
/*
 * Tokens, see tokens.h.
 *
 * Barrier pairs. All of them follow the same pattern: one side changes the tokens and then reads
 * pool->attention; the other announces itself in attention and then searches for tokens. With a
 * full barrier between the two steps on both sides, at least one side sees the other.
 *
 *   give:A    tokens++, full barrier, read attention (state.h, and here)
 *   scarce:A  set SCARCE, full barrier, empty the caches
 *   wait:A    set WAITERS, full barrier, look for a token in pool->admission.tokens (waiters.c)
 *
 * give:A pairs with each of the others. Without it a token could stay in a cache while a submitter
 * is refused or sleeps, or while a debt is not repaid.
 *
 * SCARCE says that the caches are empty. Only a finish that has not seen SCARCE yet may put a token
 * into a cache, and takes the token out again. A submitter that finds no token sets SCARCE, and so
 * do add_waiter() and, for a smaller limit, wpool_tokens_resize(). SCARCE stays set if the limit is
 * too small to share, and is cleared when enough tokens are free and no submitter waits. If
 * pool->admission.tokens is negative, that is a debt, which finishes repay one by one.
 *
 * A pool without a limit has more tokens than it needs: a submit takes none, and a finish gives
 * none. Instead each CPU counts the tasks without a token. When a limit is set, these counts say
 * how many tokens there have to be. At any time
 *
 *   tokens + unfinished tasks = admission.base + the sum of share.tokenless
 *
 * Each step adds the same to both sides, even if a task took a token and gives none, or the other
 * way round. In a pool with a limit, both sides must be the limit. So wpool_tokens_resize() first
 * makes all submits take and all finishes give, and waits for a grace period: then the counts no
 * longer change. Then it adds the difference between the limit and the right side to the tokens and
 * to admission.base.
 */
#include "task/tokens.h"

#include <linux/err.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "core/runqs.h"

#define CACHE_MIN	16U
#define CACHE_MAX	256U

int wpool_tokens_total(u32 capacity, u32 queue_depth)
{
	if (capacity == WPOOL_UNLIMITED || queue_depth == WPOOL_UNLIMITED)
		return WPOOL_TOKENS_UNLIMITED;
	return capacity + queue_depth;
}

/* A batch is a quarter of a CPU's share of the tokens; 0, no cache, if that is below CACHE_MIN. */
static void set_batch(struct wpool *pool, int total)
{
	u32 batch = min(total / (4 * num_online_cpus()), CACHE_MAX);

	if (total == WPOOL_TOKENS_UNLIMITED)
		batch = WPOOL_NO_TOKENS;
	else if (batch < CACHE_MIN)
		batch = 0;
	WRITE_ONCE(pool->token_batch, batch);
	WRITE_ONCE(pool->admission.plenty, batch ? total / 4 : INT_MAX);
}

void __wpool_attention_set(struct wpool *pool, u32 bits, bool on)
{
	u32 attention = on ? pool->attention | bits : pool->attention & ~bits;

	lockdep_assert_held(&pool->admission.lock);
	/* write only a change: every submit and every finish reads that line */
	if (attention != pool->attention)
		WRITE_ONCE(pool->attention, attention);
}

void __wpool_tokens_make_scarce(struct wpool *pool)
{
	struct wpool_runq *rq;
	int cpu;

	lockdep_assert_held(&pool->admission.lock);
	if (pool->attention & WPOOL_ATT_SCARCE)
		return;
	__wpool_attention_set(pool, WPOOL_ATT_SCARCE, true);
	/* scarce:A */
	smp_mb();
	wpool_for_each_runq(pool, rq, cpu)
		if (atomic_read(&rq->share.tokens))
			atomic_add(atomic_xchg(&rq->share.tokens, 0), &pool->admission.tokens);
}

void wpool_tokens_spill(struct wpool *pool, struct wpool_runq *rq)
{
	unsigned long flags;

	/* under the lock, so that a search for tokens does not miss these tokens */
	raw_spin_lock_irqsave(&pool->admission.lock, flags);
	/* give:A, for all tokens of the cache */
	atomic_add_return(atomic_xchg(&rq->share.tokens, 0), &pool->admission.tokens);
	raw_spin_unlock_irqrestore(&pool->admission.lock, flags);
}

void wpool_tokens_relax(struct wpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->admission.lock, flags);
	if (list_empty(&pool->admission.waiters) &&
	    atomic_read(&pool->admission.tokens) >= READ_ONCE(pool->admission.plenty))
		__wpool_attention_set(pool, WPOOL_ATT_SCARCE, false);
	raw_spin_unlock_irqrestore(&pool->admission.lock, flags);
}

int __wpool_tokens_take(struct wpool *pool, struct wpool_runq *rq, u32 want)
{
	u32 batch = READ_ONCE(pool->token_batch), n;

	lockdep_assert_held(&pool->admission.lock);
	if (pool->attention & WPOOL_ATT_CLOSED)
		return -ESHUTDOWN;
	if (!list_empty(&pool->admission.waiters))
		return 0;
	if (batch == WPOOL_NO_TOKENS) {
		__local64_add(want, &rq->share.tokenless);
		return want;
	}
	if (pool->attention & WPOOL_ATT_SCARCE)
		batch = 0;
	n = wpool_tokens_take_from(&pool->admission.tokens, want + batch);
	if (n < want) {
		__wpool_tokens_make_scarce(pool);
		n += wpool_tokens_take_from(&pool->admission.tokens, want - n);
	}
	if (n > want)
		atomic_add(n - want, &rq->share.tokens);
	return min(n, want);
}

u32 wpool_nr_free(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 attention;
	int n;

	if (IS_ERR_OR_NULL(pool))
		return 0;
	attention = READ_ONCE(pool->attention);
	if (attention & WPOOL_ATT_WAITERS || wpool_refuses(pool))
		return 0;
	if (READ_ONCE(pool->token_batch) == WPOOL_NO_TOKENS)
		return WPOOL_UNLIMITED;
	n = atomic_read(&pool->admission.tokens);
	preempt_disable();
	rq = wpool_this_runq(pool);
	/* if the pool was destroyed, a CPU that came up afterwards has no run queue */
	if (rq && !(attention & WPOOL_ATT_SCARCE))
		n += atomic_read(&rq->share.tokens);
	preempt_enable();
	return max(n, 0);
}
EXPORT_SYMBOL_GPL(wpool_nr_free);

void wpool_tokens_resize(struct wpool *pool)
{
	int total = wpool_tokens_total(pool->capacity, pool->queue_depth), more;
	bool had_limit = pool->token_batch != WPOOL_NO_TOKENS;
	unsigned long flags;

	lockdep_assert_held(&pool->tune_mutex);
	set_batch(pool, total);
	/* wait until all submits take and all finishes give tokens; there are plenty until then */
	if (!had_limit && total != WPOOL_TOKENS_UNLIMITED)
		synchronize_rcu();
	/* without a limit this is approximate: the sum still changes */
	more = total - pool->admission.base -
	       wpool_sum_runqs(pool, local64_read(&rq->share.tokenless));
	pool->admission.base += more;

	raw_spin_lock_irqsave(&pool->admission.lock, flags);
	/* empty the caches: a finish repays a debt only to admission.tokens */
	if (more < 0 || !pool->token_batch)
		__wpool_tokens_make_scarce(pool);
	atomic_add(more, &pool->admission.tokens);
	raw_spin_unlock_irqrestore(&pool->admission.lock, flags);
}
