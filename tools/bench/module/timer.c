// SPDX-License-Identifier: GPL-2.0
/*
 * A timer interrupt that submits.
 *
 *	timer peer=NAME n=N [period=US] [cpu=C]
 *
 * A high-resolution timer on CPU 0, in hard interrupt context, submits a task. The task
 * wakes a thread, which sets the timer to fire a period later; N times. "start_*" is the
 * time from before the submit until the task starts, "enqueue_*" that of the submit alone,
 * in ns.
 *
 * The timer does not start itself again: the interrupt would set the next one before it
 * returns, which can take longer than the submit. Workers of this CPU would wait for that,
 * those of another CPU would not.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "compat.h"
#include "peers.h"
#include "producers.h"

struct tick {
	struct bench_item item;
	u64 submitted_ns, started_ns;
};

struct ticks {
	struct bench_pool pool;
	struct hrtimer timer;
	struct tick *ticks;
	u32 *enqueue_ns, *start_ns;
	u64 next, period_ns;
	int err;
	struct completion started;
};

static void ticked(struct bench_item *item)
{
	struct ticks *b = item->data;

	container_of(item, struct tick, item)->started_ns = ktime_get_ns();
	bench_count();
	complete(&b->started);
}

BENCH_FN(ticked);

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct ticks *b = container_of(timer, struct ticks, timer);
	struct tick *tick = &b->ticks[b->next];

	tick->submitted_ns = ktime_get_ns();
	b->err = b->pool.peer->submit_atomic(&b->pool, &tick->item);
	b->enqueue_ns[b->next] = min_t(u64, ktime_get_ns() - tick->submitted_ns, U32_MAX);
	if (b->err)
		complete(&b->started);
	return HRTIMER_NORESTART;
}

static int produce_ticks(struct bench_producer *p)
{
	struct ticks *b = p->data;

	for (b->next = 0; b->next < p->nr && !b->err; b->next++) {
		/* pinned: where this thread is */
		hrtimer_start(&b->timer, ns_to_ktime(b->period_ns), HRTIMER_MODE_REL_PINNED_HARD);
		wait_for_completion(&b->started);
		/* its function has returned */
		hrtimer_cancel(&b->timer);
	}
	return b->err ?: bench_count_wait(p->nr);
}

static int ticking(struct ticks *b, struct bench_run *run, u64 n)
{
	int err;

	bench_count_reset();
	err = bench_produce(run, 1, n, produce_ticks, b, NULL);
	if (!err)
		b->pool.peer->flush(&b->pool);
	return err;
}

int bench_timer(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000), i;
	struct ticks b = {
		.period_ns = bench_num(run, "period", 200) * NSEC_PER_USEC,
	};
	int err = -ENOMEM;

	if (!n || !b.period_ns)
		return -EINVAL;
	b.ticks = kvcalloc(n, sizeof(*b.ticks), GFP_KERNEL);
	b.enqueue_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	b.start_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	if (!b.ticks || !b.enqueue_ns || !b.start_ns)
		goto out_free;
	err = bench_pool_create(&b.pool, run, &ticked_fn);
	if (err)
		goto out_free;
	err = -EINVAL;
	if (!b.pool.peer->submit_atomic)
		goto out_destroy;
	for (i = 0; i < n; i++) {
		b.pool.peer->init(&b.pool, &b.ticks[i].item);
		b.ticks[i].item.data = &b;
	}
	init_completion(&b.started);
	hrtimer_setup(&b.timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	/* unmeasured, so that there are workers */
	err = ticking(&b, NULL, DIV_ROUND_UP(n, 10));
	if (!err)
		err = ticking(&b, run, n);
	if (err)
		return bench_lost(err);
	for (i = 0; i < n; i++)
		b.start_ns[i] = min_t(u64, b.ticks[i].started_ns - b.ticks[i].submitted_ns,
				      U32_MAX);
	bench_put_percentiles(run, "start", b.start_ns, n);
	bench_put_percentiles(run, "enqueue", b.enqueue_ns, n);
	bench_pool_put_stats(&b.pool, run);
out_destroy:
	bench_pool_destroy(&b.pool);
out_free:
	kvfree(b.start_ns);
	kvfree(b.enqueue_ns);
	kvfree(b.ticks);
	return err;
}
