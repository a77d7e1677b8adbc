// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that do nothing but count: what does a task cost by itself?
 *
 *	noop peer=NAME n=N [producers=P] [batch=64]
 *
 * "total_ns" is from the first submit until all have run, "submit_ns" what the
 * producers took for submitting. A tenth of the tasks goes before, unmeasured,
 * so that there are workers.
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
