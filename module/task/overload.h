/* SPDX-License-Identifier: GPL-2.0 */
/* What happens to a submitter when the pool is full, or closed. */
#ifndef WPOOL_TASK_OVERLOAD_H
#define WPOOL_TASK_OVERLOAD_H

#include <linux/types.h>
#include <linux/wpool.h>

/*
 * What a submitter without a token does. If the submitter waits, it waits in task state @state, for
 * at most @timeout jiffies; @waited is that of struct wpool_waiter.
 */
struct wpool_overload {
	enum wpool_policy policy;
	unsigned int state;
	long timeout;
	bool waited;
};

/*
 * Claimed tasks found no token: apply the overload policy. @refused: the pool was closed at that
 * time; it may have been reopened since. Returns the number of accepted tasks, a prefix, or -errno;
 * the others are unclaimed. May sleep if the policy is to block or run.
 */
int wpool_overload_apply(struct wpool *pool, struct wpool_task *const *tasks, u32 nr,
			 struct wpool_overload *how, bool refused);

#endif /* WPOOL_TASK_OVERLOAD_H */
