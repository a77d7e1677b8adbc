// SPDX-License-Identifier: GPL-2.0
/*
 * Fairness: a queued task does not wait much longer than in a single first-in-first-out queue,
 * wherever it is queued. A case counts how many other tasks start during a wait, not the time.
 */
#include <linux/ktime.h>
#include <linux/preempt.h>

#include "core/length.h"
#include "core/runqs.h"
#include "one_cpu.h"

/* ---- a load that never runs dry ------------------------------------------- */

#define MANY_STEPS WPK_ROUNDS(20000)

/* Tasks that submit themselves again and again. The length of a wait is in starts of tasks. */
struct load {
	struct wpool *pool;
	struct wpk_jobs *jobs;
	int *since;		/* for each task, the number of its last start */
	bool over;		/* tasks must not submit themselves any more */
	u64 busy_ns;		/* how long each task computes */
	int from;		/* waits that end with one of the first @from starts do not count */
	unsigned int nr_waits;	/* waits that count */
	unsigned int nr_long;	/* waits longer than @limit */
	int limit;
	int longest;		/* the longest wait */
};

/* Cases that count waits have one worker, so only one task at a time is in this function. */
static void submit_again(struct wpk_job *job)
{
	struct load *load = job->arg;
	unsigned int i = job - job->jobs->job;
	int wait = job->seq - load->since[i];
	u64 start = ktime_get_mono_fast_ns();

	while (load->busy_ns && ktime_get_mono_fast_ns() - start < load->busy_ns)
		cpu_relax();
	if (load->since[i] && job->seq > load->from) {
		load->nr_waits++;
		load->nr_long += wait > load->limit;
		load->longest = max(load->longest, wait);
	}
	load->since[i] = job->seq;
	if (!READ_ONCE(load->over))
		job->ret = wpool_submit(load->pool, &job->task);
}

static struct load *load_create(struct kunit *test, struct wpool *pool, unsigned int nr)
{
	struct load *load = wpk_alloc(test, sizeof(*load));

	load->pool = pool;
	load->limit = INT_MAX;
	load->since = wpk_alloc(test, nr * sizeof(*load->since));
	load->jobs = wpk_jobs(test, nr, NULL);
	wpk_jobs_body(load->jobs, submit_again, load);
	return load;
}

static void load_end(struct kunit *test, struct load *load)
{
	WRITE_ONCE(load->over, true);
	KUNIT_EXPECT_EQ(test, wpool_flush(load->pool), 0);
	wpk_destroy(test, load->pool);
	wpk_no_errors(test, load->jobs);
}

/* ---- the global queue ------------------------------------------------------ */

static const u32 loads[] = { 3, 100, 300, 1000 };

WPK_PARAM(load, loads, "%u queued");

/*
 * 99 of 100 tasks wait about as long as in a single queue, in which each other task starts once
 * while a task waits.
 */
static void wpool_submit_99_of_100_wait_as_in_one_queue(struct kunit *test)
{
	u32 nr = *(const u32 *)test->param_value;
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, nr);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);

	/* some tasks wait longer: within a tick, the ring and the global queue take turns */
	load->limit = nr + max(3 * nr / 10, 160U);
	wpk_jobs_submit(test, pool, load->jobs, 0, nr);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->jobs, MANY_STEPS));
	load_end(test, load);
	KUNIT_EXPECT_GE(test, load->nr_waits, MANY_STEPS / 2);
	KUNIT_EXPECT_LE_MSG(test, load->nr_long, load->nr_waits / 100,
			    "of %u waits, the longest %d", load->nr_waits, load->longest);
}

#define NR_LONG 300
#define LONG_STEPS WPK_ROUNDS(6000)

/*
 * Long tasks wait about as long as in a single queue, although they are in two: the ring and the
 * global queue.
 */
static void wpool_submit_long_tasks_wait_as_in_one_queue(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, NR_LONG);

	load->busy_ns = 50 * NSEC_PER_USEC;
	load->limit = NR_LONG + 160;
	/* tasks that were queued before the pool knew their length do not count */
	load->from = LONG_STEPS / 2;
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_LONG);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(load->jobs, LONG_STEPS));
	load_end(test, load);
	KUNIT_EXPECT_GE(test, load->nr_waits, LONG_STEPS / 3);
	KUNIT_EXPECT_LE_MSG(test, load->nr_long, load->nr_waits / 100,
			    "of %u waits, the longest %d", load->nr_waits, load->longest);
}

#define NR_BUSY 50
#define NR_OLD 600

/* The task itself notes how many tasks of the load have started: the case may be late. */
static void note_others(struct wpk_job *job)
{
	struct load *load = job->arg;

	job->ret = atomic_read(&load->jobs->started);
}

/* Old tasks in the global queue start although younger tasks refill the ring again and again. */
static void wpool_submit_old_tasks_come_before_a_ring_that_never_runs_dry(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, NR_BUSY);
	struct wpk_jobs *old = wpk_jobs_of(test, NR_OLD, note_others, load);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);
	int i, others = 0;

	wpk_need_cpus(test, 2);
	wpk_move_to(wpk_cpu(1));
	wpk_jobs_submit(test, pool, old, 0, NR_OLD);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_BUSY);
	wpk_gate_open(first->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(old, NR_OLD));
	/* twice the bound of one queue: the last old tasks also wait for newer tasks of the load */
	for (i = 0; i < NR_OLD; i++)
		others = max(others, old->job[i].ret);
	KUNIT_EXPECT_LE(test, others, 2 * (NR_OLD + NR_BUSY));
	load_end(test, load);
}

#define NR_LAST 60
#define NR_IN_RING 100

/*
 * The last tasks of the global queue get their turns, too, although few are left and the ring is
 * never empty.
 */
static void wpool_submit_the_last_of_a_queue_wait_as_in_one_queue(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct load *load = load_create(test, pool, NR_IN_RING);
	struct wpk_jobs *last = wpk_jobs_of(test, NR_LAST, note_others, load);
	int i, before, most = 0;

	wpk_need_cpus(test, 2);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_IN_RING);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(load->jobs, 2 * NR_IN_RING));
	wpk_move_to(wpk_cpu(1));
	wpk_submit_together(test, pool, last);
	before = atomic_read(&load->jobs->started);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(last, NR_LAST));
	for (i = 0; i < NR_LAST; i++)
		most = max(most, last->job[i].ret - before);
	KUNIT_EXPECT_LE(test, most, 3 * (NR_LAST + NR_IN_RING) / 2);
	load_end(test, load);
}

/* The tasks of a full ring start in about the order of their submits. */
static void wpool_submit_a_ring_that_is_full_keeps_its_oldest(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 129, NULL);
	unsigned int i, late = 0;

	/* tasks go to the ring if the worker is idle, not if the worker sleeps in its task */
	wpk_gate_open(first->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	/* the first task cannot start before the last one is queued */
	preempt_disable();
	for (i = 0; i < 129; i++)
		jobs->job[i].ret = wpool_try_submit(pool, &jobs->job[i].task);
	preempt_enable();
	wpk_no_errors(test, jobs);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 129));
	/* 64 or more younger tasks must not start before one of the oldest 32 */
	for (i = 0; i < 32; i++)
		late += jobs->job[i].seq > 64 + (int)i;
	KUNIT_EXPECT_EQ(test, late, 0);
	wpk_jobs_ran_once(test, jobs);
}

/* ---- a ring that no worker serves ------------------------------------------ */

/* A pool with one idle worker on each of the first two CPUs, and no others. */
static struct wpool *pair_pool(struct kunit *test)
{
	return wpk_pair(test, wpk_pool_with(test, 2, WPOOL_UNLIMITED,
					    attrs.cpumask = wpk_first_cpus(test, 2),
					    attrs.expiry_ms = 0));
}

#define NR_TARGETS 20

/*
 * Values of rq->shared_end - pool->globq.popped, where @rq is of the CPU of the load. 0: this CPU
 * has put no task into the global queue. S32_MAX: since the last task of this CPU was taken from
 * the global queue, some 2^31 others were, so the counter has wrapped.
 */
WPK_PARAM_BOOL(mark, "it put one there long ago: %d");

static void set_mark(struct wpool *pool, u32 mark)
{
	struct wpool_runq *rq;
	unsigned long flags;

	local_irq_save(flags);
	rq = wpool_runq(pool, smp_processor_id());
	rq->shared_end = pool->globq.popped + mark;
	rq->shared_jiffy = jiffies - 2;
	local_irq_restore(flags);
}

/*
 * A task that is queued on the CPU of a worker that sleeps does not wait until another worker's
 * ring is empty. It waits for at most two starts of each task of the load: among tasks of one tick,
 * the other worker takes those of its own ring first.
 */
static void wpool_submit_behind_a_sleeper_waits_as_in_one_queue(struct kunit *test)
{
	u32 mark = wpk_is_on(test) ? S32_MAX : 0;
	struct wpool *pool = pair_pool(test);
	struct load *load = load_create(test, pool, NR_BUSY);
	struct wpk_jobs *targets = wpk_jobs_of(test, NR_TARGETS, note_others, load);
	struct wpk_jobs *first = wpk_held(test, pool, 1, 1);
	int i, before, cpu, most = 0;

	cpu = first->job[0].cpu;
	wpk_move_to(cpu == wpk_cpu(0) ? wpk_cpu(1) : wpk_cpu(0));
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_BUSY);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(load->jobs, 2 * NR_BUSY));
	/* the load is in the ring, unless its tasks count as long */
	WPK_ASSERT_EVENTUALLY(test, !wpool_fifo_len(&pool->globq) ||
			      wpool_runq_has_long_tasks(wpool_runq(pool, raw_smp_processor_id())));
	set_mark(pool, mark);
	wpk_move_to(cpu);
	for (i = 0; i < NR_TARGETS; i++) {
		wpk_jobs_submit(test, pool, targets, i, 1);
		/* read the count only now: tasks of the load have started during the submit */
		before = atomic_read(&load->jobs->started);
		KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(targets, i + 1));
		most = max(most, targets->job[i].ret - before);
	}
	KUNIT_EXPECT_LE(test, most, 2 * NR_BUSY);
	wpk_gate_open(first->gate);
	load_end(test, load);
}

WPK_PARAM_BOOL(handoff, "handoff %d");

/* If a worker falls asleep after tasks were queued on its CPU, another worker runs the tasks. */
static void wpool_queued_tasks_of_a_worker_that_sleeps_are_taken(struct kunit *test)
{
	bool handoff = wpk_is_on(test);
	struct wpool *pool = pair_pool(test);
	struct load *load = load_create(test, pool, NR_BUSY);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *first, *jobs = wpk_jobs(test, 100, NULL);
	int cpu;

	KUNIT_ASSERT_EQ(test, wpk_tune(pool, HANDOFF, handoff, handoff), 0);
	/* meanwhile the other worker is in a task, and cannot take the queued tasks */
	first = wpk_held(test, pool, 1, 1);
	cpu = first->job[0].cpu == wpk_cpu(0) ? wpk_cpu(1) : wpk_cpu(0);
	wpk_move_to(cpu);
	jobs->job[0].gate = gate;
	wpk_submit_together(test, pool, jobs);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 1);
	wpk_move_to(first->job[0].cpu);
	wpk_jobs_submit(test, pool, load->jobs, 0, NR_BUSY);
	wpk_gate_open(first->gate);
	/* the ring of the busy load never runs dry */
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 99));
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->running), 1);
	wpk_gate_open(gate);
	load_end(test, load);
	wpk_jobs_ran_once(test, jobs);
}

/* ---- help from another CPU ------------------------------------------------- */

#define NR_IN_A_ROW	20

/* Queue two tasks on the first CPU. Returns true if one of them ran on the other CPU. */
static bool two_part(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	int done = atomic_read(&jobs->finished);

	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 2 && !wpk_stat(pool, searching));
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	/* keep this CPU for a while: meanwhile the other CPU's worker can take a task */
	mdelay(1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, done + 2));
	return jobs->job[0].cpu != wpk_cpu(0) || jobs->job[1].cpu != wpk_cpu(0);
}

static void take_long(struct wpk_job *job)
{
	mdelay(1);
}

static void wpool_submit_two_long_tasks_run_side_by_side(struct kunit *test)
{
	struct wpool *pool = pair_pool(test);
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, take_long, NULL);

	wpk_move_to(wpk_cpu(0));
	/* some tries may fail: the other CPU may be busy */
	WPK_IN_A_ROW(test, 3, two_part(test, pool, jobs));
}

static void wpool_submit_two_short_tasks_stay_on_their_cpu(struct kunit *test)
{
	struct wpool *pool = pair_pool(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	if (IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "no task is short here");
	wpk_move_to(wpk_cpu(0));
	/* some tries may fail: the pool must learn the length of the tasks, or a CPU is busy */
	WPK_IN_A_ROW(test, NR_IN_A_ROW, !two_part(test, pool, jobs));
}

/* ---- helping ---------------------------------------------------------------- */

#define NR_CHILDREN	30

struct family {
	struct wpool *pool;
	struct wpk_jobs *children;
	u32 count;		/* the tick of the run queue when the last task started */
	int unseen;		/* tasks for which the tick did not change */
};

/* The monitor takes a worker for a hog if the tick does not change. */
static void note_count(struct wpk_job *job)
{
	struct family *family = job->arg;
	u32 count = READ_ONCE(wpool_runq(family->pool, wpk_cpu(0))->tick);

	family->unseen += count == family->count;
	family->count = count;
}

static void wait_for_children(struct wpk_job *job)
{
	struct family *family = job->arg;
	int i;

	note_count(job);
	for (i = 0; i < NR_CHILDREN; i++)
		job->ret = wpool_submit(family->pool, &family->children->job[i].task) ?:
			   job->ret;
	for (i = 0; i < NR_CHILDREN; i++)
		job->ret = wpool_task_wait(&family->children->job[i].task) ?: job->ret;
}

/* A worker that runs the tasks for which it waits, one after the other, is no hog. */
static void wpool_task_wait_helping_is_no_hogging(struct kunit *test)
{
	struct wpool *pool = wpk_one_cpu_pool(test, 1, 1, true);
	struct family family = { .pool = pool, .children = wpk_jobs(test, NR_CHILDREN, NULL) };
	struct wpk_jobs *parent = wpk_jobs_of(test, 1, wait_for_children, &family);

	wpk_jobs_body(family.children, note_count, &family);
	wpk_jobs_run(test, pool, parent, 1);
	wpk_destroy(test, pool);
	wpk_no_errors(test, parent);
	KUNIT_EXPECT_EQ(test, family.unseen, 0);
}

/* ---- two queues of the same age ---------------------------------------------- */

#define NR_SHARED 40
#define NR_YOUNGER 60

/* Shared by the task that keeps the pool's CPU and the thread that fills the global queue. */
struct tie {
	struct wpool *pool;
	struct wpk_jobs *jobs;		/* first the jobs for the global queue, then the others */
	bool wants_shared;
	bool has_shared;
};

/* Wait until the global queue is filled. From then on the tasks count as short. */
static struct wpool_runq *wait_for_shared(struct wpk_job *job)
{
	struct tie *tie = job->arg;
	struct wpool_runq *rq = wpool_runq(tie->pool, raw_smp_processor_id());

	WRITE_ONCE(tie->wants_shared, true);
	/* pairs with submit_shared() */
	while (!smp_load_acquire(&tie->has_shared) && !wpk_stopped(job->jobs->test))
		cpu_relax();
	rq->estimate.task_ns = 1;
	tie->pool->task_ns = 1;
	rq->sample.ns = 0;
	return rq;
}

static void keep_cpu(struct wpk_job *job)
{
	wait_for_shared(job);
}

/* Fill two queues so that their first tasks are of the same tick. */
static void make_tie(struct wpk_job *job)
{
	struct tie *tie = job->arg;
	struct wpool *pool = tie->pool;
	struct wpool_runq *rq = wait_for_shared(job);
	struct wpk_jobs *jobs = tie->jobs;
	u32 shared, tick, i;

	preempt_disable();
	if (!wpool_fifo_first(&pool->globq, &shared))
		job->ret = -ENODATA;
	/* the shared tasks are of this tick or an earlier one: wait for the next tick */
	tick = jiffies;
	while (tick == (u32)jiffies)
		cpu_relax();
	for (i = NR_SHARED; i < jobs->nr; i++)
		job->ret = wpool_try_submit(pool, &jobs->job[i].task) ?: job->ret;
	/* the first task is in the next slot, the other ones are in the ring */
	if (wpool_ring_len(&rq->ring) != 1 + NR_YOUNGER)
		job->ret = -ENOSPC;
	*wpool_ring_jiffy(&rq->ring, wpool_ring_head(&rq->ring)) = shared;
	preempt_enable();
}

/* Start @body in the pool's only worker, fill the global queue, and let @body continue. */
static struct wpk_jobs *submit_shared(struct kunit *test, struct tie *tie,
				      void (*body)(struct wpk_job *job), unsigned int nr)
{
	struct wpk_jobs *first = wpk_jobs_of(test, 1, body, tie);

	wpk_jobs_submit(test, tie->pool, first, 0, 1);
	wpk_move_to(wpk_cpu(1));
	KUNIT_EXPECT_TRUE(test, wpk_run_until(READ_ONCE(tie->wants_shared)));
	wpk_jobs_submit(test, tie->pool, tie->jobs, 0, nr);
	/* pairs with wait_for_shared() */
	smp_store_release(&tie->has_shared, true);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(tie->jobs, tie->jobs->nr));
	return first;
}

static struct tie *tie_create(struct kunit *test, unsigned int nr)
{
	struct tie *tie = wpk_alloc(test, sizeof(*tie));

	wpk_need_cpus(test, 2);
	tie->pool = wpk_one_cpu_pool(test, 1, 1, true);
	tie->jobs = wpk_jobs(test, nr, NULL);
	return tie;
}

/*
 * Two queues whose first tasks are of the same tick take turns. Tasks that a worker takes from the
 * global queue must not be queued behind tasks of later ticks.
 */
static void wpool_submit_of_the_same_tick_not_behind_younger_ones(struct kunit *test)
{
	struct tie *tie = tie_create(test, NR_SHARED + 2 + NR_YOUNGER);
	unsigned int i, late = 0;

	wpk_no_errors(test, submit_shared(test, tie, make_tie, NR_SHARED));
	/* only the task in the next slot and the first one in the ring may start earlier */
	for (i = 0; i < NR_SHARED; i++)
		late += tie->jobs->job[i].seq > NR_SHARED + 2;
	KUNIT_EXPECT_EQ(test, late, 0);
}

#define NR_BATCHES	5

/* Tasks that a worker takes in batches from the global queue start in the order of submits. */
static void wpool_submit_many_to_the_global_queue_start_in_order(struct kunit *test)
{
	struct tie *tie = tie_create(test, NR_BATCHES * WPOOL_RING_SIZE);
	unsigned int i, late = 0;

	submit_shared(test, tie, keep_cpu, tie->jobs->nr);
	for (i = 1; i < tie->jobs->nr; i++)
		late += tie->jobs->job[i].seq < tie->jobs->job[i - 1].seq;
	KUNIT_EXPECT_EQ(test, late, 0);
}

WPK_SUITE(fair,
	  KUNIT_CASE_PARAM_ATTR(wpool_submit_99_of_100_wait_as_in_one_queue, load_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }),
	  KUNIT_CASE(wpool_submit_long_tasks_wait_as_in_one_queue),
	  KUNIT_CASE(wpool_submit_old_tasks_come_before_a_ring_that_never_runs_dry),
	  KUNIT_CASE(wpool_submit_the_last_of_a_queue_wait_as_in_one_queue),
	  KUNIT_CASE(wpool_submit_a_ring_that_is_full_keeps_its_oldest),
	  KUNIT_CASE_PARAM(wpool_submit_behind_a_sleeper_waits_as_in_one_queue, mark_gen_params),
	  KUNIT_CASE(wpool_submit_of_the_same_tick_not_behind_younger_ones),
	  KUNIT_CASE(wpool_submit_many_to_the_global_queue_start_in_order),
	  KUNIT_CASE(wpool_submit_two_long_tasks_run_side_by_side),
	  KUNIT_CASE(wpool_submit_two_short_tasks_stay_on_their_cpu),
	  KUNIT_CASE_PARAM(wpool_queued_tasks_of_a_worker_that_sleeps_are_taken,
			   handoff_gen_params),
	  KUNIT_CASE_SLOW(wpool_task_wait_helping_is_no_hogging));
