// SPDX-License-Identifier: GPL-2.0
/*
 * A submitter that has something to do itself: is another CPU used meanwhile?
 *
 *	beside peer=NAME n=N [tasks=TASKS] [ns=NS] [from=thread|softirq|irq] [batch=TASKS] [on=CPU]
 *
 * N times, a thread on CPU 0 submits TASKS tasks that compute for NS, and then computes as
 * long itself. "beside_*" is the time from before the first submit until all of them have
 * ended, the thread included; "start_*" the time until the first task has started; in ns.
 * With from=softirq a timer of that CPU submits them, while the thread computes; with from=irq its
 * hard interrupt does, and the thread computes nothing. With on=CPU they are submitted on that CPU.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "peers.h"
#include "producers.h"

#define MAX_TASKS	64

struct beside {
	struct bench_pool pool;
	struct bench_item items[MAX_TASKS];
	struct hrtimer timer;
	u64 started_ns[MAX_TASKS], ended_ns[MAX_TASKS];
	u64 ns, tasks, batch, on, submitted_ns;
	bool softirq, irq;
	u32 *beside_ns, *start_ns;
	int err;
};

static u64 compute_for(u64 ns)
{
	u64 start = ktime_get_ns(), now;

	do {
		cpu_relax();
		now = ktime_get_ns();
	} while (now - start < ns);
	return now;
}

static void compute(struct bench_item *item)
{
	struct beside *b = item->data;

	b->started_ns[item - b->items] = ktime_get_ns();
	b->ended_ns[item - b->items] = compute_for(b->ns);
	bench_count();
}

BENCH_FN(compute);

static int submit_all(struct beside *b)
{
	const struct bench_peer *peer = b->pool.peer;
	u64 i;
	int err = 0;

	b->submitted_ns = ktime_get_ns();
	if (b->batch && peer->submit_batch)
		return peer->submit_batch(&b->pool, b->items, b->tasks, b->batch) == b->tasks ?
		       0 : -EAGAIN;
	for (i = 0; i < b->tasks && !err; i++) {
		if (b->on < nr_cpu_ids && !strcmp(peer->name, "wpool"))
			err = wpool_submit_on(b->pool.wpool, b->on, &b->items[i].task);
		else
			err = b->softirq || b->irq ? peer->submit_atomic(&b->pool, &b->items[i]) :
					   peer->submit(&b->pool, &b->items[i]);
	}
	return err;
}

static enum hrtimer_restart fired(struct hrtimer *timer)
{
	struct beside *b = container_of(timer, struct beside, timer);

	b->err = submit_all(b);
	return HRTIMER_NORESTART;
}

static int go_beside(struct beside *b, u64 *own_ns)
{
	if (!b->softirq && !b->irq) {
		b->err = submit_all(b);
	} else {
		b->submitted_ns = ktime_get_ns();
		hrtimer_start(&b->timer, ns_to_ktime(10000),
			      b->irq ? HRTIMER_MODE_REL_PINNED_HARD :
				       HRTIMER_MODE_REL_PINNED_SOFT);
	}
	*own_ns = b->irq ? 0 : compute_for(b->ns);
	if (b->softirq || b->irq) {
		while (hrtimer_active(&b->timer))
			cpu_relax();
	}
	return b->err;
}

static int produce(struct bench_producer *p)
{
	struct beside *b = p->data;
	u64 i, j, end, start;
	int err;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(500);
		err = go_beside(b, &end);
		if (!err)
			err = bench_count_wait((i + 1) * b->tasks);
		if (err)
			return err;
		b->pool.peer->flush(&b->pool);
		start = b->started_ns[0];
		for (j = 0; j < b->tasks; j++) {
			end = max(end, b->ended_ns[j]);
			start = min(start, b->started_ns[j]);
		}
		b->beside_ns[i] = min_t(u64, end - b->submitted_ns, U32_MAX);
		b->start_ns[i] = min_t(u64, start - b->submitted_ns, U32_MAX);
	}
	return 0;
}

static int rounds(struct beside *b, struct bench_run *run, u64 n)
{
	bench_count_reset();
	return bench_produce(run, 1, n, produce, b, NULL);
}

int bench_beside(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 50), i;
	struct beside *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int err = -ENOMEM;

	if (!b)
		return -ENOMEM;
	b->ns = bench_num(run, "ns", 100000);
	b->tasks = bench_num(run, "tasks", 1);
	b->batch = bench_num(run, "batch", 0);
	b->on = bench_num(run, "on", nr_cpu_ids);
	b->softirq = !strcmp(bench_text(run, "from", "thread"), "softirq");
	b->irq = !strcmp(bench_text(run, "from", "thread"), "irq");
	b->beside_ns = kvcalloc(max(n, 1ULL), sizeof(u32), GFP_KERNEL);
	b->start_ns = kvcalloc(max(n, 1ULL), sizeof(u32), GFP_KERNEL);
	if (!b->beside_ns || !b->start_ns)
		goto out_free;
	err = -EINVAL;
	if (!n || !b->tasks || b->tasks > MAX_TASKS)
		goto out_free;
	err = bench_pool_create(&b->pool, run, &compute_fn);
	if (err)
		goto out_free;
	err = -EINVAL;
	if (!b->pool.peer->submit_atomic)
		goto out_destroy;
	if (b->on < nr_cpu_ids && b->pool.peer->init && strcmp(b->pool.peer->name, "wpool"))
		b->pool.cpu = b->on;
	for (i = 0; i < b->tasks; i++) {
		b->pool.peer->init(&b->pool, &b->items[i]);
		b->items[i].data = b;
	}
	hrtimer_setup(&b->timer, fired, CLOCK_MONOTONIC,
		      b->irq ? HRTIMER_MODE_REL_PINNED_HARD : HRTIMER_MODE_REL_PINNED_SOFT);
	/* unmeasured, so that there are workers, and that it is known how long tasks take */
	err = rounds(b, NULL, 20);
	if (!err)
		err = rounds(b, run, n);
	if (err)
		return bench_lost(err);
	bench_put_percentiles(run, "beside", b->beside_ns, n);
	bench_put_percentiles(run, "start", b->start_ns, n);
	bench_pool_put_stats(&b->pool, run);
out_destroy:
	bench_pool_destroy(&b->pool);
out_free:
	kvfree(b->start_ns);
	kvfree(b->beside_ns);
	kfree(b);
	return err;
}
