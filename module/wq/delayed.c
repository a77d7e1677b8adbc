// SPDX-License-Identifier: GPL-2.0
/*
 * Delayed works: a work and a timer; see queue.h. The owner of PENDING starts the timer; when the
 * timer fires, its callback becomes the owner. An owner has interrupts off, so the timer is
 * TIMER_IRQSAFE.
 */
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched/isolation.h>
#include <linux/timer.h>

#include "compat.h"
#include "wq/work.h"

void wpool_delayed_work_timer_fn(struct timer_list *timer)
{
	struct wpool_delayed_work *dwork = timer_container_of(dwork, timer, timer);

	wpool_work_insert(dwork->wq, &dwork->work, WORK_CPU_UNBOUND);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_timer_fn);

void wpool_delayed_work_destroy_on_stack(struct wpool_delayed_work *dwork)
{
	timer_destroy_on_stack(&dwork->timer);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_destroy_on_stack);

/* The caller owns PENDING; interrupts are off. */
static bool start_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			  unsigned long delay)
{
	if (!delay)
		return wpool_work_insert(wq, &dwork->work, cpu);
	dwork->wq = wq;
	dwork->timer.expires = jiffies + delay;
	/* as in the kernel: the timer must not start the tick of a CPU that nohz_full= isolates */
	if (housekeeping_enabled(HK_TYPE_TIMER)) {
		cpu = smp_processor_id();
		if (!housekeeping_test_cpu(cpu, HK_TYPE_TIMER))
			cpu = housekeeping_any_cpu(HK_TYPE_TIMER);
	}
	if (cpu == WORK_CPU_UNBOUND)
		add_timer_global(&dwork->timer);
	else
		add_timer_on(&dwork->timer, cpu);
	return true;
}

bool wpool_wq_queue_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			    unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (!wq || !dwork || !dwork->work.func)
		return false;
	local_irq_save(flags);
	ret = wpool_work_begin(&dwork->work) && start_delayed(cpu, wq, dwork, delay);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_queue_delayed);

bool wpool_wq_mod_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			  unsigned long delay)
{
	unsigned long flags;
	bool ret;

	if (!wq || !dwork || !dwork->work.func)
		return false;
	ret = wpool_work_grab(&dwork->work, &dwork->timer, &flags);
	if (!wpool_work_refused(&dwork->work))
		start_delayed(cpu, wq, dwork, delay);
	local_irq_restore(flags);
	return ret;
}
EXPORT_SYMBOL_GPL(wpool_wq_mod_delayed);

bool wpool_delayed_work_flush(struct wpool_delayed_work *dwork)
{
	might_sleep();
	/* the thread that stops the timer owns PENDING */
	local_irq_disable();
	if (timer_delete_sync(&dwork->timer))
		wpool_work_insert(dwork->wq, &dwork->work, WORK_CPU_UNBOUND);
	local_irq_enable();
	return wpool_work_flush(&dwork->work);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_flush);

bool wpool_delayed_work_cancel(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back(&dwork->work, &dwork->timer, false);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_cancel);

bool wpool_delayed_work_cancel_sync(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back_sync(&dwork->work, &dwork->timer, false);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_cancel_sync);

bool wpool_delayed_work_disable(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back(&dwork->work, &dwork->timer, true);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_disable);

bool wpool_delayed_work_disable_sync(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back_sync(&dwork->work, &dwork->timer, true);
}
EXPORT_SYMBOL_GPL(wpool_delayed_work_disable_sync);
