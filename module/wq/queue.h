/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues, their runners, and the state of a work.
 *
 * A queue has a pool, a list of works, and runners, max_active at most. A *runner* is an event of
 * the pool: it is idle, in the queue's list of idle runners, or it has been fired. A thread that
 * queues a work fires an idle runner. The runner takes a work off the list, and fires itself for
 * the next one; if there is none, it is idle again. The pool never refuses an event, so no limit
 * that the administrator may tune loses a work.
 *
 * A *turn* of a work begins when the work is queued, and ends when the function has ended, or when
 * a cancel takes the work off the list.
 *
 * work->flags, PENDING: there is a turn that has not started, or a timer that will begin one. The
 * thread that sets the bit owns the work's other fields until the work is in a list, or the timer
 * runs. A thread that takes the work off the list under the lock, or stops the timer, owns these
 * fields again. An owner has interrupts off. So a thread or an interrupt that finds the bit set,
 * and the work in no list, may spin. Only the owner of an RCU work waits, for a grace period: no
 * call may take back such a work.
 *
 * work->where: the number of the queue of the last turn, shifted, and whether the work is in a list
 * of that queue. The field changes from and to "in a list of queue N" only under the lock of N, so
 * under that lock it says whether the work is there. The number outlives the queue: a work may be
 * flushed after its queue was destroyed. So the queue is looked up by number, under RCU.
 *
 * work->from: the value of work->where before the last turn. While the work is in a list, an
 * earlier turn may still run in the queue that work->from names; otherwise in the queue that
 * work->where names. A runner waits for the end of such a run in another queue before it starts the
 * work, so there is never more than one queue to look at. A cancel copies work->from back to
 * work->where, and wakes a runner that waits for that work: the runner takes the next work.
 *
 * A queue has a few runners from its beginning. When none of them is idle, a kernel worker doubles
 * their number, until there are max_active.
 *
 * Nothing touches a work after PENDING was cleared for its function: the function may free it. So
 * the runner copies the turn's epoch and takes its waiters before.
 *
 * If the next work is still running, its next turn waits in runner->scheduled of the runner that
 * runs the work, so that a work never runs twice at once. As in the kernel, two works are the same
 * if address and function are: a new work with another function, in the memory of a freed one,
 * need not wait.
 *
 * Lock order: wq->lock, then the locks that wpool_event_fire() takes, including those of timers and
 * of the scheduler. wq->lock is taken with interrupts off, in any context except NMI. No thread
 * holds the locks of two queues at once.
 *
 * What excludes concurrent calls:
 *
 *   queue, cancel, mod,  PENDING excludes them from each other, and from the timer
 *   enable
 *   a runner's start     wq->lock excludes cancel and flush
 *   a runner's end       wq->lock excludes flush until the turn's waiters are completed
 *   fire of a runner     wq->lock is held, so destroy waits until the fire has returned
 *   destroy              waits until every turn has ended, and then until each runner's function
 *                        has returned; frees the queue after a grace period, since a late flush
 *                        may still look at it
 *
 * Barrier pairs:
 *
 *   queue:A    what the caller wrote, test_and_set_bit() that finds the bit set (full barrier)
 *              <-> test_and_clear_bit() of the runner (full barrier), then the function. So a
 *              queueing that does nothing is not missed.
 *
 * Only the owner of PENDING writes work->disabled, and a queueing reads it as the owner.
 */
#ifndef WPOOL_WQ_QUEUE_H
#define WPOOL_WQ_QUEUE_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>

#define WPOOL_WQ_NO_NAMES
#include <linux/wpool_event.h>
#include <linux/wpool_wq.h>

#define WPOOL_WQ_HASH_BITS	6

/* The value of WQ_BH, which older kernels do not have: there the bit is free. */
#define WPOOL_WQ_FLAG_BH	BIT(0)

/* A thread that waits for one turn; on the stack of that thread, as is @done. */
struct wpool_wq_waiter {
	struct hlist_node node;
	struct completion *done;
};

/* L: wq->lock. I: set before the queue is used, and never changed. */
struct wpool_wq_runner {
	struct wpool_event event;
	struct wpool_wq *wq;		/* I */
	struct list_head node;		/* L: in wq->runners */
	struct list_head idle;		/* L: in wq->idle */
	struct list_head scheduled;	/* L: works that wait until @work has ended */
	struct hlist_node busy;		/* L: in wq->busy while a work runs */
	void *work;			/* L: the work that runs, as a value: it may be freed */
	wpool_work_fn func;		/* L: function of @work */
	unsigned long epoch;		/* L: epoch of the turn of @work */
	struct hlist_head waiters;	/* L: threads that wait for this turn of @work */
};

struct wpool_wq {
	raw_spinlock_t lock;		/* protects the lists, turns and runners of this queue */
	u32 id;				/* I: number in the table of queues */
	struct wpool *pool;		/* I */
	struct list_head pending;	/* L: works whose turn has not started */
	struct list_head idle;		/* L: idle runners; first the one that was busy last */
	DECLARE_HASHTABLE(busy, WPOOL_WQ_HASH_BITS); /* L: runners, by the address of the work */
	struct list_head flushers;	/* L: threads that wait for turns up to an epoch */
	struct semaphore may_flush;	/* taken by each of @flushers */
	unsigned long epoch;		/* L: epoch of turns that begin now */
	unsigned long nr_turns;		/* L: number of turns that have not ended */
	unsigned int nr_drains;		/* L: drains in progress: only runners may queue */
	struct list_head runners;	/* L: all runners */
	u32 nr_runners;			/* L */
	u32 max_runners;		/* L to write: the most runners that may be made; 0: none */
	unsigned int flags;		/* I: flags given to wpool_wq_create() */
	struct delayed_work grow;	/* work of @wpool_wq_grower: makes runners */
	struct rcu_head rcu;
};

/* The workqueue of the kernel that runs @grow. */
extern struct workqueue_struct *wpool_wq_grower;

/* A value of work->where or work->from: the work is in a list of @wq. */
static inline u32 wpool_wq_here(const struct wpool_wq *wq)
{
	return wq->id << 1 | 1;
}

/* A value of work->where or work->from: the work has left the lists of @wq. */
static inline u32 wpool_wq_left(const struct wpool_wq *wq)
{
	return wq->id << 1;
}

/* The queue that work->where or work->from names, or NULL; valid under rcu_read_lock(). */
struct wpool_wq *wpool_wq_by(u32 where);

/*
 * Begin a turn. @cpu: as wpool_wq_queue_on(). False if the queue drains and the caller is not a
 * work of the queue.
 */
bool __wpool_wq_add(struct wpool_wq *wq, struct wpool_work *work, int cpu);
/* End the turn of a work that waits in a list of @wq; the caller owns PENDING then. */
void __wpool_wq_remove(struct wpool_wq *wq, struct wpool_work *work);
/* @wq's runner that runs @func of @work, or NULL */
struct wpool_wq_runner *__wpool_wq_find(struct wpool_wq *wq, const void *work, wpool_work_fn func);

#endif /* WPOOL_WQ_QUEUE_H */
