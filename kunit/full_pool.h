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

static inline struct wpk_full wpk_fill(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);

	return (struct wpk_full){ pool, first->gate, first };
}

static inline struct wpk_full wpk_full_pool(struct kunit *test)
{
	return wpk_fill(test, wpk_pool(test, 1, 0));
}

/* Start a thread that submits a job, and wait until @n threads and events wait for room. */
static inline struct wpk_thread *wpk_nth_waiter(struct kunit *test, struct wpool *pool,
						struct wpk_job *job, u32 n)
{
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit, pool, &job->task, NULL);

	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == n);
	return thread;
}

#endif /* WPOOL_KUNIT_FULL_POOL_H */
