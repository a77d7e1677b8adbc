/* SPDX-License-Identifier: GPL-2.0 */
/* The run queues of a pool: how to find one, visit them, and sum over them. */
#ifndef WPOOL_CORE_RUNQS_H
#define WPOOL_CORE_RUNQS_H

#include "core/state.h"

/* Bitmaps of run queues: a CPU may change bits while another CPU visits them. */

/** wpool_next_bit() - the first set bit from @i on, or @nr: racy, as CPUs change the bits */
static inline u32 wpool_next_bit(const unsigned long *mask, u32 nr, u32 i)
{
	unsigned long word;

	for (; i < nr; i = (i | (BITS_PER_LONG - 1)) + 1) {
		/* find_next_bit() does not use READ_ONCE() */
		word = READ_ONCE(mask[i / BITS_PER_LONG]) >> (i % BITS_PER_LONG);
		if (word)
			return min_t(u32, i + __ffs(word), nr);
	}
	return nr;
}

/* The first set bit from @i on, in a circle that begins and ends at @start; @nr if none is set. */
static inline u32 wpool_next_bit_wrap(const unsigned long *mask, u32 nr, u32 start, u32 i)
{
	u32 n;

	if (i >= start) {
		n = wpool_next_bit(mask, nr, i);
		if (n < nr)
			return n;
		i = 0;
	}
	n = wpool_next_bit(mask, start, i);
	return n < start ? n : nr;
}

/** wpool_for_each_bit() - visit the set bits; @i is the number of each */
#define wpool_for_each_bit(i, mask, nr)						\
	for ((i) = wpool_next_bit(mask, nr, 0); (i) < (nr);			\
	     (i) = wpool_next_bit(mask, nr, (i) + 1))

/** wpool_for_each_bit_wrap() - visit the set bits in a circle that begins at @start, below @nr */
#define wpool_for_each_bit_wrap(i, mask, nr, start)				\
	for ((i) = wpool_next_bit_wrap(mask, nr, start, start); (i) < (nr);	\
	     (i) = (i) + 1 == (start) ? (nr) :					\
		   wpool_next_bit_wrap(mask, nr, start, (i) + 1))

/** wpool_this_runq() - run queue of this CPU; preemption is off */
static inline struct wpool_runq *wpool_this_runq(struct wpool *pool)
{
	return __this_cpu_read(*pool->rq);
}

/** wpool_runq() - run queue of a CPU; NULL if the CPU was never online while the pool existed */
static inline struct wpool_runq *wpool_runq(struct wpool *pool, int cpu)
{
	return READ_ONCE(*per_cpu_ptr(pool->rq, cpu));
}

/* The next run queue after that of *@cpu, or NULL; *@cpu becomes its CPU. */
static inline struct wpool_runq *wpool_next_runq(struct wpool *pool, int *cpu)
{
	struct wpool_runq *rq = NULL;

	while (!rq && (*cpu = cpumask_next(*cpu, cpu_possible_mask)) < nr_cpu_ids)
		rq = wpool_runq(pool, *cpu);
	return rq;
}

/** wpool_for_each_runq() - visit the run queues of all CPUs; too slow for each task */
#define wpool_for_each_runq(pool, rq, cpu)				\
	for ((cpu) = -1; ((rq) = wpool_next_runq(pool, &(cpu))); )

/** wpool_nr_active() - how many run queues are active */
static inline u32 wpool_nr_active(const struct wpool *pool)
{
	/* wpool_nr_active:A, pairs with __wpool_runq_activate:A */
	return smp_load_acquire(&pool->nr_active);
}

/** wpool_active() - the active run queue with index @i, which is below wpool_nr_active() */
static inline struct wpool_runq *wpool_active(struct wpool *pool, u32 i)
{
	return wpool_runq(pool, pool->active[i]);
}

/** wpool_for_each_active() - visit the active run queues; @i is the index of each */
#define wpool_for_each_active(pool, rq, i)				\
	for ((i) = 0; (i) < wpool_nr_active(pool) &&			\
	     ((rq) = wpool_active(pool, i), true); (i)++)

#define __wpool_sum(pool, for_each, value) ({					\
	struct wpool *_pool = (pool);						\
	struct wpool_runq *rq;							\
	u64 _sum = 0;								\
	int _i;									\
										\
	for_each(_pool, rq, _i)							\
		_sum += (value);						\
	_sum;									\
})

/** wpool_sum_runqs() - sum @value over all CPUs' run queues; in @value, rq is the run queue */
#define wpool_sum_runqs(pool, value)	__wpool_sum(pool, wpool_for_each_runq, value)

/** wpool_sum_active() - sum @value over the active run queues; in @value, rq is the run queue */
#define wpool_sum_active(pool, value)	__wpool_sum(pool, wpool_for_each_active, value)

/** wpool_runq_len() - how many tasks a run queue holds: racy */
static inline u32 wpool_runq_len(const struct wpool_runq *rq)
{
	return wpool_ring_len(&rq->ring) + wpool_fifo_len(&rq->backlog) + !!READ_ONCE(rq->next);
}

#endif /* WPOOL_CORE_RUNQS_H */
