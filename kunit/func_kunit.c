// SPDX-License-Identifier: GPL-2.0
/*
 * Pools bound to a function. Some cases do what users of known Go pools do: ants' PoolWithFunc,
 * fasthttp's server, the simple pool.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "fixture.h"

/* The argument of a bound pool's function, one for each invoke. */
struct conn {
	struct wpk_gate *gate;
	atomic_t *served;
	struct wpool *pool;
	struct conn *next;
	int ret;
};

static void serve(void *arg)
{
	struct conn *conn = arg;

	if (conn->gate)
		wpk_gate_pass(conn->gate);
	if (conn->next)
		conn->ret = wpool_invoke(conn->pool, conn->next);
	atomic_inc(conn->served);
}

static struct conn *conns(struct kunit *test, unsigned int nr, struct wpk_gate *gate)
{
	struct conn *conns = wpk_alloc(test, nr * sizeof(*conns));
	atomic_t *served = wpk_alloc(test, nr * sizeof(*served));
	unsigned int i;

	for (i = 0; i < nr; i++) {
		conns[i].gate = gate;
		conns[i].served = &served[i];
	}
	return conns;
}

static struct wpool *func_pool(struct kunit *test, u32 capacity,
			       u32 queue_depth, enum wpool_policy policy)
{
	return wpk_pool_func_with(test, capacity, queue_depth, serve, attrs.policy = policy);
}

/* A tune to higher limits must add items. */
static void wpool_tune_up_a_function_pool_has_items_for_all(struct kunit *test)
{
	struct wpool *pool = func_pool(test, 2, 0, WPOOL_FAIL);
	struct wpk_gate *gate = wpk_gate(test);
	struct conn *conn = conns(test, 40, gate);
	int i;

	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_QUEUE_DEPTH,
					    attrs.capacity = 3, attrs.queue_depth = 30), 0);
	for (i = 0; i < 33; i++)
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[i]), 0);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[33]), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CAPACITY, capacity, WPOOL_UNLIMITED), 0);
	for (i = 33; i < 40; i++)
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[i]), 0);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(conn[i].served), 1);
}

static void wpool_release_cancel_a_function_pool_keeps_its_items(struct kunit *test)
{
	struct wpool *pool = func_pool(test, 1, 9, WPOOL_FAIL);
	struct wpk_gate *gate;
	struct conn *conn;
	int round, i;

	for (round = 0; round < 3; round++) {
		gate = wpk_gate(test);
		conn = conns(test, 10, gate);
		for (i = 0; i < 10; i++)
			KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[i]), 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
		KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
		wpk_gate_open(gate);
		KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 27);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 10);
}

/* How many arguments the function, or the abort function, got. Both free their argument. */
struct ends {
	atomic_t returned;
	atomic_t aborted;
	atomic_t bad;
	struct wpk_gate *gate;
};

struct parcel {
	struct ends *ends;
};

static void deliver(void *arg)
{
	struct parcel *parcel = arg;
	struct ends *ends = parcel->ends;

	wpk_gate_pass(ends->gate);
	kfree(parcel);
	atomic_inc(&ends->returned);
}

static void return_to_sender(void *arg, int status)
{
	struct parcel *parcel = arg;
	struct ends *ends = parcel->ends;

	/* an abort function may sleep */
	usleep_range(10, 20);
	if (status != -ECANCELED)
		atomic_inc(&ends->bad);
	kfree(parcel);
	atomic_inc(&ends->aborted);
}

static struct parcel *parcel(struct kunit *test, struct ends *ends)
{
	struct parcel *parcel = kmalloc(sizeof(*parcel), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, parcel);
	parcel->ends = ends;
	return parcel;
}

/* No argument of wpool_invoke() or wpool_submit_fn_abortable() is lost, and none ends twice. */
static void wpool_release_cancel_hands_each_argument_to_its_abort(struct kunit *test)
{
	struct wpool_attrs attrs;
	struct wpool *pool;
	struct parcel *p;
	struct ends *ends;
	int i, depth;

	/* depth 9: the pool has a reserve of items; depth -1, WPOOL_UNLIMITED: none */
	for (depth = 9; depth; depth = depth == 9 ? -1 : 0) {
		ends = wpk_alloc(test, sizeof(*ends));
		ends->gate = wpk_gate(test);
		pool = wpk_pool_func_with(test, 1, depth, deliver, attrs.abort = return_to_sender);
		wpool_get_attrs(pool, &attrs, NULL);
		KUNIT_EXPECT_PTR_EQ(test, attrs.abort, &return_to_sender);
		for (i = 0; i < 10; i++) {
			p = parcel(test, ends);
			KUNIT_EXPECT_EQ(test, i % 2 ?
					wpool_submit_fn_abortable(pool, deliver, return_to_sender,
								  p, THIS_MODULE, GFP_KERNEL) :
					wpool_invoke(pool, p), 0);
			if (!i)
				KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(ends->gate, 1));
		}
		KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
		WPK_EVENTUALLY(test, atomic_read(&ends->aborted) == 9);
		/* A refused argument still belongs to the caller. */
		p = parcel(test, ends);
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, p), -ESHUTDOWN);
		KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(pool, deliver, return_to_sender, p,
								THIS_MODULE, GFP_KERNEL),
				-ESHUTDOWN);
		kfree(p);
		wpk_gate_open(ends->gate);
		wpk_destroy(test, pool);
		KUNIT_EXPECT_EQ(test, atomic_read(&ends->returned), 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&ends->aborted), 9);
		KUNIT_EXPECT_EQ(test, atomic_read(&ends->bad), 0);
	}
}

/* Too many items, by one or by half a billion, are refused before the OOM killer could run. */
static void wpool_create_func_too_many_items_is_erange(struct kunit *test)
{
	const char *name = wpk_name(test);
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	for (i = 0; i < 2; i++) {
		wpk_attrs(&attrs, 1, i ? WPOOL_MAX_QUEUE_DEPTH : WPOOL_MAX_FUNC_ITEMS);
		attrs.name = name;
		pool = wpool_create_func(&attrs, serve);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pool), -ERANGE);
		wpool_destroy(pool);
	}
	KUNIT_EXPECT_NULL(test, wpool_find(attrs.name));
}

static void wpool_tune_a_function_pool_to_too_many_items_is_erange(struct kunit *test)
{
	struct wpool *pool = func_pool(test, 1, 1, WPOOL_FAIL);
	struct conn *conn = conns(test, 1, NULL);
	struct wpool_attrs attrs;

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, WPOOL_MAX_QUEUE_DEPTH),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	wpool_get_attrs(pool, &attrs, NULL);
	KUNIT_EXPECT_EQ(test, attrs.queue_depth, 1);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, conn), 0);
}

/*
 * As in fasthttp's server, as many connections as the capacity are served at a time, and more are
 * refused.
 */
static void wpool_invoke_as_a_server_refuses_the_next_connection(struct kunit *test)
{
	const int capacity = 5;
	struct wpool *pool = func_pool(test, capacity, 0, WPOOL_FAIL);
	struct wpk_gate *gate = wpk_gate(test);
	struct conn *conn = conns(test, 40, gate);
	int next, i;

	for (next = 0; next < capacity; next++)
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[next]), 0);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, capacity));
	while (next < 40) {
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[next]), -EAGAIN);
		wpk_gate_let(gate, 1);
		WPK_EVENTUALLY(test, wpk_stat(pool, free) == 1);
		KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[next]), 0);
		next++;
	}
	/* The release waits for no task, and the pool stays closed. */
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &conn[0]), -ESHUTDOWN);
	wpk_gate_open(gate);
	wpk_destroy(test, pool);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(conn[i].served), 1);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, spawned), capacity);
}

/* As in the simple pool, N workers, made on demand, run any number of jobs. */
static void wpool_submit_fn_as_the_simple_pool_runs_every_job(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	atomic_t *ran = wpk_alloc(test, sizeof(*ran));
	u32 i;

	for (i = 0; i < WPK_FUNC_ROUNDS; i++)
		KUNIT_ASSERT_EQ(test, wpool_submit_fn(pool, wpk_count, ran,
						      THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(ran), WPK_FUNC_ROUNDS);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, spawned), 4);
}

WPK_SUITE(func,
	  KUNIT_CASE(wpool_tune_up_a_function_pool_has_items_for_all),
	  KUNIT_CASE(wpool_release_cancel_a_function_pool_keeps_its_items),
	  KUNIT_CASE(wpool_release_cancel_hands_each_argument_to_its_abort),
	  KUNIT_CASE(wpool_invoke_as_a_server_refuses_the_next_connection),
	  KUNIT_CASE_SLOW(wpool_submit_fn_as_the_simple_pool_runs_every_job),
	  KUNIT_CASE(wpool_create_func_too_many_items_is_erange),
	  KUNIT_CASE(wpool_tune_a_function_pool_to_too_many_items_is_erange));
