// SPDX-License-Identifier: GPL-2.0
/*
 * What a case does beside its own thread: threads that can be killed, calls in
 * interrupts, and the choice of a CPU. See fixture.h.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "fixture.h"

/* ---- threads -------------------------------------------------------------- */

static int thread_main(void *data)
{
	struct wpk_thread *thread = data;

	allow_signal(SIGKILL);
	allow_signal(SIGUSR1);
	complete(&thread->ready);
	thread->ret = thread->fn(thread);
	flush_signals(current);
	complete(&thread->done);

	/* kthread_stop() must find it alive. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

struct wpk_thread *wpk_thread(struct kunit *test,
			      int (*fn)(struct wpk_thread *thread),
			      struct wpool *pool, struct wpool_task *work,
			      void *arg)
{
	struct wpk_thread *thread = kzalloc(sizeof(*thread), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, thread);
	thread->test = test;
	thread->fn = fn;
	thread->pool = pool;
	thread->work = work;
	thread->arg = arg;
	init_completion(&thread->ready);
	init_completion(&thread->done);
	thread->task = kthread_run(thread_main, thread, "wpk");
	if (IS_ERR(thread->task)) {
		kfree(thread);
		KUNIT_FAIL_AND_ABORT(test, "no thread");
	}
	wpk_keep(test, thread);
	wait_for_completion(&thread->ready);
	return thread;
}

int wpk_join(struct kunit *test, struct wpk_thread *thread)
{
	if (!thread->task)
		return thread->ret;
	if (!wpk_patiently(&thread->done, thread->task)) {
		KUNIT_FAIL(test, "a thread in %ps does not come back",
			   thread->fn);
		return -EBUSY;
	}
	kthread_stop(thread->task);
	thread->task = NULL;
	return thread->ret;
}

bool wpk_ended(struct wpk_thread *thread)
{
	return !thread->task || completion_done(&thread->done);
}

bool wpk_sleeps(struct wpk_thread *thread)
{
	return wpk_eventually(READ_ONCE(thread->task->__state) & TASK_WAKEKILL);
}

void wpk_kill(struct wpk_thread *thread)
{
	send_sig(SIGKILL, thread->task, 1);
}

int wpk_do_submit(struct wpk_thread *thread)
{
	return wpool_submit(thread->pool, thread->work);
}

int wpk_do_wait(struct wpk_thread *thread)
{
	return wpool_task_wait(thread->work);
}

int wpk_do_cancel_sync(struct wpk_thread *thread)
{
	return wpool_task_cancel_sync(thread->work);
}

int wpk_do_flush(struct wpk_thread *thread)
{
	return wpool_flush(thread->pool);
}

int wpk_do_destroy(struct wpk_thread *thread)
{
	return wpool_destroy(thread->pool);
}

int wpk_do_reboot(struct wpk_thread *thread)
{
	return wpool_reboot(thread->pool);
}

/* ---- contexts and CPUs ---------------------------------------------------- */

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
	struct softirq_call *call =
		container_of(tasklet, struct softirq_call, tasklet);

	WARN_ON_ONCE(!in_serving_softirq());
	call->fn(call->arg);
}

void wpk_in_softirq(void (*fn)(void *arg), void *arg)
{
	struct softirq_call call = { .fn = fn, .arg = arg };

	tasklet_setup(&call.tasklet, softirq_fn);
	/* It runs on top of the caller, when softirqs are enabled again. */
	local_bh_disable();
	tasklet_schedule(&call.tasklet);
	local_bh_enable();
	tasklet_kill(&call.tasklet);
}

void wpk_move_to(int cpu)
{
	set_cpus_allowed_ptr(current,
			     cpu < 0 ? cpu_possible_mask : cpumask_of(cpu));
}

int wpk_cpu(unsigned int n)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!n--)
			return cpu;
	return -1;
}

#ifdef CONFIG_FAULT_INJECTION

static void wait_at(void *gate)
{
	wpk_gate_pass(gate);
}

bool wpk_use_up_items(struct wpool *pool, struct wpk_gate *gate)
{
	int err = 0, i;

	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < 1000 && !err; i++) {
		current->fail_nth = 1;
		err = wpool_submit_fn(pool, wait_at, gate, NULL, GFP_NOWAIT | __GFP_NOWARN);
		current->fail_nth = 0;
	}
	return err == -ENOMEM;
}

#else

bool wpk_use_up_items(struct wpool *pool, struct wpk_gate *gate)
{
	return false;
}

#endif
