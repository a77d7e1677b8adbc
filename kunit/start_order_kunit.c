// SPDX-License-Identifier: GPL-2.0
/*
 * The order of tasks: under each load here, a task is overtaken only by tasks that were submitted
 * in the same few milliseconds. The loads are run with code of the benchmark.
 *
 * A task B overtakes a task A if the submit of B was called after the submit of A had returned, and
 * B started before A. Submits at the same time have no order, and do not count. No count is a time,
 * so the counts are the same on a fast machine and on a slow one.
 *
 * A worker may take a long task and lose its CPU before the task notes its start, which no pool can
 * prevent. So a load of long tasks is tried again, and fails if the order is wrong in each try.
 */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../tools/bench/module/order.h"
#include "fixture.h"

#define NR_TRIES 3

/* While the length of the tasks is unknown, this many beyond the capacity may overtake a task. */
#define SLACK 16U

/* Tasks that are submitted at most this many rounds later may overtake a short task. */
#define FEW	2

/* What happens after one third and after two thirds of the submits. */
enum then {
	THEN_NOTHING,
	THEN_TUNE,		/* the capacity becomes 2, then 64 */
	THEN_OFFLINE,		/* the last CPU goes, then comes back */
};

/**
 * struct order_row - a load
 * @name: name of the case
 * @capacity: capacity of the pool
 * @depth: queue_depth of the pool
 * @drop: the policy of the pool is drop_oldest, otherwise block
 * @nr: how many tasks
 * @sleep_us: how long each task sleeps; 0: not at all
 * @busy_us: how long each task computes
 * @every: every n-th task sleeps for @other_us instead; 0 for none
 * @other_us: see @every
 * @submitters: how many threads submit
 * @one_cpu: all submits are from the first CPU, otherwise submitters are spread over the CPUs
 * @gap_us: how long each submitter waits after a submit; 0: not at all
 * @via: how the tasks are handed over
 * @then: what happens meanwhile
 */
struct order_row {
	const char *name;
	u32 capacity;
	u32 depth;
	bool drop;
	unsigned int nr;
	unsigned int sleep_us;
	unsigned int busy_us;
	unsigned int every;
	unsigned int other_us;
	unsigned int submitters;
	bool one_cpu;
	unsigned int gap_us;
	enum order_via via;
	enum then then;
};

struct order {
	struct order_load load;
	struct kunit *test;
	const struct order_row *row;
	int last_cpu;
	atomic_t next;		/* index of the next task to submit */
	atomic_t refused;
	atomic_t nr_submitters;
	bool is_over;
};

/*
 * @most: the most tasks that overtook one task
 * @late_most: the same, counting only tasks that were submitted over two rounds later. A round is
 *	at least a tick; if a CPU stands still, or tasks take long, it is longer: count_rounds()
 */
struct figures {
	u32 most;
	u32 late_most;
};

static u32 bound(const struct order_row *row)
{
	return (row->then == THEN_TUNE ? 64 : row->capacity) + SLACK;
}

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
	case THEN_NOTHING:
		break;
	case THEN_TUNE:
		tune_capacity(order, i == third ? 2 : 64);
		break;
	case THEN_OFFLINE:
		KUNIT_EXPECT_EQ(order->test, i == third ? remove_cpu(cpu) : add_cpu(cpu), 0);
		break;
	}
}

static int submit_all(struct wpk_thread *thread)
{
	struct order *order = thread->arg;
	const struct order_row *row = order->row;
	unsigned int nr = order_step(&order->load), i;
	unsigned int who = atomic_inc_return(&order->nr_submitters) - 1;

	if (row->one_cpu)
		wpk_move_to(wpk_cpu(0));
	else if (row->submitters > 1 && row->then != THEN_OFFLINE)
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

/* ---- a load ---------------------------------------------------------------- */

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

static struct figures count_all(struct kunit *test, const struct order_load *load)
{
	struct ordered **by_start = get_memory(test, load->nr, sizeof(*by_start));
	struct ordered **by_submit = get_memory(test, load->nr, sizeof(*by_submit));
	u32 *overtakes = get_memory(test, load->nr, sizeof(*overtakes));
	u32 *late = get_memory(test, load->nr, sizeof(*late));
	u32 *sum = get_memory(test, atomic_read(&load->clock) + 1, sizeof(*sum));
	u32 nr = order_sort(load, by_start, by_submit), i;
	struct figures figures = {};

	KUNIT_ASSERT_GT(test, nr, 0);
	order_count(load, by_start, by_submit, nr, sum, overtakes, late, FEW);
	for (i = 0; i < nr; i++) {
		figures.most = max(figures.most, overtakes[i]);
		figures.late_most = max(figures.late_most, late[i]);
	}
	return figures;
}

static struct wpool *create(struct kunit *test, const struct order_row *row)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, row->capacity, row->depth);
	if (row->drop)
		attrs.policy = WPOOL_DROP_OLDEST;
	if (row->via == ORDER_INVOKE)
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

static struct figures run_row(struct kunit *test, const struct order_row *row)
{
	struct order *order = wpk_alloc(test, sizeof(*order));
	struct wpk_thread **threads = wpk_alloc(test, row->submitters * sizeof(*threads));
	struct wpk_thread *rounds;
	struct figures figures;
	unsigned int i;

	order->test = test;
	order->row = row;
	order->last_cpu = wpk_cpu(num_online_cpus() - 1);
	order->load = (struct order_load){
		.via = row->via,
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
	wpk_join_all(test, threads, row->submitters);
	end(order);
	WRITE_ONCE(order->is_over, true);
	KUNIT_EXPECT_EQ(test, wpk_join(test, rounds), 0);
	if (!row->drop)
		KUNIT_EXPECT_EQ(test, atomic_read(&order->refused), 0);
	figures = count_all(test, &order->load);
	kunit_info(test, "%s: overtaken: most %u, most late %u", row->name, figures.most,
		   figures.late_most);
	return figures;
}

/* ---- tasks of 1 ms and more --------------------------------------------------- */

static const struct order_row long_rows[] = {
	{ "8 of 20 ms, 64 queued", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 20000, .submitters = 1 },
	{ "the same, 4 submitters", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 20000, .submitters = 4 },
	{ "64 of 20 ms, 64 queued", .capacity = 64, .depth = 64, .nr = 1000,
	  .sleep_us = 20000, .submitters = 8 },
	{ "8 of 1 ms and some 30 ms", .capacity = 8, .depth = 64, .nr = 800,
	  .sleep_us = 1000, .every = 10, .other_us = 30000, .submitters = 1 },
	{ "1 of 5 ms, 64 queued", .capacity = 1, .depth = 64, .nr = 150,
	  .sleep_us = 5000, .submitters = 1 },
	{ "6 of 15 ms, one each 2 ms", .capacity = 6, .depth = 64, .nr = 300,
	  .sleep_us = 15000, .submitters = 1, .gap_us = 2000 },
	{ "8 compute 2 ms", .capacity = 8, .depth = 64, .nr = 400,
	  .busy_us = 2000, .submitters = 1 },
	{ "8 compute 2 ms, 4 submitters", .capacity = 8, .depth = 64, .nr = 400,
	  .busy_us = 2000, .submitters = 4 },
	{ "16 of 5 ms, 1000 queued", .capacity = 16, .depth = 1000, .nr = 1500,
	  .sleep_us = 5000, .submitters = 16 },
	{ "4 of 5 ms, no limit, one CPU", .capacity = 4, .depth = WPOOL_UNLIMITED, .nr = 400,
	  .sleep_us = 5000, .submitters = 1, .one_cpu = true },
	{ "8 of 5 ms, no queue", .capacity = 8, .nr = 400,
	  .sleep_us = 5000, .submitters = 4 },
	{ "8 of 10 ms, the oldest dropped", .capacity = 8, .depth = 64, .drop = true, .nr = 640,
	  .sleep_us = 10000, .submitters = 1, .gap_us = 500 },
	{ "8 of 10 ms, batch", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = ORDER_BATCH },
	{ "8 of 10 ms, group", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = ORDER_GROUP },
	{ "8 of 10 ms, events", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = ORDER_EVENT },
	{ "8 of 10 ms, invoke", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = ORDER_INVOKE },
	{ "8 of 10 ms, strands", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = ORDER_STRAND },
	{ "capacity 8, 2, 64", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 5000, .submitters = 2, .then = THEN_TUNE },
	{ "a CPU goes and comes", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 10000, .submitters = 1, .then = THEN_OFFLINE },
};

KUNIT_ARRAY_PARAM_DESC(long, long_rows, name);

static void wpool_submit_long_tasks_start_in_order(struct kunit *test)
{
	const struct order_row *row = test->param_value;
	struct figures figures;
	int try;

	if (row->then == THEN_OFFLINE)
		wpk_victim_cpu(test);
	for (try = 0; try < NR_TRIES; try++) {
		figures = run_row(test, row);
		if (figures.most <= bound(row))
			break;
	}
	KUNIT_EXPECT_LE(test, figures.most, bound(row));
}

/* ---- shorter tasks ------------------------------------------------------------ */

/*
 * Short tasks wait in the ring of their CPU, and the pool does not compare rings with each other.
 * So the bound is for late tasks.
 */
static const struct order_row short_rows[] = {
	{ "4 compute 100 us, 256 queued", .capacity = 4, .depth = 256, .nr = WPK_ROUNDS(3000),
	  .busy_us = 100, .submitters = 1 },
	{ "the same, 4 submitters", .capacity = 4, .depth = 256, .nr = WPK_ROUNDS(3000),
	  .busy_us = 100, .submitters = 4 },
	{ "2 us, no limit", .capacity = 8, .depth = WPOOL_UNLIMITED, .nr = WPK_ROUNDS(100000),
	  .busy_us = 2, .submitters = 1, .one_cpu = true },
	{ "2 us, 1000 queued, 4 submitters", .capacity = 8, .depth = 1000,
	  .nr = WPK_ROUNDS(100000), .busy_us = 2, .submitters = 4 },
	/* a worker that falls asleep leaves a full ring on its CPU */
	{ "2 us, some sleep 20 ms", .capacity = 8, .depth = WPOOL_UNLIMITED,
	  .nr = WPK_ROUNDS(100000), .busy_us = 2, .every = 500, .other_us = 20000,
	  .submitters = 1, .one_cpu = true },
	{ "50 us, some sleep 20 ms", .capacity = 16, .depth = 256, .nr = WPK_ROUNDS(4000),
	  .busy_us = 50, .every = 20, .other_us = 20000, .submitters = 4 },
};

KUNIT_ARRAY_PARAM_DESC(short, short_rows, name);

static void wpool_submit_short_tasks_start_about_in_order(struct kunit *test)
{
	const struct order_row *row = test->param_value;

	KUNIT_EXPECT_LE(test, run_row(test, row).late_most, bound(row));
}

WPK_SUITE(start_order,
	  KUNIT_CASE_PARAM(wpool_submit_long_tasks_start_in_order, long_gen_params),
	  KUNIT_CASE_PARAM(wpool_submit_short_tasks_start_about_in_order, short_gen_params));
