// SPDX-License-Identifier: GPL-2.0
/*
 * A thread submits tasks, and then computes itself: does another CPU run the tasks meanwhile?
 *
 *	beside peer=NAME n=N [tasks=TASKS] [ns=NS] [from=thread|softirq|irq] [batch=TASKS] [on=CPU]
 *
 * N times, a thread on CPU 0 submits TASKS tasks that compute for NS, and then computes for NS
 * itself. "beside_*" is the time in ns from before the first submit until all tasks have ended and
 * the thread has computed; "start_*" is the time from the same moment until the first task starts.
 * With from=softirq a timer of CPU 0 submits the tasks, while the thread computes. With from=irq
 * the hard interrupt of the timer submits them, and the thread does not compute. With on=CPU
 * wpool's tasks are submitted with wpool_submit_on(), works with queue_work_on(). "on_cpu0" is how
 * many of all N * TASKS tasks ran on CPU 0.
 */
#include "bench.h"
#include "compat.h"

struct beside {
	struct bench b;
	struct hrtimer timer;
	enum hrtimer_mode mode;
	u64 *started_ns, *ended_ns;	/* of each task */
	u64 ns, tasks, on, submitted_ns;
	bool timed, irq;
	u32 *beside_ns, *start_ns;
	int err;
};

static void compute(struct bench_item *item)
{
	struct beside *s = item->data;
	u64 i = item - s->b.items;

	s->started_ns[i] = ktime_get_ns();
	s->ended_ns[i] = bench_compute_for(s->ns);
	bench_count();
}

BENCH_FN(compute);

static int submit(struct beside *s, struct bench_item *item)
{
	struct bench *b = &s->b;

	if (s->on < nr_cpu_ids && !strcmp(b->pool.peer->name, "wpool"))
		return wpool_submit_on(b->pool.wpool, s->on, &item->task);
	if (s->timed)
		return b->pool.peer->submit_atomic(&b->pool, item);
	return bench_submit(b, item);
}

static int submit_all(struct beside *s)
{
	struct bench *b = &s->b;
	int err = 0;
	u64 i;

	s->submitted_ns = ktime_get_ns();
	if (b->batch)
		return b->pool.peer->submit_batch(&b->pool, b->items, s->tasks, b->batch) ==
		       s->tasks ? 0 : -EAGAIN;
	for (i = 0; i < s->tasks && !err; i++)
		err = submit(s, &b->items[i]);
	return err;
}

static enum hrtimer_restart fired(struct hrtimer *timer)
{
	struct beside *s = container_of(timer, struct beside, timer);

	s->err = submit_all(s);
	return HRTIMER_NORESTART;
}

static int go_beside(struct beside *s, u64 *own_ns)
{
	if (!s->timed) {
		s->err = submit_all(s);
	} else {
		s->submitted_ns = ktime_get_ns();
		hrtimer_start(&s->timer, ns_to_ktime(10000), s->mode);
	}
	*own_ns = s->irq ? 0 : bench_compute_for(s->ns);
	while (s->timed && hrtimer_active(&s->timer))
		cpu_relax();
	return s->err;
}

static int produce(struct bench_producer *p)
{
	struct beside *s = p->data;
	u64 i, j, end, start;
	int err;

	for (i = 0; i < p->nr; i++) {
		bench_sleep_us(500);
		err = go_beside(s, &end) ?: bench_count_wait((i + 1) * s->tasks);
		if (err)
			return err;
		bench_flush(&s->b);
		start = s->started_ns[0];
		for (j = 0; j < s->tasks; j++) {
			end = max(end, s->ended_ns[j]);
			start = min(start, s->started_ns[j]);
		}
		s->beside_ns[i] = bench_u32(end - s->submitted_ns);
		s->start_ns[i] = bench_u32(start - s->submitted_ns);
	}
	return 0;
}

/* Rounds before the measurement, so that workers exist and the length of the tasks is known. */
#define WARM	20

static int prepare(struct bench *b)
{
	struct beside *s = container_of(b, struct beside, b);

	s->ns = bench_num(b->run, "ns", 100000);
	s->tasks = bench_num(b->run, "tasks", 1);
	s->on = bench_num(b->run, "on", nr_cpu_ids);
	s->irq = bench_is(b->run, "from", "irq");
	s->timed = s->irq || bench_is(b->run, "from", "softirq");
	s->mode = s->irq ? HRTIMER_MODE_REL_PINNED_HARD : HRTIMER_MODE_REL_PINNED_SOFT;
	b->nr_items = s->tasks;
	s->started_ns = bench_zalloc(b, s->tasks, sizeof(u64));
	s->ended_ns = bench_zalloc(b, s->tasks, sizeof(u64));
	s->beside_ns = bench_series(b, "beside", max_t(u64, b->n, WARM));
	s->start_ns = bench_series(b, "start", max_t(u64, b->n, WARM));
	return s->tasks ? 0 : -EINVAL;
}

static int ready(struct bench *b)
{
	struct beside *s = container_of(b, struct beside, b);

	if (s->on < nr_cpu_ids)
		b->pool.cpu = s->on;
	hrtimer_setup(&s->timer, fired, CLOCK_MONOTONIC, s->mode);
	return b->pool.peer->submit_atomic ? 0 : -EINVAL;
}

static int measure(struct bench *b)
{
	int err;

	bench_count_reset();
	err = bench_produce(b, false, WARM, produce);
	bench_count_reset();
	err = err ?: bench_produce(b, true, b->n, produce);
	bench_put(b->run, "on_cpu0", per_cpu(bench_finished, 0));
	return err;
}

const struct bench_case bench_beside = {
	.name = "beside",
	.size = sizeof(struct beside),
	.fn = &compute_fn,
	.n = 50,
	.prepare = prepare,
	.ready = ready,
	.measure = measure,
};
