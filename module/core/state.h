/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state that the layers share: the pool, its run queues and its workers, and
 * the order of all locks. Every file may read it; the header of each file says what
 * that file changes. The functions in here are accessors only.
 *
 * Locking legend. Each field has its letter:
 *
 *   I: set before the pool, the run queue or the worker is published, never changed
 *   T: pool->tune_mutex to write; read anywhere with READ_ONCE
 *   F: pool->flush_mutex to write; read anywhere with READ_ONCE
 *   A: pool->admission_lock to write; read anywhere with READ_ONCE
 *   W: pool->workers_lock to write; read anywhere with READ_ONCE
 *   M: pool->workers_mutex
 *   Q: runq->lock to write; read anywhere with READ_ONCE
 *   R: pools_mutex, in registry.c
 *   S: the lock in spawn_queue.c to write; read anywhere with READ_ONCE
 *   B: the spawner that serves the pool, see @spawn_busy
 *   D: the lock in reap_queue.c, or @tidy.lock of a pool
 *   C: written on the run queue's own CPU only, with interrupts off; read anywhere
 *      with READ_ONCE
 *   L: a local64_t, written on the run queue's own CPU only; read anywhere
 *   P: written on the run queue's own CPU only, by workers with preemption off; read
 *      anywhere with READ_ONCE
 *   O: the worker's own thread, and the reaper or tidy.c after the end of that thread
 *   V: as O to write; read anywhere with READ_ONCE
 *   G: the thread that creates or picks the worker, before the worker can run; from
 *      then on as O
 *   N: the monitor to write; read anywhere with READ_ONCE
 *   K: a lock, or an object that does its own locking
 *   X: changed by atomic operations, or by the rule that the field states
 *
 * Lock order, outer lock first: a lock may be taken under each lock that it is indented
 * below. Raw locks are taken with interrupts off. Each lockless section has interrupts or
 * preemption off, so an RCU grace period waits for all threads that were inside one.
 *
 *   file->attach_mutex (faces/dev/load/file.h)
 *   devpool->mutex (faces/dev/control/pool.c)
 *     devpools_mutex (faces/dev/control/pool.c): nothing is taken under it
 *     pool->change_mutex: held while worker_start runs, which may take those below
 *       enable_mutex (handoff.c)
 *         cpu_hotplug_lock (the kernel's)
 *           pools_mutex (registry.c)
 *             pool->tune_mutex
 *               pool->workers_mutex
 *               items->lock (task/item.c): nothing is taken under it
 *               the raw locks
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
 *   strand->lock (client/strand.c)
 *     pool->admission_lock
 *   group->lock (client/group.c): the scheduler's own locks are taken under it, too
 *     pool->admission_lock
 *   pool->admission_lock
 *     pool_locks (task/state.c)
 *   pool->tidy.lock (tidy.h)
 *   fifo.lock (fifo.h)
 *   the lock in spawn_queue.c
 *   the lock in reap_queue.c
 *   pool->workers_lock: the scheduler's own locks are taken under it, too
 *     runq->lock: taken under the scheduler's own locks, in a preempt notifier: nothing of the
 *       scheduler may be called under it, which holds for tracepoints, too
 */
#ifndef WPOOL_CORE_STATE_H
#define WPOOL_CORE_STATE_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/time64.h>
#include <linux/timer.h>
#include <linux/swait.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>
#include <asm/local64.h>

#include "core/context.h"
#include "core/fifo.h"
#include "core/hist.h"
#include "core/pressure.h"
#include "core/ring.h"
#include "core/tidy.h"

struct wpool_preparing;

/* Tokens of a pool without a limit: more than memory holds tasks. */
#define WPOOL_TOKENS_UNLIMITED	((int)BIT(30))

/* token_batch of such a pool: submits take none, finishes give none */
#define WPOOL_NO_TOKENS		U32_MAX

/* pool->attention */
#define WPOOL_ATT_CLOSED	BIT(0)	/* the pool accepts no task */
#define WPOOL_ATT_WAITERS	BIT(1)	/* submitters wait: freed tokens go to them */
#define WPOOL_ATT_SCARCE	BIT(2)	/* no CPU caches tokens */
#define WPOOL_ATT_OWN		BIT(3)	/* only events and own tasks submit */
#define WPOOL_ATT_DROPS		BIT(4)	/* tasks that have not started end with -ECANCELED */
/* a submitter must not take a token for itself */
#define WPOOL_ATT_TAKE	(WPOOL_ATT_CLOSED | WPOOL_ATT_WAITERS | WPOOL_ATT_OWN)

/* Which running workers the monitor counts out, see monitor.c. */
enum wpool_retake { WPOOL_RETAKE_NONE, WPOOL_RETAKE_BLOCKED, WPOOL_RETAKE_ALL };

/**
 * struct wpool_standing - something that the monitor sees, and since when it is the same
 * @what: N: only compared; 0 is nothing
 * @since_ns: N: when it was first seen, or 0 to begin anew
 */
struct wpool_standing {
	u64 what;
	u64 since_ns;
};

/**
 * struct wpool_marks - where queues ended, and what was in a next slot, at an earlier look
 * @ring_end: N
 * @fifo_end: N: of the backlog, or of the global queue
 * @urgent_end: N: of a pool, of the urgent tasks
 * @next: N
 * @tick: N: the run queue's @tick
 */
struct wpool_marks {
	u32 ring_end;
	u32 fifo_end;
	u32 urgent_end;
	struct wpool_task *next;
	u32 tick;
};

/**
 * struct wpool_looked - what the monitor saw of a queue at its last look
 * @look: N: the run queue's @tick; of a pool, the sum of all
 * @look_ns: N: since when @look has not changed, or 0
 * @retake: N: which workers to count out in this look
 * @head: N: what was at the head of the queue
 * @reported: N: the log has a message about it
 * @marks: N: tasks before them wait for longer than between two looks
 * @next: N: what was in the next slot; only for max_wait_ms
 * @stuck: N: of a pool: since when no worker has looked; only for panic_on_stall_ms
 * @is_overdue: X: of a run queue: set when one of them has been there for max_wait_ms;
 *	cleared by the sweep, which checks
 * @jam_reported: N: of a pool: the log says why its tasks wait, see stall_report.h
 */
struct wpool_looked {
	u32 look;
	u64 look_ns;
	enum wpool_retake retake;
	struct wpool_standing head;
	bool reported;
	struct wpool_marks marks;
	struct wpool_standing next;
	struct wpool_standing stuck;
	bool is_overdue;
	bool jam_reported;
};

/**
 * struct wpool_runq - run queue of one CPU
 * @ring: X: the tasks, oldest first; see ring.h
 * @backlog: K: the older part of the same queue: tasks for which the ring had no more room,
 *	and those that other CPUs submit for this one, see fifo.h
 * @next: X: task that a task of this pool submitted here: filled, if it is empty, on this CPU
 *	with interrupts off, and emptied by exchange
 * @runner: X: thread of the worker that last began to run tasks here; written by
 *	workers at home here, only compared
 * @tick: P: number of looks for work
 * @seen_shared: P: how many tasks had come to the global queue when this CPU last compared two
 *	tasks of the same tick
 * @seen_ring: P: and those in the ring before this place were there then
 * @next_streak: P: number of tasks taken from @next in a row
 * @urgent_streak: P: number of urgent tasks taken in a row, up to @urgent_tick
 * @urgent_tick: P: @tick of the look that took the last one
 * @call_jiffy: P: when a worker last checked whether the queue needs help
 * @help_jiffy: C: when help for this queue was last looked for, to no avail or for short
 *	tasks
 * @task_ns: P: estimate of how long a task runs here; unknown is long, see length.h
 * @wake_jiffy: X: when a worker was last sent on its way to here
 * @help_len: P: tasks queued here from which on they outlast a wake-up; %U32_MAX: never
 * @ring_max: P: how many tasks may wait in the ring: none that are known to be long
 * @sample_tick: P: @tick of the look whose task is being timed, or the first one's of a run
 * @sample_ns: P: when that task was taken, or 0
 * @sample_is_run: P: the tasks taken until the next look through all queues are timed
 * @sample_thread: P: the worker that took it; only the address is used
 * @sample_switches: P: how often that worker had been switched out by then
 * @tokens: X: admission tokens cached here; any CPU may take them
 * @untaken: C: tasks accepted here that took no token
 * @ungiven: L: tasks finished here that gave no token
 * @accepted: C: tasks accepted here, by colour
 * @finished: L: tasks finished here in any way, by colour
 * @failed: L: of @finished, tasks whose worker died
 * @cancelled: L: of @finished, tasks that were cancelled before they ran
 * @overdue: L: of @finished, tasks that waited for longer than max_wait_ms
 * @errors: L: tasks of groups whose function returned an error here
 * @refused: C: submits refused here
 * @stolen: C: tasks that workers of this CPU stole
 * @handoffs: C: hand-offs of a run queue that were carried out here
 * @cpu: I
 * @index: W: its place in pool->active; constant once @is_active
 * @is_active: W: it may hold tasks and workers, see runqs.h
 * @nr_running: Q: workers at home here that are picked to look for work, or will look again
 *	before they sleep, see counts.h
 * @lock: K: protects the fields marked Q of the run queue and of its workers
 * @idle: Q: parked workers, see idle.h for the order
 * @nr_idle: Q: length of @idle
 * @nr_workers: Q: workers at home here, parked or not
 * @waking: Q: the worker that was picked or created for this run queue and has not
 *	started to look, or NULL; that worker alone clears it, without the lock
 * @redirect: T: the CPU is offline or not in the cpumask: pushes go to the global queue
 * @handoff_work: K: wakes a worker after a worker of this CPU has blocked
 * @look: K: the same, after another CPU has counted a worker of this one out
 * @is_called: X: @look is on its way, and has not begun to look
 * @nr_looks: X: calls of @look that have not ended
 * @watch: N: what the monitor saw of this run queue
 * @hists: T: how long tasks waited and ran, or NULL if the pool has never kept that;
 *	constant once set
 * @pool: I
 */
struct wpool_runq {
	struct wpool_ring ring;

	struct wpool_fifo backlog ____cacheline_aligned;

	struct wpool_task *next ____cacheline_aligned;
	struct task_struct *runner;
	u32 tick;
	u32 seen_shared;
	u32 seen_ring;
	u32 next_streak;
	u32 urgent_streak;
	u32 urgent_tick;
	u32 call_jiffy;
	u32 help_jiffy;
	u32 task_ns;
	u32 help_len;
	u32 wake_jiffy;
	u32 ring_max;
	u32 sample_tick;
	u64 sample_ns;
	struct task_struct *sample_thread;
	unsigned long sample_switches;
	bool sample_is_run;
	atomic_t tokens;
	u64 untaken;
	local64_t ungiven;
	u64 accepted[2];
	local64_t finished[2];
	local64_t failed;
	local64_t cancelled;
	local64_t overdue;
	local64_t errors;
	u64 refused;
	u64 stolen;
	u64 handoffs;
	int cpu;
	u32 index;
	bool is_active;

	u32 nr_running ____cacheline_aligned;
	raw_spinlock_t lock;
	struct list_head idle;
	u32 nr_idle;
	u32 nr_workers;
	bool redirect;
	struct wpool_worker *waking;
	struct irq_work handoff_work;
	call_single_data_t look;
	bool is_called;
	atomic_t nr_looks;
	struct wpool_looked watch;
	struct wpool_hists *hists;
	struct wpool *pool;
};

/**
 * struct wpool_worker - a worker
 *
 * @pool: I
 * @loop: I: what its thread does
 * @thread: I: with a reference, until an RCU grace period after the thread's end
 * @rq: V: the run queue at home; constant while the worker is idle
 * @node: M: in pool->workers; read under RCU
 * @idle_node: Q: in rq->idle while @parked
 * @idle_since: Q: jiffies when it parked
 * @parked: Q: asleep or about to be; cleared by the thread that picks it
 * @picked: G: created or picked to look for work, and has not started to; read anywhere with
 *	READ_ONCE
 * @helps: G: @picked to look at what other CPUs offer, too; counts in nr_coming
 * @leaving: W: counted out of the pool: it ends, or is the rescuer
 * @searching: O: counts in nr_searching
 * @asleep: O: sleeps, but is not parked: it counts in nr_running when it runs again
 * @has_notifier: O: @notifier is registered
 * @detached: O: the outermost task is detached: its memory may be gone
 * @colour: O: colour of a detached outermost task
 * @in_a_row: O: number of tasks run since another thread has wanted the CPU
 * @nested: O: number of tasks inside the outermost one: a worker that waits for a
 *	task may run it meanwhile
 * @on_stack: O: of the nested tasks, those that live on its own stack, by colour
 * @locks_left: O: locks that its tasks have left held, which lockdep will not forget
 * @prio: M to write: normal_prio of @thread, as its pool has set it
 * @running_on: Q: its @rq, if it counts in nr_running there, or NULL
 * @new_home: G: run queue to move to, or NULL
 * @notifier: O: is called when the worker is switched out
 * @task: V: innermost task it is in, or NULL; other threads use its address only
 * @outermost: O: if @nested, the first task
 * @held: O: innermost of the nested tasks that are not on its own stack, linked by
 *	their @held
 * @awaits: W: task of its own pool that it sleeps for, or NULL, see wait.c
 * @lifts: W: counts in nr_lifting
 * @told: W: no worker is left for what it sleeps for, and it can take that back; read without
 * @func: V: function of @task
 * @abort: O: abort function of the outermost task, if it is detached and has one
 * @task_owner: O: module pinned for a detached outermost task, or NULL
 * @own: O: what worker_start set, for tasks, worker_end and the fault handler
 * @preparing: G: the thread that creates the worker waits for worker_start, see owner_hooks.c
 * @may_go: X: set when that thread has made it a worker, or the rescuer
 * @in_hook: O: in worker_start or worker_end
 * @in_reserve: G: put into reserve, and still counts in nr_threads
 * @exit_work: O: runs in do_exit(), after an oops too
 * @dead_node: D: in the list of workers whose threads end, or of those that died
 * @rcu: O: frees it
 * @base: O: what worker_start has set, and tasks find; usually nothing
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
	bool helps;
	bool leaving;
	bool searching;
	bool asleep;
	bool has_notifier;
	bool detached;
	u8 colour;
	u32 in_a_row;
	u32 nested;
	u32 on_stack[2];
	int locks_left;
	int prio;
	struct wpool_runq *running_on;
	struct wpool_runq *new_home;
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier;
#endif
	struct wpool_task *task;
	struct wpool_task *outermost;
	struct wpool_task *held;
	struct wpool_task *awaits;
	bool lifts;
	bool told;
	void *func;
	wpool_abort_fn abort;
	struct module *task_owner;
	void *own;
	struct wpool_preparing *preparing;
	bool may_go;
	bool in_hook;
	bool in_reserve;
	struct callback_head exit_work;
	struct list_head dead_node;
	struct rcu_head rcu;
	struct wpool_context base;
};

/**
 * struct wpool - a pool
 * @rq: X: the run queue of each CPU, or NULL, see runqs.h; added before the CPU first
 *	comes online, under cpu_hotplug_lock
 * @attention: A: why a submit or a finish must take another path, WPOOL_ATT_*;
 *	usually 0
 * @colour: F: colour of newly accepted tasks
 * @token_batch: T: tokens that a run queue caches at a time; 0 below about 64
 *	tokens a CPU, where other CPUs would miss the cached ones;
 *	%WPOOL_NO_TOKENS without a limit
 * @capacity: T: workers at most; %WPOOL_UNLIMITED is larger than any number
 * @nr_workers: W: live workers that have not decided to leave
 * @spin_us: T
 * @concurrency: T
 * @latency: T
 * @stamps: T: each submit notes the time, for @latency or @max_wait_ms
 * @has_hists: T: each run queue has @hists, those that come later, too
 * @handoff: T
 * @has_urgent: X: @urgent holds a task; written under its lock
 * @is_watched: X: the monitor looks at it; cleared by the monitor when it is quiet, see
 *	monitor_timer.c
 * @prealloc: I
 * @freezable: T
 * @reclaim: T, W: written under both; the pool has a rescuer, or is about to get one
 * @spawn_wanted: X: set by a thread that asks for a worker, under the lock in
 *	spawn_queue.c or, if there is a rescuer, under @workers_lock; cleared by the
 *	spawner or the rescuer before it looks
 * @policy: T
 * @func: I: function the pool is bound to, or NULL
 * @abort: I: called for arguments of wpool_invoke() that end without @func, or NULL
 * @items: I: reserve of items of a bound pool, or NULL
 * @owner: I
 * @nr_searching: X: workers that look for a task of any CPU
 * @nr_coming: X: workers on the way to become searching
 * @coming_jiffy: X: when the oldest of them was sent
 * @active: W: the CPUs whose run queues are active, @nr_active of them; it only grows
 * @nr_active: W: length of @active
 * @idle_mask: X: active run queues that have an idle worker, and some that had one; changed
 *	under runq->lock
 * @offers: X: active run queues at which workers of other CPUs shall look, see find_work.h
 * @unserved: X: no worker could be woken for a task; a worker that makes room checks it
 * @nr_cpus: T: run queues that workers may be at home on
 * @name: I
 * @globq: K: the global queue: tasks of CPUs where no worker would look, and long ones, see
 *	fifo.h
 * @urgent: K: the urgent tasks of all CPUs, see fifo.h
 * @task_ns: X: estimate of how long a task runs, by the CPU that last found it changed from short
 *	to long or back, see length.h; %U32_MAX: unknown
 * @left: X: place in @active, plus one, of the run queue with the oldest task that no worker
 *	at home there takes, or 0; the monitor says so, and whoever finds otherwise ends it
 * @fault: I
 * @fault_data: I
 * @worker_start: I
 * @worker_end: I
 * @worker_data: I
 * @follows: T: @cpumask is that of the kernel's own threads, see housekeeping.h
 * @cpumask: T: CPUs that workers may be at home on; read under the mutex, too, but by the
 *	rescuer in reserve, which is asked to read it again: wpool_affinity_follow:A
 * @gfp: I: GFP_KERNEL; with __GFP_ACCOUNT if the pool was made through /dev/wpool
 * @tokens: X: admission tokens in no cache; negative is a debt
 * @admission_lock: K: protects the fields marked A; raw: submitters and finishers
 *	take it near the limit
 * @waiters: A: the line: submitters, events and strands that wait, first in, first out; read
 *	under the lock, too
 * @nr_waiting: A: length of @waiters
 * @nr_fired: A: events and strands among them
 * @guests: K: threads that wait for room in a group of the pool
 * @nr_closes: T: how often the pool was closed, which sent these away
 *	lock, too
 * @state: T
 * @order: I
 * @queue_depth: T
 * @max_blocking: T
 * @max_wait_ms: T
 * @max_wait_since: T: tasks with a time of submit before this are not concerned; set before
 *	@max_wait_ms
 * @capacity_per_cpu: T: @capacity follows @nr_cpus; 0 if it does not
 * @token_plenty: T: tokens in no cache from which on they are not scarce; %INT_MAX if
 *	they always are
 * @token_base: T: tokens that were ever added, see tokens.c
 * @expiry_ms: T
 * @min_workers: T
 * @hog_ms: T
 * @nice: T, M: written under both mutexes
 * @sched: T, M: the same
 * @class_reported: M to write, read anywhere with READ_ONCE: the log says that a worker has
 *	another class or nice value; until one of these is tuned
 * @workers_lock: K: protects the fields marked W; raw: threads that end take it
 * @nr_awaiting: W: workers that sleep for a task of this pool, see wait.c
 * @nr_lifting: W: those of them whose task had not started: no freeze meanwhile, see freeze.h
 * @spawn_retry_ms: B: pause after a failed spawn
 * @spawn_failed: B: to write: attempts to create a worker that failed; read anywhere with
 *	READ_ONCE
 * @spawn_error: B: to write: the error of the last of them, or 0; read anywhere with READ_ONCE
 * @spawn_failing: B: the last attempt failed, and the log has a message about it
 * @spawn_busy: S: a spawner serves the pool, and the others leave it alone
 * @spawn_refused: S: its last request for a place was refused, and will be tried again
 * @spawn_starved: S: @spawn_refused, and the pool has no worker
 * @rescuer: W: the worker in reserve of a pool with @reclaim, see rescuer.h, or NULL. It is
 *	no worker of the pool otherwise: leaving, and in none of the counts but @workers
 *	and the module's
 * @rescue_ns: W: when the last rescuer stepped in, or 0 if it was replaced or is counted
 * @rescued: W: times that it could not be replaced, or not within 10 ms
 * @wait_reported: X: the log says that a task waits for a pool without @reclaim; racy
 * @expired: W
 * @expiry_timer: K: pending while workers beyond min_workers are idle
 * @spawn_node: S: in the list of the spawners
 * @spawn_due: S: jiffies of the next try
 * @workers_mutex: K: protects the fields marked M
 * @workers: M: every worker that is not reaped; read under RCU, too
 * @nr_threads: X: workers that are not reaped, without the rescuer, and threads that make
 *	workers for the pool
 * @spawned: M
 * @faults: M
 * @watch: N: what the monitor saw of the global queue, and of the pool
 * @pressure: K: in how much of the time somebody waited
 * @marked_ns: N: when the marks of its queues were set
 * @has_news: X: see notify.h
 * @pressure_file: I: of sysfs, or NULL; set when the file is there
 * @handoffs: N: hand-offs by the monitor
 * @hogs: N: tasks that ran for hog_ms without sleeping
 * @exhausted: N: times that tasks waited because all workers that may be were in tasks
 * @follow_work: lets @capacity follow @nr_cpus, see pool/limits.c
 * @nr_refused_events: X: events that end because the pool is closed
 * @tidy: K: what needs functions of the owner, see tidy_queue.h
 * @tidy_joinable: K: cancelled tasks that need none
 * @drain_wq: K: threads that wait for tasks to finish or for workers to end
 * @flush_mutex: K: one flush at a time
 * @change_mutex: K: one change of the limits, or reboot, at a time; worker_start may be called
 *	meanwhile
 * @tune_mutex: K: protects the fields marked T
 * @destroyed: K: completed when destroy has finished
 * @node: R: in the list of pools; read under RCU by the monitor
 * @is_published: R: complete, and to be found by name
 * @dev: K: the device of class wpool; its reference count is the pool's
 * @free_work: K: frees the pool
 * @lockdep_key: K: of @lockdep_map
 * @lockdep_map: K: held around tasks, taken by threads that wait for tasks
 * @made_jiffy: K: a task that was submitted before was one of another pool
 */
struct wpool {
	/* read by every submit and every finish, rarely written */
	struct wpool_runq * __percpu *rq;
	u16 *active;
	u32 nr_active;
	u32 attention;
	u32 colour;
	u32 token_batch;
	u32 capacity;
	u32 nr_workers;
	u32 spin_us;
	u32 concurrency;
	bool latency;
	bool stamps;
	bool has_hists;
	bool handoff;
	bool has_urgent;
	bool is_watched;
	bool prealloc;
	bool freezable;
	bool reclaim;
	bool spawn_wanted;
	enum wpool_policy policy;
	wpool_arg_fn func;
	wpool_arg_abort_fn abort;
	struct wpool_items *items;
	struct module *owner;

	/*
	 * Written by many CPUs: apart from the fields that all read and from each other.
	 * Fields that are rarely used fill up the lines.
	 */
	atomic_t nr_searching ____cacheline_aligned;
	atomic_t nr_coming;
	u32 coming_jiffy;
	unsigned long *idle_mask;
	unsigned long *offers;
	bool unserved;
	u32 nr_cpus;
	char name[WPOOL_NAME_LEN];

	u32 left ____cacheline_aligned;
	u32 task_ns;
	struct wpool_fifo globq;
	struct wpool_fifo urgent;
	wpool_fault_fn fault;
	void *fault_data;
	wpool_worker_start_fn worker_start;
	wpool_worker_end_fn worker_end;
	void *worker_data;
	bool follows;
	struct cpumask *cpumask;
	gfp_t gfp;

	atomic_t tokens ____cacheline_aligned;
	int token_plenty;
	raw_spinlock_t admission_lock;
	struct list_head waiters;
	u32 nr_waiting;
	u32 nr_fired;
	struct swait_queue_head guests;
	u32 nr_closes;
	enum wpool_state state;
	enum wpool_order order;
	u32 queue_depth;
	u32 max_blocking;
	u32 max_wait_ms;
	u64 max_wait_since;
	u32 capacity_per_cpu;
	int token_base;
	u32 expiry_ms;
	u32 min_workers;
	u32 hog_ms;
	int nice;
	u32 sched;
	bool class_reported;

	raw_spinlock_t workers_lock ____cacheline_aligned;
	u32 nr_awaiting;
	u32 nr_lifting;
	u32 spawn_retry_ms;
	u64 spawn_failed;
	int spawn_error;
	bool spawn_failing;
	bool spawn_busy;
	bool spawn_refused;
	bool spawn_starved;
	bool wait_reported;
	struct wpool_worker *rescuer;
	u64 rescue_ns;
	u64 rescued;
	u64 expired;
	struct timer_list expiry_timer;
	struct list_head spawn_node;
	unsigned long spawn_due;

	struct mutex workers_mutex; /* protects workers, spawned, faults, nice, sched */
	struct list_head workers;
	atomic_t nr_threads;
	u64 spawned;
	u64 faults;

	struct wpool_looked watch;
	struct wpool_pressure pressure;
	u64 marked_ns;
	bool has_news;
	struct kernfs_node *pressure_file;
	u64 handoffs;
	u64 hogs;
	u64 exhausted;

	struct delayed_work follow_work;
	atomic_t nr_refused_events;
	struct wpool_tidy tidy;
	struct wpool_tidy tidy_joinable;
	wait_queue_head_t drain_wq;
	struct mutex flush_mutex; /* one flush at a time */
	struct mutex change_mutex; /* one tune or reboot at a time */
	struct mutex tune_mutex; /* protects the attributes and the state */
	struct completion destroyed;

	struct list_head node;
	bool is_published;
	struct device dev;
	struct rcu_work free_work;
#ifdef CONFIG_LOCKDEP
	struct lock_class_key lockdep_key;
	struct lockdep_map lockdep_map;
	u32 made_jiffy;
#endif
};

/** wpool_this_runq() - run queue of this CPU; preemption is off */
static inline struct wpool_runq *wpool_this_runq(struct wpool *pool)
{
	return __this_cpu_read(*pool->rq);
}

/** wpool_runq() - run queue of a CPU, or NULL if it has not been online since create */
static inline struct wpool_runq *wpool_runq(struct wpool *pool, int cpu)
{
	return READ_ONCE(*per_cpu_ptr(pool->rq, cpu));
}

/* The run queue of the next CPU after @cpu that has one, or NULL. */
static inline struct wpool_runq *wpool_next_runq(struct wpool *pool, int *cpu)
{
	struct wpool_runq *rq = NULL;

	while (!rq && (*cpu = cpumask_next(*cpu, cpu_possible_mask)) < nr_cpu_ids)
		rq = wpool_runq(pool, *cpu);
	return rq;
}

/** wpool_for_each_runq() - visit the run queues of all CPUs: not on a task's way */
#define wpool_for_each_runq(pool, rq, cpu)				\
	for ((cpu) = -1; ((rq) = wpool_next_runq(pool, &(cpu))); )

/** wpool_nr_active() - how many run queues are active */
static inline u32 wpool_nr_active(const struct wpool *pool)
{
	/* wpool_nr_active:A, pairs with __wpool_runq_activate:A */
	return smp_load_acquire(&pool->nr_active);
}

/** wpool_active() - the run queue in place @i of the active ones, less than wpool_nr_active() */
static inline struct wpool_runq *wpool_active(struct wpool *pool, u32 i)
{
	return wpool_runq(pool, pool->active[i]);
}

/** wpool_for_each_active() - visit the active run queues, @i is the place of each */
#define wpool_for_each_active(pool, rq, i)				\
	for ((i) = 0; (i) < wpool_nr_active(pool) &&			\
	     ((rq) = wpool_active(pool, i), true); (i)++)

/** wpool_next_bit() - the first set bit from @i on, or @nr: racy, as CPUs change the bits */
static inline u32 wpool_next_bit(const unsigned long *mask, u32 nr, u32 i)
{
	unsigned long word;

	for (; i < nr; i = (i | (BITS_PER_LONG - 1)) + 1) {
		/* marked, unlike in find_next_bit() */
		word = READ_ONCE(mask[i / BITS_PER_LONG]) >> (i % BITS_PER_LONG);
		if (word)
			return min_t(u32, i + __ffs(word), nr);
	}
	return nr;
}

/* The first set bit from @i on, in a circle that begins and ends at @start; or @nr. */
static inline u32 wpool_next_bit_wrap(const unsigned long *mask, u32 nr, u32 start, u32 i)
{
	u32 n;

	if (i >= start) {
		n = wpool_next_bit(mask, nr, i);
		if (n < nr)
			return n;
		i = 0;
	}
	n = wpool_next_bit(mask, start, i);
	return n < start ? n : nr;
}

/** wpool_for_each_bit() - visit the set bits, @i is the place of each */
#define wpool_for_each_bit(i, mask, nr)						\
	for ((i) = wpool_next_bit(mask, nr, 0); (i) < (nr);			\
	     (i) = wpool_next_bit(mask, nr, (i) + 1))

/** wpool_for_each_bit_wrap() - the same, from @start < @nr on */
#define wpool_for_each_bit_wrap(i, mask, nr, start)				\
	for ((i) = wpool_next_bit_wrap(mask, nr, start, start); (i) < (nr);	\
	     (i) = (i) + 1 == (start) ? (nr) :					\
		   wpool_next_bit_wrap(mask, nr, start, (i) + 1))

/** wpool_runq_len() - how many tasks a run queue holds: racy */
static inline u32 wpool_runq_len(const struct wpool_runq *rq)
{
	return wpool_ring_len(&rq->ring) + wpool_fifo_len(&rq->backlog) +
	       !!READ_ONCE(rq->next);
}

/** wpool_is_closed() - does the pool refuse every task? */
static inline bool wpool_is_closed(struct wpool *pool)
{
	return READ_ONCE(pool->attention) & WPOOL_ATT_CLOSED;
}

/**
 * wpool_max_wait_ns() - for how long may a task wait?
 * @pool: the pool
 * @from: set to the first time of submit that is concerned
 *
 * Return: that time, or 0.
 */
static inline u64 wpool_max_wait_ns(const struct wpool *pool, u64 *from)
{
	/* pairs with apply() of tune.c: the earlier tasks are none of a new time */
	u64 max_ns = smp_load_acquire(&pool->max_wait_ms) * (u64)NSEC_PER_MSEC;

	/* 0 is a task without a time of submit */
	*from = READ_ONCE(pool->max_wait_since) ?: 1;
	return max_ns;
}

/**
 * wpool_drops() - does a task that has not started end with -ECANCELED?
 * @pool: the pool, released with %WPOOL_RELEASE_CANCEL or not
 *
 * To be called with the task taken out of its queue: what was accepted since a reboot has been
 * queued after the bit was cleared, and the take orders this read.
 *
 * Return: true if it does.
 */
static inline bool wpool_drops(const struct wpool *pool)
{
	return READ_ONCE(pool->attention) & WPOOL_ATT_DROPS;
}

#endif /* WPOOL_CORE_STATE_H */
