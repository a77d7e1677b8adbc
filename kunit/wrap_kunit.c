// SPDX-License-Identifier: GPL-2.0
/*
 * The 32-bit counters of a pool wrap while the pool works. Those of its rings, lists and looks for
 * work wrap after 2^32 tasks or looks, that of a group after 2^32 cancels. runq_kunit.c tests the
 * ring alone.
 */
#include "core/runqs.h"
#include "full_pool.h"
#include "group.h"
#include "inject.h"
#include "one_cpu.h"

#define NR_JOBS		2000U
/* The number of looks or tasks before the wrap. */
#define BEFORE		60U

/* Start values of the counters, just before a wrap to 0 and before a change of sign. */
static const u32 starts[] = { U32_MAX - BEFORE, S32_MAX - BEFORE };

WPK_PARAM(start, starts, "counters from %u");

/* Let an unused pool assume that its tasks are short, so that they go to the ring. */
static void expect_short_tasks(struct wpool *pool)
{
	struct wpool_runq *rq;
	int cpu;

	wpool_for_each_runq(pool, rq, cpu)
		rq->estimate.task_ns = 1;
}

static u32 most_looks(struct wpool *pool, u32 start)
{
	struct wpool_runq *rq;
	u32 most = 0;
	int cpu;

	wpool_for_each_runq(pool, rq, cpu)
		most = max(most, READ_ONCE(rq->tick) - start);
	return most;
}

static struct wpool *pool_from(struct kunit *test, u32 capacity, u32 start)
{
	struct wpool *pool;

	WRITE_ONCE(wpool_inject_start, start);
	pool = wpk_pool(test, capacity, WPOOL_UNLIMITED);
	WRITE_ONCE(wpool_inject_start, 0);
	expect_short_tasks(pool);
	return pool;
}

/* Submit more than a ring holds: singly and in batches, urgent or not, here and on another CPU. */
static void submit_in_all_ways(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	struct wpool_task *task;
	u32 i;
	int err;

	for (i = 0; i < jobs->nr; i++) {
		task = &jobs->job[i].task;
		if (i % 16 == 3)
			wpool_task_set_urgent(task, true);
		if (i % 8 == 5)
			err = wpool_submit_on(pool, wpk_cpu(wpk_cpu(1) < 0 ? 0 : 1), task);
		else if (i % 8 == 6)
			err = wpool_submit_batch(pool, &task, 1, 0) == 1 ? 0 : -EIO;
		else
			err = wpool_submit(pool, task);
		KUNIT_ASSERT_EQ(test, err, 0);
	}
}

/*
 * Each task runs once if the counters wrap while four workers take tasks, and if they wrap while
 * the tasks are queued in a ring, or in the backlog behind it.
 */
static void wpool_counters_wrap_each_task_runs_once(struct kunit *test)
{
	u32 start = *(const u32 *)test->param_value;
	struct wpk_jobs *jobs, *busy = NULL;
	struct wpool *pool;
	int is_held;

	for (is_held = 0; is_held < 2; is_held++) {
		pool = pool_from(test, is_held ? 1 : 4, start);
		if (is_held)
			busy = wpk_held(test, pool, 1, 1);
		jobs = wpk_jobs(test, NR_JOBS, NULL);
		submit_in_all_ways(test, pool, jobs);
		if (is_held) {
			KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), NR_JOBS);
			wpk_gate_open(busy->gate);
		}
		KUNIT_EXPECT_TRUE_MSG(test, wpk_jobs_finished(jobs, NR_JOBS), "held: %d", is_held);
		wpk_jobs_ran_once(test, jobs);
		KUNIT_EXPECT_LT_MSG(test, BEFORE, most_looks(pool, start), "held: %d", is_held);
	}
}

/*
 * Overdue tasks end while the counters wrap. These tell the monitor whether the first task of a
 * queue is still the same.
 */
static void wpool_counters_wrap_overdue_tasks_end(struct kunit *test)
{
	u32 start = *(const u32 *)test->param_value;
	struct wpool *pool = pool_from(test, 1, start);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_JOBS, NULL);

	/* the task at the gate must not be overdue, however slow the machine is */
	KUNIT_ASSERT_EQ(test, wpk_tune(pool, MAX_WAIT_MS, max_wait_ms, 20), 0);
	submit_in_all_ways(test, pool, jobs);
	WPK_EVENTUALLY(test, wpk_stat(pool, overdue) == NR_JOBS);
	wpk_jobs_let(test, busy, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* ---- while a task keeps the CPU ------------------------------------------- */

/* Fewer tasks than a ring holds, and more than BEFORE. */
#define NR_LOAD		100
/* The index of a task that is queued after the wrap. */
#define VICTIM		80

/* The tasks that a task queues behind itself, and the figures of the CPU afterwards. */
struct load {
	struct wpool *pool;
	struct wpk_jobs *jobs;
	u32 head;
	u32 globq_popped;
	u32 in_ring;
	u32 in_backlog;
	bool is_pressed;
};

/* Run @body in the only worker of a new pool. @body queues NR_LOAD tasks, and must not sleep. */
static struct load *load_from(struct kunit *test, void (*body)(struct wpk_job *job))
{
	struct load *load = wpk_alloc(test, sizeof(*load));
	struct wpk_jobs *loader = wpk_jobs_of(test, 1, body, load);

	WRITE_ONCE(wpool_inject_start, *(const u32 *)test->param_value);
	load->pool = wpk_one_cpu_pool(test, 1, 1, true);
	WRITE_ONCE(wpool_inject_start, 0);
	expect_short_tasks(load->pool);
	load->jobs = wpk_jobs(test, NR_LOAD, NULL);
	wpk_jobs_run(test, load->pool, loader, 1);
	KUNIT_EXPECT_EQ_MSG(test, loader->job[0].ret, NR_LOAD, "in %ps", body);
	wpk_move_to(-1);
	return load;
}

static struct wpool_runq *runq_of(struct load *load)
{
	return wpool_runq(load->pool, wpk_cpu(0));
}

static void fill_ring(struct wpk_job *job)
{
	struct load *load = job->arg;
	struct wpool_runq *rq = runq_of(load);

	load->head = wpool_ring_head(&rq->ring);
	load->globq_popped = load->pool->globq.popped;
	/* at the second submit the tail has wrapped, and the head has not */
	job->ret = wpool_submit_batch(load->pool, load->jobs->tasks, VICTIM, 0);
	job->ret += wpool_submit_batch(load->pool, load->jobs->tasks + VICTIM, NR_LOAD - VICTIM, 0);
	load->in_ring = wpool_ring_len(&rq->ring);
}

static void wpool_counters_wrap_a_ring_keeps_its_order(struct kunit *test)
{
	struct load *load = load_from(test, fill_ring);
	struct wpool_runq *rq = runq_of(load);
	unsigned int i, bad = 0;

	KUNIT_EXPECT_EQ(test, load->in_ring, NR_LOAD);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->jobs, NR_LOAD));
	for (i = 0; i < NR_LOAD; i++)
		bad += load->jobs->job[i].seq != i + 1;
	KUNIT_EXPECT_EQ(test, bad, 0);
	/* each task was taken from the ring, and none from the global queue */
	KUNIT_EXPECT_EQ(test, wpool_ring_head(&rq->ring), load->head + NR_LOAD);
	KUNIT_EXPECT_EQ(test, load->pool->globq.popped, load->globq_popped);
}

static void cancel_one_of_ring(struct wpk_job *job)
{
	struct load *load = job->arg;

	fill_ring(job);
	wpool_task_cancel(load->jobs->tasks[VICTIM]);
	load->in_ring = wpool_ring_len(&runq_of(load)->ring);
	load->in_backlog = wpool_fifo_len(&runq_of(load)->backlog);
}

static void wpool_counters_wrap_a_cancel_finds_the_task(struct kunit *test)
{
	struct load *load = load_from(test, cancel_one_of_ring);
	struct wpk_job *job = load->jobs->job;
	unsigned int i, bad = 0;

	/* the cancel has moved all other tasks to the backlog, in their order */
	KUNIT_EXPECT_EQ(test, load->in_ring, 0);
	KUNIT_EXPECT_EQ(test, load->in_backlog, NR_LOAD - 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->jobs, NR_LOAD - 1));
	for (i = 0; i < NR_LOAD; i++) {
		bad += atomic_read(&job[i].runs) != (i != VICTIM);
		bad += i != VICTIM && job[i].seq != (int)i + (i < VICTIM);
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
}

static void await_pressure(struct wpk_job *job)
{
	struct load *load = job->arg;

	fill_ring(job);
	load->is_pressed = wpk_run_until(READ_ONCE(load->pool->pressure.is_on));
	load->in_ring = wpool_ring_len(&runq_of(load)->ring);
}

static void await_pressure_of_urgent(struct wpk_job *job)
{
	struct load *load = job->arg;
	unsigned int i;

	for (i = 0; i < NR_LOAD; i++)
		wpool_task_set_urgent(load->jobs->tasks[i], true);
	await_pressure(job);
}

/*
 * Pressure is seen while the counters of a ring, or of the list of urgent tasks, wrap: the monitor
 * reads when the task at the head was queued.
 */
static void wpool_counters_wrap_pressure_is_seen(struct kunit *test)
{
	struct load *load;
	int is_urgent;

	for (is_urgent = 0; is_urgent < 2; is_urgent++) {
		load = load_from(test, is_urgent ? await_pressure_of_urgent : await_pressure);
		KUNIT_EXPECT_TRUE_MSG(test, load->is_pressed, "urgent: %d", is_urgent);
		/* a ring still has all tasks: they leave it when their worker counts as a hog */
		KUNIT_EXPECT_EQ(test, load->in_ring, is_urgent ? 0 : NR_LOAD);
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->jobs, NR_LOAD));
	}
}

/* ---- waits ---------------------------------------------------------------- */

static void wait_again_and_again(struct wpk_job *job)
{
	int i;

	for (i = 0; i < 2 * BEFORE; i++)
		job->ret += wpool_task_wait(job->arg) == -EDEADLK;
}

/*
 * The only worker waits again and again for a task whose submitter waits for room. Each wait counts
 * when it begins, and when it ends.
 */
static void wpool_counters_wrap_each_deadlock_is_edeadlk(struct kunit *test)
{
	u32 start = *(const u32 *)test->param_value;
	struct wpk_jobs *late = wpk_jobs(test, 1, NULL), *waiter = wpk_gated(test, 1);
	struct wpool *pool = pool_from(test, 1, start);
	struct wpk_thread *submitter;

	KUNIT_ASSERT_EQ(test, wpk_tune(pool, QUEUE_DEPTH, queue_depth, 0), 0);
	wpk_jobs_body(waiter, wait_again_and_again, &late->job[0].task);
	wpk_jobs_hold(test, pool, waiter, 0, 1);
	submitter = wpk_nth_waiter(test, pool, &late->job[0], 1);
	wpk_jobs_let(test, waiter, 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	KUNIT_EXPECT_EQ(test, waiter->job[0].ret, 2 * BEFORE);
	KUNIT_EXPECT_EQ(test, pool->workers.nr_waits, start + 2 * BEFORE);
	KUNIT_EXPECT_EQ(test, pool->workers.nr_lifted, start + 2 * BEFORE);
}

/* ---- groups --------------------------------------------------------------- */

/*
 * A cancel of a group, just before its counter wraps, ends the tasks submitted before the cancel,
 * and none submitted after it. At the cancel one task runs, one is queued, one waits for room. A
 * fourth comes after the wrap.
 */
static void wpool_counters_wrap_a_group_cancel_sends_away_what_was_before(struct kunit *test)
{
	struct wpool_group *group = wpk_group(test, wpk_pool(test, 1, 10), 2);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_member *members = wpk_members(test, group, NULL, 4);
	struct wpk_thread *submitter;

	group->epoch = U32_MAX;
	members[0].gate = gate;
	wpk_members_submit(test, members, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_members_submit(test, &members[1], 1);
	submitter = wpk_sleeper(test, wpk_do_group_submit, NULL, NULL, &members[2]);
	wpool_group_cancel(group);
	KUNIT_EXPECT_EQ(test, group->epoch, 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wpool_group_task_is_cancelled(&members[0].task));
	wpk_gate_open(gate);
	wpk_members_submit(test, &members[3], 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[2].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[3].runs), 1);
}

WPK_SUITE(wrap,
	  KUNIT_CASE_PARAM(wpool_counters_wrap_each_task_runs_once, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_counters_wrap_overdue_tasks_end, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_counters_wrap_a_ring_keeps_its_order, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_counters_wrap_a_cancel_finds_the_task, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_counters_wrap_pressure_is_seen, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_counters_wrap_each_deadlock_is_edeadlk, start_gen_params),
	  KUNIT_CASE(wpool_counters_wrap_a_group_cancel_sends_away_what_was_before));
