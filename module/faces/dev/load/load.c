// SPDX-License-Identifier: GPL-2.0
/* The parts of a run that use the CPU and allocate no memory, see load.h. */
#include "faces/dev/load/load.h"

#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/freezer.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#define HASH_BLOCK_BYTES	4096

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

/*
 * Hashes one constant block again and again, each time with the last result as the seed. Each
 * result is stored in load->hash: without a store the compiler would leave out the hash. jhash() is
 * inline, so every kernel has it.
 */
int wpool_hash_run(struct wpool_workload *load)
{
	static const u8 block[HASH_BLOCK_BYTES] __aligned(SMP_CACHE_BYTES) = {
		'w', 'p', 'o', 'o', 'l',
	};
	u64 done;

	for (done = 0; done < load->arg; done += HASH_BLOCK_BYTES) {
		if (wpool_workload_stopped(load))
			return -ECANCELED;
		WRITE_ONCE(load->hash, jhash(block, min_t(u64, load->arg - done, HASH_BLOCK_BYTES),
					     load->hash));
		cond_resched();
		try_to_freeze();
	}
	return 0;
}
