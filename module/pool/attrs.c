// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a pool: defaults and allowed values. What depends on a pool's
 * other attributes is checked in pool.c.
 */
#include "pool/attrs.h"

#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/sched/prio.h>
#include <linux/string.h>

void wpool_attrs_init(struct wpool_attrs *attrs)
{
	*attrs = (struct wpool_attrs) {
		.capacity = 256,
		.policy = WPOOL_BLOCK,
		.expiry_ms = 1000,
		.min_workers = 1,
		.concurrency = 1,
		.spin_us = 20,
		.hog_ms = 10,
		.handoff = true,
		.steal = true,
		.order = WPOOL_LIFO,
	};
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

/* The numbers, with their ranges; a value that means "no limit" is apart. */
static const struct {
	u32 bit;
	size_t offset;
	u32 min;
	u32 max;
	bool unlimited;
} ranges[] = {
#define RANGE(bit, field, min, max, unlimited) \
	{ WPOOL_TUNE_##bit, offsetof(struct wpool_attrs, field), min, max, unlimited }
	RANGE(QUEUE_DEPTH, queue_depth, 0, WPOOL_MAX_QUEUE_DEPTH, true),
	RANGE(MAX_BLOCKING, max_blocking, 0, WPOOL_MAX_BLOCKING, false),
	RANGE(EXPIRY_MS, expiry_ms, 0, WPOOL_MAX_EXPIRY_MS, false),
	RANGE(MIN_WORKERS, min_workers, 0, WPOOL_MAX_CAPACITY, false),
	RANGE(CONCURRENCY, concurrency, 1, WPOOL_MAX_CONCURRENCY, false),
	RANGE(SPIN_US, spin_us, 0, WPOOL_MAX_SPIN_US, false),
	RANGE(HOG_MS, hog_ms, 1, WPOOL_MAX_HOG_MS, false),
};

int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask)
{
	u32 value, i;

	if (mask & ~WPOOL_TUNE_ALL)
		return -EINVAL;

	/* zero workers is not a number out of range: it is no pool */
	if (mask & WPOOL_TUNE_CAPACITY && attrs->capacity != WPOOL_UNLIMITED) {
		if (!attrs->capacity)
			return -EINVAL;
		if (attrs->capacity > WPOOL_MAX_CAPACITY)
			return -ERANGE;
	}
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (!(mask & ranges[i].bit))
			continue;
		value = *(const u32 *)((const char *)attrs + ranges[i].offset);
		if (ranges[i].unlimited && value == WPOOL_UNLIMITED)
			continue;
		if (value < ranges[i].min || value > ranges[i].max)
			return -ERANGE;
	}
	if (mask & WPOOL_TUNE_NICE &&
	    (attrs->nice < MIN_NICE || attrs->nice > MAX_NICE))
		return -ERANGE;
	if (mask & WPOOL_TUNE_POLICY && (unsigned int)attrs->policy > WPOOL_RUN)
		return -EINVAL;
	/* a mask that no CPU of this machine is in would leave the pool without workers */
	if (mask & WPOOL_TUNE_CPUMASK && attrs->cpumask &&
	    !cpumask_intersects(attrs->cpumask, cpu_online_mask))
		return -EINVAL;
	return 0;
}
