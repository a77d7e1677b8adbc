// SPDX-License-Identifier: GPL-2.0
/*
 * The parsers of module/faces/sysfs.c and module/pool/attrs.c in user space. The two files are
 * included here; shim/kernel.h replaces the kernel's headers.
 */
#include "kernel_parsers.h"

#include "faces/sysfs.c"
#include "pool/attrs.c"

/* Stubs: other code of these files calls them, no parser does. */
int wpool_pool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask)
{
	return 0;
}

void wpool_get_attrs(struct wpool *pool, struct wpool_attrs *attrs, struct cpumask *cpumask)
{
	memset(attrs, 0, sizeof(*attrs));
}

int wpool_cgroup_set(struct wpool *pool, struct task_struct *from, const struct path *dir)
{
	return 0;
}

int wpool_cgroup_path(struct wpool *pool, char *buf, size_t size)
{
	return 0;
}

void wpool_get_stats(struct wpool *pool, struct wpool_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
}

struct module *wpool_owner(struct wpool *pool)
{
	return NULL;
}

void wpool_get_pressure(struct wpool *pool, struct wpool_pressure_avgs *avgs)
{
	memset(avgs, 0, sizeof(*avgs));
}

int wpool_get_latency(struct wpool *pool, struct wpool_hist *wait, struct wpool_hist *run)
{
	return -ENODATA;
}

u64 wpool_hist_from(u32 bucket)
{
	return bucket;
}

static const struct wpool_attr *attr_of(const struct kernel_value *value)
{
	return find_attr(value->name);
}

/* Parses @buf as the sysfs file of the attribute does. */
int kernel_attr(const char *buf, size_t count, struct kernel_value *value)
{
	s64 parsed;
	int err = parse_attr(attr_of(value), buf, count, &parsed);

	if (!err)
		value->value = parsed;
	return err;
}

bool kernel_allows(const struct kernel_value *value)
{
	const struct wpool_attr *attr = attr_of(value);
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	wpool_attr_set(&attrs, attr, value->value);
	return is_allowed(&attrs, attr) && !wpool_attrs_check(&attrs, WPOOL_TUNE_ALL, NULL);
}

bool kernel_creates(const struct kernel_value *values, size_t nr)
{
	struct wpool_attrs attrs;
	size_t i;

	wpool_attrs_init(&attrs);
	for (i = 0; i < nr; i++)
		wpool_attr_set(&attrs, attr_of(&values[i]), values[i].value);
	return !wpool_attrs_check(&attrs, ~0U, NULL) && !wpool_attrs_check_together(&attrs, NULL);
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
