// SPDX-License-Identifier: GPL-2.0
/* Loads whose order is measured by counting, see start_order.h, with code of the benchmark. */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../tools/bench/module/order.h"
#include "start_order.h"

/* Tasks that are submitted at most this many rounds later may overtake a short task. */
#define FEW	2

/* The benchmark's value for each enum wpk_order_via. */
static const enum order_via vias[] = {
	[WPK_VIA_SUBMIT] = ORDER_SUBMIT,
	[WPK_VIA_BATCH] = ORDER_BATCH,
	[WPK_VIA_GROUP] = ORDER_GROUP,
	[WPK_VIA_EVENT] = ORDER_EVENT,
	[WPK_VIA_INVOKE] = ORDER_INVOKE,
	[WPK_VIA_STRAND] = ORDER_STRAND,
};

struct order {
	struct order_load load;
	struct kunit *test;
	const struct wpk_order_row *row;
	int last_cpu;
	atomic_t next;		/* index of the next task to submit */
	atomic_t refused;
	atomic_t nr_submitters;
	bool is_over;
};

/* ---- the submitters -------------------------------------------------------- */

static void tune_capacity(struct order *order, u32 capacity)
{
	KUNIT_EXPECT_EQ(order->test, wpk_tune(order->load.pool, CAPACITY, capacity, capacity), 0);
}

static void do_meanwhile(struct order *order, unsigned int i)
{
	unsigned int third = order->row->nr / 3;
	int cpu = order->last_cpu;

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
	unsigned int nr = order_step(&order->load), i;
	unsigned int who = atomic_inc_return(&order->nr_submitters) - 1;

	if (row->one_cpu)
		wpk_move_to(wpk_cpu(0));
	else if (row->submitters > 1 && row->then != WPK_THEN_OFFLINE)
		wpk_move_to(wpk_cpu(who % num_online_cpus()));
	while ((i = atomic_fetch_add(nr, &order->next)) < row->nr && !wpk_stopped(order->test)) {
		do_meanwhile(order, i);
		if (order_submit(&order->load, i, min(nr, row->nr - i)))
			atomic_add(min(nr, row->nr - i), &order->refused);
		if (row->gap_us)
			usleep_range(row->gap_us, row->gap_us);
	}
	return 0;
}

/*
 * Count the rounds. A round ends when a tick has passed, each CPU has run this thread, and as many
 * tasks have started as may be queued. So if a CPU stands still, or is slow, rounds are longer.
 */
static int count_rounds(struct wpk_thread *thread)
{
	struct order *order = thread->arg;
	u32 depth = order->row->depth == WPOOL_UNLIMITED ? 0 : order->row->depth, from;
	int cpu;

	while (!READ_ONCE(order->is_over)) {
		from = atomic_read(&order->load.started);
		for_each_online_cpu(cpu)
			set_cpus_allowed_ptr(current, cpumask_of(cpu));
		do {
			schedule_timeout_uninterruptible(1);
			if (wpk_stopped(order->test))
				return 0;
		} while (atomic_read(&order->load.started) - from < depth &&
			 !READ_ONCE(order->is_over));
		WRITE_ONCE(order->load.round, order->load.round + 1);
	}
	return 0;
}

/* ---- counting -------------------------------------------------------------- */

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

/* The q-th of @nr sorted numbers, q in percent. */
#define quantile(sorted, nr, q)	((sorted)[((nr) * (q) + 99) / 100 - 1])

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

/* Compare the waits with those of a FIFO queue that starts tasks at the same times. */
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
	figures->r99 = div64_u64(quantile(wait, nr, 99) * 100, max(quantile(fifo, nr, 99), 1ULL));
	figures->rmax = div64_u64(wait[nr - 1] * 100, max(fifo[nr - 1], 1ULL));
	kunit_release_action(test, free_memory, wait);
	kunit_release_action(test, free_memory, fifo);
}

static void count_all(struct order *order, struct wpk_order_figures *figures)
{
	struct order_load *load = &order->load;
	struct kunit *test = order->test;
	unsigned int nr, most = order->row->nr;
	struct ordered **by_start = get_memory(test, most, sizeof(*by_start));
	struct ordered **by_submit = get_memory(test, most, sizeof(*by_submit));
	u32 *overtakes = get_memory(test, most, sizeof(*overtakes));
	u32 *late = get_memory(test, most, sizeof(*late));
	u32 *sum = get_memory(test, atomic_read(&load->clock) + 1, sizeof(*sum));

	nr = order_sort(load, by_start, by_submit);
	KUNIT_ASSERT_GT(test, nr, 0);
	order_count(load, by_start, by_submit, nr, sum, overtakes, late, FEW);
	sort(overtakes, nr, sizeof(*overtakes), compare_u32, NULL);
	sort(late, nr, sizeof(*late), compare_u32, NULL);
	figures->nr = nr;
	figures->p99 = quantile(overtakes, nr, 99);
	figures->most = overtakes[nr - 1];
	figures->late_most = late[nr - 1];
	count_waits(test, by_submit, nr, figures);
	kunit_release_action(test, free_memory, sum);
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
		return wpk_pool_func(test, &attrs, order_run_arg);
	return wpk_pool_attrs(test, &attrs);
}

/* Wait until all tasks have started, or no more start. Events and strands may still wait. */
static bool all_started(struct order *order)
{
	int nr = order->row->nr - atomic_read(&order->refused), before;

	do {
		before = atomic_read(&order->load.started);
		if (wpk_eventually(atomic_read(&order->load.started) >= nr))
			return true;
	} while (atomic_read(&order->load.started) != before);
	return false;
}

static void end(struct order *order)
{
	struct wpool *pool = order->load.pool;

	if (!order->row->drop)
		KUNIT_EXPECT_TRUE(order->test, all_started(order));
	KUNIT_EXPECT_EQ(order->test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(order->test, order_exit(&order->load), 0);
	wpk_destroy(order->test, pool);
}

void wpk_order_run(struct kunit *test, const struct wpk_order_row *row,
		   struct wpk_order_figures *figures)
{
	struct order *order = get_memory(test, 1, sizeof(*order));
	struct wpk_thread **threads = get_memory(test, row->submitters, sizeof(*threads));
	struct wpk_thread *rounds;
	unsigned int i;

	order->test = test;
	order->row = row;
	order->last_cpu = wpk_cpu(num_online_cpus() - 1);
	order->load = (struct order_load){
		.via = vias[row->via],
		.nr = row->nr,
		.sleep_us = row->sleep_us,
		.busy_us = row->busy_us,
		.every = row->every,
		.other_us = row->other_us,
		.tasks = get_memory(test, row->nr, sizeof(*order->load.tasks)),
		.pool = create(test, row),
	};
	KUNIT_ASSERT_EQ(test, order_init(&order->load), 0);
	rounds = wpk_thread(test, count_rounds, NULL, NULL, order);
	for (i = 0; i < row->submitters; i++)
		threads[i] = wpk_thread(test, submit_all, order->load.pool, NULL, order);
	for (i = 0; i < row->submitters; i++)
		KUNIT_ASSERT_EQ(test, wpk_join(test, threads[i]), 0);
	end(order);
	WRITE_ONCE(order->is_over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, rounds), 0);
	if (!row->drop)
		KUNIT_EXPECT_EQ(test, atomic_read(&order->refused), 0);
	count_all(order, figures);
}
