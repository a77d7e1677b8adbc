// SPDX-License-Identifier: GPL-2.0
/*
 * The spawners, see spawner.h.
 *
 * A spawner clears the pool's request, executes a full barrier (spawn_worker:A), and then looks at
 * the pool. A thread that queues a task after that look finds the request clear and asks again.
 * wake.c has the pairs. Before the look the spawner counts itself as a thread of the pool. A thread
 * that drains the pool checks first for tasks and then for threads (flush.c), so it does not miss a
 * worker that is being created.
 *
 * It may take long to create a worker, because kthreadd and the new thread wait for busy CPUs. So
 * workers of several pools are created at the same time.
 *
 * For a pool with the attribute reclaim the spawner creates rescuers instead, see rescuer.c.
 *
 * If a worker cannot be created, the spawner tries again after 10 ms, and after twice as long with
 * each further failure, up to 1 s, as long as a task is queued or the rescuer is missing. Meanwhile
 * the request stays set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/spawner.h"

#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/workqueue.h>

#include "core/counts.h"
#include "core/idle.h"
#include "core/queued.h"
#include "core/registry.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/wake.h"
#include "workers/create.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

#define RETRY_MIN_MS	10
#define RETRY_MAX_MS	1000

static bool note_success(struct wpool *pool)
{
	pool->spawn.failing = false;
	pool->spawn.retry_ms = RETRY_MIN_MS;
	return false;
}

/* No worker is needed. Returns false: do not try again. */
static bool note_quiet(struct wpool *pool)
{
	wpool_spawn_set_refused(pool, false);
	return note_success(pool);
}

/* Count the failure, and log the first one since the last success. Returns true: try again. */
static bool note_failure(struct wpool *pool, int err)
{
	WRITE_ONCE(pool->spawn.error, err);
	WRITE_ONCE(pool->spawn.failed, pool->spawn.failed + 1);
	if (pool->spawn.failing)
		return true;
	pool->spawn.failing = true;
	pr_warn_ratelimited("%s: a worker cannot be created: error %d, %u tasks queued; trying again\n",
			    pool->name, err, wpool_queues_len(pool));
	return true;
}

/* Create a worker if one is needed. Returns true if the spawner must try again. */
static bool try_spawn(struct wpool *pool)
{
	int err;

	if (!wpool_need_worker(pool))
		return note_quiet(pool);
	err = wpool_worker_count_in(pool);
	wpool_spawn_set_refused(pool, err == -EAGAIN);
	if (err == -EAGAIN)
		return true;
	/* the pool is at its capacity: a worker that becomes free will take the tasks */
	if (err)
		return false;
	err = wpool_worker_create(pool, wpool_need_worker_at(pool));
	if (err) {
		wpool_worker_count_out(pool);
		return note_failure(pool, err);
	}
	return note_success(pool);
}

/* Create a rescuer if the pool has none. Returns true if the spawner must try again. */
static bool try_refill(struct wpool *pool)
{
	int err;

	if (READ_ONCE(pool->reserve.rescuer)) {
		wpool_rescuer_look(pool);
		return note_quiet(pool);
	}
	err = wpool_worker_create_rescuer(pool);
	wpool_spawn_set_refused(pool, err > 0);
	if (err > 0)
		return true;
	/* once in reserve, a new rescuer looks for requests that came while there was none */
	return err ? note_failure(pool, err) : note_success(pool);
}

static void retry_later(struct wpool *pool)
{
	unsigned int ms = pool->spawn.retry_ms;

	/* a starved pool becomes due when a place is free; the timer is a fallback */
	if (wpool_spawn_is_starved(pool))
		ms = RETRY_MAX_MS;
	else
		pool->spawn.retry_ms = min(2 * ms, RETRY_MAX_MS);
	wpool_spawn_retry(pool, ms);
}

/* Wake an idle worker: it leaves, if places are still wanted. *@woken: one was woken before. */
static bool wake_idle(struct wpool *pool, void *woken)
{
	if (!*(bool *)woken)
		*(bool *)woken = wpool_spawn_wants_place() && wpool_idle_wake_next(pool);
	return false;
}

/* One thread at a time serves the pool. A request that comes meanwhile queues the work again. */
static void spawn_worker(struct wpool *pool)
{
	bool again, woken = false;

	wpool_threads_enter(pool);
	/* spawn_worker:A, see wake.c */
	smp_store_mb(pool->spawn_wanted, false);
	again = READ_ONCE(pool->reclaim) ? try_refill(pool) : try_spawn(pool);
	/* before wpool_threads_leave(), so that wpool_spawn_end() can take this request back */
	if (again)
		retry_later(pool);
	wpool_threads_leave(pool);
	if (!again || !wpool_spawn_is_starved(pool))
		return;
	/*
	 * spawn_worker:B, the pool is counted as starved before free places and idle workers are
	 * checked: pairs with wpool_workers_leave_place:A and wpool_park_join:A
	 */
	smp_mb();
	/*
	 * Busy workers check for starved pools after their task; an idle worker must be woken.
	 * Walk under RCU, so that the spawner does not wait for pools_mutex.
	 */
	wpool_pools_walk_rcu(wake_idle, &woken);
}

void wpool_spawner_serve(struct work_struct *work)
{
	struct wpool *pool = container_of(to_delayed_work(work), struct wpool, spawn.work);

	spawn_worker(pool);
	/*
	 * A place may have become free before the pool was counted as starved. The call also takes
	 * the lock that wpool_spawn_look() holds, so that the last reference is not dropped there.
	 */
	wpool_spawn_place_free(pool);
	wpool_put(pool);
}
