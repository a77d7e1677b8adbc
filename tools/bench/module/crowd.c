// SPDX-License-Identifier: GPL-2.0
/*
 * How soon do new workers come if more are needed than exist?
 *
 *	crowd peer=NAME n=TASKS [pools=POOLS] [capacity=TASKS] [loop=1] [host=quiet|busy]
 *
 * New pools get N tasks while a thread on each CPU computes. Each task waits until all have
 * started, so the pools need N workers; with loop=1 the task waits in a loop with cond_resched().
 * "total_ns" is the time from the first submit until the last task has started. With host= there
 * are no other threads; with host=busy a process of the host computes on each of its CPUs, see
 * scripts/bench-native.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>

#include "bench.h"

struct crowd {
	struct bench b;
	struct completion all_there;
	atomic_t missing;
	u64 last_ns, nr_more;
	bool loop, is_beside;
	struct bench_pool *more;	/* all pools but the first */
	struct task_struct **busy;
};

static void arrive(struct bench_item *item)
{
	struct crowd *c = item->data;

	if (atomic_dec_and_test(&c->missing)) {
		WRITE_ONCE(c->last_ns, ktime_get_ns());
		complete_all(&c->all_there);
	} else if (c->loop) {
		while (!READ_ONCE(c->last_ns)) {
			cpu_relax();
			cond_resched();
		}
	} else {
		wait_for_completion(&c->all_there);
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

	c->loop = bench_num(b->run, "loop", 0);
	c->is_beside = !bench_text(b->run, "host", NULL);
	c->nr_more = bench_num(b->run, "pools", 1) - 1;
	if (c->nr_more >= b->n)
		return -EINVAL;
	c->more = bench_zalloc(b, c->nr_more + 1, sizeof(*c->more));
	c->busy = bench_zalloc(b, nr_cpu_ids, sizeof(*c->busy));
	init_completion(&c->all_there);
	atomic_set(&c->missing, b->n);
	return 0;
}

/* Each pool gets as many tasks as another one. */
static int ready(struct bench *b)
{
	struct crowd *c = container_of(b, struct crowd, b);
	u64 i, share = div64_u64(b->n, c->nr_more + 1);
	int err;

	for (i = 0; i < c->nr_more; i++) {
		err = bench_pool_create(&c->more[i], b->run, b->fn);
		if (err) {
			bench_pools_destroy(c->more, i);
			return err;
		}
		bench_items_init(&c->more[i], b->items + i * share, share);
	}
	return 0;
}

static int measure(struct bench *b)
{
	struct crowd *c = container_of(b, struct crowd, b);
	int err = c->is_beside ? start_busy(c->busy) : 0;
	u64 start, i;

	if (err)
		return err;
	bench_count_reset();
	start = ktime_get_ns();
	for (i = 0; i < b->n && !err; i++)
		err = b->pool.peer->submit(b->items[i].pool, &b->items[i]);
	/* after an error do not wait: tasks that have started wait for the others forever */
	err = err ?: bench_count_wait(b->n);
	bench_put(b->run, "total_ns", c->last_ns - start);
	stop_busy(c->busy);
	if (!err)
		bench_pools_destroy(c->more, c->nr_more);
	return err;
}

const struct bench_case bench_crowd = {
	.name = "crowd",
	.size = sizeof(struct crowd),
	.fn = &arrive_fn,
	.n = 500,
	.prepare = prepare,
	.ready = ready,
	.measure = measure,
};
