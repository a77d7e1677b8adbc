/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that the module's parsers need in user space: types of the public header,
 * and functions that parse numbers and words as the kernel's functions do.
 */
#ifndef WPOOL_FUZZ_SHIM_H
#define WPOOL_FUZZ_SHIM_H

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 64-bit types are long long, as the kernel's printf formats expect. */
typedef uint8_t u8;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;
typedef s64 ktime_t;

#define gfp_t			unsigned int
#define atomic_t		struct shim_atomic
#define cpumask_var_t		struct cpumask *

struct shim_atomic {
	int counter;
};

struct list_head {
	struct list_head *next, *prev;
};

/* Types that the public header embeds. No parser uses their contents. */
typedef struct { int locked; } raw_spinlock_t;

struct hrtimer {
	ktime_t expires;
};

struct module {
	const char *name;
};

#define current ((struct task_struct *)NULL)
#define LOOKUP_FOLLOW		1

struct cpumask {
	unsigned long bits;
};

struct attribute {
	const char *name;
	unsigned short mode;
};

struct file;
struct kobject;
struct bin_attribute {
	struct attribute attr;
	ssize_t (*read)(struct file *file, struct kobject *kobj, struct bin_attribute *attr,
			char *buf, loff_t at, size_t count);
};

struct attribute_group {
	struct attribute **attrs;
	struct bin_attribute **bin_attrs;
};

struct device {
	void *data;
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buf);
	ssize_t (*store)(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count);
};

#define U32_MAX			UINT32_MAX
#define PAGE_SIZE		4096
#define GFP_KERNEL		0
#define NSEC_PER_USEC		1000L
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((2UL << (h)) - (1UL << (l)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define sizeof_field(type, field...)	sizeof(((type *)0)->field)
#define container_of(at, type, field)	((type *)((char *)(at) - offsetof(type, field)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define EXPORT_SYMBOL_GPL(symbol)
#define __must_check
#define pr_warn_ratelimited(...)	((void)(0 && printf(__VA_ARGS__)))
#define __ATTR(n, m, s, t)	{ .attr = { #n, m }, .show = s, .store = t }
#define DEVICE_ATTR_RW(n) \
	struct device_attribute dev_attr_##n = __ATTR(n, 0644, n##_show, n##_store)
#define DEVICE_ATTR_RO(n) \
	struct device_attribute dev_attr_##n = __ATTR(n, 0444, n##_show, NULL)
#define __BIN_ATTR_RO(n, s)	{ .attr = { #n, 0444 }, .read = n##_read }
#undef isascii
#define isascii(c)		(((c) & ~0x7f) == 0)
#define cpumask_pr_args(mask)	(mask)
#define num_possible_cpus()	1U
#define cpu_possible_mask	((const struct cpumask *)NULL)
#define cpu_online_mask		((const struct cpumask *)NULL)

static inline void *dev_get_drvdata(const struct device *dev)
{
	return dev->data;
}

static inline struct device *kobj_to_dev(struct kobject *kobj)
{
	return (struct device *)kobj;
}

static inline int sysfs_emit(char *buf, const char *format, ...)
{
	buf[0] = 0;
	return 0;
}

#define BUILD_BUG_ON_ZERO(e)	0
#define sysfs_emit_at(buf, at, ...)	sysfs_emit((buf) + (at), __VA_ARGS__)

static inline u64 div_u64(u64 n, u32 by)
{
	return n / by;
}

static inline void *kmalloc_array(size_t nr, size_t size, gfp_t gfp)
{
	return calloc(nr, size);
}

static inline void kfree(const void *memory)
{
	free((void *)memory);
}

static inline char *kstrndup(const char *s, size_t max, gfp_t gfp)
{
	return strndup(s, max);
}

/* No parser looks up a path. */
struct path {
	const char *name;
};

static inline int kern_path(const char *name, unsigned int flags, struct path *path)
{
	return -ENOENT;
}

static inline void path_put(const struct path *path)
{
}

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	*mask = calloc(1, sizeof(**mask));
	return *mask;
}

static inline void free_cpumask_var(struct cpumask *mask)
{
	free(mask);
}

/* A stub: the kernel's parser of CPU lists is not tested here. */
static inline int cpulist_parse(const char *buf, struct cpumask *mask)
{
	mask->bits = strlen(buf);
	return 0;
}

static inline bool cpumask_subset(const struct cpumask *a, const struct cpumask *b)
{
	return a->bits < 64;
}

static inline bool cpumask_intersects(const struct cpumask *a, const struct cpumask *b)
{
	return a->bits;
}

/* As in lib/kstrtox.c: digits, one newline at most, nothing else. */
static inline int shim_kstrtoull(const char *s, u64 *value)
{
	const char *digits = s;
	u64 all = 0;

	for (; *s >= '0' && *s <= '9'; s++) {
		if (all > (UINT64_MAX - (*s - '0')) / 10)
			return -ERANGE;
		all = all * 10 + (*s - '0');
	}
	if (s == digits)
		return -EINVAL;
	if (*s == '\n')
		s++;
	if (*s)
		return -EINVAL;
	*value = all;
	return 0;
}

static inline int kstrtoll(const char *s, unsigned int base, s64 *value)
{
	bool negative = *s == '-';
	u64 all;
	int err = shim_kstrtoull(s + (*s == '+' || *s == '-'), &all);

	if (err)
		return err;
	if (all > (u64)LLONG_MAX + negative)
		return -ERANGE;
	*value = negative ? -all : all;
	return 0;
}

/* As in lib/string_helpers.c: equal, or one has a newline more at its end. */
static inline bool sysfs_streq(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b || (!*a && *b == '\n' && !b[1]) || (*a == '\n' && !a[1] && !*b);
}

static inline int __sysfs_match_string(const char *const *words, size_t nr, const char *s)
{
	size_t i;

	for (i = 0; i < nr && words[i]; i++)
		if (sysfs_streq(words[i], s))
			return i;
	return -EINVAL;
}

#endif /* WPOOL_FUZZ_SHIM_H */
