// SPDX-License-Identifier: GPL-2.0
/* The workload hash: uses the CPU, and no memory of its own. */
#include "faces/dev/load/hash.h"

#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/freezer.h>
#include <linux/jhash.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#define HASH_BLOCK_BYTES	4096

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
