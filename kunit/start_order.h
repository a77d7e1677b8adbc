/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads whose order is measured by counting: how many later tasks started before a task?
 *
 * A task B overtakes a task A if the submit of B was called after the submit of A had returned, and
 * B started before A. Submits at the same time have no order, and do not count. No count is a time,
 * so the counts are the same on a fast machine and on a slow one.
 */
#ifndef WPOOL_KUNIT_START_ORDER_H
#define WPOOL_KUNIT_START_ORDER_H

#include "fixture.h"

/* How the tasks are submitted. */
enum wpk_order_via {
	WPK_VIA_SUBMIT,
	WPK_VIA_BATCH,
	WPK_VIA_GROUP,
	WPK_VIA_EVENT,
	WPK_VIA_INVOKE,
	WPK_VIA_STRAND,		/* each task in a strand of its own */
};

/* What happens after one third and after two thirds of the submits. */
enum wpk_order_then {
	WPK_THEN_NOTHING,
	WPK_THEN_TUNE,		/* the capacity becomes 2, then 64 */
	WPK_THEN_OFFLINE,	/* the last CPU goes, then comes back */
};

/**
 * struct wpk_order_row - a load
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
struct wpk_order_row {
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
	enum wpk_order_via via;
	enum wpk_order_then then;
};

/**
 * struct wpk_order_figures - the result of a load
 * @nr: tasks that started
 * @p99: 99 of 100 tasks were overtaken by at most this many tasks
 * @most: the most tasks that overtook one task
 * @late_most: as @most, counting only tasks that were submitted over two rounds later. A round is
 *	at least a tick; if a CPU stands still, or tasks take long, it is longer: count_rounds()
 * @r99: p99 of the waits, in percent of that in a FIFO queue with the same times of starts
 * @rmax: as @r99, of the longest wait
 */
struct wpk_order_figures {
	unsigned int nr;
	unsigned int p99;
	unsigned int most;
	unsigned int late_most;
	unsigned int r99;
	unsigned int rmax;
};

void wpk_order_run(struct kunit *test, const struct wpk_order_row *row,
		   struct wpk_order_figures *figures);

#endif /* WPOOL_KUNIT_START_ORDER_H */
