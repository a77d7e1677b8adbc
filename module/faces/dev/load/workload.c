// SPDX-License-Identifier: GPL-2.0
/*
 * The workloads of /dev/wpool, except the hash (load.c).
 *
 * Invariants:
 *   - whatever a descriptor asks for, the run sees the stop flag within 1 ms of CPU time, or at
 *     once if it is asleep;
 *   - nothing here writes to the kernel log, except a fault; all memory is freed when the run ends,
 *     however it ends (a fault allocates nothing);
 *   - a run that has ended never holds the lock of WPOOL_WORK_LOCK.
 *
 * Under the pool's policy "run" a workload runs in its submitter, a user process. There a fatal
 * signal stops it, too. The process can be frozen meanwhile, so it waits for no worker and holds no
 * lock while it is frozen.
 *
 * Barrier pairs:
 *
 *   workload_stop:A  stop is set, full barrier, sleeper is read
 *                    <-> sleep_state:A and lock_shared:A: sleeper is set, full
 *                    barrier, stop is read. Otherwise the thread could miss the
 *                    flag, and the stop could miss the thread.
 *   unlock_shared:A  the lock's bit is cleared, full barrier, look for waiters
 *                    <-> lock_shared:A: a waiter is on the queue, full barrier, the
 *                    bit is tested. Otherwise neither would see the other, and the
 *                    waiter would sleep on.
 */
#include "faces/dev/load/workload.h"

#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/freezer.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/wpool.h>
#include <linux/wpool_parallel.h>

#include "compat.h"
#include "core/state.h"
#include "task/state.h"

/*
 * State of a sleeping workload: it adds no load, is no hung task, and is woken by stop or by
 * SIGKILL. Under policy "run" the sleeper may be a process that is to be frozen.
 */
#define WORKLOAD_SLEEP	(TASK_IDLE | TASK_WAKEKILL | TASK_FREEZABLE)

/* A sleep may be up to this much longer, so that one interrupt ends several sleeps. */
#define SLEEP_SLACK_MAX_NS	(50 * NSEC_PER_USEC)

bool wpool_allow_fault;
module_param_named(allow_fault, wpool_allow_fault, bool, 0444);
MODULE_PARM_DESC(allow_fault, "let /dev/wpool submit workloads that oops on purpose (default: no)");

/* The lock of WPOOL_WORK_LOCK: bit 0 of lock_word, and the threads that wait for it. */
static unsigned long lock_word;
static DECLARE_WAIT_QUEUE_HEAD(lock_wq);

u64 wpool_workload_bytes(const struct wpool_workload *load)
{
	if (load->kind == WPOOL_WORK_TOUCH || load->kind == WPOOL_WORK_HASH)
		return load->arg;
	return 0;
}

void wpool_workload_stop(struct wpool_workload *load)
{
	struct task_struct *sleeper;

	WRITE_ONCE(load->stop, true);
	/* workload_stop:A, pairs with sleep_state:A and lock_shared:A */
	smp_mb();
	sleeper = READ_ONCE(load->sleeper);
	if (sleeper)
		wake_up_process(sleeper);
}

/*
 * Prepare to sleep: from here on wpool_workload_stop() wakes this thread. The caller must check
 * @stop after this call and before it sleeps.
 */
static void sleep_state(struct wpool_workload *load)
{
	WRITE_ONCE(load->sleeper, current);
	/* sleep_state:A, a full barrier */
	set_current_state(WORKLOAD_SLEEP);
}

/* The thread is not asleep any more; a late wake-up finds it running and has no effect. */
static void sleep_done(struct wpool_workload *load)
{
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(load->sleeper, NULL);
}

static int run_sleep(struct wpool_workload *load)
{
	u64 slack = min_t(u64, load->arg >> 6, SLEEP_SLACK_MAX_NS);
	ktime_t until = ktime_add_ns(ktime_get(), load->arg);
	int err = 0;

	while (!err && ktime_before(ktime_get(), until)) {
		sleep_state(load);
		if (wpool_workload_stopped(load))
			err = -ECANCELED;
		else
			schedule_hrtimeout_range(&until, slack, HRTIMER_MODE_ABS);
		sleep_done(load);
	}
	return err;
}

static int run_yield(struct wpool_workload *load)
{
	u64 i;

	for (i = 0; i < load->arg; i++) {
		if (wpool_workload_stopped(load))
			return -ECANCELED;
		/* the state is TASK_RUNNING, so this only lets other ready threads run first */
		schedule();
		try_to_freeze();
	}
	return 0;
}

/*
 * Allocate page by page: no allocation of a high order fails, and the stop flag is checked between
 * two pages. The pages are charged to load->memcg: a worker is in its pool's memory cgroup, and a
 * submitter that runs its task may be in another memory cgroup than its file.
 */
static int run_touch(struct wpool_workload *load)
{
	struct mem_cgroup *old = set_active_memcg(load->memcg ?: compat_active_memcg());
	struct page *page, *next;
	LIST_HEAD(pages);
	int err = 0;
	u64 done;

	for (done = 0; done < load->arg; done += PAGE_SIZE) {
		size_t bytes = min_t(u64, load->arg - done, PAGE_SIZE);

		if (wpool_workload_stopped(load)) {
			err = -ECANCELED;
			break;
		}
		/* a test must not invoke the OOM killer, also not if its cgroup is at the limit */
		page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_NOWARN |
				  __GFP_RETRY_MAYFAIL);
		if (!page) {
			err = -ENOMEM;
			break;
		}
		memset(page_address(page), 0xa5, bytes);
		list_add(&page->lru, &pages);
		cond_resched();
		try_to_freeze();
	}
	list_for_each_entry_safe(page, next, &pages, lru) {
		list_del(&page->lru);
		__free_page(page);
		cond_resched();
	}
	set_active_memcg(old);
	return err;
}

/*
 * A sleeping lock whose waiters can be stopped, unlike those of a kernel mutex. An unlock wakes one
 * worker that waits; a worker that leaves without the lock wakes the next. It also wakes all
 * submitters that wait: a frozen submitter does not run, and must not use up the wake-up.
 */
static int lock_shared(struct wpool_workload *load)
{
	DEFINE_WAIT(wait);
	int err = 0;

	for (;;) {
		WRITE_ONCE(load->sleeper, current);
		/* lock_shared:A, a full barrier in both */
		if (wpool_workload_in_submitter())
			prepare_to_wait(&lock_wq, &wait, WORKLOAD_SLEEP);
		else
			prepare_to_wait_exclusive(&lock_wq, &wait, WORKLOAD_SLEEP);
		if (!test_and_set_bit_lock(0, &lock_word))
			break;
		if (wpool_workload_stopped(load)) {
			err = -ECANCELED;
			break;
		}
		schedule();
	}
	finish_wait(&lock_wq, &wait);
	sleep_done(load);
	if (err && !test_bit(0, &lock_word))
		wake_up(&lock_wq);
	return err;
}

static void unlock_shared(void)
{
	clear_bit_unlock(0, &lock_word);
	/* unlock_shared:A, pairs with lock_shared:A */
	smp_mb__after_atomic();
	if (waitqueue_active(&lock_wq))	/* after unlock_shared:A */
		wake_up(&lock_wq);
}

static int run_lock(struct wpool_workload *load)
{
	u64 left_ns = load->arg;
	int err;

	do {
		err = lock_shared(load);
		if (err)
			return err;
		err = wpool_workload_spin_thawed(load, &left_ns);
		unlock_shared();
		try_to_freeze();
	} while (!err && left_ns);
	return err;
}

static int run_noop(struct wpool_workload *load)
{
	return 0;
}

static int run_spin(struct wpool_workload *load)
{
	return wpool_workload_spin(load, load->arg);
}

/* CPU time of an index of a loop; the last index has the rest. */
#define LOOP_INDEX_NS	(10ULL * NSEC_PER_USEC)

static int run_chunk(unsigned long from, unsigned long to, void *arg)
{
	struct wpool_workload *load = arg;

	return wpool_workload_spin(load, min(to * LOOP_INDEX_NS, load->arg) -
				   from * LOOP_INDEX_NS);
}

static int run_loop(struct wpool_workload *load)
{
	if (wpool_workload_in_submitter())
		return run_spin(load);
	return wpool_parallel_for(load->pool, 0, DIV_ROUND_UP_ULL(load->arg, LOOP_INDEX_NS), 0,
				  run_chunk, load);
}

static int run_count(struct wpool_workload *load)
{
	u64 __user *count = u64_to_user_ptr(load->arg);
	u64 value;

	/* without an mm, a worker still has the page tables of the thread that ran before it */
	if (!current->mm || get_user(value, count) || put_user(value + 1, count))
		return -EFAULT;
	return 0;
}

/* The oops shows this name. */
static noinline int wpool_fault_on_purpose(struct wpool_workload *load)
{
	WRITE_ONCE(*(int *)NULL, 0);
	return 0;
}

/* ---- the fork-join tree ---- */

/*
 * Nodes are joinable tasks, submitted by tasks. Invariants:
 *   - a node's children live in an array that the node allocates. The array is freed after all of
 *     them were waited for, so the children outlive every touch by the pool;
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

/*
 * Every node submits its children and waits for them; a leaf uses the CPU. The calling task is the
 * root.
 */
static int run_tree(struct wpool_workload *load)
{
	if (wpool_workload_in_submitter())
		return subtree_run_flat(load, load->depth);
	return node_run(load, load->depth);
}

/* The kinds of workloads: what runs, and the largest argument. */
static const struct {
	int (*run)(struct wpool_workload *load);
	u64 max_arg;
} kinds[] = {
	[WPOOL_WORK_NOOP] = { run_noop, U64_MAX },
	[WPOOL_WORK_SPIN] = { run_spin, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_SLEEP] = { run_sleep, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_YIELD] = { run_yield, WPOOL_MAX_WORK_YIELDS },
	[WPOOL_WORK_TOUCH] = { run_touch, WPOOL_MAX_WORK_BYTES },
	[WPOOL_WORK_HASH] = { wpool_hash_run, WPOOL_MAX_WORK_BYTES },
	[WPOOL_WORK_LOCK] = { run_lock, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_TREE] = { run_tree, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_FAULT] = { wpool_fault_on_purpose, U64_MAX },
	/* the event has already waited, see task.c */
	[WPOOL_WORK_TIMER] = { run_noop, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_POLL] = { run_noop, U64_MAX },
	[WPOOL_WORK_LOOP] = { run_loop, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_STRAND] = { run_spin, WPOOL_MAX_WORK_NS },
	[WPOOL_WORK_COUNT] = { run_count, U64_MAX },
};

static u64 tree_nodes(u32 depth, u32 fanout)
{
	u64 nodes = 1, level = 1;

	/* both factors are far below 2^32: the limit is reached before any overflow */
	while (depth--) {
		level *= fanout;
		nodes += level;
		if (nodes > WPOOL_MAX_TREE_NODES)
			break;
	}
	return nodes;
}

static int check_tree(const struct wpool_dev_work *work)
{
	if (work->depth > WPOOL_MAX_TREE_DEPTH)
		return -ERANGE;
	if (!work->fanout || work->fanout > WPOOL_MAX_TREE_FANOUT)
		return -ERANGE;
	return tree_nodes(work->depth, work->fanout) > WPOOL_MAX_TREE_NODES ? -ERANGE : 0;
}

int wpool_workload_check(const struct wpool_dev_work *work)
{
	if (work->flags & ~(WPOOL_WORK_SILENT | WPOOL_WORK_URGENT))
		return -EOPNOTSUPP;
	if (work->kind >= ARRAY_SIZE(kinds))
		return -EINVAL;
	if (work->kind == WPOOL_WORK_FAULT && !(wpool_allow_fault && capable(CAP_SYS_ADMIN)))
		return -EPERM;
	if (work->arg > kinds[array_index_nospec(work->kind, ARRAY_SIZE(kinds))].max_arg)
		return -ERANGE;
	return work->kind == WPOOL_WORK_TREE ? check_tree(work) : 0;
}

int wpool_workload_run(struct wpool_workload *load)
{
	if (wpool_workload_stopped(load))
		return -ECANCELED;
	return kinds[load->kind].run(load);
}
