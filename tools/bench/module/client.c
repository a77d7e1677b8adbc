// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that submit a task and wait for it, again and again.
 *
 *	client peer=NAME n=N [clients=C] [own=1] [ns=NS] [enqueue=1] [turns=1]
 *
 * N round trips, shared by C clients, of which client i is on CPU i, round and
 * round. A client sleeps on a completion that its task completes, or with own=1 in
 * what the peer itself has for that: wpool_task_wait(), flush_work(),
 * kthread_flush_work(). A task computes for NS. "trip_*" is the time from before the submit
 * until the client runs again, in ns; with enqueue=1, "enqueue_*" that of the submit alone. A
 * client a CPU with enqueue=1 has the shape of the kernel's own lib/test_workqueue.c. With turns=1
 * the emulator's plugin counts what each CPU does from one trip of its client to the next.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "mark.h"
#include "peers.h"
#include "producers.h"
#include "switches.h"

struct client {
	struct bench_item item;
	struct completion done;
};

struct clients {
	struct bench_pool pool;
	struct client *clients;
	struct bench_meter meter;
	u32 *trip_ns, *enqueue_ns;
	u64 turns;
	bool own;
};

static void answer(struct bench_item *item)
{
	if (item->turns)
		bench_spend(item->turns);
	complete(&container_of(item, struct client, item)->done);
}

BENCH_FN(answer);

static int trip(struct clients *b, struct client *client, u64 i)
{
	const struct bench_peer *peer = b->pool.peer;
	u64 before;
	int err;

	reinit_completion(&client->done);
	if (b->enqueue_ns) {
		before = ktime_get_ns();
		err = peer->submit(&b->pool, &client->item);
		b->enqueue_ns[i] = min_t(u64, ktime_get_ns() - before, U32_MAX);
	} else {
		err = peer->submit(&b->pool, &client->item);
	}
	if (err)
		return err;
	if (b->own)
		return peer->wait(&b->pool, &client->item);
	wait_for_completion(&client->done);
	return 0;
}

static int produce_trips(struct bench_producer *p)
{
	struct clients *b = p->data;
	u64 i, before;
	int err;

	for (i = p->first; i < p->first + p->nr; i++) {
		bench_mark(BENCH_MARK_TURN, 0);
		before = ktime_get_ns();
		err = trip(b, &b->clients[p->index], i);
		if (err)
			return err;
		b->trip_ns[i] = min_t(u64, ktime_get_ns() - before, U32_MAX);
	}
	return 0;
}

static int produce(struct bench_run *run, struct clients *b, u32 nr, u64 n)
{
	struct tracepoint *tp;
	int err;

	if (!bench_num(run, "turns", 0))
		return bench_produce(run, nr, n, produce_trips, b, &b->meter);
	tp = bench_watch_ticks();
	if (IS_ERR(tp))
		return PTR_ERR(tp);
	bench_start_to_count();
	err = bench_produce(run, nr, n, produce_trips, b, &b->meter);
	bench_ignore_ticks(tp);
	return err;
}

int bench_client(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 10000);
	u32 nr = bench_num(run, "clients", 1), i;
	struct clients b = { .own = bench_num(run, "own", 0) };
	int err = -ENOMEM;

	if (n < nr || !nr)
		return -EINVAL;
	b.clients = kcalloc(nr, sizeof(*b.clients), GFP_KERNEL);
	b.trip_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	if (bench_num(run, "enqueue", 0))
		b.enqueue_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	if (!b.clients || !b.trip_ns || (bench_num(run, "enqueue", 0) && !b.enqueue_ns))
		goto out_free;
	b.turns = div_u64(bench_num(run, "ns", 0) * bench_turns_per_ms(), NSEC_PER_MSEC);
	err = bench_pool_create(&b.pool, run, &answer_fn);
	if (err)
		goto out_free;
	/* wpool: whoever is told by a completion submits before the function has returned */
	b.pool.detached = !b.own;
	err = -EINVAL;
	if (b.own && !b.pool.peer->wait)
		goto out_destroy;
	for (i = 0; i < nr; i++) {
		init_completion(&b.clients[i].done);
		b.pool.peer->init(&b.pool, &b.clients[i].item);
		b.clients[i].item.turns = b.turns;
	}
	/* unmeasured, so that there are workers */
	err = bench_produce(NULL, nr, max_t(u64, n / 10, nr), produce_trips, &b, &b.meter);
	if (!err)
		err = produce(run, &b, nr, n);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	bench_put_percentiles(run, "trip", b.trip_ns, n);
	if (b.enqueue_ns)
		bench_put_percentiles(run, "enqueue", b.enqueue_ns, n);
	b.pool.peer->flush(&b.pool);
	bench_pool_put_stats(&b.pool, run);
out_destroy:
	bench_pool_destroy(&b.pool);
out_free:
	kvfree(b.enqueue_ns);
	kvfree(b.trip_ns);
	kfree(b.clients);
	return err;
}
