// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of n tasks that spawn and join their children, in the shape of a binary heap.
 *
 *	tree peer=NAME n=N [shuffle=1]
 *
 * Node i submits its children 2i + 1 and 2i + 2. A node has joined when its function and both
 * subtrees are done. The last of these three decrements tree->open of the parent, so no thread
 * waits, and no peer needs a worker for a wait. The tree ends when the root has joined.
 *
 * The nodes lie in memory in the order of a heap, level by level. A peer that runs tasks first in,
 * first out visits them from one end to the other, which the processor predicts. With shuffle=1 the
 * nodes lie in random order, as if each was allocated on its own, so no peer has an advantage.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/prandom.h>

#include "bench.h"

struct tree {
	struct bench b;
	atomic_t *open;		/* of each node: children that have not joined, + 1 for itself */
	u32 *places;		/* index of node i in b.items, or NULL */
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
	while (atomic_dec_and_test(&tree->open[place(tree, i)])) {
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
		err = bench_submit(&tree->b, &tree->b.items[place(tree, child)]);
		if (err)
			WRITE_ONCE(tree->err, err);
	}
	bench_count();
	join(tree, i);
}

BENCH_FN(grow);

/* Shuffle the first @nr places, in the same way each time. */
static void shuffle(u32 *places, u32 nr)
{
	struct rnd_state state;
	u32 i, other;

	prandom_seed_state(&state, 1);
	for (i = 0; i < nr; i++) {
		/* a random place from 0 to i */
		other = prandom_u32_state(&state) % (i + 1);
		places[i] = places[other];
		places[other] = i;
	}
}

static void plant(struct tree *tree)
{
	struct bench *b = &tree->b;
	u32 i, children;

	bench_items_init(&b->pool, b->items, tree->nr);
	if (tree->places)
		shuffle(tree->places, tree->nr);
	for (i = 0; i < tree->nr; i++) {
		children = 2 * i + 2 < tree->nr ? 2 : 2 * i + 1 < tree->nr;
		atomic_set(&tree->open[place(tree, i)], 1 + children);
		b->items[place(tree, i)].index = i;
	}
	bench_count_reset();
	reinit_completion(&tree->joined);
}

static int grow_tree(struct tree *tree, u32 nr)
{
	struct bench *b = &tree->b;
	int err;

	tree->nr = nr;
	plant(tree);
	bench_meter_start(b);
	err = bench_submit(b, &b->items[place(tree, 0)]);
	/* do not wait after an error: a subtree that was not accepted never joins */
	while (!err && !wait_for_completion_timeout(&tree->joined, 60 * HZ))
		err = READ_ONCE(tree->err) ?: -ETIMEDOUT;
	return err;
}

static int prepare(struct bench *b)
{
	struct tree *tree = container_of(b, struct tree, b);

	init_completion(&tree->joined);
	tree->open = bench_zalloc(b, b->n, sizeof(*tree->open));
	if (bench_num(b->run, "shuffle", 0))
		tree->places = bench_zalloc(b, b->n, sizeof(*tree->places));
	return 0;
}

static int measure(struct bench *b)
{
	struct tree *tree = container_of(b, struct tree, b);
	int err;

	/* a small tree makes the workers, and is not measured */
	err = grow_tree(tree, DIV_ROUND_UP(b->n, 20));
	if (err)
		return err;
	bench_flush(b);
	err = grow_tree(tree, b->n);
	if (err)
		return err;
	bench_meter_stop(b);
	bench_flush(b);
	return bench_count_sum() == b->n ? 0 : -EIO;
}

const struct bench_case bench_tree = {
	.name = "tree",
	.size = sizeof(struct tree),
	.fn = &grow_fn,
	.n = 100000,
	.prepare = prepare,
	.measure = measure,
};
