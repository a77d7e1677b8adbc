/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/wpool: the face of the pool for user space, see the ABI header. */
#ifndef WPOOL_CHARDEV_H
#define WPOOL_CHARDEV_H

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/types.h>

/**
 * wpool_timeout_jiffies() - a duration of the ABI, for the kernel's waits
 * @timeout_ns: in ns; anything
 *
 * Context: any.
 * Return: in jiffies, never shorter, at least 1 and not for ever.
 */
static inline long wpool_timeout_jiffies(u64 timeout_ns)
{
	/* one for the rounding, one because the first tick may come at once */
	u64 ticks = nsecs_to_jiffies64(timeout_ns) + 2;

	return min_t(u64, ticks, MAX_SCHEDULE_TIMEOUT - 1);
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
