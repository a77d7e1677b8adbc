/* SPDX-License-Identifier: GPL-2.0 */
/* A pool's queue of tasks and workers that must be ended in process context, see tidy_queue.h. */
#ifndef WPOOL_CORE_TIDY_H
#define WPOOL_CORE_TIDY_H

#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct wpool;

struct wpool_tidy {
	struct wpool *pool;
	/* protects the fields below except @work; raw: any context may cancel */
	raw_spinlock_t lock;
	struct list_head tasks;	/* cancelled tasks, linked by their node */
	struct list_head workers;	/* workers that died, linked by their dead_node */
	bool sweep;	/* @work must do what wpool_tidy_pool() asks for */
	/* @work is queued or runs, and will see what is added; @work has a reference to the pool */
	bool is_queued;
	struct work_struct work;	/* serves the queue */
};

#endif /* WPOOL_CORE_TIDY_H */
