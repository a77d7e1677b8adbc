/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool - a bounded, elastic pool of kernel threads that run tasks.
 *
 * A caller embeds struct wpool_task in its own object, names a function, and submits the task from
 * any context except NMI:
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
 *
 * Which function for what:
 *
 *   a pool                          wpool_create(), wpool_destroy(); wpool_default()
 *   a task, sleep if there is       wpool_submit(), wpool_submit_timeout()
 *     no room
 *   a task, from any context        wpool_try_submit()
 *   many tasks at once              wpool_submit_batch()
 *   wait for a task, or for all     wpool_task_wait(), wpool_flush()
 *   take a task back                wpool_task_cancel(), wpool_task_cancel_sync()
 *   close a pool for a while        wpool_release(), wpool_reboot()
 *   a function and an argument, or  wpool_func.h
 *     a pool with one function
 *   after a time, or at a wake-up   wpool_event.h
 *   tasks in order, or a pipeline   wpool_strand.h
 *   the tasks of one client         wpool_group.h
 *   a loop on several CPUs          wpool_parallel.h
 *   what happened                   wpool_stats.h
 *   a driver written for            wpool_wq.h
 *     workqueues
 *
 * A pool promises to the modules that use it:
 *
 *   - a pool accepts a task if and only if fewer than capacity + queue_depth
 *     accepted tasks are unfinished; otherwise its overload policy decides;
 *   - at most capacity tasks run at the same time;
 *   - every accepted task starts as long as running tasks finish;
 *   - waiting submitters are served first-in-first-out, and a queued task is overtaken only by
 *     tasks that were queued in the same few milliseconds. Two kinds of tasks may start earlier:
 *     tasks that a task of the pool itself submits, at most 16 in a row on a CPU, and urgent
 *     tasks, at most 15 in a row on a CPU. The next task of a strand, and an event that was fired
 *     while it ran, count as submitted by the task that has just ended. Which of two tasks ends
 *     first is not promised.
 *
 * A caller of these functions must make sure that the pool exists until the call returns: as the
 * pool's creator, or with a reference. The exception is a submitter that waits: wpool_destroy()
 * ends the wait with -ESHUTDOWN, and the submitter does not touch the pool afterwards.
 *
 * An error path may hold %NULL, or the ERR_PTR of a failed wpool_create(), in place of a pool.
 * wpool_destroy() and wpool_put() ignore both. Every other function except the submits returns
 * -EINVAL, or does nothing if it has no error to return. A submit, including wpool_invoke(),
 * returns -EINVAL for %NULL and must not be given an ERR_PTR.
 *
 * A function of these headers may be called in any context, unless its comment has a line
 * "Context:", or the head of its header says where such functions may be called. A comment "As f()"
 * has the contexts and results of f(), where it names no others.
 *
 * A module must destroy its pools before it is unloaded. If it does not, the log names the module
 * and the pool, and wpool destroys the pool when the module's exit function has returned: queued
 * tasks are cancelled, running tasks are waited for.
 */
#ifndef _LINUX_WPOOL_H
#define _LINUX_WPOOL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>

struct device;
struct task_struct;
struct wpool;
struct wpool_task;
struct wpool_waiter;

/** WPOOL_VERSION - version of the module, of wpoolctl, and of the DKMS package */
#define WPOOL_VERSION		"0.1.0"

/** WPOOL_UNLIMITED - value of capacity or queue_depth that means "no limit" */
#define WPOOL_UNLIMITED		U32_MAX

/* Largest finite values of attributes. Beyond them: -ERANGE. */
#define WPOOL_MAX_CAPACITY	1048576U
#define WPOOL_MAX_QUEUE_DEPTH	536870912U
#define WPOOL_MAX_BLOCKING	1073741824U
#define WPOOL_MAX_EXPIRY_MS	(24U * 60 * 60 * 1000)
#define WPOOL_MAX_CONCURRENCY	1024U
#define WPOOL_MAX_SPIN_US	1000U
#define WPOOL_MAX_HOG_MS	10000U
#define WPOOL_MAX_WAIT_MS	(24U * 60 * 60 * 1000)
#define WPOOL_MAX_PRIORITY	99U

/** WPOOL_NAME_LEN - size of a pool's name, including the terminating NUL */
#define WPOOL_NAME_LEN		32

/**
 * typedef wpool_task_fn - the function of a task
 * @task: the task itself; container_of() leads to the caller's object
 *
 * Context: process context, interrupts on; may sleep. Runs in a worker of the pool, or, under
 * %WPOOL_RUN, in the submitter. Must leave preemption, interrupts, RCU and locks as it found them.
 */
typedef void (*wpool_task_fn)(struct wpool_task *task);

/**
 * typedef wpool_abort_fn - takes over a task whose function will never return
 * @task: the task, which belongs to this function from now on
 * @status: -ECANCELED if the task was cancelled before it started, -ETIME if it had waited for
 *	longer than max_wait_ms, -EIO if the worker died in the task
 *
 * Context: process context: a worker, or a thread of the kernel's workqueues. May sleep; meanwhile
 * the task's pool cannot be destroyed, and other tasks of that pool that end without a run may have
 * to wait; other pools wait only if memory is short. Must not fault, create a pool, or wait for a
 * pool or its tasks: not call wpool_destroy(), wpool_strand_destroy(), nor a function named _wait,
 * _flush, _exit or _sync. May submit tasks with wpool_try_submit() only; a pool closed with
 * %WPOOL_RELEASE_OWN may refuse them. In a pool with reclaim, must not flush a workqueue without
 * %WQ_MEM_RECLAIM: the kernel warns about that.
 */
typedef void (*wpool_abort_fn)(struct wpool_task *task, int status);

/* As wpool_abort_fn, for an argument whose function will never return, instead of a task. */
typedef void (*wpool_arg_abort_fn)(void *arg, int status);

/**
 * enum wpool_policy - what happens to a submitter whose task does not fit
 * @WPOOL_BLOCK: it sleeps, killable, first-in-first-out, until the task fits
 * @WPOOL_FAIL: it gets -EAGAIN
 * @WPOOL_RUN: it runs the task itself; can be chosen only at creation. Such a task runs beside
 *	those of the workers, and wpool_flush(), wpool_release_timeout() and wpool_destroy() do not
 *	wait for it. If the submitter dies in a joinable task, that task never ends, and waits for
 *	the task last until they are killed.
 * @WPOOL_DROP_OLDEST: a queued task is cancelled to make room for the submitter's task: for a
 *	stream whose newest items matter. Only a module can choose it for a module's pool.
 *
 * %WPOOL_DROP_OLDEST looks at the first task in the queue of the submitter's CPU and at the first
 * one in the pool's global queue, and drops the older one. If both queues are empty, it drops the
 * first task of another CPU. An event, a task of a strand, or an urgent task is never dropped. The
 * submit gets -EAGAIN if no other task is queued, if eight events and tasks of strands come first,
 * or if 1,024 tasks that were dropped, or cancelled in an interrupt, wait for their end.
 */
enum wpool_policy {
	WPOOL_BLOCK,
	WPOOL_FAIL,
	WPOOL_RUN,
	WPOOL_DROP_OLDEST,
};

/**
 * enum wpool_order - which idle worker of a CPU is reused first
 * @WPOOL_LIFO: the worker that was busy last, so that the coldest expires (default)
 * @WPOOL_FIFO: the worker that has been idle longest (always with prealloc)
 *
 * There is no order between workers of different CPUs.
 */
enum wpool_order {
	WPOOL_LIFO,
	WPOOL_FIFO,
};

/**
 * enum wpool_sched - names of some values of &wpool_attrs.sched
 * @WPOOL_SCHED_NORMAL: SCHED_NORMAL, with the pool's nice value (default)
 * @WPOOL_SCHED_FIFO_LOW: SCHED_FIFO at priority 1, as by sched_set_fifo_low(): ahead of all
 *	SCHED_NORMAL threads
 * @WPOOL_SCHED_FIFO: SCHED_FIFO at priority 50, the priority of interrupt threads, as by
 *	sched_set_fifo()
 *
 * Any other value from 1 to %WPOOL_MAX_PRIORITY is SCHED_FIFO at that priority. From 51 on, workers
 * preempt interrupt threads, even one that a task waits for. A module that does not know how the
 * real-time threads of the system rank should use one of the names; the administrator can tune.
 *
 * A SCHED_FIFO worker starts on its CPU as soon as it is woken, and keeps the CPU until its task
 * sleeps or ends: neither cond_resched() nor other workers of that CPU interrupt the task. Use
 * SCHED_FIFO for short tasks that other threads wait for, such as the end of a request. Workers are
 * created by SCHED_NORMAL threads, so a pool whose tasks keep all CPUs busy grows slowly: give it
 * @min_workers, or @prealloc. Documentation/tuning.rst says more.
 */
enum wpool_sched {
	WPOOL_SCHED_NORMAL	= 0,
	WPOOL_SCHED_FIFO_LOW	= 1,
	WPOOL_SCHED_FIFO	= 50,
};

/**
 * struct wpool_fault - what is known about a worker that died in a task
 * @pool: name of the pool
 * @task: address of the task, only as a value: the object may be gone
 * @func: the task's function; of nested tasks, @task and @func are those of the innermost
 * @cpu: CPU on which the worker's thread ended: that of the task, unless the worker was a hog
 * @own: what worker_start set for the worker, or %NULL; worker_end is not called for a dead worker
 *
 * If the worker died in worker_start or worker_end, @func is that function, and @task is 0.
 */
struct wpool_fault {
	const char *pool;
	unsigned long task;
	void *func;
	int cpu;
	void *own;
};

/**
 * typedef wpool_fault_fn - called once for each worker that has died in a task
 * @fault: what is known, valid during the call
 * @data: &wpool_attrs.fault_data
 *
 * Context: process context, in a thread of the kernel's workqueues. May sleep. Until the call
 * returns, the dead worker counts towards the capacity, its task is unfinished, and other tasks of
 * the pool that must end without a run may have to wait. Calls for one pool are serialised; calls
 * for different pools are not. The limits are those of &typedef wpool_abort_fn: the function calls
 * wpool_event_disable() in place of wpool_event_cancel_sync(), for example, and submits tasks with
 * wpool_try_submit() only.
 */
typedef void (*wpool_fault_fn)(const struct wpool_fault *fault, void *data);

/**
 * typedef wpool_worker_start_fn - prepares a worker, before its first task
 * @pool: the pool; it may not be complete yet
 * @data: &wpool_attrs.worker_data
 * @own: points to %NULL; the function may store a pointer there, for wpool_worker_own()
 *
 * Each worker, including the one in reserve, calls this function once in its own thread, to set up
 * what its tasks need there, such as kthread_use_mm() or a buffer. It runs on any CPU of the pool.
 * The thread that creates workers waits for it, so a slow function delays other new workers. An
 * error counts as a failed attempt to create the worker: spawn_failed counts it, and while a task
 * needs a worker, another attempt follows. If a call creates the workers, as with prealloc, that
 * call returns the error.
 *
 * Context: process context, in the new worker; may sleep. Must not wait for a pool, tune
 * one, create one or destroy one. May take cpus_read_lock(), call wpool_find(), and read
 * @pool with wpool_get_attrs(). May submit tasks with wpool_try_submit() only.
 * Return: 0, or an error.
 */
typedef int (*wpool_worker_start_fn)(struct wpool *pool, void *data, void **own);

/**
 * typedef wpool_worker_end_fn - undoes what &typedef wpool_worker_start_fn did
 * @pool: the pool
 * @own: what worker_start stored; %NULL if it stored nothing, or there is no worker_start
 * @data: &wpool_attrs.worker_data
 *
 * Each worker calls this function once before it ends, even if it has run no task. wpool_destroy()
 * and wpool_reboot() wait for these calls. The function is not called if the worker died in a task,
 * see &wpool_fault.own, or if worker_start failed.
 *
 * Context: as &typedef wpool_worker_start_fn.
 */
typedef void (*wpool_worker_end_fn)(struct wpool *pool, void *own, void *data);

/**
 * struct wpool_attrs - attributes of a pool
 * @name: unique, 1 to 31 characters of [A-Za-z0-9_.-], no leading dot;
 *	default %NULL, which wpool_create() refuses
 * @capacity: maximum number of workers, and so of tasks that run at the same time: 1 to
 *	%WPOOL_MAX_CAPACITY or %WPOOL_UNLIMITED; default 256. 0: -EINVAL.
 * @capacity_per_cpu: if not 0, the capacity is @capacity_per_cpu times the number of the pool's
 *	CPUs that are online, see @cpumask, but at least @min_workers, and changes soon after a CPU
 *	goes or comes; @capacity is ignored, but must be within its range. 0 to %WPOOL_MAX_CAPACITY,
 *	also if multiplied by the number of possible CPUs; default 0. Not with @prealloc.
 * @queue_depth: accepted tasks beyond @capacity that may wait for a worker:
 *	0 to %WPOOL_MAX_QUEUE_DEPTH or %WPOOL_UNLIMITED; default 0
 * @max_blocking: submitters that may sleep at the same time, 0 to %WPOOL_MAX_BLOCKING, where 0
 *	means no limit; default 0. Used under %WPOOL_BLOCK, and by wpool_submit_timeout(). It sends
 *	away no submitter that has waited in a group, or for the first tasks of its batch.
 * @policy: what happens on overload; default %WPOOL_BLOCK
 * @expiry_ms: an idle worker expires after this many ms, 0 to
 *	%WPOOL_MAX_EXPIRY_MS, where 0 means never; default 1000
 * @min_workers: workers that never expire once created, 0 to @capacity if @capacity_per_cpu is 0;
 *	default 1
 * @concurrency: workers that run at the same time on one CPU, 1 to %WPOOL_MAX_CONCURRENCY; default
 *	1. While that many run there, no other worker is woken. A worker that returns from a sleep
 *	inside a task may run beside them until soon after that task
 * @spin_us: how long a worker searches for a task before it parks, in us, 0 to
 *	%WPOOL_MAX_SPIN_US; default 20
 * @hog_ms: a task that runs longer than this without sleeping is a hog, in ms, 1 to
 *	%WPOOL_MAX_HOG_MS; default 10. With a @concurrency above 1: while no worker of its CPU has
 *	looked for a task. The hog's run queue goes to another worker, of another CPU if possible.
 *	The hog may then run on each of the pool's CPUs until its function returns. So may, with
 *	@handoff, a task that sleeps more than 64 times.
 * @handoff: a worker that blocks in a task hands its run queue to another worker; default true. If
 *	false, blocked workers and hogs count towards @concurrency, and keep their run queues
 * @latency: measure how long tasks wait and run, in histograms, and what they cost, by function;
 *	all counts restart from 0 whenever @latency is switched on; default false
 * @max_wait_ms: how long an accepted task may wait for a worker, in ms, 0 to %WPOOL_MAX_WAIT_MS,
 *	where 0 means no limit; default 0. A task that has waited for longer is not run, but ends
 *	with -ETIME, at most twice @max_wait_ms and some 20 ms after it was accepted; later in a
 *	frozen pool, or behind more than 256 tasks without a limit: those accepted before a change
 *	of @max_wait_ms. The wait of a running task that is submitted again begins when that run has
 *	returned. With a limit, each submit and each start reads the clock.
 * @order: which idle worker of a CPU is reused first; default %WPOOL_LIFO
 * @prealloc: create all workers with the pool, so that nothing is allocated later; default false.
 *	The workers do not expire. Only a worker that died, or that left because the module's
 *	max_workers was reached, is replaced. Needs a finite @capacity, which then cannot be tuned,
 *	and sets @order to %WPOOL_FIFO.
 * @nice: nice value of the workers, -20 to 19; default 0. It has no effect while @sched is not
 *	%WPOOL_SCHED_NORMAL.
 * @sched: scheduling class of the workers: %WPOOL_SCHED_NORMAL, or SCHED_FIFO at a priority of 1
 *	to %WPOOL_MAX_PRIORITY, see &enum wpool_sched; default %WPOOL_SCHED_NORMAL
 * @freezable: start no task from the freeze of the kernel's threads in a suspend to their thaw;
 *	default false. Submits are accepted as far as there is room. A suspend waits for running
 *	tasks, and for the tasks of the pool that these wait for in wpool_task_wait(); it fails if
 *	they take longer than 20 s. A thread that waits for room is frozen there: it must hold no
 *	lock that the suspend needs. Waits for queued tasks last until the thaw, that of
 *	wpool_group_exit() even after wpool_group_cancel(), but not wpool_event_cancel_sync(), nor
 *	wpool_task_cancel_sync() of a task that the pool has accepted. In a callback of the suspend
 *	a wait for the thaw never ends: a driver first cancels the tasks with wpool_release(), or
 *	waits before the freeze, in a PM notifier. Documentation/semantics.rst says more.
 * @reclaim: run tasks also while there is no memory for a new worker; default false. Like
 *	%WQ_MEM_RECLAIM, for tasks that must run before memory becomes free. The pool has
 *	@min_workers workers from the start, and one more in reserve, the rescuer, which counts
 *	towards the module's max_workers, but in no figure of the pool. At most @min_workers tasks,
 *	and fewer than @capacity, may wait for queued tasks at a time. A task that allocates sets
 *	its own flags, e.g. with memalloc_noio_save(), and must not wait for a pool without
 *	@reclaim. While memory is short, do not change the pool's cgroups.
 * @cpumask: CPUs that workers may run on, copied; default %NULL: all CPUs except those of
 *	isolcpus=, of nohz_full= and of isolated partitions of cpusets, also when the partitions
 *	change. The pool's CPUs are those of @cpumask that are in the cpuset of its cgroup, or, if
 *	none of these is online, all CPUs of the cpuset. For a pool without a cgroup, the cpuset is
 *	all CPUs. See wpool_set_cgroup().
 * @fault: called for each worker that died in a task; default %NULL: the death is logged instead
 * @fault_data: second argument of @fault
 * @worker_start: called by each worker before its first task; default %NULL
 * @worker_end: called by each worker after its last task; default %NULL
 * @worker_data: argument of @worker_start and @worker_end
 * @abort: for wpool_create_func(): called for each accepted wpool_invoke() whose function was not
 *	called or did not return; default %NULL: the argument of such a call is dropped silently
 */
struct wpool_attrs {
	const char *name;
	u32 capacity;
	u32 capacity_per_cpu;
	u32 queue_depth;
	u32 max_blocking;
	enum wpool_policy policy;
	u32 expiry_ms;
	u32 min_workers;
	u32 concurrency;
	u32 spin_us;
	u32 hog_ms;
	bool handoff;
	bool latency;
	u32 max_wait_ms;
	bool prealloc;
	enum wpool_order order;
	int nice;
	u32 sched;
	bool freezable;
	bool reclaim;
	const struct cpumask *cpumask;
	wpool_fault_fn fault;
	void *fault_data;
	wpool_worker_start_fn worker_start;
	wpool_worker_end_fn worker_end;
	void *worker_data;
	wpool_arg_abort_fn abort;
};

/* Which attributes wpool_tune() changes: a mask of these bits. */
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
#define WPOOL_TUNE_LATENCY	BIT(10)
#define WPOOL_TUNE_NICE		BIT(11)
#define WPOOL_TUNE_CPUMASK	BIT(12)
#define WPOOL_TUNE_FREEZABLE	BIT(15)
#define WPOOL_TUNE_MAX_WAIT_MS	BIT(16)
#define WPOOL_TUNE_RECLAIM	BIT(17)
#define WPOOL_TUNE_SCHED	BIT(18)
#define WPOOL_TUNE_CAPACITY_PER_CPU	BIT(19)
#define WPOOL_TUNE_ALL		(GENMASK(12, 0) | WPOOL_TUNE_FREEZABLE | \
				 WPOOL_TUNE_MAX_WAIT_MS | WPOOL_TUNE_RECLAIM | \
				 WPOOL_TUNE_SCHED | WPOOL_TUNE_CAPACITY_PER_CPU)

/**
 * struct wpool_task - a piece of work, embedded in the caller's object
 *
 * At most one cache line; all fields are private. Prepare it with
 * wpool_task_init() (joinable) or wpool_task_init_detached().
 *
 * A *joinable* task must live until wpool_task_wait() or wpool_task_cancel_sync() has returned 0,
 * -ECANCELED, -ETIME or -EIO, or until wpool_flush(), wpool_release_timeout() or wpool_destroy(),
 * called after the submit, has returned 0. A *detached* task belongs to its function from the
 * moment the function starts. The function may free it; nobody can wait for it.
 */
struct wpool_task {
	/* private: */
	atomic_t state;
	u8 flags;
	u8 colour;
	u8 queued;
	u8 armed;
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
		struct {
			struct task_struct *runner;
			bool *gone;
		};
	};
	struct module *owner;
	u32 jiffy;
	u32 submit_ns;
	union {
		struct {
			int status;
			u32 cpu;
		};
		wpool_abort_fn abort;
	};
};

static_assert(sizeof(struct wpool_task) <= 64, "a task is at most one cache line");

/* wpool_task.flags */
#define WPOOL_TASK_DETACHED	BIT(0)
#define WPOOL_TASK_EVENT	BIT(2)
#define WPOOL_TASK_HREVENT	BIT(3)	/* of an event: it has an hrtimer */
#define WPOOL_TASK_OWNED	BIT(3)	/* of any other task: it has an owner */
#define WPOOL_TASK_GROUP	BIT(4)
#define WPOOL_TASK_STRAND	BIT(5)
#define WPOOL_TASK_URGENT	BIT(7)
#define WPOOL_TASK_STATIC	BIT(6)	/* CONFIG_DEBUG_OBJECTS: task needs no wpool_task_init() */

/*
 * The initial value of a joinable task that is static, or a member of a static object. Not for a
 * local variable. Events, strands and groups have none, because each belongs to a pool from the
 * start.
 */
#define __WPOOL_TASK_INIT(_func) { .flags = WPOOL_TASK_STATIC, .func = (_func) }

/* Define a joinable task that is prepared with this value; "static" may stand before the macro. */
#define DEFINE_WPOOL_TASK(_name, _func) struct wpool_task _name = __WPOOL_TASK_INIT(_func)

/**
 * wpool_task_init() - prepare a joinable task
 * @task: the task; must not be pending or running
 * @func: the function to run
 *
 * If @task is a local variable, call wpool_task_destroy_on_stack() before it goes out of scope.
 */
void wpool_task_init(struct wpool_task *task, wpool_task_fn func);

/**
 * wpool_task_set_urgent() - set whether a task starts before others
 * @task: a task that was prepared and is neither pending nor running; a detached task may also be
 *	in its function. Or the member task of an event that is not armed and has not been fired, or
 *	of a task of a group or strand that is not submitted
 * @urgent: whether it is urgent from now on
 *
 * A worker takes urgent tasks before other tasks, but of 16 tasks that the workers of a CPU take,
 * at least one is not urgent, if such a task is queued there. A task that has started is not
 * interrupted. An urgent task is accepted like any other, and %WPOOL_DROP_OLDEST never drops it. It
 * has no CPU: wpool_submit_on() queues it for the first worker of any CPU. Urgent tasks should be
 * few, since they wait in one queue, with one lock, for all CPUs. A task of a strand is urgent from
 * the moment at which it is the first of its strand, whose order does not change; its parallel part
 * is urgent from the submit on.
 */
static inline void wpool_task_set_urgent(struct wpool_task *task, bool urgent)
{
	if (urgent)
		task->flags |= WPOOL_TASK_URGENT;
	else
		task->flags &= ~WPOOL_TASK_URGENT;
}

#ifdef CONFIG_DEBUG_OBJECTS
/**
 * wpool_task_destroy_on_stack() - end the use of a task on the caller's stack
 * @task: a task that was prepared here and has finished, or was never submitted
 *
 * Only with CONFIG_DEBUG_OBJECTS the call has an effect: it warns if the task is still queued or
 * running. The model is destroy_work_on_stack().
 */
void wpool_task_destroy_on_stack(struct wpool_task *task);
#else
static inline void wpool_task_destroy_on_stack(struct wpool_task *task) { }
#endif

/**
 * wpool_task_init_detached() - prepare a detached task
 * @task: the task; must not be pending
 * @func: the function to run; may free @task. It may also submit @task, best as its last act: this
 *	is a new task, which needs room of its own, and may run before @func has returned
 * @owner: module that holds the text of @func, pinned from each submit until
 *	@func has returned; %NULL if the caller keeps the text in place itself
 *
 * With an @owner, the module need not wait for its tasks: while a task is queued or runs, rmmod is
 * refused ("Module is in use"). A module whose exit function destroys the pool, or waits for the
 * tasks, passes %NULL: otherwise callers that keep submitting could prevent its unloading.
 */
static inline void wpool_task_init_detached(struct wpool_task *task,
					    wpool_task_fn func,
					    struct module *owner)
{
	wpool_task_init(task, func);
	task->flags = WPOOL_TASK_DETACHED | (owner ? WPOOL_TASK_OWNED : 0);
	task->owner = owner;
	task->abort = NULL;
}

/**
 * wpool_task_init_abortable() - prepare a detached task that is never dropped silently
 * @task: the task; must not be pending
 * @func: the function to run; may free @task as its last act
 * @abort: called instead if an accepted task ends before @func starts, or if its worker dies in
 *	@func; may free @task
 * @owner: as wpool_task_init_detached()
 *
 * For each accepted submit either @func returns or @abort is called, never both. @func must not
 * submit the task again. If @func frees the task, no later statement of @func may fault, since
 * @abort would get freed memory. A task that was cancelled must not be submitted again.
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
 * @attrs: filled in
 *
 * The defaults are those of struct wpool_attrs. The caller must set the name.
 */
void wpool_attrs_init(struct wpool_attrs *attrs);

/**
 * wpool_create() - create an open pool
 * @attrs: its attributes, copied
 *
 * The pool appears as /sys/class/wpool/<name>, and the calling module as its owner. The caller
 * must end it with wpool_destroy(). The model is NewPool() of ants, a library in Go.
 *
 * Context: process context; sleeps. Not in a callback of CPU hotplug, nor under cpus_read_lock().
 * Return: the pool, or one of these as ERR_PTR:
 *
 * * -EINVAL - an attribute is missing or wrong, or capacity is 0
 * * -ERANGE - a number is out of its range
 * * -EEXIST - the name is taken
 * * -ENOMEM - out of memory
 * * -EINTR - the caller was killed while threads were created
 * * -EAGAIN - the system's limit of threads, or the module's max_workers, is reached
 * * any error of worker_start, if the pool has workers from the start (prealloc, reclaim)
 */
#define wpool_create(attrs)	__wpool_create(attrs, THIS_MODULE)

/*
 * As wpool_create(), for another module @owner, which must destroy the pool, or for none. %NULL:
 * wpool destroys the pool when wpool itself is unloaded, the caller keeps the functions of the
 * pool's tasks loaded until then, which wpool does not check, and the kernel's log does not say
 * what is wrong with @attrs.
 */
struct wpool * __must_check __wpool_create(const struct wpool_attrs *attrs, struct module *owner);

/**
 * wpool_destroy() - end a pool
 * @pool: the pool; the creator's reference is consumed. %NULL and ERR_PTR are allowed and ignored.
 *
 * Closes the pool, ends the wait of every submitter with -ESHUTDOWN, lets every accepted task run
 * to its end, and waits until the workers are gone. If another thread is already destroying the
 * pool, the call returns when the pool is gone; such a caller needs a reference of its own. A call
 * for a pool that is already gone only logs that.
 *
 * The pool's state is %WPOOL_DESTROYED from the start of the call, while the last tasks still run.
 * Each worker has to get its CPU once more to leave, also an idle one: a thread that keeps that
 * CPU for itself delays the call.
 *
 * Context: process context; sleeps, uninterruptibly.
 * Return: 0; -EDEADLK if called from one of the pool's own tasks; -EBUSY for the
 * default pool, which all modules share. After an error the pool is unchanged.
 */
int wpool_destroy(struct wpool *pool);

/* Flags of wpool_release(), which takes one of them */
#define WPOOL_RELEASE_DRAIN	0	/* queued tasks run to their end */
#define WPOOL_RELEASE_CANCEL	BIT(0)	/* queued tasks end with -ECANCELED */
#define WPOOL_RELEASE_OWN	BIT(1)	/* events and own tasks are still accepted */

/**
 * wpool_release() - close a pool
 * @pool: the pool
 * @flags: %WPOOL_RELEASE_DRAIN, %WPOOL_RELEASE_CANCEL or %WPOOL_RELEASE_OWN
 *
 * From then on every submit gets -ESHUTDOWN, if it gets no other error first, and so does every
 * submitter that waits for room, in the pool or in a group; %WPOOL_RELEASE_OWN makes exceptions,
 * see below. Running tasks are left alone and not waited for. Idempotent: on a pool that is already
 * closed, or being destroyed, %WPOOL_RELEASE_CANCEL cancels the tasks that are still queued.
 *
 * Once a call with %WPOOL_RELEASE_CANCEL has returned, a task starts only if a worker, or under
 * %WPOOL_RUN the submitter, had already taken it. Queued tasks, and the second submit of a running
 * task, end with -ECANCELED. A worker or a thread of the kernel's workqueues ends these tasks,
 * perhaps after this call has returned. The caller never does: it may hold a lock that an abort
 * function takes.
 *
 * %WPOOL_RELEASE_OWN closes the pool to all except its own tasks and events. It is for a server
 * that shuts down: clients get -ESHUTDOWN, while the events of its connections still fire, and its
 * tasks may submit more tasks to end the connections. Submitters that wait already, also in a group
 * or with a batch, are accepted as room comes, even if the policy has changed. When the last
 * connection is gone, the caller destroys the pool, or closes it completely with another release.
 * Does nothing to a pool that is closed.
 *
 * A cancelled detached task is dropped silently, unless it was prepared with
 * wpool_task_init_abortable(). The argument of a cancelled wpool_invoke() or wpool_submit_fn() is
 * dropped, too: use &wpool_attrs.abort or wpool_submit_fn_abortable() to get it back.
 *
 * Context: process context; sleeps for an RCU grace period.
 * Return: 0; -EINVAL if there is no pool, a flag is unknown, or there are two; -EBUSY
 * for the default pool.
 */
int wpool_release(struct wpool *pool, unsigned int flags);

/**
 * wpool_release_timeout() - close a pool and wait until it is empty
 * @pool: the pool
 * @flags: as wpool_release(), but not %WPOOL_RELEASE_OWN
 * @timeout: in jiffies, not negative; %MAX_SCHEDULE_TIMEOUT waits forever, 0 does not wait
 *
 * May be called again until it returns 0. Then no task is unfinished and no
 * worker is left. After -EDEADLK, -EINVAL and -EBUSY the pool is unchanged.
 *
 * Context: process context; sleeps, killable.
 * Return:
 * * 0 - the pool is empty, or was until another thread rebooted it
 * * -ETIME - timed out
 * * -EINTR - the caller was killed
 * * -EDEADLK - called from one of the pool's own tasks
 * * -EINVAL - no pool, a flag that is unknown or %WPOOL_RELEASE_OWN, or a negative @timeout
 * * -EBUSY - the default pool
 */
int wpool_release_timeout(struct wpool *pool, unsigned int flags, long timeout);

/**
 * wpool_reboot() - open a released pool again
 * @pool: the pool
 *
 * Waits until every accepted task has finished, and the old workers are gone. A pool that is
 * only closed to others (%WPOOL_RELEASE_OWN) opens at once. Does nothing to an open pool.
 *
 * Context: process context; sleeps, killable. As wpool_create(), not under cpus_read_lock().
 * Return: 0; -EINVAL if there is no pool; -ESHUTDOWN if it was destroyed; -EINTR if
 * the caller was killed; -EDEADLK if called from one of the pool's own tasks; for a
 * pool with prealloc or reclaim also as wpool_create(): then the pool is closed again, but tasks
 * that were submitted while it created workers may have been accepted, and run.
 */
int wpool_reboot(struct wpool *pool);

/**
 * wpool_tune() - change attributes of a pool under load
 * @pool: the pool
 * @attrs: new values of the attributes in @mask; the others are ignored
 * @mask: %WPOOL_TUNE_CAPACITY and so on, for what changes only. Do not pass the result of
 *	wpool_get_attrs() with %WPOOL_TUNE_ALL: its cpumask is %NULL, which sets the default, and
 *	its capacity is refused beside a capacity_per_cpu that is not 0
 *
 * All or nothing; but while this call creates workers, the new limits hold. If a limit grows,
 * waiting submitters that now fit continue. If capacity shrinks, running tasks continue, but no
 * further task is taken until fewer than the new capacity run.
 *
 * Context: process context; sleeps. Not under cpus_read_lock(), which it takes.
 * Return:
 * * 0 - all attributes in @mask were changed
 * * -EINVAL - no pool, a bad value, capacity 0, an unknown bit, capacity of a
 *   preallocated pool, policy from or to %WPOOL_RUN, min_workers above capacity, or a
 *   capacity_per_cpu that is not 0 together with capacity, or for a preallocated pool
 * * -ERANGE - a number is out of its range, or a pool bound to a function would need
 *   more than %WPOOL_MAX_FUNC_ITEMS
 * * -ENOMEM - out of memory
 * * -EAGAIN - attribute reclaim, freezable, or min_workers of a pool with reclaim: the system's
 *   limit of threads, or the module's max_workers, is reached
 * * any error of worker_start - attribute reclaim, or min_workers of a pool with reclaim
 * * -EINTR - the same attributes as for -EAGAIN: the caller was killed meanwhile
 * * -ESHUTDOWN - the pool was destroyed
 * * -EBUSY - the default pool, which only the administrator tunes, through sysfs or /dev/wpool
 */
int wpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask);

/**
 * wpool_submit() - hand over a task; if the pool is full, its policy decides
 * @pool: the pool
 * @task: the task, initialised
 *
 * If a joinable task is already running in a worker, it runs once more after its function has
 * returned, never twice at once, and the submit takes no further room in the pool. If the worker
 * dies, the second submit ends with -EIO, too. While a task runs in its submitter (%WPOOL_RUN), or
 * on the stack of a worker that waits for it, another submit is refused with -EALREADY.
 *
 * If the task is pending, its function sees everything the caller wrote before this call. But
 * -EALREADY does not promise a run, because it has other reasons, too, see below. If no wake-up may
 * be lost, use wpool_event_fire(), which an open pool never refuses.
 *
 * Context: process context; may sleep, whatever the policy.
 * Return:
 * * 0 - accepted, or run by the caller under %WPOOL_RUN
 * * -EINVAL - no pool, task or function; or the context is NMI
 * * -EALREADY - the task is still pending, is held by another submitter that may yet be refused, or
 *   is running in another pool, in its submitter, or on the stack of a worker that waits for it
 * * -ECANCELED - the task was cancelled while its submitter waited for room, or is being cancelled:
 *   it has not left its queue yet, or wpool_task_cancel_sync() waits for it
 * * -ESHUTDOWN - the pool is closed
 * * -EAGAIN - the pool is full and the policy is %WPOOL_FAIL, or %WPOOL_DROP_OLDEST has found no
 *   task to drop; max_blocking is reached; or too little stack is left to run the task here
 * * -EDEADLK - the pool is full, and the caller is one of its own tasks and would
 *   have waited (under %WPOOL_FAIL it gets -EAGAIN like any caller)
 * * -EINTR - the caller was killed while it waited
 * * -ENOENT - the task's owner module is being unloaded; or the caller would run a function for
 *   wpool_invoke() or wpool_submit_fn() itself, and the module that owns the pool is being unloaded
 */
int __must_check wpool_submit(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_try_submit() - hand over a task if it fits now
 * @pool: the pool
 * @task: the task, initialised
 *
 * Never sleeps and never runs the task in the caller. Under %WPOOL_DROP_OLDEST it may drop a
 * queued task, as wpool_submit() does.
 *
 * Context: any except NMI, and not with scheduler locks held. On PREEMPT_RT with
 * preemption or interrupts off, no thread may be waiting for the task: a refused submit takes
 * a sleeping lock to wake such a thread.
 * Return: 0; -EAGAIN if the pool is full or other submitters already wait;
 * otherwise as wpool_submit().
 */
int __must_check wpool_try_submit(struct wpool *pool, struct wpool_task *task);

/**
 * wpool_submit_timeout() - hand over a task; wait a bounded time if the pool is full
 * @pool: the pool
 * @task: the task, initialised
 * @timeout: in jiffies; 0 does not wait
 *
 * If the pool is full, %WPOOL_FAIL gives -EAGAIN. Under any other policy the call waits for up to
 * @timeout and then gives -ETIME: it neither runs the task nor drops one. With a @timeout of 0 it
 * gives -ETIME at once, also to one of the pool's own tasks.
 *
 * Context: process context; may sleep.
 * Return: as wpool_submit(); -ETIME if it timed out; -EINVAL also if @timeout is negative.
 */
int __must_check wpool_submit_timeout(struct wpool *pool,
				      struct wpool_task *task, long timeout);

/**
 * wpool_submit_on() - hand over a task that is best run on a certain CPU
 * @pool: the pool
 * @cpu: a possible CPU
 * @task: the task, initialised
 *
 * The task is queued on @cpu, to find its data in that CPU's cache. If no worker runs on that CPU,
 * one is woken there, or created if the CPU has none and the pool may have one more.
 *
 * This is a preference, not a promise. A worker of another CPU may run the task if no worker of
 * @cpu takes it for some 10 ms, if one of them blocks, or at once if the pool has no worker at @cpu
 * yet, or if @cpu is offline or none of the pool's. If the pool is full, the task is queued on the
 * CPU where room becomes free. For code that must run on @cpu, use a workqueue.
 *
 * Context: as wpool_submit().
 * Return: as wpool_submit(); -EINVAL also if @cpu is not possible.
 */
int __must_check wpool_submit_on(struct wpool *pool, int cpu, struct wpool_task *task);

/*
 * As wpool_submit_on(), also in its -EINVAL, with the contexts and other results of
 * wpool_try_submit().
 */
int __must_check wpool_try_submit_on(struct wpool *pool, int cpu, struct wpool_task *task);

/**
 * wpool_nr_free() - a lower bound of the number of tasks that would be accepted now
 * @pool: the pool; for %NULL and ERR_PTR 0
 *
 * Counts free places: never more than there are, and all of them near the limit. In a pool that is
 * not nearly full, the places that other CPUs have cached are left out, so 0 does not mean that the
 * pool is full. &wpool_stats.free counts all places, but visits all CPUs.
 *
 * Return: that number; %WPOOL_UNLIMITED if there is no limit; 0 if the pool refuses the caller,
 * or submitters wait.
 */
u32 wpool_nr_free(struct wpool *pool);

/* wpool_submit_batch() flags */
#define WPOOL_BATCH_TRY			BIT(0)	/* never sleep; for any context except NMI */
#define WPOOL_BATCH_INTERRUPTIBLE	BIT(1)	/* any signal ends the wait */

/**
 * wpool_submit_batch() - hand over several tasks at the cost of one
 * @pool: the pool
 * @tasks: pointers to initialised tasks, read only during the call
 * @nr: number of tasks, 1 to INT_MAX
 * @flags: 0, %WPOOL_BATCH_TRY, %WPOOL_BATCH_INTERRUPTIBLE, or both
 *
 * The tasks that are accepted are a prefix of @tasks. Under %WPOOL_BLOCK, and without
 * %WPOOL_BATCH_TRY, the call continues until all tasks are accepted.
 *
 * Context: process context; may sleep, and reschedules from time to time. With
 * %WPOOL_BATCH_TRY as wpool_try_submit().
 * Return: the number of accepted tasks, if any; otherwise -errno as wpool_submit(),
 * or -EINVAL for a bad @nr or @flags.
 */
int __must_check wpool_submit_batch(struct wpool *pool,
				    struct wpool_task *const *tasks,
				    unsigned int nr, unsigned int flags);

/**
 * wpool_task_wait() - wait until a task has finished
 * @task: a joinable task that the caller submitted
 *
 * If the caller is a worker of the task's own pool and the task is still queued, the caller runs
 * the task itself while enough stack is left, so that fork-join works at capacity 1. Otherwise it
 * sleeps until another worker has run the task. If all workers sleep like this at full capacity,
 * one of them, preferably one that waits for a queued task, gets -EDEADLK, and should cancel
 * @task with wpool_task_cancel_sync(). Only a deadlock within one pool is found, and only when a
 * worker begins to wait: tasks of two pools that wait for each other, or of a pool whose capacity
 * was lowered meanwhile, may sleep until the caller is killed or a task is cancelled.
 *
 * The first four results are the task's status after its last submit that was accepted, or that was
 * cancelled before it was accepted. Once the call has returned a status, that submit no longer
 * counts in the pool, and its room is free. An earlier submit, or one that another thread takes
 * back with wpool_task_cancel(), may still count until wpool_flush() has returned. After any other
 * result, nothing is promised about the task. If several threads wait for a task, none may free it
 * before all have returned.
 *
 * Context: process context; sleeps, killable.
 * Return:
 * * 0 - the function returned, or the task was never submitted
 * * -ECANCELED - the task was cancelled
 * * -ETIME - the task had waited for longer than max_wait_ms, and was not run
 * * -EIO - the worker died in it
 * * -EINTR - the caller was killed
 * * -EDEADLK - the task would wait for itself, or all workers up to the capacity wait like this
 * * -EINVAL - the task is detached, %NULL or ERR_PTR
 */
int wpool_task_wait(struct wpool_task *task);

/**
 * wpool_task_cancel() - make sure that a queued task does not run
 * @task: the task; %NULL and ERR_PTR are allowed
 *
 * The room that the task takes in the pool becomes free: at once if the task is joinable, the
 * caller is in process context with interrupts on (on PREEMPT_RT also preemption), and the task is
 * not just moving between two queues; soon otherwise. The task's memory stays in use until
 * wpool_task_cancel_sync() or wpool_task_wait() has returned; that of a detached task until its
 * abort function is called, or, if it has none, until wpool_flush() has returned. A submit of the
 * task gets -ECANCELED until the task has left its queue.
 *
 * If the submitter still waits for room, its submit returns with -ECANCELED, and
 * the other tasks of the same batch that wait with it are not accepted either.
 *
 * The caller must make sure that @task is not freed during the call, also not by its abort
 * function.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return: true if a submit was taken back, so that the function does not run for
 * it; false if the task was not pending.
 */
bool wpool_task_cancel(struct wpool_task *task);

/**
 * wpool_task_cancel_sync() - cancel a task and get its memory back
 * @task: a joinable task
 *
 * Takes a pending task out of its queue, or back from a submitter that waits for room, and waits
 * for a running task. Until the call has returned, each submit of the task gets -ECANCELED. So even
 * a task that always submits itself again ends. The call never waits for other tasks.
 *
 * Context: process context; sleeps, killable, only if the task is running, another thread is ending
 * it, or its submitter has yet to wake up, which a frozen submitter does at its thaw.
 * Return: as wpool_task_wait(), except
 *
 * * -ECANCELED - the last submit was taken back, even if the task ran meanwhile
 * * -EDEADLK - the task would cancel itself, or no worker is left to run it
 */
int wpool_task_cancel_sync(struct wpool_task *task);

/*
 * As wpool_task_cancel_sync(). From then on, and until wpool_task_enable(), each submit of the task
 * gets -ECANCELED, also in a batch. A task that was disabled several times must be enabled as
 * often. The model is disable_work_sync(). Returns as wpool_task_cancel_sync(); after -EINTR,
 * -EDEADLK and -EINVAL the task is not disabled.
 */
int wpool_task_disable_sync(struct wpool_task *task);

/**
 * wpool_task_enable() - take back one call of wpool_task_disable_sync()
 * @task: a task that is disabled
 *
 * Return: true if the task can be submitted from now on; false if it still is disabled by
 * another call, or by a wpool_task_cancel_sync() that has not returned yet.
 */
bool wpool_task_enable(struct wpool_task *task);

/**
 * wpool_worker_own() - the pointer that worker_start stored for the calling worker
 * @pool: the pool
 *
 * A task that the calling task waits for, or submits under %WPOOL_RUN, may get the same pointer.
 *
 * Return: what &wpool_attrs.worker_start set in this thread; %NULL if the caller is not in a task
 * of @pool, an abort function or worker_end, or if its thread is no worker of @pool.
 */
void *wpool_worker_own(struct wpool *pool);

/**
 * wpool_worker_set_func() - set which function is shown for the calling worker
 * @func: the function, shown by name while its module is loaded, and as an address later
 *
 * For a layer whose task function calls a function of its own users: until the task ends, the log,
 * debugfs, tracepoints and costs show @func instead of the task's function. Call this before @func.
 *
 * Context: the function of a task; does nothing in any other context.
 */
void wpool_worker_set_func(void *func);

/**
 * wpool_flush() - wait for all tasks that were accepted before the call
 * @pool: the pool
 *
 * Returns even if others continue to submit.
 *
 * Context: process context; sleeps, killable.
 * Return: 0; -EINVAL if there is no pool; -EINTR if the caller was killed; -EDEADLK
 * if called from one of the pool's own tasks.
 */
int wpool_flush(struct wpool *pool);

/**
 * wpool_get_attrs() - read a pool's current attributes
 * @pool: the pool; for %NULL and ERR_PTR all attributes are 0
 * @attrs: filled in; name points into the pool, cpumask is %NULL
 * @cpumask: filled in unless %NULL
 *
 * Context: process context; sleeps.
 */
void wpool_get_attrs(struct wpool *pool, struct wpool_attrs *attrs,
		     struct cpumask *cpumask);

/**
 * wpool_owner() - the module that created a pool
 * @pool: the pool
 *
 * Return: the module that called wpool_create(), not to be dereferenced without a reference to it;
 * %NULL if there is no pool, or the pool has no owner, like those of /dev/wpool.
 */
struct module *wpool_owner(struct wpool *pool);

/**
 * wpool_set_cgroup() - put the workers of a pool into cgroups
 * @pool: the pool; not wpool_default()
 * @of_caller: true: into the cgroups of the calling thread; false: back to the root, where threads
 *	of the kernel are
 *
 * The cgroups' weights and limits of CPU time and I/O then apply to tasks, and memory that tasks
 * allocate with GFP_KERNEL_ACCOUNT is charged to the memory cgroup: at its limit, the kernel may
 * kill a process of that cgroup. A cpuset applies, too, see &wpool_attrs.cpumask. New and idle
 * workers join at once, the others when their task, or the one that they were just taking, has
 * ended. Workers stay in the cgroups when the caller leaves them. A cgroup cannot be removed until
 * shortly after wpool_destroy(), or after another call of this function and the end of the tasks
 * that ran at that time. In a cgroup, CONFIG_DEBUG_PREEMPT reports each smp_processor_id() that a
 * task calls with preemption on.
 *
 * Context: process context; sleeps. Not in a callback of CPU hotplug, nor under cpus_read_lock().
 * Return: 0; -EINVAL if there is no pool; -EBUSY for the default pool; -ESHUTDOWN if the pool is
 * being destroyed; -EOPNOTSUPP if the kernel has no cgroups; -ENOSPC if a cpuset of version 1 has
 * no CPU; -ENOMEM; -EAGAIN if the system's limit of threads is reached; -EINTR if the caller was
 * killed.
 */
int wpool_set_cgroup(struct wpool *pool, bool of_caller);

/**
 * wpool_get() - take another reference to a pool
 * @pool: a pool that the caller holds a reference to, %NULL or ERR_PTR
 *
 * A reference keeps the memory; it does not keep the pool open.
 *
 * Return: @pool.
 */
struct wpool *wpool_get(struct wpool *pool);

/**
 * wpool_put() - drop a reference to a pool
 * @pool: the pool; %NULL and ERR_PTR are allowed
 *
 * Context: process context; may sleep.
 */
void wpool_put(struct wpool *pool);

/**
 * wpool_find() - find a pool by name
 * @name: the name
 *
 * Finds the pools of modules and the default pool. It finds no pool that was made through
 * /dev/wpool, because any user may have made it, and may cancel the tasks of a module there.
 *
 * Context: process context; sleeps.
 * Return: the pool, with a reference that the caller must drop with wpool_put(), or %NULL.
 */
struct wpool *wpool_find(const char *name);

/**
 * wpool_default() - the pool that exists as soon as the module is loaded
 *
 * It is named "default" and has unlimited capacity. It lives as long as the wpool module, which
 * stays loaded while a module that calls this function is loaded: no reference is taken, and none
 * is to be dropped. No module may destroy, release or tune it (-EBUSY), but the administrator may
 * tune it. The model is the default pool of ants, a library in Go.
 *
 * Return: the pool.
 */
struct wpool *wpool_default(void);

#endif /* _LINUX_WPOOL_H */
