/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task of an open /dev/wpool, which becomes a record.
 *
 * Each accepted descriptor has an item, which is task and record in one. The item is allocated
 * before the submit, so that nothing can fail when the task ends. Tasks are abortable: the pool
 * ends each task once, by its function or by its abort function.
 *
 *             submit                 function, abort
 *   (nothing) ------> unfinished ----------------------> recorded ----> (freed)
 *                      |                                   ^       read
 *                      | cancelled while queued            | function, abort
 *                      +-------------------> recorded, ----+
 *                                            still in the pool
 *
 * Invariants:
 *   - an item is on a list of its file while it is unfinished or its record is unread. It is freed
 *     when it is on no list and the pool does not touch it any more. A task cancelled in the queue
 *     gets its record at once, but the pool may touch the item until the turn of the task comes;
 *   - nr_items, which bounds the memory of a file, is at most WPOOL_MAX_INFLIGHT, apart from items
 *     that a submit has not added yet. The items of all limited files count towards one limit, from
 *     the add to the free;
 *   - only a plain task can be taken out of the pool's queue by a cancel. Any other one that is
 *     cancelled, a task of the file's group or strand, or one for which an event stands, keeps its
 *     place, but does not run, because its function finds item->recorded set;
 *   - the function of a task of the file's group or strand may free the last item, not the file.
 */
#ifndef WPOOL_DEVITEM_H
#define WPOOL_DEVITEM_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>
#include <uapi/linux/wpool.h>

#include "faces/dev/load/file.h"
#include "faces/dev/load/workload.h"

/* An event that stands for the task of an item, see task.c. I: set before the event is started. */
struct wpool_devarmed {
	struct wpool_hrevent event;
	struct wpool_devitem *item;	/* I: the functions of its task are called */
	struct file *file;	/* I: file to wait for; NULL: wait for a time */
	ktime_t until;	/* I: with a file: when the wait ends at the latest */
	struct wpool_watch watch;	/* watches @file; only the event's function uses it */
};

/*
 * A task of a file, and its record when it has ended. I: set before the submit. L: file->lock. E:
 * owned by the thread that runs or ends the task; others read it under file->lock once @recorded is
 * set.
 */
struct wpool_devitem {
	union {
		struct {
			struct wpool_task task;
			/* I: event that starts @task after a wait, see wpool_devitem_waits() */
			struct wpool_devarmed *armed;
		};
		struct wpool_group_task member;	/* in place of @task for the file's group */
		struct wpool_strand_task turn;	/* in place of @task for the file's strand */
	};
	/* L: on file->unfinished, file->done or a local list; empty if on none */
	struct list_head node;
	struct wpool_devfile *file;
	struct wpool_workload load;	/* I: what the task does; load.h explains its fields */
	u64 cover;	/* I: KCOV handle of the submitter; 0: none */
	u64 seq;	/* I: number of the task in its file */
	u64 cookie;	/* I: cookie of the descriptor */
	u64 submit_ns;	/* I: time of the submit */
	u64 start_ns;	/* E: time of the start; 0: the task did not start */
	u64 end_ns;	/* L: time of the end */
	u32 cpu;	/* E: CPU of the start, later of the end */
	s32 status;	/* L: status with which the task ended */
	bool is_member;	/* I: the task is @member */
	bool silent;	/* I: the task leaves no record */
	bool started;	/* L: the task is no plain one, and has begun to run */
	/* L: the file counts the task as ended; armed_run() reads it without the lock */
	bool recorded;
	bool in_pool;	/* L: the pool may still touch the item */
};

/* Does an event start the task of this item? A member of a group never waits. */
static inline bool wpool_devitem_waits(const struct wpool_devitem *item)
{
	return item->load.kind == WPOOL_WORK_TIMER || item->load.kind == WPOOL_WORK_POLL;
}

/* Is @task itself submitted, not @member, @turn or an event? wpool_task_cancel() needs that. */
static inline bool wpool_devitem_is_plain(const struct wpool_devitem *item)
{
	return !item->is_member && !wpool_devitem_waits(item) &&
	       item->load.kind != WPOOL_WORK_STRAND;
}

/* Allocate items. @tasks: out: their tasks. Sleeps. Returns 0; -ENOMEM */
int wpool_devitem_alloc(struct wpool_task **tasks, u32 nr);

/** wpool_devitem_free_new() - free items, 0 or more, that are not added to their file */
void wpool_devitem_free_new(struct wpool_task **tasks, u32 nr);

/* Prepare a new item to do @work, which was checked. @is_member: for the group of the file */
void wpool_devitem_init(struct wpool_devitem *item, struct wpool_devfile *file,
			const struct wpool_dev_work *work, struct wpool *pool,
			u64 submit_ns, bool is_member);

/** wpool_devitem_add() - add an item to its file; false if it does not fit; file->lock is held */
bool wpool_devitem_add(struct wpool_devitem *item);

/** wpool_devitem_take_back() - undo the add of a task that was not accepted; file->lock is held */
void wpool_devitem_take_back(struct wpool_devitem *item);

/** wpool_devitem_record() - a task has ended, at @now: make its record; file->lock is held */
void wpool_devitem_record(struct wpool_devitem *item, int status, u64 now);

/* Drop the records of a local list of items; file->lock is held, dropped and taken again */
void wpool_devitem_drop(struct wpool_devfile *file, struct list_head *list);

/* Create the cache of items, before the first open. Sleeps. Returns 0; -ENOMEM */
int wpool_devitem_cache_init(void);

/* Destroy the cache of items, after the last file is freed. Sleeps */
void wpool_devitem_cache_exit(void);

#endif /* WPOOL_DEVITEM_H */
