// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a task that several threads submit, cancel and run at the same moment, also while
 * its submitter waits for room, or runs the task itself.
 */
#include <linux/cpumask.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "full_pool.h"
#include "probe.h"

static struct wpk_full full_run_pool(struct kunit *test)
{
	return wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.policy = WPOOL_RUN));
}

/* ---- policy run ----------------------------------------------------------- */

#define NR_SUBMITS WPK_ROUNDS(30000)

static int submit_often(struct wpk_thread *thread)
{
	int i, ret, accepted = 0;

	wpk_move_to(wpk_cpu((unsigned long)thread->arg));
	for (i = 0; i < NR_SUBMITS && !wpk_stopped(thread->test); i++) {
		ret = wpool_submit(thread->pool, thread->work);
		if (!ret)
			accepted++;
		else if (ret != -EALREADY)
			return ret;
		if (!(i % 64))
			cond_resched();
	}
	return accepted;
}

static void count_run(struct wpool_task *task)
{
	struct wpk_job *job = wpk_job_of(task);

	if (atomic_inc_return(&job->inside) != 1)
		job->twice = true;
	atomic_inc(&job->runs);
	atomic_dec(&job->inside);
}

static void wpool_submit_policy_run_two_submitters_each_accept_runs(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_thread *threads[2];
	struct wpk_full full;
	int accepted = 0;
	long i;

	wpk_need_cpus(test, 2);
	full = full_run_pool(test);
	wpool_task_init(&jobs->job[0].task, count_run);
	for (i = 0; i < 2; i++)
		threads[i] = wpk_thread(test, submit_often, full.pool,
					&jobs->job[0].task, (void *)i);
	for (i = 0; i < 2; i++) {
		int ret = wpk_join(test, threads[i]);

		KUNIT_EXPECT_GE(test, ret, 0);
		accepted += ret;
	}
	KUNIT_EXPECT_GE(test, accepted, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), accepted);
	KUNIT_EXPECT_FALSE(test, jobs->job[0].twice);
}

static void wait_for_myself(struct wpk_job *job)
{
	job->ret = wpool_task_wait(&job->task);
}

static void cancel_myself(struct wpk_job *job)
{
	job->ret = wpool_task_cancel_sync(&job->task);
}

static void wpool_submit_policy_run_waits_for_itself_is_edeadlk(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	int i;
	struct wpk_full full = full_run_pool(test);

	jobs->job[0].body = wait_for_myself;
	jobs->job[1].body = cancel_myself;
	for (i = 0; i < 2; i++) {
		struct wpk_thread *thread = wpk_thread(test, wpk_do_submit, full.pool,
						       &jobs->job[i].task, NULL);

		KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
		KUNIT_EXPECT_EQ(test, jobs->job[i].ret, -EDEADLK);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
	}
}

/*
 * While a task runs in its submitter, the pool accepts no submit of it, and a cancel finds nothing
 * to cancel: only that submitter could end another submit of the task.
 */
static void wpool_submit_policy_run_running_there_is_ealready(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_full full = full_run_pool(test);
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit, full.pool, task, NULL);

	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 1));
	/* the submit is refused, also when the pool has room */
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, task), -EALREADY);
	wpk_gate_open(full.gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(full.pool), 0);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(full.pool, task), -EALREADY);
	KUNIT_EXPECT_FALSE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, submitted), 1);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	wpk_jobs_ran_once(test, jobs);
	wpk_task_run(test, full.pool, task);
}

static void submit_myself_and_flush(struct wpk_job *job)
{
	struct wpk_full *full = job->arg;

	job->ret = wpool_submit(full->pool, &job->task);
	wpk_gate_open(full->gate);
	if (job->ret == -EALREADY)
		job->ret = wpool_flush(full->pool);
}

/* A task in its submitter is outside the pool: a flush in that task does not wait for the task. */
static void wpool_flush_in_a_submitter_that_submits_itself_returns(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_thread *thread;
	struct wpk_full full = full_run_pool(test);

	wpk_jobs_body(jobs, submit_myself_and_flush, &full);
	thread = wpk_thread(test, wpk_do_submit, full.pool, &jobs->job[0].task, NULL);
	KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	wpk_jobs_ran_once(test, jobs);
}

/* ---- waiting for room ----------------------------------------------------- */

static void wpool_task_cancel_in_line_sends_the_submitter_away(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *thread;
	struct wpk_full full = wpk_full_pool(test);
	int i;

	wpool_task_init_detached(&jobs->job[1].task, wpk_job_fn, NULL);
	for (i = 0; i < 2; i++) {
		thread = wpk_nth_waiter(test, full.pool, &jobs->job[i], 1);
		KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&jobs->job[i].task));
		KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
		KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	}
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -ECANCELED);
	/* the task was never accepted, so nothing is counted */
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, submitted), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, cancelled), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

static void wpool_task_cancel_in_a_batch_in_line_ends_the_batch(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_full full = wpk_full_pool(test);
	struct wpk_thread *thread = wpk_thread(test, wpk_do_submit_batch, full.pool, NULL, jobs);

	WPK_ASSERT_EVENTUALLY(test, wpk_stat(full.pool, waiting) == 1);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&jobs->job[1].task));
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* The fixture holds no reference to this pool, so wpool_destroy() frees the pool. */
static struct wpool *short_lived_pool(struct kunit *test)
{
	struct wpool *pool = wpk_create_with(test, 1, 1);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	return pool;
}

/* Cancel the detached @task in the queue of @pool, then destroy @pool. */
static void outlive(struct kunit *test, struct wpool *pool, struct wpool_task *task,
		    struct wpk_gate *gate, struct wpk_jobs *holder)
{
	wpool_task_init_detached(task, wpk_job_fn, NULL);
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &holder->job[0].task), 0);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	WPK_EVENTUALLY(test, wpk_stat(pool, cancelled) == 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_destroy(pool), 0);
	rcu_barrier();
}

/*
 * A detached task that was cancelled in a queue does not belong to that pool any more. A cancel
 * that finds the task waiting in another pool must not follow the task's pointer to the first pool,
 * which may be gone.
 */
static void wpool_task_cancel_detached_task_leaves_its_pool_behind(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_jobs *holder = wpk_gated(test, 1);
	struct wpk_thread *thread;
	struct wpk_full full;

	outlive(test, short_lived_pool(test), task, holder->gate, holder);
	full = wpk_full_pool(test);
	thread = wpk_nth_waiter(test, full.pool, &jobs->job[0], 1);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_EQ(test, wpool_try_submit(full.pool, task) == 0, false);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/*
 * While a submit of a task waits for room, no other submit of the task is accepted, even if this
 * pool once accepted it: the first one may still be refused.
 */
static void wpool_try_submit_cancelled_in_line_of_its_old_pool_is_not_accepted(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *holders = wpk_held(test, pool, 2, 1), *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_thread *thread;

	wpool_task_init_detached(task, wpk_job_fn, NULL);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, free) == 1);
	/* another task takes the place of the cancelled one */
	wpk_jobs_submit(test, pool, holders, 1, 1);
	thread = wpk_nth_waiter(test, pool, &jobs->job[0], 1);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_NE(test, wpool_try_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, holders->gate, thread), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* @gone: the memory of @pool is freed. @by: the thread that frees @pool, in a work item. */
struct memory {
	struct wpool *pool;
	struct task_struct *by;
	struct completion gone;
};

static void note_free(void *data, unsigned long caller, const void *ptr,
		      const struct kmem_cache *cache)
{
	struct memory *memory = data;

	if (ptr == memory->pool)
		WRITE_ONCE(memory->by, current);
}

static void note_end_of_work(void *data, struct work_struct *work, work_func_t function)
{
	struct memory *memory = data;

	if (READ_ONCE(memory->by) == current)
		complete(&memory->gone);
}

/* The task is cancelled after its submitter has found no room, and before the submitter waits. */
struct in_hands {
	struct wpool_task *task;
	bool cancelled;
};

static void cancel_in_hands(void *data, const char *pool, u32 nr, int policy)
{
	struct in_hands *hands = data;

	if (!hands->cancelled)
		hands->cancelled = wpool_task_cancel(hands->task);
}

/*
 * A cancel that comes before the submitter waits for room must not follow the task's pointer to an
 * earlier pool either. See wpool_task_cancel_detached_task_leaves_its_pool_behind().
 */
static void wpool_task_cancel_detached_task_in_hands_leaves_its_pool_behind(struct kunit *test)
{
	struct memory *memory = wpk_alloc(test, sizeof(*memory));
	struct in_hands *hands = wpk_alloc(test, sizeof(*hands));
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_jobs *holder = wpk_gated(test, 1);
	struct wpk_full full;

	init_completion(&memory->gone);
	wpk_probe(test, "kmem_cache_free", note_free, memory);
	wpk_probe(test, "workqueue_execute_end", note_end_of_work, memory);
	memory->pool = short_lived_pool(test);
	outlive(test, memory->pool, task, holder->gate, holder);
	KUNIT_ASSERT_TRUE(test, wpk_patiently(&memory->gone, NULL));

	full = wpk_full_pool(test);
	hands->task = task;
	wpk_probe(test, "wpool_pool_overloaded", cancel_in_hands, hands);
	KUNIT_EXPECT_EQ(test, wpool_submit(full.pool, task), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, hands->cancelled);
	KUNIT_EXPECT_EQ(test, wpk_stat(full.pool, waiting), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
}

/* ---- two pools ------------------------------------------------------------ */

#define NR_MOVES WPK_ROUNDS(3000)

/* @arg: two pools, to which the task is submitted in turn */
static int submit_by_turns(struct wpk_thread *thread)
{
	struct wpool **pools = thread->arg;
	int i, ret;

	wpk_move_to(wpk_cpu(0));
	for (i = 0; i < NR_MOVES && !wpk_stopped(thread->test); i++) {
		do {
			ret = wpool_try_submit(pools[i % 2], thread->work);
		} while (ret == -ECANCELED && !fatal_signal_pending(current));
		if (ret)
			return ret;
		ret = wpool_task_wait(thread->work);
		if (ret && ret != -ECANCELED)
			return ret;
	}
	return 0;
}

/*
 * A task that is submitted to two pools in turn is cancelled in the pool that it is in. The
 * submitter's CPU is in neither pool's mask, so the task goes to the global queues.
 */
static void wpool_task_cancel_task_that_changes_pools(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pools[2];
	struct wpk_thread *thread;
	unsigned int nr = 0;
	int i;

	wpk_need_cpus(test, 2);
	for (i = 0; i < 2; i++)
		pools[i] = wpk_pool_with(test, 1, 4, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	thread = wpk_thread(test, submit_by_turns, NULL, &jobs->job[0].task, pools);
	wpk_move_to(wpk_cpu(1));
	while (!wpk_ended(thread)) {
		nr += wpool_task_cancel(&jobs->job[0].task);
		cond_resched();
	}
	wpk_move_to(-1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, wpool_flush(pools[i]), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], queued), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], free), 5);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pools[0], cancelled) + wpk_stat(pools[1], cancelled), nr);
}

/* ---- a task that is submitted while it runs ------------------------------- */

static void submit_myself(struct wpk_job *job)
{
	job->ret = wpool_try_submit(job->arg, &job->task);
}

static void wpool_task_cancel_sync_of_one_that_submits_itself_ends(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_job *job = &jobs->job[0];
	struct wpk_thread *thread;
	int runs, ret;

	wpk_jobs_body(jobs, submit_myself, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 3));
	thread = wpk_thread(test, wpk_do_cancel_sync, NULL, &job->task, NULL);
	ret = wpk_join(test, thread);
	/* let the case end even if the cancel has failed */
	wpool_release(pool, 0);
	KUNIT_EXPECT_TRUE(test, ret == 0 || ret == -ECANCELED);
	runs = atomic_read(&job->runs);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), runs);
	/* the last submit was accepted and then cancelled, or it was refused */
	KUNIT_EXPECT_TRUE(test, job->ret == 0 || job->ret == -ECANCELED);
}

/* While a cancel waits for a task, the task cannot submit itself. */
static void wpool_task_cancel_sync_before_it_submits_itself_ends(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct wpk_job *job = &jobs->job[0];
	struct wpk_thread *thread;

	wpk_jobs_body(jobs, submit_myself, pool);
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	thread = wpk_sleeper(test, wpk_do_cancel_sync, NULL, &job->task, NULL);
	wpk_gate_open(jobs->gate);
	WPK_EVENTUALLY(test, wpk_ended(thread));
	/* let the case end even if the cancel has no effect */
	wpool_release(pool, 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, job->ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&job->runs), 1);
}

/* ---- the limit ------------------------------------------------------------ */

#define NR_TRIES WPK_ROUNDS(3000)

/* @work: a task that no pool accepts, because the task's owner is being unloaded */
static int submit_in_vain(struct wpk_thread *thread)
{
	int ret;

	wpk_move_to(wpk_cpu(0));
	while (!wpk_stopped(thread->test)) {
		ret = wpool_try_submit(thread->pool, thread->work);
		/* the pool is full, or the owner is being unloaded */
		if (ret != -EAGAIN && ret != -ENOENT)
			return ret ?: -EBADE;
		cond_resched();
	}
	return 0;
}

/* A refused submit takes no place, not even for a moment. After a wait the place is free. */
static void wpool_try_submit_beside_one_without_owner_finds_the_place(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 0, WPOOL_FAIL);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct module *going = wpk_alloc(test, sizeof(*going));
	unsigned int refused = 0, i;
	struct wpk_thread *thread;

	wpk_need_cpus(test, 2);
	going->state = MODULE_STATE_GOING;
	wpool_task_init_detached(&jobs->job[1].task, wpk_job_fn, going);
	thread = wpk_thread(test, submit_in_vain, pool, &jobs->job[1].task, NULL);
	wpk_move_to(wpk_cpu(1));
	for (i = 0; i < NR_TRIES; i++) {
		refused += !!wpool_try_submit(pool, &jobs->job[0].task);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	}
	wpk_move_to(-1);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ_MSG(test, refused, 0, "of %u", NR_TRIES);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

WPK_SUITE(states,
	  KUNIT_CASE_SLOW(wpool_submit_policy_run_two_submitters_each_accept_runs),
	  KUNIT_CASE(wpool_submit_policy_run_waits_for_itself_is_edeadlk),
	  KUNIT_CASE(wpool_submit_policy_run_running_there_is_ealready),
	  KUNIT_CASE(wpool_flush_in_a_submitter_that_submits_itself_returns),
	  KUNIT_CASE(wpool_task_cancel_in_line_sends_the_submitter_away),
	  KUNIT_CASE(wpool_task_cancel_in_a_batch_in_line_ends_the_batch),
	  KUNIT_CASE(wpool_task_cancel_detached_task_leaves_its_pool_behind),
	  KUNIT_CASE(wpool_task_cancel_detached_task_in_hands_leaves_its_pool_behind),
	  KUNIT_CASE(wpool_try_submit_cancelled_in_line_of_its_old_pool_is_not_accepted),
	  KUNIT_CASE_SLOW(wpool_task_cancel_task_that_changes_pools),
	  KUNIT_CASE(wpool_task_cancel_sync_of_one_that_submits_itself_ends),
	  KUNIT_CASE(wpool_task_cancel_sync_before_it_submits_itself_ends),
	  KUNIT_CASE_SLOW(wpool_try_submit_beside_one_without_owner_finds_the_place));
