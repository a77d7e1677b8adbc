/* SPDX-License-Identifier: GPL-2.0 */
/* Groups: tasks of a pool that are bounded, waited for and cancelled together. */
#ifndef _LINUX_WPOOL_GROUP_H
#define _LINUX_WPOOL_GROUP_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/wpool.h>

struct wpool_behalf;
struct wpool_group_task;

/**
 * typedef wpool_group_fn - the function of a task of a group
 * @task: the task, which belongs to its function from here on; container_of() leads to the
 *	caller's object
 *
 * As its last act the function may free the task, or hand it to another thread. No later statement
 * may fault: the abort function would get freed memory. The function must not submit its own
 * task again.
 *
 * Context: as &typedef wpool_task_fn.
 * Return: 0, or an error for wpool_group_wait().
 */
typedef int (*wpool_group_fn)(struct wpool_group_task *task);

/**
 * typedef wpool_group_abort_fn - is called instead of the function of a task of a group
 * @task: the task, which belongs to this function from now on
 * @status: -ECANCELED if the function was not called, because the group was cancelled, the task was
 *	dropped (%WPOOL_DROP_OLDEST), or the pool was closed with %WPOOL_RELEASE_CANCEL; -ETIME if
 *	the task had waited for longer than max_wait_ms; -EIO if the worker died in the task; after
 *	wpool_group_act_for_me() also -ESRCH if the memory of the process is gone, and -EPERM if the
 *	task was to run in a thread with another memory, or in another cgroup of the block layer
 *
 * The abort function may free the task as its last act. It never acts for the caller of
 * wpool_group_act_for_me(), and may run with the credentials of the kernel or the memory of another
 * process. So it must neither access the memory of a program nor rely on the credentials.
 *
 * Context: as &typedef wpool_abort_fn, or, under %WPOOL_RUN, the submitter of the task.
 */
typedef void (*wpool_group_abort_fn)(struct wpool_group_task *task, int status);

/**
 * struct wpool_group - the tasks of one client of a pool
 *
 * A client that shares a pool with others has a group of its own, with a bound on the
 * tasks that it may have in the pool. It can wait for its tasks and cancel them, whatever the other
 * clients do. All fields are private.
 *
 * Documentation/modules.rst has an example.
 *
 * Every submit and every finish takes the group's lock, so CPUs that use one group at the same time
 * share its cache line. A client with short tasks on many CPUs should have several groups.
 */
struct wpool_group {
	/* private: */
	raw_spinlock_t lock; /* protects all fields below */
	u32 max;
	u32 nr;
	u32 epoch;
	int error;
	bool closed;
	struct wpool_behalf *behalf;
	struct list_head waiters;
	struct wpool *pool;
	struct list_head sleepers;
	struct module *owner;
	void *made_by; /* for CONFIG_DEBUG_OBJECTS */
};

/**
 * struct wpool_group_task - a task of a group, embedded in the caller's object
 * @task: only for wpool_task_set_urgent(); all other fields are private
 */
struct wpool_group_task {
	struct wpool_task task;
	/* private: */
	struct wpool_group *group;
	wpool_group_fn func;
	wpool_group_abort_fn abort;
	u32 epoch;
};

/**
 * wpool_group_init() - prepare a group
 * @group: the group
 * @pool: the pool that its tasks run in; a reference is held until wpool_group_exit()
 * @max_outstanding: tasks of the group that may be in the pool at the same time, queued or
 *	running; at least 1, %WPOOL_UNLIMITED for no bound
 * @owner: module that holds the text of the functions (%THIS_MODULE), pinned until
 *	wpool_group_exit(); %NULL if the module's exit function calls wpool_group_exit(), or for
 *	built-in code
 *
 * Return: 0; -EINVAL if there is no pool, or @max_outstanding is 0; -ENOENT if @owner is
 * being unloaded. After an error wpool_group_exit() does nothing.
 */
int __must_check wpool_group_init(struct wpool_group *group, struct wpool *pool,
				  u32 max_outstanding, struct module *owner);

/* What the tasks of a group take over from the caller of wpool_group_act_for_me() */
#define WPOOL_AS_MM	BIT(0)	/* memory of the caller's process: get_user() and so on */
#define WPOOL_AS_CREDS	BIT(1)	/* the caller's credentials */
#define WPOOL_AS_MEMCG	BIT(2)	/* the caller's memory cgroup, charged for allocations */
#define WPOOL_AS_BLKCG	BIT(3)	/* the cgroup to which the I/O of the caller counts */
#define WPOOL_AS_ALL	(WPOOL_AS_MM | WPOOL_AS_CREDS | WPOOL_AS_MEMCG | WPOOL_AS_BLKCG)

/**
 * wpool_group_act_for_me() - let the tasks of a group act on behalf of the caller
 * @group: a prepared group without tasks
 * @what: what the tasks take over, at least one of %WPOOL_AS_MM and so on
 *
 * The tasks act for the caller of this function, whichever thread submits them; a client that acts
 * for several threads has a group for each. A worker takes @what over before the function of each
 * task, and gives it back afterwards, even if the worker dies in the task. Tasks that run inside a
 * task of the group, because it waits for them or submits them, do not act for the caller.
 *
 * The group has references to the credentials and the cgroups until wpool_group_exit(), but does
 * not keep the memory of the process: when the process has ended, or has executed another program,
 * tasks that have not started are not run, and their abort functions get -ESRCH. A running task
 * keeps the memory until it returns, or, if the worker dies in a task inside it, until
 * wpool_group_exit(); in a kernel without memory cgroups, tasks that start meanwhile still run. A
 * worker gets no signals, so an access to memory that a program provides (userfaultfd, FUSE) lasts
 * until the program provides it, or ends.
 *
 * With %WPOOL_AS_MM a task is not run, and its abort function gets -EPERM, if the worker has called
 * kthread_use_mm() in worker_start, or if, under %WPOOL_RUN, the submitter has another memory: is
 * in another process, has executed another program, or has called kthread_use_mm(). With
 * %WPOOL_AS_BLKCG the same holds for a submitter that is no worker, and is in another cgroup of the
 * block layer.
 *
 * The cgroup of %WPOOL_AS_BLKCG is that of the time of this call, also if the caller moves later,
 * or its cgroup gets or loses the io controller; if the caller is a thread of the kernel, the
 * cgroup of which the thread is a member. At its limit a task waits, and keeps its worker, also
 * after the process has ended, and in some kernels after the cgroup is removed. After a task the
 * worker has no cgroup by kthread_associate_blkcg(), even if worker_start, or a task that runs this
 * one inside itself, has called that. If a task of the group calls that, the worker has the group's
 * cgroup again after the next task inside this one.
 *
 * Context: process context; sleeps. Not while a task is submitted to the group.
 * Return:
 * * 0 - the tasks that are submitted from now on act for the caller
 * * -EINVAL - no group, or a group without a pool; @what is 0, or has an unknown bit; or
 *   %WPOOL_AS_MM, and the caller has no memory of a process
 * * -EBUSY - the group has tasks, or already acts for a thread
 * * -EOPNOTSUPP - %WPOOL_AS_MEMCG, and the kernel has no memory cgroups, or they are disabled; or
 *   %WPOOL_AS_BLKCG, and the kernel has no cgroups of the block layer
 * * -ENOMEM - out of memory
 */
int __must_check wpool_group_act_for_me(struct wpool_group *group, unsigned int what);

/**
 * wpool_group_exit() - end a group
 * @group: the group; one that is all zeroes, or has ended, is allowed and ignored
 *
 * From the start of the call, a submit by one of the group's own tasks gets -ESHUTDOWN, and so does
 * every submitter that waits for room in the group. Lets the tasks run to their end and waits for
 * them: call wpool_group_cancel() first if queued tasks need not run. Afterwards no function of a
 * task runs any more, and the caller may free the group. During the call only these tasks, and
 * submitters that wait already, may use the group.
 *
 * Context: process context; sleeps, uninterruptibly.
 * Return: 0; -EDEADLK, with nothing done, if called from one of the pool's own tasks.
 */
int wpool_group_exit(struct wpool_group *group);

/**
 * wpool_group_task_init() - prepare a task of a group
 * @task: the task; must not be pending, nor a local variable
 * @func: the function
 * @abort: called instead for an accepted task whose function is not called or does not
 *	return; may be %NULL
 */
void wpool_group_task_init(struct wpool_group_task *task, wpool_group_fn func,
			   wpool_group_abort_fn abort);

/**
 * wpool_group_submit() - hand over a task; wait if the group or the pool is full
 * @group: the group
 * @task: the task, initialised
 *
 * If the group is full, the submitter waits, killable, first-in-first-out. Then the task is
 * submitted to the pool as by wpool_submit(): if the pool is full, its policy decides. If the
 * submitter itself runs the task (%WPOOL_RUN) and dies in it, the task keeps its room in the group.
 *
 * After 0 the function is called once, or else the abort function, if there is one. When
 * this call returns, the task may be gone, and so may the group, if another thread ends it.
 *
 * Context: process context; may sleep.
 * Return: as wpool_submit(), where
 *
 * * -EALREADY - the task is still pending, in whichever group, or held by another submitter
 * * -ECANCELED - wpool_group_cancel() was called while the submitter waited for room in the group
 * * -ESHUTDOWN - the pool is closed, or wpool_group_exit() was called
 * * -EDEADLK - the group is full, or the pool as for wpool_submit(), and the caller is one of the
 *   pool's own tasks
 * * -EINTR - the caller was killed while it waited
 */
int __must_check wpool_group_submit(struct wpool_group *group, struct wpool_group_task *task);

/*
 * As wpool_group_submit(), but any signal ends the wait, with -EINTR. The wait is freezable, so it
 * does not hold up a suspend. But while the first submitter that waits is frozen, those behind it
 * wait, too.
 */
int __must_check wpool_group_submit_interruptible(struct wpool_group *group,
						  struct wpool_group_task *task);

/**
 * wpool_group_try_submit() - hand over a task if it fits now
 * @group: the group
 * @task: the task, initialised
 *
 * Never sleeps and never runs the task in the caller.
 *
 * Context: as wpool_try_submit().
 * Return: 0; -EAGAIN if the group or the pool is full or other submitters already wait;
 * otherwise as wpool_group_submit().
 */
int __must_check wpool_group_try_submit(struct wpool_group *group,
					struct wpool_group_task *task);

/**
 * wpool_group_wait() - wait until no task of a group is left
 * @group: the group
 *
 * Also waits for tasks that are submitted during the call: a client that never stops submitting
 * must take a new group now and then, and wait for the old one. The pool may count the last task
 * for a moment longer.
 *
 * Context: process context; sleeps, killable.
 * Return:
 * * 0 - every task returned 0
 * * an error: the first that a task of the group ever returned; for a task that was not run, or
 *   whose worker died, the status for its abort function. Any later error replaces -ECANCELED
 * * -EINTR - the caller was killed
 * * -EDEADLK - called from one of the pool's own tasks
 * * -EINVAL - no group, or it has no pool
 */
int wpool_group_wait(struct wpool_group *group);

/**
 * wpool_group_cancel() - make sure that the tasks of a group that have not started do not run
 * @group: the group
 *
 * Takes the same time for any number of tasks. A cancelled task keeps its room until its turn in
 * the pool comes: then its abort function is called, and the pool counts it as completed, or as
 * overdue. Submitters that wait for room in the group get -ECANCELED. Running tasks are not
 * interrupted, but can call wpool_group_task_is_cancelled(). Tasks that are submitted afterwards
 * run.
 *
 * Context: any except NMI, and not with scheduler locks held.
 */
void wpool_group_cancel(struct wpool_group *group);

/**
 * wpool_group_outstanding() - number of tasks of a group that have not finished
 * @group: the group
 *
 * Includes tasks whose submitters wait for room in the pool.
 *
 * Return: the number, racy.
 */
static inline u32 wpool_group_outstanding(const struct wpool_group *group)
{
	return READ_ONCE(group->nr);
}

/**
 * wpool_group_task_is_cancelled() - was the group cancelled since the task was submitted?
 * @task: the task
 *
 * Context: the task's function.
 * Return: true if it was: a function that takes long should then return.
 */
static inline bool wpool_group_task_is_cancelled(const struct wpool_group_task *task)
{
	return READ_ONCE(task->group->epoch) != task->epoch;
}

#endif /* _LINUX_WPOOL_GROUP_H */
