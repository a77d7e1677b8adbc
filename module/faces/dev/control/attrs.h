/* SPDX-License-Identifier: GPL-2.0 */
/* Conversion of a pool's attributes between the ABI of /dev/wpool and the kernel API. */
#ifndef WPOOL_DEVATTRS_H
#define WPOOL_DEVATTRS_H

#include <linux/cpumask.h>
#include <linux/wpool.h>
#include <uapi/linux/wpool.h>

/*
 * Copy the attributes in the mask of @dev, which user space gave, to @attrs. @cpumask: room for the
 * CPU mask; @attrs may point to it afterwards. Checks bools and words, not ranges. Sleeps. Returns
 * 0; -EOPNOTSUPP for an unknown bit or a reserved field; -EINVAL for a bad value; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev);

/*
 * Fill in @dev from the attributes and the CPU mask of a pool. @dev says where in user space the
 * CPU mask goes. Sleeps. Returns 0; -EINVAL if its size is bad or too small; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask);

#endif /* WPOOL_DEVATTRS_H */
