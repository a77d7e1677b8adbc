// SPDX-License-Identifier: GPL-2.0
/* The threads that create and reap the workers of all pools: no pool delays another pool. */
#include <linux/string.h>
#include <linux/task_work.h>

#include "knob.h"
#include "probe.h"

/* ---- a thread that ends slowly ----------------------------------------------- */

/*
 * Keeps a thread in do_exit(), at @gate.
 * @told: the pool has been told that the thread ends
 * @gone: the thread has passed the gate for good
 */
struct late {
	struct callback_head work;
	struct wpk_gate *gate;
	bool told;
	bool gone;
};

static void stay(struct callback_head *work)
{
	struct late *late = container_of(work, struct late, work);

	/* task works run in rounds: wait for the second, since the pool's work is in the first */
	if (!late->told) {
		late->told = true;
		if (!task_work_add(current, work, TWA_NONE))
			return;
	}
	wpk_gate_pass(late->gate);
	WRITE_ONCE(late->gone, true);
}

static void be_late(struct wpk_job *job)
{
	struct late *late = job->arg;

	init_task_work(&late->work, stay);
	job->ret = task_work_add(current, &late->work, TWA_NONE);
}

/* The pool has no worker: the job runs only if the spawner makes one. */
static void expect_a_worker(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1));
}

/* Only wpool_destroy() of the thread's own pool waits for a thread that is ending. */
static void wpool_submit_waits_for_no_thread_of_another_pool_that_ends(struct kunit *test)
{
	struct late *late = wpk_alloc(test, sizeof(*late));
	struct wpool *pools[] = {
		wpk_pool(test, 1, 0),
		wpk_pool(test, 1, 0),
		wpk_pool(test, 1, 0),
	};
	struct wpk_jobs *jobs[] = {
		wpk_jobs(test, 1, NULL),
		wpk_jobs(test, 1, NULL),
		wpk_jobs(test, 1, NULL),
	};
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *thread;

	late->gate = gate;
	wpk_jobs_body(jobs[0], be_late, late);
	wpk_jobs_run(test, pools[0], jobs[0], 1);
	KUNIT_ASSERT_EQ(test, jobs[0]->job[0].ret, 0);
	wpk_forget(test, pools[0]);
	thread = wpk_thread(test, wpk_do_destroy, pools[0], NULL, NULL);

	/* no assertions any more: the gate must exist while a thread waits in it */
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	/* use two pools: one may get its worker before the end of the thread is handled */
	expect_a_worker(test, pools[1], jobs[1]);
	expect_a_worker(test, pools[2], jobs[2]);
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(late->gone));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
	WPK_EVENTUALLY(test, READ_ONCE(late->gone));
}

/* ---- a system that has all the threads it may have ------------------------- */

struct wakes {
	const char *name;
	atomic_t nr;
};

/* Called at the tracepoint wpool_worker_woken. */
static void count_wake(void *data, const char *pool, int cpu, pid_t worker, unsigned long since)
{
	struct wakes *wakes = data;

	if (!strcmp(pool, wakes->name))
		atomic_inc(&wakes->nr);
}

/*
 * At the system's limit of threads, no idle worker of another pool is woken to make room, unlike at
 * max_workers.
 */
static void wpool_submit_no_threads_left_idle_workers_of_others_sleep(struct kunit *test)
{
	struct wakes *wakes = wpk_alloc(test, sizeof(*wakes));
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0), *other = wpk_pool(test, 1, 0);

	wakes->name = wpk_name_of(other);
	wpk_jobs_run(test, other, jobs, 1);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(other, idle) == 1);
	wpk_probe(test, "wpool_worker_woken", count_wake, wakes);

	wpk_no_threads(test);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	/* when four failures are counted, at least three attempts to make a worker have ended */
	WPK_EVENTUALLY(test, wpk_stat(pool, spawn_failed) > 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wakes->nr), 0);
	wpk_threads_again(test);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
}

/* ---- workers that are made together ------------------------------------------ */

#define NR_POOLS 4
/* Of WPK_PATIENCE: less than the time limit of a lockup detector. */
#define HOLD_PART	3

/* @made: how many workers were made; @late: the second worker did not come in time */
struct makers {
	const char *names[NR_POOLS];
	atomic_t made;
	bool late;
};

/*
 * Called at the tracepoint wpool_worker_spawned: hold the spawner of the first worker until another
 * pool has got its worker.
 */
static void hold_the_first(void *data, const char *pool, int cpu, pid_t worker, u64 start_ns)
{
	struct makers *makers = data;
	int i;

	for (i = 0; i < NR_POOLS; i++)
		if (!strcmp(pool, makers->names[i]))
			break;
	if (i == NR_POOLS || atomic_inc_return(&makers->made) > 1)
		return;
	makers->late = !wpk_spin(HOLD_PART, atomic_read(&makers->made) > 1);
}

static void wpool_submit_waits_for_no_worker_of_another_pool(struct kunit *test)
{
	struct makers *makers = wpk_alloc(test, sizeof(*makers));
	struct wpk_jobs *jobs = wpk_jobs(test, NR_POOLS, NULL);
	struct wpool *pools[NR_POOLS];
	int i;

	wpk_need_cpus(test, 2);
	for (i = 0; i < NR_POOLS; i++) {
		pools[i] = wpk_pool(test, 1, 0);
		makers->names[i] = wpk_name_of(pools[i]);
	}
	wpk_probe(test, "wpool_worker_spawned", hold_the_first, makers);
	for (i = 0; i < NR_POOLS; i++)
		wpk_jobs_submit(test, pools[i], jobs, i, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, NR_POOLS));
	KUNIT_EXPECT_FALSE(test, makers->late);
}

#define NR_ROUNDS 60

/* @sent: when each worker was made; @started: when each task started */
struct pair {
	const char *name;
	struct wpk_gate *gate;
	atomic_t made;
	unsigned long sent[2];
	unsigned long started[2];
};

/* Called at the tracepoint wpool_worker_spawned. */
static void note_sent(void *data, const char *pool, int cpu, pid_t worker, u64 start_ns)
{
	struct pair *pair = data;
	int nr;

	if (strcmp(pool, pair->name))
		return;
	nr = atomic_inc_return(&pair->made);
	if (nr <= 2)
		pair->sent[nr - 1] = jiffies;
}

static void note_start(struct wpk_job *job)
{
	struct pair *pair = job->arg;

	pair->started[job->seq - 1] = jiffies;
	wpk_gate_pass(pair->gate);
}

/*
 * Two tasks get two workers, and no spare one. If a worker takes more than a tick to start, the
 * pool does not rely on it and makes another: such a round does not count.
 */
static void wpool_submit_two_sleepers_have_two_workers(struct kunit *test)
{
	struct pair *pair = wpk_alloc(test, sizeof(*pair));
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int round, valid = 0;
	u64 more = 0;

	pair->name = "";
	wpk_probe(test, "wpool_worker_spawned", note_sent, pair);
	for (round = 0; round < NR_ROUNDS; round++) {
		pool = wpk_pool(test, 8, 0);
		atomic_set(&pair->made, 0);
		pair->name = wpk_name_of(pool);
		pair->gate = wpk_gate(test);
		jobs = wpk_jobs_of(test, 2, note_start, pair);
		wpk_jobs_submit(test, pool, jobs, 0, 2);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(pair->gate, 2));
		wpk_gate_open(pair->gate);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
		/* the pool's own rule, in its own clock */
		if (pair->started[0] - pair->sent[0] <= 1 &&
		    pair->started[1] - pair->sent[1] <= 1) {
			valid++;
			more += wpk_stat(pool, spawned) - 2;
		}
		wpk_destroy(test, pool);
	}
	wpk_need(test, valid >= NR_ROUNDS / 4, "workers start in time in %d rounds only", valid);
	KUNIT_EXPECT_EQ_MSG(test, more, 0, "in %d pools", valid);
}

WPK_SUITE(spawner,
	  KUNIT_CASE(wpool_submit_waits_for_no_worker_of_another_pool),
	  KUNIT_CASE_SLOW(wpool_submit_two_sleepers_have_two_workers),
	  KUNIT_CASE(wpool_submit_waits_for_no_thread_of_another_pool_that_ends),
	  KUNIT_CASE(wpool_submit_no_threads_left_idle_workers_of_others_sleep));
