/* SPDX-License-Identifier: GPL-2.0 */
/* Read, poll and wait of an open /dev/wpool. */
#ifndef WPOOL_DEV_READ_H
#define WPOOL_DEV_READ_H

#include <linux/poll.h>
#include <linux/types.h>

struct file;
struct wpool_devfile;

/*
 * Read completion records, oldest first, whole ones only. @buf: destination; @count: size of @buf
 * in bytes; @nonblock: do not sleep. Sleeps, interruptible and freezable. Returns number of bytes;
 * 0 if there is no record and no task is unfinished; -EINVAL if @buf has no room for a record;
 * -EAGAIN; -EFAULT, with no record lost; -ERESTARTSYS.
 */
ssize_t wpool_devread(struct wpool_devfile *file, char __user *buf,
		      size_t count, bool nonblock);

/* Returns EPOLLIN | EPOLLRDNORM, or 0 if a read would sleep. Process context. */
__poll_t wpool_devread_poll(struct wpool_devfile *file, struct file *opened,
			    poll_table *table);

/*
 * Wait until every task of the file has finished. @timeout_ns: longest wait in ns, 0 waits forever.
 * Sleeps, interruptible and freezable. Returns 0; -ETIME; -ERESTARTSYS if interrupted, or -EINTR if
 * there is a timeout.
 */
int wpool_devread_wait(struct wpool_devfile *file, u64 timeout_ns);

#endif /* WPOOL_DEV_READ_H */
