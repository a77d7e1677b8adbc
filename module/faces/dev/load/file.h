/* SPDX-License-Identifier: GPL-2.0 */
/* An open /dev/wpool: the pool it is attached to, its tasks, their records. */
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
#include <linux/wpool_strand.h>
#include <uapi/linux/wpool.h>

struct mem_cgroup;
struct wpool;

/*
 * An open file. I: set at the open. L: @lock. W: as L, but read without the lock, READ_ONCE and
 * WRITE_ONCE. A: set once, under @attach_mutex, with release; read with acquire. The mutexes are
 * taken before @lock.
 */
struct wpool_devfile {
	const struct file_operations *ops; /* I: only files of /dev/wpool have these */
	struct mem_cgroup *memcg;	/* I: memory cgroup of the opener, with a reference */
	spinlock_t lock;		/* protects L, and writes to W; in process context only */
	struct list_head unfinished;	/* L: tasks that have no record yet */
	struct list_head done;		/* L: tasks whose record is unread, oldest first */
	struct list_head submits;	/* L: submits whose tasks may not be accepted yet */
	u64 next_seq;			/* L: number of the next task */
	u32 nr_items;			/* L: tasks and records that have memory, and a close */
	u32 nr_unfinished;		/* W: number of tasks that have no record yet */
	/* L: tasks with a reference to a polled file: one wake-up may fire all of them */
	u32 nr_polls;
	u32 nr_unread;			/* W: length of @done */
	/* I: @bytes and the memory of tasks count towards one limit of all limited files */
	bool is_limited;
	u64 bytes;			/* L: wpool_workload_bytes() of all unfinished tasks */
	u64 nr_accepted;		/* L: tasks known to be accepted */
	u64 nr_finished;		/* L: tasks that have ended, silent ones included */
	u64 last_end_ns;		/* L: @end_ns of the last record */
	/* L: the file ends: tasks leave no record, and the last one that is freed frees the file */
	bool closing;
	u64 queue_ns[WPOOL_DEV_HIST_BUCKETS];	/* L: histogram, submit to start */
	u64 run_ns[WPOOL_DEV_HIST_BUCKETS];	/* L: histogram, start to end */
	wait_queue_head_t readers;	/* readers and pollers */
	wait_queue_head_t waiters;	/* threads that wait until @nr_unfinished is 0 */
	struct mutex attach_mutex;	/* one attach, or setup of @group, at a time */
	struct mutex cancel_mutex;	/* one cancel at a time */
	struct wpool *pool;		/* A: the pool, with a reference; @strand is ready */
	struct wpool_strand strand;	/* for WPOOL_WORK_STRAND; the file limits its tasks */
	bool has_strand;		/* L: @strand was used */
	bool has_group;			/* A: @group is in use, until the end of the file */
	/* the tasks of @group have another memory cgroup than @memcg; set before @has_group */
	bool group_has_memcg;
	struct wpool_group group;	/* group of the tasks; does its own locking */
	struct work_struct free_work;	/* ends @group and @strand, which their tasks cannot do */
};

/* Create the file for an open, attached to no pool; or ERR_PTR(-ENOMEM). Sleeps. */
struct wpool_devfile *wpool_devfile_create(const struct file_operations *ops, bool is_limited);

/* Returns 0, and then wpool_devfile_attach_end() must follow; -EISCONN or -ERESTARTSYS. */
int wpool_devfile_attach_begin(struct wpool_devfile *file);

/* Attach the file to @pool, whose reference becomes the file's; %NULL: give up the attach. */
void wpool_devfile_attach_end(struct wpool_devfile *file, struct wpool *pool);

/* The file's pool, which exists as long as the file; %NULL if none */
static inline struct wpool *wpool_devfile_pool(const struct wpool_devfile *file)
{
	/* pairs with the release in wpool_devfile_attach_end() */
	return smp_load_acquire(&file->pool);
}

/* Give the file a group, @what: for wpool_group_act_for_me(), or 0. -EISCONN: it has a group */
int wpool_devfile_group_init(struct wpool_devfile *file, u32 max_outstanding, unsigned int what);

/* The group of the file, which exists as long as the file; %NULL if none */
static inline struct wpool_group *wpool_devfile_group(struct wpool_devfile *file)
{
	/* pairs with the release in wpool_devfile_group_init() */
	return smp_load_acquire(&file->has_group) ? &file->group : NULL;
}

/* Fill in the figures of the file, @file_submitted to @run_ns of @stats. Process context. */
void wpool_devfile_stats(struct wpool_devfile *file,
			 struct wpool_dev_stats *stats);

/* Wake readers and waiters whose wait is over. */
void wpool_devfile_wake(struct wpool_devfile *file) __must_hold(&file->lock);

/* Is the file closed, and its last task freed? Then drop the lock and call wpool_devfile_free() */
bool wpool_devfile_is_last(const struct wpool_devfile *file)
	__must_hold(&file->lock);

/* Free a closed file without tasks. May be called by the function of the last task. May sleep. */
void wpool_devfile_free(struct wpool_devfile *file);

/* Wait, after the last close, until all files are freed. Sleeps, uninterruptibly, for some ms. */
void wpool_devfile_exit(void);

#endif /* WPOOL_DEVFILE_H */
