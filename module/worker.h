/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: one kthread at home on one CPU, which runs one task at a time.
 *
 * Its life: made by the spawner on the way to look (waking); searching; busy in
 * a task; parked on its run queue's idle list; and so on, until it leaves:
 * expired, beyond the capacity, or the pool is closed. Leaving is decided under
 * pool->workers_lock by counting the worker out; the thread ends afterwards,
 * and the reaper reaps it. A worker that dies in a task is counted out by the
 * reaper.
 *
 * All state is in struct wpool_worker, none on the worker's stack: an oops
 * throws the stack away.
 */
#ifndef WPOOL_WORKER_H
#define WPOOL_WORKER_H

#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/wpool.h>

struct wpool_runq;

/**
 * struct wpool_worker - a worker
 *
 * Letters as in pool.h; O: only the worker's own thread, and the reaper after
 * its end.
 *
 * @pool: I
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
 *	exchange, see handoff.h
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
 * @dead_node: S: in the reaper's list of ended workers
 * @rcu: frees it
 */
struct wpool_worker {
	struct wpool *pool;
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
 * wpool_worker_create() - make a worker and send it to look for work
 * @pool: the pool; the caller has counted the worker in nr_workers
 * @cpu: where it is at home
 *
 * Context: process context; sleeps, killable.
 * Return: 0, -ENOMEM, -EINTR, -EAGAIN no more threads in the system.
 */
int wpool_worker_create(struct wpool *pool, int cpu);

/**
 * wpool_worker_count_in() - make room for one more worker
 * @pool: the pool
 *
 * Context: process context.
 * Return: 0; -EBUSY the pool has its capacity; -EAGAIN the module has its
 * max_workers.
 */
int wpool_worker_count_in(struct wpool *pool);

/**
 * wpool_worker_make_room() - a pool starves: have idle workers look at it
 *
 * Context: any; a full barrier since it is counted in wpool_spawner_nr_starved().
 */
void wpool_worker_make_room(void);

/**
 * wpool_worker_is_needed_elsewhere() - do more pools starve than there are places?
 *
 * Context: any.
 * Return: true if they do: then a worker that is in no task leaves its pool.
 */
bool wpool_worker_is_needed_elsewhere(void);

/**
 * wpool_worker_room() - how many workers more the module may have
 *
 * Context: any.
 * Return: max_workers less those of all pools, a glance.
 */
u32 wpool_worker_room(void);

/**
 * wpool_worker_count_out() - undo wpool_worker_count_in()
 * @pool: the pool
 *
 * Context: any, interrupts on.
 */
void wpool_worker_count_out(struct wpool *pool);

/**
 * wpool_worker_left() - a worker has been counted out: the leave side
 * @pool: the pool
 *
 * Looks whether work is left that nobody comes for.
 *
 * Context: any; interrupts off.
 */
void wpool_worker_left(struct wpool *pool);

/** __wpool_worker_current() - wpool_worker_current() of a kernel thread */
struct wpool_worker *__wpool_worker_current(void);

/**
 * wpool_worker_current() - the worker that this code runs in
 *
 * Context: any.
 * Return: the worker, or NULL: not a worker, or an interrupt over one.
 */
static inline struct wpool_worker *wpool_worker_current(void)
{
	return likely(!(current->flags & PF_KTHREAD)) ? NULL : __wpool_worker_current();
}

/**
 * wpool_worker_place() - best CPU for a worker
 * @pool: the pool
 * @prefer: CPU that wins a tie, or -1
 *
 * Return: the CPU with the fewest workers among those where wpool_place()
 * allows them.
 */
int wpool_worker_place(struct wpool *pool, int prefer);

/** wpool_worker_free() - end of a worker whose thread is gone; after an RCU grace period */
void wpool_worker_free(struct wpool_worker *w);

/** wpool_worker_init() - settle the module parameter max_workers */
void wpool_worker_init(void);

#endif /* WPOOL_WORKER_H */
