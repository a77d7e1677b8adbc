// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks without an owner: allocated, submitted, and freed when they have run.
 *
 *	alloc peer=NAME n=N
 *	submit_fn n=N
 *	invoke n=N [depth=D]
 *
 * "alloc": the producer allocates each item with kmalloc(), with the same size for all peers, and
 * the item's function frees it; wpool's tasks are detached. "submit_fn" calls wpool_submit_fn(),
 * which allocates the task. "invoke" calls wpool_invoke() in a pool of one function.
 */
#include <linux/slab.h>
#include <linux/wpool_func.h>

#include "bench.h"

static void count_and_free(struct bench_item *item)
{
	kfree(item);
	bench_count();
}

BENCH_FN(count_and_free);

static void counted(void *arg)
{
	bench_count();
}

static int produce_allocated(struct bench_producer *p)
{
	struct bench *b = p->data;
	struct bench_item *item;
	int err;
	u64 i;

	for (i = 0; i < p->nr; i++) {
		item = kmalloc(sizeof(*item), GFP_KERNEL);
		if (!item)
			return -ENOMEM;
		b->pool.peer->init(&b->pool, item);
		err = bench_submit(b, item);
		if (err) {
			kfree(item);
			return err;
		}
	}
	return 0;
}

static int produce_functions(struct bench_producer *p)
{
	struct bench *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = wpool_submit_fn(b->pool.wpool, counted, NULL, NULL, GFP_KERNEL);
	return err;
}

static int produce_invokes(struct bench_producer *p)
{
	struct bench *b = p->data;
	int err = 0;
	u64 i;

	for (i = 0; i < p->nr && !err; i++)
		err = wpool_invoke(b->pool.wpool, NULL);
	return err;
}

static int prepare(struct bench *b)
{
	b->detached = true;
	b->nr_items = 1;
	return 0;
}

static int measure_allocated(struct bench *b)
{
	return bench_measure(b, DIV_ROUND_UP(b->n, 10), produce_allocated);
}

static int measure_functions(struct bench *b)
{
	return bench_measure(b, DIV_ROUND_UP(b->n, 10), produce_functions);
}

static int is_wpool(struct bench *b)
{
	return strcmp(b->pool.peer->name, "wpool") ? -EINVAL : 0;
}

static int measure_invokes(struct bench *b)
{
	struct wpool_attrs attrs;
	int err;

	bench_pool_attrs(&attrs, b->run, NULL);
	attrs.name = "bench_invoke";
	attrs.queue_depth = bench_num(b->run, "depth", b->n);
	b->pool.wpool = wpool_create_func(&attrs, counted);
	if (IS_ERR(b->pool.wpool))
		return PTR_ERR(b->pool.wpool);
	err = bench_measure(b, DIV_ROUND_UP(b->n, 10), produce_invokes);
	wpool_destroy(b->pool.wpool);
	return err;
}

const struct bench_case bench_alloc = {
	.name = "alloc",
	.fn = &count_and_free_fn,
	.n = 20000,
	.prepare = prepare,
	.measure = measure_allocated,
};

const struct bench_case bench_submit_fn = {
	.name = "submit_fn",
	.fn = &count_and_free_fn,
	.n = 20000,
	.prepare = prepare,
	.ready = is_wpool,
	.measure = measure_functions,
};

const struct bench_case bench_invoke = {
	.name = "invoke",
	.n = 100000,
	.measure = measure_invokes,
};
