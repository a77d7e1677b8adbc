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
 * Allocate an event, or return NULL; sleeps. @pool: exists until a function of @task has returned;
 * @task: abortable, never submitted.
 */
struct wpool_devarmed *wpool_devarmed_create(struct wpool *pool, struct wpool_task *task,
					     bool urgent);

/*
 * Before the start, in process context: wait for the file @fd of the current process. @own: the
 * operations of files that are refused. Returns 0; -EBADF; -EPERM: it cannot be polled; -ELOOP.
 */
int wpool_devarmed_set_file(struct wpool_devarmed *armed, u64 fd,
			    const struct file_operations *own);

size_t wpool_devarmed_bytes(void);

/** wpool_devarmed_free() - free an event that was not started; NULL is allowed */
void wpool_devarmed_free(struct wpool_devarmed *armed);

/** wpool_devarmed_start() - begin to wait for @wait_ns; for a file, that is the longest wait */
void wpool_devarmed_start(struct wpool_devarmed *armed, u64 wait_ns);

/* End a wait, before a function of the task returns. The caller may hold spin locks. */
void wpool_devarmed_cancel(struct wpool_devarmed *armed);

#endif /* WPOOL_DEV_ARMED_H */
