// SPDX-License-Identifier: GPL-2.0
/* One run of a workload, see load.h. */
#include "faces/dev/load/load.h"

#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>

int wpool_workload_spin_thawed(const struct wpool_workload *load, u64 *left_ns)
{
	unsigned long switches = READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
	u64 last = ktime_get_ns();

	while (*left_ns && !freezing(current)) {
		unsigned long switches_now;
		u64 now;

		if (wpool_workload_stopped(load))
			return -ECANCELED;
		cpu_relax();
		now = ktime_get_ns();
		switches_now = READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
		if (switches_now == switches)
			*left_ns -= min(now - last, *left_ns);
		switches = switches_now;
		last = now;
		cond_resched();
	}
	return 0;
}

int wpool_workload_spin(const struct wpool_workload *load, u64 spin_ns)
{
	int err;

	do {
		err = wpool_workload_spin_thawed(load, &spin_ns);
		try_to_freeze();
	} while (!err && spin_ns);
	return err;
}
