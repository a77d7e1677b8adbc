// SPDX-License-Identifier: GPL-2.0
/*
 * The fork-join tree: nodes are joinable tasks, submitted by tasks.
 *
 * Invariants:
 *   - a node's children live in an array that the node allocates. The array is freed
 *     after all of them were waited for, so the children outlive every touch by
 *     the pool;
 *   - a node does not fail if the pool is full or closed, memory is short or the stack is nearly
 *     used up: the parent itself runs the children that it cannot submit, at worst as one loop over
 *     the leaves below it;
 *   - the tree has ended when the root returns, even if it was stopped.
 *
 * A submitter that runs the tree itself, under policy "run", submits no child: it must not wait for
 * workers, since it may have to be frozen or killed meanwhile.
 *
 * Stack: a child runs on its parent's stack if the parent runs it directly or helps in
 * wpool_task_wait(). Neither happens if the stack is short.
 */
#include "faces/dev/load/worktree.h"

#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wpool.h>
#include <uapi/linux/wpool.h>

#include "core/state.h"
#include "faces/dev/load/load.h"
#include "task/state.h"

struct tree_node {
	struct wpool_task task;
	struct wpool_workload *load;	/* the run that the whole tree belongs to */
	u32 depth;	/* levels below this node */
	/* how the node and its subtree ended; the parent reads this after the wait */
	int err;
};

static_assert(WPOOL_MAX_TREE_FANOUT <= 32, "one bit for each child");

static int node_run(struct wpool_workload *load, u32 depth);

/* The nodes are tasks of the pool: a release that drops its tasks drops these, too. */
static bool is_stopped(const struct wpool_workload *load)
{
	return wpool_workload_stopped(load) || wpool_drops(load->pool);
}

/* Run a subtree without tasks, memory or recursion: its leaves one after the other. */
static int subtree_run_flat(struct wpool_workload *load, u32 depth)
{
	u64 leaves = 1;
	int err = 0;

	while (depth--)
		leaves *= load->fanout;
	while (!err && leaves--) {
		if (is_stopped(load))
			return -ECANCELED;
		err = wpool_workload_spin(load, load->arg);
		cond_resched();
	}
	return err;
}

static void tree_node_run(struct wpool_task *task)
{
	struct tree_node *node = container_of(task, struct tree_node, task);

	node->err = node_run(node->load, node->depth);
}

/* Wait until a child has ended: its memory is freed next. No signal ends the waits of a worker. */
static int child_join(struct tree_node *child)
{
	int err = wpool_task_wait(&child->task);

	/* no worker is left to run the child, and the stack is short: run its leaves in a loop */
	while (err == -EDEADLK) {
		err = wpool_task_cancel_sync(&child->task);
		if (err == -ECANCELED)
			return subtree_run_flat(child->load, child->depth);
		if (err == -EDEADLK)
			schedule_timeout_uninterruptible(1);
	}
	return err ?: child->err;
}

static noinline_for_stack int node_run(struct wpool_workload *load, u32 depth)
{
	struct tree_node *children;
	u32 nr = load->fanout, forked = 0, i;
	int first_err = 0, err;

	if (is_stopped(load))
		return -ECANCELED;
	if (!depth || wpool_stack_is_short())
		return subtree_run_flat(load, depth);

	children = kmalloc_array(nr, sizeof(*children),
				 GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY);
	if (!children)
		return subtree_run_flat(load, depth);

	for (i = 0; i < nr; i++) {
		children[i].load = load;
		children[i].depth = depth - 1;
		children[i].err = 0;
		wpool_task_init(&children[i].task, tree_node_run);
	}
	for (i = 0; i < nr; i++) {
		/* if the pool refuses the child, run it here: the pool may accept the next child */
		if (!wpool_submit(load->pool, &children[i].task)) {
			forked |= BIT(i);
			continue;
		}
		err = node_run(load, depth - 1);
		first_err = first_err ?: err;
	}
	/* the last child first: it is most likely to be still queued, and hot in the cache */
	for (i = nr; i-- > 0; ) {
		if (!(forked & BIT(i)))
			continue;
		err = child_join(&children[i]);
		first_err = first_err ?: err;
	}
	kfree(children);
	return first_err;
}

int wpool_worktree_run(struct wpool_workload *load)
{
	if (wpool_workload_in_submitter())
		return subtree_run_flat(load, load->depth);
	return node_run(load, load->depth);
}
