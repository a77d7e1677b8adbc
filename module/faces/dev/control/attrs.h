/* SPDX-License-Identifier: GPL-2.0 */
/* Conversion of a pool's attributes between the ABI of /dev/wpool and the kernel API; sleeps. */
#ifndef WPOOL_DEVATTRS_H
#define WPOOL_DEVATTRS_H

#include <linux/cpumask.h>
#include <linux/wpool.h>
#include <uapi/linux/wpool.h>

/* Checks bools and words, not ranges. @cpumask: room for the mask; @attrs may point to it then */
int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev);

/* @dev says where in user space the CPU mask goes. -EINVAL: that place is bad, or too small */
int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask);

#endif /* WPOOL_DEVATTRS_H */
