/* SPDX-License-Identifier: GPL-2.0 */
/* Accepting claimed tasks: an accepted task belongs to the pool. */
#ifndef WPOOL_TASK_ACCEPT_H
#define WPOOL_TASK_ACCEPT_H

#include "core/sched.h"
#include "core/state.h"
#include "task/account.h"
#include "task/state.h"

/* Count in, accept and queue claimed tasks that have their tokens. Interrupts are off. */
static __always_inline void wpool_accept_claimed(struct wpool *pool, struct wpool_runq *rq,
						 struct wpool_task *const *tasks, u32 nr)
{
	u32 colour = READ_ONCE(pool->colour), i;
	u8 flags = 0;

	wpool_account_in(rq, colour, nr);
	for (i = 0; i < nr; i++) {
		flags |= tasks[i]->flags;
		wpool_task_accept(pool, rq, tasks[i], colour);
	}
	if (nr == 1 && wpool_runq_is_own(rq))
		wpool_sched_push_next(pool, rq, tasks[0]);
	else
		wpool_sched_push(pool, rq, tasks, nr, flags);
}

#endif /* WPOOL_TASK_ACCEPT_H */
