// SPDX-License-Identifier: GPL-2.0
/*
 * The spawners, and how they create workers; see spawner.h.
 *
 * A spawner is not pending while it looks at the pool: spawn_worker:A, see wake.c. Before the look
 * it counts itself as a thread of the pool. A thread that drains the pool checks first for tasks
 * and then for threads (flush.c), so it does not miss a worker that is being created.
 *
 * It may take long to create a worker, because kthreadd and the new thread wait for busy CPUs. So
 * workers of several pools are created at the same time.
 *
 * For a pool with the attribute reclaim the spawner creates rescuers instead, see rescuer.c.
 *
 * If a worker cannot be created, the spawner tries again after 10 ms, and after twice as long with
 * each further failure, up to 1 s, as long as a task is queued or the rescuer is missing. Meanwhile
 * the request stays pending.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/spawner.h"

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "core/class.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/registry.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "core/wake.h"
#include "inject.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/owner_hooks.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

#define RETRY_MIN_MS	10
#define RETRY_MAX_MS	1000

/*
 * Returns a new worker, which waits for wpool_hooks_go(), or ERR_PTR(). @leaving: the worker is not
 * counted in.
 */
static struct wpool_worker *create_worker(struct wpool *pool, struct wpool_runq *rq, bool leaving)
{
	u64 start_ns = trace_wpool_worker_spawned_enabled() ? ktime_get_mono_fast_ns() : 0;
	struct task_struct *thread;
	struct wpool_worker *w;
	int err, cpu = rq->cpu;

	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->pool = pool;
	w->rq = rq;
	w->leaving = leaving;
	init_completion(&w->may_go);
	thread = ERR_PTR(-ENOMEM);
	if (!wpool_inject_spawn())
		thread = kthread_create_on_node(wpool_worker_fn, w, cpu_to_node(cpu),
						"wp/%s", pool->name);
	if (IS_ERR(thread)) {
		kfree(w);
		return ERR_CAST(thread);
	}
	w->thread = get_task_struct(thread);
	err = wpool_cgroup_join(w);
	if (err) {
		kthread_stop(thread);
		put_task_struct(thread);
		kfree(w);
		return ERR_PTR(err);
	}
	/*
	 * Since 6.14, a thread that is not bound gets the CPUs of its node when it first runs and
	 * whenever a CPU comes online, whatever set_cpus_allowed_ptr() said. A bound thread is left
	 * alone. Binding does not make the thread a per-CPU thread: the worker may move itself, see
	 * home.c, and the scheduler moves it off a CPU that goes offline.
	 *
	 * Hotplug may change CPUs here: the thread is on no run queue of the scheduler before its
	 * wake-up, which chooses another CPU if this one is going offline or is offline. The worker
	 * then notices that it is not at home.
	 */
	kthread_bind(thread, cpu);

	mutex_lock(&pool->workers.mutex);
	/* set the class before the thread runs its first task */
	wpool_class_set(w);
	list_add_tail_rcu(&w->node, &pool->workers.list);
	wpool_threads_enter(pool);
	mutex_unlock(&pool->workers.mutex);

	/* worker_start may be long: it must not run on CPUs that have left the cpuset */
	if (pool->hooks.worker_start)
		wpool_affinity_check(pool);
	/* the creator, or the reserve, waits for @w, which is now in the list: allow all homes */
	if (leaving || pool->hooks.worker_start)
		set_cpus_allowed_ptr(thread, pool->homes);
	err = wpool_hooks_prepare(w);
	if (err)
		return ERR_PTR(err);
	atomic64_inc(&pool->workers.spawned);
	trace_wpool_worker_spawned(pool->name, cpu, thread->pid, start_ns);
	return w;
}

/*
 * Create a worker at home at @rq. The caller has counted it in nr_workers; an error counts it out.
 * Returns 0, -ENOMEM, -EINTR, -EAGAIN (no more threads in the system), or as wpool_hooks_prepare().
 */
static int spawn_at(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_worker *w = create_worker(pool, rq, false);

	if (IS_ERR(w)) {
		wpool_worker_count_out(pool);
		return PTR_ERR(w);
	}
	/* from here on the worker counts as running, and submitters rely on it: wake it */
	local_irq_disable();
	wpool_runq_activate(rq);
	wpool_waking_settle(w, rq);
	wpool_hooks_go(w);
	/* wpool_affinity_set() has not seen the worker if it excluded the CPU before */
	if (READ_ONCE(rq->redirect)) {
		WRITE_ONCE(w->may_roam, true);
		wpool_tidy_sweep(&pool->tidy_joinable);
	}
	local_irq_enable();
	/* the monitor must see if the worker has to wait for its CPU */
	wpool_monitor_timer_set(pool);
	/* the pool may now have more than min_workers workers: then idle ones may expire */
	wpool_expire_arm(pool, READ_ONCE(pool->expiry_ms));
	return 0;
}

int wpool_worker_create_all(struct wpool *pool, u32 nr)
{
	u32 have = READ_ONCE(pool->nr_workers);
	int err;

	/* check first: do not create thousands of threads in vain */
	if (!wpool_is_closed(pool) && nr > have && nr - have > wpool_workers_room())
		return -EAGAIN;
	/* a closed pool gets its workers when it opens */
	while (!wpool_is_closed(pool) && READ_ONCE(pool->nr_workers) < nr) {
		err = wpool_worker_count_in(pool);
		/* the pool is at its capacity by now: the spawner creates workers, too */
		if (err)
			return err == -EBUSY ? 0 : err;
		err = spawn_at(pool, wpool_home_choose(pool, -1));
		if (err)
			return err;
	}
	return 0;
}

/*
 * Create the worker in reserve, see rescuer.h. If the pool has a rescuer by then, the new worker
 * ends. Returns as spawn_at(), or 1: the module has its max_workers, or pools without a worker come
 * first. Not an errno: worker_start may return any errno.
 */
static int create_rescuer(struct wpool *pool)
{
	bool has_room = wpool_worker_may_enter(pool) && wpool_module_count_in();
	struct wpool_worker *w = NULL;

	if (has_room)
		w = create_worker(pool, wpool_home_choose(pool, -1), true);
	wpool_rescuer_set(pool, IS_ERR(w) ? NULL : w);
	if (IS_ERR(w)) {
		local_irq_disable();
		wpool_worker_left(pool, false);
		local_irq_enable();
	}
	return has_room ? PTR_ERR_OR_ZERO(w) : 1;
}

int wpool_worker_create_reserve(struct wpool *pool)
{
	int err = READ_ONCE(pool->reserve.rescuer) ? 0 : create_rescuer(pool);

	return err > 0 ? -EAGAIN : err;
}

/* ---- the spawner ---- */

/*
 * Note the result of a try; 0 also if no worker is needed. Counts a failure, and logs the first one
 * since the last success. Returns true if the try has failed: try again.
 */
static bool note_result(struct wpool *pool, int err)
{
	if (!err) {
		WRITE_ONCE(pool->spawn.failing, false);
		pool->spawn.retry_ms = RETRY_MIN_MS;
		return false;
	}
	WRITE_ONCE(pool->spawn.error, err);
	WRITE_ONCE(pool->spawn.failed, pool->spawn.failed + 1);
	if (!pool->spawn.failing)
		pr_warn_ratelimited("%s: a worker cannot be created: error %d, %u tasks queued; trying again\n",
				    pool->name, err, wpool_queues_len(pool));
	WRITE_ONCE(pool->spawn.failing, true);
	return true;
}

/* Create a worker if one is needed. Returns true if the spawner must try again. */
static bool try_spawn(struct wpool *pool)
{
	bool is_needed = wpool_need_worker(pool);
	int err = is_needed ? wpool_worker_count_in(pool) : 0;

	wpool_spawn_set_refused(pool, err == -EAGAIN);
	/* at its capacity, do not try again: a worker that becomes free will take the tasks */
	if (err)
		return err == -EAGAIN;
	return note_result(pool, is_needed ? spawn_at(pool, wpool_need_worker_at(pool)) : 0);
}

/* Create a rescuer if the pool has none. Returns true if the spawner must try again. */
static bool try_refill(struct wpool *pool)
{
	int err = 0;

	if (READ_ONCE(pool->reserve.rescuer))
		wpool_rescuer_check(pool);
	else
		err = create_rescuer(pool);
	wpool_spawn_set_refused(pool, err > 0);
	/* once in reserve, a new rescuer looks for requests that came while there was none */
	return err > 0 || note_result(pool, err);
}

static void retry_later(struct wpool *pool)
{
	unsigned int ms = pool->spawn.retry_ms;

	/* a starved pool becomes due when there is room; the timer is a fallback */
	if (wpool_spawn_is_starved(pool))
		ms = RETRY_MAX_MS;
	else
		pool->spawn.retry_ms = min(2 * ms, RETRY_MAX_MS);
	wpool_spawn_in(pool, ms);
}

/* Wake an idle worker: it leaves, if room is still wanted. */
static bool wake_idle(struct wpool *pool, void *unused)
{
	return wpool_spawn_wants_room() && wpool_idle_wake_next(pool);
}

/* One thread at a time serves the pool. A request that comes meanwhile queues the work again. */
static void spawn_worker(struct wpool *pool)
{
	bool again;

	wpool_threads_enter(pool);
	/* spawn_worker:A, see wake.c */
	smp_mb();
	again = READ_ONCE(pool->reclaim) ? try_refill(pool) : try_spawn(pool);
	/* before wpool_threads_leave(): then wpool_spawn_end() can still take this request back */
	if (again)
		retry_later(pool);
	wpool_threads_leave(pool);
	if (!again || !wpool_spawn_is_starved(pool))
		return;
	/*
	 * spawn_worker:B, the pool is counted as starved before room and idle workers are
	 * checked: pairs with wpool_module_count_out:A and park_join:A
	 */
	smp_mb();
	/*
	 * Busy workers check for starved pools after their task; an idle worker must be woken.
	 * Walk under RCU, so that the spawner does not wait for pools_mutex.
	 */
	wpool_pools_walk_rcu(wake_idle, NULL);
}

void wpool_spawner_serve(struct work_struct *work)
{
	struct wpool *pool = container_of(to_delayed_work(work), struct wpool, spawn.work);

	spawn_worker(pool);
	/*
	 * A worker may have left before the pool was counted as starved. The call also takes
	 * the lock that wpool_spawn_check() holds, so that the last reference is not dropped there.
	 */
	wpool_spawn_room_free(pool);
	wpool_put(pool);
}
