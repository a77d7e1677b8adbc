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

/* As the file of that attribute parses it. */
int kernel_attr(const char *name, const char *buf, size_t count, long long *value)
{
	const struct device_attribute file = { { name } };
	s64 parsed;
	int err = parse_attr(find_attr(&file), buf, count, &parsed);

	if (!err)
		*value = parsed;
	return err;
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
