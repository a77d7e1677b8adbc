/* SPDX-License-Identifier: GPL-2.0 */
/* Conversion of a pool's attributes between the ABI of /dev/wpool and the kernel API. */
#ifndef WPOOL_DEVATTRS_H
#define WPOOL_DEVATTRS_H

#include <linux/cpumask.h>
#include <linux/wpool.h>
#include <uapi/linux/wpool.h>

/*
 * Set those attributes in @attrs that @dev, from user space, names. @cpumask: room for the mask;
 * @attrs may point to it afterwards. Checks bools and words, and leaves ranges to the pool. Sleeps.
 * Returns 0; -EOPNOTSUPP unknown bit or reserved field; -EINVAL bad value; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev);

/*
 * Fill in @dev from the attributes and the mask of a pool. @dev says where in user space the mask
 * goes. Sleeps. Returns 0; -EINVAL the mask does not fit, or a bad size; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask);

#endif /* WPOOL_DEVATTRS_H */
