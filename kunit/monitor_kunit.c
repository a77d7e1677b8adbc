// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor: it gets help for a queue whose worker runs one long task, or does not get its CPU.
 * It leaves alone a queue that only waits its turn, and it stops when there is nothing to watch.
 *
 * A case expects help while the task that blocks the queue still runs, not within a certain time.
 */
#include <kunit/resource.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/timer.h>

#include "knob.h"
#include "one_cpu.h"
#include "probe.h"

#define HOG_MS 20U

static struct wpool *hog_pool(struct kunit *test, u32 capacity, int nr_cpus, bool handoff)
{
	return wpk_pool_with(test, capacity, WPOOL_UNLIMITED,
			     attrs.cpumask = wpk_first_cpus(test, nr_cpus), attrs.handoff = handoff,
			     attrs.hog_ms = HOG_MS);
}

/* ---- hogs ----------------------------------------------------------------- */

/*
 * @makes_way: the hog lets other threads have its CPU
 * @waits: the hog continues until its child has seen that the hog was counted
 * @saw_it: the child started while the hog ran
 */
struct hog {
	struct wpk_jobs *child;
	bool makes_way;
	bool waits;
	bool saw_it;
};

/* Run ten times as long as hog_ms, with the child queued behind this job. */
static void run_on_and_on(struct wpk_job *job)
{
	struct hog *hog = job->arg;
	unsigned long end = jiffies + WPK_PATIENCE / 2;
	ktime_t least;

	job->ret = wpool_submit(job->task.pool, &hog->child->job[0].task);
	while (hog->waits && !atomic_read(&hog->child->finished) && time_before(jiffies, end)) {
		cpu_relax();
		if (hog->makes_way)
			cond_resched();
	}
	hog->saw_it = atomic_read(&hog->child->started);
	least = ktime_add_ms(ktime_get(), 10 * HOG_MS);
	while (ktime_before(ktime_get(), least)) {
		cpu_relax();
		if (hog->makes_way)
			cond_resched();
	}
}

/* A hog cannot read figures, since that may sleep: its child reads them. */
static void see_it_counted(struct wpk_job *job)
{
	unsigned long end = jiffies + WPK_PATIENCE / 3;
	struct wpool_stats stats;

	do {
		wpool_get_stats(job->task.pool, &stats);
		usleep_range(1000, 2000);
	} while (!stats.hogs && time_before(jiffies, end));
}

static struct hog *run_hog(struct kunit *test, struct wpool *pool, bool waits, bool makes_way)
{
	struct hog *hog = wpk_alloc(test, sizeof(*hog));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, run_on_and_on, hog);

	hog->child = wpk_jobs(test, 1, NULL);
	hog->waits = waits;
	hog->makes_way = makes_way;
	if (waits)
		wpk_jobs_body(hog->child, see_it_counted, NULL);
	wpk_jobs_run(test, pool, jobs, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(hog->child, 1));
	wpk_no_errors(test, jobs);
	return hog;
}

WPK_PARAM_BOOL(handoff, "handoff %d");

static const struct hog_row {
	const char *desc;
	u32 capacity;
	int cpus;
	bool handoff;
	bool makes_way;
	bool saw_it;	/* the child started while the hog ran */
	u32 least, most;	/* hogs; on a slow machine the child may be one, too */
} hog_rows[] = {
	{ "on two CPUs its queue goes to another worker", 4, 2, true, false, true, 1, 2 },
	{ "on the only CPU its own worker comes", 4, 1, true, true, true, 1, 2 },
	{ "handoff 0 counts and moves none", 4, 1, false, true, false, 0, 0 },
	{ "at capacity 1 its child starts afterwards", 1, 1, true, true, false, 0, 2 },
};

KUNIT_ARRAY_PARAM_DESC(hog_row, hog_rows, desc);

static void wpool_hog_and_its_queue(struct kunit *test)
{
	const struct hog_row *row = test->param_value;
	struct wpool *pool = hog_pool(test, row->capacity, row->cpus, row->handoff);
	struct hog *hog = run_hog(test, pool, row->saw_it, row->makes_way);

	KUNIT_EXPECT_EQ(test, hog->saw_it, row->saw_it);
	KUNIT_EXPECT_GE(test, wpk_stat(pool, hogs), row->least);
	KUNIT_EXPECT_LE(test, wpk_stat(pool, hogs), row->most);
	if (!row->handoff)
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, handoffs), 0);
	if (row->capacity == 1)
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 1);
}

/* Hog the CPU until this worker may run on both CPUs of the pool. */
static void run_until_free(struct wpk_job *job)
{
	job->ret = !wpk_run_until(current->nr_cpus_allowed == 2) ||
		   !cpumask_test_cpu(wpk_cpu(0), current->cpus_ptr) ||
		   !cpumask_test_cpu(wpk_cpu(1), current->cpus_ptr);
}

static void see_that_it_is_bound(struct wpk_job *job)
{
	job->ret = current->nr_cpus_allowed != 1;
}

/*
 * A hog may run on all CPUs of its pool. Afterwards the worker runs the next task on its home CPU
 * again.
 */
static void wpool_hog_on_two_cpus_may_leave_its_cpu(struct kunit *test)
{
	struct wpool *pool = hog_pool(test, 1, 2, true);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, run_until_free, NULL);

	jobs->job[1].body = see_that_it_is_bound;
	wpk_jobs_run(test, pool, jobs, 1);
	wpool_flush(pool);
	/* the second task is no hog, even if it waits for its CPU */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, HOG_MS, hog_ms, WPOOL_MAX_HOG_MS), 0);
	wpk_jobs_next(test, pool, jobs, 1);
	wpk_no_errors(test, jobs);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
}

static void sleep_long(struct wpk_job *job)
{
	msleep(250);
}

/*
 * A task that sleeps is no hog, however long it takes. If the machine stops for hog_ms, a task that
 * is awake for a moment counts as a hog: try again.
 */
static void wpool_hog_is_no_task_that_sleeps(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, sleep_long, NULL);
	struct wpool *pool = wpk_one_cpu_pool_with(test, 2, 1, true, attrs.hog_ms = 100);
	u64 hogs, before;
	int try = 0;

	do {
		before = wpk_stat(pool, hogs);
		wpk_submit_together(test, pool, jobs);
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
		hogs = wpk_stat(pool, hogs) - before;
	} while (hogs && ++try < 10);
	KUNIT_EXPECT_EQ(test, hogs, 0);
}

/* ---- stalls --------------------------------------------------------------- */

/* Queue a task here, and keep this CPU from workers until the task has started. */
static int submit_and_keep_the_cpu(struct wpk_thread *thread)
{
	struct wpk_job *job = wpk_job_of(thread->work);
	int before = atomic_read(&job->runs);
	int ret;

	wpk_move_to(wpk_cpu(0));
	sched_set_fifo(current);
	ret = wpool_submit(thread->pool, thread->work);
	if (!ret && !wpk_spin(2, atomic_read(&job->runs) != before))
		ret = -ETIME;
	sched_set_normal(current, 0);
	return ret;
}

#define NR_TRIES 15

/*
 * A queue gets help from another CPU if a real-time thread keeps its own. After a second the kernel
 * lets other threads run there for a while. So on a slow machine the task may run there before help
 * comes, but not in every try.
 */
static void wpool_monitor_rescues_the_queue_of_a_cpu_taken_by_others(struct kunit *test)
{
	struct wpool *pool = wpk_pair(test, hog_pool(test, 2, 2, true));
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	const char *name = wpk_name_of(pool);
	struct wpk_thread *thread;
	unsigned int before;
	int try = 0;

	wpk_need_to_keep_cpu(test);
	before = wpk_lines_about(name, "");
	do {
		thread = wpk_thread(test, submit_and_keep_the_cpu, pool, &jobs->job[0].task, NULL);
		KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
		KUNIT_ASSERT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	} while (jobs->job[0].cpu != wpk_cpu(1) && ++try < NR_TRIES);
	KUNIT_EXPECT_LT(test, try, NR_TRIES);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2);
	KUNIT_EXPECT_LE(test, wpk_lines_about(name, ""), before + try + 1);
}

/*
 * Polls the file pressure of a pool.
 * @table: for the poll of the file, which puts @entry into the file's wait queue
 * @entry: called for each wake-up of the file
 * @head: the wait queue with @entry
 * @heard: wake-ups since the task was queued: one for the pressure, the next for the stall
 * @stalled: while the CPU was held, both wake-ups came
 */
struct listener {
	poll_table table;
	wait_queue_entry_t entry;
	wait_queue_head_t *head;
	struct file *file;
	atomic_t heard;
	bool stalled;
};

static int hear(wait_queue_entry_t *entry, unsigned int mode, int sync, void *key)
{
	atomic_inc(&container_of(entry, struct listener, entry)->heard);
	return 0;
}

static void stand_in_queue(struct file *file, wait_queue_head_t *head, poll_table *table)
{
	struct listener *listener = container_of(table, struct listener, table);

	listener->head = head;
	add_wait_queue(head, &listener->entry);
}

static void stop_listening(void *data)
{
	struct listener *listener = data;

	if (listener->head)
		remove_wait_queue(listener->head, &listener->entry);
	filp_close(listener->file, NULL);
}

static struct listener *listen(struct kunit *test, struct wpool *pool)
{
	struct listener *listener = wpk_alloc(test, sizeof(*listener));
	char path[64];

	snprintf(path, sizeof(path), "class/wpool/%s/pressure", wpk_name_of(pool));
	listener->file = wpk_fs_open("sysfs", path, O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(listener->file));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_listening, listener), 0);
	init_waitqueue_func_entry(&listener->entry, hear);
	init_poll_funcptr(&listener->table, stand_in_queue);
	vfs_poll(listener->file, &listener->table);
	KUNIT_ASSERT_NOT_NULL(test, listener->head);
	return listener;
}

/* Queue a task on this CPU, and hold the CPU until the listener sees a stall. */
static int submit_and_hold_the_cpu(struct wpk_thread *thread)
{
	struct listener *listener = thread->arg;
	int ret;

	wpk_move_to(wpk_cpu(0));
	preempt_disable();
	atomic_set(&listener->heard, 0);
	ret = wpool_try_submit(thread->pool, thread->work);
	/* several times as long as a stall, but too short for a lockup */
	listener->stalled = !ret && wpk_spin(7, atomic_read(&listener->heard) >= 2);
	preempt_enable();
	return ret;
}

WPK_PARAM_BOOL(by_user, "of /dev/wpool: %d");

/*
 * A stall of a pool of /dev/wpool is logged, but not the state of the pool: users may cause stalls
 * again and again. The monitor must run while the CPU is held; on a slow machine it misses some
 * tries. In 5 s it logs at most two stalls of users' pools, and two of others. So the tries last
 * longer than 5 s.
 */
static void wpool_monitor_tells_of_a_stall_and_shows_the_pool(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct listener *listener;
	struct wpk_thread *thread;
	struct wpool *pool;
	const char *name;
	int try = 0;

	wpk_need_to_keep_cpu(test);
	pool = wpk_one_cpu_pool(test, 64, 1, true);
	/* /dev/wpool sets this flag in its pools */
	if (wpk_is_on(test))
		pool->gfp |= __GFP_ACCOUNT;
	name = wpk_name_of(pool);
	listener = listen(test, pool);
	do {
		thread = wpk_thread(test, submit_and_hold_the_cpu, pool, &jobs->job[0].task,
				    listener);
		KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
		KUNIT_ASSERT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	} while (!(listener->stalled && wpk_lines_about(name, "stalled for")) &&
		 ++try < NR_TRIES);
	KUNIT_EXPECT_TRUE(test, listener->stalled);
	KUNIT_EXPECT_GT(test, wpk_lines_about(name, "stalled for"), 0);
	/* wait for the monitor, which logs the state of the pool under RCU */
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, wpk_lines_about(name, "open, capacity 64"),
			wpk_is_on(test) ? 0 : wpk_lines_about(name, "stalled for"));
}

/* ---- quiet ---------------------------------------------------------------- */

static atomic_t nr_expiries;

/* Count a timer whose function is in the module. */
static void count_ours(const void *function)
{
	char name[KSYM_NAME_LEN];

	snprintf(name, sizeof(name), "%ps", function);
	if (strstr(name, "[wpool]"))
		atomic_inc(&nr_expiries);
}

static void timer_expires(void *data, struct timer_list *timer, unsigned long baseclk)
{
	count_ours(timer->function);
}

static void hrtimer_expires(void *data, struct hrtimer *timer, ktime_t *now)
{
	count_ours(timer->function);
}

static void start_counting(struct kunit *test)
{
	atomic_set(&nr_expiries, 0);
	wpk_probe(test, "timer_expire_entry", timer_expires, NULL);
	wpk_probe(test, "hrtimer_expire_entry", hrtimer_expires, NULL);
}

/* Wait until no timer of the module expires for @ms, which is many periods of the monitor. */
static void expect_quiet(struct kunit *test, unsigned int ms)
{
	unsigned long end = jiffies + WPK_PATIENCE;
	int before, after;

	do {
		before = atomic_read(&nr_expiries);
		msleep(ms);
		after = atomic_read(&nr_expiries);
	} while (after != before && time_before(jiffies, end));
	KUNIT_EXPECT_EQ(test, after, before);
}

/*
 * Run until the monitor's timer has expired twice: once because of the submit, and once because of
 * what the monitor then saw. This also proves that the case sees the timer.
 */
static void run_until_the_monitor_looks(struct wpk_job *job)
{
	int *before = job->arg;

	if (!wpk_run_until(atomic_read(&nr_expiries) - *before >= 2))
		job->ret = -ETIME;
}

static void wpool_monitor_sleeps_for_good_when_nothing_runs(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 4, WPOOL_UNLIMITED);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	int *before = wpk_alloc(test, sizeof(*before));
	int i;

	start_counting(test);
	wpk_jobs_body(jobs, run_until_the_monitor_looks, before);
	for (i = 0; i < 3; i++) {
		*before = atomic_read(&nr_expiries);
		/* the monitor's timer starts again with each task */
		wpk_jobs_next(test, pool, jobs, i);
		/* the monitor acts after up to 1 s; the workers expire much later */
		expect_quiet(test, i ? 300 : 1100);
	}
	wpk_no_errors(test, jobs);
}

/*
 * The monitor stops while all tasks sleep, even without hand-off, where their workers count as
 * running.
 */
static void wpool_monitor_sleeps_for_good_while_tasks_sleep(struct kunit *test)
{
	bool handoff = wpk_is_on(test);
	/* no task is queued behind a sleeper, with hand-off or without */
	struct wpool *pool = wpk_pool_with(test, 4, WPOOL_UNLIMITED, attrs.handoff = handoff,
					   attrs.concurrency = 3);
	struct wpk_jobs *jobs;

	start_counting(test);
	jobs = wpk_held(test, pool, 3, 3);
	expect_quiet(test, 300);
	wpk_jobs_let(test, jobs, 3);
	expect_quiet(test, 300);
}

WPK_SUITE(monitor,
	  KUNIT_CASE_PARAM(wpool_hog_and_its_queue, hog_row_gen_params),
	  KUNIT_CASE(wpool_hog_on_two_cpus_may_leave_its_cpu),
	  KUNIT_CASE_SLOW(wpool_hog_is_no_task_that_sleeps),
	  KUNIT_CASE(wpool_monitor_rescues_the_queue_of_a_cpu_taken_by_others),
	  KUNIT_CASE_PARAM_ATTR(wpool_monitor_tells_of_a_stall_and_shows_the_pool,
				by_user_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE_SLOW(wpool_monitor_sleeps_for_good_when_nothing_runs),
	  KUNIT_CASE_PARAM_ATTR(wpool_monitor_sleeps_for_good_while_tasks_sleep,
				handoff_gen_params, { .speed = KUNIT_SPEED_SLOW }));
