/* SPDX-License-Identifier: GPL-2.0 */
/* The limits of the tasks and workers of a pool. */
#ifndef WPOOL_POOL_CAPACITY_H
#define WPOOL_POOL_CAPACITY_H

#include <linux/types.h>

struct work_struct;
struct wpool;
struct wpool_attrs;

/* Attributes that change together. */
struct wpool_limits {
	u32 capacity;	/* maximum number of workers */
	u32 capacity_per_cpu;	/* if not 0: @capacity is max(this * CPUs, @min_workers) */
	u32 queue_depth;	/* accepted tasks beyond @capacity */
	u32 min_workers;	/* workers that never expire */
};

/** wpool_limits_of() - the limits of a pool; tune_mutex is held */
struct wpool_limits wpool_limits_of(struct wpool *pool);

struct wpool_limits wpool_limits_wanted(const struct wpool_attrs *attrs);

/** wpool_limits_tune() - replace the limits that @mask names by those of @attrs */
void wpool_limits_tune(struct wpool_limits *limits, const struct wpool_attrs *attrs, u32 mask);

/** wpool_limits_most() - the capacity with all possible CPUs */
u32 wpool_limits_most(const struct wpool_limits *limits);

/** wpool_limits_are_items() - may a pool with a function have them, with all possible CPUs? */
bool wpool_limits_are_items(const struct wpool_limits *limits);

/** wpool_limits_follow_cpus() - compute the capacity from @nr_cpus, if capacity_per_cpu is set */
void wpool_limits_follow_cpus(struct wpool_limits *limits, u32 nr_cpus);

/*
 * Change the limits; allocates nothing. If the pool has more workers than the new capacity, those
 * in excess take no further task. The caller has checked @limits, and holds tune_mutex. Sleeps.
 */
void wpool_limits_set(struct wpool *pool, const struct wpool_limits *limits);

/*
 * As wpool_limits_set(), and allocates the items that a pool with a function needs. After -ENOMEM
 * nothing has changed. Memory that is no longer needed is kept until wpool_limits_trim(), so that
 * the old limits can be restored.
 */
int wpool_limits_change(struct wpool *pool, const struct wpool_limits *new);

/** wpool_limits_trim() - free the memory that the limits do not need; tune_mutex is held */
void wpool_limits_trim(struct wpool *pool);

/* Adapt a capacity that depends on the CPUs. Sleeps. Returns as wpool_limits_change(). */
int wpool_limits_follow(struct wpool *pool);

/** wpool_limits_follow_work() - the function of pool->follow_work: adapt until it succeeds */
void wpool_limits_follow_work(struct work_struct *work);

#endif /* WPOOL_POOL_CAPACITY_H */
