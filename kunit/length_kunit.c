// SPDX-License-Identifier: GPL-2.0
/*
 * The pool estimates how long tasks run, see module/core/length.h. Each case has something that
 * must not mislead the estimate. The cases read and set it directly, since no public call does.
 */
#include <linux/ktime.h>

#include "core/length.c"
#include "core/queued.h"
#include "core/runqs.h"
#include "one_cpu.h"

/* A task that is long, and submits others. */
struct parent {
	struct wpk_jobs *children;
	u32 nr_ring;		/* how many children wait in the ring */
	u32 task_ns;		/* the estimate after the children's submits */
};

static void submit_late(struct wpk_job *job)
{
	struct parent *parent = job->arg;
	struct wpool *pool = job->task.pool;
	unsigned long end = jiffies + 3;
	struct wpool_runq *rq;
	unsigned int i;

	while (time_before(jiffies, end))
		cpu_relax();
	rq = wpool_runq(pool, raw_smp_processor_id());
	rq->estimate.task_ns = 2 * WPOOL_HELP_NS;
	/* as if another CPU had found the pool's tasks short */
	pool->task_ns = 1;
	for (i = 0; i < parent->children->nr; i++)
		job->ret = wpool_submit(pool, &parent->children->job[i].task) ?: job->ret;
	parent->nr_ring = wpool_ring_len(&rq->ring);
	parent->task_ns = rq->estimate.task_ns;
}

/* Ticks that pass in a long task do not make its CPU take over the estimates of other CPUs. */
static void wpool_submit_by_a_long_task_keeps_its_estimate(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct wpk_jobs *first = wpk_jobs(test, 1, NULL);
	struct parent parent = { .children = wpk_jobs(test, 9, NULL) };

	wpk_jobs_body(first, submit_late, &parent);
	wpk_jobs_submit(test, pool, first, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(parent.children, 9));
	KUNIT_EXPECT_EQ(test, parent.nr_ring, 0);
	KUNIT_EXPECT_EQ(test, parent.task_ns, 2 * WPOOL_HELP_NS);
	wpk_destroy(test, pool);
	wpk_no_errors(test, first);
}

static bool is_fresh_at(struct wpool_runq *rq, u32 jiffy)
{
	rq->call_jiffy = jiffy;
	rq->wake_jiffy = jiffy;
	return __wpool_runq_is_fresh(rq);
}

/*
 * A run queue is fresh up to one tick after its stamp. A stamp may be one tick later than the
 * jiffies of the reader; a stamp that is 2^31 ticks old or older is not fresh either.
 */
static void wpool_runq_is_fresh_until_the_next_tick(struct kunit *test)
{
	struct wpool_runq *rq = wpk_alloc(test, sizeof(*rq));
	static const u32 ages[] = { 3, S32_MAX, 0x80000000, 0x80000005, U32_MAX - 1000000 };
	unsigned int i;

	WPK_EVENTUALLY(test, is_fresh_at(rq, jiffies));
	WPK_EVENTUALLY(test, is_fresh_at(rq, jiffies + 1));
	for (i = 0; i < ARRAY_SIZE(ages); i++)
		KUNIT_EXPECT_FALSE_MSG(test, is_fresh_at(rq, jiffies - ages[i]), "age %u", ages[i]);
}

/* A task that is being timed submits two, of which the second goes to the global queue. */
static void submit_shared(struct wpk_job *job)
{
	struct wpk_jobs *children = job->arg;
	struct wpool *pool = children->job[0].arg;
	struct wpool_runq *rq = wpool_runq(pool, raw_smp_processor_id());
	u64 before = rq->sample.ns;

	job->ret = wpool_submit(pool, &children->job[0].task) ?:
		   wpool_submit(pool, &children->job[1].task) ?:
		   !before || !wpool_shared_len(pool) || rq->sample.ns <= before;
}

/*
 * A push to the global queue does not count as run time: it moves the begin of the timing. Many
 * CPUs at the queue's lock wait for longer than a short task runs: if a CPU counted the wait, its
 * tasks would be long to it, and go to the global queue.
 */
static void wpool_submit_wait_for_the_global_queue_is_no_length(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct wpk_jobs *children = wpk_jobs_of(test, 2, NULL, pool);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, submit_shared, children);

	wpk_jobs_run(test, pool, jobs, 1);
	wpk_finish(test, pool, children);
	wpk_no_errors(test, jobs);
}

static void lose_cpu(struct wpk_job *job)
{
	struct wpool_runq *rq = wpool_runq(job->arg, raw_smp_processor_id());

	/* as if the first job's worker had been switched out in the job */
	if (job == job->jobs->job)
		rq->sample.switches--;
	/* as if the worker looked for work again in the same tick */
	rq->call_jiffy = jiffies;
	job->ret = 0;
}

/*
 * If a worker loses its CPU in the first task, the worker must time the next task. Otherwise all
 * tasks would count as long until the next tick, and go to the global queue. On a loaded machine,
 * the worker may lose its CPU in each task, but not in each try.
 */
static void wpool_submit_length_is_known_though_the_first_task_lost_its_cpu(struct kunit *test)
{
	bool is_known = false;
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int try;

	for (try = 0; try < 5 && !is_known; try++) {
		pool = wpk_one_cpu_pool(test, 1, 1, true);
		/* on the worker's CPU, this thread would take it from the worker again and again */
		wpk_move_to(wpk_cpu(num_online_cpus() > 1));
		jobs = wpk_jobs_of(test, 32, lose_cpu, pool);
		wpk_jobs_run(test, pool, jobs, 32);
		is_known = READ_ONCE(wpool_runq(pool, wpk_cpu(0))->estimate.task_ns) != U32_MAX;
		wpk_destroy(test, pool);
		wpk_no_errors(test, jobs);
	}
	wpk_move_to(-1);
	KUNIT_EXPECT_TRUE(test, is_known);
}

/* Tasks that each submit one more; either the first ones or the second ones are long. */
struct couples {
	struct wpk_jobs *first, *second;
	bool is_first_long;
};

static void run_one_of_two(struct wpk_job *job)
{
	struct wpool *pool = job->task.pool;
	struct wpool_runq *rq = wpool_runq(pool, raw_smp_processor_id());
	u64 start = ktime_get_mono_fast_ns();
	struct couples *couples = job->arg;
	bool is_first = job->jobs == couples->first;
	unsigned int pos = job - job->jobs->job;

	job->ret = wpool_runq_has_short_tasks(rq);
	while (is_first == couples->is_first_long &&
	       ktime_get_mono_fast_ns() - start < 4 * WPOOL_HELP_NS)
		cpu_relax();
	if (!is_first)
		return;
	/* as if the worker had been switched out in some tasks, and a tick had come in others */
	if (pos % 3 == 1)
		rq->sample.switches--;
	else if (pos % 3 == 2)
		rq->call_jiffy--;
	job->ret = wpool_submit(pool, &couples->second->job[pos].task) ?: job->ret;
}

/*
 * A short task that submits a long one, or a long task that submits a short one: the CPU's tasks
 * never count as short, whichever of them the worker timed, or would time next.
 */
static void wpool_submit_short_task_does_not_hide_the_long_one_beside_it(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct couples *couples = wpk_alloc(test, 2 * sizeof(*couples));
	int i;

	for (i = 0; i < 2; i++, couples++) {
		couples->is_first_long = i;
		couples->second = wpk_jobs_of(test, 64, run_one_of_two, couples);
		couples->first = wpk_jobs_of(test, 64, run_one_of_two, couples);
		wpk_jobs_run(test, pool, couples->first, 64);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(couples->second, 64));
		wpk_no_errors(test, couples->first);
		wpk_no_errors(test, couples->second);
	}
}

static void note_length(struct wpk_job *job)
{
	struct wpool_runq *rq = wpool_runq(job->task.pool, raw_smp_processor_id());

	job->ret = READ_ONCE(rq->estimate.task_ns) == 1;
}

static void submit_and_sleep(struct wpk_job *job)
{
	struct wpk_jobs *child = job->arg;
	struct wpool_runq *rq = wpool_runq(job->task.pool, raw_smp_processor_id());

	rq->estimate.task_ns = 1;
	job->ret = wpool_submit(job->task.pool, &child->job[0].task) ?:
		   !rq->sample.ns || !wpk_eventually(atomic_read(&child->job[0].runs));
}

/* A task that is being timed submits a short one and sleeps: the tasks count as long then. */
static void wpool_submit_before_a_sleep_does_not_hide_it(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 2, 1, true);
	struct wpk_jobs *child = wpk_jobs_of(test, 1, note_length, NULL);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, submit_and_sleep, child);

	wpk_jobs_run(test, pool, jobs, 1);
	wpk_finish(test, pool, child);
	wpk_no_errors(test, jobs);
	wpk_no_errors(test, child);
}

/* The next sample of the length. Returns true if tasks are known to be long then. */
static bool is_long_after(struct wpool_runq *rq, u64 ns)
{
	add_length(rq, ns);
	return wpool_runq_has_long_tasks(rq);
}

/* A run queue of no pool's CPU, whose first sample was @ns. */
static struct wpool_runq *runq_of_length(struct kunit *test, u64 ns)
{
	struct wpool_runq *rq = wpk_alloc(test, sizeof(*rq));

	rq->pool = wpk_alloc(test, sizeof(*rq->pool));
	rq->pool->task_ns = U32_MAX;
	wpool_length_set(rq, U32_MAX);
	add_length(rq, ns);
	KUNIT_EXPECT_EQ(test, rq->estimate.task_ns, ns);
	KUNIT_EXPECT_EQ(test, rq->pool->task_ns, ns);
	return rq;
}

/* Some short tasks among long ones do not make them short, nor do they tell the pool anything. */
static void wpool_length_of_long_tasks_stays_long_for_some_short_ones(struct kunit *test)
{
	struct wpool_runq *rq = runq_of_length(test, 4 * WPOOL_HELP_NS);
	int i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, is_long_after(rq, 100));
		KUNIT_EXPECT_EQ(test, rq->pool->task_ns, 4 * WPOOL_HELP_NS);
	}
	KUNIT_EXPECT_FALSE(test, is_long_after(rq, 100));
	KUNIT_EXPECT_EQ(test, rq->pool->task_ns, rq->estimate.task_ns);
	/* from now on a shorter sample counts at once */
	KUNIT_EXPECT_FALSE(test, is_long_after(rq, 100));
	KUNIT_EXPECT_EQ(test, rq->estimate.task_ns, 100);
}

/* However long a task was: after 21 short ones, and if they were short before after 6, it ends. */
static void wpool_length_of_the_longest_task_is_soon_forgotten(struct kunit *test)
{
	struct wpool_runq *rq = runq_of_length(test, 100);
	int nr;

	KUNIT_EXPECT_TRUE(test, is_long_after(rq, NSEC_PER_SEC));
	for (nr = 1; is_long_after(rq, 100); nr++)
		;
	KUNIT_EXPECT_EQ(test, nr, 6);
	for (nr = 0; nr < 100; nr++)
		add_length(rq, U64_MAX);
	for (nr = 1; is_long_after(rq, 100); nr++)
		;
	KUNIT_EXPECT_EQ(test, nr, 21);
}

WPK_SUITE(length,
	  KUNIT_CASE(wpool_length_of_long_tasks_stays_long_for_some_short_ones),
	  KUNIT_CASE(wpool_length_of_the_longest_task_is_soon_forgotten),
	  KUNIT_CASE(wpool_submit_length_is_known_though_the_first_task_lost_its_cpu),
	  KUNIT_CASE(wpool_runq_is_fresh_until_the_next_tick),
	  KUNIT_CASE(wpool_submit_by_a_long_task_keeps_its_estimate),
	  KUNIT_CASE(wpool_submit_before_a_sleep_does_not_hide_it),
	  KUNIT_CASE(wpool_submit_short_task_does_not_hide_the_long_one_beside_it),
	  KUNIT_CASE(wpool_submit_wait_for_the_global_queue_is_no_length));
