// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which tasks start, by counting.
 *
 *	order n=N [capacity=W] [depth=D] [us=US] [compute=1] [every=K other=US] [producers=P]
 *	      [gap=US] [via=submit|batch|group|event|invoke|strand] [drop=1]
 *
 * P producers share N tasks of us microseconds, asleep or with compute=1 busy; each K-th one
 * sleeps for other microseconds instead. A producer sleeps for gap microseconds after each
 * submit.
 *
 * "overtaken_*": how many tasks whose submit began when that of a task had returned started
 * before it. "wait_*" and "fifo_*", in us: as those of full, see there.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>

#include "peers.h"
#include "producers.h"

#define BATCH 16U

enum via { VIA_SUBMIT, VIA_BATCH, VIA_GROUP, VIA_EVENT, VIA_INVOKE, VIA_STRAND, NR_VIAS };

static const char * const via_names[NR_VIAS] = {
	"submit", "batch", "group", "event", "invoke", "strand",
};

/*
 * @before, @after: the clock when its submit began, and when that had returned; 0: it was not
 *	accepted
 * @start: its place among all starts, from 1; 0: it has none
 */
struct ordered {
	union {
		struct wpool_task task;
		struct wpool_group_task member;
		struct wpool_event event;
		struct {
			struct wpool_strand strand;
			struct wpool_strand_task in_strand;
		};
	};
	struct order *order;
	u32 before, after, start;
	u64 submit_ns, start_ns;
};

struct order {
	struct wpool *pool;
	struct wpool_group group;
	struct ordered *tasks;
	struct bench_meter meter;
	enum via via;
	u64 n, us, every, other_us, gap_us;
	bool compute, drop;
	atomic_t clock, starts;
};

/* ---- tasks ---- */

static void serve(struct ordered *o)
{
	struct order *b = o->order;
	u64 i = o - b->tasks;

	o->start_ns = ktime_get_ns();
	o->start = atomic_inc_return(&b->starts);
	if (b->every && i % b->every == b->every - 1)
		bench_sleep_us(b->other_us);
	else if (!b->compute && b->us)
		bench_sleep_us(b->us);
	else
		while (ktime_get_ns() - o->start_ns < b->us * NSEC_PER_USEC)
			cpu_relax();
	bench_count();
}

static void serve_task(struct wpool_task *task)
{
	serve(container_of(task, struct ordered, task));
}

static int serve_member(struct wpool_group_task *task)
{
	serve(container_of(task, struct ordered, member));
	return 0;
}

static void serve_event(struct wpool_event *event)
{
	serve(container_of(event, struct ordered, event));
}

static void serve_in_strand(struct wpool_strand_task *task)
{
	serve(container_of(task, struct ordered, in_strand));
}

static void serve_arg(void *arg)
{
	serve(arg);
}

static void prepare(struct order *b, struct ordered *o)
{
	o->order = b;
	switch (b->via) {
	case VIA_GROUP:
		wpool_group_task_init(&o->member, serve_member, NULL);
		break;
	case VIA_EVENT:
		wpool_event_init(&o->event, b->pool, serve_event, NULL);
		break;
	case VIA_STRAND:
		wpool_strand_init(&o->strand, b->pool, WPOOL_UNLIMITED);
		wpool_strand_task_init(&o->in_strand, &o->strand, serve_in_strand, NULL);
		break;
	default:
		wpool_task_init(&o->task, serve_task);
	}
}

/* ---- submits ---- */

static int submit_batch(struct order *b, struct ordered *o, u32 nr)
{
	struct wpool_task *tasks[BATCH];
	u32 i;

	for (i = 0; i < nr; i++)
		tasks[i] = &o[i].task;
	return wpool_submit_batch(b->pool, tasks, nr, 0) == (int)nr ? 0 : -EIO;
}

static int submit(struct order *b, struct ordered *o, u32 nr)
{
	switch (b->via) {
	case VIA_BATCH:
		return submit_batch(b, o, nr);
	case VIA_GROUP:
		return wpool_group_submit(&b->group, &o->member);
	case VIA_EVENT:
		return wpool_event_fire(&o->event) ? 0 : -EIO;
	case VIA_INVOKE:
		return wpool_invoke(b->pool, o);
	case VIA_STRAND:
		return wpool_strand_try_submit(&o->in_strand);
	default:
		return wpool_submit(b->pool, &o->task);
	}
}

static int produce(struct bench_producer *p)
{
	struct order *b = p->data;
	u64 i = p->first, end = p->first + p->nr, now;
	u32 nr, k, before, after;
	int err;

	for (; i < end; i += nr) {
		nr = b->via == VIA_BATCH ? min_t(u64, BATCH, end - i) : 1;
		now = ktime_get_ns();
		before = atomic_inc_return(&b->clock);
		err = submit(b, &b->tasks[i], nr);
		if (err && !b->drop)
			return err;
		after = atomic_inc_return(&b->clock);
		for (k = 0; !err && k < nr; k++) {
			b->tasks[i + k].before = before;
			b->tasks[i + k].after = after;
			b->tasks[i + k].submit_ns = now;
		}
		if (b->gap_us)
			bench_sleep_us(b->gap_us);
	}
	return 0;
}

/* ---- counting ---- */

static int compare_start(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_submit(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->before < y->before ? -1 : x->before > y->before;
}

/*
 * In the order of the starts: how many that have started by then began their submit later?
 * @sum is a Fenwick tree over the clock, which ends at @end.
 */
static void count_overtakes(struct ordered **tasks, u32 nr, u32 *sum, u32 end, u32 *counts)
{
	u32 i, k;

	for (i = 0; i < nr; i++) {
		counts[i] = i;
		for (k = tasks[i]->after; k; k -= k & -k)
			counts[i] -= sum[k];
		for (k = tasks[i]->before; k <= end; k += k & -k)
			sum[k]++;
	}
}

static void put_waits(struct bench_run *run, struct ordered **by_submit, u32 nr, u32 *waits_us,
		      u64 *starts_ns)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		waits_us[i] = bench_wait_us(by_submit[i]->submit_ns, by_submit[i]->start_ns);
		starts_ns[i] = by_submit[i]->start_ns;
	}
	bench_put_percentiles(run, "wait", waits_us, nr);
	sort(starts_ns, nr, sizeof(*starts_ns), bench_compare_u64, NULL);
	for (i = 0; i < nr; i++)
		waits_us[i] = bench_wait_us(by_submit[i]->submit_ns, starts_ns[i]);
	bench_put_percentiles(run, "fifo", waits_us, nr);
}

static int put_order(struct order *b, struct bench_run *run)
{
	struct ordered **tasks = kvcalloc(b->n, sizeof(*tasks), GFP_KERNEL);
	u32 end = atomic_read(&b->clock), nr = 0;
	u32 *sum = kvcalloc(end + 1, sizeof(*sum), GFP_KERNEL);
	u32 *counts = kvcalloc(b->n, sizeof(*counts), GFP_KERNEL);
	u64 *starts_ns = kvcalloc(b->n, sizeof(*starts_ns), GFP_KERNEL);
	int err = -ENOMEM;
	u64 i;

	if (!tasks || !sum || !counts || !starts_ns)
		goto out;
	for (i = 0; i < b->n; i++)
		if (b->tasks[i].before && b->tasks[i].start)
			tasks[nr++] = &b->tasks[i];
	err = -EIO;
	if (!nr)
		goto out;
	sort(tasks, nr, sizeof(*tasks), compare_start, NULL);
	count_overtakes(tasks, nr, sum, end, counts);
	bench_put_percentiles(run, "overtaken", counts, nr);
	sort(tasks, nr, sizeof(*tasks), compare_submit, NULL);
	put_waits(run, tasks, nr, counts, starts_ns);
	err = 0;
out:
	kvfree(starts_ns);
	kvfree(counts);
	kvfree(sum);
	kvfree(tasks);
	return err;
}

/* ---- a measurement ---- */

static int create(struct order *b, const struct bench_run *run)
{
	struct wpool_attrs attrs;
	int err;

	wpool_attrs_init(&attrs);
	attrs.name = "order";
	attrs.capacity = bench_num(run, "capacity", 8);
	attrs.queue_depth = bench_num(run, "depth", 64);
	if (b->drop)
		attrs.policy = WPOOL_DROP_OLDEST;
	b->pool = b->via == VIA_INVOKE ? wpool_create_func(&attrs, serve_arg, THIS_MODULE) :
					 wpool_create(&attrs, THIS_MODULE);
	if (IS_ERR(b->pool))
		return PTR_ERR(b->pool);
	err = b->via == VIA_GROUP ? wpool_group_init(&b->group, b->pool, WPOOL_UNLIMITED, NULL) : 0;
	if (err)
		wpool_destroy(b->pool);
	return err;
}

static int run_all(struct order *b, struct bench_run *run)
{
	u64 i;
	int err;

	for (i = 0; i < b->n; i++)
		prepare(b, &b->tasks[i]);
	bench_count_reset();
	err = bench_produce(run, bench_num(run, "producers", 1), b->n, produce, b, &b->meter);
	/* what was dropped counts nowhere, and the flush waits for the others */
	if (!err && !b->drop)
		err = bench_count_wait(b->n);
	if (err)
		return bench_lost(err);
	wpool_flush(b->pool);
	bench_meter_stop(&b->meter, run);
	if (b->via == VIA_GROUP)
		wpool_group_exit(&b->group);
	for (i = 0; b->via == VIA_STRAND && i < b->n; i++)
		wpool_strand_destroy(&b->tasks[i].strand);
	wpool_destroy(b->pool);
	return 0;
}

int bench_order(struct bench_run *run)
{
	const char *via = bench_text(run, "via", "submit");
	struct order b = {
		.n = bench_num(run, "n", 1000),
		.us = bench_num(run, "us", 0),
		.every = bench_num(run, "every", 0),
		.other_us = bench_num(run, "other", 0),
		.gap_us = bench_num(run, "gap", 0),
		.compute = bench_num(run, "compute", 0),
		.drop = bench_num(run, "drop", 0),
	};
	int err;

	while (b.via < NR_VIAS && strcmp(via, via_names[b.via]))
		b.via++;
	if (b.via == NR_VIAS || !b.n || b.n > U32_MAX / 4)
		return -EINVAL;
	b.tasks = kvcalloc(b.n, sizeof(*b.tasks), GFP_KERNEL);
	if (!b.tasks)
		return -ENOMEM;
	err = create(&b, run);
	if (err)
		goto out_free;
	err = run_all(&b, run);
	if (err)
		return err;
	err = put_order(&b, run);
out_free:
	kvfree(b.tasks);
	return err;
}
