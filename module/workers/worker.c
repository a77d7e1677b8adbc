// SPDX-License-Identifier: GPL-2.0
/* Workers, see worker.h: creation, main loop, home. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/worker.h"

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "core/active.h"
#include "core/class.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/queued.h"
#include "core/freeze.h"
#include "core/handoff.h"
#include "core/monitor_timer.h"
#include "core/sched.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/wake.h"
#include "inject.h"
#include "task/account.h"
#include "task/context.h"
#include "task/run.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/fault.h"
#include "workers/owner_hooks.h"
#include "workers/park.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

/* ---- home ---- */

/*
 * The worker is not on its home CPU, or that CPU is no longer allowed: the CPU went down,
 * the cpumask changed, or the worker was picked to move. Or it is not in its pool's cgroups.
 */
static void rehome_worker(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *old = w->rq, *new = old;
	bool left;
	int cpu;

	local_irq_disable();
	raw_spin_lock(&old->lock);
	/* it may still be coming, but not for the old run queue */
	wpool_waking_disown(w);
	left = __wpool_running_leave(w, old);
	raw_spin_unlock(&old->lock);
	/*
	 * rehome_worker:A, the full barrier of the call: no thread may rely on the worker while it
	 * moves. Pairs as wpool_running_left:A, see wake.c.
	 */
	wpool_running_left(old, left);
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	local_irq_enable();
	wpool_cgroup_follow(w);
	if (w->new_home && !READ_ONCE(w->new_home->redirect)) {
		new = w->new_home;
	} else if (READ_ONCE(old->redirect)) {
		cpu = wpool_home_place(pool, -1);
		new = wpool_runq(pool, cpu);
	}
	w->new_home = NULL;
	if (new != old) {
		local_irq_disable();
		wpool_home_leave(old);
		wpool_runq_activate(new);
		wpool_home_enter(new);
		local_irq_enable();
		WRITE_ONCE(w->rq, new);
	}
	/* fails if that CPU goes down as well: the next round sees it */
	set_cpus_allowed_ptr(current, cpumask_of(new->cpu));
	/* on PREEMPT_RT a thread must not run on a CPU that its mask excludes */
	if (raw_smp_processor_id() != new->cpu)
		set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static bool is_at_home(struct wpool_worker *w)
{
	/* the mask may have been changed by a task, or by the kernel while the CPU was offline */
	return raw_smp_processor_id() == w->rq->cpu && current->nr_cpus_allowed == 1 &&
	       !READ_ONCE(w->rq->redirect) && !w->new_home && wpool_cgroup_is_joined(w);
}

/* ---- life ---- */

/* What a worker does after it has looked for a task. */
enum step { RUN, SLEEP, END };

/*
 * Look for a task once. Preemption is off for two reasons. While a worker searches, no
 * other worker is woken, so it must not lose its CPU. And a tune that has reduced the
 * capacity waits, by a grace period, for workers that read it before.
 *
 * RUN: with a task; SLEEP: it has joined the idle workers; END: it is counted out.
 */
static enum step look_for_task(struct wpool_worker *w, struct wpool_task **task)
{
	struct wpool *pool = w->pool;
	/* woken for a task: it takes the task before it may leave for a starved pool */
	bool sent = w->picked;
	enum step step;

	*task = NULL;
	preempt_disable();
	if (w->picked)
		wpool_waking_leave(w);
	if (unlikely(!READ_ONCE(w->running_on)))
		wpool_running_enter(w);
	if (unlikely(wpool_worker_has_excess(pool)) && wpool_worker_leave(w, false, !sent)) {
		step = END;
		goto out;
	}
	if (likely(!wpool_runq_is_over(w->rq)) && likely(!wpool_is_frozen(pool)))
		*task = wpool_sched_find(w);

	if (*task) {
		step = RUN;
	} else if (unlikely(wpool_is_closed(pool)) &&
		   !wpool_queues_len(pool) && wpool_worker_leave(w, true, true)) {
		step = END;
	} else if (unlikely(wpool_spawn_wants_place()) && wpool_worker_leave(w, false, true)) {
		step = END;
	} else {
		wpool_park_join(w);
		step = SLEEP;
	}
out:
	preempt_enable();
	return step;
}

/* Until the worker is counted out. */
static void run_tasks(struct wpool_worker *w)
{
	struct wpool_task *task;

	for (;;) {
		/*
		 * The full look: at least once in 61 tasks, once a tick, and if no task is found.
		 * Under load a worker never sleeps, and a thread that detaches a tracer waits for
		 * this quiescent state.
		 */
		wpool_context_look(w);
		cond_resched_tasks_rcu_qs();
		if (unlikely(!is_at_home(w)))
			rehome_worker(w);
		if (unlikely(!w->has_notifier) && READ_ONCE(w->pool->handoff))
			wpool_handoff_watch(w);
		switch (look_for_task(w, &task)) {
		case RUN:
			wpool_run(w, task);
			break;
		case SLEEP:
			/* a flush may wait for its last task; here, as preemption is on */
			wpool_account_wake(w->pool);
			if (!wpool_park_sleep(w))
				return;
			if (unlikely(!wpool_class_is_set(w->pool)))
				wpool_class_restore(w);
			break;
		case END:
			return;
		}
	}
}

static int worker_main(struct wpool_worker *w)
{
	wpool_fault_arm(w);
	if (!wpool_hooks_start(w))
		return 0;
	/* what worker_start has set holds for all of its tasks */
	wpool_context_save(&w->base, w);
	/* it may be created as the rescuer, or become the rescuer when it leaves */
	while (!READ_ONCE(w->leaving) || wpool_rescuer_wait(w))
		run_tasks(w);
	wpool_hooks_end(w);
	return 0;
}

/*
 * Create a worker that waits for wpool_hooks_go(). @leaving: it is not counted in.
 */
static struct wpool_worker *create_worker(struct wpool *pool, int cpu, bool leaving, u64 *start_ns)
{
	struct task_struct *thread;
	struct wpool_worker *w;
	int err;

	*start_ns = trace_wpool_worker_spawned_enabled() ? ktime_get_mono_fast_ns() : 0;
	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->pool = pool;
	w->rq = wpool_runq(pool, cpu);
	w->loop = worker_main;
	w->leaving = leaving;
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
	 * Since 6.14 a thread that is not bound gets the CPUs of its node, when it first
	 * runs and whenever a CPU comes up, whatever set_cpus_allowed_ptr() said. A bound
	 * thread is left alone. Binding does not make it a per-CPU thread: it may move
	 * itself, see rehome_worker(), and the scheduler moves it off a CPU that goes down.
	 *
	 * Hotplug need not be held off: the thread is on no run queue of the scheduler
	 * before its wake-up, which chooses another CPU if this one is going down or gone.
	 * The worker then notices that it is not at home.
	 */
	kthread_bind(thread, cpu);

	mutex_lock(&pool->workers.mutex);
	/* before the thread runs its first task */
	wpool_class_set(w);
	list_add_tail_rcu(&w->node, &pool->workers.list);
	wpool_threads_enter(pool);
	mutex_unlock(&pool->workers.mutex);

	err = wpool_hooks_prepare(w);
	if (err)
		return ERR_PTR(err);
	mutex_lock(&pool->workers.mutex);
	pool->workers.spawned++;
	mutex_unlock(&pool->workers.mutex);
	return w;
}

int wpool_worker_create(struct wpool *pool, struct wpool_runq *rq)
{
	struct wpool_worker *w;
	u64 start_ns;

	w = create_worker(pool, rq->cpu, false, &start_ns);
	if (IS_ERR(w))
		return PTR_ERR(w);
	/* counted as running it must be woken at once: others there park, and rely on it */
	local_irq_disable();
	wpool_runq_activate(rq);
	wpool_waking_settle(w, rq);
	trace_wpool_worker_spawned(pool->name, rq->cpu, w->thread->pid, start_ns);
	wpool_hooks_go(w);
	local_irq_enable();
	/* the worker may have to wait for its CPU: the monitor must see that */
	wpool_monitor_timer_set(pool);
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
		/* at capacity: the spawner makes workers of an open pool, too */
		if (err == -EBUSY)
			return 0;
		if (err)
			return err;
		err = wpool_worker_create(pool, wpool_runq(pool, wpool_home_place(pool, -1)));
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
	u64 start_ns;
	int cpu;

	if (!wpool_worker_may_enter(pool) || !wpool_workers_enter_place()) {
		wpool_rescuer_is_missing(pool);
		return -EBUSY;
	}
	cpu = wpool_home_place(pool, -1);
	w = create_worker(pool, cpu, true, &start_ns);
	if (IS_ERR(w)) {
		wpool_rescuer_is_missing(pool);
		local_irq_disable();
		wpool_worker_left(pool, false);
		local_irq_enable();
		return PTR_ERR(w);
	}
	trace_wpool_worker_spawned(pool->name, cpu, w->thread->pid, start_ns);
	wpool_rescuer_set(pool, w);
	return 0;
}

int wpool_worker_create_reserve(struct wpool *pool)
{
	int err = READ_ONCE(pool->reserve.rescuer) ? 0 : wpool_worker_create_rescuer(pool);

	return err == -EBUSY ? -EAGAIN : err;
}

static void free_rcu_worker(struct rcu_head *rcu)
{
	struct wpool_worker *w = container_of(rcu, struct wpool_worker, rcu);

	put_task_struct(w->thread);
	kfree(w);
}

void wpool_worker_reap(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	mutex_lock(&pool->workers.mutex);
	list_del_rcu(&w->node);
	mutex_unlock(&pool->workers.mutex);
	call_rcu(&w->rcu, free_rcu_worker);
	wpool_threads_leave(pool);
}
