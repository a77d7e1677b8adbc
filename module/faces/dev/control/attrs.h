/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of a pool between the ABI of /dev/wpool and the kernel API. */
#ifndef WPOOL_DEVATTRS_H
#define WPOOL_DEVATTRS_H

#include <linux/cpumask.h>
#include <linux/wpool.h>
#include <uapi/linux/wpool.h>

/*
 * Read the attributes that a user asks for. @attrs: those named in @dev are set, the others left
 * alone; @cpumask: room for the mask, to which @attrs may point afterwards; @dev: from user space.
 * Checks bools and words, and leaves ranges to the pool. Sleeps. Returns 0; -EOPNOTSUPP unknown bit
 * or reserved field; -EINVAL bad value; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev);

/*
 * Give a user the attributes of a pool. @dev: to be filled in; its cpumask pointer and size say
 * where to put the mask; @attrs: of the pool; @cpumask: of the pool. Sleeps. Returns 0; -EINVAL the
 * mask does not fit, or a bad size; -EFAULT; -ENOMEM.
 */
int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask);

#endif /* WPOOL_DEVATTRS_H */
