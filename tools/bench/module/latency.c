// SPDX-License-Identifier: GPL-2.0
/*
 * From submit to start, one task in flight.
 *
 *	latency peer=NAME n=N [cpu=C] [pause=US]
 *	wakeup n=N cpu=C [pause=US]
 *	busy peer=NAME n=N [producers=P]
 *
 * "latency": the pool is quiet. One producer on CPU 0 submits, sleeps until the
 * task has started, and then long enough for the workers to park. cpu=0 keeps
 * the pool on the producer's CPU, cpu=1 away from it; without it, each peer
 * decides. "wakeup" is the floor: the same with a thread that is woken directly.
 *
 * "busy": the producers stay busy until their task has run, and give their
 * CPU away only if the scheduler asks for it; the next task follows at once.
 *
 * "enqueue_*" is the time of the submit call alone. All in ns; a time stamp's own
 * cost, once per interval, is in them.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "peers.h"
#include "producers.h"

/* What a producer has in flight; lines of its own. */
struct shot {
	struct bench_item item;
	struct completion done;
	u64 started_ns;
	bool finished;
};

struct latency {
	struct bench_pool pool;
	struct shot *shots;	/* one per producer */
	struct task_struct *sleeper;
	struct bench_meter meter;
	u32 *start_ns;		/* from before the submit to the task's start */
	u32 *enqueue_ns;
	u64 pause_us;
};

static void hit(struct bench_item *item)
{
	struct shot *shot = container_of(item, struct shot, item);

	shot->started_ns = ktime_get_ns();
	complete(&shot->done);
	/* the last touch; pairs with the loads in shoot_slowly(), shoot_fast() */
	smp_store_release(&shot->finished, true);
}

BENCH_FN(hit);

static void note(struct latency *b, u64 i, u64 before, u64 after, u64 started)
{
	b->enqueue_ns[i] = min_t(u64, after - before, U32_MAX);
	b->start_ns[i] = min_t(u64, started - before, U32_MAX);
}

static int submit(struct bench_pool *pool, struct shot *shot)
{
	shot->finished = false;
	return pool->peer->submit(pool, &shot->item);
}

static int shoot_slowly(struct bench_producer *p)
{
	struct latency *b = p->data;
	struct shot *shot = &b->shots[p->index];
	u64 i, before, after;
	int err;

	for (i = p->first; i < p->first + p->nr; i++) {
		bench_sleep_us(b->pause_us);
		before = ktime_get_ns();
		err = submit(&b->pool, shot);
		after = ktime_get_ns();
		if (err)
			return err;
		wait_for_completion(&shot->done);
		note(b, i, before, after, shot->started_ns);
		/* pairs with hit(), whose last touch it is */
		while (!smp_load_acquire(&shot->finished))
			cpu_relax();
	}
	return 0;
}

static int shoot_fast(struct bench_producer *p)
{
	struct latency *b = p->data;
	struct shot *shot = &b->shots[p->index];
	u64 i, before, after;
	int err;

	for (i = p->first; i < p->first + p->nr; i++) {
		reinit_completion(&shot->done);
		before = ktime_get_ns();
		err = submit(&b->pool, shot);
		after = ktime_get_ns();
		if (err)
			return err;
		/* pairs with hit(): its time stamp is there */
		while (!smp_load_acquire(&shot->finished)) {
			cond_resched();
			cpu_relax();
		}
		note(b, i, before, after, shot->started_ns);
	}
	return 0;
}

static int shots_alloc(struct latency *b, u64 n, u32 producers)
{
	b->shots = kcalloc(producers, sizeof(*b->shots), GFP_KERNEL);
	b->start_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	b->enqueue_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	return b->shots && b->start_ns && b->enqueue_ns ? 0 : -ENOMEM;
}

static void shots_free(struct latency *b)
{
	kvfree(b->start_ns);
	kvfree(b->enqueue_ns);
	kfree(b->shots);
}

static int run_shots(struct bench_run *run, u32 producers,
		     int (*fn)(struct bench_producer *producer))
{
	u64 n = bench_num(run, "n", 1000);
	struct latency b = { .pause_us = bench_num(run, "pause", 200) };
	int err;
	u32 i;

	if (!n || !producers)
		return -EINVAL;
	err = shots_alloc(&b, n, producers);
	if (err)
		goto out_free;
	err = bench_pool_create(&b.pool, run, &hit_fn);
	if (err)
		goto out_free;
	for (i = 0; i < producers; i++) {
		init_completion(&b.shots[i].done);
		b.pool.peer->init(&b.pool, &b.shots[i].item);
	}
	err = bench_produce(run, producers, n, fn, &b, &b.meter);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_put_percentiles(run, "start", b.start_ns, n);
	bench_put_percentiles(run, "enqueue", b.enqueue_ns, n);
	bench_pool_finish(&b.pool, run);
out_free:
	shots_free(&b);
	return err;
}

int bench_latency(struct bench_run *run)
{
	return run_shots(run, 1, shoot_slowly);
}

int bench_busy(struct bench_run *run)
{
	return run_shots(run, bench_num(run, "producers", num_online_cpus()), shoot_fast);
}

/* ---- the floor ---- */

struct sleeper {
	struct completion done;
	u64 woken_ns;
	bool wanted;
};

struct floor {
	struct latency b;
	struct sleeper sleeper;
};

static int sleeper_main(void *data)
{
	struct sleeper *s = data;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (!READ_ONCE(s->wanted)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		s->woken_ns = ktime_get_ns();
		WRITE_ONCE(s->wanted, false);
		complete(&s->done);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int wake_slowly(struct bench_producer *p)
{
	struct floor *f = p->data;
	u64 i, before, after;

	for (i = p->first; i < p->first + p->nr; i++) {
		bench_sleep_us(f->b.pause_us);
		before = ktime_get_ns();
		WRITE_ONCE(f->sleeper.wanted, true);
		wake_up_process(f->b.sleeper);
		after = ktime_get_ns();
		wait_for_completion(&f->sleeper.done);
		note(&f->b, i, before, after, f->sleeper.woken_ns);
	}
	return 0;
}

int bench_wakeup(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000), cpu = bench_num(run, "cpu", 0);
	struct floor f = { .b.pause_us = bench_num(run, "pause", 200) };
	int err;

	if (!n || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	init_completion(&f.sleeper.done);
	err = shots_alloc(&f.b, n, 1);
	if (err)
		goto out_free;
	f.b.sleeper = kthread_create(sleeper_main, &f.sleeper, "bench_sleeper");
	err = PTR_ERR_OR_ZERO(f.b.sleeper);
	if (err)
		goto out_free;
	kthread_bind(f.b.sleeper, cpu);
	wake_up_process(f.b.sleeper);
	err = bench_produce(run, 1, n, wake_slowly, &f, &f.b.meter);
	if (!err) {
		bench_meter_stop(&f.b.meter, run);
		bench_put_percentiles(run, "start", f.b.start_ns, n);
		bench_put_percentiles(run, "enqueue", f.b.enqueue_ns, n);
	}
	kthread_stop(f.b.sleeper);
out_free:
	shots_free(&f.b);
	return err;
}
