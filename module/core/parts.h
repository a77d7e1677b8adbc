/* SPDX-License-Identifier: GPL-2.0 */
/* What single mechanisms keep in a pool or a run queue. The letters are those of state.h. */
#ifndef WPOOL_CORE_PARTS_H
#define WPOOL_CORE_PARTS_H

#include <linux/llist.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>

struct wpool_worker;

/* The functions of a pool's owner, see workers/owner_hooks.h and workers/tidy.c. */
struct wpool_hooks {
	wpool_fault_fn fault;			/* I: called when a worker has died, or NULL */
	void *fault_data;			/* I: for @fault */
	wpool_worker_start_fn worker_start;	/* I: called by each new worker, or NULL */
	wpool_worker_end_fn worker_end;		/* I: called when a worker ends, or NULL */
	void *worker_data;			/* I: for @worker_start and @worker_end */
};

/* The worker that a pool with reclaim keeps in reserve, see workers/rescuer.c. */
struct wpool_reserve {
	struct wpool_worker *rescuer;	/* W: the worker in reserve, or about to be, or NULL. It has
					 *    @leaving set, and counts only in workers.list and in
					 *    the module
					 */
	u64 rescue_ns;			/* W: when the last rescuer became a worker; 0 once another
					 *    was created, could not be created, or was dismissed
					 */
	u64 rescued;			/* W: replacements that failed, or took more than 10 ms */
	bool wait_reported;		/* X: the log names a wait for a pool without reclaim */
};

/* What the spawners know of a pool, see spawn_queue.h. */
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

/* A queue of tasks and workers that must be ended in process context, see tidy_queue.h. */
struct wpool_tidy {
	struct wpool *pool;
	/* protects the fields below except @work; raw: any context may cancel */
	raw_spinlock_t lock;
	struct list_head tasks;	/* cancelled tasks, linked by their node */
	u32 nr;	/* length of @tasks; read anywhere with READ_ONCE */
	struct list_head workers;	/* workers that died, linked by their dead_node */
	bool sweep;	/* @work must do what wpool_tidy_sweep() asks for */
	/* @work is queued or runs, and will see what is added; @work has a reference to the pool */
	bool is_queued;	/* read anywhere with READ_ONCE */
	struct work_struct work;	/* serves the queue */
};

/* The reserve of a bound pool, see task/item.h. @nr: the length of @free if no item is out. */
struct wpool_items {
	spinlock_t lock; /* protects the reserve */
	struct llist_node *free;
	u32 nr_free;
	u32 nr;
};

/* Which running workers the monitor counts out, see monitor.c. */
enum wpool_retake { WPOOL_RETAKE_NONE, WPOOL_RETAKE_BLOCKED, WPOOL_RETAKE_ALL };

/* What the monitor saw, and since when @what has not changed. */
struct wpool_standing {
	u64 what;		/* N: only compared; 0 is nothing */
	u64 since_ns;		/* N: when @what was first seen, or 0 to start again */
};

/* Note in @standing that @what is seen. Returns for how long @what has not changed. */
static inline u64 wpool_standing_ns(struct wpool_standing *standing, u64 what, u64 now)
{
	if (!standing->since_ns || standing->what != what) {
		standing->what = what;
		standing->since_ns = now;
	}
	/* the clock of the other CPU may have been ahead */
	return max_t(s64, now - standing->since_ns, 0);
}

/* What the monitor last saw of a queue. */
struct wpool_looked {
	struct wpool_standing looks; /* N: @tick of the run queue; for a pool the sum of all */
	enum wpool_retake retake; /* N: which workers to count out this time */
	struct wpool_standing head; /* N: what was at the head of the queue */
	bool reported;		/* N: the log has a message about the queue */
	struct wpool_standing next; /* N: what was in the next slot; only for max_wait_ms */
	struct wpool_standing slot; /* N: as @next, with the run queue's @tick; for the pressure */
	u64 tried_ns;		/* N: for how long @looks had stood when a jam was last explained */
	bool is_overdue;	/* X: set when a task in the run queue seems to have waited for
				 *    max_wait_ms; cleared by wpool_finish_sweep()
				 */
	bool jam_reported;	/* N: no more to log about this jam, see stall_report.h */
	bool jam_counted;	/* N: @exhausted of the pool counts this episode */
};

/* What the monitor keeps of a pool. */
struct wpool_monitor {
	struct wpool_looked watch; /* N: last look at the pool and its global queue */
	u64 handoffs;		/* N: hand-offs by the monitor */
	u64 hogs;		/* N: workers that a task kept from looking for work for hog_ms */
	u64 exhausted;		/* N: jams in which all workers allowed were in tasks */
};

#endif /* WPOOL_CORE_PARTS_H */
