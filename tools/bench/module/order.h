/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads whose order is measured by counting: the part that the benchmark (order.c) and the KUnit
 * suite (kunit/start_order_kunit.c) share.
 *
 * order_load.clock numbers the beginnings and the ends of all submits, order_load.started numbers
 * the starts. Afterwards order_count() counts, for each task T, the tasks that overtook it: they
 * started before T, and their submit began after T's submit had ended.
 */
#ifndef WPOOL_BENCH_ORDER_H
#define WPOOL_BENCH_ORDER_H

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sort.h>
#include <linux/wpool_event.h>
#include <linux/wpool_func.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>

/* How tasks are submitted; ORDER_STRAND: each in its own strand. */
enum order_via {
	ORDER_SUBMIT,
	ORDER_BATCH,
	ORDER_GROUP,
	ORDER_EVENT,
	ORDER_INVOKE,
	ORDER_STRAND,
	NR_ORDER_VIAS,
};

#define ORDER_BATCH_LEN	16U

/*
 * @before, @after: the clock when the task's submit began and when it returned; 0: not accepted
 * @began, @ended: the round at the same times, see struct order_load
 * @start: the task's number among all starts, from 1; 0: it has not started
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
	struct order_load *load;
	u32 before, after, start, began, ended;
	u64 submit_ns, start_ns;
};

/*
 * @sleep_us, @busy_us: how long a task sleeps, and how long it computes before that
 * @every, @other_us: every @every-th task sleeps for @other_us instead; 0: none
 * @drop: the pool's policy is drop_oldest; otherwise it is block
 * @has_run: called at the end of each task; may be NULL
 * @round: counted up by the caller, if it wants to know which overtakes are late
 */
struct order_load {
	enum order_via via;
	u64 nr, sleep_us, busy_us, every, other_us;
	bool drop;
	void (*has_run)(void);

	struct wpool *pool;
	struct wpool_group group;
	struct ordered *tasks;
	atomic_t clock, started;
	u32 round;
};

/* ---- the tasks ---- */

static void order_run(struct ordered *o)
{
	struct order_load *load = o->load;
	u64 i = o - load->tasks, us = load->sleep_us;

	o->start_ns = ktime_get_mono_fast_ns();
	o->start = atomic_inc_return(&load->started);
	if (load->every && i % load->every == load->every - 1)
		us = load->other_us;
	else
		while (ktime_get_mono_fast_ns() - o->start_ns < load->busy_us * NSEC_PER_USEC)
			cpu_relax();
	if (us)
		usleep_range(us, us);
	if (load->has_run)
		load->has_run();
}

static void order_run_task(struct wpool_task *task)
{
	order_run(container_of(task, struct ordered, task));
}

static int order_run_member(struct wpool_group_task *task)
{
	order_run(container_of(task, struct ordered, member));
	return 0;
}

static void order_run_event(struct wpool_event *event)
{
	order_run(container_of(event, struct ordered, event));
}

static void order_run_in_strand(struct wpool_strand_task *task)
{
	order_run(container_of(task, struct ordered, in_strand));
}

/* The function of a pool for wpool_invoke(). */
static void order_run_arg(void *arg)
{
	order_run(arg);
}

/* Initialise the tasks, which are zeroed, and the group. The pool exists. */
static int order_init(struct order_load *load)
{
	struct ordered *o;

	for (o = load->tasks; o < load->tasks + load->nr; o++) {
		o->load = load;
		switch (load->via) {
		case ORDER_GROUP:
			wpool_group_task_init(&o->member, order_run_member, NULL);
			break;
		case ORDER_EVENT:
			wpool_event_init(&o->event, load->pool, order_run_event, NULL);
			break;
		case ORDER_STRAND:
			wpool_strand_init(&o->strand, load->pool, WPOOL_UNLIMITED);
			wpool_strand_task_init(&o->in_strand, &o->strand, order_run_in_strand,
					       NULL);
			break;
		default:
			wpool_task_init(&o->task, order_run_task);
		}
	}
	return load->via == ORDER_GROUP ?
	       wpool_group_init(&load->group, load->pool, WPOOL_UNLIMITED, NULL) : 0;
}

/* Called when all tasks have run. */
static int order_exit(struct order_load *load)
{
	u64 i;

	if (load->via == ORDER_STRAND)
		for (i = 0; i < load->nr; i++)
			wpool_strand_destroy(&load->tasks[i].strand);
	return load->via == ORDER_GROUP ? wpool_group_exit(&load->group) : 0;
}

/* ---- the submits ---- */

static u32 order_step(const struct order_load *load)
{
	return load->via == ORDER_BATCH ? ORDER_BATCH_LEN : 1;
}

static int order_submit_batch(struct order_load *load, struct ordered *o, u32 nr)
{
	struct wpool_task *tasks[ORDER_BATCH_LEN];
	u32 i;
	int ret;

	for (i = 0; i < nr; i++)
		tasks[i] = &o[i].task;
	ret = wpool_submit_batch(load->pool, tasks, nr, 0);
	return ret == (int)nr ? 0 : ret < 0 ? ret : -EIO;
}

static int order_submit_some(struct order_load *load, struct ordered *o, u32 nr)
{
	switch (load->via) {
	case ORDER_BATCH:
		return order_submit_batch(load, o, nr);
	case ORDER_GROUP:
		return wpool_group_submit(&load->group, &o->member);
	case ORDER_EVENT:
		return wpool_event_fire(&o->event) ? 0 : -EIO;
	case ORDER_INVOKE:
		return wpool_invoke(load->pool, o);
	case ORDER_STRAND:
		return wpool_strand_try_submit(&o->in_strand);
	default:
		return wpool_submit(load->pool, &o->task);
	}
}

/* Submit @nr tasks from @i on. Returns 0 or -errno; the pool accepts events and strands later. */
static int order_submit(struct order_load *load, u64 i, u32 nr)
{
	struct ordered *o = &load->tasks[i];
	u32 began = READ_ONCE(load->round);
	u64 now = ktime_get_mono_fast_ns();
	u32 before = atomic_inc_return(&load->clock), after;
	int err = order_submit_some(load, o, nr);

	after = atomic_inc_return(&load->clock);
	for (; !err && nr--; o++) {
		o->before = before;
		o->after = after;
		o->began = began;
		o->ended = READ_ONCE(load->round);
		o->submit_ns = now;
	}
	return err;
}

/* ---- the count ---- */

static int order_compare_start(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int order_compare_submit(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->before < y->before ? -1 : x->before > y->before;
}

/* Fill both lists with the tasks that were accepted and have started. Returns their number. */
static u32 order_sort(const struct order_load *load, struct ordered **by_start,
		      struct ordered **by_submit)
{
	u32 nr = 0;
	u64 i;

	for (i = 0; i < load->nr; i++)
		if (load->tasks[i].before && load->tasks[i].start)
			by_start[nr++] = &load->tasks[i];
	memcpy(by_submit, by_start, nr * sizeof(*by_start));
	sort(by_start, nr, sizeof(*by_start), order_compare_start, NULL);
	sort(by_submit, nr, sizeof(*by_submit), order_compare_submit, NULL);
	return nr;
}

/* Add @i to @sum, a Fenwick tree with an element for each value of the clock up to @end. */
static void order_add(u32 *sum, u32 end, u32 i)
{
	for (; i <= end; i += i & -i)
		sum[i]++;
}

/* How many numbers up to @i were added? */
static u32 order_up_to(const u32 *sum, u32 i)
{
	u32 all = 0;

	for (; i; i -= i & -i)
		all += sum[i];
	return all;
}

/* The clock of the first submit that began more than @few rounds after @o's submit had ended. */
static u32 order_few_later(struct ordered **by_submit, u32 nr, const struct ordered *o, u32 few)
{
	u32 from = 0, to = nr, mid;

	while (from < to) {
		mid = (from + to) / 2;
		if (by_submit[mid]->began > o->ended + few)
			to = mid;
		else
			from = mid + 1;
	}
	return from < nr ? max(by_submit[from]->before, o->after) : U32_MAX;
}

/*
 * Count the overtakes of each task, in the order of the starts. @late, if not NULL, gets the
 * overtakes by tasks submitted more than @few rounds later. The caller has zeroed @sum, which has
 * load->clock + 1 elements.
 */
static void order_count(const struct order_load *load, struct ordered **by_start,
			struct ordered **by_submit, u32 nr, u32 *sum, u32 *overtakes, u32 *late,
			u32 few)
{
	u32 end = atomic_read(&load->clock), i, from;

	for (i = 0; i < nr; i++) {
		struct ordered *o = by_start[i];

		overtakes[i] = i - order_up_to(sum, o->after);
		if (late) {
			from = order_few_later(by_submit, nr, o, few);
			late[i] = from == U32_MAX ? 0 : i - order_up_to(sum, from - 1);
		}
		order_add(sum, end, o->before);
	}
}

#endif /* WPOOL_BENCH_ORDER_H */
