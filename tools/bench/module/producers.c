// SPDX-License-Identifier: GPL-2.0
/* Producers, see bench.h. */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

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
	/* bench_produce() reads the thread's run time, then calls kthread_stop() */
	set_current_state(TASK_IDLE);
	complete(&p->group->ready);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int producers_create(struct bench *b, struct bench_producer *all, bool pin)
{
	u32 cpu = b->first_cpu, i;

	for (i = 0; i < b->producers; i++, cpu += b->cpu_step) {
		all[i].thread = kthread_create(producer_main, &all[i], "bench_prod/%u", i);
		if (IS_ERR(all[i].thread))
			return PTR_ERR(all[i].thread);
		if (pin)
			kthread_bind(all[i].thread,
				     cpumask_nth(cpu % num_online_cpus(), cpu_online_mask));
		get_task_struct(all[i].thread);
	}
	return 0;
}

int bench_produce(struct bench *b, bool measured, u64 nr, bench_producer_fn fn)
{
	bool pin = !measured || bench_num(b->run, "pin", 1);
	u64 submit = 0, submit_cpu = 0;
	struct bench_producers group;
	struct bench_producer *all;
	u32 i, n = b->producers;
	int err;

	all = kcalloc(n, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	init_completion(&group.ready);
	init_completion(&group.go);
	for (i = 0; i < n; i++) {
		all[i].fn = fn;
		all[i].data = b;
		all[i].index = i;
		all[i].first = nr * i / n;
		all[i].nr = nr * (i + 1) / n - all[i].first;
		all[i].group = &group;
	}
	err = producers_create(b, all, pin);
	if (err)
		goto out;

	for (i = 0; i < n; i++)
		wake_up_process(all[i].thread);
	for (i = 0; i < n; i++)
		wait_for_completion(&group.ready);
	for (i = 0; i < n; i++)
		all[i].run_before_ns = bench_run_time_ns(all[i].thread);
	bench_meter_start(b);
	complete_all(&group.go);
	for (i = 0; i < n; i++)
		wait_for_completion(&group.ready);
	for (i = 0; i < n; i++) {
		submit += all[i].end_ns - all[i].start_ns;
		submit_cpu += bench_run_time_ns(all[i].thread) - all[i].run_before_ns;
		err = err ?: all[i].err;
	}
	if (measured) {
		bench_put(b->run, "submit_ns", submit);
		bench_put(b->run, "submit_cpu_ns", submit_cpu);
	}
out:
	for (i = 0; i < n; i++) {
		if (IS_ERR_OR_NULL(all[i].thread))
			break;
		b->meter.ended_ns += bench_run_time_ns(all[i].thread);
		/* after an error the thread may never have run, and ends without running */
		kthread_stop(all[i].thread);
		put_task_struct(all[i].thread);
	}
	kfree(all);
	return err;
}

int bench_produce_counted(struct bench *b, bool measured, u64 nr, bench_producer_fn fn)
{
	int err;

	bench_count_reset();
	err = bench_produce(b, measured, nr, fn);
	return err ?: bench_count_wait(nr);
}

int bench_measure(struct bench *b, u64 warm, bench_producer_fn fn)
{
	int err = bench_produce_counted(b, false, warm, fn);

	if (err)
		return err;
	if (b->fn)
		bench_flush(b);
	err = bench_produce_counted(b, true, b->n, fn);
	if (!err)
		bench_meter_stop(b);
	return err;
}

int bench_produce_items(struct bench_producer *p)
{
	struct bench *b = p->data;
	const struct bench_peer *peer = b->pool.peer;
	struct bench_item *items = b->items + p->first;
	u64 done;

	if (b->batch)
		done = peer->submit_batch(&b->pool, items, p->nr, b->batch);
	else
		done = peer->submit_all(&b->pool, items, p->nr);
	return done == p->nr ? 0 : -EIO;
}

int bench_measure_items(struct bench *b)
{
	return bench_measure(b, DIV_ROUND_UP(b->n, 10), bench_produce_items);
}
