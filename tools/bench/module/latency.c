// SPDX-License-Identifier: GPL-2.0
/*
 * The time from submit to start, with one task in flight.
 *
 *	latency peer=NAME n=N [cpu=C] [pause=US]
 *	wakeup n=N cpu=C [pause=US]
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

/* The task that a producer has in flight, in its own cache lines. */
struct shot {
	struct bench_item item;
	struct completion done;
	u64 started_ns;
	bool finished;
};

struct latency {
	struct bench b;
	struct shot *shots;	/* one per producer */
	u32 *start_ns;		/* from before the submit to the task's start */
	u32 *enqueue_ns;
	u64 pause_us;
	/* for "wakeup" */
	struct task_struct *sleeper;
	struct completion done;
	u64 woken_ns;
	bool wanted;
};

static void hit(struct bench_item *item)
{
	struct shot *shot = container_of(item, struct shot, item);

	shot->started_ns = ktime_get_ns();
	complete(&shot->done);
	/* the last access to the shot; pairs with the load in shoot_slowly() */
	smp_store_release(&shot->finished, true);
}

BENCH_FN(hit);

static void note(struct latency *l, u64 i, u64 before, u64 after, u64 started)
{
	l->enqueue_ns[i] = bench_u32(after - before);
	l->start_ns[i] = bench_u32(started - before);
}

static int shoot_slowly(struct bench_producer *p)
{
	struct latency *l = p->data;
	struct shot *shot = &l->shots[p->index];
	u64 i, before, after;
	int err;

	for (i = p->first; i < p->first + p->nr; i++) {
		bench_sleep_us(l->pause_us);
		before = ktime_get_ns();
		shot->finished = false;
		err = bench_submit(&l->b, &shot->item);
		after = ktime_get_ns();
		if (err)
			return err;
		wait_for_completion(&shot->done);
		note(l, i, before, after, shot->started_ns);
		/* pairs with hit(): wait for its last access to the shot */
		while (!smp_load_acquire(&shot->finished))
			cpu_relax();
	}
	return 0;
}

static int prepare(struct bench *b)
{
	struct latency *l = container_of(b, struct latency, b);

	l->pause_us = bench_num(b->run, "pause", 200);
	l->start_ns = bench_series(b, "start", b->n);
	l->enqueue_ns = bench_series(b, "enqueue", b->n);
	b->nr_items = 1;
	return 0;
}

static int ready(struct bench *b)
{
	struct latency *l = container_of(b, struct latency, b);
	u32 i;

	l->shots = bench_zalloc(b, b->producers, sizeof(*l->shots));
	for (i = 0; l->shots && i < b->producers; i++) {
		init_completion(&l->shots[i].done);
		b->pool.peer->init(&b->pool, &l->shots[i].item);
	}
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
	.ready = ready,
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
		if (!READ_ONCE(l->wanted)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		l->woken_ns = ktime_get_ns();
		WRITE_ONCE(l->wanted, false);
		complete(&l->done);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int wake_slowly(struct bench_producer *p)
{
	struct latency *l = p->data;
	u64 i, before, after;

	for (i = p->first; i < p->first + p->nr; i++) {
		bench_sleep_us(l->pause_us);
		before = ktime_get_ns();
		WRITE_ONCE(l->wanted, true);
		wake_up_process(l->sleeper);
		after = ktime_get_ns();
		wait_for_completion(&l->done);
		note(l, i, before, after, l->woken_ns);
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
	init_completion(&l->done);
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
