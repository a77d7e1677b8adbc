// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel's log says about a pool: why tasks wait, once an episode; that the class of a
 * worker was changed from outside; which attribute is not allowed; and how a module misuses a pool.
 *
 * The log is large enough for the lines of one case. No case limits the time until a line comes,
 * and none counts the lines about workers that are slow to come: it counts from lines_so_far() on.
 */
#include <linux/ktime.h>
#include <linux/stop_machine.h>

#include "fixture.h"

#define CAPACITY_LINE	"capacity is used up: 2 of 2 workers in wpk_job_fn"
#define HOG_LINE	"hogs keep the CPUs: wpk_job_fn"

static unsigned int lines_so_far(struct wpool *pool)
{
	return wpk_lines_about(wpk_name_of(pool), "");
}

static void wpool_report_queue_that_waits_for_capacity_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 2, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 5, busy->gate);
	unsigned int before = lines_so_far(pool);
	const char *name = wpk_name_of(pool);

	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 0);
	wpk_jobs_submit(test, pool, jobs, 0, 5);
	WPK_EVENTUALLY(test, wpk_lines_about(name, CAPACITY_LINE));
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 1);
	/* some tasks continue, and the others wait: this is the same episode, and no stall */
	wpk_gate_let(busy->gate, 2);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(busy->gate, 4));
	/* sleep longer than it takes to log a jam: this one is not logged or counted again */
	msleep(1500);
	KUNIT_EXPECT_EQ(test, lines_so_far(pool), before + 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 1);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 5));
}

struct stop {
	ktime_t from, to;
	bool over;
};

static int stop_the_machine(void *arg)
{
	struct stop *stop = arg;

	stop->from = ktime_get();
	/* longer than what counts as a jam, by this clock: a delay loop may be faster */
	do {
		mdelay(1);
		stop->to = ktime_get();
	} while (ktime_ms_delta(stop->to, stop->from) < 1500);
	WRITE_ONCE(stop->over, true);
	return 0;
}

static void sleep_until_over(struct wpk_job *job)
{
	struct stop *stop = job->arg;

	while (!READ_ONCE(stop->over))
		usleep_range(100, 200);
}

/*
 * If no CPU runs for a while, as in a virtual machine that its host has stopped, the log blames no
 * task.
 */
static void wpool_report_nothing_about_the_time_that_the_machine_was_stopped(struct kunit *test)
{
	struct stop *stop = wpk_alloc(test, sizeof(*stop));
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, sleep_until_over, stop);
	ktime_t before = ktime_get();
	s64 longest_ms;

	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 1));
	/* the monitor has to see the jam begin */
	msleep(50);
	KUNIT_ASSERT_EQ(test, stop_machine(stop_the_machine, stop, NULL), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
	/* before and after the stop the tasks do wait: a line about such a time is no error */
	longest_ms = max(ktime_ms_delta(stop->from, before), ktime_ms_delta(ktime_get(), stop->to));
	wpk_need(test, longest_ms < 500, "the machine stood still for %lld ms", longest_ms);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 0);
	KUNIT_EXPECT_EQ(test, lines_so_far(pool), 0);
}

/*
 * Submitters that wait for capacity are reported even if nothing is queued and all workers sleep:
 * the monitor runs because a submitter waits.
 */
static void wpool_report_submitters_that_wait_for_capacity(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *busy = wpk_held(test, pool, 2, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	const char *name = wpk_name_of(pool);
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit, pool, &jobs->job[0].task, NULL);

	WPK_EVENTUALLY(test, wpk_lines_about(name, CAPACITY_LINE));
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "0 tasks queued, 1 submitters waiting"), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, busy->gate, thread), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
}

/*
 * Each of many pools that wait for capacity is reported. At most 10 of these lines are logged in 5
 * s; the monitor tries a suppressed line again.
 */
static void wpool_report_each_of_many_pools_that_wait_for_capacity(struct kunit *test)
{
	struct wpk_jobs *busy[12];
	struct wpool *pools[ARRAY_SIZE(busy)];
	unsigned int before[ARRAY_SIZE(busy)], i;

	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		pools[i] = wpk_pool(test, 2, WPOOL_UNLIMITED);
		busy[i] = wpk_held(test, pools[i], 2, 2);
		before[i] = lines_so_far(pools[i]);
		wpk_jobs_submit(test, pools[i], wpk_jobs(test, 1, NULL), 0, 1);
	}
	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		WPK_EVENTUALLY(test, wpk_lines_about(wpk_name_of(pools[i]), CAPACITY_LINE));
		KUNIT_EXPECT_EQ(test, lines_so_far(pools[i]), before[i] + 1);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], exhausted), 1);
		wpk_gate_open(busy[i]->gate);
	}
}

/* While tasks start and end, the log has no line, however long the queue is. */
static void wpool_report_no_pool_that_is_busy(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 2, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 40, busy->gate);
	unsigned int lines = lines_so_far(pool);
	ktime_t before = ktime_get(), now;
	s64 longest_ms = 0;
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 40);
	for (i = 0; i < 30; i++) {
		wpk_gate_let(busy->gate, 1);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(busy->gate, 3 + i));
		msleep(50);
		now = ktime_get();
		longest_ms = max(longest_ms, ktime_ms_delta(now, before));
		before = now;
	}
	lines = lines_so_far(pool) - lines;
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 40));
	/* if the machine itself stopped for 500 ms, a line is no error */
	wpk_need(test, longest_ms < 500, "the machine stood still for %lld ms", longest_ms);
	KUNIT_EXPECT_EQ(test, lines, 0);
}

/* Compute without a sleep until the case has seen the line. */
static void spin_until_it_is_said(struct wpk_job *job)
{
	bool *seen = job->arg;

	wpk_spin(1, READ_ONCE(*seen));
}

static void wpool_report_hogs_that_keep_their_cpu(struct kunit *test)
{
	struct wpk_jobs *hogs = wpk_jobs(test, 1, NULL), *jobs = wpk_jobs(test, 1, NULL);
	bool *seen = wpk_alloc(test, sizeof(*seen));
	struct wpool *pool;
	const char *name;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 8, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	name = wpk_name_of(pool);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_body(hogs, spin_until_it_is_said, seen);
	wpk_jobs_submit(test, pool, hogs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(hogs, 1));
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	WPK_EVENTUALLY(test, wpk_lines_about(name, HOG_LINE) || atomic_read(&jobs->started));
	WRITE_ONCE(*seen, true);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, exhausted), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
}

/* ---- classes ---- */

#define CLASS_LINE	"scheduling changed from outside"

static int tune_class(struct wpool *pool, u32 sched, int nice)
{
	return wpk_tune_with(pool, WPOOL_TUNE_SCHED | WPOOL_TUNE_NICE, attrs.sched = sched,
			     attrs.nice = nice);
}

/* Change the nice value, as an administrator may, or a task that does not restore it. */
static void change_nice(struct wpk_job *job)
{
	set_user_nice(current, 7);
}

static void change_class(struct wpk_job *job)
{
	sched_set_fifo_low(current);
}

/* Run a job in the only worker, when the worker is idle. Returns the job. */
static struct wpk_job *run_alone(struct kunit *test, struct wpool *pool,
				 void (*body)(struct wpk_job *job))
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, body, NULL);

	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == wpk_stat(pool, workers));
	wpk_jobs_run(test, pool, jobs, 1);
	return &jobs->job[0];
}

static void wpool_report_class_that_the_pool_did_not_set_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	const char *name = wpk_name_of(pool);
	struct wpk_job *job;

	run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, CLASS_LINE), 0);
	run_alone(test, pool, change_nice);
	/* the pool takes the change back, and logs it once */
	job = run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, job->nice, 0);
	run_alone(test, pool, change_class);
	run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, CLASS_LINE), 1);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "nice 7, taken back"), 1);
	/* after a tune of class and nice, the next change is logged again */
	KUNIT_EXPECT_EQ(test, tune_class(pool, WPOOL_SCHED_NORMAL, 0), 0);
	job = run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, job->nice, 0);
	KUNIT_EXPECT_EQ(test, job->policy, SCHED_NORMAL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, CLASS_LINE), 1);
	run_alone(test, pool, change_class);
	run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "policy 1, priority 1"), 1);
	/* the class is right, but the priority is not */
	KUNIT_EXPECT_EQ(test, tune_class(pool, 2, 0), 0);
	run_alone(test, pool, change_class);
	run_alone(test, pool, NULL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "policy 1, priority 1"), 2);
}

static void wpool_report_no_class_that_the_pool_did_set(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	static const u32 classes[] = {
		WPOOL_SCHED_NORMAL, WPOOL_SCHED_FIFO_LOW, WPOOL_SCHED_FIFO, 20, WPOOL_MAX_PRIORITY,
	};
	static const int nices[] = { 0, 5, -5 };
	int class, i;

	for (class = 0; class < ARRAY_SIZE(classes); class++) {
		for (i = 0; i < ARRAY_SIZE(nices); i++) {
			KUNIT_EXPECT_EQ(test, tune_class(pool, classes[class], nices[i]), 0);
			run_alone(test, pool, NULL);
			run_alone(test, pool, NULL);
		}
	}
	KUNIT_EXPECT_EQ(test, wpk_lines_about(wpk_name_of(pool), CLASS_LINE), 0);
}

/* ---- attributes ---- */

static void expect_named(struct kunit *test, const struct wpool_attrs *attrs, int err,
			 const char *text)
{
	unsigned int before = wpk_lines_about(attrs->name, text);
	struct wpool *pool = wpool_create(attrs);

	KUNIT_EXPECT_PTR_EQ(test, pool, (struct wpool *)ERR_PTR(err));
	wpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(attrs->name, text), before + 1);
}

static void wpool_create_names_the_attribute_that_is_not_allowed(struct kunit *test)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, 0, 0);
	attrs.name = wpk_name(test);
	expect_named(test, &attrs, -EINVAL, "capacity = 0 is out of its range, 1 to 1048576");
	wpk_attrs(&attrs, 2, 0);
	attrs.name = wpk_name(test);
	attrs.nice = 20;
	expect_named(test, &attrs, -ERANGE, "nice = 20 is out of its range, -20 to 19");
	attrs.nice = 0;
	attrs.sched = 100;
	expect_named(test, &attrs, -ERANGE, "sched = 100 is out of its range, 0 to 99");
	attrs.sched = WPOOL_SCHED_NORMAL;
	attrs.policy = 9;
	expect_named(test, &attrs, -EINVAL, "policy = 9 is none of its values");
	attrs.policy = WPOOL_BLOCK;
	attrs.min_workers = 3;
	expect_named(test, &attrs, -EINVAL, "min_workers = 3 is above capacity = 2");
	attrs.min_workers = 0;
	attrs.capacity = WPOOL_UNLIMITED;
	attrs.prealloc = true;
	expect_named(test, &attrs, -EINVAL, "prealloc needs a capacity");
}

static void wpool_tune_names_the_attribute_that_is_not_allowed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	const char *name = wpk_name_of(pool);

	KUNIT_EXPECT_EQ(test, wpk_tune(pool, HOG_MS, hog_ms, 0), -ERANGE);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "hog_ms = 0 is out of its range"), 1);
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, MIN_WORKERS, min_workers, 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "min_workers = 5 is above capacity = 2"), 1);
	KUNIT_EXPECT_EQ(test, wpk_tune_with(pool, BIT(31), 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "unknown bits 80000000"), 1);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, ""), 3);
}

static void wpool_create_names_the_pool_whose_name_is_taken(struct kunit *test)
{
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, 2, 0);
	pool = wpk_pool_attrs(test, &attrs);
	attrs.name = wpk_name_of(pool);
	expect_named(test, &attrs, -EEXIST, "there is a pool of that name");
	/* a pool without an owner belongs to a program, which gets the errno: no line is logged */
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(__wpool_create(&attrs, NULL)), -EEXIST);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(attrs.name, "there is a pool of that name"), 1);
}

/* ---- misuse ---- */

static void do_to_the_own_pool(struct wpk_job *job)
{
	struct wpool *pool = job->arg;

	if (wpool_flush(pool) == -EDEADLK && wpool_reboot(pool) == -EDEADLK &&
	    wpool_release_timeout(pool, 0, 1) == -EDEADLK)
		job->ret = wpool_destroy(pool);
}

static void wpool_report_what_an_own_task_must_not_do(struct kunit *test)
{
	static const char * const refused[] = {
		"wpool_flush()", "wpool_reboot()", "wpool_release_timeout()", "wpool_destroy()",
	};
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = wpk_pool(test, 2, 0);
	const char *name = wpk_name_of(pool);
	unsigned int i;

	wpk_job_body(&jobs->job[0], do_to_the_own_pool, pool);
	wpk_jobs_run(test, pool, jobs, 1);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EDEADLK);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ_MSG(test, wpk_lines_about(name, refused[i]), 1, "%s", refused[i]);
}

static void wpool_destroy_names_the_pool_that_is_gone(struct kunit *test)
{
	struct wpool *pool = wpool_get(wpk_pool(test, 2, 0));
	const char *name = wpk_name_of(pool);

	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, ""), 0);
	KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "a pool that is already destroyed"), 1);
	wpool_put(pool);
}

WPK_SUITE(report,
	  KUNIT_CASE_SLOW(wpool_report_queue_that_waits_for_capacity_once),
	  KUNIT_CASE_SLOW(wpool_report_submitters_that_wait_for_capacity),
	  KUNIT_CASE_SLOW(wpool_report_nothing_about_the_time_that_the_machine_was_stopped),
	  KUNIT_CASE_SLOW(wpool_report_each_of_many_pools_that_wait_for_capacity),
	  KUNIT_CASE_SLOW(wpool_report_no_pool_that_is_busy),
	  KUNIT_CASE_SLOW(wpool_report_hogs_that_keep_their_cpu),
	  KUNIT_CASE(wpool_report_class_that_the_pool_did_not_set_once),
	  KUNIT_CASE(wpool_report_no_class_that_the_pool_did_set),
	  KUNIT_CASE(wpool_create_names_the_attribute_that_is_not_allowed),
	  KUNIT_CASE(wpool_tune_names_the_attribute_that_is_not_allowed),
	  KUNIT_CASE(wpool_create_names_the_pool_whose_name_is_taken),
	  KUNIT_CASE(wpool_report_what_an_own_task_must_not_do),
	  KUNIT_CASE(wpool_destroy_names_the_pool_that_is_gone));
