// SPDX-License-Identifier: GPL-2.0
/*
 * Several pools behind one handle, as MultiPool of Go's ants, compared with one pool of their size.
 *
 *	multi peer=wpool pools=P capacity=C depth=D n=N producers=R [least=1] [lengths=3]
 *
 * C and D are sums over all pools. Each producer submits to the pools in turn, and begins with
 * another pool than the other producers; with least=1 it submits to the pool with the most room. If
 * the pool is full, the producer submits to the pool that now has most room, and sleeps there if
 * that is full, too, as in ants. The tasks do nothing, or with lengths=3 compute as in compute.c.
 */
#include "bench.h"

#define MAX_POOLS	16

struct multi {
	struct bench b;
	struct wpool *pools[MAX_POOLS];
	u32 nr_pools;
	bool least;
};

static void computes(struct wpool_task *task)
{
	bench_spend(container_of(task, struct bench_item, task)->turns);
	bench_count();
}

static struct wpool *least_loaded(struct multi *m)
{
	struct wpool *best = m->pools[0];
	u64 room = wpool_nr_free(best), more;
	u32 i;

	for (i = 1; i < m->nr_pools; i++) {
		more = wpool_nr_free(m->pools[i]);
		if (more > room) {
			room = more;
			best = m->pools[i];
		}
	}
	return best;
}

static int submit(struct multi *m, struct wpool_task *task, u64 turn)
{
	struct wpool *pool;
	int err;

	/* one pool is measured without the cost of picking */
	if (m->nr_pools == 1)
		return wpool_submit(m->pools[0], task);
	pool = m->least ? least_loaded(m) : m->pools[turn % m->nr_pools];
	err = wpool_try_submit(pool, task);
	return err == -EAGAIN ? wpool_submit(least_loaded(m), task) : err;
}

static int produce(struct bench_producer *p)
{
	struct multi *m = p->data;
	int err = 0;
	u64 i;

	for (i = p->first; i < p->first + p->nr && !err; i++)
		err = submit(m, &m->b.items[i].task, i + p->index);
	return err;
}

static int prepare(struct bench *b)
{
	struct multi *m = container_of(b, struct multi, b);

	m->nr_pools = bench_num(b->run, "pools", 1);
	m->least = bench_num(b->run, "least", 0);
	b->items = bench_zalloc(b, b->n, sizeof(*b->items));
	return m->nr_pools && m->nr_pools <= MAX_POOLS &&
	       bench_num(b->run, "capacity", 64) >= m->nr_pools ? 0 : -EINVAL;
}

static int create(struct multi *m)
{
	static atomic_t serial;
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	u32 i;

	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = bench_num(m->b.run, "capacity", 64) / m->nr_pools;
	attrs.queue_depth = bench_num(m->b.run, "depth", 1024) / m->nr_pools;
	for (i = 0; i < m->nr_pools; i++) {
		scnprintf(name, sizeof(name), "multi%d", atomic_inc_return(&serial));
		m->pools[i] = wpool_create(&attrs);
		if (IS_ERR(m->pools[i]))
			return PTR_ERR(m->pools[i]);
	}
	return 0;
}

static void flush_all(struct multi *m)
{
	u32 i;

	for (i = 0; i < m->nr_pools; i++)
		while (wpool_flush(m->pools[i]) == -EINTR)
			cond_resched();
}

static int measure(struct bench *b)
{
	u64 per_ms = bench_turns_per_ms(), i;
	struct multi *m = container_of(b, struct multi, b);
	int err = create(m);

	for (i = 0; i < b->n; i++) {
		wpool_task_init(&b->items[i].task, computes);
		if (bench_num(b->run, "lengths", 1) == 3)
			b->items[i].turns = bench_turns(bench_length_ns(i), per_ms);
	}
	/* the first tasks make the workers, and are not measured */
	err = err ?: bench_produce_counted(b, false, DIV_ROUND_UP(b->n, 10), produce);
	if (err)
		return err;
	flush_all(m);
	err = bench_produce_counted(b, true, b->n, produce);
	if (err)
		return err;
	bench_meter_stop(b);
	flush_all(m);
	for (i = 0; i < m->nr_pools; i++)
		wpool_destroy(m->pools[i]);
	return 0;
}

const struct bench_case bench_multi = {
	.name = "multi",
	.size = sizeof(struct multi),
	.n = 100000,
	.prepare = prepare,
	.measure = measure,
};
