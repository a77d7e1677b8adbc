// SPDX-License-Identifier: GPL-2.0
/* Calls in interrupts and softirqs, and on a given CPU: see fixture.h. */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>

#include "fixture.h"

struct irq_call {
	struct irq_work work;
	void (*fn)(void *arg);
	void *arg;
};

static void irq_fn(struct irq_work *work)
{
	struct irq_call *call = container_of(work, struct irq_call, work);

	WARN_ON_ONCE(!in_hardirq() && !IS_ENABLED(CONFIG_PREEMPT_RT));
	call->fn(call->arg);
}

void wpk_in_hardirq(void (*fn)(void *arg), void *arg)
{
	struct irq_call call = { .fn = fn, .arg = arg };

	call.work = IRQ_WORK_INIT_HARD(irq_fn);
	irq_work_queue(&call.work);
	irq_work_sync(&call.work);
}

void wpk_in_irq(void (*fn)(void *arg), void *arg)
{
	struct irq_call call = { .fn = fn, .arg = arg };

	call.work = IRQ_WORK_INIT(irq_fn);
	irq_work_queue(&call.work);
	irq_work_sync(&call.work);
}

struct softirq_call {
	struct tasklet_struct tasklet;
	void (*fn)(void *arg);
	void *arg;
};

static void softirq_fn(struct tasklet_struct *tasklet)
{
	struct softirq_call *call = container_of(tasklet, struct softirq_call, tasklet);

	WARN_ON_ONCE(!in_serving_softirq());
	call->fn(call->arg);
}

void wpk_in_softirq(void (*fn)(void *arg), void *arg)
{
	struct softirq_call call = { .fn = fn, .arg = arg };

	tasklet_setup(&call.tasklet, softirq_fn);
	/* local_bh_enable() runs the tasklet */
	local_bh_disable();
	tasklet_schedule(&call.tasklet);
	local_bh_enable();
	tasklet_kill(&call.tasklet);
}

struct try_call {
	struct wpool *pool;
	struct wpool_task *task;
	int ret;
};

static void try_fn(void *arg)
{
	struct try_call *call = arg;

	call->ret = wpool_try_submit(call->pool, call->task);
}

int wpk_try_in(wpk_context context, struct wpool *pool, struct wpool_task *task)
{
	struct try_call call = { .pool = pool, .task = task };

	context(try_fn, &call);
	return call.ret;
}

void wpk_move_to(int cpu)
{
	set_cpus_allowed_ptr(current, cpu < 0 ? cpu_possible_mask : cpumask_of(cpu));
}

int wpk_cpu(unsigned int n)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!n--)
			return cpu;
	return -1;
}

void wpk_need_cpus(struct kunit *test, unsigned int nr)
{
	wpk_need(test, wpk_cpu(nr - 1) >= 0, "needs %u CPUs", nr);
}

void wpk_need_to_keep_cpu(struct kunit *test)
{
	wpk_need(test, !IS_ENABLED(CONFIG_PREEMPT_RT),
		 "PREEMPT_RT: a thread that keeps its CPU holds up all else there");
}

int wpk_do_remove_cpu(struct wpk_thread *thread)
{
	return remove_cpu((unsigned long)thread->arg);
}

static void bring_back(void *cpu)
{
	add_cpu((unsigned long)cpu);
}

int wpk_victim_cpu(struct kunit *test)
{
	long cpu = wpk_cpu(num_online_cpus() - 1);

	wpk_need(test, IS_ENABLED(CONFIG_HOTPLUG_CPU), "no CPU hotplug");
	wpk_need(test, cpu > 0, "needs 2 CPUs");
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, bring_back, (void *)cpu), 0);
	return cpu;
}

void wpk_count(void *arg)
{
	atomic_inc(arg);
}

void wpk_pass_gate(void *gate)
{
	wpk_gate_pass(gate);
}

void wpk_do_nothing(void *unused)
{
}

void wpk_empty(struct wpool_task *task)
{
}
