// SPDX-License-Identifier: GPL-2.0
/*
 * Several pools behind one handle, as the MultiPool of ants, beside one pool of their size.
 *
 *	multi peer=wpool pools=P capacity=C depth=D n=N producers=R [least=1] [lengths=3]
 *
 * @capacity and @depth are those of all pools together. Each producer gives its tasks to the
 * pools in turn, from a start of its own, or, with least=1, to the one with the most room. If
 * that is full, to the one that has most room then, and waits there: as ants does. The tasks
 * do nothing, or with lengths=3 are those of compute.c.
 */
#include "bench.h"

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>

#include "peers.h"
#include "producers.h"

#define MAX_POOLS	16

struct multi {
	struct wpool *pools[MAX_POOLS];
	u32 nr_pools;
	bool least;
	struct bench_item *items;
	struct bench_meter meter;
};

static void computes(struct wpool_task *task)
{
	bench_spend(container_of(task, struct bench_item, task)->turns);
	bench_count();
}

static struct wpool *least_loaded(struct multi *b)
{
	struct wpool *best = b->pools[0];
	u64 room = wpool_nr_free(best), more;
	u32 i;

	for (i = 1; i < b->nr_pools; i++) {
		more = wpool_nr_free(b->pools[i]);
		if (more > room) {
			room = more;
			best = b->pools[i];
		}
	}
	return best;
}

static int submit(struct multi *b, struct wpool_task *task, u64 turn)
{
	struct wpool *pool;
	int err;

	/* one pool needs nobody who picks */
	if (b->nr_pools == 1)
		return wpool_submit(b->pools[0], task);
	pool = b->least ? least_loaded(b) : b->pools[turn % b->nr_pools];
	err = wpool_try_submit(pool, task);
	return err == -EAGAIN ? wpool_submit(least_loaded(b), task) : err;
}

static int produce(struct bench_producer *p)
{
	struct multi *b = p->data;
	int err = 0;
	u64 i;

	for (i = p->first; i < p->first + p->nr && !err; i++)
		err = submit(b, &b->items[i].task, i + p->index);
	return err;
}

static int create(struct multi *b, const struct bench_run *run)
{
	static atomic_t serial;
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	u32 i;

	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = bench_num(run, "capacity", 64) / b->nr_pools;
	attrs.queue_depth = bench_num(run, "depth", 1024) / b->nr_pools;
	for (i = 0; i < b->nr_pools; i++) {
		scnprintf(name, sizeof(name), "multi%d", atomic_inc_return(&serial));
		b->pools[i] = wpool_create(&attrs, THIS_MODULE);
		if (IS_ERR(b->pools[i]))
			return PTR_ERR(b->pools[i]);
	}
	return 0;
}

static int measure(struct multi *b, struct bench_run *run, u32 producers, u64 n)
{
	int err;
	u32 i;

	err = bench_produce_counted(run, producers, n, produce, b, &b->meter);
	if (!err && run)
		bench_meter_stop(&b->meter, run);
	for (i = 0; i < b->nr_pools && !err; i++)
		while (wpool_flush(b->pools[i]) == -EINTR)
			cond_resched();
	return err;
}

int bench_multi(struct bench_run *run)
{
	u32 producers = bench_num(run, "producers", 1), nr = bench_num(run, "pools", 1);
	u64 per_ms = bench_turns_per_ms(), n = bench_num(run, "n", 100000), i;
	bool mixed = bench_num(run, "lengths", 1) == 3;
	struct multi *b;
	int err = -ENOMEM;

	if (!nr || nr > MAX_POOLS || !n || !producers || bench_num(run, "capacity", 64) < nr)
		return -EINVAL;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->nr_pools = nr;
	b->least = bench_num(run, "least", 0);
	b->items = bench_items_alloc(n);
	if (!b->items)
		goto out;
	for (i = 0; i < n; i++) {
		wpool_task_init(&b->items[i].task, computes);
		b->items[i].turns = !mixed ? 0 :
			div_u64(bench_length_ns(i) * per_ms, NSEC_PER_MSEC);
	}
	err = create(b, run);
	/* unmeasured, so that there are workers */
	if (!err)
		err = measure(b, NULL, producers, DIV_ROUND_UP(n, 10));
	if (!err)
		err = measure(b, run, producers, n);
	if (err)
		return bench_lost(err);
	for (i = 0; i < nr; i++)
		wpool_destroy(b->pools[i]);
out:
	kvfree(b->items);
	kfree(b);
	return err;
}
