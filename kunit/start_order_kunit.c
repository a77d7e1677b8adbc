// SPDX-License-Identifier: GPL-2.0
/*
 * The order of tasks: under each load here, a task is overtaken only by tasks that were submitted
 * in the same few milliseconds.
 *
 * The verdict counts tasks, see start_order.h. A worker may take a long task and lose its CPU
 * before the task notes its start, which no pool can prevent. So a load of long tasks is tried
 * again, and fails if the order is wrong in each try.
 */
#include "start_order.h"

#define NR_TRIES 3

/* While the length of the tasks is unknown, this many beyond the capacity may overtake a task. */
#define SLACK 16U

static u32 bound(const struct wpk_order_row *row)
{
	return (row->then == WPK_THEN_TUNE ? 64 : row->capacity) + SLACK;
}

static void run_row(struct kunit *test, const struct wpk_order_row *row,
		    struct wpk_order_figures *figures)
{
	wpk_order_run(test, row, figures);
	kunit_info(test, "%s: %u tasks; overtaken: p99 %u, most %u, most late %u; wait %u%%, %u%%",
		   row->name, figures->nr, figures->p99, figures->most, figures->late_most,
		   figures->r99, figures->rmax);
}

/* ---- tasks of 1 ms and more --------------------------------------------------- */

static const struct wpk_order_row long_rows[] = {
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
	  .sleep_us = 10000, .submitters = 2, .via = WPK_VIA_BATCH },
	{ "8 of 10 ms, group", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = WPK_VIA_GROUP },
	{ "8 of 10 ms, events", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = WPK_VIA_EVENT },
	{ "8 of 10 ms, invoke", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = WPK_VIA_INVOKE },
	{ "8 of 10 ms, strands", .capacity = 8, .depth = 64, .nr = 320,
	  .sleep_us = 10000, .submitters = 2, .via = WPK_VIA_STRAND },
	{ "capacity 8, 2, 64", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 5000, .submitters = 2, .then = WPK_THEN_TUNE },
	{ "a CPU goes and comes", .capacity = 8, .depth = 64, .nr = 400,
	  .sleep_us = 10000, .submitters = 1, .then = WPK_THEN_OFFLINE },
};

KUNIT_ARRAY_PARAM_DESC(long, long_rows, name);

static void wpool_submit_long_tasks_start_in_order(struct kunit *test)
{
	const struct wpk_order_row *row = test->param_value;
	struct wpk_order_figures figures;
	int try;

	if (row->then == WPK_THEN_OFFLINE)
		wpk_victim_cpu(test);
	for (try = 0; try < NR_TRIES; try++) {
		run_row(test, row, &figures);
		if (figures.most <= bound(row))
			break;
	}
	KUNIT_EXPECT_LE(test, figures.most, bound(row));
}

/* ---- shorter tasks ------------------------------------------------------------ */

/*
 * Short tasks wait in the ring of their CPU, and the pool does not compare rings with each other.
 * So the bound is for late tasks, see start_order.h.
 */
static const struct wpk_order_row short_rows[] = {
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
	const struct wpk_order_row *row = test->param_value;
	struct wpk_order_figures figures;

	run_row(test, row, &figures);
	KUNIT_EXPECT_LE(test, figures.late_most, bound(row));
}

WPK_SUITE(start_order,
	  KUNIT_CASE_PARAM(wpool_submit_long_tasks_start_in_order, long_gen_params),
	  KUNIT_CASE_PARAM(wpool_submit_short_tasks_start_about_in_order, short_gen_params));
