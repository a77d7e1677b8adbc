/* SPDX-License-Identifier: GPL-2.0 */
/* A pool's queue of tasks and workers that must be ended in process context, see tidy_queue.h. */
#ifndef WPOOL_CORE_TIDY_H
#define WPOOL_CORE_TIDY_H

#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct wpool;

/**
 * struct wpool_tidy - a queue of a pool
 * @pool: the pool
 * @lock: protects the fields below but @work; raw: any context may cancel
 * @tasks: cancelled tasks, linked by their node
 * @workers: workers that died, linked by their dead_node
 * @sweep: the pool's queues hold tasks to be ended: some have waited for max_wait_ms, or the pool
 *	was released with %WPOOL_RELEASE_CANCEL
 * @is_queued: @work is queued or runs, and will see what is added; it has a reference to the
 *	pool
 * @work: serves the queue
 */
struct wpool_tidy {
	struct wpool *pool;
	raw_spinlock_t lock;
	struct list_head tasks;
	struct list_head workers;
	bool sweep;
	bool is_queued;
	struct work_struct work;
};

#endif /* WPOOL_CORE_TIDY_H */
