/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state that the layers share: the pool, its run queues and its workers, the
 * locks and their order. Every file may see it; what each does with it stands in
 * its own header. There is no function here but accessors.
 *
 * Locking legend, the letter stands on each field:
 *
 *   I: set before the pool is published, never changed
 *   T: written under pool->tune_mutex, read anywhere with READ_ONCE
 *   A: pool->admission_lock
 *   W: pool->workers_lock; read anywhere with READ_ONCE
 *   M: pool->workers_mutex
 *   Q: runq->lock; read anywhere with READ_ONCE
 *   C: written on the run queue's own CPU with interrupts off only; read
 *      anywhere with READ_ONCE
 *   L: a local64_t, written on the run queue's own CPU; read anywhere
 *   P: written on the run queue's own CPU by workers only, with preemption off;
 *      read anywhere with READ_ONCE
 *   S: the lock of the spawners' queue, spawn_queue.c
 *   D: the lock of the reaper's queue, reap_queue.c
 *   O: only the worker's own thread, and the reaper after its end
 *   N: the monitor only
 *   X: atomic, or says its own rule
 *
 * Lock order, outer first. All raw ones are taken with interrupts off. Interrupts
 * or preemption off is also what bounds every lockless section, so that an RCU
 * grace period means "everybody who was inside has left":
 *
 *   pools_mutex (registry.c)
 *     pool->tune_mutex
 *       pool->workers_mutex
 *         pool->admission_lock (raw)
 *         pool->workers_lock (raw)
 *           runq->lock (raw)
 *           globq.lock (raw)
 *           the locks of spawn_queue.c and reap_queue.c (raw)
 */
#ifndef WPOOL_CORE_STATE_H
#define WPOOL_CORE_STATE_H

#include <linux/completion.h>
#include <linux/device.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>
#include <asm/local64.h>

#include "core/globq.h"
#include "core/ring.h"

/* Tokens of a pool without a limit: more tasks than memory holds. */
#define WPOOL_TOKENS_UNLIMITED	((int)BIT(30))

/* pool->attention */
#define WPOOL_ATT_CLOSED	BIT(0)	/* accepts nothing */
#define WPOOL_ATT_WAITERS	BIT(1)	/* submitters wait: tokens go to them */
#define WPOOL_ATT_DEBT		BIT(2)	/* fewer tokens than were given out */
#define WPOOL_ATT_FLUSH		BIT(3)	/* somebody waits for tasks to finish */
/* a token must not be left where it comes free */
#define WPOOL_ATT_GIVE	(WPOOL_ATT_WAITERS | WPOOL_ATT_DEBT)
/* and must not be taken from where it is at hand */
#define WPOOL_ATT_TAKE	(WPOOL_ATT_CLOSED | WPOOL_ATT_WAITERS | WPOOL_ATT_DEBT)

/* Whom the monitor counts out of those who run, see monitor.c. */
enum wpool_retake { WPOOL_RETAKE_NONE, WPOOL_RETAKE_BLOCKED, WPOOL_RETAKE_ALL };

/**
 * struct wpool_watch - what the monitor saw of a queue at its last look
 * @look: the run queue's @tick
 * @look_ns: since when it is that
 * @retake: whom to count out in this look
 * @head: what stands at the head; only compared
 * @head_ns: since when it does, or 0
 * @stands: it has stood there for a whole look; read by who would steal
 * @reported: that it stands there was logged
 */
struct wpool_watch {
	u32 look;
	u64 look_ns;
	enum wpool_retake retake;
	u64 head;
	u64 head_ns;
	bool stands;
	bool reported;
};

/**
 * struct wpool_runq - run queue of one CPU
 * @ring: the tasks, oldest first
 * @next: X: task that an own task submitted last, taken by exchange
 * @runner: X: thread of the worker that last began to run tasks here; only compared
 * @tick: P: looks for work
 * @globq_tick: P: @tick when the global queue was last served
 * @globq_due: P: what is due to it from here, in 256ths of a task
 * @next_streak: P: tasks taken from @next in a row
 * @call_jiffy: P: when a worker last saw to help for what it left behind
 * @help_jiffy: C: when this queue last looked for help in vain
 * @random: C: state of the random start of stealing
 * @tokens: X: admission tokens cached here; taken from everywhere
 * @accepted: C: tasks accepted here, by colour
 * @finished: L: tasks finished here, however, by colour
 * @failed: L: of @finished, those whose worker died
 * @cancelled: L: of @finished, those that never ran
 * @refused: C: submits turned away
 * @stolen: C: tasks that came here by stealing
 * @handoffs: C: times that this queue was handed over
 * @latency: C: log2 histogram of queue-to-start latency
 * @nr_running: X: workers at home here that will look for work again before they
 *	sleep, see census.h
 * @lock: protects the idle list, and who is on the way
 * @idle: Q: parked workers, see idle.h for the order
 * @nr_idle: Q: length of @idle
 * @nr_workers: Q: workers at home here, parked or not
 * @waking: Q: a worker was picked and has not started to look yet
 * @redirect: T: CPU is offline or outside the cpumask: pushes go to the global queue
 * @handoff_work: wakes somebody for this queue when its worker has blocked
 * @watch: N: what the monitor saw
 * @cpu: I
 * @pool: I
 */
struct wpool_runq {
	struct wpool_ring ring;

	struct wpool_task *next ____cacheline_aligned;
	struct task_struct *runner;
	u32 tick;
	u32 globq_tick;
	u32 globq_due;
	u32 next_streak;
	u32 call_jiffy;
	u32 help_jiffy;
	u32 random;
	atomic_t tokens;
	u64 accepted[2];
	local64_t finished[2];
	local64_t failed;
	local64_t cancelled;
	u64 refused;
	u64 stolen;
	u64 handoffs;
	u32 latency[WPOOL_HIST_BUCKETS];
	int cpu;

	atomic_t nr_running ____cacheline_aligned;
	raw_spinlock_t lock;
	struct list_head idle;
	u32 nr_idle;
	u32 nr_workers;
	bool waking;
	bool redirect;
	struct irq_work handoff_work;
	struct wpool_watch watch;
	struct wpool *pool;
};

/**
 * struct wpool_worker - a worker
 *
 * @pool: I
 * @loop: I: what its thread does
 * @thread: I: with a reference, until an RCU grace period after the thread's end
 * @rq: run queue at home; written by the worker itself while it is not idle,
 *	read by others with READ_ONCE
 * @node: M: in pool->workers; read under RCU by the monitor
 * @idle_node: Q: in rq->idle while @parked
 * @idle_since: Q: jiffies when it parked
 * @parked: Q: asleep or about to be; cleared by who picks it
 * @picked: was made or picked to look for work, and counts in nr_waking; set by
 *	who did it before the worker can run, cleared by the worker
 * @owns_waking: as @picked; and rq->waking stands for it
 * @leaving: W: counted out of the pool
 * @running_on: X: run queue in whose nr_running it counts, or NULL; taken by
 *	exchange, see census.h
 * @new_home: Q: run queue to move to, set by who picked it, or NULL
 * @notifier: tells that it is switched out
 * @has_notifier: O: @notifier is registered
 * @in_a_row: O: tasks since others have wanted its CPU
 * @locks_left: O: locks that its tasks have left held, which lockdep will not forget
 * @searching: O: counts in nr_searching
 * @task: innermost task it is in, or NULL; read anywhere as an address
 * @func: its function; read anywhere
 * @abort: abort function of the outermost task, if it has one
 * @task_owner: module pinned for the outermost task, or NULL
 * @detached: the outermost task is detached: its memory is not ours
 * @colour: colour of a detached outermost task
 * @nested: in how many tasks it is beyond the outermost: helping nests
 * @outermost: O: if @nested, the task that was there first
 * @held: O: innermost of the nested tasks that are not on its own stack, linked by
 *	their @held
 * @on_stack: O: how many of the nested ones are, by colour
 * @awaits: W: task of its own pool that it sleeps for, or NULL, see wait.c
 * @exit_work: runs in do_exit(), after an oops too
 * @dead_node: D: in the reaper's list of ended workers
 * @rcu: frees it
 */
struct wpool_worker {
	struct wpool *pool;
	int (*loop)(struct wpool_worker *w);
	struct task_struct *thread;
	struct wpool_runq *rq;
	struct list_head node;
	struct list_head idle_node;
	unsigned long idle_since;
	bool parked;
	bool picked;
	bool owns_waking;
	bool leaving;
	bool searching;
	bool has_notifier;
	bool detached;
	u8 colour;
	u32 in_a_row;
	u32 nested;
	u32 on_stack[2];
	int locks_left;
	struct wpool_runq *running_on;
	struct wpool_runq *new_home;
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier;
#endif
	struct wpool_task *task;
	struct wpool_task *outermost;
	struct wpool_task *held;
	struct wpool_task *awaits;
	void *func;
	wpool_abort_fn abort;
	struct module *task_owner;
	struct callback_head exit_work;
	struct list_head dead_node;
	struct rcu_head rcu;
};

/**
 * struct wpool - a pool
 * @rq: I: run queues, one per possible CPU
 * @attention: A: why a submit or a finish must look closer, WPOOL_ATT_*;
 *	nothing to attend to on the common path
 * @colour: X: colour of newly accepted tasks; written under @flush_mutex
 * @token_batch: A: tokens that a run queue caches at a time; 0 below some 64
 *	tokens a CPU, where a cache would strand them
 * @capacity: T: workers at most; %WPOOL_UNLIMITED is larger than any number
 * @nr_workers: W: live workers that have not decided to leave
 * @queue_depth: T
 * @max_blocking: T
 * @policy: T
 * @expiry_ms: T
 * @min_workers: T
 * @concurrency: T
 * @spin_us: T
 * @hog_ms: T
 * @handoff: T
 * @steal: T
 * @latency: T
 * @prealloc: I
 * @order: I
 * @nice: T
 * @nr_cpus: T: run queues that workers may be at home on
 * @cpumask: T: CPUs that workers may be at home on
 * @nr_searching: X: workers awake that look for a task
 * @nr_waking: X: workers on the way to become searching
 * @wake_jiffy: X: when the last of them was sent
 * @nr_idle: X: parked workers; moves under runq->lock
 * @idle_mask: X: CPUs whose run queue has an idle worker; bits under runq->lock
 * @unserved: X: somebody should have been woken, and nobody could be; who makes
 *	room looks at it
 * @globq: the global queue
 * @tokens: X: admission tokens in nobody's cache; negative is a debt
 * @admission_lock: protects what is marked A; raw, taken by submitters and
 *	finishers near the limit
 * @waiters: A: submitters that wait, first in, first out
 * @nr_waiting: A: length of @waiters
 * @nr_drainers: A: those who wait for tasks to finish
 * @workers_lock: protects what is marked W; raw, taken where workers leave
 * @workers_mutex: protects what is marked M
 * @workers: M: every worker that is not reaped
 * @nr_threads: X: workers that are not reaped
 * @nr_awaiting: W: workers that sleep for a task of this pool, see wait.c
 * @spawned: M
 * @watch: N: what the monitor saw of the global queue
 * @handoffs: N: run queues that the monitor handed over
 * @hogs: N: tasks that ran for hog_ms without sleeping
 * @expired: W
 * @faults: M
 * @expiry_timer: armed while somebody beyond min_workers is idle
 * @spawn_wanted: X: set by who asks the spawner, cleared by it before it looks
 * @spawn_busy: S: a spawner serves it, the others leave it alone
 * @spawn_refused: S: its last request for a place was refused, and is tried again
 * @spawn_starved: S: and it has no worker
 * @spawn_node: S: on the spawners' list
 * @spawn_retry_ms: the pool's spawner only: pause after a failed spawn
 * @spawn_due: S: jiffies of the next try
 * @drain_wq: those who wait for tasks to finish or workers to end
 * @flush_mutex: one flush at a time
 * @tune_mutex: protects what is marked T, and the state
 * @state: T
 * @destroyed: completed when destroy is through
 * @node: in the list of pools, under pools_mutex; read under RCU by the monitor
 * @dev: the device of class wpool; its reference count is the pool's
 * @free_work: frees the pool
 * @name: I
 * @owner: I
 * @func: I: function the pool is bound to, or NULL
 * @items: I: preallocated items of a bound pool, or NULL
 * @fault: I
 * @fault_data: I
 * @abort: I: told of arguments of wpool_invoke() that end without @func, or NULL
 * @nr_cancelling: T: releases that cancel what is queued: no reboot meanwhile
 * @lockdep_key: of @lockdep_map
 * @lockdep_map: held around tasks, taken by those who wait for them
 */
struct wpool {
	/* what every submit and every finish reads; hardly ever written */
	struct wpool_runq __percpu *rq;
	u32 attention;
	u32 colour;
	u32 token_batch;
	u32 capacity;
	u32 nr_workers;
	u32 spin_us;
	u32 concurrency;
	bool steal;
	bool latency;
	bool handoff;
	bool prealloc;
	bool spawn_wanted;
	enum wpool_policy policy;
	wpool_arg_fn func;
	struct wpool_items *items;

	/*
	 * What many write, apart from what everybody reads and from each other.
	 * What hardly anybody uses fills the lines.
	 */
	atomic_t nr_searching ____cacheline_aligned;
	atomic_t nr_waking;
	atomic_t nr_idle;
	u32 wake_jiffy;
	struct cpumask *idle_mask;
	bool unserved;
	u32 nr_cpus;
	char name[WPOOL_NAME_LEN];

	struct wpool_globq globq ____cacheline_aligned;
	wpool_fault_fn fault;
	void *fault_data;
	struct module *owner;
	struct cpumask *cpumask;

	atomic_t tokens ____cacheline_aligned;
	raw_spinlock_t admission_lock;
	struct list_head waiters;
	u32 nr_waiting;
	u32 nr_drainers;
	enum wpool_state state;
	enum wpool_order order;
	u32 queue_depth;
	u32 max_blocking;
	u32 expiry_ms;
	u32 min_workers;
	u32 hog_ms;
	int nice;

	raw_spinlock_t workers_lock ____cacheline_aligned;
	u32 nr_awaiting;
	u32 spawn_retry_ms;
	bool spawn_busy;
	bool spawn_refused;
	bool spawn_starved;
	u64 expired;
	struct timer_list expiry_timer;
	struct list_head spawn_node;
	unsigned long spawn_due;

	struct mutex workers_mutex; /* protects workers, spawned, faults, nice */
	struct list_head workers;
	atomic_t nr_threads;
	u64 spawned;
	u64 faults;

	struct wpool_watch watch;
	u64 handoffs;
	u64 hogs;

	wpool_arg_abort_fn abort;
	u32 nr_cancelling;
	wait_queue_head_t drain_wq;
	struct mutex flush_mutex; /* one flush at a time */
	struct mutex tune_mutex; /* protects the attributes and the state */
	struct completion destroyed;

	struct list_head node;
	struct device dev;
	struct rcu_work free_work;
#ifdef CONFIG_LOCKDEP
	struct lock_class_key lockdep_key;
	struct lockdep_map lockdep_map;
#endif
};

/** wpool_this_runq() - run queue of this CPU; preemption is off */
static inline struct wpool_runq *wpool_this_runq(struct wpool *pool)
{
	return this_cpu_ptr(pool->rq);
}

/** wpool_runq() - run queue of a CPU */
static inline struct wpool_runq *wpool_runq(struct wpool *pool, int cpu)
{
	return per_cpu_ptr(pool->rq, cpu);
}

/** wpool_is_closed() - does the pool refuse every task? */
static inline bool wpool_is_closed(struct wpool *pool)
{
	return READ_ONCE(pool->attention) & WPOOL_ATT_CLOSED;
}

#ifdef CONFIG_LOCKDEP
/** wpool_lockdep_wait() - tell lockdep that the caller waits for tasks of a pool */
static inline void wpool_lockdep_wait(struct wpool *pool)
{
	lock_map_acquire(&pool->lockdep_map);
	lock_map_release(&pool->lockdep_map);
}
#else
static inline void wpool_lockdep_wait(struct wpool *pool) { }
#endif

#endif /* WPOOL_CORE_STATE_H */
