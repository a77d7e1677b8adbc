// SPDX-License-Identifier: GPL-2.0
/*
 * Loads whose order is measured by counting: see start_order.h.
 *
 * One clock numbers the beginnings and the ends of all submits, another one the starts.
 * The overtakes of a task are counted afterwards, in the order of the starts: how many
 * that have started by then began their submit after the task's own one had ended.
 */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>

#include "start_order.h"

/* Short tasks keep their order as far as a few ms, and two ticks, go. */
#define FEW	max(2UL, msecs_to_jiffies(IS_ENABLED(CONFIG_KASAN) || \
						  IS_ENABLED(CONFIG_LOCKDEP) ? 200 : 50))

#define BATCH	16U

/**
 * struct ordered - a task
 * @task: the task, or
 * @member: the task of a group
 * @event: an event
 * @strand: a strand, and
 * @in_strand: its only task
 * @order: the load
 * @before: the clock before the submit; 0 if it was not accepted
 * @after: the clock after it
 * @start: the number of its start; 0 if it never started
 * @began: jiffies at @before
 * @ended: jiffies at @after
 * @submit_ns: time at @before
 * @start_ns: time at @start
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
	u32 before;
	u32 after;
	u32 start;
	unsigned long began;
	unsigned long ended;
	u64 submit_ns;
	u64 start_ns;
};

struct order {
	struct kunit *test;
	const struct wpk_order_row *row;
	struct wpool *pool;
	struct wpool_group group;
	atomic_t clock;
	atomic_t next;		/* of those that are yet to be submitted */
	atomic_t started;
	atomic_t refused;
	atomic_t nr_submitters;
	struct ordered *task;
};

/* ---- the tasks ------------------------------------------------------------- */

static void run(struct ordered *o)
{
	struct order *order = o->order;
	const struct wpk_order_row *row = order->row;
	unsigned int i = o - order->task, us = row->sleep_us;

	o->start_ns = ktime_get_mono_fast_ns();
	o->start = atomic_inc_return(&order->started);
	if (row->every && i % row->every == row->every - 1)
		us = row->other_us;
	else
		while (ktime_get_mono_fast_ns() - o->start_ns < row->busy_us * NSEC_PER_USEC)
			cpu_relax();
	if (us)
		usleep_range(us, us);
}

static void run_task(struct wpool_task *task)
{
	run(container_of(task, struct ordered, task));
}

static int run_member(struct wpool_group_task *member)
{
	run(container_of(member, struct ordered, member));
	return 0;
}

static void run_event(struct wpool_event *event)
{
	run(container_of(event, struct ordered, event));
}

static void run_in_strand(struct wpool_strand_task *task)
{
	run(container_of(task, struct ordered, in_strand));
}

static void run_arg(void *arg)
{
	run(arg);
}

static void prepare(struct order *order, struct ordered *o)
{
	memset(o, 0, sizeof(*o));
	o->order = order;
	switch (order->row->via) {
	case WPK_VIA_SUBMIT:
	case WPK_VIA_BATCH:
		wpool_task_init(&o->task, run_task);
		break;
	case WPK_VIA_GROUP:
		wpool_group_task_init(&o->member, run_member, NULL);
		break;
	case WPK_VIA_EVENT:
		wpool_event_init(&o->event, order->pool, run_event, NULL);
		break;
	case WPK_VIA_STRAND:
		wpool_strand_init(&o->strand, order->pool, WPOOL_UNLIMITED);
		wpool_strand_task_init(&o->in_strand, &o->strand, run_in_strand, NULL);
		break;
	case WPK_VIA_INVOKE:
		break;
	}
}

/* ---- the submitters -------------------------------------------------------- */

static int submit_batch(struct order *order, unsigned int i, unsigned int nr)
{
	struct wpool_task *tasks[BATCH];
	unsigned int k;
	int ret;

	for (k = 0; k < nr; k++)
		tasks[k] = &order->task[i + k].task;
	ret = wpool_submit_batch(order->pool, tasks, nr, 0);
	return ret == (int)nr ? 0 : ret < 0 ? ret : -EIO;
}

/* Return 0 if all are accepted, or will be when their turn comes. */
static int submit_some(struct order *order, unsigned int i, unsigned int nr)
{
	struct ordered *o = &order->task[i];

	switch (order->row->via) {
	case WPK_VIA_SUBMIT:
		return wpool_submit(order->pool, &o->task);
	case WPK_VIA_BATCH:
		return submit_batch(order, i, nr);
	case WPK_VIA_GROUP:
		return wpool_group_submit(&order->group, &o->member);
	case WPK_VIA_EVENT:
		return wpool_event_fire(&o->event) ? 0 : -EIO;
	case WPK_VIA_INVOKE:
		return wpool_invoke(order->pool, o);
	case WPK_VIA_STRAND:
		return wpool_strand_try_submit(&o->in_strand);
	}
	return -EINVAL;
}

static void submit_and_note(struct order *order, unsigned int i, unsigned int nr)
{
	unsigned long began = jiffies, ended;
	u64 now = ktime_get_mono_fast_ns();
	u32 before = atomic_inc_return(&order->clock), after;
	int ret = submit_some(order, i, nr);
	struct ordered *o;

	after = atomic_inc_return(&order->clock);
	ended = jiffies;
	if (ret)
		atomic_add(nr, &order->refused);
	for (o = &order->task[i]; !ret && nr--; o++) {
		o->before = before;
		o->after = after;
		o->began = began;
		o->ended = ended;
		o->submit_ns = now;
	}
}

static void tune_capacity(struct order *order, u32 capacity)
{
	struct wpool_attrs attrs = { .capacity = capacity };

	KUNIT_EXPECT_EQ(order->test, wpool_tune(order->pool, &attrs, WPOOL_TUNE_CAPACITY), 0);
}

static void do_meanwhile(struct order *order, unsigned int i)
{
	unsigned int third = order->row->nr / 3;
	int cpu = num_possible_cpus() - 1;

	if (i != third && i != 2 * third)
		return;
	switch (order->row->then) {
	case WPK_THEN_NOTHING:
		break;
	case WPK_THEN_TUNE:
		tune_capacity(order, i == third ? 2 : 64);
		break;
	case WPK_THEN_OFFLINE:
		KUNIT_EXPECT_EQ(order->test, i == third ? remove_cpu(cpu) : add_cpu(cpu), 0);
		break;
	}
}

static int submit_all(struct wpk_thread *thread)
{
	struct order *order = thread->arg;
	const struct wpk_order_row *row = order->row;
	unsigned int nr = row->via == WPK_VIA_BATCH ? BATCH : 1;
	unsigned int who = atomic_inc_return(&order->nr_submitters) - 1, i;

	if (row->one_cpu)
		wpk_move_to(wpk_cpu(0));
	else if (row->submitters > 1 && row->then != WPK_THEN_OFFLINE)
		wpk_move_to(wpk_cpu(who % num_online_cpus()));
	while ((i = atomic_fetch_add(nr, &order->next)) < row->nr && !wpk_stopped(order->test)) {
		do_meanwhile(order, i);
		submit_and_note(order, i, min(nr, row->nr - i));
		if (row->gap_us)
			usleep_range(row->gap_us, row->gap_us);
	}
	return 0;
}

/* ---- counting -------------------------------------------------------------- */

/*
 * A Fenwick tree over the clock.
 * @nr: highest number
 * @sum: the tree
 */
struct tree {
	u32 nr;
	u32 *sum;
};

static void tree_add(struct tree *tree, u32 i)
{
	for (; i <= tree->nr; i += i & -i)
		tree->sum[i]++;
}

/* How many were added with a number up to @i? */
static u32 tree_up_to(const struct tree *tree, u32 i)
{
	u32 sum = 0;

	for (; i; i -= i & -i)
		sum += tree->sum[i];
	return sum;
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int compare_start(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_before(const void *a, const void *b)
{
	const struct ordered *x = *(struct ordered * const *)a, *y = *(struct ordered * const *)b;

	return x->before < y->before ? -1 : x->before > y->before;
}

/* The first clock at which a submit began more than a few ms after the end of that of @o. */
static u32 few_later(struct ordered **by_submit, unsigned int nr, const struct ordered *o)
{
	unsigned int from = 0, to = nr, mid;

	while (from < to) {
		mid = (from + to) / 2;
		if (time_after(by_submit[mid]->began, o->ended + FEW))
			to = mid;
		else
			from = mid + 1;
	}
	return from < nr ? max(by_submit[from]->before, o->after) : U32_MAX;
}

/* The q-th of @nr sorted numbers, q in percent. */
#define quantile(sorted, nr, q)	((sorted)[((nr) * (q) + 99) / 100 - 1])

static void count(struct order *order, struct ordered **by_start, struct ordered **by_submit,
		  unsigned int nr, struct tree *tree, u32 *overtakes, u32 *late)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ordered *o = by_start[i];
		u32 from = few_later(by_submit, nr, o);

		overtakes[i] = i - tree_up_to(tree, o->after);
		late[i] = from == U32_MAX ? 0 : i - tree_up_to(tree, from - 1);
		tree_add(tree, o->before);
	}
	sort(overtakes, nr, sizeof(*overtakes), compare_u32, NULL);
	sort(late, nr, sizeof(*late), compare_u32, NULL);
}

static void free_memory(void *memory)
{
	kvfree(memory);
}

static void *get_memory(struct kunit *test, size_t nr, size_t size)
{
	void *memory = kvcalloc(nr, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_memory, memory), 0);
	return memory;
}

/* The waits as they are, and as they are when the k-th start is that of the k-th submit. */
static void count_waits(struct kunit *test, struct ordered **by_submit, unsigned int nr,
			struct wpk_order_figures *figures)
{
	u64 *wait = get_memory(test, nr, sizeof(*wait));
	u64 *fifo = get_memory(test, nr, sizeof(*fifo));
	unsigned int i;

	for (i = 0; i < nr; i++) {
		wait[i] = by_submit[i]->start_ns - by_submit[i]->submit_ns;
		fifo[i] = by_submit[i]->start_ns;
	}
	sort(wait, nr, sizeof(*wait), compare_u64, NULL);
	sort(fifo, nr, sizeof(*fifo), compare_u64, NULL);
	for (i = 0; i < nr; i++)
		fifo[i] -= min(fifo[i], by_submit[i]->submit_ns);
	sort(fifo, nr, sizeof(*fifo), compare_u64, NULL);
	figures->r99 = div64_u64(quantile(wait, nr, 99) * 100,
				 max(quantile(fifo, nr, 99), 1ULL));
	figures->rmax = div64_u64(wait[nr - 1] * 100, max(fifo[nr - 1], 1ULL));
	kunit_release_action(test, free_memory, wait);
	kunit_release_action(test, free_memory, fifo);
}

static void count_all(struct order *order, struct wpk_order_figures *figures)
{
	struct kunit *test = order->test;
	unsigned int nr = 0, i, most = order->row->nr;
	struct ordered **by_start = get_memory(test, most, sizeof(*by_start));
	struct ordered **by_submit = get_memory(test, most, sizeof(*by_submit));
	u32 *overtakes = get_memory(test, most, sizeof(*overtakes));
	u32 *late = get_memory(test, most, sizeof(*late));
	struct tree tree = { .nr = atomic_read(&order->clock) };

	tree.sum = get_memory(test, tree.nr + 1, sizeof(*tree.sum));
	for (i = 0; i < most; i++)
		if (order->task[i].before && order->task[i].start)
			by_start[nr++] = &order->task[i];
	KUNIT_ASSERT_GT(test, nr, 0);
	memcpy(by_submit, by_start, nr * sizeof(*by_start));
	sort(by_start, nr, sizeof(*by_start), compare_start, NULL);
	sort(by_submit, nr, sizeof(*by_submit), compare_before, NULL);
	count(order, by_start, by_submit, nr, &tree, overtakes, late);
	figures->nr = nr;
	figures->p99 = quantile(overtakes, nr, 99);
	figures->most = overtakes[nr - 1];
	figures->late99 = quantile(late, nr, 99);
	figures->late_most = late[nr - 1];
	count_waits(test, by_submit, nr, figures);
	kunit_release_action(test, free_memory, tree.sum);
	kunit_release_action(test, free_memory, late);
	kunit_release_action(test, free_memory, overtakes);
	kunit_release_action(test, free_memory, by_submit);
	kunit_release_action(test, free_memory, by_start);
}

/* ---- a load ---------------------------------------------------------------- */

static struct wpool *create(struct kunit *test, const struct wpk_order_row *row)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, row->capacity, row->depth);
	if (row->drop)
		attrs.policy = WPOOL_DROP_OLDEST;
	if (row->via == WPK_VIA_INVOKE)
		return wpk_pool_func(test, &attrs, run_arg);
	return wpk_pool_attrs(test, &attrs);
}

/* Wait until all have started, for as long as some do: events and strands may be in line yet. */
static bool all_started(struct order *order)
{
	int nr = order->row->nr - atomic_read(&order->refused), before;

	do {
		before = atomic_read(&order->started);
		if (wpk_eventually(atomic_read(&order->started) >= nr))
			return true;
	} while (atomic_read(&order->started) != before);
	return false;
}

static void end(struct order *order)
{
	unsigned int i;

	if (!order->row->drop)
		KUNIT_EXPECT_TRUE(order->test, all_started(order));
	KUNIT_EXPECT_EQ(order->test, wpool_flush(order->pool), 0);
	if (order->row->via == WPK_VIA_GROUP)
		KUNIT_EXPECT_EQ(order->test, wpool_group_exit(&order->group), 0);
	if (order->row->via == WPK_VIA_STRAND)
		for (i = 0; i < order->row->nr; i++)
			wpool_strand_destroy(&order->task[i].strand);
	wpk_destroy(order->test, order->pool);
}

void wpk_order_run(struct kunit *test, const struct wpk_order_row *row,
		   struct wpk_order_figures *figures)
{
	struct order *order = get_memory(test, 1, sizeof(*order));
	struct wpk_thread **threads = get_memory(test, row->submitters, sizeof(*threads));
	unsigned int i;

	order->test = test;
	order->row = row;
	order->task = get_memory(test, row->nr, sizeof(*order->task));
	order->pool = create(test, row);
	if (row->via == WPK_VIA_GROUP)
		KUNIT_ASSERT_EQ(test, wpool_group_init(&order->group, order->pool,
						       WPOOL_UNLIMITED, NULL), 0);
	for (i = 0; i < row->nr; i++)
		prepare(order, &order->task[i]);
	for (i = 0; i < row->submitters; i++)
		threads[i] = wpk_thread(test, submit_all, order->pool, NULL, order);
	for (i = 0; i < row->submitters; i++)
		KUNIT_ASSERT_EQ(test, wpk_join(test, threads[i]), 0);
	end(order);
	if (!row->drop)
		KUNIT_EXPECT_EQ(test, atomic_read(&order->refused), 0);
	count_all(order, figures);
}
