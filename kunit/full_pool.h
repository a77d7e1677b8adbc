/* SPDX-License-Identifier: GPL-2.0 */
/* A full pool, and threads that wait for a place in it. */
#ifndef WPOOL_KUNIT_FULL_POOL_H
#define WPOOL_KUNIT_FULL_POOL_H

#include "fixture.h"

/* A pool in which first->job[0] waits at the gate. The pool is full if it has one place. */
struct wpk_full {
	struct wpool *pool;
	struct wpk_gate *gate;
	struct wpk_jobs *first;
};

static inline void wpk_full_pool_attrs(struct kunit *test, struct wpk_full *full,
				       struct wpool_attrs *attrs)
{
	full->pool = wpk_pool_attrs(test, attrs);
	full->first = wpk_held(test, full->pool, 1, 1);
	full->gate = full->first->gate;
}

static inline void wpk_full_pool(struct kunit *test, struct wpk_full *full)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, 1, 0);
	wpk_full_pool_attrs(test, full, &attrs);
}

/* Start a thread that submits a job, and wait until @n threads and events wait for room. */
static inline struct wpk_thread *wpk_nth_waiter(struct kunit *test, struct wpool *pool,
						struct wpk_job *job, u32 n)
{
	struct wpk_thread *thread;

	thread = wpk_thread(test, wpk_do_submit, pool, &job->task, NULL);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == n);
	return thread;
}

#endif /* WPOOL_KUNIT_FULL_POOL_H */
