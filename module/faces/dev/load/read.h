/* SPDX-License-Identifier: GPL-2.0 */
/* Read, poll and wait of an open /dev/wpool, as the ABI header describes them. */
#ifndef WPOOL_DEV_READ_H
#define WPOOL_DEV_READ_H

#include <linux/poll.h>
#include <linux/types.h>

struct file;
struct wpool_devfile;

/* The wait is interruptible and freezable: -ERESTARTSYS. After -EFAULT no record is lost. */
ssize_t wpool_devread(struct wpool_devfile *file, char __user *buf,
		      size_t count, bool nonblock);

__poll_t wpool_devread_poll(struct wpool_devfile *file, struct file *opened,
			    poll_table *table);

/* So is this one; -EINTR instead if there is a timeout. @timeout_ns: 0 waits forever */
int wpool_devread_wait(struct wpool_devfile *file, u64 timeout_ns);

#endif /* WPOOL_DEV_READ_H */
