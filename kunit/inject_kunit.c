// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation fails once, in calls that /dev/wpool does not make. A case makes a call whose
 * first allocation fails, then a call whose second one fails, and so on, until a call makes fewer
 * allocations. After each failure the pool is as before, and the same call works.
 */
#include <linux/kmod.h>
#include <linux/module.h>

#include "fixture.h"
#include "knob.h"

/* More allocations than any of the calls makes. */
#define MAX_NTH		1000

struct sweep {
	struct kunit *test;
	struct wpool *pool;
	wpool_arg_fn func;
	struct wpk_gate *gate;
	struct wpool *spare;
	struct wpk_gate *spare_gate;
	const char *name;
	gfp_t gfp;
	u32 capacity;
	atomic_t served;
	u32 wanted;
	unsigned int most;
	unsigned int reached;
	unsigned int survived;
};

static void serve(void *arg)
{
	struct sweep *sweep = arg;

	if (sweep->gate)
		wpk_gate_pass(sweep->gate);
	atomic_inc(&sweep->served);
}

#ifdef CONFIG_FAULT_INJECTION

static bool may_inject;

/* The switches of the fault injection are files, which a shell writes. */
static int run_shell(char *command)
{
	char *argv[4] = {}, *envp[2] = {};

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = command;
	envp[0] = "PATH=/bin";
	return call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);
}

/* Let allocations that may sleep fail, too, without a message in the log. */
static int inject_suite_init(struct kunit_suite *suite)
{
	may_inject = !run_shell("echo N >/sys/kernel/debug/failslab/ignore-gfp-wait") &&
		     !run_shell("echo 0 >/sys/kernel/debug/failslab/verbose") &&
		     !run_shell("echo 0 >/sys/kernel/debug/fail_wpool_spawn/verbose");
	return 0;
}

static void inject_suite_exit(struct kunit_suite *suite)
{
	if (may_inject)
		run_shell("echo Y >/sys/kernel/debug/failslab/ignore-gfp-wait");
}

static void set_nth(unsigned int nth)
{
	WRITE_ONCE(current->fail_nth, nth);
}

static unsigned int get_nth(void)
{
	return READ_ONCE(current->fail_nth);
}

#else

static const bool may_inject;

static int inject_suite_init(struct kunit_suite *suite)
{
	return 0;
}

static void inject_suite_exit(struct kunit_suite *suite)
{
}

static void set_nth(unsigned int nth)
{
}

static unsigned int get_nth(void)
{
	return 0;
}

#endif

/* Let the nth allocation of a call fail; repeat a call that failed. False: it made fewer. */
static bool sweep_once(struct sweep *sweep, unsigned int nth, int (*call)(struct sweep *sweep))
{
	struct kunit *test = sweep->test;
	bool came;
	int err;

	set_nth(nth);
	err = call(sweep);
	came = !get_nth();
	set_nth(0);
	KUNIT_EXPECT_TRUE_MSG(test, !err || (came && err == -ENOMEM), "%u: %d", nth, err);
	sweep->reached += came;
	sweep->survived += came && !err;
	if (err)
		KUNIT_EXPECT_EQ_MSG(test, call(sweep), 0, "after %u", nth);
	return came;
}

static void sweep_all(struct sweep *sweep, unsigned int least, int (*call)(struct sweep *sweep),
		      void (*undo)(struct sweep *sweep))
{
	struct kunit *test = sweep->test;
	unsigned int nth = 0;
	bool came;

	wpk_need(test, may_inject, "no fault injection");
	do {
		KUNIT_ASSERT_LT(test, nth, MAX_NTH);
		came = sweep_once(sweep, ++nth, call);
		if (undo)
			undo(sweep);
	} while (came && nth != sweep->most && test->status != KUNIT_FAILURE);
	kunit_info(test, "%u allocations failed, %u calls worked all the same\n",
		   sweep->reached, sweep->survived);
	KUNIT_EXPECT_GE(test, sweep->reached, least);
}

/* ---- create ---- */

static int call_create(struct sweep *sweep)
{
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, sweep->capacity, 10);
	attrs.name = sweep->name;
	pool = sweep->func ? wpool_create_func(&attrs, sweep->func) :
			     wpool_create(&attrs);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	sweep->pool = pool;
	return 0;
}

/* The pool works. The destroy frees the name, which the next call uses again. */
static void undo_create(struct sweep *sweep)
{
	struct kunit *test = sweep->test;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, sweep->pool);
	err = sweep->func ? wpool_invoke(sweep->pool, sweep) :
	      wpool_submit_fn(sweep->pool, serve, sweep, THIS_MODULE, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, wpool_destroy(sweep->pool), 0);
	sweep->pool = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&sweep->served), ++sweep->wanted);
	KUNIT_EXPECT_NULL(test, wpool_find(sweep->name));
}

static void wpool_create_func_when_each_allocation_fails(struct kunit *test)
{
	struct sweep sweep = {
		.test = test, .name = wpk_name(test), .capacity = 4, .func = serve,
		.most = 50,
	};

	/* the items are among the first 50 allocations; every pool makes the later ones */
	sweep_all(&sweep, 50, call_create, undo_create);
}

/* ---- submit a function ---- */

/*
 * Stay on the first CPU, and use up its free items: each further item must be allocated. @pool runs
 * calls that wait at @gate.
 */
static bool use_up_items_in(struct wpool *pool, struct wpk_gate *gate)
{
	int err = 0, i;

	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < 1000 && !err; i++) {
		set_nth(1);
		err = wpool_submit_fn(pool, wpk_pass_gate, gate, NULL, GFP_NOWAIT | __GFP_NOWARN);
		set_nth(0);
	}
	return err == -ENOMEM;
}

static void use_up_items(struct kunit *test)
{
	wpk_need(test, may_inject, "no fault injection");
	KUNIT_ASSERT_TRUE(test, use_up_items_in(wpk_pool(test, 1, WPOOL_UNLIMITED),
						wpk_gate(test)));
}

static int call_submit_fn(struct sweep *sweep)
{
	int err = wpool_submit_fn(sweep->pool, serve, sweep, THIS_MODULE, sweep->gfp);

	sweep->wanted += !err;
	return err;
}

static int call_invoke(struct sweep *sweep)
{
	int err = wpool_invoke(sweep->pool, sweep);

	sweep->wanted += !err;
	return err;
}

/* Each accepted call ran once, and no other call ran. */
static void check_served(struct sweep *sweep)
{
	struct kunit *test = sweep->test;

	KUNIT_EXPECT_EQ(test, wpool_flush(sweep->pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&sweep->served), sweep->wanted);
	KUNIT_EXPECT_EQ(test, wpk_stat(sweep->pool, submitted), sweep->wanted);
	KUNIT_EXPECT_EQ(test, wpk_stat(sweep->pool, outstanding), 0);
}

static void wpool_submit_fn_when_its_allocation_fails(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_NOWAIT, GFP_ATOMIC };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gfps); i++) {
		struct sweep sweep = {
			.test = test, .pool = wpk_pool(test, 2, 10), .gfp = gfps[i],
		};

		use_up_items(test);
		sweep_all(&sweep, 1, call_submit_fn, check_served);
		/* a call that gets no item is refused */
		KUNIT_EXPECT_GT(test, sweep.reached, sweep.survived);
	}
}

static struct wpool *func_pool(struct kunit *test, u32 capacity,
			       u32 queue_depth, enum wpool_policy policy)
{
	return wpk_pool_func_with(test, capacity, queue_depth, serve, attrs.policy = policy);
}

/* Make a call whose first allocation fails; @came: there was an allocation. */
static int invoke_failing(struct sweep *sweep, bool *came)
{
	int err;

	set_nth(1);
	err = call_invoke(sweep);
	*came = !get_nth();
	set_nth(0);
	return err;
}

/* Invoke @nr times, and let the first allocation of each call fail. */
static void invoke_from_reserve(struct sweep *sweep, u32 nr)
{
	struct kunit *test = sweep->test;
	bool came;
	u32 i;

	use_up_items(test);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ_MSG(test, invoke_failing(sweep, &came), 0, "%u", i);
		KUNIT_EXPECT_TRUE_MSG(test, came, "%u", i);
	}
}

/* The reserve has items for @nr calls. The next call finds neither memory nor room. */
static void check_reserve(struct sweep *sweep, u32 nr)
{
	struct kunit *test = sweep->test;
	bool came;

	invoke_from_reserve(sweep, nr);
	KUNIT_EXPECT_EQ(test, invoke_failing(sweep, &came), -ENOMEM);
	KUNIT_EXPECT_EQ(test, wpool_invoke(sweep->pool, sweep), -EAGAIN);
	wpk_gate_let(sweep->gate, nr);
	check_served(sweep);
}

/* Not on the stack: tasks may outlive the case. */
static struct sweep *gated_sweep(struct kunit *test, struct wpool *pool)
{
	struct sweep *sweep = wpk_alloc(test, sizeof(*sweep));

	sweep->test = test;
	sweep->pool = pool;
	sweep->gate = wpk_gate(test);
	return sweep;
}

static void wpool_invoke_within_the_limits_needs_no_memory(struct kunit *test)
{
	struct sweep *sweep = gated_sweep(test, func_pool(test, 2, 10, WPOOL_FAIL));

	check_reserve(sweep, 12);
	/* all items are free again; the tune makes as many items as its limits allow */
	check_reserve(sweep, 12);
	KUNIT_EXPECT_EQ(test, wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 30), 0);
	check_reserve(sweep, 32);
	/* tune to fewer items while all are in use, then to more before they are back */
	invoke_from_reserve(sweep, 32);
	KUNIT_EXPECT_EQ(test, wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 4), 0);
	KUNIT_EXPECT_EQ(test, wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 9), 0);
	wpk_gate_let(sweep->gate, 32);
	check_served(sweep);
	check_reserve(sweep, 11);
	/* a pool that was created without a limit gets items with its first limit */
	sweep = gated_sweep(test, func_pool(test, 2, WPOOL_UNLIMITED, WPOOL_FAIL));
	KUNIT_EXPECT_EQ(test, wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 9), 0);
	check_reserve(sweep, 11);
}

/* In a full pool a call without an item neither waits nor runs, and drops no task. */
static void wpool_invoke_of_a_full_pool_without_memory_is_enomem(struct kunit *test)
{
	enum wpool_policy policy;
	struct sweep *sweep;
	bool came;

	for (policy = WPOOL_BLOCK; policy <= WPOOL_DROP_OLDEST; policy++) {
		sweep = gated_sweep(test, func_pool(test, 1, 1, policy));
		invoke_from_reserve(sweep, 2);
		KUNIT_EXPECT_EQ(test, invoke_failing(sweep, &came), -ENOMEM);
		wpk_gate_let(sweep->gate, 2);
		check_served(sweep);
	}
}

static int invoke_waiting(struct wpk_thread *thread)
{
	struct sweep *sweep = thread->arg;
	bool came;

	if (!use_up_items_in(sweep->spare, sweep->spare_gate))
		return -EBUSY;
	return invoke_failing(sweep, &came);
}

/* A waiting submitter holds an item of the reserve, and gives it back when it is killed. */
static void wpool_invoke_killed_while_it_waits_gives_its_item_back(struct kunit *test)
{
	struct wpk_thread *thread;
	struct sweep *sweep;

	wpk_need(test, may_inject, "no fault injection");
	sweep = gated_sweep(test, func_pool(test, 1, 0, WPOOL_BLOCK));
	sweep->spare = wpk_pool(test, 1, WPOOL_UNLIMITED);
	sweep->spare_gate = wpk_gate(test);
	KUNIT_EXPECT_EQ(test, call_invoke(sweep), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(sweep->gate, 1));
	thread = wpk_thread(test, invoke_waiting, sweep->pool, NULL, sweep);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(sweep->pool, waiting) == 1);
	wpk_kill(thread);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -EINTR);
	wpk_gate_let(sweep->gate, 2);
	KUNIT_EXPECT_EQ(test, wpool_flush(sweep->pool), 0);
	invoke_from_reserve(sweep, 1);
	check_served(sweep);
}

static void wpool_invoke_unlimited_when_its_allocation_fails(struct kunit *test)
{
	struct sweep sweep = {
		.test = test, .pool = func_pool(test, 2, WPOOL_UNLIMITED, WPOOL_BLOCK),
	};

	use_up_items(test);
	sweep_all(&sweep, 1, call_invoke, check_served);
	KUNIT_EXPECT_GT(test, sweep.reached, sweep.survived);
}

/* ---- tune ---- */

/* A tune to lower limits has no memory for the rescuer: the items of the old limits stay. */
static void wpool_invoke_after_a_tune_that_failed_needs_no_memory(struct kunit *test)
{
	struct wpool_attrs attrs = { .queue_depth = 4, .reclaim = true };
	struct sweep *sweep;

	wpk_need(test, may_inject, "no fault injection");
	sweep = gated_sweep(test, func_pool(test, 2, 10, WPOOL_FAIL));
	wpk_no_threads(test);
	KUNIT_EXPECT_EQ(test, wpool_tune(sweep->pool, &attrs,
					 WPOOL_TUNE_QUEUE_DEPTH | WPOOL_TUNE_RECLAIM), -EAGAIN);
	wpk_threads_again(test);
	check_reserve(sweep, 12);
}

static int call_grow(struct sweep *sweep)
{
	return wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 30);
}

static void undo_grow(struct sweep *sweep)
{
	struct kunit *test = sweep->test;

	KUNIT_EXPECT_EQ(test, wpk_stat(sweep->pool, free), 32);
	KUNIT_EXPECT_EQ(test, wpk_tune(sweep->pool, QUEUE_DEPTH, queue_depth, 10), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(sweep->pool, free), 12);
	KUNIT_EXPECT_EQ(test, call_invoke(sweep), 0);
	check_served(sweep);
}

static void wpool_tune_when_each_allocation_fails(struct kunit *test)
{
	struct sweep sweep = { .test = test, .pool = func_pool(test, 2, 10, WPOOL_BLOCK) };

	sweep_all(&sweep, 20, call_grow, undo_grow);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(wpool_create_func_when_each_allocation_fails),
	KUNIT_CASE(wpool_submit_fn_when_its_allocation_fails),
	KUNIT_CASE(wpool_invoke_within_the_limits_needs_no_memory),
	KUNIT_CASE(wpool_invoke_of_a_full_pool_without_memory_is_enomem),
	KUNIT_CASE(wpool_invoke_killed_while_it_waits_gives_its_item_back),
	KUNIT_CASE(wpool_invoke_unlimited_when_its_allocation_fails),
	KUNIT_CASE(wpool_invoke_after_a_tune_that_failed_needs_no_memory),
	KUNIT_CASE(wpool_tune_when_each_allocation_fails),
	{}
};

static struct kunit_suite inject_suite = {
	.name = "wpool_inject",
	.suite_init = inject_suite_init,
	.suite_exit = inject_suite_exit,
	.init = wpk_init,
	.exit = wpk_exit,
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);
