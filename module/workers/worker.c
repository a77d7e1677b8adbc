// SPDX-License-Identifier: GPL-2.0
/* The main loop of a worker, and how it parks; see worker.h. wake.c explains the barriers. */
#include "workers/worker.h"

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "core/class.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/handoff.h"
#include "core/idle.h"
#include "core/queued.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/wake.h"
#include "task/context.h"
#include "task/flush.h"
#include "task/run.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/home.h"
#include "workers/owner_hooks.h"
#include "workers/reaper.h"
#include "workers/rescuer.h"
#include "workers/retire.h"

/* Must the calling worker stay awake, whether tasks are queued or not? */
static bool is_wanted_awake(const struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;

	return READ_ONCE(rq->redirect) || wpool_worker_has_excess(pool) ||
	       !wpool_cgroup_is_joined(w) ||
	       /* let off its CPU, it must be bound again; but not to one that goes offline */
	       (current->nr_cpus_allowed != 1 && cpu_active(rq->cpu)) ||
	       (wpool_is_closed(pool) && !wpool_queues_len(pool));
}

/*
 * First half of parking: join the idle workers, stop searching and running. @w: found no task, or
 * too many workers run here; @sent: @w was woken for a task, which may have been offered to no
 * other worker. Checks the queues once more afterwards, and unparks the worker if it is needed.
 * Interrupts are on, and preemption is off since the worker searched.
 */
static void park_join(struct wpool_worker *w, bool sent)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;
	bool relied_on = sent || w->searching;

	local_irq_disable();
	/* first: an idle worker may expire, so it must not count as searching */
	wpool_searching_leave(w);
	/* park_join:A, the full barrier of the call, see wake.c */
	wpool_running_left(rq, wpool_idle_add(rq, w));
	/* the call may wake this very worker; if its CPU has no room, the workers there look */
	if (relied_on || wpool_runq_has_room(rq))
		wpool_wake_if_work(pool, rq);
	/*
	 * A thread that changes what is_wanted_awake() reads visits the idle workers afterwards,
	 * see wpool_idle_wake_runq(). This check comes last: if tasks are queued now, the call
	 * above has made sure that a worker comes for them.
	 */
	if (is_wanted_awake(w)) {
		raw_spin_lock(&rq->lock);
		if (w->parked) {
			/* count the worker as picked, so that wakers may still rely on it */
			WRITE_ONCE(w->picked, true);
			wpool_coming_enter(w);
			wpool_idle_take(rq, w);
		}
		raw_spin_unlock(&rq->lock);
	}
	local_irq_enable();
}

/*
 * Second half: sleep until the worker is unparked. Returns true to look for work again; false if it
 * expired and is counted out.
 */
static bool park_sleep(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	wpool_expire_arm(pool, READ_ONCE(pool->expiry_ms));
	/* park_sleep:A, pairs with wpool_idle_take:A */
	while (smp_load_acquire(&w->parked)) {
		/* before the check, so that a wake-up after the check is not lost */
		set_current_state(TASK_IDLE);
		if (READ_ONCE(w->parked))
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return !w->leaving;
}

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
	struct wpool_runq *rq = w->rq;
	/* a worker woken for a task looks for the task before it makes room for a starved pool */
	bool sent = w->picked;
	struct wpool_task *task = NULL;

	preempt_disable();
	if (w->picked)
		wpool_waking_leave(w);
	if (unlikely(!READ_ONCE(w->running_on)))
		wpool_running_enter(w);
	*left = unlikely(wpool_worker_has_excess(pool)) && wpool_worker_leave(w, false, !sent);
	/* too many workers run here? A waking worker is not counted */
	if (!*left && likely(!wpool_is_frozen(pool)) &&
	    likely(READ_ONCE(rq->nr_running) <=
		   READ_ONCE(pool->concurrency) + !!READ_ONCE(rq->waking)))
		task = wpool_sched_find(w);
	if (!*left && !task) {
		*left = (wpool_is_closed(pool) || wpool_worker_has_excess(pool)) &&
			wpool_worker_leave(w, !wpool_queues_len(pool), true);
		/* once parked, the worker may be sent away by another thread: @left stays false */
		if (!*left)
			park_join(w, sent);
	}
	preempt_enable();
	return task;
}

/* Look for tasks and run them, until the worker is counted out. */
static void run_tasks(struct wpool_worker *w)
{
	struct wpool_task *task;
	bool left;

	/* after worker_start or the reserve; if it fails, the worker looks for another home */
	if (current->nr_cpus_allowed != 1 && !READ_ONCE(w->rq->redirect))
		wpool_worker_bind(w);
	/* as after a park: worker_start, or a thread outside, may have changed the class */
	wpool_class_restore(w);
	for (;;) {
		/*
		 * Report a quiescent state of RCU-Tasks: under load a worker never sleeps, and a
		 * thread that detaches a tracer would wait for it.
		 */
		cond_resched_tasks_rcu_qs();
		if (unlikely(!wpool_worker_is_at_home(w)))
			wpool_worker_rehome(w);
		task = look_for_task(w, &left);
		if (task) {
			wpool_run(w, task);
			/* at least once a tick, and when wpool_sched_next() has found no task */
			wpool_context_check(&w->base, w);
			continue;
		}
		if (left)
			return;
		/* a flush may have waited for the worker's last task; preemption is on */
		wpool_flush_wake(w->pool);
		if (!park_sleep(w))
			return;
		wpool_class_restore(w);
		/* if a task has allowed signals, one may have come during the park */
		if (unlikely(signal_pending(current)))
			wpool_context_check(&w->base, w);
	}
}

int wpool_worker_main(void *worker)
{
	struct wpool_worker *w = worker;

	/* first: the end of the thread undoes this */
	wpool_handoff_watch(w);
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
