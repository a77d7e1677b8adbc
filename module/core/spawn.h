/* SPDX-License-Identifier: GPL-2.0 */
/* What a pool keeps for its spawners, see spawn_queue.h. */
#ifndef WPOOL_CORE_SPAWN_H
#define WPOOL_CORE_SPAWN_H

#include <linux/types.h>
#include <linux/workqueue.h>

/* What the spawners know of a pool; the letters are those of state.h. */
struct wpool_spawn {
	int prefer;			/* X: @prefer for wpool_home_place(): a racy hint */
	u32 retry_ms;			/* B: pause after a failed spawn */
	int error;			/* B: the error of the last failed attempt; 0: none */
	u64 failed;			/* B: number of failed attempts */
	bool failing;			/* B: the last attempt failed, and the log says so */
	bool refused;			/* S: max_workers, or starving pools, refused a worker */
	struct list_head node;		/* S: in the list of pools that starve, or empty */
	struct delayed_work work;	/* K: the spawner; references the pool while pending */
};

#endif /* WPOOL_CORE_SPAWN_H */
