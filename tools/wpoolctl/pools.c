// SPDX-License-Identifier: GPL-2.0
/* Reads the figures of pools again and again, and computes rates from them, see pools.h. */
#include "pools.h"

#include "alloc.h"
#include "parse.h"

void pools_add(struct pools *pools, const char *name)
{
	pools->pool = alloc_one_more(pools->pool, pools->nr, sizeof(*pools->pool));
	pools->pool[pools->nr++].name = alloc_copy(name);
}

static bool has_pool(const struct pools *pools, const char *name)
{
	const struct pool *pool;

	for_each_pool(pool, pools)
		if (!strcmp(pool->name, name))
			return true;
	return false;
}

static int add_new(struct pools *pools, struct errmsg *e)
{
	struct sysfs_names names;
	int err = sysfs_list_pools(&names, e);
	size_t i;

	if (err)
		return err;
	for (i = 0; i < names.nr; i++)
		if (!has_pool(pools, names.entry[i]->d_name))
			pools_add(pools, names.entry[i]->d_name);
	sysfs_names_exit(&names);
	return 0;
}

static void forget_absent(struct pools *pools)
{
	struct pool *pool;
	size_t kept = 0;

	for_each_pool(pool, pools)
		if (pool->present)
			pools->pool[kept++] = *pool;
		else
			free(pool->name);
	pools->nr = kept;
}

/* False if the pool was created again between the two looks: its counters restarted at 0. */
static bool has_rates(const struct snapshot *before, const struct snapshot *now)
{
	enum figure i;

	for (i = 0; i < NR_FIGURES; i++)
		if (figures[i].is_counter && now->value[i] < before->value[i])
			return false;
	return now->when_ns > before->when_ns;
}

static int look(struct pool *pool, struct errmsg *e)
{
	bool was_present = pool->present;
	int err;

	pool->last = pool->now;
	err = sysfs_snapshot(pool->name, &pool->now, e);
	pool->present = !err;
	pool->valid = !err && was_present && has_rates(&pool->last, &pool->now);
	return err;
}

int pools_look(struct pools *pools, struct errmsg *e)
{
	struct errmsg other;
	int err, first = pools->all ? add_new(pools, e) : 0;
	struct pool *pool;

	if (first)
		return first;
	for_each_pool(pool, pools) {
		err = look(pool, first ? &other : e);
		if (!pools->all || (err != -ENOENT && err != -ENODEV))
			first = first ?: err;
	}
	if (pools->all)
		forget_absent(pools);
	return first;
}

bool pools_have_latency(const struct pools *pools)
{
	const struct pool *pool;

	for_each_pool(pool, pools)
		if (pool->present && pool->now.latency)
			return true;
	return false;
}

double pool_rate(const struct pool *pool, enum figure figure)
{
	if (!pool->valid)
		return 0;
	return (double)(pool->now.value[figure] - pool->last.value[figure]) * NSEC_PER_SEC /
	       (pool->now.when_ns - pool->last.when_ns);
}
