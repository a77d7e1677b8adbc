// SPDX-License-Identifier: GPL-2.0
/*
 * A tune that serves many waiters, a deadlock of many workers, a release that cancels before a
 * reboot, and the dependencies that lockdep learns. Tracepoints show the moments between two steps.
 */
#include <linux/debug_locks.h>
#include <linux/irq_work.h>

#include "one_cpu.h"
#include "probe.h"

/* ---- sections with interrupts off ----------------------------------------- */

#define NR_LINES	8
#define LINE		16

/* Counts accepted tasks; @at_interrupt is the count when the first interrupt came. */
struct section {
	char pool[WPOOL_NAME_LEN];
	struct irq_work work;
	atomic_t accepted;
	int at_interrupt;
};

static void note_interrupt(struct irq_work *work)
{
	struct section *section = container_of(work, struct section, work);

	section->at_interrupt = atomic_read(&section->accepted);
}

static void note_accepted(void *data, const char *pool, int cpu, const void *task, void *func)
{
	struct section *section = data;

	/* at first @section->pool is empty, and no pool has that name */
	if (!strcmp(pool, section->pool) && atomic_inc_return(&section->accepted) == 1)
		irq_work_queue(&section->work);
}

/*
 * A tune to a larger limit lets all waiting submitters in, some at a time, and the CPU serves its
 * interrupts in between.
 */
static void wpool_tune_up_serves_many_waiters_with_interrupts_in_between(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);
	struct wpk_thread *threads[NR_LINES];
	struct wpk_jobs *jobs[NR_LINES];
	struct section *section = wpk_alloc(test, sizeof(*section));
	int i;

	section->work = IRQ_WORK_INIT_HARD(note_interrupt);
	wpk_probe(test, "wpool_task_submitted", note_accepted, section);
	for (i = 0; i < NR_LINES; i++) {
		jobs[i] = wpk_jobs(test, LINE, NULL);
		threads[i] = wpk_thread(test, wpk_do_submit_batch, pool, NULL, jobs[i]);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == i + 1);
	}

	strscpy(section->pool, wpk_name_of(pool), sizeof(section->pool));
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, NR_LINES * LINE), 0);
	/* All submitters that fit continue, not only those that the first section serves. */
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), NR_LINES * LINE + 1);
	irq_work_sync(&section->work);
	KUNIT_EXPECT_EQ(test, atomic_read(&section->accepted), NR_LINES * LINE);
	KUNIT_EXPECT_GT(test, section->at_interrupt, 0);
	KUNIT_EXPECT_LE(test, section->at_interrupt, LINE);
	for (i = 0; i < NR_LINES; i++)
		KUNIT_EXPECT_EQ(test, wpk_join(test, threads[i]), LINE);
	wpk_gate_open(first->gate);
	wpk_destroy(test, pool);
	for (i = 0; i < NR_LINES; i++)
		wpk_jobs_ran_once(test, jobs[i]);
}

#define NR_SWINGS WPK_ROUNDS(40)

/*
 * Finishers, new submitters and changes of the limit serve waiting submitters at the same time,
 * also when the limit is removed and set again: no submitter is forgotten, and no place is lost or
 * gained.
 */
static void wpool_tune_up_and_down_under_load_leaves_nobody_waiting(struct kunit *test)
{
	static const u32 depths[] = { 3 * LINE, 0, WPOOL_UNLIMITED, 0 };
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_thread *threads[NR_LINES];
	struct wpk_jobs *jobs[NR_LINES];
	int i, round;

	for (round = 0; round < NR_SWINGS; round++) {
		for (i = 0; i < NR_LINES; i++) {
			jobs[i] = wpk_jobs(test, LINE, NULL);
			threads[i] = wpk_thread(test, wpk_do_submit_batch, pool, NULL, jobs[i]);
		}
		for (i = 0; i < ARRAY_SIZE(depths); i++)
			KUNIT_EXPECT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, depths[i]),
					0);
		for (i = 0; i < NR_LINES; i++)
			KUNIT_ASSERT_EQ(test, wpk_join(test, threads[i]), LINE);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 0);
		KUNIT_ASSERT_EQ(test, wpk_stat(pool, free), 2);
		for (i = 0; i < NR_LINES; i++)
			wpk_jobs_ran_once(test, jobs[i]);
	}
}

/* ---- a release that cancels, and a reboot --------------------------------- */

#define NR_DROPPED	8

/*
 * A release that cancels drops no task that is accepted after the next reboot, even if the thread
 * that drops tasks is late.
 */
static void wpool_release_cancel_leaves_alone_what_a_reboot_lets_in(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, NR_DROPPED);
	struct wpk_jobs *old = wpk_jobs(test, NR_DROPPED, NULL);
	struct wpk_jobs *new = wpk_jobs(test, NR_DROPPED, NULL);
	unsigned int i, round, bad = 0;
	int ret;

	for (round = 0; round < WPK_ROUNDS(400) && wpk_has_time(test); round++) {
		wpk_jobs_submit(test, pool, old, 0, NR_DROPPED);
		KUNIT_ASSERT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
		KUNIT_ASSERT_EQ(test, wpool_reboot(pool), 0);
		wpk_jobs_submit(test, pool, new, 0, NR_DROPPED);
		for (i = 0; i < NR_DROPPED; i++) {
			ret = wpool_task_wait(&old->job[i].task);
			bad += ret && ret != -ECANCELED;
			bad += !!wpool_task_wait(&new->job[i].task);
		}
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
}

/* ---- the locks that a thread takes ---------------------------------------- */

struct taken {
	struct task_struct *thread;
	const char *name;	/* of the locks that @thread takes, and @nr counts */
	long timeout;
	int nr;
};

#ifdef CONFIG_LOCKDEP
static void note_lock(void *data, struct lockdep_map *lock, unsigned int subclass,
		      int trylock, int read, int check, struct lockdep_map *nest, unsigned long ip)
{
	struct taken *taken = data;

	if (READ_ONCE(taken->thread) == current && lock->name && !strcmp(lock->name, taken->name))
		taken->nr++;
}
#endif

/* Count the locks called @name that taken->thread takes. False without lockdep. */
static bool count_locks(struct kunit *test, struct taken *taken, const char *name)
{
#ifdef CONFIG_LOCKDEP
	taken->name = name;
	if (debug_locks)
		wpk_probe(test, "lock_acquire", note_lock, taken);
	return debug_locks;
#else
	return false;
#endif
}

#define NR_CIRCLE	130

static void wait_for_the_next(struct wpk_job *job)
{
	struct wpk_job *jobs = job->jobs->job;
	struct taken *taken = job->arg;

	if (job == jobs)
		WRITE_ONCE(taken->thread, current);
	job->ret = wpool_task_wait(&jobs[(job - jobs + 1) % NR_CIRCLE].task);
	if (job == jobs)
		WRITE_ONCE(taken->thread, NULL);
}

/*
 * Each worker waits for the next one, in a circle, and the last to wait finds the deadlock. It
 * checks some workers at a time, and the CPU serves its interrupts in between.
 */
static void wpool_task_wait_deadlock_of_many_is_found_with_interrupts_in_between(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, NR_CIRCLE, 0);
	struct taken *taken = wpk_alloc(test, sizeof(*taken));
	struct wpk_jobs *jobs = wpk_jobs_of(test, NR_CIRCLE, wait_for_the_next, taken);
	struct wpk_gate *gates[2] = { wpk_gate(test), wpk_gate(test) };
	int i, told = 0;
	bool counts;

	counts = count_locks(test, taken, "&pool->workers.lock");
	for (i = 0; i < NR_CIRCLE; i++)
		jobs->job[i].gate = gates[!i];
	wpk_jobs_submit(test, pool, jobs, 0, NR_CIRCLE);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gates[0], NR_CIRCLE - 1));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gates[1], 1));
	wpk_gate_open(gates[0]);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(pool->workers.nr_awaiting) == NR_CIRCLE - 1);
	wpk_gate_open(gates[1]);
	for (i = 0; i < NR_CIRCLE; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		told += jobs->job[i].ret == -EDEADLK;
	}
	KUNIT_EXPECT_EQ(test, told, 1);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, -EDEADLK);
	if (counts)
		KUNIT_EXPECT_EQ(test, taken->nr, 1 + NR_CIRCLE / 64);
}

/* ---- dependencies that lockdep is told about ------------------------------ */

static int submit_watched(struct wpk_thread *thread)
{
	struct taken *taken = thread->arg;
	int ret;

	WRITE_ONCE(taken->thread, current);
	ret = wpool_submit_timeout(thread->pool, thread->work, taken->timeout);
	WRITE_ONCE(taken->thread, NULL);
	return ret;
}

/*
 * A submitter that sleeps for room depends on a task of the pool, and lockdep is told so, unless
 * the wait has a timeout.
 */
static void wpool_submit_that_waits_in_line_is_a_wait_for_lockdep(struct kunit *test)
{
	static const long timeouts[] = { MAX_SCHEDULE_TIMEOUT, 2 * WPK_PATIENCE };
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_thread *thread;
	struct taken *taken;
	struct wpk_jobs *jobs;
	int i;

	taken = wpk_alloc(test, sizeof(*taken));
	wpk_need(test, count_locks(test, taken, "wpool"), "no lockdep");
	for (i = 0; i < 2; i++) {
		jobs = wpk_held(test, pool, 2, 1);
		taken->timeout = timeouts[i];
		taken->nr = 0;
		thread = wpk_thread(test, submit_watched, pool, &jobs->job[1].task, taken);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, waiting) == 1);
		KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, jobs->gate, thread), 0);
		KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
		KUNIT_EXPECT_EQ(test, taken->nr, !i);
	}
}

/*
 * For lockdep, a wait for a finished task is like any other wait. So lockdep reports a cycle even
 * if the task happens to be finished each time.
 */
static void waits_for_what_is_done_are_waits_for_lockdep(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	struct taken *taken;

	taken = wpk_alloc(test, sizeof(*taken));
	wpk_need(test, count_locks(test, taken, "wpool"), "no lockdep");
	/* in the pool's first tick a finished task looks like a task that was never submitted */
	schedule_timeout_uninterruptible(2);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_EQ(test, wpool_task_wait(task), 0);
	WRITE_ONCE(taken->thread, current);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, taken->nr, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(task), 0);
	KUNIT_EXPECT_EQ(test, taken->nr, 2);
	WRITE_ONCE(taken->thread, NULL);
	/* no wait is reported for a pool that is gone, nor for a new pool at its address */
	wpk_destroy(test, pool);
	wpk_pool(test, 1, 0);
	WRITE_ONCE(taken->thread, current);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, taken->nr, 2);
	WRITE_ONCE(taken->thread, NULL);
}

WPK_SUITE(bounds,
	  KUNIT_CASE(wpool_tune_up_serves_many_waiters_with_interrupts_in_between),
	  KUNIT_CASE(wpool_task_wait_deadlock_of_many_is_found_with_interrupts_in_between),
	  KUNIT_CASE_SLOW(wpool_tune_up_and_down_under_load_leaves_nobody_waiting),
	  KUNIT_CASE(wpool_release_cancel_leaves_alone_what_a_reboot_lets_in),
	  KUNIT_CASE(wpool_submit_that_waits_in_line_is_a_wait_for_lockdep),
	  KUNIT_CASE(waits_for_what_is_done_are_waits_for_lockdep));
