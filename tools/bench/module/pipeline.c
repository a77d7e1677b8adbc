// SPDX-License-Identifier: GPL-2.0
/*
 * A pipeline: items compute in parallel on any CPU, and then take their turns in order.
 *
 *	pipeline peer=wpool|padata n=N ns=NS
 *
 * "total_ns" is the time from the first submit until the last turn. If 1,000 items have
 * had no turn yet, the submitter sleeps for some microseconds. The turns combine the
 * items' numbers into a sum that depends on their order.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/padata.h>
#include <linux/wpool_strand.h>

/* padata accepts no more objects at a time. */
#define MAX_WINDOW	1000ULL

struct line {
	struct bench b;
	struct stage *stages;
	struct wpool_strand strand;
	u64 turns_to_spend, fold, expected;
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
	if (stage->nr == line->b.n - 1)
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

static int run_strand(struct line *line)
{
	struct bench *b = &line->b;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int err = 0;
	u64 i;

	wpool_attrs_init(&attrs);
	attrs.name = "bench_pipeline";
	attrs.capacity = num_online_cpus();
	attrs.queue_depth = MAX_WINDOW;
	pool = wpool_create(&attrs);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	wpool_strand_init(&line->strand, pool, MAX_WINDOW);
	for (i = 0; i < b->n; i++) {
		wpool_strand_task_init(&line->stages[i].task, &line->strand, strand_turn, NULL);
		wpool_strand_task_set_parallel(&line->stages[i].task, strand_compute);
	}
	bench_meter_start(b);
	for (i = 0; i < b->n && !err; i++)
		while ((err = wpool_strand_try_submit(&line->stages[i].task)) == -EAGAIN)
			bench_sleep_us(20);
	if (err)
		return err;
	wait_for_completion(&line->done);
	bench_meter_stop(b);
	wpool_strand_destroy(&line->strand);
	wpool_destroy(pool);
	return 0;
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

static int run_padata(struct line *line)
{
	struct bench *b = &line->b;
	struct padata_instance *instance = padata_alloc("wpool_bench");
	struct padata_shell *shell = instance ? padata_alloc_shell(instance) : NULL;
	int err = 0, cpu = 0;
	u64 i;

	if (!shell) {
		if (instance)
			padata_free(instance);
		return -ENOMEM;
	}
	for (i = 0; i < b->n; i++) {
		line->stages[i].padata.parallel = padata_compute;
		line->stages[i].padata.serial = padata_turn;
	}
	bench_meter_start(b);
	for (i = 0; i < b->n && !err; i++)
		while ((err = padata_do_parallel(shell, &line->stages[i].padata, &cpu)) == -EBUSY)
			bench_sleep_us(20);
	if (err)
		return err;
	wait_for_completion(&line->done);
	bench_meter_stop(b);
	padata_free_shell(shell);
	padata_free(instance);
	return 0;
}
#else
static int run_padata(struct line *line)
{
	return -EOPNOTSUPP;
}
#endif

static int prepare(struct bench *b)
{
	struct line *line = container_of(b, struct line, b);
	u64 i;

	line->stages = bench_zalloc(b, b->n, sizeof(*line->stages));
	if (!line->stages)
		return -ENOMEM;
	line->turns_to_spend = bench_turns(bench_num(b->run, "ns", 10000), bench_turns_per_ms());
	init_completion(&line->done);
	for (i = 0; i < b->n; i++) {
		line->stages[i].line = line;
		line->stages[i].nr = i;
		line->expected = fold(line->expected, i);
	}
	bench_count_reset();
	return 0;
}

static int measure(struct bench *b)
{
	struct line *line = container_of(b, struct line, b);
	bool is_ours = !strcmp(bench_text(b->run, "peer", "wpool"), "wpool");
	int err = (is_ours ? run_strand : run_padata)(line);

	return err ?: line->fold == line->expected ? 0 : -EBADMSG;
}

const struct bench_case bench_pipeline = {
	.name = "pipeline",
	.size = sizeof(struct line),
	.n = 20000,
	.prepare = prepare,
	.measure = measure,
};
