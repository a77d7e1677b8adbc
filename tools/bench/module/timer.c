// SPDX-License-Identifier: GPL-2.0
/*
 * A timer interrupt that submits.
 *
 *	timer peer=NAME n=N [period=US] [cpu=C]
 *	pair peer=NAME n=N
 *	arrivals peer=wpool n=N load=PERCENT
 *
 * timer: a high-resolution timer on CPU 0, in hard interrupt context, submits a task. The task
 * wakes a thread, which sets the timer to fire a period later; N times. "start_*" is the time from
 * before the submit until the task starts, "enqueue_*" the time of the submit alone, in ns.
 * "on_cpu0" is how many tasks ran on CPU 0.
 *
 * The timer does not restart itself: to set the next expiry in the interrupt can take longer than
 * the submit. It would delay the workers of that CPU, but not those of another CPU.
 *
 * pair: N times, such a timer submits a task, and 100 microseconds later another one; both compute
 * for 9 ms. Between two pairs is a pause. "pair_*" is the time from before the first
 * submit until both tasks have ended, in ns.
 *
 * arrivals: such a timer submits tasks that compute for 200 microseconds, at random times, so that
 * they take PERCENT of the time of all CPUs. The pool has a worker for each CPU. "parked_ns" is the
 * time in which a task was queued although a worker was parked and none was searching or woken, as
 * seen by a task that ran meanwhile: it reads the pool's figures again and again, and the time
 * between two readings counts if both say so. "start_*" is as above.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/prandom.h>
#include <linux/wpool_stats.h>

#include "bench.h"
#include "compat.h"

struct ticks {
	struct bench b;
	struct hrtimer timer;
	u64 *submitted_ns, *ended_ns;	/* for each item */
	u32 *enqueue_ns, *start_ns;
	u64 next, period_ns;
	struct completion done;
	int err;
	u64 us;
	u32 *pair_ns;	/* only for pair */
	/* only for arrivals */
	struct rnd_state random;
	u64 slot_ns, nr;
	atomic64_t parked_ns;
};

static struct ticks *ticks_of(struct bench *b)
{
	return container_of(b, struct ticks, b);
}

static void ticked(struct bench_item *item)
{
	struct ticks *t = item->data;

	t->ended_ns[item - t->b.items] = ktime_get_ns();
	bench_count();
	complete(&t->done);
}

BENCH_FN(ticked);

static void submit(struct ticks *t)
{
	struct bench *b = &t->b;

	t->submitted_ns[t->next] = ktime_get_ns();
	t->err = b->pool.peer->submit_atomic(&b->pool, &b->items[t->next]);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct ticks *t = container_of(timer, struct ticks, timer);

	submit(t);
	t->enqueue_ns[t->next] = bench_u32(ktime_get_ns() - t->submitted_ns[t->next]);
	if (t->err)
		complete(&t->done);
	return HRTIMER_NORESTART;
}

/* Start the timer, pinned to this thread's CPU; wait for the task, or the submit of the pair. */
static void start_and_wait(struct ticks *t)
{
	hrtimer_start(&t->timer, ns_to_ktime(t->period_ns), HRTIMER_MODE_REL_PINNED_HARD);
	wait_for_completion(&t->done);
	/* wait until the timer's function has returned */
	hrtimer_cancel(&t->timer);
}

static int produce_ticks(struct bench_producer *p)
{
	struct ticks *t = p->data;

	for (t->next = 0; t->next < p->nr && !t->err; t->next++)
		start_and_wait(t);
	return t->err ?: bench_count_wait(p->nr);
}

static int prepare(struct bench *b, u64 period_us)
{
	struct ticks *t = ticks_of(b);

	t->period_ns = period_us * NSEC_PER_USEC;
	t->submitted_ns = bench_zalloc(b, b->nr_items, sizeof(u64));
	t->ended_ns = bench_zalloc(b, b->nr_items, sizeof(u64));
	init_completion(&t->done);
	return t->period_ns ? 0 : -EINVAL;
}

static int prepare_ticks(struct bench *b)
{
	ticks_of(b)->start_ns = bench_series(b, "start", b->n);
	ticks_of(b)->enqueue_ns = bench_series(b, "enqueue", b->n);
	return prepare(b, bench_num(b->run, "period", 200));
}

static int ready(struct bench *b, enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
	hrtimer_setup(&ticks_of(b)->timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return b->pool.peer->submit_atomic ? 0 : -EINVAL;
}

static int ready_for_ticks(struct bench *b)
{
	return ready(b, timer_fired);
}

static int measure_ticks(struct bench *b)
{
	struct ticks *t = ticks_of(b);
	u64 i;
	int err;

	bench_count_reset();
	/* the first rounds make the workers, and are not measured */
	err = bench_produce(b, false, DIV_ROUND_UP(b->n, 10), produce_ticks);
	if (err)
		return err;
	bench_flush(b);
	bench_count_reset();
	err = bench_produce(b, true, b->n, produce_ticks);
	bench_put(b->run, "on_cpu0", per_cpu(bench_finished, 0));
	for (i = 0; i < b->n; i++)
		t->start_ns[i] = bench_u32(t->ended_ns[i] - t->submitted_ns[i]);
	return err;
}

const struct bench_case bench_timer = {
	.name = "timer",
	.size = sizeof(struct ticks),
	.fn = &ticked_fn,
	.prepare = prepare_ticks,
	.ready = ready_for_ticks,
	.measure = measure_ticks,
};

/* ---- two tasks ---- */

static void compute(struct bench_item *item)
{
	struct ticks *t = item->data;

	t->ended_ns[item - t->b.items] = bench_compute_for(t->us * NSEC_PER_USEC);
	bench_count();
}

BENCH_FN(compute);

static enum hrtimer_restart pair_fired(struct hrtimer *timer)
{
	struct ticks *t = container_of(timer, struct ticks, timer);

	submit(t);
	if (t->err || ++t->next == t->b.nr_items) {
		complete(&t->done);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(t->period_ns));
	return HRTIMER_RESTART;
}

static int produce_pairs(struct bench_producer *p)
{
	struct ticks *t = p->data;
	u64 i;
	int err;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(20000);
		t->next = 0;
		start_and_wait(t);
		err = t->err ?: bench_count_wait((i + 1) * t->b.nr_items);
		if (err)
			return err;
		/* after the flush both functions have returned, so ended_ns is written */
		bench_flush(&t->b);
		t->pair_ns[i] = bench_u32(max(t->ended_ns[0], t->ended_ns[1]) -
					  t->submitted_ns[0]);
	}
	return 0;
}

static int prepare_pairs(struct bench *b)
{
	struct ticks *t = ticks_of(b);

	t->us = 9000;
	t->pair_ns = bench_series(b, "pair", b->n);
	b->nr_items = 2;
	return prepare(b, 100);
}

static int ready_for_pairs(struct bench *b)
{
	return ready(b, pair_fired);
}

static int measure_pairs(struct bench *b)
{
	int err;

	bench_count_reset();
	/* the first two rounds make the workers, and are not measured */
	err = bench_produce(b, false, min(b->n, 2ULL), produce_pairs);
	bench_count_reset();
	return err ?: bench_produce(b, true, b->n, produce_pairs);
}

const struct bench_case bench_pair = {
	.name = "pair",
	.size = sizeof(struct ticks),
	.fn = &compute_fn,
	.n = 20,
	.prepare = prepare_pairs,
	.ready = ready_for_pairs,
	.measure = measure_pairs,
};

/* ---- random arrivals ---- */

/* An arrival in one of this many slots, on average: the number of slots between two is random. */
#define SLOTS	16

static bool is_parked_beside_queue(struct ticks *t)
{
	struct wpool_stats stats;

	wpool_get_stats(t->b.pool.wpool, &stats);
	return stats.queued && stats.idle && !stats.searching;
}

static void watch(struct bench_item *item)
{
	struct ticks *t = item->data;
	u64 i = item - t->b.items, now = ktime_get_ns(), end = now + t->us * NSEC_PER_USEC, then;
	bool is_parked = false, was_parked;

	t->start_ns[i] = bench_u32(now - t->submitted_ns[i]);
	while (now < end) {
		then = now;
		was_parked = is_parked;
		is_parked = is_parked_beside_queue(t);
		now = ktime_get_ns();
		if (was_parked && is_parked)
			atomic64_add(now - then, &t->parked_ns);
	}
	bench_count();
}

BENCH_FN(watch);

static enum hrtimer_restart arrived(struct hrtimer *timer)
{
	struct ticks *t = container_of(timer, struct ticks, timer);
	u64 gap_ns = 0;

	submit(t);
	if (t->err || ++t->next == t->nr) {
		complete(&t->done);
		return HRTIMER_NORESTART;
	}
	do
		gap_ns += t->slot_ns;
	while (prandom_u32_state(&t->random) % SLOTS);
	/* from the time when this task should have come: a late interrupt delays no other */
	hrtimer_add_expires_ns(timer, gap_ns);
	return HRTIMER_RESTART;
}

static int produce_arrivals(struct bench_producer *p)
{
	struct ticks *t = p->data;

	t->next = 0;
	t->nr = p->nr;
	atomic64_set(&t->parked_ns, 0);
	start_and_wait(t);
	return t->err ?: bench_count_wait(p->nr);
}

static int prepare_arrivals(struct bench *b)
{
	u64 load = bench_num(b->run, "load", 0);
	struct ticks *t = ticks_of(b);

	t->us = 200;
	t->start_ns = bench_series(b, "start", b->n);
	prandom_seed_state(&t->random, load);
	if (load)
		t->slot_ns = div64_u64(t->us * NSEC_PER_USEC * 100,
				       load * num_online_cpus() * SLOTS);
	return prepare(b, t->us) ?: t->slot_ns ? 0 : -EINVAL;
}

static int ready_for_arrivals(struct bench *b)
{
	return ready(b, arrived);
}

static int measure_arrivals(struct bench *b)
{
	int err = bench_measure(b, DIV_ROUND_UP(b->n, 10), produce_arrivals);

	bench_put(b->run, "parked_ns", atomic64_read(&ticks_of(b)->parked_ns));
	return err;
}

const struct bench_case bench_arrivals = {
	.name = "arrivals",
	.size = sizeof(struct ticks),
	.fn = &watch_fn,
	.prepare = prepare_arrivals,
	.ready = ready_for_arrivals,
	.measure = measure_arrivals,
};
