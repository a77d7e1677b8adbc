/* SPDX-License-Identifier: GPL-2.0 */
/* Pools, looked at again and again. */
#ifndef WPOOLCTL_POOLS_H
#define WPOOLCTL_POOLS_H

#include "sysfs.h"

#define POOL_HISTORY	256	/* looks */

struct pool {
	char *name;
	bool present;		/* in the last look: now has its figures */
	bool valid;		/* and last those of the look before, so there are rates */
	struct snapshot last, now;
	float done_per_s[POOL_HISTORY];	/* of the last looks, a ring */
	unsigned int nr_done;
};

struct pools {
	struct pool *pool;
	size_t nr;
	bool all;		/* those that there are, which come and go; else those added */
};

/* @name is copied. */
void pools_add(struct pools *pools, const char *name);

/*
 * Look at all of them. 0, or the first -errno and a message, when all have been looked at; with
 * pools->all, a pool that is gone meanwhile is no error.
 */
int pools_look(struct pools *pools, struct errmsg *e);
void pools_exit(struct pools *pools);

/* Does one of them take times? */
bool pools_have_latency(const struct pools *pools);

/* By how much a figure grew in a second between the looks of a valid pool; else 0. */
double pool_rate(const struct pool *pool, enum figure figure);

#endif /* WPOOLCTL_POOLS_H */
