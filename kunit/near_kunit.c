// SPDX-License-Identifier: GPL-2.0
/*
 * Near CPUs, those with the same last-level cache, come first: a pool wakes workers there, makes
 * workers there, and steals from there. Of these, tasks are stolen from the same core first, but
 * workers run on another core first. The cases themselves set which CPUs share a cache or a core.
 *
 * On a slow machine the monitor may help first, and then the order differs: a case expects the
 * right order in most rounds.
 */
#include "core/length.h"
#include "core/near.h"
#include "one_cpu.h"

#define ROUNDS 15

/* Four CPUs, in this order, of one node. HERE shares its cache with NEAR. */
enum { HERE, OTHER_1, OTHER_2, NEAR, NR_CPUS_USED };

static struct wpool *pool_of_three_caches(struct kunit *test, u32 capacity, bool prealloc)
{
	const struct cpumask *mask = wpk_first_cpus(test, NR_CPUS_USED);
	struct wpool *pool;
	int i;

	wpk_move_to(wpk_cpu(HERE));
	pool = wpk_pool_with(test, capacity, WPOOL_UNLIMITED, attrs.cpumask = mask,
			     attrs.prealloc = prealloc, attrs.handoff = false, attrs.spin_us = 0,
			     attrs.hog_ms = WPOOL_MAX_HOG_MS);
	for (i = 0; i < NR_CPUS_USED; i++)
		pool->sites[wpk_cpu(i)] = (struct wpool_site){
			.cache = i == NEAR ? HERE : i,
		};
	return pool;
}

/* All CPUs share a cache. The CPUs of HERE's core are those of which @of_core has the bit. */
static void set_cores(struct wpool *pool, unsigned long of_core)
{
	int i;

	for (i = 0; i < NR_CPUS_USED; i++)
		pool->sites[wpk_cpu(i)] = (struct wpool_site){ .core = 1 + !(of_core & BIT(i)) };
}

/* Submit the next job, and keep the CPU until it has started. */
static void submit_and_wait(struct wpk_job *job)
{
	wpk_submit_next(job);
	while (!job->ret && !atomic_read(&job[1].runs) && !wpk_stopped(job->jobs->test))
		cpu_relax();
}

/* Returns the CPU on which the second of two tasks starts while the first keeps the CPU HERE. */
static int place_of_second(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = submit_and_wait;
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(HERE), &jobs->job[0].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	return jobs->job[1].cpu;
}

/* No CPU has the cache of HERE, and only @near has its node. */
static void leave_in_node(struct wpool *pool, int near)
{
	int i;

	for (i = HERE + 1; i < NR_CPUS_USED; i++)
		pool->sites[wpk_cpu(i)] = (struct wpool_site){ .node = i != near, .cache = i };
}

/* HERE shares its cache with NEAR, unless @of_core or @node says otherwise. */
static const struct place {
	const char *desc;
	bool makes;	/* no worker is idle, so one is made */
	unsigned long of_core;	/* see set_cores(); 0: each core has one CPU */
	int node;	/* the only CPU of HERE's node, see leave_in_node(); 0: one node */
} places[] = {
	{ "wakes where the cache is the same" },
	{ "makes a worker where the cache is the same", true },
	{ "wakes on another core", false, ~BIT(NEAR) },
	{ "makes a worker on another core", true, ~BIT(NEAR) },
	/* without a look at the node, the order of the CPUs decides: one of each pair would fail */
	{ "wakes in the same node: OTHER_1", false, 0, OTHER_1 },
	{ "wakes in the same node: NEAR", false, 0, NEAR },
	{ "makes a worker in the same node: OTHER_1", true, 0, OTHER_1 },
	{ "makes a worker in the same node: NEAR", true, 0, NEAR },
};

KUNIT_ARRAY_PARAM_DESC(place, places, desc);

static struct wpool *pool_of_place(struct kunit *test, const struct place *place)
{
	struct wpool *pool = pool_of_three_caches(test, place->makes ? 2 : NR_CPUS_USED,
						  !place->makes);

	if (place->of_core)
		set_cores(pool, place->of_core);
	if (place->node)
		leave_in_node(pool, place->node);
	return pool;
}

static void wpool_submit_second_task_starts_near(struct kunit *test)
{
	const struct place *place = test->param_value;
	struct wpool *pool = pool_of_place(test, place);
	int i, nr = 0;

	for (i = 0; i < ROUNDS; i++) {
		if (!place->makes)
			WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == NR_CPUS_USED);
		nr += place_of_second(test, pool) == wpk_cpu(place->node ?: NEAR);
		if (place->makes) {
			wpk_destroy(test, pool);
			pool = pool_of_place(test, place);
		}
	}
	KUNIT_EXPECT_GT(test, nr, ROUNDS / 2);
}

/* One task waits at @far, one at @near. True if the worker of HERE takes the one at @near first. */
static bool takes_the_near_one(struct kunit *test, struct wpool *pool, int far, int near)
{
	struct wpk_gate *gates[NR_CPUS_USED];
	struct wpk_jobs *busy[NR_CPUS_USED], *queued = wpk_jobs(test, 2, NULL);
	bool is_near;
	int i;

	for (i = 0; i < NR_CPUS_USED; i++) {
		gates[i] = wpk_gate(test);
		busy[i] = wpk_jobs(test, 1, gates[i]);
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(i), &busy[i]->job[0].task), 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gates[i], 1));
	}
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(far), &queued->job[0].task), 0);
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(near), &queued->job[1].task), 0);
	wpk_gate_open(gates[HERE]);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(queued, 2));
	is_near = busy[HERE]->job[0].cpu == wpk_cpu(HERE) && queued->job[1].seq == 1;
	for (i = 0; i < NR_CPUS_USED; i++) {
		wpk_gate_open(gates[i]);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(busy[i], 1));
	}
	return is_near;
}

/*
 * Without a look at the node or the core, the order of the CPUs decides: one of each pair would
 * fail.
 */
static const struct steal {
	const char *desc;
	int far;
	int near;
	bool core;	/* @far is of another core; otherwise of another node */
} steals[] = {
	{ "the same cache: not OTHER_1", OTHER_1, NEAR },
	{ "the same cache: not OTHER_2", OTHER_2, NEAR },
	{ "the same node: OTHER_2", OTHER_1, OTHER_2 },
	{ "the same node: OTHER_1", OTHER_2, OTHER_1 },
	{ "the same core: NEAR", OTHER_1, NEAR, true },
	{ "the same core: OTHER_1", NEAR, OTHER_1, true },
};

KUNIT_ARRAY_PARAM_DESC(steal, steals, desc);

static void wpool_submit_on_two_cpus_the_near_one_is_stolen_from_first(struct kunit *test)
{
	const struct steal *steal = test->param_value;
	struct wpool *pool = pool_of_three_caches(test, NR_CPUS_USED, true);
	int i, nr = 0;

	if (steal->core)
		set_cores(pool, BIT(HERE) | BIT(steal->near));
	else
		pool->sites[wpk_cpu(steal->far)].node = 1;
	for (i = 0; i < ROUNDS; i++) {
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == NR_CPUS_USED);
		nr += takes_the_near_one(test, pool, steal->far, steal->near);
	}
	KUNIT_EXPECT_GT(test, nr, ROUNDS / 2);
}

/*
 * The next task that this thread submits on the first CPU counts as long. @keeps: since its last
 * submit, the thread has run for long before it slept.
 */
static void expect_long_tasks(struct wpool *pool, bool keeps)
{
	struct wpool_runq *rq = wpool_runq(pool, wpk_cpu(0));

	WRITE_ONCE(rq->estimate.task_ns, 2 * WPOOL_HELP_NS);
	WRITE_ONCE(rq->estimate.ring_max, 0);
	WRITE_ONCE(pool->task_ns, 2 * WPOOL_HELP_NS);
	rq->submitter.thread = current;
	rq->submitter.slept = current->nvcsw - 1;
	rq->submitter.ran_ns = current->se.sum_exec_runtime - (keeps ? NSEC_PER_SEC : 0);
}

/* On which of two CPUs does a long task start that is submitted on the first? */
static int place_of_long(struct kunit *test, struct wpool *pool, bool keeps)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	expect_long_tasks(pool, keeps);
	wpk_jobs_run(test, pool, jobs, 1);
	return jobs->job[0].cpu;
}

/*
 * A long task starts on the submitter's CPU if the submitter soon slept after its last submit, and
 * elsewhere if it ran for long.
 */
static void wpool_submit_long_task_starts_where_the_submitter_leaves_a_cpu(struct kunit *test)
{
	struct wpool *pool;
	int keeps, i, nr;

	wpk_move_to(wpk_cpu(0));
	pool = wpk_pool_with(test, 2, WPOOL_UNLIMITED, attrs.cpumask = wpk_first_cpus(test, 2),
			     attrs.hog_ms = WPOOL_MAX_HOG_MS, attrs.prealloc = true,
			     attrs.spin_us = 0);
	wpk_unwatched(test, wpk_pair(test, pool));
	for (keeps = 0; keeps < 2; keeps++) {
		for (i = 0, nr = 0; i < ROUNDS; i++)
			nr += place_of_long(test, pool, keeps) == wpk_cpu(keeps);
		KUNIT_EXPECT_GT_MSG(test, nr, ROUNDS / 2, "keeps the CPU: %d", keeps);
	}
}

static void submit_long_and_wait(struct wpk_job *job)
{
	expect_long_tasks(job->arg, false);
	submit_and_wait(job);
}

/* With room for a second worker on the CPU, a long task does not start behind the first worker. */
static void wpool_submit_long_task_starts_where_no_worker_runs(struct kunit *test)
{
	const struct cpumask *mask = wpk_first_cpus(test, 2);
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int i, nr = 0;

	pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.cpumask = mask, attrs.spin_us = 0,
			     attrs.concurrency = 2, attrs.hog_ms = WPOOL_MAX_HOG_MS,
			     attrs.prealloc = true);
	wpk_warm(test, pool, 4);
	KUNIT_ASSERT_EQ(test, wpk_workers_at(pool, wpk_cpu(0)), 2);
	wpk_unwatched(test, pool);
	for (i = 0; i < ROUNDS; i++) {
		jobs = wpk_jobs(test, 2, NULL);
		jobs->job[0].body = submit_long_and_wait;
		jobs->job[0].arg = pool;
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 4);
		KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, wpk_cpu(0), &jobs->job[0].task), 0);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
		KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
		nr += jobs->job[1].cpu == wpk_cpu(1);
	}
	KUNIT_EXPECT_GT(test, nr, ROUNDS / 2);
}

static void sleep_long(struct wpk_job *job)
{
	msleep(20);
}

/* A worker for a long task is made near the submitter's CPU: the submitter may keep its own CPU. */
static void wpool_submit_long_task_makes_a_worker_where_the_cache_is_the_same(struct kunit *test)
{
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int i, ret, nr = 0;

	for (i = 0; i < ROUNDS; i++) {
		pool = pool_of_three_caches(test, 2, false);
		jobs = wpk_jobs_of(test, 2, sleep_long, NULL);
		/* make the worker of this CPU, and let the pool measure the tasks */
		wpk_jobs_run(test, pool, jobs, 1);
		preempt_disable();
		ret = wpool_try_submit(pool, &jobs->job[1].task);
		wpk_spin(1, atomic_read(&jobs->started) == 2);
		preempt_enable();
		KUNIT_ASSERT_EQ(test, ret, 0);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
		nr += jobs->job[1].cpu == wpk_cpu(NEAR);
		wpk_destroy(test, pool);
	}
	KUNIT_EXPECT_GT(test, nr, ROUNDS / 2);
}

/* A pool's first worker is made on the CPU of the submit, not on the first CPU. */
static void wpool_submit_makes_the_first_worker_where_it_queues(struct kunit *test)
{
	int last = wpk_cpu(num_online_cpus() - 1), i, nr = 0;
	struct wpk_jobs *jobs;
	struct wpool *pool;

	wpk_need_cpus(test, 2);
	wpk_move_to(last);
	for (i = 0; i < ROUNDS; i++) {
		pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
		jobs = wpk_jobs(test, 1, NULL);
		wpk_jobs_run(test, pool, jobs, 1);
		nr += jobs->job[0].cpu == last;
		wpk_destroy(test, pool);
	}
	KUNIT_EXPECT_GT(test, nr, ROUNDS / 2);
}

/* If tasks for several CPUs are submitted together, each of these CPUs gets a worker. */
static void wpool_submit_on_makes_workers_where_it_queues(struct kunit *test)
{
	static const int cpus[] = { OTHER_1, NEAR };
	struct wpk_gate *gate;
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int i, j, nr = 0, err = 0;

	for (i = 0; i < ROUNDS; i++) {
		pool = pool_of_three_caches(test, ARRAY_SIZE(cpus), false);
		gate = wpk_gate(test);
		jobs = wpk_jobs(test, ARRAY_SIZE(cpus), gate);
		/* keep spawners off this CPU meanwhile */
		preempt_disable();
		for (j = 0; j < ARRAY_SIZE(cpus); j++)
			err = wpool_submit_on(pool, wpk_cpu(cpus[j]), &jobs->job[j].task) ?: err;
		preempt_enable();
		KUNIT_ASSERT_EQ(test, err, 0);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, ARRAY_SIZE(cpus)));
		for (j = 0; j < ARRAY_SIZE(cpus); j++)
			nr += jobs->job[j].cpu == wpk_cpu(cpus[j]);
		wpk_gate_open(gate);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, ARRAY_SIZE(cpus)));
		wpk_destroy(test, pool);
	}
	KUNIT_EXPECT_GT(test, nr, 3 * ROUNDS / 2);
}

/*
 * A tune of the cpumask looks up the core and the cache of each CPU again: they may be known only
 * when the CPU comes online, after the pool was made.
 */
static void wpool_tune_of_the_cpumask_looks_which_cache_a_cpu_has(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpool_site *site = &pool->sites[wpk_cpu(0)], before = *site;

	site->cache = ~before.cache;
	site->node = ~before.node;
	site->core = ~before.core;
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpu_online_mask), 0);
	KUNIT_EXPECT_EQ(test, site->cache, before.cache);
	KUNIT_EXPECT_EQ(test, site->node, before.node);
	KUNIT_EXPECT_EQ(test, site->core, before.core);
}

WPK_SUITE(near,
	  KUNIT_CASE(wpool_submit_on_makes_workers_where_it_queues),
	  KUNIT_CASE(wpool_tune_of_the_cpumask_looks_which_cache_a_cpu_has),
	  KUNIT_CASE(wpool_submit_long_task_starts_where_the_submitter_leaves_a_cpu),
	  KUNIT_CASE(wpool_submit_long_task_starts_where_no_worker_runs),
	  KUNIT_CASE(wpool_submit_long_task_makes_a_worker_where_the_cache_is_the_same),
	  KUNIT_CASE(wpool_submit_makes_the_first_worker_where_it_queues),
	  KUNIT_CASE_PARAM(wpool_submit_second_task_starts_near, place_gen_params),
	  KUNIT_CASE_PARAM(wpool_submit_on_two_cpus_the_near_one_is_stolen_from_first,
			   steal_gen_params));
