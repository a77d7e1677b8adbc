/* SPDX-License-Identifier: GPL-2.0 */
/* A pool in sysfs: /sys/class/wpool/<pool>/, see sysfs.c. */
#ifndef WPOOL_SYSFS_H
#define WPOOL_SYSFS_H

#include <linux/sysfs.h>

struct wpool_attrs;

/*
 * The files of every pool, for dev_groups of the class, so that they exist when user space learns
 * of a pool. The drvdata of a pool's device is its struct wpool.
 */
extern const struct attribute_group *wpool_sysfs_groups[];

/* Set an attribute to what a text says. Returns 0; -EINVAL; -ERANGE: it is set all the same */
int wpool_sysfs_parse(const char *name, const char *buf, size_t count, struct wpool_attrs *attrs);

/** wpool_sysfs_emit() - print the value of an attribute into a page */
ssize_t wpool_sysfs_emit(const char *name, char *buf, const struct wpool_attrs *attrs);

#endif /* WPOOL_SYSFS_H */
