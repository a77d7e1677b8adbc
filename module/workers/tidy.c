// SPDX-License-Identifier: GPL-2.0
/* Tidying up, see tidy.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/tidy.h"

#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "core/counts.h"
#include "core/idle.h"
#include "core/notify.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "task/finish.h"
#include "task/wait.h"
#include "workers/affinity.h"
#include "workers/reaper.h"
#include "workers/retire.h"

/* Report a dead worker to the fault handler, or to the log. */
static void report_fault(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_fault fault = {
		.pool = pool->name,
		.task = (unsigned long)w->task,
		.func = w->func,
		.cpu = task_cpu(w->thread),
		.own = w->own,
	};

	atomic64_inc(&pool->workers.faults);
	wpool_notify_tell(pool);

	if (pool->hooks.fault)
		pool->hooks.fault(&fault, pool->hooks.fault_data);
	else
		pr_err_ratelimited("%s: a worker died in %ps on CPU %d; the pool continues\n",
				   pool->name, fault.func, fault.cpu);
}

/* Repair the state that a dead worker has left. */
static void repair_after_death(struct wpool_worker *w)
{
	/* before the task ends: its owner may then free the task that the worker waited for */
	wpool_wait_forget(w);
	/* the worker may have died between two tasks, because of damage done by a task */
	if (w->task)
		wpool_finish_dead(w);

	local_irq_disable();
	/* a worker that died between two tasks may have been idle or waking */
	raw_spin_lock(&w->rq->lock);
	if (w->parked)
		wpool_idle_take(w->rq, w);
	raw_spin_unlock(&w->rq->lock);
	wpool_waking_leave(w);
	wpool_home_count(w->rq, -1);
	wpool_searching_leave(w);
	wpool_running_leave(w);
	local_irq_enable();
	wpool_worker_count_out(w->pool);
}

static void tidy_worker(struct wpool_worker *w)
{
	report_fault(w);
	/* a worker that died in a hook is not counted in, or already counted out */
	if (!w->leaving)
		repair_after_death(w);
	wpool_worker_reap(w);
}

void wpool_tidy_serve(struct work_struct *work)
{
	struct wpool_tidy *tidy = container_of(work, struct wpool_tidy, work);
	struct wpool *pool = tidy->pool;
	struct wpool_worker *worker;
	struct wpool_task *task;

	while (wpool_tidy_next(tidy, &worker, &task)) {
		if (task)
			wpool_finish_put_down(pool, task);
		else if (worker)
			tidy_worker(worker);
		else if (tidy == &pool->tidy_joinable)
			wpool_workers_set_free(pool);
		else if (wpool_drops(pool))
			wpool_finish_drop_all(pool);
		else
			wpool_finish_sweep(pool);
		cond_resched_tasks_rcu_qs();
	}
	wpool_put(pool);
}
