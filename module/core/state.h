/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state that the layers share: struct wpool, with accessors; those of its run queues are in
 * runqs.h. Most fields that only one mechanism uses are in a struct of that mechanism, in the
 * headers included below. The order of all locks is at the end of this file. A file that includes
 * this header does not repeat its includes, and a .c file does not repeat those of its own header.
 *
 * Each field has the letter of its lock. Where a letter says who writes, READ_ONCE may read the
 * field anywhere; K, D, M, R, O and G say who may use it at all.
 *
 *   I: set before the pool, the run queue or the worker is published, never changed
 *   T: pool->tune_mutex to write
 *   F: pool->flush_mutex to write
 *   A: pool->admission.lock to write
 *   W: pool->workers.lock to write
 *   M: pool->workers.mutex
 *   Q: runq->lock to write
 *   R: pools_mutex, in registry.c
 *   S: the lock in spawn_queue.c to write
 *   B: the spawner of the pool, pool->spawn.work, to write
 *   D: the lock in workers/reaper.c, or @tidy.lock of a pool
 *   C: the run queue's own CPU to write, with interrupts off
 *   L: a local64_t, changed on the run queue's own CPU only
 *   P: workers on the run queue's own CPU to write, with preemption off
 *   O: the worker's own thread, and the reaper or tidy.c after the end of that thread
 *   V: as O to write
 *   G: the thread that creates or picks the worker, before the worker can look for
 *      work; from then on as O
 *   N: the monitor to write
 *   K: a lock, or an object that does its own locking
 *   X: changed by atomic operations, or by the rule that the field states
 */
#ifndef WPOOL_CORE_STATE_H
#define WPOOL_CORE_STATE_H

#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/time64.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>
#include <linux/wpool_func.h>
#include <linux/wpool_stats.h>

#include "core/fifo.h"
#include "core/near.h"
#include "core/parts.h"
#include "core/pressure.h"
#include "core/runq.h"
#include "core/worker.h"

struct wpool {
	/* One cache line that every submit and every finish reads; rarely written. */
	struct wpool_runq * __percpu *rq; /* X: the run queue of each CPU, or NULL; added with the
					   *    pool, or before the CPU next comes online, under
					   *    cpu_hotplug_lock
					   */
	u16 *active;			/* W: CPUs of the active run queues; it only grows */
	u32 nr_active;			/* W: length of @active */
	u32 attention;			/* A: reasons to leave a fast path, WPOOL_ATT_* */
	u32 colour;			/* F: colour of newly accepted tasks */
	u32 token_batch;		/* T: tokens that a run queue caches at a time; 0 if there
					 *    are fewer than about 64 tokens a CPU; %WPOOL_NO_TOKENS
					 *    without a limit
					 */
	u32 capacity;			/* T: workers at most, or %WPOOL_UNLIMITED */
	u32 nr_workers;			/* W: workers that exist or are being created, and have not
					 *    left
					 */
	u32 spin_us;			/* T: for how long a worker searches */
	u32 concurrency;		/* T: workers that run on a CPU at a time */
	bool latency;			/* T: the pool measures how long tasks wait and run */
	bool stamps;			/* T: submits note the time: @latency or @max_wait_ms */
	bool handoff;			/* T: a queue is handed over if its worker blocks or hogs */
	bool is_watched;		/* X: in the monitor's list, see monitor_timer.c */
	bool prealloc;			/* I: @capacity workers exist before the first task */
	bool freezable;			/* T: no task starts while the system sleeps */
	bool reclaim;			/* T: the pool gets a rescuer; cleared under W, too */
	u16 cgroup_nr;			/* K: counts how often the cgroups were set, under
					 *    anchors_mutex; read anywhere with READ_ONCE
					 */
	enum wpool_policy policy;	/* T: what a submit does if the pool is full */

	/* Read by bound tasks, by workers that look for work and by wakers; rarely written. */
	wpool_arg_fn func;		/* I: function the pool is bound to, or NULL */
	wpool_arg_abort_fn abort;	/* I: abort function for wpool_invoke(), or NULL */
	struct module *owner;		/* I: the module that created the pool */
	unsigned long *idle_mask;	/* X: active run queues that have an idle worker, and some
					 *    that no longer have one; changed under runq->lock
					 */
	unsigned long *offers;		/* X: active run queues that are offered, see queued.h */
	struct wpool_site *sites;	/* T: where each CPU is, see near.h */
	u32 nr_cpus;			/* T: run queues that workers may be at home on */
	u8 order;			/* I: which idle worker is reused first: enum wpool_order */

	/*
	 * Many CPUs write these: each group has a cache line that no field above shares. Fields
	 * that are rarely used fill up the lines.
	 */
	atomic_t nr_searching ____cacheline_aligned; /* X: workers that search */
	atomic_t nr_coming;		/* X: workers woken to search that do not search yet */
	u32 coming_jiffy;		/* X: when @nr_coming last became 1 from 0 */
	bool unserved;			/* X: no worker could be woken or made, see wake.c */
	char name[WPOOL_NAME_LEN];	/* I */

	u32 left ____cacheline_aligned;	/* X: 0, or 1 + the index in @active of a run queue that
					 *    needs workers of other CPUs, see take_left()
					 */
	u32 task_ns;			/* X: a task's length, %U32_MAX: unknown; see tell_pool() */
	struct wpool_fifo globq;	/* K: tasks for all CPUs, see push_others() */
	struct wpool_fifo urgent;	/* K: the urgent tasks of all CPUs, see fifo.h */
	struct wpool_hooks hooks;	/* the owner's functions */
	bool follows;			/* T: @cpumask follows the CPUs of housekeeping.h */
	struct cpumask *cpumask;	/* T: the attribute, also if it is followed */
	struct cpumask *cpuset;		/* T: CPUs of the cpuset of @anchor, when last looked at */
	struct cpumask *homes;		/* T: CPUs that workers may be at home on. Read without the
					 *    mutex by the rescuer, which reads the mask again after
					 *    wpool_reserve_follow(), for new workers, and by a
					 *    worker whose home has left the cpuset. Also written
					 *    under free_mutex, under which affinity.c reads it
					 */
	gfp_t gfp;			/* I: GFP_KERNEL, with __GFP_ACCOUNT for /dev/wpool */

	struct wpool_admission admission ____cacheline_aligned; /* tokens and waiters */
	enum wpool_state state;		/* T: open, closing, closed or destroyed */
	u32 queue_depth;		/* T: accepted tasks beyond @capacity */
	u32 max_blocking;		/* T: submitters that may wait */
	u32 max_wait_ms;		/* T: for how long a task may wait, or 0 */
	u64 max_wait_since;		/* T: in ns: @max_wait_ms applies to later submits */
	u32 capacity_per_cpu;		/* T: if not 0, @capacity is this times @nr_cpus, or
					 *    @min_workers if that is more
					 */
	u32 expiry_ms;			/* T: for how long a worker may be idle */
	u32 min_workers;		/* T: idle workers expire down to this many workers */
	u32 hog_ms;			/* T: after how long a running task is a hog */
	int nice;			/* T, M: written under both mutexes */
	u32 sched;			/* T, M: written under both mutexes */
	bool class_reported;		/* M: the log says that a worker's class or nice value was
					 *    changed from outside; read anywhere with READ_ONCE
					 */

	struct wpool_workers workers ____cacheline_aligned; /* the workers, and their lock */
	struct wpool_spawn spawn;	/* what the spawners know */
	struct wpool_reserve reserve;	/* the rescuer of a pool with @reclaim */
	struct task_struct *anchor;	/* K: anchors_mutex: thread in the pool's cgroups or NULL;
					 *    its CPUs are read under RCU
					 */

	struct wpool_monitor monitor;	/* what the monitor keeps */
	struct wpool_pressure pressure;	/* K: share of time in which tasks or submitters waited */
	bool has_news;			/* X: there is news of the pool, see notify.h */
	struct kernfs_node *pressure_file; /* I: the file pressure, or NULL before it exists */

	struct delayed_work follow_work; /* K: adapts to changes of the CPUs, see pool/tune.c */
	struct wpool_items items;	/* K: reserve of a bound pool with a limit; else empty */
	atomic_t nr_refused_events;	/* X: events that end because the pool is closed */
	struct wpool_tidy tidy;		/* K: tasks and dead workers to end, see tidy_queue.h */
	struct wpool_tidy tidy_joinable; /* K: joinable tasks, and workers to let off their CPUs */
	wait_queue_head_t drain_wq;	/* K: threads that wait for tasks or workers to end */
	struct mutex flush_mutex;	/* K: one flush at a time; for F */
	u32 flushes_begun;		/* F: number of flushes that had to wait */
	u32 flushes_ended;		/* F: number of the last flush that ended without -EINTR */
	struct mutex change_mutex;	/* K: one tune or reboot at a time */
	struct mutex tune_mutex;	/* K: for T */
	struct completion destroyed;	/* K: completed when destroy has finished */

	struct list_head node;		/* R: in the list of pools, which is also read under RCU */
	struct device dev;		/* K: its reference count is the pool's */
	struct devpool *devpool;	/* X: set once, if made through /dev/wpool */
	struct rcu_work free_work;	/* K: frees the pool */
#ifdef CONFIG_LOCKDEP
	struct lock_class_key lockdep_key; /* K: the key of @lockdep_map */
	struct lockdep_map lockdep_map;	/* K: held around tasks, taken by threads that wait */
	u32 made_jiffy;			/* K: when the pool was created, see wait.c */
#endif
};

/** wpool_cgroup_is_joined() - is the worker in the cgroups of its pool? One comparison. */
static inline bool wpool_cgroup_is_joined(const struct wpool_worker *w)
{
	return w->cgroup_nr == READ_ONCE(w->pool->cgroup_nr);
}

/** wpool_is_users() - was the pool made through /dev/wpool, by any user? */
static inline bool wpool_is_users(const struct wpool *pool)
{
	return pool->gfp & __GFP_ACCOUNT;
}

/** wpool_is_closed() - is the pool closed to all? */
static inline bool wpool_is_closed(struct wpool *pool)
{
	return READ_ONCE(pool->attention) & WPOOL_ATT_CLOSED;
}

/*
 * How long may a task wait? @from: set to the earliest time of submit to which the limit applies.
 * Returns the limit, or 0 if there is none.
 */
static inline u64 wpool_max_wait_ns(const struct wpool *pool, u64 *from)
{
	/* pairs with apply_attrs() of tune.c: a new limit does not apply to earlier tasks */
	u64 max_ns = smp_load_acquire(&pool->max_wait_ms) * (u64)NSEC_PER_MSEC;

	/* 0 is the time of submit of a task that stores none */
	*from = READ_ONCE(pool->max_wait_since) ?: 1;
	return max_ns;
}

/*
 * Do tasks that have not started end with -ECANCELED, because of %WPOOL_RELEASE_CANCEL? The caller
 * has taken a task out of its queue. If that task was accepted after a reboot, this read comes
 * after the reboot has cleared the bit.
 */
static inline bool wpool_drops(const struct wpool *pool)
{
	return READ_ONCE(pool->attention) & WPOOL_ATT_DROPS;
}

/*
 * Lock order, outer lock first: a lock may be taken under each lock that it is indented below. Raw
 * locks are taken with interrupts off. Each lockless section has interrupts or preemption off, so
 * an RCU grace period waits for all threads that were inside one.
 *
 *   file->attach_mutex (faces/dev/load/file.h)
 *   devpool->mutex, devpool->tune_mutex (faces/dev/control/pool.c)
 *     devpools_mutex (faces/dev/control/pool.c): nothing is taken under it
 *     pool->change_mutex: held while worker_start runs, which may take the locks below
 *       anchors_mutex (workers/cgroup.c): also taken by a work, for which threads wait
 *         cgroup_mutex (the kernel's): cpu_hotplug_lock is taken under it
 *       cpu_hotplug_lock (the kernel's)
 *         pools_mutex (registry.c)
 *           pool->tune_mutex
 *             pool->workers.mutex
 *             free_mutex (workers/affinity.c): only the raw locks are taken under it
 *             items->lock (task/item.c): nothing is taken under it
 *             the raw locks
 *   pool->flush_mutex: nothing is taken under it
 *   file->attach_mutex, file->cancel_mutex (faces/dev/load/file.h)
 *     file->lock (faces/dev/load/file.h)
 *       the raw locks
 *   bit 0 of lock_word (faces/dev/load/workload.c), held by test workloads: nothing is taken
 *     under it
 *
 * The raw locks; only the indented ones nest:
 *
 *   event->lock (client/event.c): only the kernel's own locks of timers are taken under it
 *   strand->lock (client/strand.c): only the lock of a completion is taken under it
 *   group->lock (client/group.c): only the kernel's own locks of wake-ups are taken under it
 *   pool->admission.lock
 *     pool_locks (task/state.c)
 *   fifo.lock (fifo.h)
 *   pool->tidy.lock (parts.h), the lock in spawn_queue.c: the kernel's own locks of workqueues and
 *     timers are taken under each, and so those of the scheduler
 *   the lock in workers/reaper.c
 *   pool->workers.lock: the scheduler's own locks and a completion's are taken under it, too
 *     runq->lock: taken under the scheduler's own locks, in a preempt notifier: nothing of the
 *       scheduler may be called under it, not even by a tracepoint
 */

#endif /* WPOOL_CORE_STATE_H */
