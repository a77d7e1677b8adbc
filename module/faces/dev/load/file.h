/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open /dev/wpool: the pool it is attached to, its tasks, their records.
 *
 * The file operations and ioctls check the structures of the ABI and then call the functions below.
 */
#ifndef WPOOL_DEVFILE_H
#define WPOOL_DEVFILE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>
#include <linux/wpool_group.h>
#include <uapi/linux/wpool.h>

struct mem_cgroup;
struct wpool;
struct wpool_devstrand;

/**
 * struct wpool_devfile - an open file
 * @ops: I: the file operations, which only files of /dev/wpool have
 * @memcg: I: memory cgroup of the process that opened it, with a reference, or NULL
 * @lock: protects the fields marked L; taken in process context only
 * @unfinished: L: tasks that have no record yet
 * @done: L: tasks whose record is unread, oldest first
 * @submits: L: submits in progress, whose tasks may not be accepted yet
 * @next_seq: L: number of the next task
 * @nr_items: L: tasks and records for which memory is allocated
 * @nr_unfinished: W: length of @unfinished, including tasks that a cancel has moved
 *	off the list
 * @nr_polls: L: tasks that wait for a file, or were cancelled and still have a reference to it: one
 *	wake-up may fire all of them, with interrupts off
 * @nr_unread: W: length of @done
 * @is_limited: I: @bytes and the memory of its tasks count towards a limit on the sum of all such
 *	files
 * @bytes: L: sum of wpool_workload_bytes() of unfinished tasks
 * @nr_accepted: L: tasks known to be accepted
 * @nr_finished: L: tasks that have a record, or would have one if they were not silent
 * @closing: L: the file ends: a task leaves no record any more
 * @closed: L: the thread that frees the last task also frees the file
 * @queue_ns: L: histogram, submit to start
 * @run_ns: L: histogram, start to end
 * @readers: readers and pollers
 * @waiters: threads that wait until @nr_unfinished is 0
 * @attach_mutex: one attach at a time; taken before @lock
 * @cancel_mutex: one cancel at a time; taken before @lock
 * @pool: L: the pool, with a reference; set once
 * @strand: the strand for tasks that run one after the other, or NULL; set once, by cmpxchg()
 * @has_group: L: @group is in use, until the end of the file
 * @group_has_memcg: the group's tasks have another memory cgroup than @memcg; set before @has_group
 * @group: the group of the tasks; it does its own locking
 * @free_work: ends the group and frees the file, which no task of the group can do
 *
 * I: set at the open. W: as L, but read without the lock, READ_ONCE and WRITE_ONCE.
 */
struct wpool_devfile {
	const struct file_operations *ops;
	struct mem_cgroup *memcg;
	spinlock_t lock;		/* protects L, and writes to W */
	struct list_head unfinished;
	struct list_head done;
	struct list_head submits;
	u64 next_seq;
	u32 nr_items;
	u32 nr_unfinished;
	u32 nr_polls;
	u32 nr_unread;
	bool is_limited;
	u64 bytes;
	u64 nr_accepted;
	u64 nr_finished;
	bool closing;
	bool closed;
	u64 queue_ns[WPOOL_DEV_HIST_BUCKETS];
	u64 run_ns[WPOOL_DEV_HIST_BUCKETS];
	wait_queue_head_t readers;
	wait_queue_head_t waiters;
	struct mutex attach_mutex;	/* one attach at a time */
	struct mutex cancel_mutex;	/* one cancel at a time */
	struct wpool *pool;
	struct wpool_devstrand *strand;
	bool has_group;
	bool group_has_memcg;
	struct wpool_group group;
	struct work_struct free_work;
};

/**
 * wpool_devfile_create() - create the file for an open
 * @ops: of the struct file
 * @is_limited: its memory counts towards the limit on all such files
 *
 * Context: process context; sleeps.
 * Return: the file, attached to no pool; ERR_PTR(-ENOMEM).
 */
struct wpool_devfile *wpool_devfile_create(const struct file_operations *ops, bool is_limited);

/**
 * wpool_devfile_close() - end a file after its last close
 * @file: the file; not to be used afterwards
 *
 * Called after wpool_devtask_close(). The memory is freed with the last task.
 *
 * Context: process context; sleeps. No other thread uses the file.
 */
void wpool_devfile_close(struct wpool_devfile *file);

/**
 * wpool_devfile_attach_begin() - prepare to attach the file to a pool
 * @file: the file
 *
 * Context: process context; sleeps, interruptible.
 * Return: 0, and then wpool_devfile_attach_end() must follow; -EISCONN if the file
 * is already attached; -ERESTARTSYS if interrupted.
 */
int wpool_devfile_attach_begin(struct wpool_devfile *file);

/**
 * wpool_devfile_attach_end() - attach the file, or give up the attach
 * @file: the file, after wpool_devfile_attach_begin()
 * @pool: the pool with a reference, which becomes the file's; %NULL for none
 *
 * Context: process context.
 */
void wpool_devfile_attach_end(struct wpool_devfile *file, struct wpool *pool);

/**
 * wpool_devfile_pool() - the pool that the file is attached to
 * @file: the file
 *
 * Context: any.
 * Return: the pool, which exists as long as the file does; %NULL if none.
 */
struct wpool *wpool_devfile_pool(struct wpool_devfile *file);

/**
 * wpool_devfile_group_init() - give the file a group
 * @file: the file, attached
 * @max_outstanding: bound of the group, at least 1
 * @what: what the group's tasks take over from the caller, WPOOL_AS_*, or 0
 *
 * Context: process context; sleeps, interruptible.
 * Return: 0; -EISCONN if the file has a group; -ERESTARTSYS if interrupted; or what
 * wpool_group_act_for_me() says.
 */
int wpool_devfile_group_init(struct wpool_devfile *file, u32 max_outstanding, unsigned int what);

/**
 * wpool_devfile_group() - the group of the file
 * @file: the file
 *
 * Context: process context.
 * Return: the group, which exists as long as the file does; %NULL if none.
 */
struct wpool_group *wpool_devfile_group(struct wpool_devfile *file);

/**
 * wpool_devfile_stats() - read the figures of the file
 * @file: the file
 * @stats: @file_submitted to @run_ns are filled in
 *
 * Context: process context.
 */
void wpool_devfile_stats(struct wpool_devfile *file,
			 struct wpool_dev_stats *stats);

/**
 * wpool_devfile_wake() - wake readers and waiters whose wait is over
 * @file: the file
 *
 * Context: process context; holds @file->lock.
 */
void wpool_devfile_wake(struct wpool_devfile *file) __must_hold(&file->lock);

/**
 * wpool_devfile_is_last() - must the caller free the file?
 * @file: the file
 *
 * Context: process context; holds @file->lock.
 * Return: true, once: then the caller must drop the lock and call
 * wpool_devfile_free().
 */
bool wpool_devfile_is_last(const struct wpool_devfile *file)
	__must_hold(&file->lock);

/**
 * wpool_devfile_free() - free a closed file that has no task left
 * @file: the file
 *
 * Context: process context; may sleep. May be called by the function of the last task.
 */
void wpool_devfile_free(struct wpool_devfile *file);

/**
 * wpool_devfile_exit() - wait, after the last close, until all tasks have ended
 *
 * Context: process context; sleeps, uninterruptibly, for some ms.
 */
void wpool_devfile_exit(void);

#endif /* WPOOL_DEVFILE_H */
