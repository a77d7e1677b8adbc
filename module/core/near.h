/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How near two CPUs are to each other, by the memory that they share. If a worker wakes a worker of
 * another CPU, or takes that CPU's tasks, cache lines move. That costs least between CPUs with a
 * last-level cache in common. Unbound workqueues have this as their affinity scope "cache".
 *
 * A CPU of the same core is not preferred to others with the same cache: a worker on that CPU would
 * find the submitter's cache lines, but would share the core's units with the submitter.
 */
#ifndef WPOOL_CORE_NEAR_H
#define WPOOL_CORE_NEAR_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

enum wpool_distance {
	WPOOL_SAME_CACHE,
	WPOOL_SAME_NODE,
	WPOOL_FAR,
	WPOOL_NR_DISTANCES,
};

/*
 * Which cache and node a CPU has. A walk over many CPUs reads these, which seldom change, rather
 * than the run queues, which other CPUs write. Letters as in state.h.
 */
struct wpool_site {
	int node;			/* T: memory node; read anywhere */
	u32 cache;			/* T: number of the last-level cache; read anywhere */
};

/** wpool_distance() - the distance between two CPUs. @a, @b: their sites */
static inline enum wpool_distance wpool_distance(const struct wpool_site *a,
						 const struct wpool_site *b)
{
	if (READ_ONCE(a->node) != READ_ONCE(b->node))
		return WPOOL_FAR;
	return READ_ONCE(a->cache) == READ_ONCE(b->cache) ? WPOOL_SAME_CACHE : WPOOL_SAME_NODE;
}

/*
 * Is @site at the distance @at from @own? The caller walks from near to far, in one round for each
 * distance that occurs; in the first round @at is WPOOL_SAME_CACHE. @next: becomes the smallest
 * distance above @at that the round meets: the @at of the next round.
 */
static inline bool wpool_is_at(const struct wpool_site *site, const struct wpool_site *own,
			       enum wpool_distance at, enum wpool_distance *next)
{
	enum wpool_distance distance = wpool_distance(site, own);

	if (distance > at)
		*next = min(*next, distance);
	return distance == at;
}

#endif /* WPOOL_CORE_NEAR_H */
