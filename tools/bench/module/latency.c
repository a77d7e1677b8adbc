// SPDX-License-Identifier: GPL-2.0
/*
 * The time from submit to start, with one task in flight.
 *
 *	latency peer=NAME n=N [cpu=C]
 *	wakeup n=N cpu=C
 *
 * "latency": the pool is quiet. One producer on CPU 0 submits, sleeps until the task has started,
 * and then sleeps until the workers have parked. cpu=0 keeps the pool on the producer's CPU, cpu=1
 * away from it; without cpu, each peer decides. "wakeup" is the lower bound: the producer wakes a
 * thread with wake_up_process().
 *
 * "enqueue_*" is the time of the submit call alone. All times are in ns, and include the cost of
 * one time stamp per interval.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "bench.h"

/* Workers park within this time. */
#define PAUSE_US	200

struct latency {
	struct bench b;
	u32 *start_ns;		/* from before the submit to the task's start */
	u32 *enqueue_ns;
	struct task_struct *sleeper;	/* for "wakeup" */
	/* of the task in flight, or of the sleeper that is woken */
	struct completion done ____cacheline_aligned;
	u64 started_ns;
	bool in_flight;
};

static void hit(struct bench_item *item)
{
	struct latency *l = item->data;

	l->started_ns = ktime_get_ns();
	complete(&l->done);
	/* the last access to the item; pairs with the load in shoot_slowly() */
	smp_store_release(&l->in_flight, false);
}

BENCH_FN(hit);

/* Wait for the start, and keep the times. */
static void note(struct latency *l, u64 i, u64 before, u64 after)
{
	wait_for_completion(&l->done);
	l->enqueue_ns[i] = bench_u32(after - before);
	l->start_ns[i] = bench_u32(l->started_ns - before);
}

static int shoot_slowly(struct bench_producer *p)
{
	struct latency *l = p->data;
	u64 i, before, after;
	int err;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(PAUSE_US);
		before = ktime_get_ns();
		l->in_flight = true;
		err = bench_submit(&l->b, l->b.items);
		after = ktime_get_ns();
		if (err)
			return err;
		note(l, i, before, after);
		/* pairs with hit(): wait for its last access to the item */
		while (smp_load_acquire(&l->in_flight))
			cpu_relax();
	}
	return 0;
}

static int prepare(struct bench *b)
{
	struct latency *l = container_of(b, struct latency, b);

	l->start_ns = bench_series(b, "start", b->n);
	l->enqueue_ns = bench_series(b, "enqueue", b->n);
	init_completion(&l->done);
	b->nr_items = 1;
	return 0;
}

static int shoot(struct bench *b, bench_producer_fn fn)
{
	int err = bench_produce(b, true, b->n, fn);

	if (!err)
		bench_meter_stop(b);
	return err;
}

static int measure_latency(struct bench *b)
{
	return shoot(b, shoot_slowly);
}

const struct bench_case bench_latency = {
	.name = "latency",
	.size = sizeof(struct latency),
	.fn = &hit_fn,
	.prepare = prepare,
	.measure = measure_latency,
};

/* ---- wakeup: the lower bound ---- */

static int sleeper_main(void *data)
{
	struct latency *l = data;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (!READ_ONCE(l->in_flight)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		l->started_ns = ktime_get_ns();
		WRITE_ONCE(l->in_flight, false);
		complete(&l->done);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int wake_slowly(struct bench_producer *p)
{
	struct latency *l = p->data;
	u64 i, before, after;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(PAUSE_US);
		before = ktime_get_ns();
		WRITE_ONCE(l->in_flight, true);
		wake_up_process(l->sleeper);
		after = ktime_get_ns();
		note(l, i, before, after);
	}
	return 0;
}

static int measure_floor(struct bench *b)
{
	struct latency *l = container_of(b, struct latency, b);
	u64 cpu = bench_num(b->run, "cpu", 0);
	int err;

	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	l->sleeper = kthread_create(sleeper_main, l, "bench_sleeper");
	if (IS_ERR(l->sleeper))
		return PTR_ERR(l->sleeper);
	kthread_bind(l->sleeper, cpu);
	wake_up_process(l->sleeper);
	err = shoot(b, wake_slowly);
	kthread_stop(l->sleeper);
	return err;
}

const struct bench_case bench_wakeup = {
	.name = "wakeup",
	.size = sizeof(struct latency),
	.prepare = prepare,
	.measure = measure_floor,
};
