/* SPDX-License-Identifier: GPL-2.0 */
/* What a pool's queue of untidy things is made of, see tidy_queue.h. */
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
 * @sweep: tasks of the pool have waited for max_wait_ms, or it was released with
 *	%WPOOL_RELEASE_CANCEL: its queues hold tasks to be ended
 * @is_queued: the work is queued or runs, and looks at all this once more; it has a
 *	reference to the pool
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
