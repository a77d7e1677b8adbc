/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of a pool: what there is, and which values are allowed. */
#ifndef WPOOL_POOL_ATTRS_H
#define WPOOL_POOL_ATTRS_H

#include <linux/wpool.h>

/* Bits of those that only the creation of a pool may name; the others: WPOOL_TUNE_*. */
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

/**
 * struct wpool_attr - an attribute that is a value; see attr_table.h
 * @name: as in sysfs
 * @words: what a %WPOOL_ATTR_WORD stands for, up to NULL; of a %WPOOL_ATTR_CLASS the names
 *	that &enum wpool_sched has, in its order
 * @type: how it is written
 * @offset: where it is in struct wpool_attrs
 * @bit: WPOOL_TUNE_* or WPOOL_CREATE_*
 * @min: least value
 * @max: largest value, beside %WPOOL_UNLIMITED of a %WPOOL_ATTR_LIMIT
 * @preset: default
 */
struct wpool_attr {
	const char *name;
	const char *words[5];
	enum wpool_attr_type type;
	u32 offset;
	u32 bit;
	int min;
	int max;
	int preset;
};

enum {
#define WPOOL_ATTR(_name, ...)	WPOOL_ATTR_INDEX_##_name,
#include "pool/attr_table.h"
	WPOOL_NR_ATTRS
};

extern const struct wpool_attr wpool_attr_table[WPOOL_NR_ATTRS];

/* One field of another structure; "..." keeps checkpatch from taking it for a value. */
#define WPOOL_COPY_ATTR(to, from, field...)	((to)->field = (from)->field)

/** wpool_attr_get() - one attribute as a number */
s64 wpool_attr_get(const struct wpool_attrs *attrs, const struct wpool_attr *attr);

/** wpool_attr_set() - set one attribute; its type can hold @value */
void wpool_attr_set(struct wpool_attrs *attrs, const struct wpool_attr *attr, s64 value);

/**
 * wpool_attrs_check() - are these values allowed, each for itself?
 * @attrs: the values
 * @mask: those that are meant, WPOOL_TUNE_*
 *
 * Context: any.
 * Return: 0; -EINVAL; -ERANGE a number out of its range.
 */
int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask);

/**
 * wpool_attrs_explain() - name the attribute that is not allowed in the log
 * @pool: name of the pool
 * @attrs: all attributes, as they would be
 * @mask: those that are new: WPOOL_TUNE_*; all bits of a pool that is being made
 *
 * For the author of a module, who got -EINVAL or -ERANGE for one of many.
 *
 * Context: process context.
 * Return: false if each of them is allowed.
 */
bool wpool_attrs_explain(const char *pool, const struct wpool_attrs *attrs, u32 mask);

/** wpool_name_check() - is this a name for a pool? Return: 0 or -EINVAL */
int wpool_name_check(const char *name);

#endif /* WPOOL_POOL_ATTRS_H */
