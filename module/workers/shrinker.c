// SPDX-License-Identifier: GPL-2.0
/*
 * The shrinker, see shrinker.h. An idle worker takes memory for its stack and the kernel's data
 * about its thread. If memory is short, workers beyond min_workers that have been idle for
 * 100 ms leave at once rather than after expiry_ms, the coldest of each pool first.
 * Pools whose workers never expire keep them.
 *
 * The shrinker is called in the middle of any allocation, so it takes raw locks only.
 */
#include "workers/shrinker.h"

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/shrinker.h>

#include "compat.h"
#include "core/registry.h"
#include "workers/expire.h"

static struct shrinker *shrinker;

static bool count_pool(struct wpool *pool, void *nr)
{
	*(unsigned long *)nr += wpool_expire_count(pool);
	return false;
}

static bool shrink_pool(struct wpool *pool, void *left)
{
	while (*(unsigned long *)left && wpool_expire_early(pool))
		--*(unsigned long *)left;
	return false;
}

static unsigned long count_idle(struct shrinker *unused, struct shrink_control *control)
{
	unsigned long nr = 0;

	wpool_pools_walk_rcu(count_pool, &nr);
	return nr ?: SHRINK_EMPTY;
}

static unsigned long scan_idle(struct shrinker *unused, struct shrink_control *control)
{
	unsigned long left = control->nr_to_scan;

	wpool_pools_walk_rcu(shrink_pool, &left);
	return control->nr_to_scan - left ?: SHRINK_STOP;
}

int wpool_shrinker_init(void)
{
	shrinker = compat_shrinker_alloc();
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count_idle;
	shrinker->scan_objects = scan_idle;
	shrinker->seeks = DEFAULT_SEEKS;
	return compat_shrinker_register(shrinker);
}

void wpool_shrinker_exit(void)
{
	compat_shrinker_free(shrinker);
}
