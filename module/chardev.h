/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/wpool: the face of the pool for user space, see the ABI header. */
#ifndef WPOOL_CHARDEV_H
#define WPOOL_CHARDEV_H

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * wpool_chardev_deadline() - when a duration of the ABI is over
 * @timeout_ns: in ns from now; anything but 0
 *
 * Context: any.
 * Return: CLOCK_MONOTONIC; %KTIME_MAX if that is beyond what it can count.
 */
static inline ktime_t wpool_chardev_deadline(u64 timeout_ns)
{
	return ktime_add_safe(ktime_get(),
			      min_t(u64, timeout_ns, KTIME_MAX));
}

/**
 * wpool_chardev_init() - make the device appear
 *
 * Context: process context; sleeps.
 * Return: 0 or -errno.
 */
int wpool_chardev_init(void);

/**
 * wpool_chardev_exit() - the device disappears, and all pools made through it
 *
 * Context: process context; sleeps, uninterruptibly, until their tasks have
 * ended. No file is open: each holds a reference to the module.
 */
void wpool_chardev_exit(void);

#endif /* WPOOL_CHARDEV_H */
