// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of tasks that tasks spawn, and that join: a binary heap of n nodes.
 *
 *	tree peer=NAME n=N [shuffle=1]
 *
 * Node i submits its children 2i + 1 and 2i + 2. It has joined when it and both
 * subtrees are done; the last of them says so to the node above, so nobody waits
 * and no peer needs a worker for a wait. The end is the root's.
 *
 * The nodes lie in memory in the order of a heap, level by level. Whoever runs tasks first
 * in, first out walks through it from one end to the other, which the processor foresees.
 * With shuffle=1 node i is anywhere, as if each had been allocated: then no order
 * has an advantage.
 */
#include "bench.h"

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/prandom.h>

#include "peers.h"

struct node {
	atomic_t open;		/* itself, and its children that have not joined */
};

struct tree {
	struct bench_pool pool;
	struct bench_item *items;
	struct node *nodes;
	u32 *places;		/* where node i is, or NULL */
	struct bench_meter meter;
	struct completion joined;
	u32 nr;
	int err;
};

static u32 place(const struct tree *tree, u32 i)
{
	return tree->places ? tree->places[i] : i;
}

static void join(struct tree *tree, u32 i)
{
	while (atomic_dec_and_test(&tree->nodes[place(tree, i)].open)) {
		if (!i) {
			complete(&tree->joined);
			break;
		}
		i = (i - 1) / 2;
	}
}

static void grow(struct bench_item *item)
{
	struct tree *tree = item->data;
	u32 i = item->index, child;
	int err;

	for (child = 2 * i + 1; child <= 2 * i + 2; child++) {
		if (child >= tree->nr)
			break;
		err = tree->pool.peer->submit(&tree->pool, &tree->items[place(tree, child)]);
		if (err)
			WRITE_ONCE(tree->err, err);
	}
	bench_count();
	join(tree, i);
}

BENCH_FN(grow);

/* The first @nr places in any order, the same each time. */
static void shuffle(u32 *places, u32 nr)
{
	struct rnd_state state;
	u32 i, other;

	prandom_seed_state(&state, 1);
	for (i = 0; i < nr; i++) {
		/* before i, or i itself */
		other = prandom_u32_state(&state) % (i + 1);
		places[i] = places[other];
		places[other] = i;
	}
}

static void plant(struct tree *tree)
{
	u32 i, children;

	bench_items_init(&tree->pool, tree->items, tree->nr);
	if (tree->places)
		shuffle(tree->places, tree->nr);
	for (i = 0; i < tree->nr; i++) {
		children = 2 * i + 2 < tree->nr ? 2 : 2 * i + 1 < tree->nr;
		atomic_set(&tree->nodes[place(tree, i)].open, 1 + children);
		tree->items[place(tree, i)].index = i;
		tree->items[place(tree, i)].data = tree;
	}
	bench_count_reset();
	reinit_completion(&tree->joined);
}

static int grow_tree(struct tree *tree)
{
	int err;

	plant(tree);
	bench_meter_start(&tree->meter);
	err = tree->pool.peer->submit(&tree->pool, &tree->items[place(tree, 0)]);
	/* a subtree that was not accepted never joins */
	while (!err && !wait_for_completion_timeout(&tree->joined, 60 * HZ))
		err = READ_ONCE(tree->err) ?: -ETIMEDOUT;
	return err;
}

int bench_tree(struct bench_run *run)
{
	struct tree tree = { .nr = bench_num(run, "n", 100000) };
	int err = -ENOMEM;
	u32 nr = tree.nr;

	if (!nr)
		return -EINVAL;
	init_completion(&tree.joined);
	tree.items = bench_items_alloc(nr);
	tree.nodes = kvcalloc(nr, sizeof(*tree.nodes), GFP_KERNEL);
	if (bench_num(run, "shuffle", 0)) {
		tree.places = kvcalloc(nr, sizeof(*tree.places), GFP_KERNEL);
		if (!tree.places)
			goto out_free;
	}
	if (!tree.items || !tree.nodes)
		goto out_free;
	err = bench_pool_create(&tree.pool, run, &grow_fn);
	if (err)
		goto out_free;

	/* unmeasured, so that there are workers */
	tree.nr = DIV_ROUND_UP(nr, 20);
	err = grow_tree(&tree);
	if (err)
		return bench_lost(err);
	tree.pool.peer->flush(&tree.pool);

	tree.nr = nr;
	err = grow_tree(&tree);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&tree.meter, run);
	tree.pool.peer->flush(&tree.pool);
	bench_pool_put_stats(&tree.pool, run);
	if (bench_count_sum() != nr)
		err = -EIO;
	bench_pool_destroy(&tree.pool);
out_free:
	kvfree(tree.places);
	kvfree(tree.nodes);
	kvfree(tree.items);
	return err;
}
