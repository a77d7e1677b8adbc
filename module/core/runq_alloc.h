/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run queues of a pool. From before the pool has its first worker until it is destroyed, each
 * online CPU has one, so code in any context finds the run queue of its own CPU. A CPU that has not
 * been online since the pool was created has none, and costs a few bytes.
 *
 * A run queue becomes active when its first worker gets its home there, when a worker of another
 * home looks for tasks on that CPU, or when a task is queued for a first worker.
 */
#ifndef WPOOL_CORE_RUNQ_ALLOC_H
#define WPOOL_CORE_RUNQ_ALLOC_H

#include "core/state.h"

/*
 * Prepare the memory for the run queues of a new pool. @pool: zeroed. Sleeps. Returns 0 or -ENOMEM;
 * call wpool_runqs_free() also after an error.
 */
int wpool_runqs_init(struct wpool *pool);

/*
 * Make the run queue of a CPU, if the CPU has none. @gfp: without __GFP_ACCOUNT while a CPU comes
 * online, because the limit of the calling thread's memory cgroup must not keep the CPU offline.
 * Sleeps. No other thread adds run queues to the pool meanwhile. Returns 0 or -ENOMEM.
 */
int wpool_runqs_add(struct wpool *pool, int cpu, gfp_t gfp);

/*
 * Let all run queues measure times, also those that are made later. Sleeps. The caller holds
 * cpu_hotplug_lock and pool->tune_mutex. Returns 0 or -ENOMEM; after an error, another call adds
 * what is missing.
 */
int wpool_runqs_add_hists(struct wpool *pool);

/** wpool_runqs_free() - free the run queues; no other thread has a pointer to the pool */
void wpool_runqs_free(struct wpool *pool);

/* Create and destroy the slab cache of run queues. Returns 0 or -ENOMEM. */
int wpool_runqs_module_init(void);
void wpool_runqs_module_exit(void);

#endif /* WPOOL_CORE_RUNQ_ALLOC_H */
