// SPDX-License-Identifier: GPL-2.0
/* One run of a workload, see load.h. */
#include "faces/dev/load/load.h"

#include <linux/ktime.h>
#include <linux/sched.h>

int wpool_workload_spin(const struct wpool_workload *load, u64 spin_ns)
{
	unsigned long switches = READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
	u64 last = ktime_get_ns(), used = 0;

	while (used < spin_ns) {
		unsigned long switches_now;
		u64 now;

		if (wpool_workload_stopped(load))
			return -ECANCELED;
		cpu_relax();
		now = ktime_get_ns();
		switches_now = READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
		if (switches_now == switches)
			used += now - last;
		switches = switches_now;
		last = now;
		cond_resched();
	}
	return 0;
}
