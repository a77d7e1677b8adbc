// SPDX-License-Identifier: GPL-2.0
/* wpool_parallel_for(): each index is done once, by the caller or by a helper. */
#include <linux/limits.h>
#include <linux/wpool_parallel.h>

#include "full_pool.h"

#define NR_INDICES	5000UL

/**
 * struct span - a loop that counts what its function does
 * @test: the case
 * @pool: the pool, for a loop inside a task or a chunk
 * @caller: the thread that calls wpool_parallel_for()
 * @first: the first index of the loop
 * @nr: how many indices
 * @most: the most indices that a chunk may have
 * @calls: calls of the function
 * @by_helpers: calls in other threads
 * @callers: calls of meet() in the caller
 * @helpers: calls of meet() in other threads
 * @sum: number of indices in all chunks
 * @inside: calls that are running
 * @bad: chunks that are empty, too large, or out of range
 * @gate: where helpers wait, or NULL
 * @fail_at: the chunk with this index fails; ULONG_MAX: none
 * @done: how often each index was done, or NULL
 */
struct span {
	struct kunit *test;
	struct wpool *pool;
	struct task_struct *caller;
	unsigned long first;
	unsigned long nr;
	unsigned long most;
	atomic_t calls;
	atomic_t by_helpers;
	atomic_t callers;
	atomic_t helpers;
	atomic_long_t sum;
	atomic_t inside;
	atomic_t bad;
	struct wpk_gate *gate;
	unsigned long fail_at;
	u8 *done;
};

static int span_fn(unsigned long from, unsigned long to, void *arg)
{
	struct span *span = arg;
	int ret = 0;

	atomic_inc(&span->inside);
	atomic_inc(&span->calls);
	if (from >= to || to - from > span->most || from < span->first ||
	    to - span->first > span->nr)
		atomic_inc(&span->bad);
	atomic_long_add(to - from, &span->sum);
	if (span->fail_at - from < to - from)
		ret = -ENXIO;
	for (; span->done && from < to; from++)
		span->done[from - span->first]++;
	if (current != span->caller) {
		atomic_inc(&span->by_helpers);
		if (span->gate)
			wpk_gate_pass(span->gate);
	}
	atomic_dec(&span->inside);
	return ret;
}

static struct span *span(struct kunit *test, unsigned long first, unsigned long nr)
{
	struct span *span = wpk_alloc(test, sizeof(*span));

	span->test = test;
	span->caller = current;
	span->first = first;
	span->nr = nr;
	span->most = nr;
	span->fail_at = ULONG_MAX;
	if (nr <= WPK_RING_ITEMS)
		span->done = wpk_alloc(test, nr);
	return span;
}

static int run(struct wpool *pool, struct span *span, unsigned long grain)
{
	return wpool_parallel_for(pool, span->first, span->first + span->nr, grain, span_fn, span);
}

static void each_was_done_once(struct kunit *test, struct span *span)
{
	unsigned long i, wrong = 0;

	for (i = 0; span->done && i < span->nr; i++)
		wrong += span->done[i] != 1;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic_long_read(&span->sum), span->nr);
	KUNIT_EXPECT_EQ(test, atomic_read(&span->bad), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&span->inside), 0);
}

static void wpool_parallel_for_does_each_index_once(struct kunit *test)
{
	static const unsigned long grains[] = { 0, 1, 7, 1000, NR_INDICES, ULONG_MAX };
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(grains); i++) {
		of = span(test, 12345, NR_INDICES);
		of->most = grains[i] ?: NR_INDICES;
		KUNIT_EXPECT_EQ(test, run(pool, of, grains[i]), 0);
		each_was_done_once(test, of);
		if (grains[i])
			KUNIT_EXPECT_EQ(test, (unsigned long)atomic_read(&of->calls),
					(NR_INDICES - 1) / grains[i] + 1);
		else
			KUNIT_EXPECT_GT(test, atomic_read(&of->calls), 1);
	}
}

static void wpool_parallel_for_largest_ranges_do_not_overflow(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of = span(test, 0, ULONG_MAX);

	KUNIT_EXPECT_EQ(test, run(pool, of, 0), 0);
	each_was_done_once(test, of);
	of = span(test, 0, ULONG_MAX);
	of->most = ULONG_MAX / 2;
	KUNIT_EXPECT_EQ(test, run(pool, of, ULONG_MAX / 2), 0);
	each_was_done_once(test, of);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->calls), 3);
	of = span(test, ULONG_MAX - 1000, 1000);
	KUNIT_EXPECT_EQ(test, run(pool, of, 300), 0);
	each_was_done_once(test, of);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->calls), 4);
}

/* The caller waits in its chunk until a helper has come. */
static int await_helper(unsigned long from, unsigned long to, void *arg)
{
	struct span *of = arg;

	if (current == of->caller && !wpk_eventually(atomic_read(&of->by_helpers)))
		return -ETIME;
	return span_fn(from, to, arg);
}

/* Wait until both the caller and a helper are here. */
static int meet(unsigned long from, unsigned long to, void *arg)
{
	struct span *of = arg;
	bool here = current == of->caller;

	atomic_inc(here ? &of->callers : &of->helpers);
	if (!wpk_eventually(atomic_read(here ? &of->helpers : &of->callers)))
		return -ETIME;
	return span_fn(from, to, arg);
}

static void wpool_parallel_for_gets_help(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of = span(test, 0, WPK_RING_ITEMS);

	wpk_need_cpus(test, 2);
	KUNIT_EXPECT_EQ(test, wpool_parallel_for(pool, 0, of->nr, 1, meet, of), 0);
	each_was_done_once(test, of);
	KUNIT_EXPECT_GT(test, atomic_read(&of->by_helpers), 0);
}

static int run_gated(struct wpk_thread *thread)
{
	struct span *of = thread->arg;

	of->caller = current;
	return wpool_parallel_for(thread->pool, of->first, of->first + of->nr, 1, await_helper, of);
}

/* The caller waits for the last chunk of a helper, even if the caller is killed. */
static void wpool_parallel_for_waits_for_the_chunk_of_a_helper(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of = span(test, 0, 8);
	struct wpk_thread *thread;

	wpk_need_cpus(test, 2);
	of->gate = wpk_gate(test);
	thread = wpk_thread(test, run_gated, pool, NULL, of);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(of->gate, 1));
	/* each chunk is done or held at the gate */
	WPK_EVENTUALLY(test, atomic_long_read(&of->sum) == 8);
	wpk_kill(thread);
	/* time for an error to show */
	msleep(20);
	wpk_waits_for(test, thread, of->gate);
	each_was_done_once(test, of);
}

/*
 * If there is room, but no worker is free, the helpers are taken out of the queue at the end of the
 * loop.
 */
static void wpool_parallel_for_unstarted_helpers_leave_the_queue(struct kunit *test)
{
	struct span *of = span(test, 0, 1000);
	struct wpk_full full = wpk_fill(test, wpk_pool(test, 1, 100));

	KUNIT_EXPECT_EQ(test, run(full.pool, of, 1), 0);
	each_was_done_once(test, of);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->by_helpers), 0);
	/* try again if no helper was cancelled: the monitor may move a helper to another queue */
	of->done = NULL;
	if (wpk_cpu(1) >= 0)
		WPK_EVENTUALLY(test, !run(full.pool, of, 1) && wpk_stat(full.pool, cancelled));
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, outstanding), 0);
	if (wpk_cpu(1) >= 0)
		KUNIT_EXPECT_GT(test, wpk_stat(full.pool, submitted), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->by_helpers), 0);
}

static int loop_in_loop(unsigned long from, unsigned long to, void *arg)
{
	struct span *of = arg;
	int err = 0;

	for (; from < to && !err; from++)
		err = run(of->pool, of, 3);
	return err;
}

/* Loops inside the chunks of a loop end, although all of them want helpers from one small pool. */
static void wpool_parallel_for_nested_ends(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 1);
	struct span *of = span(test, 0, 100);

	of->pool = pool;
	of->done = NULL;
	KUNIT_EXPECT_EQ(test, wpool_parallel_for(pool, 0, 50, 1, loop_in_loop, of), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic_long_read(&of->sum), 50UL * 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->bad), 0);
}

/* The caller runs nothing after its own error, and no helper begins another chunk. */
static void wpool_parallel_for_error_ends_the_loop(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of = span(test, 0, 1000);
	struct wpk_full full;

	of->fail_at = 10;
	KUNIT_EXPECT_EQ(test, run(pool, of, 1), -ENXIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->inside), 0);
	wpk_destroy(test, pool);

	/* without helpers, chunks 0 to 10 run, and no others */
	full = wpk_full_pool(test);
	of = span(test, 0, 1000);
	of->fail_at = 10;
	KUNIT_EXPECT_EQ(test, run(full.pool, of, 1), -ENXIO);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&of->sum), 11);
}

/* Chunks fail in helpers. The caller begins its first chunk when a helper has ended. */
static int fail_in_helper(unsigned long from, unsigned long to, void *arg)
{
	struct span *of = arg;
	int err;

	if (current == of->caller && !wpk_eventually(wpk_stat(of->pool, completed)))
		return -ETIME;
	err = span_fn(from, to, arg);
	return current == of->caller ? err : -EDOM;
}

/*
 * wpool_parallel_for() returns the error of a helper. Neither the caller nor a helper takes a chunk
 * after it has seen the error.
 */
static void wpool_parallel_for_error_of_a_helper_is_returned(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, WPOOL_UNLIMITED, 0);
	struct span *of = span(test, 0, NR_INDICES);

	wpk_need_cpus(test, 2);
	of->pool = pool;
	KUNIT_EXPECT_EQ(test, wpool_parallel_for(pool, 0, NR_INDICES, 1, fail_in_helper, of),
			-EDOM);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->inside), 0);
	KUNIT_EXPECT_LE(test, atomic_read(&of->calls) - atomic_read(&of->by_helpers), 1);
	KUNIT_EXPECT_LE(test, atomic_read(&of->by_helpers), num_online_cpus() - 1);
	KUNIT_EXPECT_EQ(test, (int)atomic_long_read(&of->sum), atomic_read(&of->calls));
}

static int loop_until_stopped(struct wpk_thread *thread)
{
	struct span *of = thread->arg;
	int err = 0;

	while (!err && !wpk_stopped(of->test))
		err = run(thread->pool, of, 1);
	return err;
}

/* True if one of two threads has begun another loop: more indices are done than two loops have. */
static bool another_loop(struct span *of)
{
	long before = atomic_long_read(&of->sum);

	return wpk_eventually(atomic_long_read(&of->sum) > before + 2 * (long)of->nr);
}

/* A loop ends although its pool is closed, and keeps no place in the pool. */
static void wpool_parallel_for_while_the_pool_closes_and_opens(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 3, 3);
	struct span *of = span(test, 0, 50);
	struct wpk_thread *thread[2];
	unsigned int i;

	of->done = NULL;
	for (i = 0; i < 2; i++)
		thread[i] = wpk_thread(test, loop_until_stopped, pool, NULL, of);
	for (i = 0; i < WPK_REBOOT_ROUNDS; i++) {
		KUNIT_EXPECT_EQ(test, wpool_release(pool, i & 1 ? WPOOL_RELEASE_CANCEL : 0), 0);
		KUNIT_ASSERT_TRUE(test, another_loop(of));
		KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
		KUNIT_ASSERT_TRUE(test, another_loop(of));
	}
	wpk_stop(test);
	wpk_join_all(test, thread, 2);
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic_long_read(&of->sum) % 50, 0UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->bad), 0);
}

WPK_SUITE(parallel,
	  KUNIT_CASE(wpool_parallel_for_does_each_index_once),
	  KUNIT_CASE(wpool_parallel_for_largest_ranges_do_not_overflow),
	  KUNIT_CASE(wpool_parallel_for_gets_help),
	  KUNIT_CASE(wpool_parallel_for_waits_for_the_chunk_of_a_helper),
	  KUNIT_CASE(wpool_parallel_for_unstarted_helpers_leave_the_queue),
	  KUNIT_CASE(wpool_parallel_for_nested_ends),
	  KUNIT_CASE(wpool_parallel_for_error_ends_the_loop),
	  KUNIT_CASE(wpool_parallel_for_error_of_a_helper_is_returned),
	  KUNIT_CASE(wpool_parallel_for_while_the_pool_closes_and_opens));
