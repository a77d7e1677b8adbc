// SPDX-License-Identifier: GPL-2.0
/*
 * When more workers are needed than run: how soon do they come?
 *
 *	pair peer=NAME n=N [us=US] [gap=US] [pause=US]
 *	crowd peer=NAME n=TASKS [capacity=TASKS]
 *
 * pair: a high-resolution timer on CPU 0, in hard interrupt context, submits two tasks
 * that compute for us microseconds, the second one gap microseconds after the first;
 * N times, with a pause in between. "pair_*" is the time from before the first submit
 * until both have ended, in ns.
 *
 * crowd: a new pool gets N tasks, each of which waits until all have started, so that N
 * workers are needed, while a thread on each CPU computes. "total_ns" is the time from
 * the first submit until the last task has started.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "compat.h"
#include "peers.h"
#include "producers.h"

/* ---- pair ---- */

struct pair {
	struct bench_pool pool;
	struct bench_item items[2];
	struct hrtimer timer;
	struct completion done;
	u64 us, gap_us, pause_us, submitted_ns, ended_ns[2];
	u32 *pair_ns;
	int next, err;
};

static void compute(struct bench_item *item)
{
	u64 start = ktime_get_ns();
	struct pair *b = item->data;

	while (ktime_get_ns() - start < b->us * NSEC_PER_USEC)
		cpu_relax();
	b->ended_ns[item - b->items] = ktime_get_ns();
	bench_count();
}

BENCH_FN(compute);

static enum hrtimer_restart pair_fired(struct hrtimer *timer)
{
	struct pair *b = container_of(timer, struct pair, timer);

	if (!b->next)
		b->submitted_ns = ktime_get_ns();
	b->err = b->pool.peer->submit_atomic(&b->pool, &b->items[b->next++]);
	if (b->err || b->next == ARRAY_SIZE(b->items)) {
		complete(&b->done);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(b->gap_us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int produce_pairs(struct bench_producer *p)
{
	struct pair *b = p->data;
	u64 i, submitted = 0;
	int err;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(b->pause_us);
		reinit_completion(&b->done);
		b->next = 0;
		/* pinned: where this thread is */
		hrtimer_start(&b->timer, ns_to_ktime(b->gap_us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
		wait_for_completion(&b->done);
		hrtimer_cancel(&b->timer);
		submitted += b->next;
		err = b->err ?: bench_count_wait(submitted);
		if (err)
			return err;
		/* the functions have returned */
		b->pool.peer->flush(&b->pool);
		b->pair_ns[i] = min_t(u64, max(b->ended_ns[0], b->ended_ns[1]) -
				      b->submitted_ns, U32_MAX);
	}
	return 0;
}

static int make_pairs(struct pair *b, struct bench_run *run, u64 n)
{
	bench_count_reset();
	return bench_produce(run, 1, n, produce_pairs, b, NULL);
}

int bench_pair(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 20), i;
	struct pair *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int err = -ENOMEM;

	if (!b)
		return -ENOMEM;
	b->us = bench_num(run, "us", 9000);
	b->gap_us = bench_num(run, "gap", 100);
	b->pause_us = bench_num(run, "pause", 20000);
	b->pair_ns = kvcalloc(max(n, 1ULL), sizeof(u32), GFP_KERNEL);
	if (!b->pair_ns)
		goto out_free;
	err = -EINVAL;
	if (!n || !b->gap_us)
		goto out_free;
	err = bench_pool_create(&b->pool, run, &compute_fn);
	if (err)
		goto out_free;
	err = -EINVAL;
	if (!b->pool.peer->submit_atomic)
		goto out_destroy;
	for (i = 0; i < ARRAY_SIZE(b->items); i++) {
		b->pool.peer->init(&b->pool, &b->items[i]);
		b->items[i].data = b;
	}
	init_completion(&b->done);
	hrtimer_setup(&b->timer, pair_fired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	/* unmeasured, so that there are workers */
	err = make_pairs(b, NULL, 2);
	if (!err)
		err = make_pairs(b, run, n);
	if (err)
		return bench_lost(err);
	bench_put_percentiles(run, "pair", b->pair_ns, n);
	bench_pool_put_stats(&b->pool, run);
out_destroy:
	bench_pool_destroy(&b->pool);
out_free:
	kvfree(b->pair_ns);
	kfree(b);
	return err;
}

/* ---- crowd ---- */

struct crowd {
	struct bench_pool pool;
	wait_queue_head_t all_there;
	atomic_t missing;
	u64 last_ns;
};

static void arrive(struct bench_item *item)
{
	struct crowd *b = item->data;

	if (atomic_dec_and_test(&b->missing)) {
		WRITE_ONCE(b->last_ns, ktime_get_ns());
		wake_up_all(&b->all_there);
	} else {
		wait_event(b->all_there, READ_ONCE(b->last_ns));
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

static void busy_stop(struct task_struct **busy)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!IS_ERR_OR_NULL(busy[cpu]))
			kthread_stop(busy[cpu]);
}

static int busy_start(struct task_struct **busy)
{
	int cpu;

	for_each_online_cpu(cpu) {
		busy[cpu] = kthread_create(keep_busy, NULL, "bench_busy/%d", cpu);
		if (IS_ERR(busy[cpu])) {
			busy_stop(busy);
			return PTR_ERR(busy[cpu]);
		}
		kthread_bind(busy[cpu], cpu);
		wake_up_process(busy[cpu]);
	}
	return 0;
}

static int gather(struct crowd *b, struct bench_run *run, struct bench_item *items, u64 n)
{
	u64 start = ktime_get_ns(), i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = b->pool.peer->submit(&b->pool, &items[i]);
	/* those that are there already wait for the others forever */
	if (!err)
		err = bench_count_wait(n);
	if (!err)
		bench_put(run, "total_ns", b->last_ns - start);
	return err;
}

int bench_crowd(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 500), i;
	struct bench_item *items = bench_items_alloc(n);
	struct task_struct **busy = kcalloc(nr_cpu_ids, sizeof(*busy), GFP_KERNEL);
	struct crowd *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int err = -ENOMEM;

	if (!items || !busy || !b)
		goto out_free;
	err = bench_pool_create(&b->pool, run, &arrive_fn);
	if (err)
		goto out_free;
	err = busy_start(busy);
	if (err)
		goto out_destroy;
	bench_items_init(&b->pool, items, n);
	for (i = 0; i < n; i++)
		items[i].data = b;
	init_waitqueue_head(&b->all_there);
	atomic_set(&b->missing, n);
	bench_count_reset();
	err = gather(b, run, items, n);
	busy_stop(busy);
	if (err)
		return bench_lost(err);
	b->pool.peer->flush(&b->pool);
	bench_pool_put_stats(&b->pool, run);
out_destroy:
	bench_pool_destroy(&b->pool);
out_free:
	kfree(b);
	kfree(busy);
	kvfree(items);
	return err;
}
