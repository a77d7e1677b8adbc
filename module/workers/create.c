// SPDX-License-Identifier: GPL-2.0
/* How workers are created, see create.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/create.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "core/class.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/monitor_timer.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "inject.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/owner_hooks.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

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
		thread = kthread_create_on_node(wpool_worker_thread, w, cpu_to_node(cpu),
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
	/* last: if the cpuset has changed since the join, the worker finds another home first */
	wpool_affinity_look(pool);

	mutex_lock(&pool->workers.mutex);
	/* set the class before the thread runs its first task */
	wpool_class_set(w);
	list_add_tail_rcu(&w->node, &pool->workers.list);
	wpool_threads_enter(pool);
	mutex_unlock(&pool->workers.mutex);

	/* the creator, or the reserve, waits for this one, now in the list: let it run anywhere */
	if (leaving || pool->hooks.worker_start)
		set_cpus_allowed_ptr(thread, pool->homes);
	err = wpool_hooks_prepare(w);
	if (err)
		return ERR_PTR(err);
	atomic64_inc(&pool->workers.spawned);
	trace_wpool_worker_spawned(pool->name, cpu, thread->pid, start_ns);
	return w;
}

int wpool_worker_create(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_worker *w = create_worker(pool, rq, false);

	if (IS_ERR(w))
		return PTR_ERR(w);
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
	/* the monitor must see if the worker waits for long for its CPU */
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
		if (err == -EBUSY)
			return 0;
		if (err)
			return err;
		err = wpool_worker_create(pool, wpool_home_place(pool, -1));
		if (err) {
			wpool_worker_count_out(pool);
			return err;
		}
	}
	return 0;
}

int wpool_worker_create_rescuer(struct wpool *pool)
{
	struct wpool_worker *w;

	if (!wpool_worker_may_enter(pool) || !wpool_workers_enter_place()) {
		wpool_rescuer_is_missing(pool);
		return 1;
	}
	w = create_worker(pool, wpool_home_place(pool, -1), true);
	if (IS_ERR(w)) {
		wpool_rescuer_is_missing(pool);
		local_irq_disable();
		wpool_worker_left(pool, false);
		local_irq_enable();
		return PTR_ERR(w);
	}
	wpool_rescuer_set(pool, w);
	return 0;
}

int wpool_worker_create_reserve(struct wpool *pool)
{
	int err = READ_ONCE(pool->reserve.rescuer) ? 0 : wpool_worker_create_rescuer(pool);

	return err > 0 ? -EAGAIN : err;
}
