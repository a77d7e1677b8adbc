/* SPDX-License-Identifier: GPL-2.0 */
/* Strands: the tasks of one strand run one after the other, in the order of their submits. */
#ifndef _LINUX_WPOOL_STRAND_H
#define _LINUX_WPOOL_STRAND_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wpool.h>

struct wpool_strand_task;

/**
 * typedef wpool_strand_fn - the function of a strand's task
 * @task: the task itself; container_of() leads to the caller's object
 *
 * Context: as &typedef wpool_task_fn.
 */
typedef void (*wpool_strand_fn)(struct wpool_strand_task *task);

/**
 * typedef wpool_strand_abort_fn - is called instead of the function of a strand's task
 * @task: the task, which belongs to this function from now on
 * @status: -ECANCELED if wpool_release() cancelled the task before it started, -ETIME if it was the
 *	first of its strand and had waited for longer than max_wait_ms, -EIO if the worker died in
 *	the function. A task with a parallel part gets one of these also if that part was not run,
 *	if a worker died in it, or if the turn was cancelled or overdue after that part had run
 *
 * The call is the task's turn: no other task of the strand has a turn meanwhile. If the function
 * submitted its task again before the worker died, that submit is taken back first.
 *
 * Context: as &typedef wpool_abort_fn.
 */
typedef void (*wpool_strand_abort_fn)(struct wpool_strand_task *task, int status);

/**
 * struct wpool_strand - runs its tasks one after the other, in the order of their submits
 *
 * Tasks of one strand never run at the same time; tasks of different strands do. A strand
 * is not tied to a thread or a CPU, and an empty strand holds no worker and no room in its
 * pool. Use a strand instead of an ordered workqueue, or of a lock around the work of a connection.
 * A strand takes at most 64 bytes, so each connection may have its own. All fields are private.
 *
 * Documentation/modules.rst has examples.
 *
 * A strand has a limit on its unfinished tasks. Only the first of them is in the pool, and takes
 * room there; if the pool is full, it waits behind the submitters that wait already. The pool never
 * refuses a task that the strand has accepted, whatever max_blocking is. wpool_flush() waits for
 * the first task only, once the pool has accepted it; wpool_strand_flush() for all.
 *
 * A task may have a parallel part, see wpool_strand_task_set_parallel(): then the strand is a
 * pipeline, whose first stage runs on many CPUs, and whose second is in order. Each task whose
 * parallel part has not ended is in the pool, too, and takes room there, so such a strand needs a
 * limit that fits into its pool, or a pool of its own.
 *
 * When the pool is closed, the strand refuses tasks. Accepted tasks run to their end, and
 * wpool_destroy() and wpool_release_timeout() wait for them; with %WPOOL_RELEASE_CANCEL, tasks that
 * have not started are aborted with -ECANCELED, or with the status of their parallel part. If the
 * worker dies in a task, the strand continues with the next one.
 */
struct wpool_strand {
	/* private: */
	struct wpool *pool;
	struct list_head queue;
	struct wpool_strand_task *head;
	u32 limit;
	u32 nr;
	struct task_struct *runner;
	bool is_closed;
	raw_spinlock_t lock; /* protects all fields but @pool and @limit, and the tasks' states */
};

#if !defined(CONFIG_LOCKDEP) && !defined(CONFIG_DEBUG_SPINLOCK)
static_assert(sizeof(struct wpool_strand) <= 64, "a strand is at most one cache line");
#endif

/**
 * struct wpool_strand_task - a task of a strand, embedded in the caller's object
 * @task: only for wpool_task_set_urgent(); all other fields are private
 *
 * A task belongs to its function from the moment the function starts. As its last act the function
 * may free the task or, if the task has no parallel part, submit it again, to run last in the
 * strand.
 */
struct wpool_strand_task {
	struct wpool_task task;
	/* private: */
	struct list_head node;
	wpool_strand_fn func;
	wpool_strand_fn parallel;
	wpool_strand_abort_fn abort;
	struct wpool_strand *strand;
	int status;
	bool is_pending;
	bool is_apart;
	bool has_begun;
};

/**
 * wpool_strand_init() - prepare a strand
 * @strand: a strand that is not in use
 * @pool: the pool that its tasks will run in
 * @limit: how many of its tasks may be unfinished, at least 1; %WPOOL_UNLIMITED: no limit. The task
 *	that runs counts, too, also if it submits itself again
 *
 * No reference to @pool is taken: the caller makes sure that it exists at each submit. Call
 * wpool_strand_destroy() before you free a strand, unless the strand was never used. Not even its
 * last task can free the strand: the task may queue a work that does.
 */
void wpool_strand_init(struct wpool_strand *strand, struct wpool *pool, u32 limit);

/**
 * wpool_strand_task_init() - prepare a task of a strand
 * @task: the task; neither waiting nor queued. It must not be a local variable.
 * @strand: its strand, prepared before
 * @func: the function
 * @abort: called instead if the task was accepted and then does not run, or after the worker died
 *	in @func; may be %NULL
 *
 * If @func frees the task, no later statement of @func may fault: if the worker dies in @func, the
 * strand needs the task.
 */
void wpool_strand_task_init(struct wpool_strand_task *task, struct wpool_strand *strand,
			    wpool_strand_fn func, wpool_strand_abort_fn abort);

/**
 * wpool_strand_task_set_parallel() - give a task a part that needs no turn
 * @task: a task that was prepared and is not submitted
 * @parallel: called once for each submit, before the task's turn, at the same time as other tasks
 *	of the strand; %NULL: no such part
 *
 * The task goes to the pool at once, for @parallel. When @parallel has returned and all earlier
 * tasks have had their turns, the task goes to the pool again, for its turn, usually in the same
 * worker. So a slow @parallel delays the turns of later tasks, but not their parallel parts. The
 * pool counts two tasks, the limit of the strand one. Of an urgent task both @parallel and the turn
 * are urgent.
 *
 * @parallel must neither free the task nor wait for the strand. If @parallel is not called, or the
 * worker dies in it, the task's turn is a call of its abort function instead of its function.
 *
 * The model is padata_do_parallel(), with padata_do_serial() at the return of @parallel.
 */
static inline void wpool_strand_task_set_parallel(struct wpool_strand_task *task,
						  wpool_strand_fn parallel)
{
	task->parallel = parallel;
}

/**
 * wpool_strand_try_submit() - hand over a task if it fits now
 * @task: the task
 *
 * There is no call that waits for room: a submitter that may sleep calls wpool_strand_flush(), and
 * tries again. A submitted task cannot be cancelled: if, for example, the connection has gone, the
 * caller sets a flag that the functions check.
 *
 * Context: any except NMI, and not with scheduler locks held.
 * Return:
 * * 0 - the task is accepted, and will have its turn
 * * -EAGAIN - the strand is full
 * * -EALREADY - the task is queued already, or has a parallel part and its turn is not over
 * * -ESHUTDOWN - the pool is closed, or the strand was destroyed
 * * -EINVAL - the strand has no pool or no limit, or the task no function; NMI
 */
int __must_check wpool_strand_try_submit(struct wpool_strand_task *task);

/**
 * wpool_strand_flush() - wait for all tasks that were accepted before the call
 * @strand: the strand
 *
 * Returns even if others continue to submit. A task of the same pool that flushes a strand holds
 * its worker meanwhile: if all workers wait like this at full capacity, they deadlock.
 *
 * Context: process context; sleeps, killable. Not in an abort function, nor in a parallel part,
 * which would wait for itself.
 * Return: 0; -EINTR if the caller was killed; -EDEADLK if called by a task of the strand in its
 * turn.
 */
int wpool_strand_flush(struct wpool_strand *strand);

/**
 * wpool_strand_destroy() - accept no more tasks, and wait for those accepted
 * @strand: the strand
 *
 * Afterwards the strand may be freed or prepared again, if the caller makes sure that no task is
 * submitted to it any more, and that all other calls for it have returned, also those of
 * wpool_strand_flush(). Its pool may be gone already.
 *
 * Context: process context; sleeps, uninterruptibly. Not in an abort function.
 * Return: 0; -EDEADLK if called by a task of the strand in its turn, and nothing was done.
 */
int wpool_strand_destroy(struct wpool_strand *strand);

#endif /* _LINUX_WPOOL_STRAND_H */
