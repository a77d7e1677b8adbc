/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of an open /dev/wpool. The ABI header has the meaning and the errors of each ioctl. All
 * functions sleep; submit and cancel are interruptible: -ERESTARTSYS.
 */
#ifndef WPOOL_DEVTASK_H
#define WPOOL_DEVTASK_H

#include <uapi/linux/wpool.h>

struct wpool_devfile;

/* WPOOL_IOC_SUBMIT of checked descriptors. @cpu: possible, or -1; @accepted: out: a prefix */
int wpool_devtask_submit(struct wpool_devfile *file,
			 const struct wpool_dev_work *works, u32 nr,
			 bool nonblock, int cpu, u32 *accepted);

/* WPOOL_IOC_CANCEL. @cookie: %NULL for all tasks; @cancelled, @stopped: out */
int wpool_devtask_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped);

/* The last close: drop all records, cancel all tasks, and free the file with the last of them */
void wpool_devtask_close(struct wpool_devfile *file);

#endif /* WPOOL_DEVTASK_H */
