// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which tasks start, by counting.
 *
 *	order n=N [capacity=W] [depth=D] [us=US] [compute=1] [every=K other=US] [producers=P]
 *	      [gap=US] [via=submit|batch|group|event|invoke|strand] [drop=1]
 *
 * P producers share N tasks. A task sleeps for us microseconds, or with compute=1 computes; each
 * K-th task sleeps for other microseconds instead. A producer sleeps for gap microseconds after
 * each submit.
 *
 * "overtaken_*": how many tasks overtook a task: they started before the task, although their
 * submit began after the task's submit had returned. "wait_*" and "fifo_*" are as in full.c.
 */
#include "bench.h"
#include "order.h"

static const char * const via_names[NR_ORDER_VIAS] = {
	"submit", "batch", "group", "event", "invoke", "strand",
};

struct order {
	struct bench b;
	struct order_load load;
	u64 gap_us;
};

static int produce(struct bench_producer *p)
{
	struct order *o = p->data;
	u64 i = p->first, end = p->first + p->nr;
	u32 nr;
	int err;

	for (; i < end; i += nr) {
		nr = min_t(u64, order_step(&o->load), end - i);
		err = order_submit(&o->load, i, nr);
		if (err && !o->load.drop)
			return err;
		if (o->gap_us)
			bench_sleep_us(o->gap_us);
	}
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
	return bench_put_waits(&o->b, waits, nr);
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
	bool compute = bench_num(b->run, "compute", 0);
	struct order *o = container_of(b, struct order, b);
	u64 us = bench_num(b->run, "us", 0);

	if (via < 0 || b->n > U32_MAX / 4)
		return -EINVAL;
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
	/* with drop=1 some tasks do not run, and only wpool_flush() waits for the others */
	if (!err && !o->load.drop)
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
