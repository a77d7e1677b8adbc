/* SPDX-License-Identifier: GPL-2.0 */
/* Which worker runs this code? */
#ifndef WPOOL_CORE_CURRENT_H
#define WPOOL_CORE_CURRENT_H

#include <linux/sched.h>

struct wpool_worker;

/**
 * wpool_worker_thread() - the function of every worker's thread
 * @worker: the struct wpool_worker, whose @loop it calls
 *
 * By this function a thread is known to be a worker's.
 *
 * Return: what @loop returns.
 */
int wpool_worker_thread(void *worker);

/** __wpool_worker_current() - wpool_worker_current() of a kernel thread */
struct wpool_worker *__wpool_worker_current(void);

/**
 * wpool_worker_current() - the worker that this code runs in
 *
 * Context: any.
 * Return: the worker, or NULL: not a worker, or an interrupt over one.
 */
static inline struct wpool_worker *wpool_worker_current(void)
{
	return likely(!(current->flags & PF_KTHREAD)) ? NULL : __wpool_worker_current();
}

#endif /* WPOOL_CORE_CURRENT_H */
