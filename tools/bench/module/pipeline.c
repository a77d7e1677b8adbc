// SPDX-License-Identifier: GPL-2.0
/*
 * First in parallel, then in order: each item computes on any CPU, and then has its turn.
 *
 *	pipeline peer=wpool|padata n=N ns=NS window=W
 *
 * "total_ns" is the time from the first submit until the last turn. The submitter sleeps for
 * some microseconds if the window is full. The turns fold the numbers of their items into a sum
 * that another order would change.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/padata.h>
#include <linux/wpool.h>
#include <linux/wpool_strand.h>

#include "peers.h"

/* What padata takes at most. */
#define MAX_WINDOW	1000U

struct line {
	u64 turns_to_spend, last, fold;
	struct completion done;
};

struct stage {
	union {
		struct wpool_strand_task task;
		struct padata_priv padata;
	};
	struct line *line;
	u64 nr;
} ____cacheline_aligned;

static u64 fold(u64 sum, u64 nr)
{
	return sum * 0x9e3779b97f4a7c15ULL + nr;
}

static void take_turn(struct stage *stage)
{
	struct line *line = stage->line;

	line->fold = fold(line->fold, stage->nr);
	bench_count();
	if (stage->nr == line->last)
		complete(&line->done);
}

/* ---- wpool ---- */

static void strand_compute(struct wpool_strand_task *task)
{
	bench_spend(container_of(task, struct stage, task)->line->turns_to_spend);
}

static void strand_turn(struct wpool_strand_task *task)
{
	take_turn(container_of(task, struct stage, task));
}

static int run_strand(struct bench_run *run, struct line *line, struct stage *stages, u64 n)
{
	u32 window = min_t(u64, bench_num(run, "window", MAX_WINDOW), MAX_WINDOW);
	struct wpool_strand strand;
	struct bench_meter meter;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int err = 0;
	u64 i;

	wpool_attrs_init(&attrs);
	attrs.capacity = num_online_cpus();
	attrs.queue_depth = MAX_WINDOW;
	pool = wpool_create(&attrs);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	wpool_strand_init(&strand, pool, window);
	for (i = 0; i < n; i++) {
		wpool_strand_task_init(&stages[i].task, &strand, strand_turn, NULL);
		wpool_strand_task_set_parallel(&stages[i].task, strand_compute);
	}
	bench_meter_start(&meter);
	for (i = 0; i < n && !err; i++)
		while ((err = wpool_strand_try_submit(&stages[i].task)) == -EAGAIN)
			bench_sleep_us(20);
	if (!err)
		wait_for_completion(&line->done);
	bench_meter_stop(&meter, run);
	wpool_strand_destroy(&strand);
	wpool_destroy(pool);
	return err;
}

/* ---- padata ---- */

#ifdef CONFIG_PADATA
static void padata_compute(struct padata_priv *padata)
{
	bench_spend(container_of(padata, struct stage, padata)->line->turns_to_spend);
	padata_do_serial(padata);
}

static void padata_turn(struct padata_priv *padata)
{
	take_turn(container_of(padata, struct stage, padata));
}

static int run_padata(struct bench_run *run, struct line *line, struct stage *stages, u64 n)
{
	struct padata_instance *instance;
	struct padata_shell *shell;
	struct bench_meter meter;
	int err = 0, cpu = 0;
	u64 i;

	instance = padata_alloc("wpool_bench");
	if (!instance)
		return -ENOMEM;
	shell = padata_alloc_shell(instance);
	if (!shell) {
		padata_free(instance);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		stages[i].padata.parallel = padata_compute;
		stages[i].padata.serial = padata_turn;
	}
	bench_meter_start(&meter);
	for (i = 0; i < n && !err; i++)
		while ((err = padata_do_parallel(shell, &stages[i].padata, &cpu)) == -EBUSY)
			bench_sleep_us(20);
	if (!err)
		wait_for_completion(&line->done);
	bench_meter_stop(&meter, run);
	padata_free_shell(shell);
	padata_free(instance);
	return err;
}
#else
static int run_padata(struct bench_run *run, struct line *line, struct stage *stages, u64 n)
{
	return -EOPNOTSUPP;
}
#endif

int bench_pipeline(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 20000), i, expected = 0;
	bool is_wpool = !strcmp(bench_text(run, "peer", "wpool"), "wpool");
	struct stage *stages;
	struct line line = { };
	int err;

	if (!n)
		return -EINVAL;
	stages = kvcalloc(n, sizeof(*stages), GFP_KERNEL);
	if (!stages)
		return -ENOMEM;
	line.turns_to_spend = div_u64(bench_num(run, "ns", 10000) * bench_turns_per_ms(), 1000000);
	line.last = n - 1;
	init_completion(&line.done);
	for (i = 0; i < n; i++) {
		stages[i].line = &line;
		stages[i].nr = i;
		expected = fold(expected, i);
	}
	bench_count_reset();
	err = (is_wpool ? run_strand : run_padata)(run, &line, stages, n);
	if (err && err != -EOPNOTSUPP)
		return bench_lost(err);
	if (!err && line.fold != expected)
		err = -EBADMSG;
	kvfree(stages);
	return err;
}
