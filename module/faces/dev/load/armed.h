/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks of /dev/wpool that wait before they start, for a time or a file, without a worker. */
#ifndef WPOOL_DEV_ARMED_H
#define WPOOL_DEV_ARMED_H

#include <linux/fs.h>
#include <linux/types.h>
#include <linux/wpool.h>

struct wpool_devarmed;

/*
 * Allocate what waits for a time instead of a task. @pool: the caller's reference lasts until one
 * of the functions has returned; @task: handed to both functions, as what they end; @run: called in
 * a task of the pool when the wait is over; @abort: called instead if the wait was cancelled
 * (-ECANCELED), if the pool was closed when it was over (-ESHUTDOWN), or if the file did not become
 * ready (-ETIME); @urgent: the task of the pool is urgent. Once it was started, one of the two is
 * called, once; then it frees itself. Sleeps. Returns what waits, or NULL.
 */
struct wpool_devarmed *wpool_devarmed_create(struct wpool *pool, struct wpool_task *task,
					     wpool_task_fn run, wpool_abort_fn abort, bool urgent);

/*
 * Wait for a file that can be read from, or has come to its end. @armed: not started; @fd: a
 * descriptor of the current process; @own: of files that are refused. Process context. Returns 0;
 * -EBADF; -EPERM if the file cannot be polled; -ELOOP if it is refused.
 */
int wpool_devarmed_set_file(struct wpool_devarmed *armed, u64 fd,
			    const struct file_operations *own);

/** wpool_devarmed_bytes() - the memory of one */
size_t wpool_devarmed_bytes(void);

/** wpool_devarmed_free() - free one that was not started; NULL is allowed */
void wpool_devarmed_free(struct wpool_devarmed *armed);

/* Begin to wait. @armed: not started; @wait_ns: for how long, for a file, how long at most */
void wpool_devarmed_start(struct wpool_devarmed *armed, u64 wait_ns);

/*
 * End the wait. @armed: started, none of its functions has returned. Context: may hold spin locks.
 * Returns true if its function will not be called, and the other one soon.
 */
bool wpool_devarmed_cancel(struct wpool_devarmed *armed);

#endif /* WPOOL_DEV_ARMED_H */
