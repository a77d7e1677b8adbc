/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks of an open /dev/wpool, and the records that they become. */
#ifndef WPOOL_DEVTASK_H
#define WPOOL_DEVTASK_H

#include <uapi/linux/wpool.h>

struct wpool_devfile;

/*
 * Hand over tasks. @file: the file, attached; @works: descriptors, checked; @nr: number of
 * descriptors, at least 1; @nonblock: do not sleep if the pool is full; @cpu: a possible CPU, which
 * the tasks prefer, or -1; @accepted: out: number of tasks accepted, a prefix. Sleeps,
 * interruptible. Returns 0 if at least one was accepted; otherwise -ENOBUFS, -ENOMEM, -EAGAIN,
 * -ESHUTDOWN, -ERESTARTSYS; -ECANCELED if the file's group was cancelled meanwhile; -EBADF, -EPERM
 * or -ELOOP as wpool_devarmed_set_file(); -EINVAL if a task cannot prefer a CPU: because of its
 * kind, or because the file has a group.
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

#endif /* WPOOL_DEVTASK_H */
