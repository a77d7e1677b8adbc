/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks of /dev/wpool that wait before they start, for a time or a file, without a worker. */
#ifndef WPOOL_DEV_ARMED_H
#define WPOOL_DEV_ARMED_H

#include <linux/fs.h>
#include <linux/types.h>
#include <linux/wpool.h>

struct wpool_devarmed;

/*
 * Allocate an event that waits for a time in place of a task. @pool: exists until one of the task's
 * functions has returned; @task: abortable, never submitted. Sleeps. Returns the event, or NULL.
 *
 * After the start the event calls one function of @task, once, and frees itself. When the wait is
 * over, or cancelled, it calls @task->func, in a task of the pool. Otherwise it calls @task->abort:
 * with an error of wpool_watch_file(), -ETIME if the file was not ready in time, or a status of
 * &typedef wpool_event_abort_fn.
 */
struct wpool_devarmed *wpool_devarmed_create(struct wpool *pool, struct wpool_task *task,
					     bool urgent);

/*
 * Let the event wait until a file can be read from, or is at its end. @armed: not started;
 * @fd: a descriptor of the current process; @own: the operations of files that are refused. Process
 * context. Returns 0; -EBADF; -EPERM if the file cannot be polled; -ELOOP if it is refused.
 */
int wpool_devarmed_set_file(struct wpool_devarmed *armed, u64 fd,
			    const struct file_operations *own);

size_t wpool_devarmed_bytes(void);

/** wpool_devarmed_free() - free an event that was not started; NULL is allowed */
void wpool_devarmed_free(struct wpool_devarmed *armed);

/* Begin to wait. @armed: not started; @wait_ns: how long; for a file, how long at most */
void wpool_devarmed_start(struct wpool_devarmed *armed, u64 wait_ns);

/*
 * End the wait: one of the task's functions is called soon. @armed: started; neither of the
 * functions has returned. Context: may hold spin locks.
 */
void wpool_devarmed_cancel(struct wpool_devarmed *armed);

#endif /* WPOOL_DEV_ARMED_H */
