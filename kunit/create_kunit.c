// SPDX-License-Identifier: GPL-2.0
/* The creation of pools: defaults, the values of each attribute, names, and failures. */
#include <linux/sched/signal.h>

#include "attr_values.h"
#include "fixture.h"

static void wpool_attrs_init_sets_the_documented_defaults(struct kunit *test)
{
	struct wpool_attrs attrs;

	memset(&attrs, 0xff, sizeof(attrs));
	wpool_attrs_init(&attrs);
	wpk_expect_values(test, &attrs, 0);
	KUNIT_EXPECT_NULL(test, attrs.name);
	KUNIT_EXPECT_NULL(test, attrs.cpumask);
	KUNIT_EXPECT_NULL(test, attrs.fault);
	KUNIT_EXPECT_NULL(test, attrs.fault_data);
}

static void wpool_create_copies_the_attributes(struct kunit *test)
{
	struct wpool_attrs attrs, now;
	cpumask_var_t mask, seen;
	struct wpool *pool;
	char name[] = "kunit-copy_me.1-A";

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	if (!zalloc_cpumask_var(&seen, GFP_KERNEL)) {
		free_cpumask_var(mask);
		KUNIT_FAIL_AND_ABORT(test, "no memory");
	}
	cpumask_set_cpu(wpk_cpu(0), mask);
	wpk_set_others(&attrs);
	attrs.name = name;
	attrs.cpumask = mask;
	pool = wpool_create(&attrs);
	/* the pool has copies of the name and of the mask */
	memset(name, 'x', sizeof(name) - 1);
	cpumask_clear(mask);
	KUNIT_EXPECT_FALSE(test, IS_ERR(pool));
	if (!IS_ERR(pool)) {
		memset(&attrs, 0xff, sizeof(attrs));
		wpool_get_attrs(pool, &now, seen);
		KUNIT_EXPECT_STREQ(test, now.name, "kunit-copy_me.1-A");
		wpk_expect_values(test, &now, ~0U);
		KUNIT_EXPECT_NULL(test, now.cpumask);
		KUNIT_EXPECT_TRUE(test, cpumask_equal(seen, cpumask_of(wpk_cpu(0))));
		KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
	}
	free_cpumask_var(mask);
	free_cpumask_var(seen);
}

static void expect_refused(struct kunit *test, struct wpool_attrs *attrs, int ret)
{
	struct wpool *pool;

	attrs->name = wpk_name(test);
	pool = wpool_create(attrs);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pool), ret);
	if (!IS_ERR(pool))
		wpool_destroy(pool);
	/* The name of the refused pool is free. */
	KUNIT_EXPECT_NULL(test, wpool_find(attrs->name));
	wpk_attrs(attrs, 1, 0);
	wpk_pool_attrs(test, attrs);
}

static void wpool_create_bad_value_is_refused(struct kunit *test)
{
	const struct wpk_bad *bad = test->param_value;
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	*(u32 *)((char *)&attrs + bad->at) = bad->value;
	expect_refused(test, &attrs, bad->ret);
}

static void wpool_create_what_cannot_work_is_einval(struct kunit *test)
{
	struct wpool_attrs attrs;

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wpool_create(NULL)), -EINVAL);
	/* no CPU */
	wpool_attrs_init(&attrs);
	attrs.cpumask = cpu_none_mask;
	expect_refused(test, &attrs, -EINVAL);
	/* workers without end */
	wpool_attrs_init(&attrs);
	attrs.prealloc = true;
	attrs.capacity = WPOOL_UNLIMITED;
	expect_refused(test, &attrs, -EINVAL);
}

/* Values at the ends of their ranges, and a large capacity. */
struct good {
	void (*set)(struct wpool_attrs *attrs);
	const char *desc;
};

static void all_lowest(struct wpool_attrs *attrs)
{
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, ...)	{ attrs->_name = _min; }
#include "pool/attr_table.h"
}

static void all_highest(struct wpool_attrs *attrs)
{
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, ...)	{ attrs->_name = _max; }
#include "pool/attr_table.h"
	attrs->policy = WPOOL_RUN;
	attrs->cpumask = cpu_possible_mask;
	/* with the highest capacity or min_workers these are refused, or need as many workers */
	attrs->capacity_per_cpu = 0;
	attrs->prealloc = false;
	attrs->reclaim = false;
}

static void all_unlimited(struct wpool_attrs *attrs)
{
	attrs->capacity = WPOOL_UNLIMITED;
	attrs->queue_depth = WPOOL_UNLIMITED;
}

static void capacity_10000(struct wpool_attrs *attrs)
{
	attrs->capacity = 10000;
}

static const struct good goods[] = {
	{ all_lowest, "all lowest" },
	{ all_highest, "all highest" },
	{ all_unlimited, "all unlimited" },
	{ capacity_10000, "capacity 10000" },
};

KUNIT_ARRAY_PARAM_DESC(good, goods, desc);

static void wpool_create_extreme_values_make_a_pool_that_works(struct kunit *test)
{
	const struct good *good = test->param_value;
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpool_attrs_init(&attrs);
	good->set(&attrs);
	pool = wpk_pool_attrs(test, &attrs);
	wpk_job_run(test, pool, &jobs->job[0]);
}

static const struct { const char *name; const char *desc; } bad_names[] = {
	{ NULL, "none" },
	{ "", "empty" },
	{ ".hidden", "leading dot" },
	{ ".", "dot" },
	{ "..", "two dots" },
	{ "a/b", "slash" },
	{ "a!b", "exclamation mark" },
	{ "a b", "space" },
	{ "a\nb", "new line" },
	{ "a%sb", "percent" },
	{ "p\303\266ol", "not ASCII" },
	{ "12345678901234567890123456789012", "32 characters" },
	{ "1234567890123456789012345678901234567890", "40 characters" },
};

KUNIT_ARRAY_PARAM_DESC(bad_name, bad_names, desc);

static void wpool_create_bad_name_is_einval(struct kunit *test)
{
	const typeof(bad_names[0]) *bad = test->param_value;
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpool_attrs_init(&attrs);
	attrs.name = bad->name;
	pool = wpool_create(&attrs);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pool), -EINVAL);
	if (!IS_ERR(pool))
		wpool_destroy(pool);
}

static const struct { const char *name; const char *desc; } good_names[] = {
	{ "x", "one character" },
	{ "1234567890123456789012345678901", "31 characters" },
	{ "AZaz09_.-", "every kind of character" },
	{ "-dash", "leading dash" },
	{ "dot.", "dot at the end" },
};

KUNIT_ARRAY_PARAM_DESC(good_name, good_names, desc);

static void wpool_create_good_name_is_found(struct kunit *test)
{
	const typeof(good_names[0]) *good = test->param_value;
	struct wpool *pool, *found;

	pool = wpk_pool_with(test, 1, 0, attrs.name = good->name);
	found = wpool_find(good->name);
	KUNIT_EXPECT_PTR_EQ(test, found, pool);
	wpool_put(found);
}

/* A name that is taken is refused before a worker is made: WPOOL_MAX_CAPACITY workers cannot be. */
static void wpool_create_name_taken_is_eexist_before_anything_is_made(struct kunit *test)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, WPOOL_MAX_CAPACITY, 0);
	attrs.name = wpk_name(test);
	attrs.prealloc = true;
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(wpool_create(&attrs)), -EAGAIN);
	attrs.name = "default";
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wpool_create(&attrs)), -EEXIST);
}

static int create_same_name(struct wpk_thread *thread)
{
	struct wpool **pool = thread->arg;

	*pool = wpk_create_with(thread->test, 1, 0, attrs.name = "kunit-race");
	return PTR_ERR_OR_ZERO(*pool);
}

static void wpool_create_one_name_from_several_threads_one_wins(struct kunit *test)
{
	struct wpk_thread *threads[4];
	struct wpool **pools = wpk_alloc(test, 4 * sizeof(*pools));
	int i, round, won;

	for (round = 0; round < 5; round++) {
		won = 0;
		for (i = 0; i < 4; i++)
			threads[i] = wpk_thread(test, create_same_name, NULL, NULL, &pools[i]);
		for (i = 0; i < 4; i++)
			wpk_join(test, threads[i]);
		for (i = 0; i < 4; i++) {
			if (threads[i]->ret == -EEXIST)
				continue;
			KUNIT_EXPECT_EQ(test, threads[i]->ret, 0);
			if (!threads[i]->ret)
				KUNIT_EXPECT_EQ(test, wpool_destroy(pools[i]), 0);
			won++;
		}
		KUNIT_EXPECT_EQ(test, won, 1);
	}
	KUNIT_EXPECT_NULL(test, wpool_find("kunit-race"));
}

static int create_while_killed(struct wpk_thread *thread)
{
	struct wpool *pool;

	send_sig(SIGKILL, current, 1);
	pool = wpk_create_with(thread->test, 64, 0, attrs.name = thread->arg,
			       attrs.prealloc = true);
	if (!IS_ERR(pool))
		wpool_destroy(pool);
	return PTR_ERR_OR_ZERO(pool);
}

static void wpool_create_killed_while_preallocating_is_eintr(struct kunit *test)
{
	const char *name = wpk_name(test);
	struct wpk_thread *thread = wpk_thread(test, create_while_killed, NULL, NULL, (void *)name);

	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -EINTR);
	KUNIT_EXPECT_NULL(test, wpool_find(name));
}

WPK_SUITE(create,
	  KUNIT_CASE(wpool_attrs_init_sets_the_documented_defaults),
	  KUNIT_CASE(wpool_create_copies_the_attributes),
	  KUNIT_CASE_PARAM(wpool_create_bad_value_is_refused, wpk_bad_gen_params),
	  KUNIT_CASE(wpool_create_what_cannot_work_is_einval),
	  KUNIT_CASE_PARAM(wpool_create_extreme_values_make_a_pool_that_works, good_gen_params),
	  KUNIT_CASE_PARAM(wpool_create_bad_name_is_einval, bad_name_gen_params),
	  KUNIT_CASE_PARAM(wpool_create_good_name_is_found, good_name_gen_params),
	  KUNIT_CASE(wpool_create_name_taken_is_eexist_before_anything_is_made),
	  KUNIT_CASE_SLOW(wpool_create_one_name_from_several_threads_one_wins),
	  KUNIT_CASE(wpool_create_killed_while_preallocating_is_eintr));
