// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: the submitter's claim, and the change of state that cancels. The states
 * and their transitions are in task.h, running a task is in run.c, finishing it in
 * finish.c, waiting for it and cancelling it in wait.c.
 *
 * Barrier pairs (finish:A is in finish.h):
 *
 *   accept:A  store-release of task->queued after task->pool
 *             <-> load-acquire in wpool_task_pool(): a reader that sees the flag
 *             sees the pool.
 *   claim:A   what the submitter wrote, full barrier, the load that finds the
 *             task PENDING: -EALREADY
 *             <-> the taker's claim, fully ordered, then its function. If the
 *             submitter does not see the claim, the function sees what the
 *             submitter wrote. tools/verification/litmus has both sides.
 */
#include "task/task.h"

#include <linux/export.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "task/tokens.h"

void wpool_task_init(struct wpool_task *task, wpool_task_fn func)
{
	wpool_debug_init(task);
	memset(task, 0, sizeof(*task));
	task->func = func;
}
EXPORT_SYMBOL_GPL(wpool_task_init);

/* ---- claim ---- */

/*
 * The task is not IDLE: it is pending, or runs, or was cancelled and is still queued; or it is
 * disabled.
 */
static int claim_slow(struct wpool *pool, struct wpool_task *task)
{
	int old, new;

	/* claim:A, since an exchange that failed orders nothing */
	smp_mb();
	old = atomic_read(&task->state);
	do {
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_IDLE:
			if (old != WPOOL_ST_IDLE)
				return -ECANCELED;
			new = WPOOL_ST_PENDING;
			break;
		case WPOOL_ST_RUNNING:
			if (old & WPOOL_ST_NO_MORE)
				return -ECANCELED;
			if (old & WPOOL_ST_AGAIN || READ_ONCE(task->pool) != pool)
				return -EALREADY;
			new = old | WPOOL_ST_AGAIN;
			if (READ_ONCE(pool->colour))
				new |= WPOOL_ST_AGAIN_COLOUR;
			break;
		case WPOOL_ST_CANCELLED:
			return -ECANCELED;
		default:
			return -EALREADY;
		}
		if (wpool_refuses(pool))
			return -ESHUTDOWN;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return new == WPOOL_ST_PENDING ? 0 : 1;
}

int wpool_task_claim(struct wpool *pool, struct wpool_task *task, bool alone)
{
	int old = WPOOL_ST_IDLE;
	int ret = 0;

	wpool_debug_assert_init(task);
	/* locked instruction: the task's line */
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		ret = alone ? claim_slow(pool, task) : -EAGAIN;

	if (!ret && task->owner && !try_module_get(task->owner)) {
		atomic_set(&task->state, WPOOL_ST_IDLE);
		return -ENOENT;
	}
	if (!ret)
		wpool_debug_activate(task);
	return ret;
}

/* Take back the claim, and everything that others have added to it meanwhile. */
void wpool_task_unclaim(struct wpool_task *task)
{
	int old = atomic_read(&task->state);
	struct module *owner = task->owner;

	wpool_debug_deactivate(task);
	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED && !wpool_task_is_detached(task))
			task->status = -ECANCELED;
	} while (!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_IDLE));

	if (old & WPOOL_ST_WAITED)
		wake_up_var(task);
	module_put(owner);
}

void wpool_task_await_hands(u32 *tries)
{
	if (++*tries % 128) {
		cpu_relax();
		cond_resched();
	} else {
		schedule_timeout_uninterruptible(1);
	}
}

bool wpool_task_mark_cancelled(struct wpool_task *task, bool for_good)
{
	int old = atomic_read(&task->state);
	bool ret;
	int new;

	do {
		new = old;
		ret = false;
		switch (old & WPOOL_ST_MASK) {
		case WPOOL_ST_PENDING:
			ret = true;
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_CANCELLED;
			break;
		case WPOOL_ST_RUNNING:
			ret = old & WPOOL_ST_AGAIN;
			if (ret)
				new = (old & ~(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR)) +
				      WPOOL_ST_TAKEN_BACK;
			if (for_good)
				new |= WPOOL_ST_NO_MORE;
			break;
		}
		if (new == old)
			return false;
	} while (!atomic_try_cmpxchg(&task->state, &old, new));

	return ret;
}
