/* SPDX-License-Identifier: GPL-2.0 */
/* Which worker runs this code? */
#ifndef WPOOL_CORE_CURRENT_H
#define WPOOL_CORE_CURRENT_H

#include <linux/kthread.h>
#include <linux/sched.h>

struct wpool;
struct wpool_worker;

/* wpool_worker_main(), the function of all workers' threads; set before there is a pool. */
extern int (*wpool_worker_fn)(void *worker);

struct wpool_worker *__wpool_worker_current(void);

/* The worker that this code runs in; NULL in another thread, or in an interrupt. */
static inline struct wpool_worker *wpool_worker_current(void)
{
	return likely(!(current->flags & PF_KTHREAD)) ? NULL : __wpool_worker_current();
}

/** wpool_in_own_task() - does this code run in a worker of @pool? Any context */
bool wpool_in_own_task(const struct wpool *pool);

/** wpool_refuse_own_task() - wpool_in_own_task(); if true, log that @caller was refused */
bool wpool_refuse_own_task(const struct wpool *pool, const char *caller);

/** wpool_worker_self() - wpool_worker_current() for code that only workers run */
static inline struct wpool_worker *wpool_worker_self(void)
{
	return kthread_data(current);
}

#ifdef CONFIG_LOCKDEP
/*
 * Tell lockdep that the caller waits for tasks of a pool. Warns if the caller is a task of a pool
 * with the attribute reclaim, and @pool lacks it: while memory is short, this wait may not end.
 */
void wpool_lockdep_wait(struct wpool *pool);
#else
static inline void wpool_lockdep_wait(struct wpool *pool) { }
#endif

#endif /* WPOOL_CORE_CURRENT_H */
