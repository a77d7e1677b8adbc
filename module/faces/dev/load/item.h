/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task of an open /dev/wpool, which becomes a record.
 *
 * Each accepted descriptor has one item, which is task and record in one. It is
 * allocated before the submit, so that nothing can fail when the task ends. Tasks are
 * abortable: the pool ends each task once, by its function or by its abort function,
 * even if the task is cancelled or its worker dies.
 *
 *             submit                 function, abort
 *   (nothing) ------> unfinished ----------------------> recorded ----> (freed)
 *                      |                                   ^       read
 *                      | cancelled while queued            | abort
 *                      +-------------------> recorded, ----+
 *                                            still in the pool
 *
 * Invariants:
 *   - an item is on a list of its file while it is unfinished or its record is
 *     unread. It is freed when it is on no list and the pool has let go of it.
 *     A cancelled task gets its record at once, but stays in the pool's queue
 *     until a worker finds it, which may be much later;
 *   - nr_items, which bounds the memory of a file, is at most WPOOL_MAX_INFLIGHT,
 *     apart from items that a submit has not added yet. The items of all limited files
 *     count in a sum that has a limit, from the add to the free;
 *   - a task of the file's group that is cancelled does not run, because its function
 *     finds its record. It may free the last item, but not the file.
 */
#ifndef WPOOL_DEVITEM_H
#define WPOOL_DEVITEM_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_group.h>
#include <uapi/linux/wpool.h>

#include "faces/dev/load/cover.h"
#include "faces/dev/load/file.h"
#include "faces/dev/load/workload.h"

struct wpool_devarmed;
struct wpool_devturn;

/**
 * struct wpool_devitem - a task of a file, and its record when it has ended
 * @task: the task
 * @member: the same, of the file's group
 * @node: L: on file->unfinished, file->done or a local list; empty if on none
 * @file: I: the file
 * @load: I: what the task does; has rules of its own
 * @armed: I: what waits instead of the task before it starts, or NULL
 * @turn: I: the same for a task of the file's strand
 * @cover: I: whose coverage its run is
 * @seq: I: number among the tasks of the file
 * @cookie: I: cookie of the descriptor
 * @submit_ns: I: when it was handed over
 * @start_ns: E: when it started; 0 if it did not
 * @end_ns: L: when it ended
 * @cpu: E: where it started, later where it ended
 * @status: L: how it ended
 * @is_member: I: @member is used
 * @silent: I: no record
 * @started: L: a task of the group has begun to run
 * @recorded: L: it has ended as far as the file is concerned
 * @in_pool: L: the pool may still touch it
 *
 * I: set before it is submitted. L: file->lock. E: the thread that runs the task,
 * or ends it instead; read under file->lock once it is recorded.
 */
struct wpool_devitem {
	union {
		struct wpool_task task;
		struct wpool_group_task member;
	};
	struct list_head node;
	struct wpool_devfile *file;
	struct wpool_workload load;
	struct wpool_devarmed *armed;
	struct wpool_devturn *turn;
	struct wpool_devcover cover;
	u64 seq;
	u64 cookie;
	u64 submit_ns;
	u64 start_ns;
	u64 end_ns;
	u32 cpu;
	s32 status;
	bool is_member;
	bool silent;
	bool started;
	bool recorded;
	bool in_pool;
};

/* The function of a task, by its kind: tracepoints and reports name it. */
extern const wpool_task_fn wpool_devitem_fns[];

/** wpool_devitem_abort() - the abort function of a task; may free the item */
void wpool_devitem_abort(struct wpool_task *task, int status);

/**
 * wpool_devitem_alloc() - allocate items
 * @tasks: out: their tasks
 * @nr: how many
 *
 * Context: process context; sleeps.
 * Return: 0; -ENOMEM.
 */
int wpool_devitem_alloc(struct wpool_task **tasks, u32 nr);

/** wpool_devitem_free_new() - free items that were not added to their file */
void wpool_devitem_free_new(struct wpool_task **tasks, u32 nr);

/**
 * wpool_devitem_init() - prepare an item
 * @item: the item
 * @file: its file
 * @work: what it is to do, checked
 * @pool: the file's pool
 * @submit_ns: now
 * @is_member: it is submitted to the group of the file
 *
 * Context: any.
 */
void wpool_devitem_init(struct wpool_devitem *item, struct wpool_devfile *file,
			const struct wpool_dev_work *work, struct wpool *pool,
			u64 submit_ns, bool is_member);

/**
 * wpool_devitem_fits() - may an item be added to its file?
 * @item: the item
 *
 * Context: file->lock is held.
 * Return: true, and then wpool_devitem_add() or wpool_devitem_leave() must follow.
 */
bool wpool_devitem_fits(struct wpool_devitem *item);

/** wpool_devitem_leave() - do not add an item that would fit; file->lock is held */
void wpool_devitem_leave(struct wpool_devitem *item);

/** wpool_devitem_add() - add an item to its file; file->lock is held */
void wpool_devitem_add(struct wpool_devitem *item);

/** wpool_devitem_take_back() - undo that: its task was not accepted; file->lock is held */
void wpool_devitem_take_back(struct wpool_devitem *item);

/** wpool_devitem_record() - a task has ended: make its record; file->lock is held */
void wpool_devitem_record(struct wpool_devitem *item, int status, u64 end_ns);

/** wpool_devitem_free() - free an item on no list and not in the pool; file->lock is held */
void wpool_devitem_free(struct wpool_devitem *item);

/**
 * wpool_devitem_cache_init() - allocate what tasks need, before the first open
 *
 * Context: process context; sleeps.
 * Return: 0; -ENOMEM.
 */
int wpool_devitem_cache_init(void);

/**
 * wpool_devitem_cache_exit() - free it, after the last file is freed
 *
 * Context: process context; sleeps.
 */
void wpool_devitem_cache_exit(void);

#endif /* WPOOL_DEVITEM_H */
