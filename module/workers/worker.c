// SPDX-License-Identifier: GPL-2.0
/* The main loop of a worker, see worker.h. */
#include "workers/worker.h"

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "core/class.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/handoff.h"
#include "core/queued.h"
#include "core/sched.h"
#include "core/state.h"
#include "task/context.h"
#include "task/flush.h"
#include "task/run.h"
#include "workers/cgroup.h"
#include "workers/home.h"
#include "workers/owner_hooks.h"
#include "workers/park.h"
#include "workers/reaper.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

/*
 * Look for a task once. Preemption is off for two reasons. While a worker searches, most submits
 * wake no other worker, so it must not lose its CPU. And synchronize_rcu() in a tune that has
 * reduced the capacity waits for workers that have read the old capacity.
 *
 * Returns a task; or %NULL: then the worker is counted out if *@left, and has joined the idle
 * workers otherwise.
 */
static struct wpool_task *look_for_task(struct wpool_worker *w, bool *left)
{
	struct wpool *pool = w->pool;
	/* a worker woken for a task looks for the task before it makes room for a starved pool */
	bool sent = w->picked;
	struct wpool_task *task = NULL;

	preempt_disable();
	if (w->picked)
		wpool_waking_leave(w);
	if (unlikely(!READ_ONCE(w->running_on)))
		wpool_running_enter(w);
	*left = unlikely(wpool_worker_has_excess(pool)) && wpool_worker_leave(w, false, !sent);
	if (!*left && likely(!wpool_runq_is_over(w->rq)) && likely(!wpool_is_frozen(pool)))
		task = wpool_sched_find(w);
	if (!*left && !task) {
		*left = (wpool_is_closed(pool) || wpool_worker_has_excess(pool)) &&
			wpool_worker_leave(w, !wpool_queues_len(pool), true);
		/* once parked, the worker may be sent away by another thread: @left stays false */
		if (!*left)
			wpool_park_join(w, sent);
	}
	preempt_enable();
	return task;
}

/* Look for tasks and run them, until the worker is counted out. */
static void run_tasks(struct wpool_worker *w)
{
	struct wpool_task *task;
	bool left;

	for (;;) {
		/*
		 * This is the full look: at least once a tick, and when wpool_sched_next() finds no
		 * task. cond_resched_tasks_rcu_qs() reports a quiescent state: under load a worker
		 * never sleeps, and a thread that detaches a tracer would wait for it.
		 */
		wpool_context_check(&w->base, w);
		cond_resched_tasks_rcu_qs();
		if (unlikely(!wpool_worker_is_at_home(w)))
			wpool_worker_rehome(w);
		if (unlikely(!w->has_notifier) && READ_ONCE(w->pool->handoff))
			wpool_handoff_watch(w);
		task = look_for_task(w, &left);
		if (task) {
			wpool_run(w, task);
			continue;
		}
		if (left)
			return;
		/* a flush may have waited for the worker's last task; preemption is on */
		wpool_flush_wake(w->pool);
		if (!wpool_park_sleep(w))
			return;
		wpool_class_restore(w);
	}
}

int wpool_worker_main(struct wpool_worker *w)
{
	wpool_reaper_arm(w);
	wpool_cgroup_arrive(w);
	if (!wpool_hooks_start(w))
		return 0;
	/* what worker_start has set applies to all tasks of the worker */
	wpool_context_save(&w->base, w);
	/* the worker may be created as the rescuer, or become the rescuer when it leaves */
	while (!READ_ONCE(w->leaving) || wpool_rescuer_wait(w))
		run_tasks(w);
	wpool_hooks_end(w);
	return 0;
}

