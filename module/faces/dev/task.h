/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of an open /dev/wpool, and the records that they become.
 */
#ifndef WPOOL_DEVTASK_H
#define WPOOL_DEVTASK_H

#include <linux/list.h>
#include <uapi/linux/wpool.h>

struct wpool_devfile;

/**
 * wpool_devtask_submit() - hand over tasks
 * @file: the file, attached
 * @works: descriptors, checked
 * @nr: how many, at least 1
 * @nonblock: do not sleep on a full pool
 * @accepted: out: how many were accepted, a prefix
 *
 * Context: process context; sleeps, interruptible.
 * Return: 0 if some were accepted; otherwise -ENOBUFS, -ENOMEM, -EAGAIN,
 * -ESHUTDOWN, -ERESTARTSYS.
 */
int wpool_devtask_submit(struct wpool_devfile *file,
			 const struct wpool_dev_work *works, u32 nr,
			 bool nonblock, u32 *accepted);

/**
 * wpool_devtask_cancel() - cancel unfinished tasks
 * @file: the file
 * @cookie: of the tasks that are meant; %NULL all
 * @cancelled: out: how many will not run
 * @stopped: out: how many were told to stop
 *
 * Context: process context; sleeps, interruptible.
 * Return: 0; -ENOENT no unfinished task has the cookie; -ERESTARTSYS.
 */
int wpool_devtask_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped);

/**
 * wpool_devtask_close() - no more records: drop them and cancel all tasks
 * @file: the file, which nobody else uses
 *
 * Context: process context; sleeps.
 */
void wpool_devtask_close(struct wpool_devfile *file);

/**
 * wpool_devtask_take() - take the oldest records
 * @file: the file
 * @max: how many at most
 * @taken: empty list for what they were made from; wpool_devtask_drop() or
 *	wpool_devtask_return() must follow if there were any
 * @records: room for @max records
 * @idle: out: there is none, and no task is unfinished
 *
 * Context: process context.
 * Return: how many.
 */
u32 wpool_devtask_take(struct wpool_devfile *file, u32 max,
		       struct list_head *taken,
		       struct wpool_dev_record *records, bool *idle);

/**
 * wpool_devtask_drop() - the reader has the records
 * @file: the file
 * @taken: as it was filled
 *
 * Context: process context.
 */
void wpool_devtask_drop(struct wpool_devfile *file, struct list_head *taken);

/**
 * wpool_devtask_return() - the reader could not have the records
 * @file: the file
 * @taken: as it was filled; they are the oldest again
 * @nr: how many
 *
 * Context: process context.
 */
void wpool_devtask_return(struct wpool_devfile *file, struct list_head *taken,
			  u32 nr);

/**
 * wpool_devtask_init() - before the first open
 *
 * Context: process context; sleeps.
 * Return: 0; -ENOMEM.
 */
int wpool_devtask_init(void);

/**
 * wpool_devtask_exit() - after the last file is freed
 *
 * Context: process context; sleeps.
 */
void wpool_devtask_exit(void);

#endif /* WPOOL_DEVTASK_H */
