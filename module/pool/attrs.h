/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of a pool: which values are allowed. */
#ifndef WPOOL_ATTRS_H
#define WPOOL_ATTRS_H

#include <linux/wpool.h>

/**
 * wpool_attrs_check() - are these values allowed, each for itself?
 * @attrs: the values
 * @mask: those that are meant, WPOOL_TUNE_*
 *
 * Context: any.
 * Return: 0; -EINVAL; -ERANGE a number out of its range.
 */
int wpool_attrs_check(const struct wpool_attrs *attrs, u32 mask);

/** wpool_name_check() - is this a name for a pool? Return: 0 or -EINVAL */
int wpool_name_check(const char *name);

#endif /* WPOOL_ATTRS_H */
