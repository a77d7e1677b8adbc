/* SPDX-License-Identifier: GPL-2.0 */
/* What single mechanisms keep in a pool or a run queue. The letters are those of state.h. */
#ifndef WPOOL_CORE_PARTS_H
#define WPOOL_CORE_PARTS_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/llist.h>
#include <linux/spinlock_types.h>
#include <linux/swait.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>
#include <asm/local64.h>

/* Tokens of a pool without a limit: more than any limit. */
#define WPOOL_TOKENS_UNLIMITED	((int)BIT(30))

/* token_batch of a pool without a limit: submits take no tokens, finishes give none */
#define WPOOL_NO_TOKENS		U32_MAX

/* Bits of pool->attention */
#define WPOOL_ATT_CLOSED	BIT(0)	/* the pool accepts no task */
#define WPOOL_ATT_WAITERS	BIT(1)	/* submitters wait: freed tokens go to them */
#define WPOOL_ATT_SCARCE	BIT(2)	/* no CPU caches tokens */
#define WPOOL_ATT_OWN		BIT(3)	/* only events and tasks of the pool may submit */
#define WPOOL_ATT_DROPS		BIT(4)	/* tasks that have not started end with -ECANCELED */
/* if one of these is set, a submitter takes no token on the fast path */
#define WPOOL_ATT_TAKE	(WPOOL_ATT_CLOSED | WPOOL_ATT_WAITERS | WPOOL_ATT_OWN)

/* Admission of a pool, see task/tokens.h and task/waiters.h. */
struct wpool_admission {
	atomic_t tokens;		/* X: tokens in no CPU's cache; below 0: a debt */
	int plenty;			/* T: below this, scarce tokens stay so; %INT_MAX: always */
	raw_spinlock_t lock;		/* K: for A; raw: submitters and finishers take it */
	struct list_head waiters;	/* A, also to read: submitters, events, strands, in order */
	u32 nr_waiting;			/* A: length of @waiters */
	u32 nr_fired;			/* A: events and strands among @waiters */
	struct swait_queue_head guests;	/* K: threads that wait for room in a group of the pool */
	int base;			/* T: for the sum of the tokens, see task/tokens.c */
	u32 nr_closes;			/* T: number of closes; each ends the wait of all guests */
};

/* The tokens that a run queue caches, and its counts of tasks. */
struct wpool_share {
	atomic_t tokens;		/* X: tokens cached here; any CPU may take them */
	local64_t tokenless;		/* L: tasks accepted here without a token, less those that
					 *    finished here and gave none back
					 */
	u64 accepted[2];		/* C: tasks accepted here, by colour */
	local64_t finished[2];		/* L: tasks finished here in any way, by colour */
	local64_t failed;		/* L: of @finished, tasks whose worker died */
	local64_t cancelled;		/* L: of @finished, tasks cancelled before they ran */
	local64_t overdue;		/* L: of @finished, tasks that waited beyond max_wait_ms */
	local64_t errors;		/* L: tasks of groups that returned an error here */
	u64 refused;			/* C: submits refused here */
};

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
					 *    @leaving set; it counts in the module, is in
					 *    workers.list, and counts in nr_threads until it is
					 *    in reserve
					 */
	u64 rescue_ns;			/* W: when the last rescuer became a worker; 0 once another
					 *    was created, could not be created, or was dismissed
					 */
	u64 rescued;			/* W: replacements that failed, or took more than 10 ms */
	bool wait_reported;		/* X: the log names a wait for a pool without reclaim */
};

/* What the spawners know of a pool, see spawn_queue.h. */
struct wpool_spawn {
	int prefer;			/* X: @prefer for wpool_home_choose(): a racy hint */
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

/* The reserve of a bound pool, see task/item.h. @nr: the length of @free if no item is in use. */
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
struct wpool_seen {
	struct wpool_standing ticks; /* N: the run queue's tick; for a pool the sum of all ticks */
	struct wpool_standing head; /* N: what was at the head of the queue */
	bool reported;		/* N: the log has a message about the queue */
};

/* What the monitor keeps of a pool. */
struct wpool_monitor {
	struct llist_node node;	/* X: in the list of the pools with @is_watched */
	struct wpool_seen watch; /* N: what was seen of the pool and its global queue */
	u64 tried_ns;		/* N: for how long no worker had looked for a task when the monitor
				 *    last tried to explain the jam
				 */
	bool jam_reported;	/* N: no more to log about this jam, see why.h */
	bool jam_counted;	/* N: @exhausted counts this episode */
	u64 handoffs;		/* N: hand-offs by the monitor */
	u64 hogs;		/* N: workers that a task kept from looking for work for hog_ms */
	u64 exhausted;		/* N: jams in which all workers allowed were in tasks */
};

#endif /* WPOOL_CORE_PARTS_H */
