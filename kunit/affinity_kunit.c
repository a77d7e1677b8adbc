// SPDX-License-Identifier: GPL-2.0
/* On which CPUs the workers of a pool may be, while that changes. */
#include "core/state.h"
#include "fixture.h"

#define NR_MOVES 200

struct moves {
	atomic_t nr;
	unsigned int homeless;
};

static bool is_homeless(struct wpool *pool)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!READ_ONCE(wpool_runq(pool, wpk_cpu(i))->redirect))
			return false;
	return true;
}

/* Is there a moment in which workers may be on none of the two CPUs? */
static int watch_homes(struct wpk_thread *thread)
{
	struct moves *moves = thread->arg;
	int before;

	wpk_move_to(wpk_cpu(1));
	while ((before = atomic_read(&moves->nr)) < NR_MOVES && !wpk_stopped(thread->test)) {
		/* both were read during one move */
		if (is_homeless(thread->pool) && atomic_read_acquire(&moves->nr) == before)
			moves->homeless++;
		cond_resched();
	}
	return 0;
}

static void wpool_tune_cpumask_leaves_a_cpu_all_the_time(struct kunit *test)
{
	struct moves *moves = kunit_kzalloc(test, sizeof(*moves), GFP_KERNEL);
	struct wpk_thread *thread;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_NOT_NULL(test, moves);
	wpk_attrs(&attrs, 2, WPOOL_UNLIMITED);
	attrs.cpumask = cpumask_of(wpk_cpu(1));
	pool = wpk_pool_attrs(test, &attrs);
	wpk_move_to(wpk_cpu(0));
	thread = wpk_thread(test, watch_homes, pool, NULL, moves);
	for (i = 0; i < NR_MOVES; i++) {
		attrs.cpumask = cpumask_of(wpk_cpu(i % 2));
		KUNIT_ASSERT_EQ(test, wpool_tune(pool, &attrs, WPOOL_TUNE_CPUMASK), 0);
		atomic_inc_return(&moves->nr);
		/* let the other one look */
		udelay(20);
	}
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, moves->homeless, 0);
}

static struct kunit_case affinity_cases[] = {
	KUNIT_CASE(wpool_tune_cpumask_leaves_a_cpu_all_the_time),
	{}
};

WPK_SUITE(affinity);
