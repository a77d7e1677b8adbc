// SPDX-License-Identifier: GPL-2.0
/*
 * Places, flushes and figures are right at every moment, also between two steps of another thread.
 * A case with a tracepoint there hits this moment each time. The other cases hit it by chance:
 * their success proves little.
 */
#include <linux/ktime.h>
#include <linux/smp.h>

#include "full_pool.h"
#include "one_cpu.h"
#include "probe.h"

/* ---- places --------------------------------------------------------------- */

#define NR_AGAIN WPK_ROUNDS(3000)

static int submit_pending(struct wpk_thread *thread)
{
	int ret;

	wpk_move_to(wpk_cpu(1));
	while (!wpk_stopped(thread->test)) {
		ret = wpool_try_submit(thread->pool, thread->work);
		if (ret != -EALREADY)
			return ret ?: -EBADE;
	}
	return 0;
}

/* A submit of a pending task needs no place, and must not take one, even for a moment. */
static void wpool_try_submit_pending_task_takes_nobodys_place(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_held(test, pool, 3, 1);
	struct wpool_task *last = &jobs->job[2].task;
	unsigned int i, refused = 0, bad = 0;
	struct wpk_thread *thread;

	wpk_need_cpus(test, 2);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	thread = wpk_thread(test, submit_pending, pool, &jobs->job[1].task, NULL);
	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < NR_AGAIN; i++) {
		/* one place is always free */
		if (wpool_try_submit(pool, last))
			refused++;
		else if (wpool_task_cancel_sync(last) != -ECANCELED)
			bad++;
	}
	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_EQ(test, bad, 0);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_move_to(-1);
}

#define NR_ENDS		WPK_ROUNDS(600)
#define MAX_DELAY_NS	5000

struct again {
	struct wpool *pool;
	struct wpool_task *task;
	atomic_t started;	/* runs so far */
	int over;		/* runs that may end */
	int ret;
};

static void run_until_told(struct wpk_job *job)
{
	struct again *again = job->arg;
	int run = atomic_inc_return(&again->started);

	if (!wpk_run_until(READ_ONCE(again->over) >= run))
		job->ret = -ETIME;
}

static void submit_again(void *data)
{
	struct again *again = data;

	again->ret = wpool_try_submit(again->pool, again->task);
}

/*
 * A submit in an interrupt finds the place of a task that has just ended, even if the interrupt
 * hits the worker before the place is returned. Each run ends about when the interrupt comes, a
 * little earlier or later each time.
 */
static void wpool_try_submit_in_an_interrupt_finds_the_place_of_its_task(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	unsigned int i, refused = 0, bad = 0;
	struct again *again;

	wpk_need_cpus(test, 2);
	again = wpk_alloc(test, sizeof(*again));
	again->pool = wpk_pool_with(test, 1, 0, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	again->task = &jobs->job[0].task;
	wpk_jobs_body(jobs, run_until_told, again);
	wpk_jobs_submit(test, again->pool, jobs, 0, 1);
	wpk_move_to(wpk_cpu(0));
	for (i = 1; i <= NR_ENDS && !bad; i++) {
		if (!wpk_run_until(atomic_read(&again->started) == i))
			break;
		WRITE_ONCE(again->over, i);
		ndelay(i * 100 % MAX_DELAY_NS);
		smp_call_function_single(wpk_cpu(1), submit_again, again, true);
		if (again->ret == -EAGAIN) {
			refused++;
			/* wait for the place, so that the case continues */
			again->ret = wpool_submit(again->pool, again->task);
		}
		if (again->ret)
			bad++;
	}
	KUNIT_EXPECT_EQ(test, i, NR_ENDS + 1);
	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_EQ(test, bad, 0);
	WRITE_ONCE(again->over, INT_MAX);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(again->task), 0);
	wpk_no_errors(test, jobs);
	wpk_move_to(-1);
}

/* ---- what a flush waits for ----------------------------------------------- */

#define NR_BATCHES	WPK_ROUNDS(1000)
#define BATCH		32

static int submit_batches(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	unsigned int i, n;
	int ret;

	wpk_move_to(wpk_cpu(1));
	for (n = 0; n < NR_BATCHES && !wpk_stopped(thread->test); n++) {
		ret = wpk_do_submit_batch(thread);
		if (ret < 0 && ret != -EALREADY)
			return ret;
		/* wait for the last task first: the others end before it, or soon after */
		for (i = BATCH; i-- > 0;) {
			ret = wpool_task_wait(jobs->tasks[i]);
			if (ret && ret != -ECANCELED)
				return ret;
		}
	}
	return 0;
}

/*
 * A flush waits for a task that the caller has cancelled out of a batch, and submitted again
 * itself. The submitter of the batch is still busy with the other tasks then.
 */
static void wpool_flush_waits_for_who_was_taken_out_of_a_batch(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, BATCH, NULL);
	struct wpool_task *first = &jobs->job[0].task;
	unsigned int nr = 0, early = 0;
	struct wpk_thread *thread;
	struct wpool *pool;
	int before, ret;

	wpk_need_cpus(test, 2);
	pool = wpk_pool_with(test, 2, WPOOL_UNLIMITED, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	thread = wpk_thread(test, submit_batches, pool, NULL, jobs);
	wpk_move_to(wpk_cpu(0));
	while (!wpk_ended(thread) && !early) {
		before = atomic_read(&jobs->job[0].runs);
		if (!wpool_task_cancel(first)) {
			cond_resched();
			continue;
		}
		/* try until the submitter of the batch is done with the task */
		while (((ret = wpool_try_submit(pool, first)) == -EALREADY ||
			ret == -ECANCELED) && !wpk_ended(thread))
			cond_resched();
		if (ret)
			continue;
		KUNIT_ASSERT_EQ(test, wpool_flush(pool), 0);
		nr++;
		early += atomic_read(&jobs->job[0].runs) == before;
	}
	wpk_stop(test);
	KUNIT_EXPECT_EQ_MSG(test, early, 0, "after %u", nr);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_move_to(-1);
}

/* ---- figures -------------------------------------------------------------- */

static int submit_and_cancel_each(struct wpk_thread *thread)
{
	while (!wpk_stopped(thread->test))
		if (wpool_try_submit(thread->pool, thread->work) ||
		    wpool_task_cancel_sync(thread->work) != -ECANCELED)
			return -EBADE;
	return 0;
}

#define NR_LOOKS WPK_ROUNDS(5000)

/* The sum of the figures of several CPUs never counts a cancelled task as completed. */
static void wpool_get_stats_cancelled_tasks_never_count_as_completed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 10);
	struct wpk_jobs *jobs = wpk_held(test, pool, 3, 1);
	const struct wpool_stats *stats;
	struct wpk_thread *threads[2];
	unsigned int i, bad = 0;

	for (i = 0; i < 2; i++)
		threads[i] = wpk_thread(test, submit_and_cancel_each, pool,
					&jobs->job[i + 1].task, NULL);
	for (i = 0; i < NR_LOOKS; i++) {
		stats = wpk_snapshot(pool);
		bad += stats->completed || stats->failed;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
	/* the loop may end before the first cancel */
	WPK_EVENTUALLY(test, wpk_stat(pool, cancelled) >= 1);
	wpk_stop(test);
	wpk_join_all(test, threads, 2);
}

/*
 * A tune accepts the tasks of two waiting submitters, one after the other.
 * @first: the submitter whose task has been accepted
 * @second: the task of the other submitter, which is about to be accepted
 * @submitted: the figure that @first read when it was back from its submit
 * @back: @first is back
 * @in_time: @first was back before @second was accepted
 */
struct line {
	struct wpool *pool;
	struct task_struct *first;
	struct wpool_task *second;
	u64 submitted;
	bool back;
	bool in_time;
};

/* Called at the tracepoint wpool_task_submitted: wake the first submitter before the pool does. */
static void wake_the_first(void *data, const char *pool, int cpu, const void *task, void *func)
{
	struct line *line = data;
	u64 end;

	if (task != READ_ONCE(line->second))
		return;
	wake_up_process(line->first);
	/* interrupts are off: this is far less than the time limit of a lockup detector */
	end = ktime_get_mono_fast_ns() + 2 * NSEC_PER_SEC;
	/* pairs with the release in submit_and_look() */
	while (!smp_load_acquire(&line->back) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
	line->in_time = line->back;
}

static int submit_and_look(struct wpk_thread *thread)
{
	struct line *line = thread->arg;
	struct wpool_cpu_stats stats;
	int cpu, ret;

	wpk_move_to(wpk_cpu(1));
	ret = wpool_submit(thread->pool, thread->work);
	/* read without a lock: the thread in wake_the_first() holds locks of the pool */
	for_each_possible_cpu(cpu) {
		wpool_get_cpu_stats(thread->pool, cpu, &stats);
		line->submitted += stats.submitted;
	}
	/* pairs with the acquire in wake_the_first() */
	smp_store_release(&line->back, true);
	return ret;
}

/* When a waiting submitter returns, its task counts as submitted, so a flush waits for it. */
static void wpool_submit_back_from_the_line_its_task_is_counted_in(struct kunit *test)
{
	struct line *line = wpk_alloc(test, sizeof(*line));
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs;
	struct wpk_thread *threads[2];

	wpk_need_cpus(test, 2);
	jobs = wpk_held(test, pool, 3, 1);
	threads[0] = wpk_thread(test, submit_and_look, pool, &jobs->job[1].task, line);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
	threads[1] = wpk_nth_waiter(test, pool, &jobs->job[2], 2);
	KUNIT_ASSERT_TRUE(test, wpk_sleeps(threads[0]));

	line->first = threads[0]->task;
	line->second = &jobs->job[2].task;
	wpk_probe(test, "wpool_task_submitted", wake_the_first, line);
	wpk_move_to(wpk_cpu(0));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, 2), 0);
	wpk_move_to(-1);
	/* both tasks are accepted: the probe must not wake a thread that may have ended */
	WRITE_ONCE(line->second, NULL);
	wpk_join_all(test, threads, 2);
	wpk_need(test, line->in_time, "the other CPU was not there");
	KUNIT_EXPECT_GE(test, line->submitted, 2);
}

WPK_SUITE(moment,
	  KUNIT_CASE_SLOW(wpool_try_submit_pending_task_takes_nobodys_place),
	  KUNIT_CASE_SLOW(wpool_try_submit_in_an_interrupt_finds_the_place_of_its_task),
	  KUNIT_CASE_SLOW(wpool_flush_waits_for_who_was_taken_out_of_a_batch),
	  KUNIT_CASE_SLOW(wpool_get_stats_cancelled_tasks_never_count_as_completed),
	  KUNIT_CASE(wpool_submit_back_from_the_line_its_task_is_counted_in));
