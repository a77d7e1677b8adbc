// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a pool: defaults and allowed values. tune.c checks values against the pool itself.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/attrs.h"

#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/string.h>

#define KNOWN_BITS	(WPOOL_TUNE_ALL | WPOOL_CREATE_ORDER | WPOOL_CREATE_PREALLOC)

/* Each bit must be in KNOWN_BITS: an attribute with another bit could never be set. */
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

void wpool_attrs_merge(struct wpool_attrs *to, const struct wpool_attrs *from, u32 mask)
{
	const struct wpool_attr *attr;

	for (attr = wpool_attr_table; attr < wpool_attr_table + WPOOL_NR_ATTRS; attr++)
		if (mask & attr->bit)
			wpool_attr_set(to, attr, wpool_attr_get(from, attr));
	if (mask & WPOOL_TUNE_CPUMASK)
		to->cpumask = from->cpumask;
	/* a capacity that is set by number does not follow the CPUs */
	if (mask & WPOOL_TUNE_CAPACITY)
		to->capacity_per_cpu = 0;
}

static bool is_allowed(const struct wpool_attrs *attrs, const struct wpool_attr *attr)
{
	s64 value = wpool_attr_get(attrs, attr);

	return (value >= attr->min && value <= attr->max) ||
	       (attr->type == WPOOL_ATTR_LIMIT && value == WPOOL_UNLIMITED);
}

int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask, const char *tells)
{
	const struct wpool_attr *attr;

	for (attr = wpool_attr_table; attr < wpool_attr_table + WPOOL_NR_ATTRS; attr++) {
		if (!(mask & attr->bit) || is_allowed(attrs, attr))
			continue;
		if (attr->type == WPOOL_ATTR_WORD)
			return wpool_attrs_refuse(-EINVAL, tells, "%s = %lld is none of its values",
						  attr->name, wpool_attr_get(attrs, attr));
		/* a capacity of 0 is a wrong value, rather than one out of range */
		return wpool_attrs_refuse(attr->bit == WPOOL_TUNE_CAPACITY && !attrs->capacity ?
					  -EINVAL : -ERANGE, tells,
					  "%s = %lld is out of its range, %d to %d", attr->name,
					  wpool_attr_get(attrs, attr), attr->min, attr->max);
	}
	/* count all possible CPUs, so that no later CPU makes the capacity too large */
	if (mask & WPOOL_TUNE_CAPACITY_PER_CPU &&
	    (u64)attrs->capacity_per_cpu * num_possible_cpus() > WPOOL_MAX_CAPACITY)
		return wpool_attrs_refuse(-ERANGE, tells,
					  "capacity_per_cpu = %u, with %u CPUs, is a capacity above %u",
					  attrs->capacity_per_cpu, num_possible_cpus(),
					  WPOOL_MAX_CAPACITY);
	/* a mask without an online CPU would leave the pool without workers */
	if (mask & WPOOL_TUNE_CPUMASK && attrs->cpumask &&
	    !cpumask_intersects(attrs->cpumask, cpu_online_mask))
		return wpool_attrs_refuse(-EINVAL, tells, "no CPU of cpumask is online");
	return 0;
}

int wpool_attrs_check_together(const struct wpool_attrs *attrs, const char *tells)
{
	if (attrs->prealloc && attrs->capacity_per_cpu)
		return wpool_attrs_refuse(-EINVAL, tells,
					  "a preallocated pool has no capacity_per_cpu");
	if (!attrs->capacity_per_cpu && attrs->min_workers > attrs->capacity)
		return wpool_attrs_refuse(-EINVAL, tells, "min_workers = %u is above capacity = %u",
					  attrs->min_workers, attrs->capacity);
	if (attrs->prealloc && attrs->capacity == WPOOL_UNLIMITED)
		return wpool_attrs_refuse(-EINVAL, tells, "prealloc needs a capacity");
	return 0;
}
