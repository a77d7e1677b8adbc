// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-off, see handoff.h. The barrier handoff:A, in census.c, is explained in
 * wake.c.
 *
 * The notifier is called in the middle of a switch, under the scheduler's lock:
 * it takes no lock and wakes nobody; the interrupt work that it queues does.
 *
 * The notifiers hang on a static key, and switching that patches the text of the
 * kernel: it is taken once, with the first pool that wants it, and given back at
 * the end of the module.
 */
#include "core/handoff.h"

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "compat.h"
#include "core/census.h"
#include "core/queues.h"
#include "core/trace.h"
#include "core/wake.h"

static void hand_over(struct irq_work *work)
{
	struct wpool_runq *rq = container_of(work, struct wpool_runq, handoff_work);
	struct wpool *pool = rq->pool;
	unsigned long flags;

	local_irq_save(flags);
	if (wpool_wake_if_work(pool, wpool_this_runq(pool))) {
		WRITE_ONCE(rq->handoffs, rq->handoffs + 1);
		trace_wpool_runq_handed_over(pool->name, rq->cpu);
	}
	local_irq_restore(flags);
}

void wpool_handoff_init_runq(struct wpool_runq *rq)
{
	/* at once, on PREEMPT_RT too: nobody may be left to run a thread for it */
	rq->handoff_work = IRQ_WORK_INIT_HARD(hand_over);
}

void wpool_handoff_sync(struct wpool *pool)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&wpool_runq(pool, cpu)->handoff_work);
}

#ifdef CONFIG_PREEMPT_NOTIFIERS

/* Protects is_enabled. */
static DEFINE_MUTEX(enable_mutex);
static bool is_enabled;

/* Is there anybody who could come? If not, who comes free will look. */
static bool could_come(struct wpool *pool)
{
	return atomic_read(&pool->nr_idle) ||
	       READ_ONCE(pool->nr_workers) < READ_ONCE(pool->capacity);
}

/*
 * Is this switch one of a worker that goes to sleep although it is counted? One
 * that parks has counted itself out before.
 */
static bool is_blocking(struct wpool_worker *w)
{
	return READ_ONCE(w->running_on) && compat_is_blocked(current) &&
	       /* a lock on PREEMPT_RT: over in a moment, and not the task's doing */
	       !(READ_ONCE(current->__state) & TASK_RTLOCK_WAIT);
}

static void switched_out(struct preempt_notifier *notifier,
			 struct task_struct *next)
{
	struct wpool_worker *w = container_of(notifier, struct wpool_worker, notifier);
	struct wpool *pool = w->pool;
	struct wpool_runq *rq;

	if (!READ_ONCE(pool->handoff) || !is_blocking(w))
		return;
	rq = wpool_running_leave(w);
	if (rq && wpool_queues_are_waiting(pool, rq) && could_come(pool))
		irq_work_queue(&wpool_this_runq(pool)->handoff_work);
}

/* The worker counts itself in when its task has ended. */
static void switched_in(struct preempt_notifier *notifier, int cpu)
{
}

static struct preempt_ops switch_ops = {
	.sched_in = switched_in,
	.sched_out = switched_out,
};

void wpool_handoff_enable(void)
{
	mutex_lock(&enable_mutex);
	if (!is_enabled) {
		preempt_notifier_inc();
		/* pairs with the acquire in wpool_handoff_watch() */
		smp_store_release(&is_enabled, true);
	}
	mutex_unlock(&enable_mutex);
}

void wpool_handoff_watch(struct wpool_worker *w)
{
	/* pairs with the release in wpool_handoff_enable() */
	if (w->has_notifier || !smp_load_acquire(&is_enabled))
		return;
	preempt_notifier_init(&w->notifier, &switch_ops);
	preempt_notifier_register(&w->notifier);
	w->has_notifier = true;
}

void wpool_handoff_unwatch(struct wpool_worker *w)
{
	if (w->has_notifier)
		preempt_notifier_unregister(&w->notifier);
	w->has_notifier = false;
}

void wpool_handoff_exit(void)
{
	if (is_enabled)
		preempt_notifier_dec();
}

#else /* the monitor does it all, later */

void wpool_handoff_enable(void) { }
void wpool_handoff_watch(struct wpool_worker *w) { }
void wpool_handoff_unwatch(struct wpool_worker *w) { }
void wpool_handoff_exit(void) { }

#endif
