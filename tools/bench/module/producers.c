// SPDX-License-Identifier: GPL-2.0
/*
 * Producers, see producers.h.
 */
#include "producers.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "bench.h"

struct bench_producers {
	struct completion ready, go;
};

static int producer_main(void *data)
{
	struct bench_producer *p = data;

	complete(&p->group->ready);
	wait_for_completion(&p->group->go);
	p->start_ns = ktime_get_ns();
	p->err = p->fn(p);
	p->end_ns = ktime_get_ns();
	/* kthread_stop() brings it here, and keeps the thread's memory so long */
	set_current_state(TASK_IDLE);
	complete(&p->group->ready);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Run time of a thread that is on its way to sleep, or asleep. */
static u64 run_time_ns(struct task_struct *thread)
{
#ifdef CONFIG_SMP
	/* off its CPU: the scheduler has added up everything by then */
	while (READ_ONCE(thread->on_cpu))
		cpu_relax();
#endif
	return thread->se.sum_exec_runtime;
}

static int producers_create(struct bench_producer *all, u32 nr, bool pin)
{
	int cpu = cpumask_first(cpu_online_mask);
	u32 i;

	for (i = 0; i < nr; i++) {
		all[i].thread = kthread_create(producer_main, &all[i], "bench_prod/%u", i);
		if (IS_ERR(all[i].thread))
			return PTR_ERR(all[i].thread);
		if (pin)
			kthread_bind(all[i].thread, cpu);
		get_task_struct(all[i].thread);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	return 0;
}

int bench_produce(struct bench_run *run, u32 nr, u64 items,
		  int (*fn)(struct bench_producer *producer), void *data,
		  struct bench_meter *meter)
{
	bool pin = !run || bench_num(run, "pin", 1);
	u64 submit = 0, submit_cpu = 0;
	struct bench_producers group;
	struct bench_producer *all;
	int err;
	u32 i;

	all = kcalloc(nr, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	init_completion(&group.ready);
	init_completion(&group.go);
	for (i = 0; i < nr; i++) {
		all[i].fn = fn;
		all[i].data = data;
		all[i].index = i;
		all[i].first = items * i / nr;
		all[i].nr = items * (i + 1) / nr - all[i].first;
		all[i].group = &group;
	}
	err = producers_create(all, nr, pin);
	if (err)
		goto out;

	for (i = 0; i < nr; i++)
		wake_up_process(all[i].thread);
	for (i = 0; i < nr; i++)
		wait_for_completion(&group.ready);
	for (i = 0; i < nr; i++)
		all[i].run_before_ns = run_time_ns(all[i].thread);
	if (meter)
		bench_meter_start(meter);
	complete_all(&group.go);
	for (i = 0; i < nr; i++)
		wait_for_completion(&group.ready);
	for (i = 0; i < nr; i++) {
		submit += all[i].end_ns - all[i].start_ns;
		submit_cpu += run_time_ns(all[i].thread) - all[i].run_before_ns;
		err = err ?: all[i].err;
	}
	if (run) {
		bench_put(run, "submit_ns", submit);
		bench_put(run, "submit_cpu_ns", submit_cpu);
	}
out:
	for (i = 0; i < nr; i++) {
		if (IS_ERR_OR_NULL(all[i].thread))
			break;
		/* one that never ran ends here, too */
		kthread_stop(all[i].thread);
		put_task_struct(all[i].thread);
	}
	kfree(all);
	return err;
}

int bench_produce_counted(struct bench_run *run, u32 nr, u64 items,
			  int (*fn)(struct bench_producer *producer), void *data,
			  struct bench_meter *meter)
{
	int err;

	bench_count_reset();
	err = bench_produce(run, nr, items, fn, data, meter);
	return err ?: bench_count_wait(items);
}
