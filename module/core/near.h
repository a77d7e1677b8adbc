/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How near two CPUs are to each other, by the caches and the memory that they share. If a worker
 * wakes a worker of another CPU, or takes that CPU's tasks, cache lines move. That costs least
 * between CPUs of one core, and little between CPUs with a last-level cache in common. Unbound
 * workqueues have the latter as their affinity scope "cache".
 *
 * Tasks are taken from CPUs of the same core first. A worker is woken or made on another core with
 * the same cache first: on the same core it would share the execution units with the submitter. The
 * scheduler, too, prefers an idle core.
 */
#ifndef WPOOL_CORE_NEAR_H
#define WPOOL_CORE_NEAR_H

#include <linux/compiler.h>
#include <linux/types.h>

enum wpool_distance {
	WPOOL_NEAREST,			/* to take tasks: the same core; to run: another core */
	WPOOL_SAME_CACHE,
	WPOOL_SAME_NODE,
	WPOOL_FAR,
	WPOOL_NR_DISTANCES,
};

/*
 * Which core, cache and node a CPU has. A walk over many CPUs reads these, which seldom change,
 * rather than the run queues, which other CPUs write. Letters as in state.h.
 */
struct wpool_site {
	int node;			/* T: memory node; read anywhere */
	u32 cache;			/* T: number of the last-level cache; read anywhere */
	u32 core;			/* T: number of the core; 0: alone in it; read anywhere */
};

/*
 * The distance between two CPUs. @a, @b: their sites. @to_run: a worker is to run on one of them,
 * beside a thread on the other; else tasks are to be taken. A caller that looks for the nearest CPU
 * walks in one round for each distance that occurs.
 */
static inline enum wpool_distance wpool_distance(const struct wpool_site *a,
						 const struct wpool_site *b, bool to_run)
{
	u32 core = READ_ONCE(a->core);

	if (READ_ONCE(a->node) != READ_ONCE(b->node))
		return WPOOL_FAR;
	if (READ_ONCE(a->cache) != READ_ONCE(b->cache))
		return WPOOL_SAME_NODE;
	return (core && core == READ_ONCE(b->core)) == to_run ? WPOOL_SAME_CACHE : WPOOL_NEAREST;
}

#endif /* WPOOL_CORE_NEAR_H */
