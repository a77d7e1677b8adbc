// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that only call bench_count(): what do a submit and a start cost?
 *
 *	noop peer=NAME n=N [producers=P] [batch=64]
 *
 * "total_ns" is the time from the first submit until all tasks have run, "submit_ns" the time that
 * the producers took to submit. A tenth of the tasks runs before the measurement, so that workers
 * exist.
 */
#include "bench.h"

static void noop(struct bench_item *item)
{
	bench_count();
}

BENCH_FN(noop);

const struct bench_case bench_noop = {
	.name = "noop",
	.fn = &noop_fn,
	.n = 100000,
	.measure = bench_measure_items,
};
