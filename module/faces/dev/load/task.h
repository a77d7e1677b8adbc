/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks of an open /dev/wpool, and the records that they become. */
#ifndef WPOOL_DEVTASK_H
#define WPOOL_DEVTASK_H

#include <linux/list.h>
#include <uapi/linux/wpool.h>

struct wpool_devfile;

/*
 * Hand over tasks. @file: the file, attached; @works: descriptors, checked; @nr: number of
 * descriptors, at least 1; @nonblock: do not sleep if the pool is full; @cpu: a possible CPU, which
 * the tasks prefer, or -1; @accepted: out: number of tasks accepted, a prefix. Sleeps,
 * interruptible. Returns 0 if at least one was accepted; otherwise -ENOBUFS, -ENOMEM, -EAGAIN,
 * -ESHUTDOWN, -ERESTARTSYS; -EINVAL if a task cannot prefer a CPU: because of its kind, or because
 * the file has a group.
 */
int wpool_devtask_submit(struct wpool_devfile *file,
			 const struct wpool_dev_work *works, u32 nr,
			 bool nonblock, int cpu, u32 *accepted);

/*
 * Cancel unfinished tasks. @cookie: cancel the tasks with this cookie, %NULL for all tasks;
 * @cancelled: out: number of tasks that will not run; @stopped: out: number of tasks that were told
 * to stop. Sleeps, interruptible. Returns 0; -ENOENT if no unfinished task has the cookie;
 * -ERESTARTSYS.
 */
int wpool_devtask_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped);

/*
 * Drop all records, make no more, and cancel all tasks. @file: the file, which no other thread
 * uses. Sleeps.
 */
void wpool_devtask_close(struct wpool_devfile *file);

/*
 * Take the oldest records. @max: how many at most; @taken: empty list, filled with the items of the
 * records. If there were any, wpool_devtask_drop() or wpool_devtask_return() must follow;
 * @records: room for @max records; @idle: out: there is no record, and no task is unfinished.
 * Process context. Returns number of records.
 */
u32 wpool_devtask_take(struct wpool_devfile *file, u32 max,
		       struct list_head *taken,
		       struct wpool_dev_record *records, bool *idle);

/* Free records that the reader has got. @taken: from wpool_devtask_take(). Process context. */
void wpool_devtask_drop(struct wpool_devfile *file, struct list_head *taken);

/*
 * Put back @nr records that the reader could not get; they become the oldest again. @taken: from
 * wpool_devtask_take(). Process context.
 */
void wpool_devtask_return(struct wpool_devfile *file, struct list_head *taken,
			  u32 nr);

#endif /* WPOOL_DEVTASK_H */
