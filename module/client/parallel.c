// SPDX-License-Identifier: GPL-2.0
/*
 * Loops whose chunks several CPUs take: wpool_parallel_for().
 *
 * The caller runs chunks itself. Helpers are tasks of the pool, which are submitted only if there
 * is room now. So the call also ends if no helper ever runs, and it waits only for chunks that
 * helpers have started. The caller submits two helpers, and each one that starts submits two more:
 * a busy pool gets few useless tasks, and in an idle pool all CPUs soon take part.
 *
 * Two counts:
 *
 *   nr_inside  the caller, and the helpers that have started. When the caller finds no more chunks
 *              it leaves, and waits until the last helper has left. From then on no helper may
 *              enter, so the caller's function is not called any more.
 *   refs       the caller, and the helpers that were submitted. Helpers that have not started
 *              when the loop ends are taken out of the queues. If another thread has already taken
 *              a helper, the helper cannot enter, and drops its reference.
 *
 * If a worker dies in a helper, tidy.c calls the helper's abort function, which leaves the loop for
 * the dead worker. If a worker dies as the caller, it leaves and waits as if it had returned,
 * before its thread ends. If another thread dies as the caller, nr_inside never becomes 0, and the
 * loop's memory is leaked, so that helpers that start later still find it.
 */
#include <linux/cache.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wpool_parallel.h>

#include "core/current.h"
#include "core/runqs.h"
#include "core/state.h"
#include "task/finish.h"
#include "task/submit.h"

/* Without a grain, a chunk is 1/CHUNKS_EACH of each thread's share of the remaining indices. */
#define CHUNKS_EACH	4

/* Helpers that each thread submits. */
#define FANOUT		2

struct loop;

struct helper {
	struct wpool_task task;
	struct loop *loop;	/* I */
	int cpu;	/* I: the CPU that the task prefers */
};

/*
 * A call of wpool_parallel_for(). I: constant from the first submit on; X: atomic operations; K:
 * does its own locking.
 */
struct loop {
	struct wpool_call call;	/* I: in the list of the worker that is the caller */
	struct wpool *pool;	/* I: where the helpers run */
	wpool_for_fn fn;	/* I: the caller's function */
	void *arg;	/* I: the last argument of @fn */
	unsigned long from;	/* I: the first index */
	unsigned long size;	/* I: number of indices */
	unsigned long grain;	/* I: indices in a chunk; 0: see CHUNKS_EACH */
	u32 nr_helpers;	/* I: length of @helpers */
	refcount_t refs;	/* X: the caller, and helpers that were submitted */
	refcount_t nr_inside;	/* X: the caller, and helpers that have started */
	atomic_t nr_asked;	/* X: helpers that were submitted, or refused */
	int error;	/* X: first error: of @fn, or -EIO if a worker died */
	struct completion left;	/* K: completed when @nr_inside is 0 */

	/* X: how many indices were taken; on a cache line of its own */
	atomic_long_t next ____cacheline_aligned_in_smp;

	struct helper helpers[] ____cacheline_aligned_in_smp;
};

/* ---- chunks ---- */

/* Take the next chunk, which begins @at indices after the first; returns its size, or 0. */
static unsigned long take_chunk(struct loop *loop, unsigned long *at)
{
	long taken = atomic_long_read(&loop->next);
	unsigned long left, n;

	do {
		left = loop->size - taken;
		if (!left || READ_ONCE(loop->error))
			return 0;
		n = loop->grain ?: left / (CHUNKS_EACH * (loop->nr_helpers + 1)) ?: 1;
		n = min(n, left);
		/* orders nothing: the data of a chunk was there before the submit of the helper */
	} while (!atomic_long_try_cmpxchg_relaxed(&loop->next, &taken, taken + n));

	*at = taken;
	return n;
}

static void loop_keep_error(struct loop *loop, int error)
{
	cmpxchg(&loop->error, 0, error);
}

static void work_chunks(struct loop *loop)
{
	unsigned long at, n;
	int err;

	while ((n = take_chunk(loop, &at))) {
		err = loop->fn(loop->from + at, loop->from + at + n, loop->arg);
		if (err)
			loop_keep_error(loop, err);
		cond_resched();
	}
}

/* ---- helpers ---- */

static void put_loop(struct loop *loop)
{
	if (refcount_dec_and_test(&loop->refs))
		kfree(loop);
}

/* What each thread did in the loop is ordered before the completion, by the atomic decrement. */
static void leave_loop(struct loop *loop)
{
	if (refcount_dec_and_test(&loop->nr_inside))
		complete(&loop->left);
}

static void ask_for_help(struct loop *loop)
{
	struct helper *helper;
	u32 i, nr;

	for (i = 0; i < FANOUT; i++) {
		/* no index is left to take, or none will be taken: racy */
		if (READ_ONCE(loop->error) || atomic_long_read(&loop->next) == loop->size)
			return;
		nr = atomic_fetch_add_unless(&loop->nr_asked, 1, loop->nr_helpers);
		if (nr == loop->nr_helpers)
			return;
		helper = &loop->helpers[nr];
		refcount_inc(&loop->refs);
		if (wpool_submit_on_state(loop->pool, helper->cpu, &helper->task, 0)) {
			/* not the last reference: this thread still has its own */
			refcount_dec(&loop->refs);
			return;
		}
	}
}

/* The function of a helper. Only workers call it: a submit that does not wait runs no task. */
static void help_loop(struct wpool_task *task)
{
	struct loop *loop = container_of(task, struct helper, task)->loop;

	if (refcount_inc_not_zero(&loop->nr_inside)) {
		/* debugfs shows that the worker is in loop->fn, not in help_loop() */
		WRITE_ONCE(wpool_worker_self()->func, loop->fn);
		ask_for_help(loop);
		work_chunks(loop);
		leave_loop(loop);
	}
	put_loop(loop);
}

/* The abort function of a helper that was taken out before its start, or whose worker died. */
static void help_ends(struct wpool_task *task, int status)
{
	struct loop *loop = container_of(task, struct helper, task)->loop;

	if (status == -EIO) {
		loop_keep_error(loop, status);
		leave_loop(loop);
	}
	put_loop(loop);
}

/* Choose the helpers' CPUs: those after this one that the pool may use; returns how many. */
static u32 spread_helpers(struct loop *loop, struct wpool *pool, u32 max)
{
	int here = raw_smp_processor_id(), cpu;
	struct helper *helper;
	struct wpool_runq *rq;
	u32 nr = 0;

	for_each_cpu_wrap(cpu, cpu_online_mask, here) {
		rq = wpool_runq(pool, cpu);
		if (cpu == here || !rq || READ_ONCE(rq->redirect))
			continue;
		if (nr == max)
			break;
		helper = &loop->helpers[nr++];
		wpool_task_init_abortable(&helper->task, help_loop, help_ends, NULL);
		helper->loop = loop;
		helper->cpu = cpu;
	}
	return nr;
}

/* Allocate a loop, with as many helpers as are of use; NULL if there is no memory. */
static struct loop *alloc_loop(struct wpool *pool, unsigned long size, unsigned long grain)
{
	unsigned long chunks = grain ? (size - 1) / grain : size - 1;
	/* a caller that is in a task of the pool takes one of its workers */
	u32 workers = READ_ONCE(pool->capacity) - wpool_in_own_task(pool);
	u32 max = min3(chunks, (unsigned long)workers, (unsigned long)READ_ONCE(pool->nr_cpus));
	struct loop *loop;

	if (!max)
		return NULL;
	/* no reclaim: it would cost more than helpers gain, and the caller may be in reclaim */
	loop = kmalloc(struct_size(loop, helpers, max), GFP_NOWAIT | __GFP_NOWARN);
	if (loop)
		loop->nr_helpers = spread_helpers(loop, pool, max);
	return loop;
}

/* The caller leaves the loop; returns the loop's error. */
static int end_loop(struct loop *loop)
{
	int err;
	u32 i;

	leave_loop(loop);
	wait_for_completion(&loop->left);
	/* no helper is submitted from here on: take out the helpers that have not started */
	for (i = 0; i < atomic_read(&loop->nr_asked); i++)
		wpool_finish_take_out(&loop->helpers[i].task, true);
	err = loop->error;
	put_loop(loop);
	return err;
}

static void caller_died(struct wpool_call *call)
{
	struct loop *loop = container_of(call, struct loop, call);

	loop_keep_error(loop, -EIO);
	end_loop(loop);
}

int wpool_parallel_for(struct wpool *pool, unsigned long from, unsigned long to,
		       unsigned long grain, wpool_for_fn fn, void *arg)
{
	struct wpool_worker *w = wpool_worker_current();
	struct loop *loop, alone;

	might_sleep();
	if (IS_ERR_OR_NULL(pool) || !fn || from > to)
		return -EINVAL;
	if (from == to)
		return 0;
	loop = alloc_loop(pool, to - from, grain);
	if (!loop) {
		loop = &alone;
		loop->nr_helpers = 0;
	}
	loop->pool = pool;
	loop->fn = fn;
	loop->arg = arg;
	loop->from = from;
	loop->size = to - from;
	loop->grain = grain;
	loop->error = 0;
	atomic_long_set(&loop->next, 0);
	if (loop == &alone) {
		work_chunks(loop);
		return loop->error;
	}

	refcount_set(&loop->refs, 1);
	refcount_set(&loop->nr_inside, 1);
	atomic_set(&loop->nr_asked, 0);
	init_completion(&loop->left);
	loop->call.died = caller_died;
	if (w) {
		loop->call.outer = w->calls;
		w->calls = &loop->call;
	}
	ask_for_help(loop);
	work_chunks(loop);
	if (w)
		w->calls = loop->call.outer;
	return end_loop(loop);
}
EXPORT_SYMBOL_GPL(wpool_parallel_for);
