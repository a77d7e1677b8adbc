/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of /dev/wpool that wait before they start, for a time or a file, without a worker: an event
 * waits in place of a task. After the start the event calls one function of the task, once, and
 * frees itself: @func, in a task of the pool, when the wait is over or cancelled; otherwise @abort,
 * with an error of wpool_watch_file(), -ETIME if the file was not ready in time, or a status of
 * &typedef wpool_event_abort_fn.
 */
#ifndef WPOOL_DEV_ARMED_H
#define WPOOL_DEV_ARMED_H

#include <linux/fs.h>
#include <linux/types.h>
#include <linux/wpool.h>

struct wpool_devarmed;

/*
 * Allocate an event; sleeps. @pool: exists until a function of @task has returned; @task:
 * abortable, never submitted; @fd: a file of the current process to wait for, or NULL; @own: the
 * operations of files that are refused. Or ERR_PTR(): -ENOMEM; -EBADF; -EPERM: the file cannot be
 * polled; -ELOOP: it has the operations @own.
 */
struct wpool_devarmed *wpool_devarmed_create(struct wpool *pool, struct wpool_task *task,
					     bool urgent, const u64 *fd,
					     const struct file_operations *own);

size_t wpool_devarmed_bytes(void);

/** wpool_devarmed_free() - free an event that was not started; NULL is allowed */
void wpool_devarmed_free(struct wpool_devarmed *armed);

/** wpool_devarmed_start() - begin to wait for @wait_ns; for a file, that is the longest wait */
void wpool_devarmed_start(struct wpool_devarmed *armed, u64 wait_ns);

/* End a wait, before a function of the task returns. The caller may hold spin locks. */
void wpool_devarmed_cancel(struct wpool_devarmed *armed);

#endif /* WPOOL_DEV_ARMED_H */
