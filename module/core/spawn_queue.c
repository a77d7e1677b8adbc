// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of the spawners, see spawn_queue.h.
 *
 * A request is the work pool->spawn.work, which has a reference to the pool while it is pending.
 * The work is the spawner. It is no longer pending when it looks at the pool: spawn_worker:A, in
 * workers/spawner.c.
 *
 * A pool that needs a worker and has none, because max_workers is reached, starves. While a pool
 * starves, pools that do not starve create no worker. While more pools starve than workers may be
 * created, workers of other pools leave. When one has left, the spawner of the pool that has
 * starved longest runs at once.
 */
#include "core/spawn_queue.h"

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/list.h>

#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/state.h"
#include "core/trace.h"

/*
 * Protects the list and the fields marked S. Also held while a reference is taken for the work and,
 * if the work was pending already, dropped. Raw: submitters and ending threads take it.
 */
static DEFINE_RAW_SPINLOCK(lock);
/* Pools that starve; the first has starved longest. */
static LIST_HEAD(starved_pools);
u32 wpool_nr_starved __read_mostly;

/* No WQ_MEM_RECLAIM: if memory is too short for a kworker, it is too short for a new worker. */
static struct workqueue_struct *spawn_wq;

void wpool_spawn_check(struct wpool *pool)
{
	unsigned long flags;

	if (delayed_work_pending(&pool->spawn.work))
		return;
	raw_spin_lock_irqsave(&lock, flags);
	/*
	 * A section under RCU may still use a pool whose last reference is gone. If the work is
	 * pending, the spawner will look; if the work runs, it looks again. A thread that takes
	 * over the pending work's reference takes this lock before it drops the reference, so the
	 * put below is not the last put.
	 */
	if (kobject_get_unless_zero(&pool->dev.kobj) &&
	    !queue_delayed_work(spawn_wq, &pool->spawn.work, 0))
		wpool_put(pool);
	raw_spin_unlock_irqrestore(&lock, flags);
}

bool wpool_reserve_take(struct wpool *pool, int prefer)
{
	struct task_struct *thread = NULL;
	struct wpool_worker *w;
	struct wpool_runq *rq;
	unsigned long flags;

	local_irq_save(flags);
	/* interrupts are off, so @w is not freed; the check is repeated under the lock */
	w = READ_ONCE(pool->reserve.rescuer);
	if (!w || !READ_ONCE(w->in_reserve))
		goto out;
	/* choose a CPU with room and few workers: a hog is less likely to delay @w there */
	rq = wpool_runq_activate(wpool_home_choose(pool, prefer));
	raw_spin_lock(&pool->workers.lock);
	w = pool->reserve.rescuer;
	if (w && w->in_reserve && pool->nr_workers < READ_ONCE(pool->capacity)) {
		WRITE_ONCE(pool->reserve.rescuer, NULL);
		pool->reserve.rescue_ns = ktime_get_mono_fast_ns();
		WRITE_ONCE(pool->nr_workers, pool->nr_workers + 1);
		WRITE_ONCE(w->leaving, false);
		wpool_threads_enter(pool);
		wpool_waking_settle(w, rq);
		thread = w->thread;
		trace_wpool_worker_stepped_in(pool->name, rq->cpu, thread->pid);
		/* wpool_reserve_take:A, the last access of @w; pairs with wpool_rescuer_wait:B */
		smp_store_release(&w->in_reserve, false);
	}
	raw_spin_unlock(&pool->workers.lock);
	if (thread) {
		/* interrupts are still off, so RCU keeps the thread */
		wake_up_process(thread);
		/* the worker may have to wait for its CPU: the monitor must see that */
		wpool_monitor_timer_set(pool);
	}
out:
	/*
	 * wpool_reserve_take:B, the reserve is empty; then the caller reads whether the spawner was
	 * asked. Pairs with spawn_worker:A, after which the spawner reads whether the reserve is
	 * empty.
	 */
	smp_mb();
	local_irq_restore(flags);
	return thread;
}

void wpool_reserve_follow(struct wpool *pool)
{
	struct wpool_worker *w;

	raw_spin_lock_irq(&pool->workers.lock);
	w = pool->reserve.rescuer;
	if (w) {
		WRITE_ONCE(w->changed, true);
		wake_up_process(w->thread);
	}
	raw_spin_unlock_irq(&pool->workers.lock);
}

void wpool_spawn_ask(struct wpool *pool, int prefer)
{
	/* if the worker in reserve is taken, the spawner creates a new one */
	if (unlikely(READ_ONCE(pool->reserve.rescuer)))
		wpool_reserve_take(pool, prefer);
	if (!delayed_work_pending(&pool->spawn.work))
		WRITE_ONCE(pool->spawn.prefer, prefer);
	wpool_spawn_check(pool);
}

bool wpool_spawn_is_starved(const struct wpool *pool)
{
	/* racy: list_add_tail() writes the node plainly */
	return data_race(!list_empty(&pool->spawn.node));
}

/* Note whether a worker was refused: max_workers is reached, or other pools starve. */
static void set_refused(struct wpool *pool, bool refused)
	__must_hold(&lock)
{
	bool starved = refused && !READ_ONCE(pool->nr_workers);

	lockdep_assert_held(&lock);
	WRITE_ONCE(pool->spawn.refused, refused);
	if (wpool_spawn_is_starved(pool) == starved)
		return;
	WRITE_ONCE(wpool_nr_starved, wpool_nr_starved + (starved ? 1 : -1));
	if (starved)
		list_add_tail(&pool->spawn.node, &starved_pools);
	else
		list_del_init(&pool->spawn.node);
}

void wpool_spawn_set_refused(struct wpool *pool, bool refused)
{
	raw_spin_lock_irq(&lock);
	set_refused(pool, refused);
	raw_spin_unlock_irq(&lock);
}

void wpool_spawn_in(struct wpool *pool, unsigned int ms)
{
	wpool_get(pool);
	/* never the last reference: the caller has one, or holds the lock */
	if (mod_delayed_work(spawn_wq, &pool->spawn.work, msecs_to_jiffies(ms)))
		wpool_put(pool);
}

void wpool_spawn_room_free(struct wpool *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	/* a pool that was refused a worker, and has lost its last one, starves */
	if (pool->spawn.refused)
		set_refused(pool, true);
	/* the starved pool exists: its spawner takes the lock before it drops its reference */
	if (wpool_nr_starved && wpool_workers_room())
		wpool_spawn_in(list_first_entry(&starved_pools, struct wpool, spawn.node), 0);
	raw_spin_unlock_irqrestore(&lock, flags);
}

void wpool_spawn_end(struct wpool *pool)
{
	bool was_pending = cancel_delayed_work(&pool->spawn.work);

	/*
	 * This takes the lock, and so waits for a wpool_spawn_check() that found the work pending:
	 * its put comes before the put below, and is never the last one.
	 */
	wpool_spawn_set_refused(pool, false);
	if (was_pending)
		wpool_put(pool);
}

int wpool_spawn_init(void)
{
	/* high priority: pools of any nice value wait for the spawners */
	spawn_wq = alloc_workqueue("wpool_spawn", WQ_UNBOUND | WQ_HIGHPRI, WPOOL_NR_SPAWNERS);
	return spawn_wq ? 0 : -ENOMEM;
}

void wpool_spawn_exit(void)
{
	destroy_workqueue(spawn_wq);
}
