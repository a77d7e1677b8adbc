// SPDX-License-Identifier: GPL-2.0
/*
 * Cancelling and disabling a task.
 *
 * wpool_task_cancel_sync() is a disable, a wait and an enable. The enable touches the task after
 * the wait has read the status. So if several threads cancel a task, the task's memory must stay
 * until all their calls have returned.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "core/state.h"
#include "task/finish.h"
#include "task/state.h"
#include "task/wait.h"
#include "task/waiters.h"

/* The most attempts to get hold of a task that may be moving between two queues. */
#define MAX_TRIES	8

/*
 * Take a task marked as cancelled out of its queue, and end it now, so that its token need not wait
 * for a worker; or end the wait of its submitter. False if another thread holds the task.
 */
static bool end_cancelled(struct wpool_task *task)
{
	unsigned long flags;
	bool ret;

	if (wpool_finish_take_out(task, false))
		return true;
	local_irq_save(flags);
	ret = wpool_waiters_leave(task);
	local_irq_restore(flags);
	return ret;
}

bool wpool_task_cancel(struct wpool_task *task)
{
	/* with interrupts off, the thread that moves the task may be the interrupted one */
	int tries = irqs_disabled() ? 1 : MAX_TRIES;

	if (IS_ERR_OR_NULL(task) || !wpool_task_mark_cancelled(task))
		return false;
	while (tries-- && wpool_task_is_cancelled(task) && !end_cancelled(task))
		cpu_relax();
	return true;
}
EXPORT_SYMBOL_GPL(wpool_task_cancel);

/* Cancel the task, which the caller has disabled, and wait until it is IDLE. */
static int cancel_and_wait(struct wpool_task *task)
{
	u32 tries = 0;

	wpool_task_mark_cancelled(task);
	while (wpool_task_is_cancelled(task)) {
		if (end_cancelled(task))
			continue;
		/* at the first tries, a thread that moves the task has it for a moment only */
		if (tries >= MAX_TRIES && fatal_signal_pending(current))
			return -EINTR;
		wpool_task_await_hands(&tries);
	}
	/* the task is IDLE, or runs for the last time */
	return wpool_wait_end(task);
}

int wpool_task_disable_sync(struct wpool_task *task)
{
	int ret = wpool_wait_begin(task);

	if (ret)
		return ret;
	atomic_add(WPOOL_ST_DISABLED, &task->state);
	ret = cancel_and_wait(task);
	if (ret == -EINTR || ret == -EDEADLK)
		wpool_task_enable(task);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_task_disable_sync);

bool wpool_task_enable(struct wpool_task *task)
{
	int old = atomic_read(&task->state);

	do {
		if (WARN_ONCE(!(old & WPOOL_ST_DISABLED_MASK),
			      "task of %ps is enabled, but is not disabled\n",
			      wpool_trace_func(task)))
			return false;
	} while (!wpool_task_exchange(task, &old, old - WPOOL_ST_DISABLED));

	return !((old - WPOOL_ST_DISABLED) & WPOOL_ST_DISABLED_MASK);
}
EXPORT_SYMBOL_GPL(wpool_task_enable);

int wpool_task_cancel_sync(struct wpool_task *task)
{
	int ret = wpool_task_disable_sync(task);

	if (ret != -EINVAL && ret != -EINTR && ret != -EDEADLK)
		wpool_task_enable(task);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_task_cancel_sync);

/* ---- misuse ---- */

#ifdef CONFIG_DEBUG_OBJECTS

static void *task_hint(void *addr)
{
	return ((struct wpool_task *)addr)->func;
}

/* Cancel the task; wait for its end if it is joinable and this context may sleep. */
static void debug_end_task(void *task)
{
	if (!preemptible() || wpool_task_cancel_sync(task) == -EINVAL)
		wpool_task_cancel(task);
}

static bool is_static(void *addr)
{
	return ((struct wpool_task *)addr)->flags & WPOOL_TASK_STATIC;
}

static void do_nothing(struct wpool_task *task)
{
}

static bool fixup_assert_init(void *addr, enum debug_obj_state state)
{
	struct wpool_task *task = addr;

	if (state != ODEBUG_STATE_NOTAVAILABLE)
		return false;
	memset(task, 0, sizeof(*task));
	task->func = do_nothing;
	wpool_debug_init(task);
	return true;
}

WPOOL_DEBUG_KIND(task, .is_static_object = is_static, .fixup_assert_init = fixup_assert_init);

const struct debug_obj_descr *const wpool_task_descr = &task_descr;

#endif
