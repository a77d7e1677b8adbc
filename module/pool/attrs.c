// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a pool: defaults and allowed values. What depends on a pool's
 * other attributes is checked in pool.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/attrs.h"

#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/printk.h>
#include <linux/string.h>

#define KNOWN_BITS	(WPOOL_TUNE_ALL | WPOOL_CREATE_ORDER | WPOOL_CREATE_PREALLOC)

/* Nobody could set an attribute whose bit is not in WPOOL_TUNE_ALL. */
const struct wpool_attr wpool_attr_table[WPOOL_NR_ATTRS] = {
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, _preset, _words, ...)	\
	{									\
		.name = #_name,							\
		.words = _words,						\
		.type = WPOOL_ATTR_##_type,					\
		.offset = offsetof(struct wpool_attrs, _name),			\
		.bit = WPOOL_##_when##_##_NAME +				\
		       BUILD_BUG_ON_ZERO(!(KNOWN_BITS & WPOOL_##_when##_##_NAME)),	\
		.min = _min,							\
		.max = _max,							\
		.preset = _preset,						\
	},
#include "pool/attr_table.h"
};

s64 wpool_attr_get(const struct wpool_attrs *attrs, const struct wpool_attr *attr)
{
	const void *field = (const char *)attrs + attr->offset;

	switch (attr->type) {
	case WPOOL_ATTR_BOOL:
		return *(const bool *)field;
	case WPOOL_ATTR_INT:
		return *(const int *)field;
	default:
		return *(const u32 *)field;
	}
}

void wpool_attr_set(struct wpool_attrs *attrs, const struct wpool_attr *attr, s64 value)
{
	void *field = (char *)attrs + attr->offset;

	if (attr->type == WPOOL_ATTR_BOOL)
		*(bool *)field = value;
	else
		*(u32 *)field = value;
}

void wpool_attrs_init(struct wpool_attrs *attrs)
{
	u32 i;

	*attrs = (struct wpool_attrs) { };
	for (i = 0; i < WPOOL_NR_ATTRS; i++)
		wpool_attr_set(attrs, &wpool_attr_table[i], wpool_attr_table[i].preset);
}
EXPORT_SYMBOL_GPL(wpool_attrs_init);

int wpool_name_check(const char *name)
{
	size_t len, i;

	if (!name || name[0] == '.')
		return -EINVAL;
	len = strnlen(name, WPOOL_NAME_LEN);
	if (!len || len == WPOOL_NAME_LEN)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("_.-", name[i])))
			return -EINVAL;
	return 0;
}

static bool is_allowed(const struct wpool_attrs *attrs, const struct wpool_attr *attr)
{
	s64 value = wpool_attr_get(attrs, attr);

	return (value >= attr->min && value <= attr->max) ||
	       (attr->type == WPOOL_ATTR_LIMIT && value == WPOOL_UNLIMITED);
}

/* Of a pool with all CPUs that can come, so that no CPU that comes is one too many. */
static bool is_too_much(u32 capacity_per_cpu)
{
	return (u64)capacity_per_cpu * num_possible_cpus() > WPOOL_MAX_CAPACITY;
}

int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask)
{
	const struct wpool_attr *attr;

	if (mask & ~WPOOL_TUNE_ALL)
		return -EINVAL;

	/* zero workers is not a number out of range: it is no pool */
	if (mask & WPOOL_TUNE_CAPACITY && !attrs->capacity)
		return -EINVAL;
	for (attr = wpool_attr_table; attr < wpool_attr_table + WPOOL_NR_ATTRS; attr++)
		if (mask & attr->bit && !is_allowed(attrs, attr))
			return attr->type == WPOOL_ATTR_WORD ? -EINVAL : -ERANGE;
	if (mask & WPOOL_TUNE_CAPACITY_PER_CPU && is_too_much(attrs->capacity_per_cpu))
		return -ERANGE;
	/* a mask that no CPU of this machine is in would leave the pool without workers */
	if (mask & WPOOL_TUNE_CPUMASK && attrs->cpumask &&
	    !cpumask_intersects(attrs->cpumask, cpu_online_mask))
		return -EINVAL;
	return 0;
}

/* A value that is not allowed by itself. */
static bool explain_value(const char *pool, const struct wpool_attrs *attrs, u32 mask)
{
	const struct wpool_attr *attr = wpool_attr_table;

	while (attr < wpool_attr_table + WPOOL_NR_ATTRS &&
	       (!(mask & attr->bit) || is_allowed(attrs, attr)))
		attr++;
	if (attr == wpool_attr_table + WPOOL_NR_ATTRS)
		return false;
	if (attr->type == WPOOL_ATTR_WORD)
		pr_warn_ratelimited("%s: %s = %lld is none of its values\n", pool, attr->name,
				    wpool_attr_get(attrs, attr));
	else
		pr_warn_ratelimited("%s: %s = %lld is out of its range, %d to %d\n", pool,
				    attr->name, wpool_attr_get(attrs, attr), attr->min,
				    attr->max);
	return true;
}

bool wpool_attrs_explain(const char *pool, const struct wpool_attrs *attrs, u32 mask)
{
	bool is_made = !~mask;

	if (!is_made && mask & ~WPOOL_TUNE_ALL)
		pr_warn_ratelimited("%s: unknown bits %lx in the mask of attributes\n", pool,
				    mask & ~WPOOL_TUNE_ALL);
	else if (explain_value(pool, attrs, mask))
		return true;
	else if (is_too_much(attrs->capacity_per_cpu))
		pr_warn_ratelimited("%s: capacity_per_cpu = %u, with %u CPUs, is a capacity above %u\n",
				    pool, attrs->capacity_per_cpu, num_possible_cpus(),
				    WPOOL_MAX_CAPACITY);
	else if (attrs->prealloc && attrs->capacity_per_cpu)
		pr_warn_ratelimited("%s: a preallocated pool has no capacity_per_cpu\n", pool);
	else if (!is_made && attrs->capacity_per_cpu && mask & WPOOL_TUNE_CAPACITY &&
		 mask & WPOOL_TUNE_CAPACITY_PER_CPU)
		pr_warn_ratelimited("%s: capacity and capacity_per_cpu exclude each other\n",
				    pool);
	else if (!attrs->capacity_per_cpu && attrs->min_workers > attrs->capacity)
		pr_warn_ratelimited("%s: min_workers = %u is above capacity = %u\n", pool,
				    attrs->min_workers, attrs->capacity);
	else if (attrs->prealloc && attrs->capacity == WPOOL_UNLIMITED)
		pr_warn_ratelimited("%s: prealloc needs a capacity\n", pool);
	else if (mask & WPOOL_TUNE_CPUMASK && attrs->cpumask &&
		 !cpumask_intersects(attrs->cpumask, cpu_online_mask))
		pr_warn_ratelimited("%s: no CPU of cpumask is online\n", pool);
	else if (!is_made && attrs->prealloc && mask & WPOOL_TUNE_CAPACITY)
		pr_warn_ratelimited("%s: capacity of a preallocated pool cannot be changed\n",
				    pool);
	else if (!is_made && mask & WPOOL_TUNE_POLICY)
		pr_warn_ratelimited("%s: policy run is chosen when the pool is made\n", pool);
	else
		return false;
	return true;
}
