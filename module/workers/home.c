// SPDX-License-Identifier: GPL-2.0
/* A worker goes home, see home.h. */
#include "workers/home.h"

#include "core/counts.h"
#include "core/idle.h"
#include "core/runqs.h"
#include "core/wake.h"

bool wpool_worker_bind(struct wpool_worker *w)
{
	int err, cpu, home = w->rq->cpu, to = wpool_affinity_cpu(w->pool, home);

	do {
		cpu = to;
		err = set_cpus_allowed_ptr(current, cpumask_of(cpu));
		/* the call may have undone a change by the kernel, which the worker sees now */
		to = wpool_affinity_cpu(w->pool, home);
	} while (to != cpu);
	if (raw_smp_processor_id() == cpu)
		return false;
	/* on PREEMPT_RT a thread must not run outside its mask */
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	/* a CPU that goes offline takes the worker, and gives it away again */
	return !err && cpu == home && cpu_active(home);
}

void wpool_worker_rehome(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *old = w->rq, *new = old, *goal = w->new_home;
	bool left;

	local_irq_disable();
	raw_spin_lock(&old->lock);
	/* the worker may still be coming, but not for the old run queue */
	wpool_waking_disown(w);
	left = __wpool_running_leave(w, old);
	raw_spin_unlock(&old->lock);
	/*
	 * wpool_worker_rehome:A, the full barrier of the call: no thread may rely on the worker
	 * while it moves. Pairs as wpool_running_left:A, see wake.c.
	 */
	wpool_running_left(old, left);
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	local_irq_enable();
	wpool_cgroup_follow(w);
	if (goal && !READ_ONCE(goal->redirect))
		new = goal;
	else if (READ_ONCE(old->redirect))
		new = wpool_home_choose(pool, -1);
	w->new_home = NULL;
	if (new != old) {
		local_irq_disable();
		wpool_home_count(old, -1);
		wpool_runq_activate(new);
		wpool_home_count(new, 1);
		local_irq_enable();
		WRITE_ONCE(w->rq, new);
	}
	/*
	 * A bind has no effect if wpool_workers_set_free() has set this mask, but not yet moved @w;
	 * that function may do so several times. If the new CPU goes offline now, the worker calls
	 * this function again.
	 */
	while (wpool_worker_bind(w))
		;
	/* only now: if another thread keeps that CPU, no further worker must follow */
	if (goal)
		WRITE_ONCE(goal->expect_jiffy, 0);
}
