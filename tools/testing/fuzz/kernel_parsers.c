// SPDX-License-Identifier: GPL-2.0
/*
 * The parsers of module/faces/sysfs.c and module/pool/attrs.c in user space: the files
 * themselves, with shim/kernel.h for a kernel.
 */
#include "kernel_parsers.h"

#include "pool/attrs.c"
#include "faces/sysfs.c"

/* What the rest of these files calls; no parser does. */
int wpool_pool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask)
{
	(void)pool;
	(void)attrs;
	(void)mask;
	return 0;
}

void wpool_get_attrs(struct wpool *pool, struct wpool_attrs *attrs, struct cpumask *cpumask)
{
	(void)pool;
	(void)cpumask;
	memset(attrs, 0, sizeof(*attrs));
}

void wpool_get_stats(struct wpool *pool, struct wpool_stats *stats)
{
	(void)pool;
	memset(stats, 0, sizeof(*stats));
}

int kernel_limit(const char *buf, size_t count, unsigned int *value)
{
	return parse_limit(buf, count, value);
}

int kernel_number(const char *buf, size_t count, unsigned int *value)
{
	return parse_u32(buf, count, value);
}

int kernel_int(const char *buf, size_t count, int *value)
{
	return parse_int(buf, count, value);
}

int kernel_bool(const char *buf, size_t count, bool *value)
{
	return parse_bool(buf, count, value);
}

int kernel_policy(const char *buf, size_t count, unsigned int *value)
{
	int index = parse_word(policies, NR_TUNABLE_POLICIES, buf, count);

	if (index < 0)
		return index;
	*value = index;
	return 0;
}

int kernel_cpumask(const char *buf, size_t count)
{
	struct cpumask mask = {};

	return parse_cpumask(buf, count, &mask);
}

int kernel_name(const char *name)
{
	return wpool_name_check(name);
}
