// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which tasks start, by counting.
 *
 *	order n=N [capacity=W] [depth=D] [us=US] [compute=1] [every=K other=US] [producers=P]
 *	      [gap=US] [via=submit|batch|group|event|invoke|strand] [drop=1] [fail=1]
 *	      [period=US] [then=tune|offline|realtime]
 *
 * P producers share N tasks. A task sleeps for us microseconds, or with compute=1 computes; each
 * K-th task sleeps for other microseconds instead. A producer sleeps for gap microseconds after
 * each submit. With period=US it begins a submit each US microseconds, or at once if that time has
 * passed. With drop=1 the policy is drop_oldest, with fail=1 it is fail.
 *
 * then: what happens when the first producer has submitted a third of its tasks, and when two
 * thirds. tune: the capacity becomes 2, then 64; offline: the last CPU goes, then comes back;
 * realtime: a real-time thread computes on the last CPU, then ends.
 *
 * "overtaken_*": how many tasks overtook a task: they started before the task, although their
 * submit began after the task's submit had returned. "wait_*" and "fifo_*" are as in full.c. With
 * period=US "second_*" and "second_fifo_*" are the same for the tasks submitted from 1 s to 2 s
 * after the first one, "last_*" and "last_fifo_*" for those of the last second.
 */
#include <linux/cpu.h>
#include <linux/sched.h>

#include "bench.h"
#include "order.h"

static const char * const via_names[NR_ORDER_VIAS] = {
	"submit", "batch", "group", "event", "invoke", "strand",
};

enum order_then {
	THEN_TUNE,
	THEN_OFFLINE,
	THEN_REALTIME,
	NR_THENS,
	THEN_NOTHING = NR_THENS,
};

static const char * const then_names[NR_THENS] = { "tune", "offline", "realtime" };

struct order {
	struct bench b;
	struct order_load load;
	u64 gap_us, period_us;
	bool fail;
	enum order_then then;
	u32 nr_changes;
	struct task_struct *realtime;
};

static int tune(struct order *o, u32 capacity)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.capacity = capacity;
	return wpool_tune(o->load.pool, &attrs, WPOOL_TUNE_CAPACITY);
}

static int begin_realtime(struct order *o, int cpu)
{
	o->realtime = bench_busy_create(cpu);
	if (IS_ERR(o->realtime))
		return PTR_ERR(o->realtime);
	sched_set_fifo(o->realtime);
	wake_up_process(o->realtime);
	return 0;
}

static int change(struct order *o, bool first)
{
	int cpu = cpumask_last(cpu_possible_mask);

	switch (o->then) {
	case THEN_TUNE:
		return tune(o, first ? 2 : 64);
	case THEN_OFFLINE:
		return first ? remove_cpu(cpu) : add_cpu(cpu);
	case THEN_REALTIME:
		return first ? begin_realtime(o, cpu) : kthread_stop(o->realtime);
	default:
		return 0;
	}
}

/* Sleep until it is time for the next submit, of which @nr have been made since @start_ns. */
static void wait_for_turn(struct order *o, u64 start_ns, u64 nr)
{
	u64 due_ns = start_ns + nr * o->period_us * NSEC_PER_USEC, now = ktime_get_ns();

	if (o->gap_us)
		bench_sleep_us(o->gap_us);
	if (due_ns > now)
		bench_sleep_us(DIV_ROUND_UP_ULL(due_ns - now, NSEC_PER_USEC));
}

static int produce(struct bench_producer *p)
{
	struct order *o = p->data;
	u64 done = 0, start_ns = ktime_get_ns();
	u32 nr;
	int err;

	for (; done < p->nr; done += nr) {
		if (!p->index && done * 3 >= p->nr * (o->nr_changes + 1)) {
			err = change(o, !o->nr_changes++);
			if (err)
				return err;
		}
		nr = min_t(u64, order_step(&o->load), p->nr - done);
		err = order_submit(&o->load, p->first + done, nr);
		if (err && !o->load.drop && !(o->fail && err == -EAGAIN))
			return err;
		wait_for_turn(o, start_ns, done + nr);
	}
	return 0;
}

/* Put percentiles of the waits of the tasks submitted in the second from @from_ns on. */
static void put_second(struct order *o, const char *name, const struct bench_wait *waits, u32 nr,
		       u64 from_ns, u32 *waits_us)
{
	u32 i, n = 0;

	for (i = 0; i < nr; i++)
		if (waits[i].submit_ns - from_ns < NSEC_PER_SEC)
			waits_us[n++] = bench_wait_us(waits[i].submit_ns, waits[i].start_ns);
	if (n)
		bench_put_percentiles(o->b.run, name, waits_us, n);
}

/* Uses @room, and changes @waits. */
static int put_seconds(struct order *o, struct bench_wait *waits, u32 nr, u32 *room)
{
	u64 *starts_ns = bench_zalloc(&o->b, nr, sizeof(*starts_ns));
	u64 second = waits[0].submit_ns + NSEC_PER_SEC;
	u64 last = waits[nr - 1].submit_ns - NSEC_PER_SEC;
	u32 i;

	if (!starts_ns)
		return -ENOMEM;
	put_second(o, "second", waits, nr, second, room);
	put_second(o, "last", waits, nr, last, room);
	for (i = 0; i < nr; i++)
		starts_ns[i] = waits[i].start_ns;
	sort(starts_ns, nr, sizeof(*starts_ns), bench_compare_u64, NULL);
	for (i = 0; i < nr; i++)
		waits[i].start_ns = starts_ns[i];
	put_second(o, "second_fifo", waits, nr, second, room);
	put_second(o, "last_fifo", waits, nr, last, room);
	return 0;
}

static int put_figures(struct order *o)
{
	struct order_load *load = &o->load;
	u64 nr = load->nr;
	struct ordered **by_start = bench_zalloc(&o->b, nr, sizeof(*by_start));
	struct ordered **by_submit = bench_zalloc(&o->b, nr, sizeof(*by_submit));
	u32 *sum = bench_zalloc(&o->b, atomic_read(&load->clock) + 1, sizeof(*sum));
	u32 *overtakes = bench_zalloc(&o->b, nr, sizeof(*overtakes));
	struct bench_wait *waits = bench_zalloc(&o->b, nr, sizeof(*waits));
	int err;
	u32 i;

	if (o->b.run->no_memory)
		return -ENOMEM;
	nr = order_sort(load, by_start, by_submit);
	if (!nr)
		return -EIO;
	order_count(load, by_start, by_submit, nr, sum, overtakes, NULL, 0);
	bench_put_percentiles(o->b.run, "overtaken", overtakes, nr);
	for (i = 0; i < nr; i++)
		waits[i] = (struct bench_wait){ by_submit[i]->submit_ns, by_submit[i]->start_ns };
	err = bench_put_waits(&o->b, waits, nr);
	return err || !o->period_us ? err : put_seconds(o, waits, nr, overtakes);
}

static int create(struct order *o)
{
	struct order_load *load = &o->load;
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "order";
	attrs.capacity = bench_num(o->b.run, "capacity", 8);
	attrs.queue_depth = bench_num(o->b.run, "depth", 64);
	if (load->drop)
		attrs.policy = WPOOL_DROP_OLDEST;
	if (o->fail)
		attrs.policy = WPOOL_FAIL;
	load->pool = load->via == ORDER_INVOKE ? wpool_create_func(&attrs, order_run_arg) :
						 wpool_create(&attrs);
	return IS_ERR(load->pool) ? PTR_ERR(load->pool) : order_init(load);
}

static void count(void)
{
	bench_count();
}

static int prepare(struct bench *b)
{
	int via = match_string(via_names, NR_ORDER_VIAS, bench_text(b->run, "via", "submit"));
	const char *then = bench_text(b->run, "then", NULL);
	int change = then ? match_string(then_names, NR_THENS, then) : THEN_NOTHING;
	bool compute = bench_num(b->run, "compute", 0);
	struct order *o = container_of(b, struct order, b);
	u64 us = bench_num(b->run, "us", 0);

	if (via < 0 || change < 0 || b->n > U32_MAX / 4)
		return -EINVAL;
	o->then = change;
	o->fail = bench_num(b->run, "fail", 0);
	o->period_us = bench_num(b->run, "period", 0);
	o->gap_us = bench_num(b->run, "gap", 0);
	o->load = (struct order_load){
		.via = via,
		.nr = b->n,
		.sleep_us = compute ? 0 : us,
		.busy_us = compute ? us : 0,
		.every = bench_num(b->run, "every", 0),
		.other_us = bench_num(b->run, "other", 0),
		.drop = bench_num(b->run, "drop", 0),
		.has_run = count,
		.tasks = bench_zalloc(b, b->n, sizeof(*o->load.tasks)),
	};
	return 0;
}

static int measure(struct bench *b)
{
	struct order *o = container_of(b, struct order, b);
	int err = create(o);

	if (err)
		return err;
	bench_count_reset();
	err = bench_produce(b, true, b->n, produce);
	/* if some tasks do not run, only wpool_flush() waits for the others */
	if (!err && !o->load.drop && !o->fail)
		err = bench_count_wait(b->n);
	if (err)
		return err;
	wpool_flush(o->load.pool);
	bench_meter_stop(b);
	order_exit(&o->load);
	wpool_destroy(o->load.pool);
	return put_figures(o);
}

const struct bench_case bench_order = {
	.name = "order",
	.size = sizeof(struct order),
	.prepare = prepare,
	.measure = measure,
};
