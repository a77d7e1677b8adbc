// SPDX-License-Identifier: GPL-2.0
/*
 * A queue whose CPU is busy gets help from another CPU: without the monitor, or from the monitor if
 * the helper does not get its CPU.
 */
#include <linux/preempt.h>
#include <linux/smp.h>

#include "compat.h"
#include "core/runqs.h"
#include "one_cpu.h"

/* A case needs this many tries that hit its moment. */
#define NR_TRIES	3
/* The most tries, including those that miss it. */
#define NR_ATTEMPTS	400
/* Longer than it takes to wake a worker of another CPU. */
#define LONG_US		50

/**
 * struct note - what a job notes
 * @worker: the worker that ran the job; no worker of the pool expires
 * @us: how long the job runs
 * @go: if not %NULL, the job runs until this is set
 * @gate: if not %NULL, the job sleeps there at its end
 */
struct note {
	struct task_struct *worker;
	u32 us;
	bool *go;
	struct wpk_gate *gate;
};

static void take_note(struct wpk_job *job)
{
	struct note *note = job->arg;

	/* pairs with has_started() */
	smp_store_release(&note->worker, current);
	if (note->us)
		udelay(note->us);
	if (note->go && !wpk_spin(2, READ_ONCE(*note->go)))
		job->ret = -ETIME;
	if (note->gate)
		wpk_gate_pass(note->gate);
}

static struct wpk_jobs *note_jobs(struct kunit *test, unsigned int nr, u32 us)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, nr, take_note, NULL);
	struct note *notes = wpk_alloc(test, nr * sizeof(*notes));
	unsigned int i;

	for (i = 0; i < nr; i++) {
		notes[i].us = us;
		jobs->job[i].arg = &notes[i];
	}
	return jobs;
}

static struct note *note_of(struct wpk_job *job)
{
	return job->arg;
}

static bool has_started(struct wpk_job *job)
{
	/* pairs with take_note() */
	return wpk_spin(2, smp_load_acquire(&note_of(job)->worker));
}

/* True if the job's worker sleeps, in the job or after it. */
static bool is_asleep(struct wpk_job *job)
{
	struct task_struct *worker = note_of(job)->worker;

	return wpk_spin(2, compat_is_blocked(worker) && !READ_ONCE(worker->on_cpu));
}

/* A pool on @nr_cpus CPUs. All its workers exist, and are idle. */
static struct wpool *helping_pool(struct kunit *test, u32 nr_cpus, u32 nr_workers, u32 sched)
{
	struct wpool *pool = wpk_pool_with(test, nr_workers, WPOOL_UNLIMITED,
					   attrs.cpumask = wpk_first_cpus(test, nr_cpus),
					   attrs.sched = sched, attrs.spin_us = 0,
					   attrs.expiry_ms = 0, attrs.hog_ms = WPOOL_MAX_HOG_MS);

	wpk_warm(test, pool, nr_workers);
	return pool;
}

/* ---- a CPU that its workers do not get --------------------------------------- */

static bool next_tick(void)
{
	unsigned long now = jiffies;

	return wpk_spin(2, time_after(jiffies, now));
}

/*
 * Submit tasks one by one, and keep this CPU. The first submit wakes only the worker of this CPU,
 * on which the pool stops to rely after a tick.
 */
static int keep_the_cpu(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	unsigned int i;
	int ret;

	wpk_move_to(wpk_cpu(0));
	preempt_disable();
	ret = wpool_try_submit(thread->pool, &jobs->job[0].task);
	if (!ret && !(next_tick() && next_tick()))
		ret = -EIO;
	for (i = 1; i < jobs->nr && !ret; i++) {
		ret = wpool_try_submit(thread->pool, &jobs->job[i].task);
		if (!ret && (!has_started(&jobs->job[i]) || !is_asleep(&jobs->job[i])))
			ret = -ETIME;
	}
	preempt_enable();
	return ret;
}

/* They end before the kernel lets others than real-time threads run, after 950 ms. */
#define NR_CHILDREN	600

/* One job submits all others at once, while another thread keeps the CPU @kept. */
struct crowd {
	struct wpool *pool;
	struct wpk_jobs *jobs;
	int kept;		/* 1 or 2 */
	bool is_kept;
	bool is_helped;		/* a job has run on the other one of these CPUs */
};

static void compute_until_helped(struct wpk_job *job)
{
	struct crowd *crowd = job->arg;

	if (job->cpu == wpk_cpu(3 - crowd->kept))
		WRITE_ONCE(crowd->is_helped, true);
	if (!READ_ONCE(crowd->is_helped))
		mdelay(1);
}

/* Not short: otherwise the worker would take several tasks at a time, and ask for help itself. */
static void submit_crowd(struct wpk_job *job)
{
	struct crowd *crowd = job->arg;

	job->ret = wpool_submit_batch(crowd->pool, crowd->jobs->tasks + 1, NR_CHILDREN, 0) -
		   NR_CHILDREN;
	udelay(4 * LONG_US);
}

static int keep_another_cpu(struct wpk_thread *thread)
{
	struct crowd *crowd = thread->arg;
	bool ok;

	wpk_move_to(wpk_cpu(crowd->kept));
	sched_set_fifo(current);
	WRITE_ONCE(crowd->is_kept, true);
	ok = wpk_spin(2, atomic_read(&crowd->jobs->finished) == NR_CHILDREN + 1);
	sched_set_normal(current, 0);
	return ok ? 0 : -ETIME;
}

static const u32 kept[] = { 1, 2 };

WPK_PARAM(kept, kept, "CPU %u is kept");

/*
 * Long tasks are queued at once, and the worker that is woken to help does not get its CPU: then
 * one of an idle CPU is woken. Which one is woken first is not promised, so each of the two CPUs is
 * kept once.
 */
static void wpool_submit_batch_gets_help_if_the_helper_gets_no_cpu(struct kunit *test)
{
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));
	struct wpk_thread *keeper;

	wpk_need_to_keep_cpu(test);
	crowd->kept = *(const u32 *)test->param_value;
	crowd->pool = helping_pool(test, 3, 3, 0);
	crowd->jobs = wpk_jobs_of(test, NR_CHILDREN + 1, compute_until_helped, crowd);
	crowd->jobs->job[0].body = submit_crowd;
	wpk_move_to(wpk_cpu(0));
	keeper = wpk_thread(test, keep_another_cpu, NULL, NULL, crowd);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(crowd->is_kept));
	KUNIT_ASSERT_EQ(test, wpool_submit_on(crowd->pool, wpk_cpu(0),
					      &crowd->jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, keeper), 0);
	wpk_move_to(-1);
	KUNIT_EXPECT_EQ(test, crowd->jobs->job[0].ret, 0);
	KUNIT_EXPECT_TRUE(test, crowd->is_helped);
}

static const u32 lengths[] = { 0, LONG_US };

WPK_PARAM(length, lengths, "tasks of %u us");

#define NR_KEPT 10

/* Each task that is submitted on a CPU that another thread keeps gets help from another CPU. */
static void wpool_submit_one_by_one_on_a_cpu_taken_by_others_gets_help_each_time(struct kunit *test)
{
	struct wpool *pool = wpk_unwatched(test, helping_pool(test, 2, 2, 0));
	struct wpk_jobs *jobs = note_jobs(test, NR_KEPT, *(const u32 *)test->param_value);

	wpk_need_to_keep_cpu(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, wpk_thread(test, keep_the_cpu, pool, NULL, jobs)), 0);
}

/* ---- a task that runs its children itself ------------------------------------- */

/* Each child lasts for less than the monitor's period, so the queue never seems to stand still. */
static void compute_until_one_is_helped(struct wpk_job *job)
{
	struct crowd *crowd = job->arg;

	if (job->cpu != wpk_cpu(crowd->kept))
		WRITE_ONCE(crowd->is_helped, true);
	if (!READ_ONCE(crowd->is_helped))
		mdelay(5);
}

/* Tasks were short: the children's submits ask for no help. */
static void submit_and_wait(struct wpk_job *job)
{
	struct crowd *crowd = job->arg;
	struct wpool_runq *rq = wpool_runq(crowd->pool, job->cpu);
	unsigned int i;

	WRITE_ONCE(rq->estimate.task_ns, 1);
	WRITE_ONCE(rq->estimate.help_len, U32_MAX);
	for (i = 1; i < crowd->jobs->nr && !job->ret; i++)
		job->ret = wpool_try_submit(crowd->pool, crowd->jobs->tasks[i]);
	for (i = 1; i < crowd->jobs->nr && !job->ret; i++)
		job->ret = wpool_task_wait(crowd->jobs->tasks[i]);
}

static const u32 parents[] = { 0, 1 };

WPK_PARAM(parent, parents, "on CPU %u");

/*
 * A task waits for its children, which it runs itself, one after the other, and another CPU is
 * idle. The monitor's timer may be on either CPU, if this submit does not start it.
 */
static void wpool_task_wait_runs_children_and_other_cpus_help(struct kunit *test)
{
	struct crowd *crowd = wpk_alloc(test, sizeof(*crowd));

	crowd->kept = *(const u32 *)test->param_value;
	crowd->pool = helping_pool(test, 2, 2, 0);
	crowd->jobs = wpk_jobs_of(test, 121, compute_until_one_is_helped, crowd);
	crowd->jobs->job[0].body = submit_and_wait;
	wpk_move_to(wpk_cpu(1 - crowd->kept));
	KUNIT_ASSERT_EQ(test, wpool_submit_on(crowd->pool, wpk_cpu(crowd->kept),
					      &crowd->jobs->job[0].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(crowd->jobs, crowd->jobs->nr));
	wpk_move_to(-1);
	wpk_no_errors(test, crowd->jobs);
	KUNIT_EXPECT_TRUE(test, crowd->is_helped);
}

/* ---- a search that fails, and room that comes later in the tick --------------- */

struct busy {
	struct wpool *pool;
	struct wpk_jobs *jobs;
	struct wpk_gate *gate;
	bool go[NR_ATTEMPTS];
	int hits;	/* tries in which no tick passed before the last submit */
};

/* Submit a job in an interrupt, so that the job is no child of the task that runs here. */
static int push(struct wpool *pool, struct wpk_job *job)
{
	return wpk_try_in(wpk_in_hardirq, pool, &job->task);
}

/*
 * This thread keeps its CPU. The worker of the other CPU is in the first job when the second job is
 * queued, so the submit wakes no worker. That worker runs both jobs, and parks. Then the third job
 * is queued, in the same tick.
 */
static int queue_when_the_helper_is_asleep(struct busy *busy, int try)
{
	struct wpk_job *job = &busy->jobs->job[3 * try];
	unsigned long tick;

	note_of(&job[0])->go = &busy->go[try];
	if (!next_tick() || push(busy->pool, &job[0]) || !has_started(&job[0]))
		return -EIO;
	tick = jiffies;
	if (push(busy->pool, &job[1]))
		return -EIO;
	WRITE_ONCE(busy->go[try], true);
	if (!has_started(&job[1]) || !is_asleep(&job[1]) || push(busy->pool, &job[2]))
		return -EIO;
	/* in a later tick, the submit looks for help again */
	busy->hits += !time_after(jiffies, tick);
	return has_started(&job[2]) && is_asleep(&job[2]) ? 0 : -ETIME;
}

static void queue_many_times(struct wpk_job *job)
{
	struct busy *busy = job->arg;
	int try;

	for (try = 0; try < NR_ATTEMPTS && busy->hits < NR_TRIES && !job->ret; try++)
		job->ret = queue_when_the_helper_is_asleep(busy, try);
}

static struct busy *busy_create(struct kunit *test, u32 nr_workers, unsigned int nr_jobs)
{
	struct busy *busy = wpk_alloc(test, sizeof(*busy));

	busy->pool = wpk_unwatched(test, helping_pool(test, 2, nr_workers, 0));
	busy->jobs = note_jobs(test, nr_jobs, LONG_US);
	return busy;
}

static void wpool_submit_after_the_helper_is_asleep_gets_it_without_the_monitor(struct kunit *test)
{
	struct busy *busy = busy_create(test, 2, 3 * NR_ATTEMPTS);
	struct wpk_jobs *keeper = wpk_jobs_of(test, 1, queue_many_times, busy);

	wpk_jobs_run(test, busy->pool, keeper, 1);
	KUNIT_EXPECT_EQ(test, keeper->job[0].ret, 0);
	if (!keeper->job[0].ret && busy->hits < NR_TRIES)
		kunit_skip(test, "no tick passed in %d of %d tries", busy->hits, NR_ATTEMPTS);
}

/* Of the first two CPUs, the one with one worker; the other CPU has two. */
static int cpu_of_one(struct wpool *pool)
{
	return wpk_cpu(wpk_workers_at(pool, wpk_cpu(0)) != 1);
}

/*
 * This thread keeps its CPU. The other CPU has two workers, of which one is in the first job when
 * the second job is queued, so the submit wakes no worker. Then the first job sleeps, and makes
 * room.
 */
static int submit_child_before_the_other_sleeps(struct busy *busy, int try)
{
	struct wpk_job *job = &busy->jobs->job[2 * try];

	note_of(&job[0])->go = &busy->go[try];
	note_of(&job[0])->gate = busy->gate;
	if (!next_tick() || push(busy->pool, &job[0]) || !has_started(&job[0]) ||
	    wpool_try_submit(busy->pool, &job[1].task))
		return -EIO;
	WRITE_ONCE(busy->go[try], true);
	if (!has_started(&job[1]) || !is_asleep(&job[1]) || !is_asleep(&job[0]))
		return -ETIME;
	wpk_gate_let(busy->gate, 1);
	if (!wpk_spin(2, atomic_read(&busy->jobs->finished) == 2 * (try + 1)))
		return -ETIME;
	return is_asleep(&job[0]) ? 0 : -ETIME;
}

static void submit_children(struct wpk_job *job)
{
	struct busy *busy = job->arg;
	int try;

	for (try = 0; try < NR_TRIES && !job->ret; try++)
		job->ret = submit_child_before_the_other_sleeps(busy, try);
}

static void wpool_submit_before_another_task_sleeps_gets_help_from_its_cpu(struct kunit *test)
{
	struct busy *busy = busy_create(test, 3, 2 * NR_TRIES);
	struct wpk_jobs *keeper = wpk_jobs_of(test, 1, submit_children, busy);

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	busy->gate = wpk_gate(test);
	KUNIT_ASSERT_EQ(test, wpool_submit_on(busy->pool, cpu_of_one(busy->pool),
					      &keeper->job[0].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(keeper, 1));
	KUNIT_EXPECT_EQ(test, keeper->job[0].ret, 0);
}

/* ---- a worker that comes, and finds another one back from its sleep ---------- */

/**
 * struct back - two jobs of one CPU
 * @pool: their pool
 * @gate: where the first job sleeps
 * @job: the second job
 * @is_back: the first job runs again
 * @was_back: @is_back was set when the second job started
 * @note: notes of the second job
 */
struct back {
	struct wpool *pool;
	struct wpk_gate *gate;
	struct wpk_job *job;
	bool is_back;
	bool was_back;
	struct note note;
};

static void sleep_and_yield(struct wpk_job *job)
{
	unsigned long end = jiffies + WPK_PATIENCE / 2;
	struct back *back = job->arg;

	wpk_gate_pass(back->gate);
	WRITE_ONCE(back->is_back, true);
	/* pairs with start_behind() */
	while (!smp_load_acquire(&back->note.worker)) {
		/* yield to the woken worker of the second job, which has the same priority */
		yield();
		if (time_after(jiffies, end))
			job->ret = -ETIME;
		if (job->ret)
			break;
	}
}

static void start_behind(struct wpk_job *job)
{
	struct back *back = job->arg;

	back->was_back = READ_ONCE(back->is_back);
	/* pairs with sleep_and_yield() */
	smp_store_release(&back->note.worker, current);
	/* a short task would be left to the first job's worker */
	udelay(LONG_US);
}

/* Runs in an interrupt, so that the pool sees no submitter that keeps this CPU. */
static void go_back_and_submit(void *arg)
{
	struct back *back = arg;

	wpk_gate_let(back->gate, 1);
	back->job->ret = wpool_try_submit(back->pool, &back->job->task);
}

/*
 * The first job sleeps. The worker that is woken for the second job finds that the first job runs
 * again, and gives up. The second job starts anyway. Returns false if the first was not back yet.
 */
static bool starts_behind_one_that_is_back(struct kunit *test)
{
	/* SCHED_FIFO: the first job's worker must yield to the worker that was woken after it */
	struct wpool *pool = helping_pool(test, 2, 3, 1);
	int cpu = wpk_cpu(cpu_of_one(pool) == wpk_cpu(0));
	struct back *back = wpk_alloc(test, sizeof(*back));
	struct wpk_jobs *jobs = wpk_jobs_of(test, 2, sleep_and_yield, back);

	jobs->job[1].body = start_behind;
	back->pool = pool;
	back->job = &jobs->job[1];
	back->gate = wpk_gate(test);
	wpk_move_to(cpu_of_one(pool));
	KUNIT_ASSERT_EQ(test, wpool_submit_on(pool, cpu, &jobs->job[0].task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(back->gate, 1));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 2 && wpk_stat(pool, blocked) == 1);
	wpk_unwatched(test, pool);
	next_tick();
	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, go_back_and_submit, back, true), 0);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, 2));
	wpk_no_errors(test, jobs);
	wpk_move_to(-1);
	wpk_destroy(test, pool);
	return jobs->job[0].cpu == cpu && back->was_back;
}

static void wpool_submit_beside_a_task_that_comes_back_gets_help(struct kunit *test)
{
	int try, hits = 0;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS), "no preempt notifiers");
	for (try = 0; try < NR_ATTEMPTS / 10 && hits < NR_TRIES; try++)
		hits += starts_behind_one_that_is_back(test);
	if (hits < NR_TRIES)
		kunit_skip(test, "the first task was back first in %d of %d tries", hits, try);
}

WPK_SUITE(help,
	  KUNIT_CASE_PARAM(wpool_submit_one_by_one_on_a_cpu_taken_by_others_gets_help_each_time,
			   length_gen_params),
	  KUNIT_CASE_PARAM(wpool_submit_batch_gets_help_if_the_helper_gets_no_cpu,
			   kept_gen_params),
	  KUNIT_CASE_PARAM(wpool_task_wait_runs_children_and_other_cpus_help, parent_gen_params),
	  KUNIT_CASE(wpool_submit_after_the_helper_is_asleep_gets_it_without_the_monitor),
	  KUNIT_CASE(wpool_submit_before_another_task_sleeps_gets_help_from_its_cpu),
	  KUNIT_CASE(wpool_submit_beside_a_task_that_comes_back_gets_help));
