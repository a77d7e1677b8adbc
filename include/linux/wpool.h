/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool - a bounded, elastic pool of kernel threads that run tasks.
 *
 * This is the whole contract between the pool and the modules that use it:
 *
 *   - a pool accepts a task if and only if fewer than capacity + queue_depth
 *     accepted tasks are unfinished; otherwise its overload policy decides;
 *   - at most capacity tasks run at the same time;
 *   - every accepted task starts as long as running tasks finish;
 *   - no order between tasks is promised, only waiting submitters are served
 *     first-in-first-out.
 *
 * Whoever calls with a pool sees to it that the pool stays during the call: as
 * its creator, or with a reference. A submitter that waits may be overtaken by
 * wpool_destroy(): it is sent away and does not touch the pool any more.
 *
 * An error path may have no pool, %NULL or what a failed wpool_create() returned:
 * wpool_destroy() and wpool_put() do nothing with it then, and whatever else is not
 * a submit says -EINVAL or nothing. To a submit %NULL is -EINVAL as well; the other
 * one is not looked for there.
 *
 * A module destroys its pools before it goes. Of one that does not, the log names
 * module and pool, and the pool is destroyed on its behalf when its exit function has
 * returned: what is queued is cancelled, what runs is waited for.
 *
 * A caller embeds struct wpool_task in its own object, names a function, and
 * submits it from any context except NMI:
 *
 *	struct job { struct wpool_task task; int value; };
 *
 *	static void job_fn(struct wpool_task *task)
 *	{
 *		struct job *job = container_of(task, struct job, task);
 *		...
 *	}
 *
 *	wpool_task_init(&job->task, job_fn);
 *	err = wpool_submit(wpool_default(), &job->task);
 *	if (!err)
 *		err = wpool_task_wait(&job->task);
 */
#ifndef _LINUX_WPOOL_H
#define _LINUX_WPOOL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>

struct task_struct;
struct wpool;
struct wpool_task;
struct wpool_waiter;

/** WPOOL_VERSION - of the module, of wpoolctl, and of the package for DKMS */
#define WPOOL_VERSION		"0.1.0"

/** WPOOL_UNLIMITED - value of capacity or queue_depth that means "no limit" */
#define WPOOL_UNLIMITED		U32_MAX

/* Upper bounds of finite attributes. Beyond them: -ERANGE. */
#define WPOOL_MAX_CAPACITY	1048576U
#define WPOOL_MAX_QUEUE_DEPTH	536870912U
#define WPOOL_MAX_BLOCKING	1073741824U
#define WPOOL_MAX_EXPIRY_MS	(24U * 60 * 60 * 1000)
#define WPOOL_MAX_CONCURRENCY	1024U
#define WPOOL_MAX_SPIN_US	1000U
#define WPOOL_MAX_HOG_MS	10000U

/**
 * WPOOL_MAX_FUNC_ITEMS - capacity + queue_depth at most of a pool of
 * wpool_create_func(), unless one of the two is %WPOOL_UNLIMITED
 */
#define WPOOL_MAX_FUNC_ITEMS	524288U

/** WPOOL_NAME_LEN - size of a pool's name, its terminating NUL included */
#define WPOOL_NAME_LEN		32

/** WPOOL_HIST_BUCKETS - buckets of a latency histogram; bucket i counts [2^i, 2^(i+1)) ns */
#define WPOOL_HIST_BUCKETS	32

/**
 * typedef wpool_task_fn - what a task does
 * @task: the task itself; container_of() leads to the caller's object
 *
 * Context: a worker thread of the pool, process context, interrupts on; may
 * sleep. Must leave preemption, interrupts, RCU and locks as it found them.
 */
typedef void (*wpool_task_fn)(struct wpool_task *task);

/**
 * typedef wpool_abort_fn - is given a task that will never return from its function
 * @task: the task, which belongs to this function from now on
 * @status: -ECANCELED it was cancelled before it started, -EIO its worker died in it
 *
 * Context: process context, often the thread that makes new workers: may sleep,
 * but must not wait for a pool, make or destroy one, or fault; submit with
 * wpool_try_submit() only.
 */
typedef void (*wpool_abort_fn)(struct wpool_task *task, int status);

/**
 * typedef wpool_arg_fn - a function of one argument, for wpool_invoke() and wpool_submit_fn()
 * @arg: what the submitter gave
 *
 * Context: as &typedef wpool_task_fn.
 */
typedef void (*wpool_arg_fn)(void *arg);

/**
 * typedef wpool_arg_abort_fn - is given an argument for which its function will never return
 * @arg: what the submitter gave; it belongs to this function from now on
 * @status: -ECANCELED the function was not called, -EIO its worker died in it
 *
 * Context: as &typedef wpool_abort_fn.
 */
typedef void (*wpool_arg_abort_fn)(void *arg, int status);

/**
 * enum wpool_policy - what happens to a submitter whose task does not fit
 * @WPOOL_BLOCK: it sleeps, killable, first-in-first-out, until the task fits
 * @WPOOL_FAIL: it gets -EAGAIN
 * @WPOOL_RUN: it runs the task itself; to be chosen at creation only
 */
enum wpool_policy {
	WPOOL_BLOCK,
	WPOOL_FAIL,
	WPOOL_RUN,
};

/**
 * enum wpool_order - which idle worker is reused first
 * @WPOOL_LIFO: the one that was last busy, so that the coldest expires (default)
 * @WPOOL_FIFO: the one that has been idle longest (default with prealloc)
 */
enum wpool_order {
	WPOOL_LIFO,
	WPOOL_FIFO,
};

/**
 * struct wpool_fault - what is known of a task whose worker died in it
 * @pool: name of the pool
 * @task: address of the task, as a value: the object may be gone
 * @func: the task's function
 * @cpu: CPU on which the worker died
 */
struct wpool_fault {
	const char *pool;
	unsigned long task;
	void *func;
	int cpu;
};

/**
 * typedef wpool_fault_fn - is told of each task that ended in its worker's death
 * @fault: values, valid during the call
 * @data: &wpool_attrs.fault_data
 *
 * Context: process context, in the thread that makes new workers: may sleep,
 * but no pool gets a new worker meanwhile. The task is not finished yet: must
 * not wait for a pool, make or destroy one; submit with wpool_try_submit() only.
 */
typedef void (*wpool_fault_fn)(const struct wpool_fault *fault, void *data);

/**
 * struct wpool_attrs - everything that can be said about a pool
 * @name: unique, 1 to 31 characters of [A-Za-z0-9_.-], no leading dot;
 *	default NULL, which wpool_create() refuses
 * @capacity: workers at most, so tasks running at the same time at most:
 *	1 to %WPOOL_MAX_CAPACITY or %WPOOL_UNLIMITED; default 256. 0 is -EINVAL, and
 *	not -ERANGE as it is for the other numbers: it asks for no pool.
 * @queue_depth: accepted tasks beyond @capacity that may wait for a worker:
 *	0 to %WPOOL_MAX_QUEUE_DEPTH or %WPOOL_UNLIMITED; default 0
 * @max_blocking: submitters that may sleep at the same time, 0 to
 *	%WPOOL_MAX_BLOCKING, 0 is no limit; default 0. Ignored unless @policy is
 *	%WPOOL_BLOCK.
 * @policy: what happens on overload; default %WPOOL_BLOCK
 * @expiry_ms: an idle worker leaves after this many ms, 0 to
 *	%WPOOL_MAX_EXPIRY_MS, 0 never; default 1000
 * @min_workers: workers that never expire once made, 0 to @capacity; default 1
 * @concurrency: workers that run at the same time on one CPU, 1 to
 *	%WPOOL_MAX_CONCURRENCY; default 1. No more are woken there; one that comes
 *	back from a sleep in its task finishes it and then makes way.
 * @spin_us: how long a worker looks for work before it parks, in us, 0 to
 *	%WPOOL_MAX_SPIN_US; default 20
 * @hog_ms: a task that runs longer than this without sleeping is a hog, in ms,
 *	1 to %WPOOL_MAX_HOG_MS; default 10. Its run queue goes to a worker of
 *	another CPU, or of its own if there is no other.
 * @handoff: a worker that blocks in a task gives its run queue to another one;
 *	default true. With false blocked workers and hogs count among @concurrency,
 *	and what is queued behind them waits, unless another CPU steals it.
 * @steal: balance tasks between CPUs; default true. false never stops progress.
 * @latency: take time stamps and keep a histogram of queue-to-start latency;
 *	default false
 * @order: which idle worker is reused first; default %WPOOL_LIFO
 * @prealloc: make all workers at creation and never again, so that nothing is
 *	allocated later, but for those that died or gave way when max_workers of the
 *	module was used up; needs a finite @capacity, which then cannot be tuned;
 *	its workers do not expire; sets @order to %WPOOL_FIFO; default false
 * @nice: nice value of the workers, -20 to 19; default 0
 * @cpumask: CPUs that workers may run on, copied; default NULL, which means
 *	housekeeping_cpumask(HK_TYPE_KTHREAD)
 * @fault: told of each task whose worker died; default NULL: logged instead
 * @fault_data: second argument of @fault
 * @abort: for wpool_create_func(): ends each accepted wpool_invoke() whose function
 *	was not called, or did not return; default %NULL: nobody is told
 */
struct wpool_attrs {
	const char *name;
	u32 capacity;
	u32 queue_depth;
	u32 max_blocking;
	enum wpool_policy policy;
	u32 expiry_ms;
	u32 min_workers;
	u32 concurrency;
	u32 spin_us;
	u32 hog_ms;
	bool handoff;
	bool steal;
	bool latency;
	bool prealloc;
	enum wpool_order order;
	int nice;
	const struct cpumask *cpumask;
	wpool_fault_fn fault;
	void *fault_data;
	wpool_arg_abort_fn abort;
};

/* Which attributes a wpool_tune() changes: a mask of these. */
#define WPOOL_TUNE_CAPACITY	BIT(0)
#define WPOOL_TUNE_QUEUE_DEPTH	BIT(1)
#define WPOOL_TUNE_MAX_BLOCKING	BIT(2)
#define WPOOL_TUNE_POLICY	BIT(3)
#define WPOOL_TUNE_EXPIRY_MS	BIT(4)
#define WPOOL_TUNE_MIN_WORKERS	BIT(5)
#define WPOOL_TUNE_CONCURRENCY	BIT(6)
#define WPOOL_TUNE_SPIN_US	BIT(7)
#define WPOOL_TUNE_HOG_MS	BIT(8)
#define WPOOL_TUNE_HANDOFF	BIT(9)
#define WPOOL_TUNE_STEAL	BIT(10)
#define WPOOL_TUNE_LATENCY	BIT(11)
#define WPOOL_TUNE_NICE		BIT(12)
#define WPOOL_TUNE_CPUMASK	BIT(13)
#define WPOOL_TUNE_ALL		GENMASK(13, 0)

/**
 * enum wpool_state - life of a pool
 * @WPOOL_OPEN: accepts tasks
 * @WPOOL_CLOSED: released; what was accepted runs to its end, its workers leave
 * @WPOOL_DESTROYED: wpool_destroy() was called: as @WPOOL_CLOSED, and never to be
 *	opened again. When it has returned only references keep the memory.
 */
enum wpool_state {
	WPOOL_OPEN,
	WPOOL_CLOSED,
	WPOOL_DESTROYED,
};

/**
 * struct wpool_stats - a snapshot of a pool's figures
 * @state: see &enum wpool_state
 * @workers: live workers; = @idle + @searching + @busy
 * @idle: workers parked
 * @searching: workers awake that hold no task
 * @busy: workers inside a task, asleep or not
 * @blocked: workers asleep inside a task; part of @busy
 * @waiting: submitters asleep because the pool is full
 * @queued: accepted tasks that have not started
 * @free: tasks that would be accepted now; %WPOOL_UNLIMITED if there is no limit
 * @outstanding: accepted tasks that have not finished
 * @submitted: tasks accepted since creation;
 *	= @completed + @failed + @cancelled + @outstanding
 * @completed: tasks that returned
 * @failed: tasks whose worker died in them
 * @cancelled: tasks that were accepted and then cancelled before they ran
 * @refused: submits that got -EAGAIN or -EDEADLK
 * @stolen: tasks that moved to another CPU by stealing
 * @handoffs: times that a run queue went to another worker because its own had
 *	blocked in a task
 * @hogs: tasks that were found to have run longer than hog_ms
 * @spawned: workers made since creation
 * @expired: workers that left because they were idle
 * @faults: workers that died in a task
 * @latency_ns: log2 histogram of queue-to-start latency while latency is on
 *
 * Figures of a pool in motion are read one after the other; the two
 * identities hold in every snapshot all the same.
 */
struct wpool_stats {
	enum wpool_state state;
	u32 workers;
	u32 idle;
	u32 searching;
	u32 busy;
	u32 blocked;
	u32 waiting;
	u32 queued;
	u32 free;
	u64 outstanding;
	u64 submitted;
	u64 completed;
	u64 failed;
	u64 cancelled;
	u64 refused;
	u64 stolen;
	u64 handoffs;
	u64 hogs;
	u64 spawned;
	u64 expired;
	u64 faults;
	u64 latency_ns[WPOOL_HIST_BUCKETS];
};

/**
 * struct wpool_cpu_stats - figures of one CPU's run queue
 * @workers: workers at home there
 * @idle: those of them that are parked
 * @queued: tasks in its ring and its next slot
 * @submitted: tasks accepted there
 * @completed: tasks finished there, however they ended
 * @stolen: tasks that workers there took from other CPUs
 */
struct wpool_cpu_stats {
	u32 workers;
	u32 idle;
	u32 queued;
	u64 submitted;
	u64 completed;
	u64 stolen;
};

/**
 * struct wpool_task - a piece of work, embedded in the caller's object
 *
 * At most one cache line; all fields are private. Prepare it with
 * wpool_task_init() (joinable) or wpool_task_init_detached().
 *
 * A *joinable* task must live until wpool_task_wait() or
 * wpool_task_cancel_sync() returned 0, -ECANCELED or -EIO, or until
 * wpool_flush(), wpool_release_timeout() or wpool_destroy() returned 0 after
 * it was submitted. A *detached* task belongs to its function from the moment
 * that starts, which may free it; nobody can wait for it.
 */
struct wpool_task {
	/* private: */
	atomic_t state;
	u8 flags;
	u8 colour;
	u8 queued;
	u8 unused;
	wpool_task_fn func;
	struct wpool *pool;
	union {
		struct list_head node;
		struct {
			struct wpool_task *outer;
			struct wpool_task *held;
		};
		struct wpool_waiter *waiter;
		struct task_struct *submitter;
	};
	struct module *owner;
	u64 submit_ns;
	union {
		int status;
		wpool_abort_fn abort;
	};
};

static_assert(sizeof(struct wpool_task) <= 64, "a task is at most one cache line");

/* wpool_task.flags */
#define WPOOL_TASK_DETACHED	BIT(0)

/**
 * wpool_task_init() - prepare a joinable task
 * @task: the task; must not be pending or running
 * @func: what it does
 *
 * Context: any.
 */
void wpool_task_init(struct wpool_task *task, wpool_task_fn func);

/**
 * wpool_task_init_detached() - prepare a detached task
 * @task: the task; must not be pending
 * @func: what it does; may free @task or submit it again
 * @owner: module that holds the text of @func, pinned from each submit until
 *	@func returned; %NULL if the caller sees to that itself
 *
 * Context: any.
 */
static inline void wpool_task_init_detached(struct wpool_task *task,
					    wpool_task_fn func,
					    struct module *owner)
{
	wpool_task_init(task, func);
	task->flags = WPOOL_TASK_DETACHED;
	task->owner = owner;
	task->abort = NULL;
}

/**
 * wpool_task_init_abortable() - prepare a detached task that is never dropped silently
 * @task: the task; must not be pending
 * @func: what it does; may free @task as its last act
 * @abort: called instead when an accepted task is cancelled before it ran,
 *	or after its worker died in @func; may free @task
 * @owner: as wpool_task_init_detached()
 *
 * Exactly one of the two ends each accepted submit. @func must not free the
 * task before anything that may fault, nor submit it again; nobody may submit
 * it again once it was cancelled.
 *
 * Context: any.
 */
static inline void wpool_task_init_abortable(struct wpool_task *task,
					     wpool_task_fn func,
					     wpool_abort_fn abort,
					     struct module *owner)
{
	wpool_task_init_detached(task, func, owner);
	task->abort = abort;
}

/**
 * wpool_attrs_init() - set every attribute to its default
 * @attrs: to be filled in
 *
 * The defaults are those of struct wpool_attrs; the name is left to the caller.
 *
 * Context: any.
 */
void wpool_attrs_init(struct wpool_attrs *attrs);

/**
 * wpool_create() - make an open pool
 * @attrs: its attributes, copied
 * @owner: the calling module (%THIS_MODULE); shown as the pool's owner
 *
 * The pool appears as /sys/class/wpool/<name>. The caller owns it and gives it
 * back with wpool_destroy(). Contract after ants' NewPool().
 *
 * Context: process context; sleeps.
 * Return: the pool, or ERR_PTR: -EINVAL bad or missing attribute, capacity 0,
 * -ERANGE number out of its range, -EEXIST name taken, -ENOMEM, -EINTR killed while
 * workers were preallocated, -EAGAIN max_workers reached while preallocating.
 */
struct wpool * __must_check wpool_create(const struct wpool_attrs *attrs,
					 struct module *owner);

/**
 * wpool_create_func() - make an open pool bound to one function
 * @attrs: its attributes, copied
 * @func: what every wpool_invoke() runs
 * @owner: the calling module (%THIS_MODULE)
 *
 * The pool preallocates capacity + queue_depth items, so that an invoke within
 * the limits never fails for want of memory; with either unlimited, items are
 * allocated one by one. Contract after ants' NewPoolWithFunc().
 *
 * Context: process context; sleeps.
 * Return: as wpool_create(); -EINVAL also for a NULL @func; -ERANGE also for
 * more than %WPOOL_MAX_FUNC_ITEMS, which is no limit to unlimited pools.
 */
struct wpool * __must_check wpool_create_func(const struct wpool_attrs *attrs,
					      wpool_arg_fn func,
					      struct module *owner);

/**
 * wpool_destroy() - end a pool
 * @pool: the pool; the creator's reference is consumed. %NULL and ERR_PTR are
 *	allowed and do nothing.
 *
 * Closes the pool, sends every waiting submitter away with -ESHUTDOWN, lets
 * every accepted task run to its end, and waits for the workers to be gone.
 * Whoever calls while somebody else destroys needs a reference of its own; it
 * returns when the pool is gone.
 *
 * From the call on the pool's state is %WPOOL_DESTROYED, while its last tasks run.
 *
 * Context: process context; sleeps, uninterruptibly.
 * Return: 0; -EDEADLK from one of the pool's own tasks; -EBUSY the default pool,
 * which is everybody's. In both cases nothing happened.
 */
int wpool_destroy(struct wpool *pool);

/* wpool_release() flags */
#define WPOOL_RELEASE_DRAIN	0	/* queued tasks run to their end */
#define WPOOL_RELEASE_CANCEL	BIT(0)	/* queued tasks end with -ECANCELED */

/**
 * wpool_release() - close a pool
 * @pool: the pool
 * @flags: %WPOOL_RELEASE_DRAIN or %WPOOL_RELEASE_CANCEL
 *
 * Afterwards every submit gets -ESHUTDOWN, and so does every submitter that
 * waits. Tasks that run are left alone and not waited for. Idempotent; on a pool
 * that is closed already, or being destroyed, %WPOOL_RELEASE_CANCEL cancels what is
 * still queued. Cancelled detached tasks are dropped without a word to anybody,
 * unless they were prepared with wpool_task_init_abortable(); arguments of
 * wpool_invoke() and wpool_submit_fn() likewise, but for &wpool_attrs.abort and
 * wpool_submit_fn_abortable().
 *
 * Context: process context; sleeps for an RCU grace period.
 * Return: 0; -EINVAL no pool or unknown flag; -EBUSY the default pool.
 */
int wpool_release(struct wpool *pool, unsigned int flags);

/**
 * wpool_release_timeout() - close a pool and wait until it is empty
 * @pool: the pool
 * @flags: as wpool_release()
 * @timeout: in jiffies, not negative; %MAX_SCHEDULE_TIMEOUT is for ever, 0 does
 *	not wait
 *
 * May be called again until it returns 0: no task is unfinished and no worker
 * is left.
 *
 * Context: process context; sleeps, killable.
 * Return: 0; -ETIME; -EINTR killed; -EDEADLK from one of the pool's own tasks;
 * -EINVAL no pool, unknown flag, or negative @timeout; -EBUSY the default pool.
 * With the last three nothing happened.
 */
int wpool_release_timeout(struct wpool *pool, unsigned int flags, long timeout);

/**
 * wpool_reboot() - open a released pool again
 * @pool: the pool
 *
 * Waits until what the pool had accepted is finished and its old workers are
 * gone, and nobody cancels any more. Does nothing to an open pool.
 *
 * Context: process context; sleeps, killable.
 * Return: 0; -EINVAL no pool; -ESHUTDOWN destroyed; -EINTR killed; -EDEADLK from one of the
 * pool's own tasks; preallocated pools: as wpool_create().
 */
int wpool_reboot(struct wpool *pool);

/**
 * wpool_tune() - change attributes of a pool under load
 * @pool: the pool
 * @attrs: new values of those named in @mask; the others are not looked at
 * @mask: %WPOOL_TUNE_CAPACITY and so on
 *
 * All or nothing. After a larger limit as many waiting submitters go on as now
 * fit. After a smaller capacity never more than that many tasks run, beyond
 * those that were running already.
 *
 * Context: process context; sleeps.
 * Return: 0; -EINVAL no pool, bad value, capacity 0, unknown bit, capacity of a
 * preallocated pool, policy from or to %WPOOL_RUN, min_workers above capacity;
 * -ERANGE number out of its range, or more than %WPOOL_MAX_FUNC_ITEMS in a pool bound
 * to a function; -ENOMEM; -ESHUTDOWN destroyed; -EBUSY the default pool, which only
 * the administrator tunes, through sysfs or /dev/wpool.
 */
int wpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

/**
 * wpool_submit() - hand over a task, by the pool's policy when it is full
 * @pool: the pool
 * @task: the task, initialised
 *
 * A task that runs already (joinable only) will run once more after it
 * returned, never twice at once, on the same place among the accepted. If its
 * worker dies, that submit ends with the same -EIO. If the task is pending, its
 * function sees what the caller wrote before this call: an event that is set before
 * a submit is seen, also when that returns -EALREADY because of an earlier one.
 *
 * Context: process context; may sleep, whatever the policy.
 * Return: 0 accepted, or run under %WPOOL_RUN; -EINVAL no pool, task or
 * function, or NMI; -EALREADY still pending, or in the hands of a submitter that
 * may yet be refused, or running in another pool; -ECANCELED the task was cancelled
 * while its submitter waited for room, or is being cancelled: it has not left its
 * queue yet, or wpool_task_cancel_sync() waits for it; -ESHUTDOWN closed; -EAGAIN full
 * (policy fail, max_blocking reached, or no stack left to run it here);
 * -EDEADLK full, and the caller, one of the pool's own tasks, would have waited
 * (with policy fail it is -EAGAIN as for everybody); -EINTR killed while it waited;
 * -ENOENT the task's owner module is going.
 */
int __must_check wpool_submit(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_try_submit() - hand over a task if it fits now
 * @pool: the pool
 * @task: the task, initialised
 *
 * Never sleeps, never runs the task in the caller.
 *
 * Context: any except NMI; callers that hold scheduler locks are out. On
 * PREEMPT_RT, where preemption or interrupts are off, only of tasks that nobody
 * waits for: to refuse one is to wake its waiters, which takes a sleeping lock.
 * Return: 0; -EAGAIN full, or others wait already; otherwise as wpool_submit().
 */
int __must_check wpool_try_submit(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_submit_timeout() - hand over a task, wait a bounded time when full
 * @pool: the pool
 * @task: the task, initialised
 * @timeout: in jiffies; 0 does not wait
 *
 * Waits whatever the policy says about waiting, unless that is %WPOOL_FAIL: then
 * a full pool is -EAGAIN. Otherwise it is -ETIME after @timeout, which is at once
 * for 0, for one of the pool's own tasks as well.
 *
 * Context: process context; may sleep.
 * Return: as wpool_submit(); -ETIME the time ran out; -EINVAL also for a
 * negative @timeout.
 */
int __must_check wpool_submit_timeout(struct wpool *pool,
				      struct wpool_task *task, long timeout);

/* wpool_submit_batch() flags */
#define WPOOL_BATCH_TRY			BIT(0)	/* never sleep: any context */
#define WPOOL_BATCH_INTERRUPTIBLE	BIT(1)	/* any signal ends the wait */

/**
 * wpool_submit_batch() - hand over several tasks for the price of one
 * @pool: the pool
 * @tasks: pointers to initialised tasks, read only during the call
 * @nr: how many, 1 to INT_MAX
 * @flags: %WPOOL_BATCH_TRY or %WPOOL_BATCH_INTERRUPTIBLE
 *
 * A prefix of @tasks is accepted. Policy block continues until all are in.
 *
 * Context: process context, may sleep, and lets others have the CPU now and then;
 * with %WPOOL_BATCH_TRY any except NMI.
 * Return: how many were accepted, if any; otherwise -errno as wpool_submit(),
 * -EINVAL for @nr or @flags.
 */
int __must_check wpool_submit_batch(struct wpool *pool,
				    struct wpool_task *const *tasks,
				    unsigned int nr, unsigned int flags);

/**
 * wpool_submit_fn() - run a function once, without an embedded task
 * @pool: the pool
 * @func: the function
 * @arg: its argument
 * @owner: module that holds the text of @func (%THIS_MODULE), pinned until it
 *	returned; %NULL for built-in code
 * @gfp: how to allocate; without __GFP_DIRECT_RECLAIM the call never sleeps
 *	and behaves as wpool_try_submit(), with it as wpool_submit()
 *
 * Context: process context, or any except NMI if @gfp does not sleep (on
 * PREEMPT_RT not hardirq, where nothing can be allocated).
 * Return: as wpool_submit() or wpool_try_submit(); -ENOMEM.
 */
int __must_check wpool_submit_fn(struct wpool *pool, wpool_arg_fn func,
				 void *arg, struct module *owner, gfp_t gfp);

/**
 * wpool_submit_fn_abortable() - as wpool_submit_fn(), for an argument that must not be lost
 * @pool: the pool
 * @func: the function
 * @abort: called instead when the accepted call is cancelled by wpool_release(), or
 *	after its worker died in @func; %NULL: nobody is told
 * @arg: the argument of both
 * @owner: module that holds the text of @func and @abort (%THIS_MODULE), pinned
 *	until the one that is called has returned; %NULL for built-in code
 * @gfp: as wpool_submit_fn()
 *
 * After 0 exactly one of the two ends the call and has @arg: @func returned, or
 * @abort was called. @func must not free @arg before anything that may fault. After
 * an error @arg is still the caller's.
 *
 * Context: as wpool_submit_fn().
 * Return: as wpool_submit_fn().
 */
int __must_check wpool_submit_fn_abortable(struct wpool *pool, wpool_arg_fn func,
					   wpool_arg_abort_fn abort, void *arg,
					   struct module *owner, gfp_t gfp);

/**
 * wpool_invoke() - run the function that the pool is bound to
 * @pool: a pool of wpool_create_func()
 * @arg: the function's argument
 *
 * After 0 the function returned, or &wpool_attrs.abort is called, if there is one.
 *
 * Context: process context; may sleep as wpool_submit() does.
 * Return: as wpool_submit(); -EINVAL the pool is bound to no function; -ENOMEM
 * (pools that were unlimited at creation, or submitters beyond the limit that
 * wait with an item in hand).
 */
int __must_check wpool_invoke(struct wpool *pool, void *arg);

/**
 * wpool_task_wait() - wait until a task is finished
 * @task: a joinable task that the caller submitted
 *
 * From a worker of the task's own pool a task that is still queued is run by
 * the caller itself while enough stack is left, so that fork-join works at
 * capacity 1. If no stack is left, the caller sleeps until another worker has run the
 * task; if all workers that the pool may have sleep like that, the last one is told
 * (-EDEADLK), and takes the task back with wpool_task_cancel_sync(). With several
 * waiters none may free the task before all returned.
 *
 * Context: process context; sleeps, killable.
 * Return: the task's status, of the last submit that was accepted: 0 it returned (or
 * was never submitted), -ECANCELED it was cancelled, -EIO its worker died in it. Or,
 * and then nothing is promised about the task: -EINTR killed; -EDEADLK a task that
 * waits for itself, or nobody is left to run it; -EINVAL a detached task, or none:
 * %NULL and ERR_PTR are allowed.
 */
int wpool_task_wait(struct wpool_task *task);

/**
 * wpool_task_cancel() - see to it that a queued task does not run
 * @task: the task; %NULL and ERR_PTR are allowed
 *
 * The task's place among the accepted becomes free: at once in process context
 * and for a joinable task, unless it is just on its way between two queues; soon
 * otherwise. Its memory stays in use until
 * wpool_task_cancel_sync() or wpool_task_wait() returned, and it takes no submit
 * (-ECANCELED) until it has left its queue. If its submitter still waits for room,
 * that submitter returns with -ECANCELED, and so do the other tasks that it still
 * waits with, of one batch. The caller sees to it that @task is not freed
 * during the call.
 *
 * Context: any except NMI.
 * Return: true if a submit was taken back: its function will not run for it;
 * false if the task was not pending.
 */
bool wpool_task_cancel(struct wpool_task *task);

/**
 * wpool_task_cancel_sync() - cancel a task and get its memory back
 * @task: a joinable task
 *
 * Takes a pending task out of the queues or out of the hands of a submitter that
 * waits for room, and waits for one that runs, which takes no further submit until it
 * has returned (-ECANCELED): one that submits itself again and again ends. Never waits
 * behind another task. Nobody may submit the task to another pool meanwhile.
 *
 * Context: process context; sleeps, killable, only if the task runs or its submitter
 * has yet to wake up.
 * Return: as wpool_task_wait(): -ECANCELED if the last submit was taken back, also
 * that of a task that ran meanwhile; 0 if it returned; -EINTR killed; -EDEADLK a task
 * that cancels itself, or nobody is left to run it; -EINVAL detached, or none: %NULL
 * and ERR_PTR are allowed.
 */
int wpool_task_cancel_sync(struct wpool_task *task);

/**
 * wpool_flush() - wait for all that was accepted before
 * @pool: the pool
 *
 * Ends also while others go on submitting.
 *
 * Context: process context; sleeps, killable.
 * Return: 0; -EINVAL no pool; -EINTR killed; -EDEADLK from one of the pool's own
 * tasks.
 */
int wpool_flush(struct wpool *pool);

/**
 * wpool_get_stats() - snapshot of a pool's figures
 * @pool: the pool; of none the state is %WPOOL_DESTROYED, and all the rest 0
 * @stats: to be filled in
 *
 * Context: process context; sleeps.
 */
void wpool_get_stats(struct wpool *pool, struct wpool_stats *stats);

/**
 * wpool_get_cpu_stats() - figures of one CPU's run queue
 * @pool: the pool; of none all is 0
 * @cpu: a possible CPU
 * @stats: to be filled in
 *
 * Context: any.
 */
void wpool_get_cpu_stats(struct wpool *pool, int cpu,
			 struct wpool_cpu_stats *stats);

/**
 * wpool_get_attrs() - a pool's attributes as they are now
 * @pool: the pool; of none all is 0
 * @attrs: to be filled in; name points into the pool, cpumask is %NULL
 * @cpumask: filled in if not %NULL
 *
 * Context: process context; sleeps.
 */
void wpool_get_attrs(struct wpool *pool, struct wpool_attrs *attrs,
		     struct cpumask *cpumask);

/**
 * wpool_owner() - the module that created a pool
 * @pool: the pool
 *
 * Context: any.
 * Return: as given to wpool_create(); not to be followed without a reference
 * on that module. %NULL if there is no pool.
 */
struct module *wpool_owner(struct wpool *pool);

/**
 * wpool_get() - take one more reference to a pool
 * @pool: a pool that the caller has a reference to, or none
 *
 * A reference keeps the memory, not the pool open.
 *
 * Context: any.
 * Return: @pool.
 */
struct wpool *wpool_get(struct wpool *pool);

/**
 * wpool_put() - give a reference back
 * @pool: the pool; %NULL and ERR_PTR are allowed
 *
 * Context: process context; may sleep.
 */
void wpool_put(struct wpool *pool);

/**
 * wpool_find() - look a pool up by name
 * @name: its name
 *
 * Context: process context; sleeps.
 * Return: the pool with a reference that the caller gives back with
 * wpool_put(), or %NULL.
 */
struct wpool *wpool_find(const char *name);

/**
 * wpool_default() - the pool that exists from load on
 *
 * Capacity unlimited, named "default". It lives as long as the module does,
 * which a module that calls this keeps loaded: no reference is taken, and none is to
 * be given back. No caller may destroy, release or tune it (-EBUSY); only the
 * administrator tunes it. Contract after ants' package functions.
 *
 * Context: any.
 * Return: the pool.
 */
struct wpool *wpool_default(void);

#endif /* _LINUX_WPOOL_H */
