// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that submit a task and wait for it, again and again.
 *
 *	client peer=NAME n=N [clients=C] [first=F] [step=S] [burst=B] [own=1] [ns=NS] [enqueue=1]
 *	       [turns=1]
 *
 * N round trips, shared by C clients; client i is on CPU F + i * S modulo the number of CPUs. By
 * default F is 0, and S and B are 1. In a trip a client submits B tasks, and waits for all. It
 * sleeps on a completion that its task completes, or with own=1 in the peer's own wait:
 * wpool_task_wait(), flush_work(), kthread_flush_work(). A task computes for NS. "trip_*" is the
 * time from before the submit until the client runs again, in ns; with enqueue=1, "enqueue_*" is
 * the time of the submit alone. One client per CPU with enqueue=1 has the shape of the kernel's own
 * lib/test_workqueue.c. With turns=1 the emulator's plugin counts what each CPU executes from one
 * mark to the next; marks are before each submit, and where each task begins.
 */
#include <linux/completion.h>

#include "bench.h"
#include "mark.h"
#include "switches.h"

struct client {
	struct bench_item item;
	struct completion done;
};

struct clients {
	struct bench b;
	struct client *clients;
	u32 *trip_ns, *enqueue_ns;
	u32 burst;
	bool own;
};

static void answer(struct bench_item *item)
{
	bench_mark(BENCH_MARK_TURN, 0);
	if (item->turns)
		bench_spend(item->turns);
	complete(&container_of(item, struct client, item)->done);
}

BENCH_FN(answer);

static int submit(struct clients *c, struct client *client, u64 i)
{
	struct bench *b = &c->b;
	u64 before;
	int err;

	bench_mark(BENCH_MARK_TURN, 0);
	reinit_completion(&client->done);
	if (c->enqueue_ns) {
		before = ktime_get_ns();
		err = bench_submit(b, &client->item);
		c->enqueue_ns[i] = bench_u32(ktime_get_ns() - before);
	} else {
		err = bench_submit(b, &client->item);
	}
	return err;
}

static int wait(struct clients *c, struct client *client)
{
	struct bench *b = &c->b;

	if (c->own)
		return b->pool.peer->wait(&b->pool, &client->item);
	wait_for_completion(&client->done);
	return 0;
}

static int produce_trips(struct bench_producer *p)
{
	struct clients *c = p->data;
	struct client *own = &c->clients[p->index * c->burst], *client;
	u64 i, before;
	int err = 0;

	for (i = p->first; i < p->first + p->nr; i++) {
		before = ktime_get_ns();
		for (client = own; !err && client < own + c->burst; client++)
			err = submit(c, client, i);
		for (client = own; !err && client < own + c->burst; client++)
			err = wait(c, client);
		if (err)
			return err;
		c->trip_ns[i] = bench_u32(ktime_get_ns() - before);
	}
	return 0;
}

static int prepare(struct bench *b)
{
	struct clients *c = container_of(b, struct clients, b);

	b->producers = bench_num(b->run, "clients", 1);
	b->nr_items = 1;
	c->burst = bench_num(b->run, "burst", 1);
	if (!b->producers || b->n < b->producers || !c->burst)
		return -EINVAL;
	c->clients = bench_zalloc(b, b->producers, c->burst * sizeof(*c->clients));
	c->trip_ns = bench_series(b, "trip", b->n);
	if (bench_num(b->run, "enqueue", 0))
		c->enqueue_ns = bench_series(b, "enqueue", b->n);
	c->own = bench_num(b->run, "own", 0);
	/* a client may submit its task again before the function that woke it has returned */
	b->detached = !c->own;
	return 0;
}

static int ready(struct bench *b)
{
	u64 turns = bench_turns(bench_num(b->run, "ns", 0), bench_turns_per_ms());
	struct clients *c = container_of(b, struct clients, b);
	u32 i;

	for (i = 0; i < b->producers * c->burst; i++) {
		init_completion(&c->clients[i].done);
		b->pool.peer->init(&b->pool, &c->clients[i].item);
		c->clients[i].item.turns = turns;
	}
	return c->own && !b->pool.peer->wait ? -EINVAL : 0;
}

static int produce(struct bench *b)
{
	int err;

	if (!bench_num(b->run, "turns", 0))
		return bench_produce(b, true, b->n, produce_trips);
	err = bench_watch_ticks();
	if (err)
		return err;
	bench_start_to_count();
	err = bench_produce(b, true, b->n, produce_trips);
	bench_unwatch();
	return err;
}

static int measure(struct bench *b)
{
	int err;

	/* the first trips make the workers, and are not measured */
	err = bench_produce(b, false, max_t(u64, b->n / 10, b->producers), produce_trips) ?:
	      produce(b);
	if (!err)
		bench_meter_stop(b);
	return err;
}

const struct bench_case bench_client = {
	.name = "client",
	.size = sizeof(struct clients),
	.fn = &answer_fn,
	.n = 10000,
	.prepare = prepare,
	.ready = ready,
	.measure = measure,
};
