/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of pools that are read again and again. */
#ifndef WPOOLCTL_POOLS_H
#define WPOOLCTL_POOLS_H

#include "sysfs.h"

struct pool {
	char *name;
	bool present;		/* the latest look found the pool, and filled @now */
	bool valid;		/* @last has figures of the same pool, so there are rates */
	struct snapshot last, now;
};

struct pools {
	struct pool *pool;
	size_t nr;
	bool all;		/* look at all pools that exist, not at added ones */
};

#define for_each_pool(_pool, _pools)	\
	for (_pool = (_pools)->pool; _pool < (_pools)->pool + (_pools)->nr; _pool++)

/* Add a pool. @name is copied. */
void pools_add(struct pools *pools, const char *name);

/*
 * Look at all pools, also after an error. Returns 0, or the first -errno and a message. With
 * pools->all, a pool that disappears meanwhile is no error.
 */
int pools_look(struct pools *pools, struct errmsg *e);

bool pools_have_latency(const struct pools *pools);

static inline __u64 pool_figure(const struct pool *pool, enum figure figure)
{
	return pool->now.value[figure];
}

/* How much a figure grew per second between the two looks; 0 unless the pool is valid. */
double pool_rate(const struct pool *pool, enum figure figure);

#endif /* WPOOLCTL_POOLS_H */
