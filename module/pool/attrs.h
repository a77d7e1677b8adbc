/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of a pool, and which values are allowed. */
#ifndef WPOOL_POOL_ATTRS_H
#define WPOOL_POOL_ATTRS_H

#include <linux/printk.h>
#include <linux/wpool.h>

/* Bits of the attributes that only a creation sets; all other bits are WPOOL_TUNE_* */
#define WPOOL_CREATE_ORDER	BIT(13)
#define WPOOL_CREATE_PREALLOC	BIT(14)

enum wpool_attr_type {
	WPOOL_ATTR_NUMBER,
	WPOOL_ATTR_LIMIT,
	WPOOL_ATTR_INT,
	WPOOL_ATTR_BOOL,
	WPOOL_ATTR_WORD,
	WPOOL_ATTR_CLASS,
};

/* An attribute that is a single value, see attr_table.h. */
struct wpool_attr {
	const char *name;	/* as in sysfs */
	/*
	 * for a %WPOOL_ATTR_WORD its words, up to NULL; for a %WPOOL_ATTR_CLASS the names of the
	 * values of &enum wpool_sched, in their order
	 */
	const char *words[5];
	enum wpool_attr_type type;	/* form in which the value is written */
	u32 offset;	/* offset in struct wpool_attrs */
	u32 bit;	/* WPOOL_TUNE_* or WPOOL_CREATE_* */
	int min;	/* least value */
	int max;	/* largest value, besides %WPOOL_UNLIMITED for a %WPOOL_ATTR_LIMIT */
	int preset;	/* default */
};

enum {
#define WPOOL_ATTR(_name, ...)	WPOOL_ATTR_INDEX_##_name,
#include "pool/attr_table.h"
	WPOOL_NR_ATTRS
};

extern const struct wpool_attr wpool_attr_table[WPOOL_NR_ATTRS];

/* Copy a field to another structure; "..." keeps checkpatch from taking @field for a value. */
#define WPOOL_COPY_ATTR(to, from, field...)	((to)->field = (from)->field)

s64 wpool_attr_get(const struct wpool_attrs *attrs, const struct wpool_attr *attr);

/** wpool_attr_set() - set one attribute; its type can hold @value */
void wpool_attr_set(struct wpool_attrs *attrs, const struct wpool_attr *attr, s64 value);

/** wpool_attrs_merge() - replace the attributes in @mask by those of @from */
void wpool_attrs_merge(struct wpool_attrs *to, const struct wpool_attrs *from, u32 mask);

/* Refuse attributes with @err. The log says why; @tells: name of the pool, or NULL: no message. */
#define wpool_attrs_refuse(err, tells, fmt, ...) ({				\
	const char *_name = (tells);						\
	if (_name)								\
		pr_warn_ratelimited("%s: " fmt "\n", _name, ##__VA_ARGS__);	\
	err;									\
})

/* Check each attribute in @mask alone. Returns 0, -EINVAL or -ERANGE. */
int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask, const char *tells);
/* Check that all attributes, each of which is allowed alone, go together. Returns 0 or -EINVAL. */
int wpool_attrs_check_together(const struct wpool_attrs *attrs, const char *tells);

/** wpool_name_check() - is this a name for a pool? Return: 0 or -EINVAL */
int wpool_name_check(const char *name);

#endif /* WPOOL_POOL_ATTRS_H */
