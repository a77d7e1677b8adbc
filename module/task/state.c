// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: the submitter's claim, the change of state that cancels, and the wait for the end of a
 * finish: see state.h.
 *
 * Barrier pairs:
 *
 *   accept:A  store-release of task->queued after task->pool
 *             <-> load-acquire in wpool_task_pool(): a reader that sees the flag
 *             sees the pool.
 *   claim:A   what the submitter wrote, full barrier, the load that finds the
 *             task PENDING: -EALREADY
 *             <-> the taker's claim, fully ordered, then its function. If the
 *             submitter does not see the claim, the function sees what the
 *             submitter wrote. tools/verification/litmus has both sides.
 *   finish:A  this CPU's finisher is set, barrier, the change to IDLE (fully ordered), the
 *             accounts, barrier, the finisher is cleared <-> wpool_finish_sync(): a thread that has
 *             seen IDLE waits until the finisher that it finds on the task's CPU is gone. Then the
 *             thread sees the accounts and the token that came free. Without the barriers the
 *             thread could return before the task is counted out.
 *
 * So a wait for a task returns only when the accounts are right (finish:A). A flush reads the
 * accounts, which change after the last touch of the task, so the flush returns only after that
 * touch, too.
 */
#include "task/state.h"

#include <linux/export.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/wait_bit.h>

#include "core/runqs.h"

DEFINE_PER_CPU(struct task_struct *, wpool_finisher);

void wpool_task_init(struct wpool_task *task, wpool_task_fn func)
{
	wpool_debug_init(task);
	memset(task, 0, sizeof(*task));
	task->func = func;
}
EXPORT_SYMBOL_GPL(wpool_task_init);

static struct {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp pool_locks[16] = {
	[0 ... 15] = { __RAW_SPIN_LOCK_UNLOCKED(pool_locks) },
};

/* The lock that wpool_task_set_pool() explains; no other lock is taken under it. */
static raw_spinlock_t *pool_lock(const struct wpool_task *task)
{
	return &pool_locks[hash_ptr(task, ilog2(ARRAY_SIZE(pool_locks)))].lock;
}

void wpool_task_change_pool(struct wpool_task *task, struct wpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(pool_lock(task), flags);
	WRITE_ONCE(task->pool, pool);
	raw_spin_unlock_irqrestore(pool_lock(task), flags);
}

/*
 * The task was not IDLE, or it is disabled. The submit of a running task is counted in before the
 * exchange. If the submit is refused after all, that count is undone; a reader of the counts may
 * have seen one task too many meanwhile.
 */
static int claim_slow(struct wpool *pool, struct wpool_task *task, bool waited)
{
	raw_spinlock_t *lock = pool_lock(task);
	struct wpool_runq *rq = NULL;
	int old, new, state, ret;
	u32 colour = 0;

	/* claim:A, since an exchange that failed orders nothing */
	smp_mb();
	/* before the lock, which frequent submits of a pending task need not take */
	old = atomic_read(&task->state);
	if (old == WPOOL_ST_PENDING)
		return -EALREADY;
	raw_spin_lock(lock);
	do {
		state = old & WPOOL_ST_MASK;
		ret = -ECANCELED;
		if (old & WPOOL_ST_DISABLED_MASK || state == WPOOL_ST_CANCELLED)
			break;
		ret = -EALREADY;
		/*
		 * The state is read, then the pool. Submits and queues set the pool without the
		 * lock, before the task runs: see wpool_task_set_pool() and core/fifo.c.
		 */
		smp_rmb();
		if (state == WPOOL_ST_PENDING ||
		    (state == WPOOL_ST_RUNNING &&
		     (old & (WPOOL_ST_AGAIN | WPOOL_ST_INSIDE) || READ_ONCE(task->pool) != pool)))
			break;
		ret = -ESHUTDOWN;
		if (waited ? wpool_is_closed(pool) : wpool_refuses(pool))
			break;
		ret = state == WPOOL_ST_RUNNING;
		new = ret ? old | WPOOL_ST_AGAIN : WPOOL_ST_PENDING;
		if (ret && !rq) {
			rq = wpool_this_runq(pool);
			colour = READ_ONCE(pool->colour);
			wpool_account_in(rq, colour, 1);
		}
		if (ret && colour)
			new |= WPOOL_ST_AGAIN_COLOUR;
	} while (!wpool_task_exchange(task, &old, new));
	if (rq && ret != 1)
		WRITE_ONCE(rq->share.accepted[colour], rq->share.accepted[colour] - 1);
	raw_spin_unlock(lock);

	return ret;
}

/* Undo the claim, and end a cancel or a wait that came meanwhile. */
static void give_back_claim(struct wpool_task *task)
{
	int old = atomic_read(&task->state);

	do {
		if ((old & WPOOL_ST_MASK) == WPOOL_ST_CANCELLED && !wpool_task_is_detached(task))
			task->status = -ECANCELED;
	} while (!wpool_task_exchange(task, &old, old & WPOOL_ST_DISABLED_MASK));

	if (old & WPOOL_ST_WAITED)
		wake_up_var(task);
}

int wpool_task_claim(struct wpool *pool, struct wpool_task *task, bool alone, bool waited)
{
	int old = WPOOL_ST_IDLE;
	int ret = 0;

	wpool_debug_assert_init(task);
	/* a locked instruction, on the task's cache line */
	if (unlikely(!atomic_try_cmpxchg(&task->state, &old, WPOOL_ST_PENDING)))
		ret = alone ? claim_slow(pool, task, waited) : -EAGAIN;

	if (!ret && task->owner && !try_module_get(task->owner)) {
		give_back_claim(task);
		return -ENOENT;
	}
	if (!ret)
		wpool_debug_activate(task);
	return ret;
}

void wpool_task_unclaim(struct wpool_task *task)
{
	struct module *owner = task->owner;

	wpool_debug_deactivate(task);
	give_back_claim(task);
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

static void sync_cpu(int cpu)
{
	struct task_struct *finisher = READ_ONCE(per_cpu(wpool_finisher, cpu));
	u32 tries = 0;

	/* short: a finisher has preemption off, and wpool_finish_forget() clears a dead one */
	while (finisher && READ_ONCE(per_cpu(wpool_finisher, cpu)) == finisher)
		wpool_task_await_hands(&tries);
}

void wpool_finish_sync(const struct wpool_task *task)
{
	/* the finisher is read after the task's state; pairs with finish:A */
	smp_rmb();
	sync_cpu(READ_ONCE(task->cpu));
	/* the accounts are read after the finisher; pairs with finish:A */
	smp_rmb();
}

void wpool_finish_sync_all(void)
{
	int cpu;

	/* as in wpool_finish_sync() */
	smp_rmb();
	for_each_possible_cpu(cpu)
		sync_cpu(cpu);
	/* the accounts are read after the finishers, as in wpool_finish_sync() */
	smp_rmb();
}

void wpool_finish_forget(struct task_struct *thread)
{
	int cpu;

	/* another thread may have become the finisher of that CPU */
	for_each_possible_cpu(cpu)
		cmpxchg(&per_cpu(wpool_finisher, cpu), thread, NULL);
}

bool wpool_task_mark_cancelled(struct wpool_task *task)
{
	raw_spinlock_t *lock = pool_lock(task);
	struct wpool *pool;
	unsigned long flags;
	bool again, ret;
	int old, new;

	/* the pool stays: the second submit is not counted out yet, and interrupts are off */
	raw_spin_lock_irqsave(lock, flags);
	pool = wpool_task_last_pool(task);
	old = atomic_read(&task->state);
	do {
		again = (old & WPOOL_ST_MASK) == WPOOL_ST_RUNNING && old & WPOOL_ST_AGAIN;
		ret = again || (old & WPOOL_ST_MASK) == WPOOL_ST_PENDING;
		if (!ret)
			break;
		if (again)
			new = WPOOL_ST_TAKEN_BACK |
			      (old & ~(WPOOL_ST_AGAIN | WPOOL_ST_AGAIN_COLOUR));
		else
			new = (old & ~WPOOL_ST_MASK) | WPOOL_ST_CANCELLED;
	} while (!wpool_task_exchange(task, &old, new));
	if (again)
		wpool_account_out(wpool_this_runq(pool), !!(old & WPOOL_ST_AGAIN_COLOUR),
				  -ECANCELED);
	raw_spin_unlock_irqrestore(lock, flags);
	return ret;
}
