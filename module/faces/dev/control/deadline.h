/* SPDX-License-Identifier: GPL-2.0 */
/* Durations in the ABI. */
#ifndef WPOOL_DEV_DEADLINE_H
#define WPOOL_DEV_DEADLINE_H

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * The time at which a duration of the ABI ends. @timeout_ns: in ns from now, not 0. Returns
 * CLOCK_MONOTONIC; %KTIME_MAX if the sum is beyond its range.
 */
static inline ktime_t wpool_dev_deadline(u64 timeout_ns)
{
	return ktime_add_safe(ktime_get(),
			      min_t(u64, timeout_ns, KTIME_MAX));
}

#endif /* WPOOL_DEV_DEADLINE_H */
