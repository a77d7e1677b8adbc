// SPDX-License-Identifier: GPL-2.0
/*
 * How soon do new workers come if more are needed than exist?
 *
 *	crowd peer=NAME n=TASKS [capacity=TASKS]
 *
 * A new pool gets N tasks while a thread on each CPU computes. Each task waits until all have
 * started, so the pool needs N workers. "total_ns" is the time from the first submit until the last
 * task has started.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/wait.h>

#include "bench.h"

struct crowd {
	struct bench b;
	wait_queue_head_t all_there;
	atomic_t missing;
	u64 last_ns;
	struct task_struct **busy;
};

static void arrive(struct bench_item *item)
{
	struct crowd *c = item->data;

	if (atomic_dec_and_test(&c->missing)) {
		WRITE_ONCE(c->last_ns, ktime_get_ns());
		wake_up_all(&c->all_there);
	} else {
		wait_event(c->all_there, READ_ONCE(c->last_ns));
	}
	bench_count();
}

BENCH_FN(arrive);

static int keep_busy(void *data)
{
	while (!kthread_should_stop()) {
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void stop_busy(struct task_struct **busy)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!IS_ERR_OR_NULL(busy[cpu]))
			kthread_stop(busy[cpu]);
}

struct task_struct *bench_busy_create(int cpu)
{
	struct task_struct *thread = kthread_create(keep_busy, NULL, "bench_busy/%d", cpu);

	if (!IS_ERR(thread))
		kthread_bind(thread, cpu);
	return thread;
}

static int start_busy(struct task_struct **busy)
{
	int cpu;

	for_each_online_cpu(cpu) {
		busy[cpu] = bench_busy_create(cpu);
		if (IS_ERR(busy[cpu])) {
			stop_busy(busy);
			return PTR_ERR(busy[cpu]);
		}
		wake_up_process(busy[cpu]);
	}
	return 0;
}

static int prepare(struct bench *b)
{
	struct crowd *c = container_of(b, struct crowd, b);

	c->busy = bench_zalloc(b, nr_cpu_ids, sizeof(*c->busy));
	init_waitqueue_head(&c->all_there);
	atomic_set(&c->missing, b->n);
	return 0;
}

static int measure(struct bench *b)
{
	struct crowd *c = container_of(b, struct crowd, b);
	int err = start_busy(c->busy);
	u64 start, i;

	if (err)
		return err;
	bench_count_reset();
	start = ktime_get_ns();
	for (i = 0; i < b->n && !err; i++)
		err = bench_submit(b, &b->items[i]);
	/* after an error do not wait: tasks that have started wait for the others forever */
	err = err ?: bench_count_wait(b->n);
	bench_put(b->run, "total_ns", c->last_ns - start);
	stop_busy(c->busy);
	return err;
}

const struct bench_case bench_crowd = {
	.name = "crowd",
	.size = sizeof(struct crowd),
	.fn = &arrive_fn,
	.n = 500,
	.prepare = prepare,
	.measure = measure,
};
