/* SPDX-License-Identifier: GPL-2.0 */
/* A pool in sysfs: /sys/class/wpool/<pool>/, see sysfs.c. */
#ifndef WPOOL_SYSFS_H
#define WPOOL_SYSFS_H

#include <linux/sysfs.h>

/*
 * The files of every pool, for dev_groups of the class, so that they exist when user space learns
 * of a pool. The drvdata of a pool's device is its struct wpool.
 */
extern const struct attribute_group *wpool_sysfs_groups[];

#endif /* WPOOL_SYSFS_H */
