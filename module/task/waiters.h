/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The waiters for tokens, served first in, first out: submitters, which sleep, and events and
 * strands, which wait without a thread. Tokens that come free go to the first waiter.
 */
#ifndef WPOOL_TASK_WAITERS_H
#define WPOOL_TASK_WAITERS_H

#include <linux/list.h>

#include "core/state.h"

struct task_struct;

/* The most tasks that one submitter waits with. */
#define WPOOL_WAITER_TASKS	16U

/* A waiting submitter; on the submitter's stack. */
struct wpool_waiter {
	/*
	 * entry of the submitter in pool->admission.waiters, beside tasks of events and strands.
	 * @entry is no real task: only its node is used, and its flags and function, which are 0
	 */
	struct wpool_task entry;
	struct task_struct *thread;	/* thread to wake */
	struct wpool_task *const *tasks;	/* claimed tasks to be accepted, in order */
	u32 nr;	/* number of tasks */
	u32 accepted;	/* number of tasks accepted; under admission.lock until the wait ends */
	/*
	 * the submitter has waited before, for other tasks or in a group: if the pool was closed to
	 * others since then, the submitter may still wait
	 */
	bool waited;
	/*
	 * why the wait ended; 0 if all were accepted; positive during the wait. Set last, by the
	 * side that takes the waiter off the list. After that no other thread touches the waiter,
	 * and the submitter does not touch the pool.
	 */
	int error;
};

/* A pass: serve the first waiters. True if tokens and waiters may remain: waiters.c, serve rule */
bool wpool_waiters_serve(struct wpool *pool);

/*
 * Wait until the waiter's tasks are accepted. Returns 0 if all were; -EAGAIN if max_blocking
 * submitters already wait; -ECANCELED if one of the tasks was cancelled; -ESHUTDOWN; -ETIME;
 * -EINTR. After an error the first waiter->accepted tasks are accepted, and the caller must unclaim
 * the others.
 */
int wpool_waiters_wait(struct wpool *pool, struct wpool_waiter *waiter,
		       unsigned int state, long timeout);

/*
 * Let the task of an event or a strand wait, without a thread. True: there is a token after all,
 * and the caller must accept the task. False: the caller must not touch the task any more. If the
 * pool is closed, see refuse_waiter(). Interrupts are off.
 */
bool wpool_waiters_join(struct wpool *pool, struct wpool_task *task);

/*
 * Take the task of an event off the waiters. Or, for a task marked as cancelled, end the wait of
 * its submitter, for all tasks that the submitter waits with. Returns true if it was waiting.
 * Interrupts are off.
 */
bool wpool_waiters_leave(struct wpool_task *task);

/*
 * Accept no more tasks, and end all waits; @drops: tasks that have not started end with -ECANCELED.
 * A submit or a start that has checked the pool before may continue for one RCU grace period.
 */
void wpool_waiters_close(struct wpool *pool, bool drops);

/*
 * How often was the pool closed? A thread that waits for room in a group, in
 * pool->admission.guests, has read this number before it saw the pool open. Its wait ends when the
 * number has changed.
 */
static inline u32 wpool_nr_closes(const struct wpool *pool)
{
	/* pairs with close:A */
	return smp_load_acquire(&pool->admission.nr_closes);
}

/** wpool_waiters_tell() - set or clear bits of pool->attention, WPOOL_ATT_*; tune_mutex held */
void wpool_waiters_tell(struct wpool *pool, u32 bits, bool on);

/* Call wpool_tokens_resize() after limits or CPUs have changed, then serve the waiters. Sleeps. */
void wpool_waiters_resize(struct wpool *pool);

#endif /* WPOOL_TASK_WAITERS_H */
