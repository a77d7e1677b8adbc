/* SPDX-License-Identifier: GPL-2.0 */
/* Durations of the ABI. */
#ifndef WPOOL_DEV_DEADLINE_H
#define WPOOL_DEV_DEADLINE_H

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * wpool_dev_deadline() - when a duration of the ABI is over
 * @timeout_ns: in ns from now; anything but 0
 *
 * Context: any.
 * Return: CLOCK_MONOTONIC; %KTIME_MAX if that is beyond what it can count.
 */
static inline ktime_t wpool_dev_deadline(u64 timeout_ns)
{
	return ktime_add_safe(ktime_get(),
			      min_t(u64, timeout_ns, KTIME_MAX));
}

#endif /* WPOOL_DEV_DEADLINE_H */
