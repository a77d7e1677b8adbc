// SPDX-License-Identifier: GPL-2.0
/*
 * Races between two steps of the pool that have no tracepoint between them. A tracepoint of
 * lockdep, or a delay of inject.h, stops a thread between the two steps until other threads are
 * done. If the stopped thread keeps its CPU, the others need a second CPU.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "core/runqs.h"
#include "core/state.h"
#include "event.h"
#include "full_pool.h"
#include "inject.h"
#include "probe.h"
#include "task/state.h"

/* How often a CPU has stopped, and how often it was allowed to continue. */
struct stop {
	atomic_t stops;
	atomic_t passes;
};

/* Spin until the case lets this CPU continue, or for WPK_PATIENCE. */
static __maybe_unused void stop_here(struct stop *stop)
{
	u64 end = ktime_get_mono_fast_ns() + jiffies_to_nsecs(WPK_PATIENCE);
	int nr = atomic_inc_return(&stop->stops);

	while (atomic_read(&stop->passes) < nr && ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

static bool is_stopped(struct stop *stop)
{
	return atomic_read(&stop->stops) > atomic_read(&stop->passes);
}

/* ---- a cancel of a task that has left the pool ------------------------------ */

/* Stop @thread when it is about to take @lock for the first time. */
struct locker {
	struct stop stop;
	struct task_struct *thread;
	const char *lock;
};

static void stop_before_lock(void *data, struct lockdep_map *lock, unsigned int subclass,
			     int trylock, int read, int check, struct lockdep_map *nest,
			     unsigned long ip)
{
#ifdef CONFIG_LOCKDEP
	struct locker *locker = data;

	if (READ_ONCE(locker->thread) == current && lock->name &&
	    !strcmp(lock->name, locker->lock)) {
		WRITE_ONCE(locker->thread, NULL);
		stop_here(&locker->stop);
	}
#endif
}

struct move {
	struct completion ready;
	struct locker *locker;
	struct wpk_gate *gate;
	struct wpool *to;
};

/* Let the task end in its pool, submit it to the other pool, and let the stopped CPU continue. */
static int move_there(struct wpk_thread *thread)
{
	struct move *move = thread->arg;
	int ret;

	wpk_move_to(wpk_cpu(1));
	complete(&move->ready);
	while (!is_stopped(&move->locker->stop) && !wpk_stopped(thread->test))
		usleep_range(100, 200);
	wpk_gate_open(move->gate);
	ret = wpool_task_wait(thread->work);
	if (ret == -ECANCELED)
		ret = wpool_try_submit(move->to, thread->work);
	atomic_inc(&move->locker->stop.passes);
	return ret;
}

/*
 * A cancel that is late does not take a task out of the queue of another pool. It finds the task in
 * the global queue of one pool; when it has the lock of that queue, the task is in the global queue
 * of the other pool.
 */
static void wpool_task_cancel_meanwhile_in_another_pool_leaves_it_there(struct kunit *test)
{
	struct locker *locker = wpk_alloc(test, sizeof(*locker));
	struct wpk_jobs *holders = wpk_jobs(test, 2, NULL), *jobs = wpk_jobs(test, 1, NULL);
	struct move *move = wpk_alloc(test, sizeof(*move));
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_gate *gates[2];
	struct wpk_thread *thread;
	struct wpool *pools[2];
	int i;

	wpk_need_cpus(test, 2);
	wpk_need(test, IS_ENABLED(CONFIG_LOCKDEP), "no lockdep");
	/* each task comes from a CPU outside its pool's mask: it goes to the global queue */
	for (i = 0; i < 2; i++) {
		gates[i] = wpk_gate(test);
		pools[i] = wpk_pool_with(test, 1, 4, attrs.cpumask = cpumask_of(wpk_cpu(1 - i)));
		holders->job[i].gate = gates[i];
		wpk_jobs_hold(test, pools[i], holders, i, 1);
	}
	locker->lock = "&fifo->lock";
	wpk_probe(test, "lock_acquire", stop_before_lock, locker);
	wpk_move_to(wpk_cpu(0));
	wpk_jobs_submit(test, pools[0], jobs, 0, 1);
	init_completion(&move->ready);
	move->locker = locker;
	move->gate = gates[0];
	move->to = pools[1];
	thread = wpk_thread(test, move_there, NULL, task, move);
	/* this thread will spin here, so @thread must have left this CPU */
	wait_for_completion(&move->ready);
	WRITE_ONCE(locker->thread, current);
	KUNIT_EXPECT_TRUE(test, wpool_task_cancel(task));
	KUNIT_EXPECT_EQ(test, atomic_read(&locker->stop.stops), 1);
	wpk_move_to(-1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pools[0], queued), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pools[1], queued), 1);
	wpk_gate_open(gates[1]);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, wpool_flush(pools[i]), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], completed), 1 + i);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], free), 5);
	}
}

/* ---- a submit of a task that meanwhile runs again ---------------------------- */

/* @delayed_thread stops in its submit, before the state of the task changes. */
static struct stop *delayed;
static struct task_struct *delayed_thread;

static void stop_before_exchange(struct wpool_task *task)
{
	if (READ_ONCE(delayed_thread) == current) {
		WRITE_ONCE(delayed_thread, NULL);
		stop_here(delayed);
	}
}

/*
 * As stop_before_exchange(), but no other thread ends the stop: the submit continues when the task
 * runs in @moves_to, or has been pending for 50 ms.
 */
static struct wpool *moves_to;

static void stop_until_moved(struct wpool_task *task)
{
	u64 now, claimed = 0, end = ktime_get_mono_fast_ns() + jiffies_to_nsecs(WPK_PATIENCE);
	int state;

	if (READ_ONCE(delayed_thread) != current)
		return;
	WRITE_ONCE(delayed_thread, NULL);
	atomic_inc(&delayed->stops);
	do {
		cpu_relax();
		state = atomic_read(&task->state) & WPOOL_ST_MASK;
		if (READ_ONCE(task->pool) == moves_to && state == WPOOL_ST_RUNNING)
			break;
		now = ktime_get_mono_fast_ns();
		if (state != WPOOL_ST_PENDING)
			claimed = 0;
		else if (!claimed)
			claimed = now;
	} while (now < end && (!claimed || now < claimed + 50 * NSEC_PER_MSEC));
}

/* Stop the worker in the finish of the task, which is IDLE, and not yet counted out. */
static void stop_in_finish(struct wpool_task *task)
{
	if (READ_ONCE(delayed_thread) == current && !(atomic_read(&task->state) & WPOOL_ST_MASK))
		stop_before_exchange(task);
}

static void no_delay(void *unused)
{
	wpool_inject_set_delay(NULL);
}

/* Arguments of a thread that must be created before a CPU stops: the creation may need the CPU. */
struct late {
	struct completion begin;
	struct wpool *pool;
	struct wpk_gate *gate;
};

static int submit_delayed(struct wpk_thread *thread)
{
	struct late *late = thread->arg;

	wpk_move_to(wpk_cpu(1));
	wait_for_completion(&late->begin);
	WRITE_ONCE(delayed_thread, current);
	return wpool_try_submit(late->pool, thread->work);
}

static int flush_late(struct wpk_thread *thread)
{
	struct late *late = thread->arg;

	wpk_move_to(wpk_cpu(0));
	wait_for_completion(&late->begin);
	return wpool_flush(late->pool);
}

static int submit_late(struct wpk_thread *thread)
{
	struct late *late = thread->arg;

	wpk_move_to(wpk_cpu(0));
	wait_for_completion(&late->begin);
	return wpool_try_submit(late->pool, thread->work);
}

/* The first submit times out in the full pool. The second one follows when the pool is empty. */
static int submit_in_line_late(struct wpk_thread *thread)
{
	struct late *late = thread->arg;
	int ret;

	wpk_move_to(wpk_cpu(0));
	wait_for_completion(&late->begin);
	ret = wpool_submit_timeout(late->pool, thread->work, 1);
	if (ret != -ETIME)
		return ret ?: -EBADE;
	wpk_gate_open(late->gate);
	ret = wpool_flush(late->pool);
	return ret ?: wpool_try_submit(late->pool, thread->work);
}

/* A pool on the first CPU. Its counts of accepted and finished tasks wrap with the first task. */
static struct wpool *pool_here(struct kunit *test)
{
	struct wpool_runq *rq;
	int cpu, i;
	struct wpool *pool = wpk_pool_with(test, 1, 4, attrs.cpumask = cpumask_of(wpk_cpu(0)));

	wpool_for_each_runq(pool, rq, cpu) {
		for (i = 0; i < 2; i++) {
			WRITE_ONCE(rq->share.accepted[i], U64_MAX);
			local64_set(&rq->share.finished[i], -1);
		}
	}
	return pool;
}

static struct wpk_thread *late_thread(struct kunit *test, int (*fn)(struct wpk_thread *thread),
				      struct wpool *pool, struct wpool_task *task)
{
	struct late *late = wpk_alloc(test, sizeof(*late));

	init_completion(&late->begin);
	late->pool = pool;
	return wpk_thread(test, fn, pool, task, late);
}

static void begin_late(struct wpk_thread *thread)
{
	struct late *late = thread->arg;

	complete(&late->begin);
}

/* A flush counts the tasks once a tick: wait until it has counted once more, or has ended. */
static bool flush_has_counted(struct wpk_thread *flusher)
{
	unsigned long before = READ_ONCE(flusher->task->nvcsw);

	return wpk_eventually(wpk_ended(flusher) || READ_ONCE(flusher->task->nvcsw) > before + 2);
}

/* Let @submitter see the task run, and stop in its call. */
static void stop_submitter(struct kunit *test, struct wpk_thread *submitter)
{
	begin_late(submitter);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&delayed->stops));
}

static void set_delay(struct kunit *test, void (*fn)(struct wpool_task *task))
{
	wpool_inject_set_delay(fn);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, no_delay, NULL), 0);
}

static void begin_delays(struct kunit *test, void (*fn)(struct wpool_task *task))
{
	wpk_need_cpus(test, 2);
	delayed = wpk_alloc(test, sizeof(*delayed));
	set_delay(test, fn);
	wpk_move_to(wpk_cpu(0));
}

/*
 * A flush waits for a run whose submit was stopped for long. Meanwhile an earlier run ends, another
 * flush begins, and the task runs again. Then the submit is accepted, for a third run, for which a
 * later flush waits.
 */
static void wpool_try_submit_meanwhile_in_a_new_run_is_flushed(struct kunit *test)
{
	struct wpk_thread *submitter, *flushers[2];
	struct wpk_jobs *jobs = wpk_gated(test, 1);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpool *pool;
	int i, ret;

	begin_delays(test, stop_before_exchange);
	pool = pool_here(test);
	submitter = late_thread(test, submit_delayed, pool, task);
	for (i = 0; i < 2; i++)
		flushers[i] = late_thread(test, flush_late, pool, NULL);
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	stop_submitter(test, submitter);

	wpk_gate_let(jobs->gate, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	begin_late(flushers[0]);
	/* the flush waits, since it counts the stopped submit */
	KUNIT_EXPECT_TRUE(test, flush_has_counted(flushers[0]));
	KUNIT_ASSERT_EQ(test, wpool_try_submit(pool, task), 0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	atomic_inc(&delayed->passes);
	ret = wpk_join(test, submitter);
	wpk_move_to(-1);
	KUNIT_EXPECT_EQ(test, ret, 0);

	begin_late(flushers[1]);
	KUNIT_EXPECT_TRUE(test, wpk_sleeps(flushers[1]));
	wpk_gate_let(jobs->gate, 1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 3));
	/* flushes count in turn: wait for the first one, or if it has ended, for the second */
	KUNIT_EXPECT_TRUE(test, flush_has_counted(flushers[wpk_ended(flushers[0])]));
	KUNIT_EXPECT_FALSE(test, wpk_ended(flushers[1]));
	wpk_gate_open(jobs->gate);
	wpk_join_all(test, flushers, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 3);
}

WPK_PARAM_BOOL(full, "the other pool is full at first: %d");

/*
 * While a submit of the running task is stopped, the run ends, and a thread submits the task to
 * another pool. The stopped submit must be refused: it names the first pool.
 */
static void wpool_try_submit_meanwhile_in_another_pool_is_not_accepted_there(struct kunit *test)
{
	struct wpk_jobs *holders = wpk_gated(test, 5), *jobs = wpk_gated(test, 1);
	bool is_full = wpk_is_on(test);
	struct wpk_thread *submitter, *mover;
	struct wpool_task *task = &jobs->job[0].task;
	struct wpool *pools[2];
	int i, ret;

	begin_delays(test, stop_until_moved);
	for (i = 0; i < 2; i++)
		pools[i] = pool_here(test);
	moves_to = pools[1];
	submitter = late_thread(test, submit_delayed, pools[0], task);
	mover = late_thread(test, is_full ? submit_in_line_late : submit_late, pools[1], task);
	((struct late *)mover->arg)->gate = holders->gate;
	if (is_full)
		wpk_jobs_submit(test, pools[1], holders, 0, holders->nr);
	wpk_jobs_hold(test, pools[0], jobs, 0, 1);
	stop_submitter(test, submitter);

	wpk_gate_let(jobs->gate, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
	begin_late(mover);
	ret = wpk_join(test, submitter);
	KUNIT_EXPECT_EQ(test, wpk_join(test, mover), 0);
	wpk_move_to(-1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
	KUNIT_ASSERT_EQ(test, ret, -EALREADY);
	wpk_gate_open(jobs->gate);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, wpool_flush(pools[i]), 0);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], outstanding), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 2);
}

/* ---- a close before a task is claimed ---------------------------------------- */

static struct completion *released;
static pid_t only_worker;
static atomic_t nr_delays;

/*
 * Stop the only worker between its check that the pool runs tasks and its claim of a task, until
 * the pool is closed. A worker that cannot be preempted there does not stop.
 */
static void stop_claim_if_preemptible(struct wpool_task *task)
{
	if ((atomic_read(&task->state) & WPOOL_ST_MASK) != WPOOL_ST_PENDING ||
	    READ_ONCE(only_worker) != current->pid)
		return;
	atomic_inc(&nr_delays);
	if (preemptible())
		wait_for_completion_timeout(released, WPK_PATIENCE);
}

static void begin_release(struct kunit *test, void (*fn)(struct wpool_task *task))
{
	released = wpk_alloc(test, sizeof(*released));
	init_completion(released);
	atomic_set(&nr_delays, 0);
	set_delay(test, fn);
}

WPK_PARAM_BOOL(nested, "by the first task: %d");

/*
 * After the close has returned, no thread claims the second task, not even the first task, which
 * may wait for it.
 */
static void wpool_release_beside_a_claim_starts_nothing_later(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool_task *task = &jobs->job[1].task;
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_thread *waiter;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPTION), "the kernel does not preempt its threads");
	jobs->job[0].gate = gate;
	if (wpk_is_on(test))
		wpk_job_body(&jobs->job[0], wpk_wait_for_arg, task);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	only_worker = jobs->job[0].pid;
	/* the waiter sets WPOOL_ST_WAITED: so the claim is delayed on user-mode Linux, too */
	waiter = wpk_sleeper(test, wpk_do_wait, pool, task, NULL);
	begin_release(test, stop_claim_if_preemptible);
	wpk_gate_open(gate);
	WPK_EVENTUALLY(test, atomic_read(&nr_delays));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_CANCEL), 0);
	KUNIT_EXPECT_NE(test, atomic_read(&task->state) & WPOOL_ST_MASK, WPOOL_ST_PENDING);
	complete_all(released);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	wpk_jobs_ran_once(test, jobs);
}

/* The submit of this task stops before it changes the state, if the submitter is preemptible. */
static struct wpool_task *stopped_task;

static void stop_submitter_if_preemptible(struct wpool_task *task)
{
	if (READ_ONCE(stopped_task) != task)
		return;
	WRITE_ONCE(stopped_task, NULL);
	atomic_inc(&nr_delays);
	/* without CONFIG_PREEMPTION, each case stops a submitter only where it may sleep */
	if (!IS_ENABLED(CONFIG_PREEMPTION) || preemptible())
		wait_for_completion_timeout(released, WPK_PATIENCE);
}

/* Stop the submit of job @stop_at in a full pool, and release the pool meanwhile. */
static struct wpk_thread *stop_in_submit(struct kunit *test, struct wpk_full *full,
					 int (*submit)(struct wpk_thread *thread),
					 struct wpk_jobs *jobs, int stop_at, unsigned int flags)
{
	struct wpk_thread *submitter;

	*full = wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.policy = WPOOL_RUN));
	WRITE_ONCE(stopped_task, &jobs->job[stop_at].task);
	begin_release(test, stop_submitter_if_preemptible);
	submitter = wpk_thread(test, submit, full->pool, &jobs->job[0].task, jobs);
	WPK_EVENTUALLY(test, atomic_read(&nr_delays));
	KUNIT_EXPECT_EQ(test, wpool_release(full->pool, flags), 0);
	return submitter;
}

static void wpool_release_beside_a_claim_of_a_submitter_starts_nothing_later(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_thread *submitter;
	struct wpk_full full;

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPTION), "the kernel does not preempt its threads");
	submitter = stop_in_submit(test, &full, wpk_do_submit, jobs, 0, WPOOL_RELEASE_CANCEL);
	KUNIT_EXPECT_NE(test, atomic_read(&jobs->job[0].task.state) & WPOOL_ST_MASK,
			WPOOL_ST_PENDING);
	complete_all(released);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
}

WPK_PARAM_BOOL(own, "WPOOL_RELEASE_OWN: %d");

/*
 * After WPOOL_RELEASE_OWN a submitter does not run its task either, unless it is a task of the
 * pool. In a full pool the batch gives up its claim of the second task, and then runs the first.
 */
static void wpool_release_before_a_submitter_runs_its_task_starts_nothing(struct kunit *test)
{
	unsigned int flags = wpk_is_on(test) ? WPOOL_RELEASE_OWN : WPOOL_RELEASE_CANCEL;
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpk_full full;
	struct wpk_thread *submitter = stop_in_submit(test, &full, wpk_do_submit_batch,
						      jobs, 1, flags);

	complete_all(released);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[1].runs), 0);
}

/* ---- a wait that ends while the submitter has no CPU --------------------------- */

static struct wpool *waited_for;

static void stop_submitter_that_waits(struct wpool_task *task)
{
	if (READ_ONCE(waited_for->admission.nr_waiting))
		stop_submitter_if_preemptible(task);
}

/* Returns 1 if the monitor watches the pool after the submit has ended with -ESHUTDOWN. */
static int submit_and_look(struct wpk_thread *thread)
{
	int ret = wpool_submit(thread->pool, thread->work);

	return ret == -ESHUTDOWN ? READ_ONCE(thread->pool->is_watched) : -EBADE;
}

/*
 * If a release has ended the wait of a submitter, the submitter must not touch the pool, which may
 * have been freed. Such a touch would set @is_watched.
 */
static void wpool_release_before_a_submitter_sleeps_the_pool_may_be_freed(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_thread *submitter;
	struct wpk_full full = wpk_full_pool(test);

	waited_for = full.pool;
	WRITE_ONCE(stopped_task, &jobs->job[0].task);
	begin_release(test, stop_submitter_that_waits);
	submitter = wpk_thread(test, submit_and_look, full.pool, &jobs->job[0].task, NULL);
	WPK_EVENTUALLY(test, atomic_read(&nr_delays));
	KUNIT_EXPECT_EQ(test, wpool_release(full.pool, WPOOL_RELEASE_DRAIN), 0);
	/* no thread waits, and the only task sleeps, so the monitor stops watching */
	WPK_EVENTUALLY(test, !READ_ONCE(full.pool->is_watched));
	complete_all(released);
	KUNIT_EXPECT_EQ(test, wpk_join(test, submitter), 0);
}

/* ---- a disable of an event beside the fire of its timer ---------------------- */

/* Arguments of disable_beside_fire(). @begun: it calls wpool_event_disable() now */
struct disable {
	struct wpool_event *event;
	struct completion ready;
	bool begun;
};

static struct disable *disable;

/* Stop the fire until the event is disabled, or until the disable has waited for 50 ms. */
static void stop_fire(struct wpool_task *task)
{
	u64 now, begun = 0, end = ktime_get_mono_fast_ns() + jiffies_to_nsecs(WPK_PATIENCE);

	if (task != &disable->event->task || atomic_inc_return(&delayed->stops) > 1)
		return;
	do {
		cpu_relax();
		now = ktime_get_mono_fast_ns();
		if (!begun && READ_ONCE(disable->begun))
			begun = now;
	} while (!(atomic_read(&disable->event->task.state) & WPOOL_ST_DISABLED_MASK) &&
		 now < (begun ? begun + 50 * NSEC_PER_MSEC : end));
}

static int disable_beside_fire(struct wpk_thread *thread)
{
	wpk_move_to(wpk_cpu(1));
	complete(&disable->ready);
	while (!atomic_read(&delayed->stops) && !wpk_stopped(thread->test))
		usleep_range(100, 200);
	WRITE_ONCE(disable->begun, true);
	return wpool_event_disable(disable->event);
}

WPK_PARAM_BOOL(hr, "hrtimer: %d");

/*
 * The timer's fire is either taken back, or the event was still armed: "true" in both cases. The
 * pool's only worker is held.
 */
static void wpool_event_disable_beside_the_timer_takes_its_fire_back(struct kunit *test)
{
	bool hr = wpk_is_on(test);
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *holder = wpk_held(test, pool, 1, 1);
	struct wpk_ev *ev = wpk_evs_kind(test, pool, NULL, 1, hr);
	struct wpk_thread *thread;

	disable = wpk_alloc(test, sizeof(*disable));
	disable->event = wpk_event(ev);
	init_completion(&disable->ready);
	begin_delays(test, stop_fire);
	thread = wpk_thread(test, disable_beside_fire, NULL, NULL, NULL);
	wait_for_completion(&disable->ready);
	if (hr)
		wpool_hrevent_arm(&ev->hr, NSEC_PER_MSEC);
	else
		wpool_event_arm(disable->event, 1);
	/* a CPU that is not idle runs its timers itself */
	while (!atomic_read(&delayed->stops) && !wpk_stopped(test))
		cond_resched();
	wpk_move_to(-1);
	KUNIT_EXPECT_NE(test, atomic_read(&delayed->stops), 0);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), true);
	wpk_gate_open(holder->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), 0);
	KUNIT_EXPECT_TRUE(test, wpool_event_enable(disable->event));
}

/* ---- a finish beside a close ------------------------------------------------- */

static struct wpk_full closing;
static struct wpk_ev *waiting;

/* The close has sent one event away: let the task end that has the only token. */
static void stop_close(struct wpool_task *task)
{
	if (!wpool_is_closed(closing.pool) || atomic_inc_return(&delayed->stops) > 1)
		return;
	wpk_gate_open(closing.gate);
	wpk_spin(1, atomic_read(&waiting[0].runs) || atomic_read(&waiting[1].runs));
}

/* Room that comes free during a close is for the one that has waited longest. */
static void wpool_release_beside_a_finish_accepts_none_behind_a_refused_one(struct kunit *test)
{
	struct wpool *pool = wpk_pool_with(test, 1, 0, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	int i;

	closing = wpk_fill(test, pool);
	waiting = wpk_evs(test, pool, NULL, 2);
	begin_delays(test, stop_close);
	for (i = 0; i < 2; i++)
		wpool_event_fire(wpk_event(&waiting[i]));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, WPOOL_RELEASE_DRAIN), 0);
	wpk_move_to(-1);
	KUNIT_EXPECT_NE(test, atomic_read(&delayed->stops), 0);
	wpk_destroy(test, pool);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&waiting[i].runs), !i);
		KUNIT_EXPECT_EQ(test, atomic_read(&waiting[i].aborts), i);
	}
}

/* ---- a finish that has not settled the accounts ------------------------------ */

static void stop_at_its_end(struct wpk_job *job)
{
	WRITE_ONCE(delayed_thread, current);
}

/* Wait for the task. The task must be counted out by then, and its place free. */
static int wait_and_submit_again(struct wpk_thread *thread)
{
	struct late *late = thread->arg;
	struct wpool_stats stats;
	int ret;

	wpk_move_to(wpk_cpu(1));
	wait_for_completion(&late->begin);
	ret = wpool_task_wait(thread->work);
	wpool_get_stats(late->pool, &stats);
	return ret ?: stats.completed != 1 ? -EBADE : wpool_try_submit(late->pool, thread->work);
}

/* A wait for a task that is IDLE returns only when the finish of the task is over. */
static void wpool_task_wait_meanwhile_in_its_finish_waits_for_the_accounts(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, 1, stop_at_its_end, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	struct wpk_thread *waiter;
	struct wpool *pool;

	wpk_need(test, !IS_ENABLED(CONFIG_UML), "user-mode Linux has no delay there");
	begin_delays(test, stop_in_finish);
	wpk_move_to(wpk_cpu(1));
	pool = wpk_pool_with(test, 1, 0, attrs.policy = WPOOL_FAIL,
			     attrs.cpumask = cpumask_of(wpk_cpu(0)));
	waiter = late_thread(test, wait_and_submit_again, pool, task);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&delayed->stops));
	begin_late(waiter);
	/* the wait sleeps for a tick now and then */
	KUNIT_EXPECT_TRUE(test, flush_has_counted(waiter));
	jobs->job[0].body = NULL;
	atomic_inc(&delayed->passes);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	wpk_move_to(-1);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 2);
}

WPK_SUITE(between,
	  KUNIT_CASE(wpool_task_cancel_meanwhile_in_another_pool_leaves_it_there),
	  KUNIT_CASE(wpool_try_submit_meanwhile_in_a_new_run_is_flushed),
	  KUNIT_CASE_PARAM(wpool_try_submit_meanwhile_in_another_pool_is_not_accepted_there,
			   full_gen_params),
	  KUNIT_CASE(wpool_task_wait_meanwhile_in_its_finish_waits_for_the_accounts),
	  KUNIT_CASE_PARAM(wpool_release_beside_a_claim_starts_nothing_later, nested_gen_params),
	  KUNIT_CASE(wpool_release_beside_a_claim_of_a_submitter_starts_nothing_later),
	  KUNIT_CASE_PARAM(wpool_release_before_a_submitter_runs_its_task_starts_nothing,
			   own_gen_params),
	  KUNIT_CASE(wpool_release_before_a_submitter_sleeps_the_pool_may_be_freed),
	  KUNIT_CASE(wpool_release_beside_a_finish_accepts_none_behind_a_refused_one),
	  KUNIT_CASE_PARAM(wpool_event_disable_beside_the_timer_takes_its_fire_back,
			   hr_gen_params));
