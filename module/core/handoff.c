// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-off, see handoff.h. wake.c explains the barrier in wpool_running_leave().
 *
 * switched_out() is called in the middle of a context switch, under the scheduler's lock. So it
 * takes only the lock of a run queue, and lets an irq_work wake a thread.
 *
 * The notifiers depend on a static key, and switching it patches the text of the kernel. So the
 * key is enabled when the module is loaded, and disabled when the module is unloaded.
 */
#include "core/handoff.h"

#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/counts.h"
#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "core/wake.h"

static void handoff_work(struct irq_work *work)
{
	struct wpool_runq *rq = container_of(work, struct wpool_runq, handoff.work);

	if (wpool_wake_if_work(rq->pool, rq)) {
		WRITE_ONCE(rq->handoffs, rq->handoffs + 1);
		trace_wpool_runq_handed_over(rq->pool->name, rq->cpu);
	}
}

static void look_here(void *info)
{
	struct wpool_runq *rq = info;
	int nr;

	do {
		nr = atomic_read(&rq->handoff.nr_wanted);
		/*
		 * look_here:B. The changes of the threads that @nr counts are seen below; for later
		 * threads the loop runs again. A task that was queued here without a barrier is
		 * visible to all CPUs before the counts are read. Pairs with make_it_look:A,
		 * stop_searching:A, park_join:A.
		 */
		smp_mb();
		wpool_wake_if_work(rq->pool, rq);
		/*
		 * look_here:A, fully ordered. With 0 this is the last access, and a thread may call
		 * again, and reuse @call; pairs with wpool_handoff_sync:A.
		 */
	} while (atomic_sub_return(nr, &rq->handoff.nr_wanted));
}

void wpool_handoff_init_runq(struct wpool_runq *rq)
{
	/* hard: runs in the interrupt, on PREEMPT_RT too, where a thread might never get a CPU */
	rq->handoff.work = IRQ_WORK_INIT_HARD(handoff_work);
	INIT_CSD(&rq->handoff.call, look_here, rq);
}

void wpool_handoff_sync(struct wpool *pool)
{
	struct wpool_runq *rq;
	int cpu;

	wpool_for_each_runq(pool, rq, cpu) {
		irq_work_sync(&rq->handoff.work);
		/* wpool_handoff_sync:A, pairs with look_here:A in an interrupt of that CPU */
		while (atomic_read_acquire(&rq->handoff.nr_wanted))
			cpu_relax();
	}
}

#ifdef CONFIG_PREEMPT_NOTIFIERS

/* Is there a worker to wake or to create? */
static bool has_reserve(struct wpool *pool)
{
	/* idle workers last: wpool_idle_any() may visit CPUs that no longer have one */
	return READ_ONCE(pool->nr_workers) < READ_ONCE(pool->capacity) || wpool_idle_any(pool);
}

/*
 * Does the worker go to sleep in this switch, other than to park? A worker that parks has counted
 * itself out and has no task; a worker in a task may have been counted out as a hog.
 */
static bool is_blocking(struct wpool_worker *w)
{
	return (READ_ONCE(w->running_on) || w->task) && compat_is_blocked(current) &&
	       /* a lock on PREEMPT_RT: a short sleep that the task did not ask for */
	       !(READ_ONCE(current->__state) & TASK_RTLOCK_WAIT);
}

static void switched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct wpool_worker *w = container_of(notifier, struct wpool_worker, notifier);
	struct wpool *pool = w->pool;
	struct wpool_runq *rq, *here;

	if (!READ_ONCE(pool->handoff) || !is_blocking(w))
		return;
	rq = wpool_running_leave(w);
	/* without @rq and task, the worker was about to park, and was picked again */
	w->asleep = rq || w->task;
	if (!rq)
		return;
	/* if this CPU is not the worker's home, the task may have queued tasks here, too */
	here = wpool_this_runq(pool);
	if (!wpool_queues_are_waiting(pool, rq) && !wpool_runq_len(here))
		return;
	/* no worker to wake or create: offer @here to one that becomes free, and check again */
	if (has_reserve(pool) || (wpool_runq_offer(here) && has_reserve(pool)))
		irq_work_queue(&here->handoff.work);
}

/*
 * Count in a worker, even a hog, that has slept and runs again: it will look for work when its task
 * has ended. Two kinds stay counted out until their tasks have ended: hogs that have not slept, and
 * workers that are let off their home, or return elsewhere. A worker that sleeps again and again in
 * a task is let off: such a task lasts, as a thread of a driver does, and the scheduler places it
 * best. A worker that waits for other tasks is not: it may run them.
 */
static void switched_in(struct preempt_notifier *notifier, int cpu)
{
	struct wpool_worker *w = container_of(notifier, struct wpool_worker, notifier);

	if (!w->asleep)
		return;
	w->asleep = false;
	if (cpu != w->rq->cpu || current->nr_cpus_allowed > 1)
		return;
	if (unlikely(++w->sleeps > WPOOL_MANY_SLEEPS) && !w->awaits &&
	    READ_ONCE(w->pool->nr_cpus) > 1) {
		WRITE_ONCE(w->may_roam, true);
		wpool_tidy_sweep(&w->pool->tidy_joinable);
		return;
	}
	wpool_running_enter(w);
	/* the monitor must notice if the task does not end soon */
	wpool_monitor_timer_set(w->pool);
}

static struct preempt_ops switch_ops = {
	.sched_in = switched_in,
	.sched_out = switched_out,
};

void wpool_handoff_init(void)
{
	preempt_notifier_inc();
}

void wpool_handoff_watch(struct wpool_worker *w)
{
	preempt_notifier_init(&w->notifier, &switch_ops);
	preempt_notifier_register(&w->notifier);
}

void wpool_handoff_unwatch(struct wpool_worker *w)
{
	preempt_notifier_unregister(&w->notifier);
}

void wpool_handoff_exit(void)
{
	preempt_notifier_dec();
}

#else /* without notifiers, the monitor counts workers out, later */

void wpool_handoff_init(void) { }
void wpool_handoff_watch(struct wpool_worker *w) { }
void wpool_handoff_unwatch(struct wpool_worker *w) { }
void wpool_handoff_exit(void) { }

#endif
